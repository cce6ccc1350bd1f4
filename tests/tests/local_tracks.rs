//! Local tracks of every model: how exact they are at the source's own rate, how large, and what blends of them do.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "random places among a few frames"
)]
#![allow(clippy::cast_precision_loss, reason = "sizes of small files")]
#![allow(clippy::print_stdout, reason = "the figures of each model, with --nocapture")]

use anim_bake::measure::Trials;
use anim_bake::source::{KeyInterpolation, Property, SourceClip};
use anim_bake::{BakeSettings, bake_import};
use anim_core::culling::sphere_around;
use anim_core::hierarchy::{bone_rows, model_pose};
use anim_core::layer_blend::LocalLayer;
use anim_core::pose::NO_PARENT;
use anim_format::model::{AnimFile, Bounds, Encoding};
use anim_format::playback::{is_held, local_track, local_view, posed_vertices};
use anim_tests::gltf_builder::GltfBuilder;
use anim_tests::models;
use serde_json::json;

/// Largest error at the source's own rate, as a share of the model's size.
const OWN_RATE_SHARE: f64 = 1.5e-4;

/// Every model with its import and its bake in an encoding of local tracks.
fn for_every_model(encoding: Encoding, mut check: impl FnMut(&str, &anim_bake::gltf::Import, &AnimFile<'_>)) {
    let mut models = models::samples();
    models.extend(models::corpus().into_iter().filter(|path| !models::is_refused(path)));
    for path in models {
        let import = models::import(&path);
        let settings = BakeSettings { encodings: vec![encoding], ..BakeSettings::default() };
        let file = bake_import(&import, &settings).unwrap_or_else(|e| panic!("{}: {e}", path.display())).file;
        check(&path.file_name().expect("a name").to_string_lossy(), &import, &file);
    }
}

/// Why a clip cannot be exact at its own rate.
fn exception(clip: &SourceClip, rate_hz: Option<f32>) -> Option<&'static str> {
    let moving = || clip.channels.iter().filter(|channel| channel.property != Property::Weights);
    if moving().any(|channel| channel.interpolation == KeyInterpolation::CubicSpline) {
        Some("CUBICSPLINE")
    } else if rate_hz.is_none() {
        Some("keys on no grid")
    } else {
        None
    }
}

