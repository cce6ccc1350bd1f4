//! Masked clips through the crowd: who plays what, what it costs to be wrong, and that a body does not tear.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_bake::{BakeSettings, MaskSetting};
use anim_core::clock::{TICKS_PER_SECOND, ticks_from_seconds};
use anim_core::glam::DVec3;
use anim_core::matrix_rows::affine_from_rows;
use anim_format::AnimFile;
use anim_format::model::{Encoding, Rows};
use anim_format::playback::{LocalPlayer, palette_of_layers};
use anim_tests::random_layers::Random;
use anim_tests::rigs::{self, narrow, share};
use anim_tests::stage::Stage;
use anim_wgpu::{
    ClipMode, Crowd, CrowdSettings, GpuError, Instance, InstanceHandle, LayerStack, PlayOptions,
};

/// A biped whose upper body can be masked, and its left arm.
fn biped(encodings: &[Encoding]) -> AnimFile<'static> {
    let mask = |name: &str, node: &str| MaskSetting { name: name.into(), nodes: vec![node.into()] };
    let masks = vec![mask("upper", "spine"), mask("arm", "upper_arm_l")];
    let attach = vec!["hand_l".into()];
    rigs::sample(
        "biped",
        &BakeSettings { encodings: encodings.to_vec(), masks, attach, ..BakeSettings::default() },
    )
}

fn clip(crowd: &Crowd, name: &str) -> u32 {
    crowd.clip_index(0, name).expect("a clip of the biped")
}

fn masked_clip(crowd: &Crowd, handle: InstanceHandle) -> Option<(u32, u32)> {
    crowd.masked_clip(handle).expect("an instance").map(|masked| (masked.clip, masked.mask))
}

/// Which nodes a mask has.
fn nodes_of(file: &AnimFile<'_>, mask: usize) -> Vec<bool> {
    let words = &file.masks[mask].words;
    (0..file.nodes.len()).map(|node| words[node / 32] >> (node % 32) & 1 == 1).collect()
}

fn model_from_nodes(file: &AnimFile<'_>, stack: &LayerStack, now: u64) -> Vec<Rows> {
    let player = LocalPlayer::new(file);
    let pose = player.of_layers(stack.gpu_layers(), now).expect("clips and masks of the file");
    let mut nodes = vec![[[0.0; 4]; 3]; file.nodes.len()];
    pose.nodes(&mut nodes).expect("as many as there are");
    nodes
}

#[test]
fn a_guard_waves_while_he_walks_and_runs() {
    let file = biped(&[Encoding::Local8]);
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let crowd = &mut stage.crowd;
    let (walk, run, wave) = (clip(crowd, "walk"), clip(crowd, "run"), clip(crowd, "wave"));
    let (upper, arm) =
        (crowd.mask_index(0, "upper").expect("a mask"), crowd.mask_index(0, "arm").expect("a mask"));
    assert_eq!((crowd.mask_index(0, "lower"), crowd.mask_index(1, "upper")), (None, None));
    let guard = crowd.add(&Instance { clip: walk, ..Instance::default() }).expect("room");
    assert_eq!(masked_clip(crowd, guard), None);

    crowd.update(1.0);
    crowd.play_masked(guard, wave, upper, 0.25).expect("a clip and a mask");
    crowd.update(1.125);
    assert_eq!((crowd.current_clip(guard), masked_clip(crowd, guard)), (Ok(Some(walk)), Some((wave, upper))));
    crowd.update(2.0);
    crowd.play(guard, run, 0.5).expect("a clip");
    crowd.update(2.25);
    assert_eq!((crowd.current_clip(guard), masked_clip(crowd, guard)), (Ok(Some(run)), Some((wave, upper))));
    let clips = |crowd: &Crowd| crowd.layer_stack(guard).expect("an instance").clips().collect::<Vec<_>>();
    assert_eq!(clips(crowd), [walk, run, wave]);
    let time_seconds = crowd.masked_clip(guard).expect("an instance").expect("a masked clip").time_seconds;
    assert!((time_seconds - 1.25 % f64::from(file.clips[wave as usize].duration_seconds)).abs() < 1e-6);
    // The frame in which a fade ends, however late it is.
    crowd.update(3.1);
    assert_eq!(clips(crowd), [run, wave]);
    crowd.stop_masked(guard, 0.25).expect("an instance");
    assert_eq!((clips(crowd), masked_clip(crowd, guard)), (vec![run, wave], None));
    crowd.update(3.35);
    assert_eq!(clips(crowd), [run]);

    // Once, and gone by itself.
    let options = PlayOptions {
        mask: Some(arm),
        mode: Some(ClipMode::Once),
        leaves_at_end: true,
        ..PlayOptions::new(wave, 0.25)
    };
    crowd.play_with(guard, &options).expect("a clip and a mask");
    let end = 3.35 + f64::from(file.clips[wave as usize].duration_seconds);
    crowd.update(end - 0.26);
    assert_eq!(masked_clip(crowd, guard), Some((wave, arm)));
    crowd.update(end - 0.12);
    assert_eq!((clips(crowd), masked_clip(crowd, guard)), (vec![run, wave], None));
    let layers = crowd.layer_stack(guard).expect("an instance").moments(ticks_from_seconds(end - 0.12));
    assert!((layers[1].covers - 0.12 / 0.25).abs() < 1e-3, "settled late, it left in time: {layers:?}");
    crowd.update(end + 0.01);
    assert_eq!(clips(crowd), [run]);
}

