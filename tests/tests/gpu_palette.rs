//! The palette pass on a real adapter against its CPU twin: random layers, clips, modes, fades, times up to 30 days.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_bake::{BakeSettings, bake_import};
use anim_core::clock::TICKS_PER_SECOND;
use anim_core::layers::layer_covers;
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_format::playback::palette_of_layers;
use anim_tests::random_layers::{NOW, Random, add_random_masks};
use anim_tests::rigs::{self, Rig};
use anim_tests::{gpu, models};
use anim_wgpu::{
    ClipMode, Crowd, CrowdSettings, Instance, InstanceHandle, ModelSource, PalettePrecision, PlayOptions,
    View,
};

/// Plays random clips at random times up to 29 days ago, then sets the clock to now.
fn play_randomly(crowd: &mut Crowd, file: &AnimFile<'_>, handles: &[InstanceHandle], random: &mut Random) {
    let second = f64::from(TICKS_PER_SECOND);
    // Three rounds, each later than the one before: up to two fades run now, on top of a base of any age.
    for (round, ago_max) in [(0, 1.6e11), (1, 400_000.0), (2, 150_000.0)] {
        for handle in handles {
            if round > 0 && random.below(3) == 0 {
                continue;
            }
            let ago = f64::from(random.next()) / f64::from(u32::MAX) * ago_max;
            crowd.update((NOW as f64 - ago) / second);
            let options = PlayOptions {
                clip: random.below(file.clips.len() as u32),
                fade_seconds: random.below(300_000) as f32 / TICKS_PER_SECOND as f32,
                speed: [1.0, 0.37, -1.0, 2.5, 0.0, -0.01][random.below(6) as usize],
                phase: random.next() as f32 / u32::MAX as f32,
                mode: Some([ClipMode::Loop, ClipMode::Once, ClipMode::PingPong][random.below(3) as usize]),
                // Half of what is played over something is masked, where the file has masks.
                mask: random.below(2 * file.masks.len() as u32 + 1).checked_sub(file.masks.len() as u32 + 1),
                leaves_at_end: random.below(2) == 0,
            };
            crowd.play_with(*handle, &options).expect("a clip of the file");
            if random.below(4) == 0 {
                let fade_seconds = random.below(300_000) as f32 / TICKS_PER_SECOND as f32;
                crowd.stop_masked(*handle, fade_seconds).expect("an instance");
            }
        }
    }
    crowd.update(NOW as f64 / second);
}

/// A view that everything is in.
const ALL: View =
    View::new([[1e-6, 0.0, 0.0, 0.0], [0.0, 1e-6, 0.0, 0.0], [0.0, 0.0, 1e-6, 0.0], [0.0, 0.0, 0.5, 1.0]]);

/// Palettes of `instances` instances with random layers, of which every second one is shown; returns the largest
/// difference to the twin, in units of the largest number of the palette.
fn largest_difference(file: &AnimFile<'_>, settings: &CrowdSettings, instances: u32, seed: u64) -> f32 {
    let (device, queue) = gpu::device();
    let mut crowd = Crowd::new(&device, &queue, &[ModelSource::new(file)], settings).expect("a small file");
    let mut random = Random(seed);
    let handles: Vec<InstanceHandle> =
        (0..instances).map(|_| crowd.add(&Instance::default()).expect("room")).collect();
    play_randomly(&mut crowd, file, &handles, &mut random);
    for handle in handles.iter().skip(1).step_by(2) {
        crowd.set_hidden(*handle, true).expect("an instance");
    }
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(&device, &queue, &mut encoder, &[ALL]).expect("a small crowd");
    queue.submit([encoder.finish()]);
    let buffers: Vec<_> = crowd.palette_buffers(0).collect();
    assert_eq!(buffers.len(), 1);
    let found: Vec<f32> = match settings.precision {
        PalettePrecision::Full => gpu::read_back(&device, &queue, buffers[0]),
        PalettePrecision::Half => {
            let halves: Vec<u16> = gpu::read_back(&device, &queue, buffers[0]);
            halves.into_iter().map(|bits| half::f16::from_bits(bits).to_f32()).collect()
        }
    };
    if !file.masks.is_empty() && instances > 100 {
        assert_stacks_are_masked(&crowd, &handles);
    }
    let mut expected = vec![[[0.0; 4]; 3]; file.bones.len()];
    let (mut largest, mut scale) = (0.0f32, 0.0f32);
    for (slot, handle) in handles.iter().step_by(2).enumerate() {
        let layers = crowd.layer_stack(*handle).expect("an instance").gpu_layers();
        palette_of_layers(file, layers, NOW, &mut expected);
        let expected = expected.as_flattened().as_flattened();
        for (found, expected) in found[slot * expected.len()..].iter().zip(expected) {
            largest = largest.max((found - expected).abs());
            scale = scale.max(expected.abs());
        }
    }
    largest / scale
}

