//! Any bytes give an asset or typed errors: no panic, no hang, no memory that the input does not justify.

mod support;

use std::time::{Duration, Instant};

use anim_bake::diagnostics::BakeError;
use anim_bake::gltf::{Import, import};
use anim_bake::ids;
use anim_bake::{BakeSettings, bake_import, bake_rows};
use proptest::prelude::*;
use serde_json::json;
use support::{Gltf, glb, import_bytes};

/// A resolver that has every file.
fn any_file(path: &str) -> std::io::Result<Vec<u8>> {
    Ok(path.as_bytes().repeat(100))
}

/// Imports bytes of which nothing is known; a success must be an asset whose numbers are all valid.
fn survive(bytes: &[u8]) -> Result<Import, BakeError> {
    let result = import(bytes, &any_file, None);
    match &result {
        Ok(import) => check_numbers(import),
        Err(error) => assert!(error.diagnostics().iter().any(|p| p.severity == anim_bake::Severity::Error)),
    }
    result
}

fn check_numbers(import: &Import) {
    let asset = &import.asset;
    let mut seen = vec![false; asset.nodes.len()];
    for node in &asset.topological_order {
        assert!(!std::mem::replace(&mut seen[*node], true));
        assert!(asset.nodes[*node].parent.is_none_or(|parent| seen[parent]));
    }
    assert!(seen.iter().all(|seen| *seen));
    for node in &asset.nodes {
        assert!(node.parent_from_node.is_finite());
        if let Some(mesh) = node.mesh {
            for primitive in &asset.meshes[mesh].primitives {
                assert_eq!(primitive.morph_targets.len(), node.weights.len());
                for set in &primitive.influence_sets {
                    let Some(skin) = node.skin else { continue };
                    let joints = asset.skins[skin].joints.len();
                    for (joint, weight) in set.joints.as_flattened().iter().zip(set.weights.as_flattened()) {
                        assert!(usize::from(*joint) < joints || *weight == 0.0);
                        assert!(*weight >= 0.0 && weight.is_finite());
                    }
                }
            }
        }
    }
    for skin in &asset.skins {
        assert_eq!(skin.joints.len(), skin.bone_from_bind.len());
        assert!(skin.joints.iter().all(|joint| *joint < asset.nodes.len()));
    }
    for primitive in asset.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        let vertices = primitive.positions.len();
        assert!(primitive.triangles.iter().all(|index| (*index as usize) < vertices));
        assert_eq!(primitive.triangles.len() % 3, 0);
        assert!(primitive.material.is_none_or(|material| material < asset.materials.len()));
        assert!(primitive.normals.as_ref().is_none_or(|normals| normals.len() == vertices));
        assert!(primitive.uvs.as_ref().is_none_or(|uvs| uvs.len() == vertices));
        assert!(
            primitive
                .influence_sets
                .iter()
                .all(|s| s.joints.len() == vertices && s.weights.len() == vertices)
        );
        for target in &primitive.morph_targets {
            assert!(target.positions.as_ref().is_none_or(|positions| positions.len() == vertices));
        }
    }
    for channel in asset.clips.iter().flat_map(|clip| &clip.channels) {
        assert!(channel.node < asset.nodes.len());
        assert!(!channel.times_seconds.is_empty());
        assert!(
            channel.times_seconds.windows(2).all(|pair| pair[0] < pair[1]) && channel.times_seconds[0] >= 0.0
        );
        let per_key =
            if channel.interpolation == anim_bake::source::KeyInterpolation::CubicSpline { 3 } else { 1 };
        assert_eq!(channel.values.len(), channel.times_seconds.len() * channel.components * per_key);
    }
    assert!(
        asset.materials.iter().all(|material| material.image.is_none_or(|image| image < asset.images.len()))
    );
}

