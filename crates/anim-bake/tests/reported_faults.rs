//! Kinds of faults that users of other tools reported, each impossible here: those that the importer decides.
//!
//! Faults with an input of their own elsewhere in this folder: channels without a node, data that is too short, missing
//! inverse bind matrices, offsets, data URIs, sheared matrices, more than 64 morph targets, a cubic spline with one key.

mod support;

use std::path::Path;

use anim_bake::source::SourceAsset;
use anim_core::glam::{DAffine3, DVec3};
use serde_json::json;
use support::{Gltf, corpus, import_file};

fn read(folder: &Path, file: &str) -> SourceAsset {
    import_file(&folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}")).asset
}

/// The product of a node's rest transforms up to its root.
fn model_from_node(asset: &SourceAsset, node: usize) -> DAffine3 {
    let node = &asset.nodes[node];
    match node.parent {
        Some(parent) => model_from_node(asset, parent) * node.parent_from_node,
        None => node.parent_from_node,
    }
}

#[test]
fn every_vertex_of_simple_skin_moves_because_its_padded_stride_is_followed() {
    let Some(folder) = corpus() else { return };
    let asset = read(&folder, "SimpleSkin.gltf");
    let set = &asset.meshes[0].primitives[0].influence_sets[0];
    assert_eq!(*set.joints, [[0, 1, 0, 0]; 10]);
    let second: Vec<f32> = set.weights.iter().map(|weights| weights[1]).collect();
    assert_eq!(second, [0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0]);
}

#[test]
fn a_file_with_one_scene_for_each_character_keeps_the_joints_of_all() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/scenes", json!([{ "nodes": [2] }, { "nodes": [0] }]));
    let asset = gltf.import().unwrap_or_else(|error| panic!("{error}")).asset;
    assert_eq!(asset.skins[0].joints, [0, 1]);
    assert_eq!(asset.clips[0].channels[0].node, 1, "the clip still drives the joint outside the scene");
    assert_eq!(model_from_node(&asset, 1).translation, DVec3::Y);
}

#[test]
fn a_clip_library_without_a_mesh_and_a_mesh_without_clips_both_import() {
    let Some(folder) = corpus() else { return };
    let library = read(&folder, "kaykit-anim/Med_General.glb");
    assert!(library.meshes.is_empty());
    assert_eq!(library.clips.len(), 15);
    let mesh = read(&folder, "kaykit-anim/manny_med_mod.gltf");
    assert!(mesh.clips.is_empty());
    assert_eq!(mesh.meshes.len(), 8);
    // What binds them: the names of joints.
    let name = |asset: &SourceAsset, node: usize| asset.nodes[node].name.clone().expect("a name");
    let library_names: Vec<_> = (0..library.nodes.len()).map(|node| name(&library, node)).collect();
    let bound =
        mesh.skins[0].joints.iter().filter(|joint| library_names.contains(&name(&mesh, **joint))).count();
    assert_eq!(bound, 21);
}

#[test]
fn transforms_above_the_joints_are_kept() {
    let Some(folder) = corpus() else { return };
    let wolf = read(&folder, "Wolf.glb");
    let scale = model_from_node(&wolf, wolf.skins[0].joints[0]).matrix3.determinant();
    assert!((scale / 1e6 - 1.0).abs() < 1e-3, "scale 100 above: {scale}");
    let man = read(&folder, "CesiumMan/CesiumMan.gltf");
    let up = model_from_node(&man, 1).transform_vector3(DVec3::Z);
    assert!((up - DVec3::Y).length() < 1e-6, "a matrix that turns z up to y above: {up}");
    let hand = read(&folder, "leftHandLow.glb");
    assert!(
        hand.skins[0].joints.iter().all(|joint| model_from_node(&hand, *joint).matrix3.determinant() < 0.0)
    );
}

#[test]
fn a_node_between_two_joints_stays_in_the_chain() {
    let Some(folder) = corpus() else { return };
    let asset = read(&folder, "asset-generator/Animation_Skin_09.gltf");
    assert_eq!(asset.skins[0].joints, [1, 2, 3, 5]);
    assert_eq!(asset.nodes[5].parent, Some(4));
    assert_eq!(asset.nodes[4].parent, Some(3));
    let tip = model_from_node(&asset, 5).translation;
    assert!((tip - DVec3::new(0.0, 0.3, 0.0)).length() < 1e-6, "{tip}");
}

#[test]
fn children_of_a_skinned_mesh_node_keep_its_transform() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/nodes/2/translation", json!([5, 0, 0]));
    gltf.set("/nodes/2/children", json!([3]));
    gltf.push("nodes", json!({ "name": "sword", "translation": [0, 1, 0] }));
    let asset = gltf.import().expect("success").asset;
    assert_eq!(model_from_node(&asset, 3).translation, DVec3::new(5.0, 1.0, 0.0));
}