#[test]
fn a_mask_that_the_model_lacks_is_an_error_that_changes_nothing() {
    let (file, rows) = (biped(&[Encoding::Local8]), rigs::sample("bird", &BakeSettings::default()));
    let mut stage = Stage::new(&[&file, &rows], &CrowdSettings::default());
    let crowd = &mut stage.crowd;
    let guard = crowd.add(&Instance::default()).expect("room");
    let bird = crowd.add(&Instance { model: 1, ..Instance::default() }).expect("room");
    let before = *crowd.layer_stack(guard).expect("an instance");
    for (handle, mask, count) in
        [(guard, 2, 2), (guard, 254, 2), (guard, 255, 2), (guard, u32::MAX, 2), (bird, 0, 0)]
    {
        let error = GpuError::NoSuchMask { number: mask, count };
        assert_eq!(crowd.play_masked(handle, 0, mask, 0.1), Err(error.clone()));
        assert!(error.to_string().contains(&format!("no mask {mask}: the model has {count}")), "{error}");
    }
    assert_eq!(crowd.play_masked(guard, 99, 0, 0.1), Err(GpuError::NoSuchClip { number: 99, count: 6 }));
    let options = PlayOptions { mask: Some(0), ..PlayOptions::new(1, 0.1) };
    assert_eq!(crowd.play_after(guard, &options), Err(GpuError::MaskedFollows));
    assert_eq!(*crowd.layer_stack(guard).expect("an instance"), before);
    crowd.stop_masked(guard, 0.1).expect("nothing to stop");
    // Neither in a layer nor waiting may a stack have a mask that the model lacks.
    crowd.play_masked(guard, 1, 1, 0.1).expect("a mask");
    let layered = *crowd.layer_stack(guard).expect("an instance");
    assert_eq!(crowd.set_layer_stack(bird, &layered), Err(GpuError::NoSuchMask { number: 1, count: 0 }));
    crowd.set_layer_stack(guard, &before).expect("its own");
    crowd.play(guard, 1, 5.0).expect("a clip");
    crowd.update(1.0);
    crowd.play(guard, 0, 5.0).expect("a clip");
    crowd.play_masked(guard, 1, 1, 0.1).expect("a mask");
    let waiting = *crowd.layer_stack(guard).expect("an instance");
    assert_eq!(waiting.masks().collect::<Vec<_>>(), [1]);
    assert_eq!(crowd.set_layer_stack(bird, &waiting), Err(GpuError::NoSuchMask { number: 1, count: 0 }));
    // It starts in the frame in which there is room, without another call.
    crowd.update(5.1);
    assert_eq!(masked_clip(crowd, guard), Some((1, 1)));
    crowd.remove(guard).expect("an instance");
    let gone = Err(GpuError::NoSuchInstance { index: guard.index() });
    assert_eq!(crowd.play_masked(guard, 0, 0, 0.1), gone);
    assert_eq!(crowd.stop_masked(guard, 0.1), gone);
    assert!(crowd.masked_clip(guard).is_err());
}