/// A model with something of everything.
fn everything() -> Gltf {
    let mut gltf = Gltf::skinned_triangle();
    let indices = gltf.bytes("SCALAR", 4, &[0, 1, 2, 0]);
    let uvs = gltf.floats("VEC2", &[0.0; 6]);
    let target = gltf.push("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 3 }));
    let (numbers, values) = (gltf.view(&[1]), gltf.view(&[0; 12]));
    gltf.set(
        &format!("/accessors/{target}/sparse"),
        json!({
            "count": 1,
            "indices": { "bufferView": numbers, "componentType": 5121 },
            "values": { "bufferView": values },
        }),
    );
    gltf.set("/meshes/0/primitives/0/indices", json!(indices));
    gltf.set("/meshes/0/primitives/0/mode", json!(5));
    gltf.set("/meshes/0/primitives/0/material", json!(0));
    gltf.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(uvs));
    gltf.set("/meshes/0/primitives/0/attributes/NORMAL", json!(0));
    gltf.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": target }]));
    gltf.push("images", json!({ "uri": "a.png" }));
    gltf.push("samplers", json!({ "wrapS": 33071 }));
    gltf.push("textures", json!({ "source": 0, "sampler": 0 }));
    let transform = json!({ "KHR_texture_transform": { "rotation": 1 } });
    let texture = json!({ "index": 0, "extensions": transform });
    gltf.push("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": texture } }));
    gltf
}

#[test]
fn the_model_with_something_of_everything_is_sound() {
    survive(&everything().glb()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn every_shorter_length_of_a_glb_is_an_error() {
    let bytes = everything().glb();
    for length in 0..bytes.len() {
        assert!(survive(&bytes[..length]).is_err(), "{length}");
    }
}

#[test]
fn every_shorter_length_of_a_gltf_is_an_error() {
    let bytes = everything().gltf();
    for length in 0..bytes.len() {
        assert!(survive(&bytes[..length]).is_err(), "{length}");
    }
}

#[test]
fn every_byte_of_a_glb_may_be_flipped() {
    let good = everything().glb();
    for at in 0..good.len() {
        for mask in [0x01, 0x10, 0x80, 0xFF] {
            let mut bytes = good.clone();
            bytes[at] ^= mask;
            let _ = survive(&bytes);
        }
    }
}

#[test]
fn every_digit_of_the_json_may_be_any_other() {
    let good = everything().gltf();
    for at in (0..good.len()).filter(|at| good[*at].is_ascii_digit()) {
        for digit in [b'0', b'1', b'3', b'9', b'-', b' '] {
            let mut bytes = good.clone();
            bytes[at] = digit;
            let _ = survive(&bytes);
        }
        let mut longer = good.clone();
        longer.splice(at..at, *b"99999999999");
        let _ = survive(&longer);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_behind_any_beginning_are_survived(
        start in prop::sample::select(vec![&b""[..], b"glTF\x02\0\0\0", b"{", b"\xEF\xBB\xBF", b"data:", b"<"]),
        rest in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let _ = survive(&[start, &rest].concat());
    }

    #[test]
    fn any_change_of_a_few_bytes_is_survived(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        binary in any::<bool>(),
    ) {
        let gltf = everything();
        let mut bytes = if binary { gltf.glb() } else { gltf.gltf() };
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = survive(&bytes);
    }

    #[test]
    fn any_json_in_any_place_is_survived(
        at in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![
            json!(null), json!(-1), json!(0), json!(1e300), json!(u64::MAX), json!(4_294_967_295_u64), json!("x"),
            json!([]), json!({}), json!([[[]]]), json!(true), json!(0.5), json!([0, 0]), json!({ "node": 0 }),
        ]),
    ) {
        let mut gltf = everything();
        let mut pointers = Vec::new();
        collect(&gltf.json, String::new(), &mut pointers);
        pointers.retain(|pointer| !pointer.is_empty());
        let pointer = &pointers[at.index(pointers.len())];
        *gltf.json.pointer_mut(pointer).expect("a value") = value;
        let _ = survive(&gltf.glb());
    }
}

fn collect(value: &serde_json::Value, at: String, pointers: &mut Vec<String>) {
    match value {
        serde_json::Value::Array(list) => {
            list.iter().enumerate().for_each(|(key, value)| collect(value, format!("{at}/{key}"), pointers));
        }
        serde_json::Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| collect(value, format!("{at}/{key}"), pointers));
        }
        _ => {}
    }
    pointers.push(at);
}

