//! Vertex pages on the CPU, against what they were made from.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_core::clip_time::ClipMode;
use anim_core::clock::{ClipStart, CycleRate, ticks_from_seconds};
use anim_core::error_metric::angle_degrees;
use anim_core::layers::{GpuLayer, Layer};
use anim_core::vertex_texel::PageVertex;
use anim_format::model::{AnimFile, Encoding};
use anim_format::playback::{PlaybackError, PosedVertex, vertices_at, vertices_of_layers};
use anim_format::validate;
use support::vertices::{PARTS, part_box, vertex, vertices16, vertices32};

mod support;

#[track_caller]
fn check(found: &PosedVertex, expected: &PageVertex, metres: f32, degrees: f64) {
    let off = (0..3).map(|i| (found.position[i] - expected.position[i]).powi(2)).sum::<f32>().sqrt();
    assert!(off <= metres, "{found:?}, expected {expected:?}: {off} of {metres}");
    let normals = [found.normal, expected.normal].map(|normal| normal.map(f64::from));
    let angle = angle_degrees(normals[0], normals[1]);
    assert!(angle <= degrees, "{found:?}, expected {expected:?}: {angle} degrees");
    let length = found.normal.iter().map(|v| v * v).sum::<f32>().sqrt();
    assert!((length - 1.0).abs() < 1e-6);
}

/// Largest distance and angle that an encoding makes of a part's vertices in a clip.
fn bounds(file: &AnimFile<'_>, clip: usize, part: usize) -> (f32, f64) {
    let frames = file.clips[clip].tracks.last().expect("a track").frames;
    let exact = file.page_sets.iter().any(|set| set.encoding == Encoding::Position32);
    if exact { (1e-5, 0.1) } else { (part_box(clip, frames, part).rounding_metres() + 1e-5, 1.1) }
}

#[test]
fn frames_and_moments_between_them_are_what_was_stored() {
    for file in [vertices16(), vertices32()] {
        assert_eq!(validate(&file), []);
        for (number, clip) in file.clips.iter().enumerate() {
            let track = clip.tracks.last().expect("a track");
            for (part, range) in PARTS.iter().enumerate() {
                let (metres, degrees) = bounds(&file, number, part);
                for moment in 0..=4 * track.intervals {
                    let (frame, quarter) = (moment / 4, moment % 4);
                    let share = f64::from(moment) / f64::from((4 * track.intervals).max(1));
                    let seconds = share * f64::from(clip.duration_seconds);
                    let held = track
                        .held_frames
                        .first()
                        .is_some_and(|_| track.held_frames[frame as usize / 32] >> (frame % 32) & 1 == 1);
                    let blend = if held { 0.0 } else { quarter as f32 / 4.0 };
                    let found = vertices_at(&file, clip, part, seconds, 0..range.len() as u32)
                        .expect("vertices of the part");
                    for (found, at) in found.iter().zip(range.clone()) {
                        let (a, b) = (vertex(number, frame, at), vertex(number, frame + 1, at));
                        let b = if frame < track.intervals { b } else { a };
                        check(found, &PageVertex::mix(&a, &b, blend), metres, degrees);
                    }
                }
            }
        }
    }
}

/// A layer that plays from tick 0.
fn layer(clip: u32, file: &AnimFile<'_>, fade_ticks: u32, mask: Option<u32>) -> GpuLayer {
    let rate = CycleRate::new(1.0, file.clips[clip as usize].duration_seconds);
    let start = ClipStart { start_tick: 0, phase: 0, returning: false, rate };
    Layer { clip, mode: ClipMode::Loop, start, mask, fade_tick: 0, fade_ticks, leaving: false }.pack()
}

