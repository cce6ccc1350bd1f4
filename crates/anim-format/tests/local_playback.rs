//! Local tracks on the CPU, against the same poses composed in `f64`.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_core::clip_time::ClipMode;
use anim_core::clock::{ClipStart, CycleRate, ticks_from_seconds};
use anim_core::glam::{DAffine3, DQuat, DVec3};
use anim_core::layers::{GpuLayer, Layer};
use anim_core::local_pose::nlerp_corrected_f64;
use anim_core::matrix_rows::{affine_from_rows, rows_from_affine};
use anim_format::AnimFile;
use anim_format::model::{Encoding, Rows};
use anim_format::playback::{
    LocalPlayer, LocalPose, PlaybackError, attachment_matrix, local_track, palette_at, palette_at_frame,
    palette_of_layers, palette_of_track,
};
use support::local::{LocalPose as Trs, local, pose, small_local, walk_poses};

mod support;

/// Rotation, translation, scale in `f64`.
type Exact = (DQuat, DVec3, DVec3);

fn exact((r, t, s): &Trs) -> Exact {
    let rotation = DQuat::from_array(r.map(f64::from)).normalize();
    (rotation, DVec3::from_array(t.map(f64::from)), DVec3::from_array(s.map(f64::from)))
}

fn between(a: &[Trs], b: &[Trs], t: f64) -> Vec<Exact> {
    let pairs = a.iter().zip(b).map(|(a, b)| (exact(a), exact(b)));
    pairs.map(|(a, b)| (nlerp_corrected_f64(a.0, b.0, t), a.1.lerp(b.1, t), a.2.lerp(b.2, t))).collect()
}

/// `model_from_node` of the nodes of `local`: a chain, whose last node is a matrix.
fn model(file: &AnimFile<'_>, locals: &[Exact]) -> Vec<DAffine3> {
    let mut above = DAffine3::IDENTITY;
    let nodes = file.nodes.iter().zip(locals).map(|(node, (rotation, translation, scale))| {
        above *= match node.rest_matrix_in_pool {
            Some(first) => {
                let first = first as usize;
                let pool = &file.constant_pool;
                affine_from_rows(&[pool[first], pool[first + 1], pool[first + 2]])
            }
            None => DAffine3::from_scale_rotation_translation(*scale, *rotation, *translation),
        };
        above
    });
    nodes.collect()
}

#[track_caller]
fn check(found: &Rows, expected: &DAffine3, bound: f64, what: &str) {
    let found_columns = affine_from_rows(found).to_cols_array();
    let off = found_columns.iter().zip(expected.to_cols_array()).map(|(a, b)| (a - b).abs());
    let off = off.fold(0.0, f64::max);
    assert!(off <= bound, "{what}: off by {off}: {found:?}, expected {:?}", rows_from_affine(expected));
}

/// All ways to read a pose give the same, and it is the expected one.
fn check_pose(file: &AnimFile<'_>, pose: &LocalPose<'_>, locals: &[Exact], bound: f64) -> Vec<Rows> {
    let expected = model(file, locals);
    let mut nodes = vec![[[9.0; 4]; 3]; file.nodes.len()];
    let mut palette = vec![[[9.0; 4]; 3]; file.bones.len()];
    pose.palette(&mut nodes, &mut palette).unwrap();
    for (number, expected) in expected.iter().enumerate() {
        check(&nodes[number], expected, bound, "a node of all");
        check(&pose.node(number as u32).unwrap(), expected, bound, "a single node");
    }
    for (bone, rows) in file.bones.iter().zip(&palette) {
        let expected = bone.node.map_or(DAffine3::IDENTITY, |node| {
            expected[node as usize] * affine_from_rows(&bone.bone_from_bind)
        });
        check(rows, &expected, bound, "a bone");
    }
    for (number, attachment) in file.attachments.iter().enumerate() {
        let expected =
            expected[attachment.node as usize] * affine_from_rows(&attachment.node_from_attachment);
        check(&pose.attachment(number as u32).unwrap(), &expected, bound, "an attachment");
        check(
            &attachment_matrix(file, number, &palette).unwrap(),
            &expected,
            bound,
            "an attachment by its bone",
        );
    }
    palette
}