/// Runs it and fails if it took longer than any honest reading of its input.
fn quickly<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    assert!(start.elapsed() < Duration::from_secs(20), "{what}: {:?}", start.elapsed());
    result
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_does_not_overflow_the_stack() {
    let count = 100_000;
    let nodes: Vec<_> =
        (0..count).map(|n| if n + 1 < count { json!({ "children": [n + 1] }) } else { json!({}) }).collect();
    let mut gltf = Gltf::new();
    gltf.json["nodes"] = json!(nodes);
    gltf.json["scenes"] = json!([{ "nodes": [0] }]);
    let asset = quickly("chain", || gltf.import()).expect("success").asset;
    assert_eq!(asset.topological_order.len(), count);
    assert!(asset.nodes.iter().all(|node| node.in_scene));
    // Closed to a ring it is one error.
    gltf.json["nodes"][count - 1] = json!({ "children": [0] });
    let expected = (ids::NODE_CYCLE, format!("nodes[{}].children[0]", count - 1));
    assert_eq!(quickly("ring", || gltf.errors()), [expected]);
}

#[test]
fn a_node_with_very_many_children_takes_linear_time() {
    let mut gltf = Gltf::new();
    let children: Vec<usize> = (1..200_000).collect();
    gltf.push("nodes", json!({ "children": children }));
    gltf.json["nodes"].as_array_mut().expect("a list").extend((1..200_000).map(|_| json!({})));
    quickly("children", || gltf.import()).unwrap_or_else(|error| panic!("{error}"));
    gltf.set("/nodes/0/children", json!(vec![1; 200_000]));
    assert_eq!(quickly("one child", || gltf.errors()).len(), 1000 + 1);
}

#[test]
fn deeply_nested_json_is_an_error_and_not_a_stack_overflow() {
    let nested = "[".repeat(200_000) + &"]".repeat(200_000);
    for table in ["nodes", "animations", "extras", "unknown"] {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},"{table}":[{nested}]}}"#);
        let result = survive(text.as_bytes());
        assert_eq!(result.is_err(), matches!(table, "nodes" | "animations"), "{table}");
    }
    for (field, fails) in [("extras", false), ("extensions", true), ("scale", true)] {
        let text = format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"{field}":{nested}}}]}}"#);
        assert_eq!(survive(text.as_bytes()).is_err(), fails, "{field}");
    }
}

