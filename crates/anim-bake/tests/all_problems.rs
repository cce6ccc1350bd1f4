//! All problems of a file are reported at once, each with its JSON path.

mod support;

use anim_bake::{Severity, ids};
use serde_json::json;
use support::Gltf;

#[test]
fn five_faults_give_five_problems_each_with_its_path() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/skins/0/joints/1", json!(40));
    gltf.set("/accessors/0/count", json!(4_000_000_000_u64));
    gltf.set("/nodes/1/scale", json!([1.0, "wide", 1.0]));
    gltf.set("/animations/0/channels/0/sampler", json!(4));
    gltf.set("/meshes/0/primitives/0/indices", json!(99));
    // The mesh stops at its positions; a second primitive shows the other faults of meshes.
    let primitives = gltf.json["meshes"][0]["primitives"].as_array_mut().expect("a list");
    primitives.push(json!({ "attributes": { "JOINTS_0": 1, "POSITION": 2 } }));
    assert_eq!(
        gltf.errors(),
        [
            (ids::JSON_INVALID, "nodes[1].scale[1]".to_owned()),
            (ids::INDEX_OUT_OF_RANGE, "skins[0].joints[1]".to_owned()),
            (ids::ACCESSOR_TYPE, "meshes[0].primitives[1].attributes.POSITION".to_owned()),
            (ids::INDEX_OUT_OF_RANGE, "animations[0].channels[0].sampler".to_owned()),
            (ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].count".to_owned()),
        ]
    );
}

#[test]
fn every_attribute_of_a_primitive_is_checked_even_if_another_is_broken() {
    let mut gltf = Gltf::skinned_triangle();
    let normals = gltf.floats("VEC3", &[0.0, 0.0, 1.0]);
    let uvs = gltf.floats("VEC2", &[0.0, 0.0]);
    let indices = gltf.bytes("SCALAR", 3, &[0, 1, 3]);
    gltf.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normals));
    gltf.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(uvs));
    gltf.set("/meshes/0/primitives/0/attributes/JOINTS_1", json!(1));
    gltf.set("/meshes/0/primitives/0/indices", json!(indices));
    gltf.set("/meshes/0/primitives/0/material", json!(0));
    gltf.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": normals }, { "NORMAL": 77 }]));
    let path = |tail: &str| format!("meshes[0].primitives[0].{tail}");
    let mut found = gltf.errors();
    found.sort();
    let mut expected = [
        (ids::INDEX_OUT_OF_RANGE, path("material")),
        (ids::ATTRIBUTE_COUNT, path("attributes.NORMAL")),
        (ids::ATTRIBUTE_COUNT, path("attributes.TEXCOORD_0")),
        (ids::INFLUENCES_UNPAIRED, path("attributes.JOINTS_1")),
        (ids::ATTRIBUTE_COUNT, path("targets[0].POSITION")),
        (ids::INDEX_OUT_OF_RANGE, path("targets[1].NORMAL")),
        (ids::VERTEX_INDEX_OUT_OF_RANGE, path("indices")),
    ];
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn one_broken_accessor_is_one_problem_however_many_read_it() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/accessors/0/count", json!(7));
    let primitive = gltf.json["meshes"][0]["primitives"][0].clone();
    gltf.set("/meshes/0/primitives", json!(vec![primitive; 50]));
    assert_eq!(gltf.errors(), [(ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].count".to_owned())]);
}

#[test]
fn a_problem_says_what_was_expected_and_found_and_which_clip_and_bone_it_is_about() {
    let mut gltf = Gltf::skinned_triangle();
    let output = gltf.floats("VEC4", &[0.0, 0.0, 0.0, 1.0]);
    gltf.set("/animations/0/samplers/0/output", json!(output));
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    let [problem] = error.diagnostics() else { panic!("{error}") };
    assert_eq!(problem.severity, Severity::Error);
    assert_eq!(problem.clip.as_deref(), Some("turn"));
    assert_eq!(problem.bone.as_deref(), Some("tip"));
    let text = problem.to_string();
    assert!(text.starts_with("animations[0].samplers[0].output: accessors[6] "), "{text}");
    assert!(text.contains("expected 2 elements for 2 keys; found 1 elements"), "{text}");
}

#[test]
fn a_million_problems_are_counted_and_not_listed() {
    let mut gltf = Gltf::new();
    gltf.json["nodes"] = json!(vec![json!({ "mesh": 1 }); 5000]);
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    let diagnostics = error.diagnostics();
    assert_eq!(diagnostics.len(), 1001);
    let last = diagnostics.last().expect("a problem");
    assert_eq!((last.id, last.what.as_str()), (ids::TOO_MANY_PROBLEMS, "4000 more errors are not listed"));
}

#[test]
fn warnings_are_listed_beside_errors_in_file_order() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/nodes/0/rotation", json!([0, 0, 0, 0]));
    gltf.set("/skins/0/joints", json!([0, 0]));
    gltf.set("/animations/0/channels/0/sampler", json!(1));
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    assert_eq!(
        support::pairs(error.diagnostics()),
        [
            (ids::ROTATION_ZERO, "nodes[0].rotation".to_owned()),
            (ids::SKIN_DUPLICATE_JOINT, "skins[0].joints[1]".to_owned()),
            (ids::INDEX_OUT_OF_RANGE, "animations[0].channels[0].sampler".to_owned()),
        ]
    );
}