#[test]
fn frames_and_times_between_them_are_those_of_the_source() {
    let file = local();
    let player = LocalPlayer::new(&file);
    let frames = walk_poses();
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    for clip in [&file.clips[0], &file.clips[3]] {
        for (number, frame) in frames.iter().enumerate() {
            let at_frame = player.at_frame(clip, number as u32).unwrap();
            let found = check_pose(&file, &at_frame, &between(frame, frame, 0.0), 2e-5);
            palette_at_frame(&file, clip, number as u32, &mut palette);
            assert_eq!(palette, found);
        }
        for step in 0..=70 {
            let phase = f64::from(step) / 10.0;
            let interval = (phase as usize).min(6);
            // The second interval holds its frame.
            let t = if interval == 1 { 0.0 } else { phase - interval as f64 };
            let expected = between(&frames[interval], &frames[interval + 1], t);
            let seconds = 1.5 * phase / 7.0;
            let found = check_pose(&file, &player.at(clip, seconds).unwrap(), &expected, 2e-5);
            palette_at(&file, clip, seconds, &mut palette);
            assert_eq!(palette, found);
            for track in &clip.tracks {
                palette_of_track(&file, clip, track, seconds, &mut palette);
                for (a, b) in palette.iter().flatten().flatten().zip(found.iter().flatten().flatten()) {
                    assert!((a - b).abs() < 2e-5, "{a} {b}");
                }
            }
        }
    }
    let still = between(&pose(0.25), &pose(0.25), 0.0);
    for seconds in [-1.0, 0.0, 0.7, 2.0, f64::INFINITY, f64::NAN] {
        for clip in &file.clips[1..3] {
            check_pose(&file, &player.at(clip, seconds).unwrap(), &still, 2e-6);
        }
    }
}

#[test]
fn both_encodings_play_the_same() {
    let files = [Encoding::Local8, Encoding::Local32].map(small_local);
    let mut palettes = [[[[0.0; 4]; 3]; 1]; 2];
    for step in 0..=20 {
        for (file, palette) in files.iter().zip(&mut palettes) {
            palette_at(file, &file.clips[0], f64::from(step) / 20.0, palette);
        }
        let off = palettes[0].iter().flatten().flatten().zip(palettes[1].iter().flatten().flatten());
        assert!(off.map(|(a, b)| (a - b).abs()).all(|off| off < 3e-6), "{palettes:?}");
    }
}

fn layer(clip: u32, file: &AnimFile<'_>, fade_ticks: u32) -> GpuLayer {
    let rate = CycleRate::new(1.0, file.clips[clip as usize].duration_seconds);
    let start = ClipStart { start_tick: 0, phase: 0, returning: false, rate };
    Layer { clip, mode: ClipMode::Loop, start, mask: None, fade_tick: 0, fade_ticks, leaving: false }.pack()
}

/// The same layers, the first two with masks.
fn with_masks(layers: &[GpuLayer; 3], masks: [Option<u32>; 2]) -> [GpuLayer; 3] {
    let [base, above] =
        [0, 1].map(|n| Layer { mask: masks[n], ..layers[n].unpack().expect("in use") }.pack());
    [base, above, layers[2]]
}

