//! Nodes, scenes and skins.

mod support;

use anim_bake::gltf::import;
use anim_bake::ids;
use anim_core::glam::{DAffine3, DVec3};
use serde_json::json;
use support::{Gltf, errors, no_files, pairs};

#[test]
fn a_node_is_translation_times_rotation_times_scale_with_a_unit_rotation() {
    let mut gltf = Gltf::new();
    // A quarter turn about y, stored at twice its length.
    let rotation = json!([0.0, std::f64::consts::SQRT_2, 0.0, std::f64::consts::SQRT_2]);
    gltf.push("nodes", json!({ "translation": [1, 2, 3], "rotation": rotation, "scale": [2, 1, 1] }));
    let asset = gltf.import().expect("success").asset;
    let node = &asset.nodes[0];
    let point = node.parent_from_node.transform_point3(DVec3::X);
    assert!((point - DVec3::new(1.0, 2.0, 1.0)).length() < 1e-6, "{point}");
    let rest = node.rest.expect("translation, rotation and scale");
    assert!((rest.rotation.length() - 1.0).abs() < 1e-15);
    assert_eq!(rest.scale, DVec3::new(2.0, 1.0, 1.0));
}

#[test]
fn a_matrix_is_kept_exactly_and_split_where_it_can_be() {
    let mut gltf = Gltf::new();
    gltf.push("nodes", json!({ "matrix": [0, 0, -2, 0, 0, 1, 0, 0, 3, 0, 0, 0, 5, 6, 7, 1] }));
    gltf.push("nodes", json!({ "matrix": [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }));
    let nodes = gltf.import().expect("success").asset.nodes;
    assert_eq!(nodes[0].parent_from_node.transform_point3(DVec3::ONE), DVec3::new(8.0, 7.0, 5.0));
    let rest = nodes[0].rest.expect("no shear");
    assert!(
        (rest.to_affine().matrix3 - nodes[0].parent_from_node.matrix3)
            .to_cols_array()
            .iter()
            .all(|d| d.abs() < 1e-12)
    );
    assert_eq!(nodes[1].parent_from_node.matrix3.y_axis, DVec3::new(0.5, 1.0, 0.0));
    assert!(nodes[1].rest.is_none());
}

#[test]
fn broken_transforms_are_errors() {
    let cases = [
        (
            json!({ "matrix": [1, 0, 0, 0.1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1] }),
            ids::MATRIX_NOT_AFFINE,
            "matrix",
        ),
        (
            json!({ "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2] }),
            ids::MATRIX_NOT_AFFINE,
            "matrix",
        ),
        (
            json!({ "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "scale": [1, 1, 1] }),
            ids::NODE_MATRIX_AND_TRS,
            "matrix",
        ),
        (json!({ "translation": [0, 1e39, 0] }), ids::NUMBER_NOT_FINITE, "translation[1]"),
        (json!({ "matrix": [1, 2] }), ids::JSON_INVALID, "matrix"),
    ];
    for (node, id, field) in cases {
        let mut gltf = Gltf::new();
        gltf.push("nodes", node);
        assert_eq!(gltf.errors(), [(id, format!("nodes[0].{field}"))]);
    }
}

#[test]
fn a_rotation_of_length_zero_is_a_warning_and_no_rotation() {
    let mut gltf = Gltf::new();
    gltf.push("nodes", json!({ "rotation": [0, 0, 0, 0] }));
    assert_eq!(gltf.warnings(), [(ids::ROTATION_ZERO, "nodes[0].rotation".to_owned())]);
    assert_eq!(gltf.import().expect("success").asset.nodes[0].parent_from_node, DAffine3::IDENTITY);
}

#[test]
fn a_hierarchy_that_is_no_tree_is_an_error() {
    let cases = [
        (json!([{ "children": [0] }]), ids::NODE_CYCLE, "nodes[0].children[0]"),
        (
            json!([{ "children": [1] }, { "children": [2] }, { "children": [0] }]),
            ids::NODE_CYCLE,
            "nodes[2].children[0]",
        ),
        (
            json!([{}, { "children": [0, 2] }, { "children": [3] }, { "children": [2] }]),
            ids::NODE_TWO_PARENTS,
            "nodes[3].children[0]",
        ),
        (
            json!([{ "children": [2] }, { "children": [2] }, {}]),
            ids::NODE_TWO_PARENTS,
            "nodes[1].children[0]",
        ),
        (json!([{ "children": [1, 1] }, {}]), ids::NODE_TWO_PARENTS, "nodes[0].children[1]"),
        (json!([{ "children": [7] }]), ids::INDEX_OUT_OF_RANGE, "nodes[0].children[0]"),
        (json!([{ "children": [-1] }]), ids::JSON_INVALID, "nodes[0].children[0]"),
        (json!([{ "mesh": 0 }]), ids::INDEX_OUT_OF_RANGE, "nodes[0].mesh"),
        (json!([{ "skin": 0 }]), ids::INDEX_OUT_OF_RANGE, "nodes[0].skin"),
    ];
    for (nodes, id, path) in cases {
        let gltf =
            Gltf { json: json!({ "asset": { "version": "2.0" }, "nodes": nodes }), buffer: Vec::new() };
        assert_eq!(gltf.errors(), [(id, path.to_owned())], "{nodes}");
    }
    // Two cycles, and a tree that hangs below one of them: one error for each cycle.
    let nodes = json!([
        { "children": [1] }, { "children": [0, 4] }, { "children": [3] }, { "children": [2] }, {}, { "children": [] },
    ]);
    let gltf = Gltf { json: json!({ "asset": { "version": "2.0" }, "nodes": nodes }), buffer: Vec::new() };
    let paths = ["nodes[1].children[0]", "nodes[3].children[0]"];
    assert_eq!(gltf.errors(), paths.map(|path| (ids::NODE_CYCLE, path.to_owned())));
}

#[test]
fn parents_come_before_children_whatever_the_order_in_the_file() {
    let mut gltf = Gltf::new();
    for children in [json!([]), json!([0]), json!([1, 3]), json!([])] {
        gltf.push("nodes", json!({ "children": children }));
    }
    let asset = gltf.import().expect("success").asset;
    assert_eq!(asset.topological_order, [2, 1, 3, 0]);
    let parents: Vec<_> = asset.nodes.iter().map(|node| node.parent).collect();
    assert_eq!(parents, [Some(1), Some(2), None, Some(2)]);
}

/// Two scenes, one character each, and a node in neither.
fn two_scenes() -> Gltf {
    let mut gltf = Gltf::new();
    for children in [json!([1]), json!([]), json!([3]), json!([]), json!([])] {
        gltf.push("nodes", json!({ "children": children }));
    }
    gltf.push("scenes", json!({ "name": "knight", "nodes": [0] }));
    gltf.push("scenes", json!({ "name": "wolf", "nodes": [2] }));
    gltf
}

#[test]
fn a_scene_is_chosen_by_number_or_name_and_other_nodes_stay_outside_it() {
    let in_scene = |gltf: &Gltf, scene: Option<&str>| -> Vec<usize> {
        let asset = import(&gltf.glb(), &no_files, scene).unwrap_or_else(|error| panic!("{error}")).asset;
        (0..asset.nodes.len()).filter(|node| asset.nodes[*node].in_scene).collect()
    };
    let mut gltf = two_scenes();
    assert_eq!(in_scene(&gltf, None), [0, 1], "the first scene where the file names none");
    assert_eq!(in_scene(&gltf, Some("1")), [2, 3]);
    assert_eq!(in_scene(&gltf, Some("wolf")), [2, 3]);
    gltf.json["scene"] = json!(1);
    assert_eq!(in_scene(&gltf, None), [2, 3]);
    assert_eq!(in_scene(&gltf, Some("knight")), [0, 1]);
    gltf.json.as_object_mut().expect("an object").remove("scene");
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    assert_eq!(in_scene(&gltf, None), [0, 1, 2, 3, 4], "all root nodes where there are no scenes");
    gltf.push("scenes", json!({}));
    assert!(in_scene(&gltf, None).is_empty(), "a scene without nodes is empty");
}

#[test]
fn a_scene_that_does_not_exist_is_an_error_that_lists_those_that_do() {
    let mut gltf = two_scenes();
    for wanted in ["2", "dragon", ""] {
        let error =
            import(&gltf.glb(), &no_files, Some(wanted)).map(|import| import.warnings).expect_err("an error");
        let problem = &error.diagnostics()[0];
        assert_eq!((problem.id, problem.path.as_str()), (ids::SCENE_NOT_FOUND, "scenes"));
        assert_eq!(problem.expected, r#"one of 2 scenes: 0 "knight", 1 "wolf""#);
    }
    gltf.json["scene"] = json!(2);
    assert_eq!(gltf.errors(), [(ids::INDEX_OUT_OF_RANGE, "scene".to_owned())]);
    gltf.json["scene"] = json!(0);
    gltf.set("/scenes/1/nodes", json!([9]));
    gltf.import().unwrap_or_else(|error| panic!("a scene that is not baked is not read: {error}"));
    assert_eq!(
        errors(import(&gltf.glb(), &no_files, Some("1"))),
        [(ids::INDEX_OUT_OF_RANGE, "scenes[1].nodes[0]".to_owned())]
    );
}

#[test]
fn a_scene_node_with_a_parent_keeps_its_parent() {
    let mut gltf = two_scenes();
    gltf.set("/scenes/0/nodes", json!([1]));
    assert_eq!(gltf.warnings(), [(ids::SCENE_NODE_NOT_ROOT, "scenes[0].nodes[0]".to_owned())]);
    let asset = gltf.import().expect("success").asset;
    assert_eq!(asset.nodes[1].parent, Some(0));
    assert!(asset.nodes[1].in_scene && !asset.nodes[0].in_scene);
}

#[test]
fn a_skin_without_inverse_bind_matrices_has_identities() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/skins/0", json!({ "joints": [1, 0] }));
    let skin = &gltf.import().expect("success").asset.skins[0];
    assert_eq!(skin.bone_from_bind, [DAffine3::IDENTITY; 2]);
    assert_eq!(skin.joints, [1, 0]);
}

#[test]
fn inverse_bind_matrices_may_be_more_than_the_joints_but_not_fewer() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/skins/0/joints", json!([1]));
    gltf.set("/accessors/1", json!({ "componentType": 5121, "type": "VEC4", "count": 3 }));
    assert!(gltf.warnings().is_empty(), "legal: skins may share an accessor");
    assert_eq!(gltf.import().expect("success").asset.skins[0].bone_from_bind.len(), 1);
    gltf.set("/skins/0/joints", json!([0, 1, 2]));
    assert_eq!(gltf.errors(), [(ids::SKIN_INVERSE_BIND_COUNT, "skins[0].inverseBindMatrices".to_owned())]);
}

#[test]
fn inverse_bind_matrices_must_be_affine() {
    let mut gltf = Gltf::skinned_triangle();
    let mut broken = [0.0; 32];
    for corner in [0, 5, 10, 15, 16, 21, 26, 31] {
        broken[corner] = 1.0;
    }
    // Rounding passes.
    broken[15] = 1.000_001;
    let accessor = gltf.floats("MAT4", &broken);
    gltf.set("/skins/0/inverseBindMatrices", json!(accessor));
    gltf.import().unwrap_or_else(|error| panic!("{error}"));
    broken[16 + 7] = 0.01;
    let accessor = gltf.floats("MAT4", &broken);
    gltf.set("/skins/0/inverseBindMatrices", json!(accessor));
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    let problem = &error.diagnostics()[0];
    assert_eq!((problem.id, problem.path.as_str()), (ids::MATRIX_NOT_AFFINE, "accessors[7]"));
    assert!(problem.what.contains("matrix 1"), "{problem}");
    assert_eq!(problem.found, "0 0.01 0 1");
}

#[test]
fn joints_are_checked() {
    let cases = [
        (json!([0, 40]), ids::INDEX_OUT_OF_RANGE, "skins[0].joints[1]"),
        (json!([]), ids::SKIN_EMPTY, "skins[0].joints"),
        (json!(vec![0; 65_537]), ids::SKIN_TOO_MANY_JOINTS, "skins[0].joints"),
        (json!(vec![0; 100_000]), ids::SKIN_TOO_MANY_JOINTS, "skins[0].joints"),
    ];
    for (joints, id, path) in cases {
        let mut gltf = Gltf::skinned_triangle();
        gltf.set("/skins/0", json!({ "joints": joints }));
        assert_eq!(gltf.errors(), [(id, path.to_owned())]);
    }
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/skins/0/joints", json!([1, 1]));
    assert_eq!(gltf.warnings(), [(ids::SKIN_DUPLICATE_JOINT, "skins[0].joints[1]".to_owned())]);
    assert_eq!(gltf.import().expect("success").asset.skins[0].joints, [1, 1], "positions in the list stay");
}

#[test]
fn joints_outside_the_scene_of_their_mesh_are_a_warning_and_stay() {
    for scenes in [json!([{ "nodes": [2] }]), json!([{ "nodes": [2] }, { "nodes": [0] }])] {
        let mut gltf = Gltf::skinned_triangle();
        gltf.json["scenes"] = scenes;
        let import = gltf.import().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            pairs(&import.warnings),
            [(ids::SKIN_JOINT_OUTSIDE_SCENE, "skins[0].joints[0]".to_owned())]
        );
        assert_eq!(import.asset.nodes.len(), 3);
        assert!(!import.asset.nodes[0].in_scene);
        assert_eq!(import.asset.skins[0].joints, [0, 1]);
    }
}

#[test]
fn a_skin_without_influences_makes_a_rigid_node() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/meshes/0/primitives/0/attributes", json!({ "POSITION": 0 }));
    assert_eq!(gltf.warnings(), [(ids::SKIN_WITHOUT_INFLUENCES, "nodes[2].skin".to_owned())]);
    assert_eq!(gltf.import().expect("success").asset.nodes[2].skin, None);
    // One primitive of two: the node keeps its skin for the other.
    let mut gltf = Gltf::skinned_triangle();
    let primitives = gltf.json["meshes"][0]["primitives"].as_array_mut().expect("a list");
    primitives.push(json!({ "attributes": { "POSITION": 0 } }));
    assert_eq!(gltf.warnings(), [(ids::SKIN_WITHOUT_INFLUENCES, "nodes[2].skin".to_owned())]);
    assert_eq!(gltf.import().expect("success").asset.nodes[2].skin, Some(0));
}

#[test]
fn influences_without_a_skin_make_a_rigid_node() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/nodes/2", json!({ "mesh": 0 }));
    assert!(gltf.warnings().is_empty());
    assert_eq!(gltf.import().expect("success").asset.nodes[2].skin, None);
}

#[test]
fn a_vertex_bound_to_a_joint_that_the_skin_lacks_is_an_error_unless_its_weight_is_zero() {
    let mut gltf = Gltf::skinned_triangle();
    // Vertex 1 has weights 0.5 and 0.5.
    let joints = gltf.bytes("VEC4", 3, &[0, 1, 255, 255, 0, 1, 2, 3, 0, 1, 0, 0]);
    gltf.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
    assert!(gltf.warnings().is_empty());
    let asset = gltf.import().expect("success").asset;
    let joints_read = &asset.meshes[0].primitives[0].influence_sets[0].joints;
    assert_eq!(**joints_read, [[0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]]);
    gltf.set("/skins/0", json!({ "joints": [0] }));
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    let problem = &error.diagnostics()[0];
    assert_eq!(
        (problem.id, problem.path.as_str()),
        (ids::JOINT_OUT_OF_SKIN, "meshes[0].primitives[0].attributes.JOINTS_0")
    );
    assert!(problem.what.starts_with("vertex 1 "), "{problem}");
    // The smallest of all skins that use the mesh counts.
    gltf.set("/skins/0", json!({ "joints": [0, 1] }));
    gltf.push("skins", json!({ "joints": [1] }));
    gltf.push("nodes", json!({ "mesh": 0, "skin": 1 }));
    assert_eq!(gltf.errors()[0].0, ids::JOINT_OUT_OF_SKIN);
}

#[test]
fn names_may_repeat_be_missing_be_empty_or_not_be_ascii() {
    let mut gltf = Gltf::skinned_triangle();
    for (node, name) in [json!("\u{9aa8}"), json!("\u{9aa8}"), json!("")].into_iter().enumerate() {
        gltf.set(&format!("/nodes/{node}/name"), name);
    }
    gltf.push("nodes", json!({}));
    let nodes = gltf.import().expect("success").asset.nodes;
    let names: Vec<_> = nodes.iter().map(|node| node.name.as_deref()).collect();
    assert_eq!(names, [Some("\u{9aa8}"), Some("\u{9aa8}"), Some(""), None]);
}
