//! Errors that hide: between the looked-at times of splines, and behind larger angles or uneven scales.

mod support;

use anim_bake::measure::measure;
use anim_bake::{BakeSettings, bake_import};
use anim_format::model::{Accuracy, Encoding};
use serde_json::json;
use support::Gltf;

/// One triangle with normals along +Y, as mesh 0.
fn with_mesh() -> Gltf {
    let mut gltf = Gltf::new();
    let positions = gltf.floats("VEC3", &[0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.1]);
    let normals = gltf.floats("VEC3", &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    gltf.push(
        "meshes",
        json!({ "primitives": [{ "attributes": { "POSITION": positions, "NORMAL": normals } }] }),
    );
    gltf
}

/// Stated and exhaustive figures at a rate.
fn figures(gltf: &Gltf, rate_hz: f64) -> [Accuracy; 2] {
    let import = gltf.import().unwrap();
    let settings = BakeSettings {
        encodings: vec![Encoding::Affine32],
        rate_hz: Some(rate_hz),
        trim: false,
        ..BakeSettings::default()
    };
    let file = bake_import(&import, &settings).unwrap().file;
    [false, true].map(|exhaustive| measure(&import.asset, &file, exhaustive).unwrap().remove(0))
}

/// The largest angle of normals of nodes, each with a scale, that turn about x to and fro by so many degrees inside one
/// interval.
fn normal_degrees(nodes: &[(f32, [f32; 3])]) -> [f64; 2] {
    normal_degrees_at(0.5, nodes)
}

/// The same, farthest after so many seconds.
fn normal_degrees_at(seconds: f32, nodes: &[(f32, [f32; 3])]) -> [f64; 2] {
    let mut gltf = with_mesh();
    let times = gltf.floats("SCALAR", &[0.0, seconds, 1.0]);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (degrees, scale) in nodes {
        let node = gltf.push("nodes", json!({ "mesh": 0, "scale": scale }));
        let half = degrees.to_radians() / 2.0;
        let keys = [0.0, 0.0, 0.0, 1.0, libm::sinf(half), 0.0, 0.0, libm::cosf(half), 0.0, 0.0, 0.0, 1.0];
        let output = gltf.floats("VEC4", &keys);
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": "rotation" } }));
        samplers.push(json!({ "input": times, "output": output }));
    }
    gltf.push("scenes", json!({ "nodes": (0..nodes.len()).collect::<Vec<_>>() }));
    gltf.push("animations", json!({ "samplers": samplers, "channels": channels }));
    figures(&gltf, 1.0).map(|report| report.playback.normal_max_degrees)
}

#[test]
fn a_large_angle_does_not_hide_a_larger_one() {
    for (first, second) in [(77.0, 120.0), (95.0, 170.0), (60.0, 66.0), (85.0, 89.0)] {
        for found in normal_degrees(&[(first, [1.0; 3]), (second, [1.0; 3])]) {
            assert!((found - f64::from(second)).abs() < 0.1, "{first} and {second}: {found}");
        }
    }
}

#[test]
fn uneven_scale_does_not_hide_an_angle() {
    for scale in [[40.0, 1.0, 1.0], [1.0, 0.02, 0.02], [4.0, 1.0, 1.0]] {
        for found in normal_degrees(&[(10.0, [1.0; 3]), (25.0, scale)]) {
            assert!((found - 25.0).abs() < 0.1, "{scale:?}: {found}");
        }
    }
}

#[test]
fn an_angle_at_a_key_between_two_frames_is_seen() {
    for found in normal_degrees_at(0.83, &[(30.0, [1.0; 3])]) {
        assert!((found - 30.0).abs() < 0.1, "{found}");
    }
}

/// A node whose x follows a spline of keys that are all at 0: seconds, and the slopes before and after.
fn spline(keys: &[(f32, f32, f32)]) -> Gltf {
    let mut gltf = with_mesh();
    let times: Vec<f32> = keys.iter().map(|key| key.0).collect();
    let values: Vec<f32> = keys
        .iter()
        .flat_map(|(_, before, after)| [*before, 0.0, 0.0, 0.0, 0.0, 0.0, *after, 0.0, 0.0])
        .collect();
    let (input, output) = (gltf.floats("SCALAR", &times), gltf.floats("VEC3", &values));
    gltf.push("nodes", json!({ "mesh": 0 }));
    gltf.push("scenes", json!({ "nodes": [0] }));
    gltf.push(
        "animations",
        json!({
            "samplers": [{ "input": input, "output": output, "interpolation": "CUBICSPLINE" }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
        }),
    );
    gltf
}

fn check_spline(keys: &[(f32, f32, f32)]) {
    let [stated, exhaustive] = figures(&spline(keys), 1.0).map(|report| report.playback.max_metres);
    assert!(exhaustive <= stated * 1.02, "stated {stated}, exhaustive {exhaustive}");
}

#[test]
fn a_bump_between_spline_keys_inside_an_interval_is_seen() {
    // Nothing is off at any key.
    check_spline(&[(0.0, 0.0, 0.0), (5.54, 0.0, 90.0), (5.65, -90.0, 0.0), (10.0, 0.0, 0.0)]);
    check_spline(&[(0.0, 0.0, 0.0), (5.54, 0.0, 90.0), (5.65, 90.0, 0.0), (10.0, 0.0, 0.0)]);
}

#[test]
fn an_interval_that_bends_both_ways_is_seen_among_many_that_bend_once() {
    let mut keys = vec![(0.0, 0.0, 3.6)];
    for second in 1..=20u8 {
        let (before, after) = match second {
            13 => (-3.6, 10.392),
            14 => (10.392, 3.6),
            _ => (-3.6, 3.6),
        };
        keys.push((f32::from(second), before, after));
    }
    check_spline(&keys);
}

#[test]
fn vertices_that_are_nowhere_do_not_make_boxes_smaller() {
    let mut gltf = Gltf::new();
    let positions = gltf.floats("VEC3", &[1e18, 1e18, 1e18, 2e18, 2e18, 2e18, 0.0, 0.0, 0.0]);
    gltf.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": positions } }] }));
    gltf.push("nodes", json!({ "mesh": 0 }));
    gltf.push("scenes", json!({ "nodes": [0] }));
    let times = gltf.floats("SCALAR", &[0.0, 1.0]);
    let scales = gltf.floats("VEC3", &[1.0, 1.0, 1.0, 1e25, 1e25, 1e25]);
    // Half a turn about (1, 1, 1): sums of numbers that are too large on both sides.
    let third = (1.0f32 / 3.0).sqrt();
    let turns = gltf.floats("VEC4", &[third, third, third, 0.0, third, third, third, 0.0]);
    let channel =
        |sampler: usize, path: &str| json!({ "sampler": sampler, "target": { "node": 0, "path": path } });
    gltf.push(
        "animations",
        json!({
            "samplers": [{ "input": times, "output": scales }, { "input": times, "output": turns }],
            "channels": [channel(0, "scale"), channel(1, "rotation")],
        }),
    );
    let settings =
        BakeSettings { encodings: vec![Encoding::Affine32], rate_hz: Some(1.0), ..BakeSettings::default() };
    if let Ok(baked) = bake_import(&gltf.import().unwrap(), &settings) {
        panic!("{:?}", baked.file.clips[0].bounds);
    }
}