#[test]
fn eight_influences_arrive_and_weights_stay_as_they_are_stored() {
    let Some(folder) = corpus() else { return };
    let asset = read(&folder, "pbrTest/pbrTest.gltf");
    let sets = &asset.meshes[0].primitives[0].influence_sets;
    assert_eq!(sets.len(), 2);
    let sums: Vec<f32> = (0..sets[0].weights.len())
        .map(|vertex| sets.iter().flat_map(|set| set.weights[vertex]).sum())
        .collect();
    assert!(
        sums.iter().any(|sum| (sum - 1.0).abs() > 1e-3),
        "normalising is the baker's job, with its loss measured"
    );
    let hand = read(&folder, "leftHandLow.glb");
    let weightless =
        hand.meshes[0].primitives[0].influence_sets[0].weights.iter().filter(|w| **w == [0.0; 4]);
    assert_eq!(weightless.count(), 37);
}

#[test]
fn nodes_that_no_channel_drives_keep_their_rest_transform() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/nodes/0/translation", json!([0, 2, 0]));
    let asset = gltf.import().expect("success").asset;
    assert!(asset.clips[0].channels.iter().all(|channel| channel.node == 1));
    assert_eq!(asset.nodes[0].parent_from_node.translation, DVec3::new(0.0, 2.0, 0.0));
    assert_eq!(asset.nodes[1].rest.expect("a rest").translation, DVec3::Y);
}

#[test]
fn normalised_integer_outputs_are_divided() {
    let Some(folder) = corpus() else { return };
    for file in ["derived/Wolf.gltfpack.glb", "asset-generator/Animation_SamplerType_01.gltf"] {
        let asset = read(&folder, file);
        let mut checked = 0;
        for channel in asset.clips.iter().flat_map(|clip| &clip.channels) {
            if channel.components == 4 {
                for rotation in channel.values.chunks(4) {
                    let length = rotation.iter().map(|value| value * value).sum::<f32>();
                    assert!((length - 1.0).abs() < 0.02, "{file}: {rotation:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 4, "{file}");
    }
}

#[test]
fn a_quantised_file_and_its_source_are_the_same_model() {
    let Some(folder) = corpus() else { return };
    let (source, packed) = (read(&folder, "Wolf.glb"), read(&folder, "derived/Wolf.gltfpack.glb"));
    // The quantised positions are small integers; the inverse bind matrices carry their scale.
    let extent = |asset: &SourceAsset| {
        let skin = &asset.skins[0];
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for primitive in &asset.meshes[0].primitives {
            let set = &primitive.influence_sets[0];
            for (vertex, position) in primitive.positions.iter().enumerate() {
                let heaviest =
                    (0..4).max_by(|a, b| set.weights[vertex][*a].total_cmp(&set.weights[vertex][*b]));
                let joint = usize::from(set.joints[vertex][heaviest.expect("four")]);
                let model_from_bind = model_from_node(asset, skin.joints[joint]) * skin.bone_from_bind[joint];
                let point = model_from_bind.transform_point3(DVec3::from(position.map(f64::from)));
                low = low.min(point);
                high = high.max(point);
            }
        }
        (low, high)
    };
    let ((low_a, high_a), (low_b, high_b)) = (extent(&source), extent(&packed));
    let size = (high_a - low_a).length();
    assert!((low_a - low_b).length() < 0.01 * size, "{low_a} {low_b}");
    assert!((high_a - high_b).length() < 0.01 * size, "{high_a} {high_b}");
}

#[test]
fn names_that_repeat_or_are_missing_do_not_matter() {
    let Some(folder) = corpus() else { return };
    let character = read(&folder, "Character.glb");
    let mut names: Vec<_> = character.nodes.iter().filter_map(|node| node.name.clone()).collect();
    let total = names.len();
    names.sort();
    names.dedup();
    assert!(names.len() < total, "this file repeats names");
    let driven: std::collections::BTreeSet<_> =
        character.clips.iter().flat_map(|clip| &clip.channels).map(|channel| channel.node).collect();
    assert_eq!(driven.len(), 25);
    assert!(read(&folder, "SimpleSkin.gltf").nodes.iter().all(|node| node.name.is_none()));
}

#[test]
fn a_file_with_animation_and_no_skin_imports() {
    let Some(folder) = corpus() else { return };
    for file in ["kenney-character/character.glb", "InterpolationTest.glb"] {
        let asset = read(&folder, file);
        assert!(asset.skins.is_empty() && !asset.clips.is_empty(), "{file}");
    }
}