#[test]
fn clips_with_linear_keys_on_a_grid_are_exact_at_their_own_rate() {
    let mut problems = Vec::new();
    let mut exact = 0;
    for_every_model(Encoding::Local8, |name, import, file| {
        let accuracy = &file.metadata.as_ref().expect("metadata").accuracy[0];
        for (clip, figures) in file.clips.iter().zip(&accuracy.clips) {
            let share = figures.max_metres / accuracy.model_size_metres.max(f64::MIN_POSITIVE);
            let source = import.asset.clips.iter().find(|source| source.name.as_deref() == Some(&*clip.name));
            let source = source.or_else(|| import.asset.clips.first());
            let why = source.and_then(|source| exception(source, clip.source_rate_hz));
            exact += usize::from(why.is_none());
            if share > OWN_RATE_SHARE {
                let line = format!("{name} {:?}: {share:.2e}, {}", clip.name, why.unwrap_or("NO REASON"));
                println!("{line}");
                if why.is_none() {
                    problems.push(line);
                }
            }
        }
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(exact >= 3, "{exact} clips");
}

/// A number in `[0, 1)` that follows from a counter.
fn random(counter: &mut u64) -> f64 {
    *counter = counter.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*counter >> 33) as f64 / (1u64 << 31) as f64
}

#[test]
fn vertices_stay_in_the_grown_union_of_boxes_and_of_balls_while_clips_blend_under_masks() {
    let mut counter = 1;
    let mut checked = 0;
    let mut worst_use = 0.0f32;
    for encoding in [Encoding::Local8, Encoding::Local32] {
        for_every_model(encoding, |name, _, file| {
            let parents: Vec<u32> = file.nodes.iter().map(|node| node.parent.unwrap_or(NO_PARENT)).collect();
            let mut nodes = vec![[[0.0; 4]; 3]; file.nodes.len()];
            for _ in 0..60 {
                let words: Vec<u32> = (0..file.nodes.len().div_ceil(32))
                    .map(|_| (random(&mut counter) * f64::from(u32::MAX)) as u32)
                    .collect();
                let mut layers = Vec::new();
                let mut boxes: Vec<Bounds> = Vec::new();
                for layer in 0..3 {
                    let clip = &file.clips[(random(&mut counter) * file.clips.len() as f64) as usize];
                    let (track, set) = local_track(file, clip).expect("local tracks");
                    let tracks = local_view(file, track, set);
                    let place = random(&mut counter) * f64::from(track.intervals);
                    let a = (place as u32).min(track.intervals);
                    let held = is_held(track, a);
                    let share = if held { 0.0 } else { (place - f64::from(a)) as f32 };
                    let moment = tracks.moment(a, (a + 1).min(track.intervals), share);
                    let mask = (layer > 0 && random(&mut counter) < 0.5).then_some(&*words);
                    layers.push(LocalLayer { tracks, moment, covers: random(&mut counter) as f32, mask });
                    boxes.push(clip.bounds);
                }
                model_pose(&parents, &layers, &mut nodes);
                let palette: Vec<_> = file
                    .bones
                    .iter()
                    .map(|bone| match bone.node {
                        Some(node) => bone_rows(&nodes[node as usize], &bone.bone_from_bind),
                        None => anim_core::matrix_rows::IDENTITY_ROWS,
                    })
                    .collect();
                let grow = file.extent.fade_overshoot_metres;
                let [x, y, z, radius] = boxes.iter().fold([0.0, 0.0, 0.0, -1.0], |ball, bounds| {
                    let [x, y, z] = bounds.sphere_center;
                    sphere_around(ball, [x, y, z, bounds.sphere_radius])
                });
                for part in &file.parts {
                    let stride = (part.vertex_count / 100).max(1) as usize;
                    for vertex in posed_vertices(file, part, &palette, (0..part.vertex_count).step_by(stride))
                    {
                        for (i, v) in vertex.position.into_iter().enumerate() {
                            let low = boxes.iter().map(|b| b.box_min[i]).fold(f32::INFINITY, f32::min);
                            let high = boxes.iter().map(|b| b.box_max[i]).fold(f32::NEG_INFINITY, f32::max);
                            let outside = (low - v).max(v - high);
                            assert!(outside <= grow, "{name}: {outside} m outside, {grow} m stated");
                            if grow > 0.0 {
                                worst_use = worst_use.max(outside / grow);
                            }
                            checked += 1;
                        }
                        let [a, b, c] = vertex.position;
                        let outside = ((a - x).powi(2) + (b - y).powi(2) + (c - z).powi(2)).sqrt() - radius;
                        assert!(outside <= grow, "{name}: {outside} m outside the ball, {grow} m stated");
                    }
                }
            }
            let share = file.extent.fade_overshoot_metres / file.extent.model_size_metres;
            println!("{name}: overshoot {share:.2} of model size");
        });
    }
    println!("largest share of the overshoot that was needed: {worst_use}");
    assert!(checked > 10_000);
}

#[test]
fn a_clip_tried_alone_is_as_exact_as_in_its_file_and_more_so_at_a_higher_rate() {
    for path in models::samples() {
        let import = models::import(&path);
        let encodings = vec![Encoding::Local8, Encoding::Affine32];
        let settings = BakeSettings { encodings: encodings.clone(), ..BakeSettings::default() };
        let file = bake_import(&import, &settings).expect("a sample").file;
        let reports = &file.metadata.as_ref().expect("metadata").accuracy;
        let trials = Trials::new(&import.asset, &settings).expect("a sample");
        assert!(trials.clip_names().eq(file.clips.iter().map(|clip| &*clip.name)));
        for (report, encoding) in reports.iter().zip(encodings) {
            for (number, figures) in report.clips.iter().enumerate() {
                let own = trials.measure(number, None, encoding).expect("it fits");
                assert_eq!(own.playback.max_metres, figures.max_metres);
                assert_eq!(own.frames, file.clips[number].tracks[0].frames);
                let finer = trials.measure(number, Some(240.0), encoding).expect("it fits");
                let rounding = 1e-5 * report.model_size_metres;
                assert!(finer.playback.max_metres <= own.playback.max_metres + rounding, "{finer:?} {own:?}");
                assert!(finer.bytes >= own.bytes);
            }
        }
    }
}

/// A triangle on a node that a clip turns, baked.
fn turning(clips: &[(&str, &[f32], &[f32])], encoding: Encoding) -> AnimFile<'static> {
    let mut g = GltfBuilder::new();
    let mesh = g.mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[]);
    let node = g.node(None, json!({"mesh": mesh}));
    for (name, times, rotations) in clips {
        g.clip(name, &[(node, "rotation", "LINEAR", times, rotations)]);
    }
    let no_files = |uri: &str| Err(std::io::Error::other(uri.to_owned()));
    let import = anim_bake::gltf::import(&g.bytes(), &no_files, None).expect("a valid model");
    let settings = BakeSettings { encodings: vec![encoding], ..BakeSettings::default() };
    let file = bake_import(&import, &settings).expect("a model that bakes").file;
    anim_format::write(&file, anim_format::Version::V1).expect("a valid file");
    file
}