#[test]
fn layers_blend_in_local_space_and_masks_keep_the_other_nodes() {
    let file = local();
    let player = LocalPlayer::new(&file);
    let second = ticks_from_seconds(1.0);
    // "stand", and above it "walk", which covers a quarter after a quarter of a second.
    let layers = [layer(1, &file, 0), layer(0, &file, second as u32), GpuLayer::default()];
    let now = ticks_from_seconds(0.25);
    let frames = walk_poses();
    let phase = 0.25 / 1.5 * 7.0;
    assert_eq!(phase as usize, 1, "the held interval");
    let (stand, walk) = (pose(0.25), &frames[1]);
    let expected: Vec<Exact> = (0..4)
        .map(|node| {
            let (a, b) = (exact(&stand[node]), exact(&walk[node]));
            let sign = if a.0.dot(b.0) < 0.0 { -1.0 } else { 1.0 };
            ((a.0 * 0.75 + b.0 * (0.25 * sign)).normalize(), a.1.lerp(b.1, 0.25), a.2.lerp(b.2, 0.25))
        })
        .collect();
    let found = check_pose(&file, &player.of_layers(&layers, now).unwrap(), &expected, 2e-5);
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    palette_of_layers(&file, &layers, now, &mut palette);
    assert_eq!(palette, found);

    // "upper" has nodes 2 and 3: the others stand.
    let masked = player.of_layers(&with_masks(&layers, [None, Some(0)]), now).unwrap();
    let still: Vec<Exact> = stand.iter().map(exact).collect();
    let upper: Vec<Exact> = (0..4).map(|node| if node >= 2 { expected[node] } else { still[node] }).collect();
    check_pose(&file, &masked, &upper, 2e-5);
    let all = player.of_layers(&with_masks(&layers, [Some(0), Some(1)]), now).unwrap();
    assert_eq!(check_pose(&file, &all, &expected, 2e-5), found, "a mask of all nodes, and one of the base");

    // After the fade only "walk" is seen, but for the nodes that its mask leaves out.
    let later = ticks_from_seconds(1.0);
    let alone = [layer(0, &file, 0), GpuLayer::default(), GpuLayer::default()];
    let covered = player.of_layers(&layers, later).unwrap();
    let alone = player.of_layers(&alone, later).unwrap();
    for node in 0..4 {
        assert_eq!(covered.node(node).unwrap(), alone.node(node).unwrap());
    }
    let masked = player.of_layers(&with_masks(&layers, [None, Some(0)]), later).unwrap();
    check(&masked.node(1).unwrap(), &model(&file, &still)[1], 2e-5, "a node that is not in the mask");

    // Nothing plays: nothing is seen.
    let nothing = player.of_layers(&[GpuLayer::default(); 3], now).unwrap();
    let mut nodes = vec![[[9.0; 4]; 3]; file.nodes.len()];
    nothing.palette(&mut nodes, &mut palette).unwrap();
    assert!(palette.iter().flatten().flatten().all(|number| *number == 0.0));
}

#[test]
fn wrong_arguments_are_errors_that_say_what_is_wrong() {
    let file = local();
    let player = LocalPlayer::new(&file);
    let pose = player.at(&file.clips[0], 0.0).unwrap();
    let mut three = [[[0.0; 4]; 3]; 3];
    let mut four = [[[0.0; 4]; 3]; 4];
    let out_of_range = |what, found, count| PlaybackError::OutOfRange { what, found, count };
    let length = |what, found, expected| PlaybackError::OutputLength { what, found, expected };
    assert_eq!(pose.node(4), Err(out_of_range("node", 4, 4)));
    assert_eq!(pose.attachment(1), Err(out_of_range("attachment", 1, 1)));
    assert_eq!(pose.nodes(&mut three), Err(length("nodes", 3, 4)));
    assert_eq!(pose.palette(&mut three.clone(), &mut three), Err(length("nodes", 3, 4)));
    assert_eq!(pose.palette(&mut four.clone(), &mut four), Err(length("bones", 4, 3)));
    assert_eq!(player.at_frame(&file.clips[0], 8).unwrap_err(), out_of_range("frame", 8, 8));
    let one = |clip: u32| [layer(0, &file, 0), layer(clip, &file, 1), GpuLayer::default()];
    let mut missing = one(0);
    missing[1].clip_and_flags += 4;
    assert_eq!(player.of_layers(&missing, 0).unwrap_err(), out_of_range("clip", 4, 4));
    let mask = player.of_layers(&with_masks(&one(1), [None, Some(2)]), 0).unwrap_err();
    assert_eq!(mask, out_of_range("mask", 2, 2));
    assert_eq!(mask.to_string(), "mask 2 was asked for, and there are 2");

    let rows = support::character();
    let player = LocalPlayer::new(&rows);
    assert!(local_track(&rows, &rows.clips[0]).is_none());
    let error = player.at(&rows.clips[0], 0.0).unwrap_err();
    assert_eq!(
        (error.id(), error.to_string().as_str()),
        ("no-local-track", "clip \"walk\" has no local track")
    );
    assert!(player.at_frame(&rows.clips[1], 0).is_err());
}

#[test]
fn a_file_without_nodes_plays() {
    let mut file = support::empty();
    file.bones = vec![anim_format::model::Bone { node: None, bone_from_bind: [[0.0; 4]; 3] }];
    let clip = support::local::LocalClip { clip: support::linear("rest", 0.0), poses: vec![vec![]] };
    support::local::bake_local(&mut file, Encoding::Local8, vec![clip]);
    let bytes = anim_format::write(&file, anim_format::Version::V1).unwrap();
    let file = anim_format::read(&bytes).unwrap();
    let mut palette = [[[9.0; 4]; 3]];
    palette_at(&file, &file.clips[0], 0.0, &mut palette);
    assert_eq!(palette, [anim_core::matrix_rows::IDENTITY_ROWS]);
}