/// What is compared has layers of all kinds: masks that come, stay and leave, above one and above two others.
fn assert_stacks_are_masked(crowd: &Crowd, handles: &[InstanceHandle]) {
    let (mut comes, mut stays, mut leaves, mut above_two) = (0, 0, 0, 0);
    for handle in handles {
        let layers = crowd.layer_stack(*handle).expect("an instance").gpu_layers();
        for (number, layer) in layers.iter().enumerate() {
            let Some(layer) = layer.unpack().filter(|layer| layer.mask.is_some()) else { continue };
            let covers = layer_covers(&layer, NOW);
            comes += u32::from(!layer.leaving && covers < 1.0);
            stays += u32::from(!layer.leaving && covers == 1.0);
            leaves += u32::from(layer.leaving);
            let below = layers[1].unpack().is_some_and(|below| below.mask.is_none());
            above_two += u32::from(number == 2 && below);
        }
    }
    let found = [comes, stays, leaves, above_two];
    assert!(found.iter().all(|count| *count > 5), "{found:?}");
}

#[test]
fn palettes_agree_with_the_cpu_twin_in_every_storage() {
    let mut checked = 0;
    for model in models::samples() {
        let import = models::import(&model);
        for encoding in [Encoding::Affine32, Encoding::Affine16] {
            // Pages of 128 texels a side: several of them, so that clips and fades cross pages.
            let settings =
                BakeSettings { encodings: vec![encoding], max_texture_size: 128, ..BakeSettings::default() };
            let file = bake_import(&import, &settings).expect("a sample").file;
            for force_texture_pages in [false, true] {
                let settings = CrowdSettings { force_texture_pages, ..CrowdSettings::default() };
                let difference = largest_difference(&file, &settings, 301, 7 + checked);
                assert!(difference < 1e-6, "{} {encoding:?} {settings:?}: {difference}", model.display());
                checked += 1;
            }
        }
    }
    assert!(checked >= 12);
}

#[test]
fn palettes_of_local_tracks_agree_with_the_cpu_twin() {
    let mut checked = 0;
    for model in models::samples() {
        let import = models::import(&model);
        for encoding in [Encoding::Local8, Encoding::Local32] {
            let settings =
                BakeSettings { encodings: vec![encoding], max_texture_size: 128, ..BakeSettings::default() };
            let mut file = bake_import(&import, &settings).expect("a sample").file;
            add_random_masks(&mut file, 3, &mut Random(checked));
            let difference = largest_difference(&file, &CrowdSettings::default(), 301, 7 + checked);
            assert!(difference < 2e-6, "{} {encoding:?}: {difference}", model.display());
            checked += 1;
        }
    }
    assert!(checked >= 6);
}

#[test]
fn palettes_of_local_tracks_agree_for_every_count_of_nodes_and_instances() {
    let mut random = Random(77);
    for (joints, instances) in [
        (1, 130),
        (2, 65),
        (3, 33),
        (4, 31),
        (5, 17),
        (16, 9),
        (17, 8),
        (33, 7),
        (64, 5),
        (65, 4),
        (128, 3),
        (300, 5),
    ] {
        // Where nothing scales unevenly or mirrors, nodes are held another way.
        for (encoding, uneven) in [
            (Encoding::Local8, false),
            (Encoding::Local8, true),
            (Encoding::Local32, false),
            (Encoding::Local32, true),
        ] {
            let scales = uneven && joints < 20;
            let deep = (20..100).contains(&joints);
            let rig = Rig {
                joints,
                triangles: 2,
                parts: 2,
                rigid_parts: 2,
                clips: 3,
                scales,
                mirrors: uneven,
                deep,
            };
            let settings = BakeSettings { encodings: vec![encoding], ..BakeSettings::default() };
            let mut file = rigs::random_file(&rig, &mut random, &settings);
            add_random_masks(&mut file, 2, &mut Random(joints.into()));
            let depth = file.nodes.iter().map(|node| node.depth).max();
            assert!(!deep || depth >= Some(20), "{depth:?}");
            assert_eq!(file.nodes.len() > 256, joints == 300, "all variants are drawn");
            let difference =
                largest_difference(&file, &CrowdSettings::default(), instances, u64::from(joints));
            assert!(difference < 2e-6, "{rig:?}, {encoding:?}: {difference}");
        }
    }
}

#[test]
fn half_palettes_are_off_by_no_more_than_a_half_float() {
    let import = models::import(&models::samples()[0]);
    let file = bake_import(&import, &BakeSettings::default()).expect("a sample").file;
    let settings = CrowdSettings { precision: PalettePrecision::Half, ..CrowdSettings::default() };
    let difference = largest_difference(&file, &settings, 64, 3);
    assert!(difference > 0.0 && difference < 1.0 / 2048.0, "{difference}");
}

#[test]
fn every_count_of_instances_is_right() {
    let import = models::import(&models::samples()[0]);
    let file = bake_import(&import, &BakeSettings::default()).expect("a sample").file;
    for instances in [1, 2, 30, 31, 200, 201, 5001] {
        let difference = largest_difference(&file, &CrowdSettings::default(), instances, 99);
        assert!(difference < 1e-6, "{instances} instances: {difference}");
    }
}