#[test]
fn the_lower_body_is_exactly_the_base_and_no_bone_changes_its_length() {
    let file = biped(&[Encoding::Local8]);
    let mut random = Random(5);
    let durations: Vec<f32> = file.clips.iter().map(|clip| clip.duration_seconds).collect();
    let rest: Vec<f64> = file
        .nodes
        .iter()
        .map(|node| DVec3::from_array(node.rest_translation.map(f64::from)).length())
        .collect();
    let is_upper = nodes_of(&file, 0);
    assert!(is_upper.contains(&true) && is_upper.contains(&false));
    let (mut edges, mut moved) = (0, 0.0f64);
    for _ in 0..200 {
        let second = TICKS_PER_SECOND;
        let mut play = |fade_ticks: u32| anim_core::layer_stack::Play {
            clip: random.below(durations.len() as u32),
            phase: narrow(share(&mut random)),
            fade_ticks,
            ..anim_core::layer_stack::Play::default()
        };
        let (base, next, masked) = (play(0), play(second), play(second));
        let mut legs = LayerStack::default();
        legs.play(0, &base, &durations);
        legs.play(u64::from(second), &next, &durations);
        let mut both = legs;
        let masked = anim_core::layer_stack::MaskedPlay { play: masked, mask: 0, leaves_at_end: false };
        both.play_masked(u64::from(second) + 1, &masked, &durations);
        let now = u64::from(second + random.below(second));
        let (legs, both) = (model_from_nodes(&file, &legs, now), model_from_nodes(&file, &both, now));
        for (number, node) in file.nodes.iter().enumerate() {
            if !is_upper[number] {
                assert_eq!(both[number], legs[number], "{}", node.name);
                continue;
            }
            let parent = node.parent.expect("the root is a lower node") as usize;
            let place = |node: usize| affine_from_rows(&both[node]).translation;
            let length = (place(number) - place(parent)).length();
            assert!(
                (length - rest[number]).abs() < 1e-5,
                "{}: {length} instead of {}",
                node.name,
                rest[number]
            );
            edges += u32::from(!is_upper[parent]);
            moved = moved.max((place(number) - affine_from_rows(&legs[number]).translation).length());
        }
    }
    assert!(edges == 200 && moved > 0.3, "{edges} {moved}");
}

#[test]
fn game_code_finds_the_hand_where_the_masked_clip_puts_it() {
    let file = biped(&[Encoding::Local8]);
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let crowd = &mut stage.crowd;
    let (walk, wave) = (clip(crowd, "walk"), clip(crowd, "wave"));
    let guard = crowd.add(&Instance { clip: walk, ..Instance::default() }).expect("room");
    let hand = crowd.attachment_index(0, "hand_l").expect("a point");
    let node = file.nodes.iter().position(|node| node.name == "hand_l").expect("a hand");
    let mut places = Vec::new();
    for mask in [None, Some(0), Some(1)] {
        crowd.update(1.0);
        crowd.play_with(guard, &PlayOptions { mask, ..PlayOptions::new(wave, 0.0) }).expect("a clip");
        crowd.play(guard, walk, 0.0).expect("a clip");
        crowd.update(1.4);
        let now = ticks_from_seconds(1.4);
        let found = affine_from_rows(&crowd.attachment_matrix(guard, hand).expect("a point")).translation;
        let nodes = model_from_nodes(&file, crowd.layer_stack(guard).expect("an instance"), now);
        let expected = affine_from_rows(&nodes[node]).translation;
        assert!((found - expected).length() < 1e-5, "{mask:?}: {found} instead of {expected}");
        places.push(found);
    }
    assert!((places[1] - places[0]).length() > 0.1, "the wave moves the hand: {places:?}");
}

#[test]
fn rows_have_no_masks_and_move_the_whole_body() {
    let file = biped(&[Encoding::Affine32]);
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let crowd = &mut stage.crowd;
    let (walk, wave) = (clip(crowd, "walk"), clip(crowd, "wave"));
    let [masked, whole] = [(); 2].map(|()| {
        let guard = crowd.add(&Instance { clip: walk, ..Instance::default() }).expect("room");
        crowd.update(0.0);
        guard
    });
    crowd.update(1.0);
    crowd.play_masked(masked, wave, 0, 0.5).expect("a mask");
    crowd.play(whole, wave, 0.5).expect("a clip");
    for now_seconds in [1.2, 1.5, 1.9] {
        crowd.update(now_seconds);
        let palettes = [masked, whole].map(|guard| {
            let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
            let layers = crowd.layer_stack(guard).expect("an instance").gpu_layers();
            palette_of_layers(&file, layers, ticks_from_seconds(now_seconds), &mut palette);
            palette
        });
        assert_eq!(palettes[0], palettes[1], "{now_seconds}");
    }
}