#[test]
fn half_turns_between_two_frames_go_the_way_of_the_source() {
    let times: Vec<f32> = (0..5u8).map(|frame| f32::from(frame) / 24.0).collect();
    for sign in [1.0, -1.0] {
        // Every key is a half turn from the one before; the last two are the way back.
        let rotations = [
            [0.0, 0.0, 0.0, 1.0],
            [0.0, sign, 0.0, 0.0],
            [0.0, 0.0, 0.0, -1.0],
            [0.0, sign, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        for encoding in [Encoding::Local8, Encoding::Local32] {
            let file = turning(&[("spin", &times, rotations.as_flattened())], encoding);
            let accuracy = &file.metadata.as_ref().expect("metadata").accuracy[0];
            // The corrected interpolation is off by 8e-4 radians in a half turn.
            assert!(accuracy.playback.max_metres < 1e-3, "{encoding:?} {sign}: {:?}", accuracy.playback);
        }
    }
}

#[test]
fn equal_frames_and_equal_clips_are_stored_once_and_a_constant_takes_no_frame() {
    let times: Vec<f32> = (0..25u8).map(|frame| f32::from(frame) / 24.0).collect();
    let turn =
        |frame: usize| if frame.is_multiple_of(2) { [0.0, 0.0, 0.0, 1.0] } else { [0.0, 0.6, 0.0, 0.8] };
    let to_and_fro: Vec<f32> = (0..25).flat_map(turn).collect();
    let still: Vec<f32> = (0..25).flat_map(|_| turn(1)).collect();
    let clips: [(&str, &[f32], &[f32]); 3] =
        [("a", &times, &to_and_fro), ("b", &times, &to_and_fro), ("c", &times, &still)];
    let file = turning(&clips, Encoding::Local8);
    let [a, b, c] = [0, 1, 2].map(|clip| &file.clips[clip].tracks[0]);
    assert_eq!(a, b);
    // One element a frame: the table of 25 numbers takes 13 texels, the two frames one each.
    assert_eq!((a.frames, a.header_texels, a.stored_frames, a.elements_per_frame), (25, 13, 2, 1));
    assert_eq!((c.frames, c.header_texels, c.stored_frames, c.elements_per_frame), (25, 0, 25, 0));
    assert_eq!(file.local_records.len(), 2 * file.nodes.len());
}

/// A GLB under one more node, which scales everything.
fn under_a_scale(glb: &[u8], scale: f64) -> Vec<u8> {
    let word = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().expect("four bytes")) as usize;
    let json_end = 20 + word(12);
    let mut root: serde_json::Value = serde_json::from_slice(&glb[20..json_end]).expect("the JSON chunk");
    let number = root["nodes"].as_array().expect("nodes").len();
    let children = root["scenes"][0]["nodes"].clone();
    let above = json!({"name": "scaled", "scale": [scale, scale, scale], "children": children});
    root["nodes"].as_array_mut().expect("nodes").push(above);
    root["scenes"][0]["nodes"] = json!([number]);
    let mut text = serde_json::to_vec(&root).expect("JSON");
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = glb[..12].to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(&text);
    bytes.extend(&glb[json_end..]);
    let length = (bytes.len() as u32).to_le_bytes();
    bytes[8..12].copy_from_slice(&length);
    bytes
}

#[test]
fn rigs_of_any_size_have_the_same_relative_error() {
    for path in models::samples() {
        let glb = std::fs::read(&path).expect("a sample");
        let share = |scale: f64| {
            let nothing_beside = |uri: &str| Err(std::io::Error::other(uri.to_owned()));
            let import = anim_bake::gltf::import(&under_a_scale(&glb, scale), &nothing_beside, None)
                .expect("a sample");
            let settings = BakeSettings { encodings: vec![Encoding::Local8], ..BakeSettings::default() };
            let file = bake_import(&import, &settings).expect("a sample").file;
            let stated = &file.metadata.as_ref().expect("metadata").accuracy[0];
            assert!(
                (stated.model_size_metres / scale - stated_size(&path)).abs() < 1e-3 * stated_size(&path)
            );
            let exhaustive = &anim_bake::measure::measure(&import.asset, &file, true).expect("its source")[0];
            assert!(exhaustive.playback.max_metres <= stated.playback.max_metres * 1.02, "{scale}");
            stated.playback.max_metres / stated.model_size_metres
        };
        let plain = share(1.0);
        // Under a scale of 100, in centimetres, 200 metres and 2 centimetres tall.
        for scale in [100.0, 0.01, 111.0, 0.0111] {
            let found = share(scale);
            assert!(found < OWN_RATE_SHARE && found < plain * 1.5 + 1e-6, "{scale}: {found} after {plain}");
        }
    }
}

/// The size of a sample as it is, in metres.
fn stated_size(path: &std::path::Path) -> f64 {
    let settings = BakeSettings { encodings: vec![Encoding::Local8], mesh: false, ..BakeSettings::default() };
    let file = bake_import(&models::import(path), &settings).expect("a sample").file;
    f64::from(file.extent.model_size_metres)
}
