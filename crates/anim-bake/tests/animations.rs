//! Animations: channels, samplers and keys.

mod support;

use anim_bake::ids;
use anim_bake::source::{Channel, KeyInterpolation, Property};
use serde_json::{Value, json};
use support::Gltf;

fn channels(gltf: &Gltf) -> Vec<Channel> {
    gltf.import().unwrap_or_else(|error| panic!("{error}")).asset.clips[0].channels.clone()
}

fn add_channel(gltf: &mut Gltf, sampler: &Value, target: &Value) {
    let samplers = gltf.json["animations"][0]["samplers"].as_array_mut().expect("a list");
    samplers.push(sampler.clone());
    let number = samplers.len() - 1;
    let channels = gltf.json["animations"][0]["channels"].as_array_mut().expect("a list");
    channels.push(json!({ "sampler": number, "target": target }));
}

#[test]
fn a_channel_is_read_with_its_times_values_and_interpolation() {
    let mut gltf = Gltf::skinned_triangle();
    let times = gltf.floats("SCALAR", &[0.5, 1.5, 2.5]);
    let vectors: [f32; 9] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    let output = gltf.floats("VEC3", &vectors);
    let sampler = json!({ "input": times, "output": output, "interpolation": "STEP" });
    add_channel(&mut gltf, &sampler, &json!({ "node": 0, "path": "translation" }));
    add_channel(&mut gltf, &sampler, &json!({ "node": 0, "path": "scale" }));
    let import = gltf.import().expect("success");
    let clip = &import.asset.clips[0];
    assert_eq!(clip.name.as_deref(), Some("turn"));
    assert_eq!((clip.start_seconds(), clip.end_seconds()), (0.0, 2.5));
    let [rotation, translation, scale] = &clip.channels[..] else { panic!("three channels") };
    assert_eq!((rotation.node, rotation.property, rotation.components), (1, Property::Rotation, 4));
    assert_eq!(rotation.interpolation, KeyInterpolation::Linear);
    assert_eq!(*rotation.values, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(
        (translation.node, translation.property, translation.components),
        (0, Property::Translation, 3)
    );
    assert_eq!(translation.interpolation, KeyInterpolation::Step);
    assert_eq!(*translation.times_seconds, [0.5, 1.5, 2.5]);
    assert_eq!(*translation.values, vectors);
    assert_eq!(scale.property, Property::Scale);
    assert!(std::sync::Arc::ptr_eq(&scale.values, &translation.values), "one accessor, one copy");
}

#[test]
fn a_channel_without_a_target_node_is_ignored() {
    for target in [json!({ "path": "scale" }), json!({ "path": "rotation", "node": null })] {
        let mut gltf = Gltf::skinned_triangle();
        // Even what it would read is not looked at.
        add_channel(&mut gltf, &json!({ "input": 99, "output": 99 }), &target);
        assert!(gltf.warnings().is_empty());
        assert_eq!(channels(&gltf).len(), 1);
    }
}

#[test]
fn a_channel_for_something_else_is_ignored_with_a_warning() {
    for target in [
        json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": "/nodes/0/scale" } } }),
        json!({ "node": 0, "path": "visibility" }),
    ] {
        let mut gltf = Gltf::skinned_triangle();
        add_channel(&mut gltf, &json!({ "input": 4, "output": 5 }), &target);
        let path = "animations[0].channels[1].target.path".to_owned();
        assert_eq!(gltf.warnings(), [(ids::CHANNEL_IGNORED, path)]);
        assert_eq!(channels(&gltf).len(), 1);
    }
}

#[test]
fn animations_without_channels_are_clips_without_channels() {
    let mut gltf = Gltf::new();
    gltf.push("animations", json!({ "channels": [], "samplers": [] }));
    gltf.push("animations", json!({ "name": "" }));
    let clips = gltf.import().expect("success").asset.clips;
    assert_eq!(clips.len(), 2);
    assert!(clips.iter().all(|clip| clip.channels.is_empty() && clip.end_seconds() == 0.0));
}

#[test]
fn references_of_channels_are_checked() {
    let cases = [
        (
            "/animations/0/channels/0/sampler",
            json!(1),
            ids::INDEX_OUT_OF_RANGE,
            "animations[0].channels[0].sampler",
        ),
        (
            "/animations/0/channels/0/target/node",
            json!(3),
            ids::INDEX_OUT_OF_RANGE,
            "animations[0].channels[0].target.node",
        ),
        (
            "/animations/0/channels/0/target",
            json!({ "node": 1 }),
            ids::JSON_INVALID,
            "animations[0].channels[0].target",
        ),
        ("/animations/0/channels/0", json!({ "sampler": 0 }), ids::JSON_INVALID, "animations[0].channels[0]"),
        (
            "/animations/0/samplers/0/input",
            json!(99),
            ids::INDEX_OUT_OF_RANGE,
            "animations[0].samplers[0].input",
        ),
        (
            "/animations/0/samplers/0/output",
            json!(99),
            ids::INDEX_OUT_OF_RANGE,
            "animations[0].samplers[0].output",
        ),
        ("/animations/0/samplers/0", json!({ "input": 4 }), ids::JSON_INVALID, "animations[0].samplers[0]"),
        (
            "/animations/0/samplers/0/interpolation",
            json!("BOUNCE"),
            ids::SAMPLER_INTERPOLATION,
            "animations[0].samplers[0].interpolation",
        ),
    ];
    for (pointer, value, id, path) in cases {
        let mut gltf = Gltf::skinned_triangle();
        gltf.set(pointer, value);
        assert_eq!(gltf.errors(), [(id, path.to_owned())], "{pointer}");
    }
}

#[test]
fn key_times_must_be_finite_not_negative_and_increasing() {
    let cases: [(&[f32], &[&str]); 5] = [
        (&[0.0, 0.0], &[ids::KEY_TIME_NOT_INCREASING]),
        (&[1.0, 0.5], &[ids::KEY_TIME_NOT_INCREASING]),
        (&[-1.0, 0.0], &[ids::KEY_TIME_NEGATIVE]),
        (&[0.0, -1.0], &[ids::KEY_TIME_NEGATIVE, ids::KEY_TIME_NOT_INCREASING]),
        (&[0.0, f32::NAN], &[ids::ACCESSOR_NOT_FINITE]),
    ];
    for (times, expected) in cases {
        let mut gltf = Gltf::skinned_triangle();
        let input = gltf.floats("SCALAR", times);
        gltf.set("/animations/0/samplers/0/input", json!(input));
        let expected: Vec<_> = expected.iter().map(|id| (*id, "accessors[6]".to_owned())).collect();
        assert_eq!(gltf.errors(), expected, "{times:?}");
    }
    let mut gltf = Gltf::skinned_triangle();
    let input = gltf.floats("SCALAR", &[0.0, 1.0, 2.0, 2.0]);
    gltf.set("/animations/0/samplers/0/input", json!(input));
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    assert!(error.diagnostics()[0].what.starts_with("key 3 "), "{error}");
}

#[test]
fn the_number_of_values_must_fit_the_number_of_keys() {
    for (interpolation, keys, elements, fits) in [
        ("LINEAR", 2, 2, true),
        ("LINEAR", 2, 3, false),
        ("STEP", 3, 2, false),
        ("CUBICSPLINE", 2, 6, true),
        ("CUBICSPLINE", 2, 2, false),
        ("CUBICSPLINE", 1, 1, false),
    ] {
        let mut gltf = Gltf::skinned_triangle();
        let input = gltf.floats("SCALAR", &[0.0, 1.0, 2.0][..keys]);
        let output = gltf.floats("VEC4", &[1.0, 0.0, 0.0, 0.0].repeat(elements));
        let sampler = json!({ "input": input, "output": output, "interpolation": interpolation });
        gltf.set("/animations/0/samplers/0", sampler);
        if fits {
            assert_eq!(channels(&gltf)[0].values.len(), 4 * elements);
        } else {
            let path = "animations[0].samplers[0].output".to_owned();
            assert_eq!(
                gltf.errors(),
                [(ids::SAMPLER_OUTPUT_COUNT, path)],
                "{interpolation} {keys} {elements}"
            );
        }
    }
}

#[test]
fn a_cubic_spline_with_one_key_is_its_value() {
    let mut gltf = Gltf::skinned_triangle();
    let input = gltf.floats("SCALAR", &[0.5]);
    let output = gltf.floats("VEC4", &[9.0, 9.0, 9.0, 9.0, 0.0, 1.0, 0.0, 0.0, 8.0, 8.0, 8.0, 8.0]);
    gltf.set(
        "/animations/0/samplers/0",
        json!({ "input": input, "output": output, "interpolation": "CUBICSPLINE" }),
    );
    assert_eq!(gltf.warnings(), [(ids::SAMPLER_CUBIC_SINGLE_KEY, "animations[0].samplers[0]".to_owned())]);
    let channel = &channels(&gltf)[0];
    assert_eq!(channel.interpolation, KeyInterpolation::Linear);
    assert_eq!(*channel.values, [0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn two_channels_on_one_target_are_an_error_and_on_two_properties_are_not() {
    let mut gltf = Gltf::skinned_triangle();
    let sampler = json!({ "input": 4, "output": 5 });
    add_channel(&mut gltf, &sampler, &json!({ "node": 0, "path": "rotation" }));
    assert_eq!(channels(&gltf).len(), 2);
    add_channel(&mut gltf, &sampler, &json!({ "node": 1, "path": "rotation" }));
    let path = "animations[0].channels[2].target".to_owned();
    assert_eq!(gltf.errors(), [(ids::CHANNEL_DUPLICATE_TARGET, path)]);
}

#[test]
fn channels_are_bound_by_number_whatever_the_names_are() {
    let mut gltf = Gltf::skinned_triangle();
    for node in 0..3 {
        gltf.set(&format!("/nodes/{node}/name"), json!("bone"));
    }
    assert_eq!(channels(&gltf)[0].node, 1);
    gltf.json["nodes"].as_array_mut().expect("a list").iter_mut().for_each(|node| {
        node.as_object_mut().expect("an object").remove("name");
    });
    assert_eq!(channels(&gltf)[0].node, 1);
}

#[test]
fn nearly_unit_rotation_keys_are_kept_as_stored_but_zero_is_no_rotation() {
    let mut gltf = Gltf::skinned_triangle();
    let output = gltf.floats("VEC4", &[0.0, 0.0, 0.0, 0.0, 0.0, 0.604, 0.0, 0.804]);
    gltf.set("/animations/0/samplers/0/output", json!(output));
    assert_eq!(gltf.warnings(), [(ids::KEY_ROTATION_ZERO, "accessors[6]".to_owned())]);
    assert_eq!(*channels(&gltf)[0].values, [0.0, 0.0, 0.0, 1.0, 0.0, 0.604, 0.0, 0.804]);
    // Tangents of length zero are ordinary.
    let mut gltf = Gltf::skinned_triangle();
    let key = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let output = gltf.floats("VEC4", &key.repeat(2));
    gltf.set(
        "/animations/0/samplers/0",
        json!({ "input": 4, "output": output, "interpolation": "CUBICSPLINE" }),
    );
    assert!(gltf.warnings().is_empty());
    assert_eq!(*channels(&gltf)[0].values, *key.repeat(2));
}

#[test]
fn an_animated_matrix_node_is_split_with_a_warning_or_refused() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set(
        "/nodes/1",
        json!({ "name": "tip", "matrix": [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1] }),
    );
    let path = "animations[0].channels[0].target.node".to_owned();
    assert_eq!(gltf.warnings(), [(ids::CHANNEL_ON_MATRIX, path.clone())]);
    let asset = gltf.import().expect("success").asset;
    assert_eq!(asset.nodes[1].rest.expect("no shear").scale.x, 2.0);
    gltf.set("/nodes/1/matrix", json!([2, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 1, 0, 0, 1]));
    assert_eq!(gltf.errors(), [(ids::CHANNEL_ON_SHEARED_MATRIX, path)]);
}

#[test]
fn weights_are_read_with_one_component_for_each_morph_target() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": 0 }, { "POSITION": 0 }, {}]));
    let output = gltf.floats("SCALAR", &[0.0, 0.5, 1.0, 1.0, 0.5, 0.0]);
    add_channel(
        &mut gltf,
        &json!({ "input": 4, "output": output }),
        &json!({ "node": 2, "path": "weights" }),
    );
    let channel = &channels(&gltf)[1];
    assert_eq!((channel.property, channel.components), (Property::Weights, 3));
    assert_eq!(*channel.values, [0.0, 0.5, 1.0, 1.0, 0.5, 0.0]);
    gltf.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": 0 }, { "POSITION": 0 }]));
    assert_eq!(gltf.errors(), [(ids::SAMPLER_OUTPUT_COUNT, "animations[0].samplers[1].output".to_owned())]);
    gltf.set("/meshes/0/primitives/0/targets", json!([]));
    let path = "animations[0].channels[1].target".to_owned();
    assert_eq!(gltf.warnings(), [(ids::CHANNEL_WITHOUT_MORPHS, path)]);
    assert_eq!(channels(&gltf).len(), 1);
}