#[test]
fn many_channels_and_primitives_that_read_one_accessor_cost_its_data_once() {
    let mut gltf = Gltf::skinned_triangle();
    let keys = 50_000_u32;
    let times: Vec<u8> = (0..keys).flat_map(|key| (key as f32).to_le_bytes()).collect();
    let input = gltf.accessor(&times, 5126, "SCALAR", keys as usize);
    let output = gltf.push("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": keys }));
    let count = 20_000;
    let channels: Vec<_> =
        (0..count).map(|node| json!({ "sampler": 0, "target": { "node": node, "path": "scale" } })).collect();
    gltf.json["nodes"].as_array_mut().expect("a list").extend((3..count).map(|_| json!({})));
    gltf.set(
        "/animations/0",
        json!({ "samplers": [{ "input": input, "output": output }], "channels": channels }),
    );
    // As `f32` for each channel this would be 16 GB.
    let asset = quickly("channels", || gltf.import()).unwrap_or_else(|error| panic!("{error}")).asset;
    assert_eq!(asset.clips[0].channels.len(), count);

    let mut gltf = Gltf::skinned_triangle();
    let vertices = 50_000;
    for (accessor, component, element) in [(0, 5126, "VEC3"), (1, 5121, "VEC4"), (2, 5126, "VEC4")] {
        gltf.set(
            &format!("/accessors/{accessor}"),
            json!({ "componentType": component, "type": element, "count": vertices }),
        );
    }
    let indices = gltf.shorts("SCALAR", 150_000, &vec![7; 150_000]);
    gltf.set("/meshes/0/primitives/0/indices", json!(indices));
    let primitive = gltf.json["meshes"][0]["primitives"][0].clone();
    gltf.set("/meshes/0/primitives", json!(vec![primitive; 20_000]));
    quickly("primitives", || gltf.import()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn data_that_would_have_to_be_made_for_each_reader_is_bounded() {
    // Indices of strips, transformed coordinates, matrices of skins and weights of nodes are made for each reader.
    let mut strips = Gltf::new();
    strips.push("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 100_000 }));
    let primitives = vec![json!({ "attributes": { "POSITION": 0 }, "mode": 5 }); 1000];
    strips.push("meshes", json!({ "primitives": primitives }));

    let mut transformed = everything();
    transformed.set("/accessors/0", json!({ "componentType": 5126, "type": "VEC3", "count": 100_000 }));
    let uvs =
        transformed.push("accessors", json!({ "componentType": 5126, "type": "VEC2", "count": 100_000 }));
    let attributes = json!({ "POSITION": 0, "TEXCOORD_0": uvs });
    let primitive = json!({ "attributes": attributes, "material": 0, "mode": 0 });
    transformed.set("/meshes/0", json!({ "primitives": vec![primitive; 1000] }));

    let mut weights = Gltf::skinned_triangle();
    weights.set("/meshes/0/primitives/0/targets", json!(vec![json!({}); 10_000]));
    weights.json["nodes"].as_array_mut().expect("a list").extend((0..20_000).map(|_| json!({ "mesh": 0 })));

    let mut images = Gltf::new();
    let view = images.view(&[b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 1 << 20]].concat());
    for image in 0..1000_u64 {
        // Views that overlap: each image its own.
        let view = images.json["bufferViews"][view].clone();
        let view = images.push("bufferViews", view);
        images.push("images", json!({ "bufferView": view }));
        images.push("textures", json!({ "source": image }));
        images
            .push("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": image } } }));
    }
    for (what, gltf) in
        [("strips", strips), ("transformed", transformed), ("weights", weights), ("images", images)]
    {
        let found = quickly(what, || gltf.errors());
        assert!(found.iter().all(|(id, _)| *id == ids::MEMORY_BUDGET), "{what}: {:?}", found[0]);
    }
}

#[test]
fn numbers_that_promise_gigabytes_are_errors() {
    for (pointer, value) in [
        ("/accessors/0/count", json!(4_000_000_000_u64)),
        ("/buffers", json!([{ "byteLength": 10_000_000_000_u64 }])),
        ("/bufferViews/0/byteLength", json!(10_000_000_000_u64)),
        ("/skins/0/joints", json!(vec![0; 100_000])),
        ("/accessors/4", json!({ "componentType": 5126, "type": "SCALAR", "count": 4_000_000_000_u64 })),
    ] {
        let mut gltf = everything();
        gltf.set(pointer, value);
        let found = quickly(pointer, || gltf.errors());
        assert_eq!(found.len(), 1, "{found:?}");
    }
}

#[test]
fn sparse_accessors_over_one_big_view_are_not_walked_again_and_again() {
    let mut gltf = Gltf::new();
    let count = 100_000_u32;
    let numbers: Vec<u8> = (0..count).flat_map(|n| n.to_le_bytes()).collect();
    let (numbers, values) = (gltf.view(&numbers), gltf.view(&vec![0; 12 * count as usize]));
    let sparse = json!({
        "count": count,
        "indices": { "bufferView": numbers, "componentType": 5125 },
        "values": { "bufferView": values },
    });
    let accessor = json!({ "componentType": 5126, "type": "VEC3", "count": count, "sparse": sparse });
    gltf.json["accessors"] = json!(vec![accessor; 20_000]);
    let primitives: Vec<_> =
        (0..20_000).map(|n| json!({ "attributes": { "POSITION": n }, "mode": 0 })).collect();
    gltf.push("meshes", json!({ "primitives": primitives }));
    let found = quickly("sparse", || gltf.errors());
    assert!(
        found.iter().all(|(id, _)| matches!(*id, ids::MEMORY_BUDGET | ids::TOO_MANY_PROBLEMS)),
        "{:?}",
        found[0]
    );
}