#[test]
fn layers_are_weighted_and_masks_are_ignored() {
    let second = ticks_from_seconds(1.0) as u32;
    let now = ticks_from_seconds(0.25);
    for file in [vertices16(), vertices32()] {
        for (part, range) in PARTS.iter().enumerate() {
            let vertices = || 0..range.len() as u32;
            let alone = |clip: usize, seconds| {
                vertices_at(&file, &file.clips[clip], part, seconds, vertices()).expect("a pose")
            };
            // "walk" covers a quarter of "pose" after a quarter of a second, with a mask or without.
            for mask in [None, Some(3)] {
                let layers = [layer(1, &file, 0, None), layer(0, &file, second, mask), GpuLayer::default()];
                let found = vertices_of_layers(&file, part, &layers, now, vertices()).expect("a pose");
                for (found, (below, above)) in found.iter().zip(alone(1, 0.0).iter().zip(alone(0, 0.25))) {
                    let of = |vertex: &PosedVertex| PageVertex {
                        position: vertex.position,
                        normal: vertex.normal,
                    };
                    let expected = PageVertex::mix(&of(below), &of(&above), 0.25);
                    // The normals above are of unit length already, those that are mixed nearly.
                    check(found, &expected, 1e-4, 1.0);
                }
            }
            let one = [layer(0, &file, 0, Some(3)), GpuLayer::default(), GpuLayer::default()];
            let found = vertices_of_layers(&file, part, &one, now, vertices()).expect("a pose");
            for (found, expected) in found.iter().zip(alone(0, 0.25)) {
                let expected = PageVertex { position: expected.position, normal: expected.normal };
                check(found, &expected, 1e-4, 0.01);
            }
        }
        let unknown = Layer { clip: 9, ..layer(1, &file, 0, None).unpack().expect("in use") }.pack();
        let unknown = [unknown, GpuLayer::default(), GpuLayer::default()];
        let error = vertices_of_layers(&file, 0, &unknown, now, [0]).expect_err("no such clip");
        assert_eq!(error, PlaybackError::OutOfRange { what: "clip", found: 9, count: 2 });
    }
}

#[test]
fn what_is_not_there_is_named() {
    let file = vertices16();
    let clip = &file.clips[0];
    let error = |part, vertex| vertices_at(&file, clip, part, 0.0, [vertex]).expect_err("not there");
    assert_eq!(error(2, 0), PlaybackError::OutOfRange { what: "part", found: 2, count: 2 });
    assert_eq!(error(1, 3), PlaybackError::OutOfRange { what: "vertex", found: 3, count: 3 });
    let rows = support::character();
    let error = vertices_at(&rows, &rows.clips[0], 0, 0.0, [0]).expect_err("rows");
    assert_eq!((error.id(), &*error.to_string()), ("no-vertex-track", "clip \"walk\" has no vertex track"));
}

/// The ids of all problems of a file after a change.
fn problems(mut file: AnimFile<'static>, change: impl FnOnce(&mut AnimFile<'static>)) -> Vec<&'static str> {
    change(&mut file);
    validate(&file).iter().map(anim_format::FormatError::id).collect()
}

#[test]
fn tracks_of_another_shape_are_refused() {
    assert_eq!(problems(vertices32(), |file| drop(file.clips[0].tracks.pop())), ["normals-missing"]);
    assert_eq!(problems(vertices32(), |file| drop(file.clips[1].tracks.remove(0))), ["normals-unexpected"]);
    let of_position = |change: fn(&mut anim_format::model::Track)| {
        problems(vertices16(), |file| change(&mut file.clips[0].tracks[1]))
    };
    assert_eq!(of_position(|track| track.header_texels = 3), ["value-mismatch"]);
    assert_eq!(of_position(|track| track.elements_per_frame = 6), ["value-mismatch"]);
    assert_eq!(of_position(|track| track.first_record = Some(0)), ["records-unexpected"]);
    assert!(of_position(|track| track.texels_per_element = 2).contains(&"value-mismatch"));
    let box_of_sword = problems(vertices16(), |file| {
        let page = file.page_sets[1].pages[0].to_mut();
        page[24..28].copy_from_slice(&f32::NAN.to_le_bytes());
    });
    assert_eq!(box_of_sword, ["not-finite"]);
    let inverted = problems(vertices16(), |file| {
        let page = file.page_sets[1].pages[0].to_mut();
        page[12..16].copy_from_slice(&(-1e9f32).to_le_bytes());
    });
    assert_eq!(inverted, ["box-inverted"]);
}