#[test]
fn a_glb_whose_chunks_overlap_its_end_is_an_error() {
    let good = glb(br#"{"asset":{"version":"2.0"}}"#, Some(&[1, 2, 3, 4]));
    for at in [12, 8] {
        for length in [u32::MAX, u32::MAX - 11, i32::MAX.unsigned_abs(), 1 << 31] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&length.to_le_bytes());
            assert!(import_bytes(&bytes).is_err());
        }
    }
}

#[test]
fn twenty_thousand_equal_names_are_numbered_in_linear_time() {
    let mut gltf = Gltf::skinned_triangle();
    let clip = gltf.json["animations"][0].clone();
    gltf.json["animations"] = json!(vec![clip; 20_000]);
    for _ in 0..20_000 {
        gltf.push("nodes", json!({ "name": "socket_a" }));
    }
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    let asset = gltf.import().expect("success").asset;
    let settings = BakeSettings { rate_hz: Some(1.0), ..BakeSettings::default() };
    // Names come first: that so many bones times frames do not fit is only known afterwards.
    let problems = quickly("names", || bake_rows(&asset, &settings)).expect_err("too large");
    assert_eq!(problems.diagnostics()[0].id, ids::BAKE_TOO_LARGE);
}

#[test]
fn more_attachment_points_than_bones_are_an_error_at_once() {
    let mut gltf = Gltf::skinned_triangle();
    for number in 0..200_000 {
        gltf.push("nodes", json!({ "name": format!("socket_{number}") }));
    }
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    let asset = gltf.import().expect("success").asset;
    let problems = quickly("sockets", || bake_rows(&asset, &BakeSettings::default())).expect_err("too many");
    assert_eq!(problems.diagnostics()[0].id, ids::TOO_MANY_BONES);
}

#[test]
fn a_large_skin_under_many_nodes_is_looked_up_once() {
    let mut gltf = Gltf::skinned_triangle();
    let first = 3;
    let joints: Vec<usize> = (first..first + 4_000).collect();
    for _ in &joints {
        gltf.push("nodes", json!({}));
    }
    gltf.json["skins"][0] = json!({ "joints": joints });
    for _ in 0..20_000 {
        gltf.push("nodes", json!({ "mesh": 0, "skin": 0 }));
    }
    gltf.json.as_object_mut().expect("an object").remove("scenes");
    let import = gltf.import().expect("success");
    let settings = BakeSettings { rate_hz: Some(1.0), ..BakeSettings::default() };
    let baked = quickly("skin", || bake_import(&import, &settings)).expect("success");
    assert_eq!(baked.file.parts.len(), 20_001);
}

#[test]
fn numbers_whose_products_are_beyond_f32_are_an_error_of_the_bake() {
    let far = [3e38, 0.0, 0.0, -3e38, 1.0, 0.0, 0.0, 3e38, 1.0];
    let bytes = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let mut gltf = Gltf::skinned_triangle();
    gltf.buffer[..36].copy_from_slice(&bytes(&far));
    let import = gltf.import().expect("each number is finite");
    let problems = bake_import(&import, &BakeSettings::default()).expect_err("too far away");
    let found: Vec<_> =
        problems.diagnostics().iter().map(|problem| (problem.id, problem.clip.as_deref())).collect();
    assert_eq!(found, [(ids::VALUE_NOT_ENCODABLE, None), (ids::VALUE_NOT_ENCODABLE, Some("turn"))]);
}
