//! The accessor reader: strides, offsets, sparse and view-less accessors, every component type.

mod support;

use anim_bake::ids;
use serde_json::json;
use support::Gltf;

/// A mesh whose POSITION is accessor 0; its positions.
fn positions(gltf: &mut Gltf) -> Vec<[f32; 3]> {
    gltf.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
    gltf.import().unwrap_or_else(|error| panic!("{error}")).asset.meshes[0].primitives[0].positions.to_vec()
}

fn little_endian(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn a_byte_stride_larger_than_the_element_is_followed() {
    let mut gltf = Gltf::new();
    let mut bytes = Vec::new();
    for vertex in 0..3_u8 {
        bytes.extend(little_endian(&[f32::from(vertex), 2.0, 3.0]));
        bytes.extend([0xFF; 8]);
    }
    // The last element needs no padding behind it.
    bytes.truncate(bytes.len() - 8);
    let view = gltf.view(&bytes);
    gltf.set("/bufferViews/0/byteStride", json!(20));
    gltf.push("accessors", json!({ "bufferView": view, "componentType": 5126, "type": "VEC3", "count": 3 }));
    assert_eq!(positions(&mut gltf), [[0.0, 2.0, 3.0], [1.0, 2.0, 3.0], [2.0, 2.0, 3.0]]);
}

#[test]
fn both_byte_offsets_are_added() {
    let mut gltf = Gltf::new();
    gltf.view(&[9; 12]);
    let view = gltf.view(&little_endian(&[7.0, 7.0, 7.0, 1.0, 2.0, 3.0]));
    gltf.push(
        "accessors",
        json!({ "bufferView": view, "byteOffset": 12, "componentType": 5126, "type": "VEC3", "count": 1 }),
    );
    assert_eq!(positions(&mut gltf), [[1.0, 2.0, 3.0]]);
}

#[test]
fn data_at_an_unaligned_offset_is_read() {
    let mut gltf = Gltf::new();
    let mut bytes = vec![0xAB];
    bytes.extend(little_endian(&[1.0, 2.0, 3.0]));
    let view = gltf.view(&bytes);
    gltf.push(
        "accessors",
        json!({ "bufferView": view, "byteOffset": 1, "componentType": 5126, "type": "VEC3", "count": 1 }),
    );
    assert_eq!(positions(&mut gltf), [[1.0, 2.0, 3.0]]);
}

#[test]
fn inverse_bind_matrices_at_an_offset_in_a_shared_view_are_read_from_there() {
    let mut gltf = Gltf::skinned_triangle();
    let mut matrix = [0.0; 16];
    for (at, value) in [(0, 2.0), (5, 2.0), (10, 2.0), (12, 5.0), (15, 1.0)] {
        matrix[at] = value;
    }
    let view = gltf.view(&little_endian(&[[7.0; 16], matrix, matrix].concat()));
    gltf.set(
        "/accessors/3",
        json!({ "bufferView": view, "byteOffset": 64, "componentType": 5126, "type": "MAT4", "count": 2 }),
    );
    let skin = &gltf.import().expect("success").asset.skins[0];
    assert_eq!(skin.bone_from_bind[0].translation.x, 5.0);
    assert_eq!(skin.bone_from_bind[1].matrix3.x_axis.x, 2.0);
}

fn sparse(gltf: &mut Gltf, component: u32, indices: &[u8], values: &[f32]) -> serde_json::Value {
    let (indices, values) = (gltf.view(indices), gltf.view(&little_endian(values)));
    json!({
        "count": 1,
        "indices": { "bufferView": indices, "componentType": component },
        "values": { "bufferView": values },
    })
}

#[test]
fn a_sparse_accessor_replaces_elements_of_its_base() {
    let mut gltf = Gltf::new();
    gltf.floats("VEC3", &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0]);
    let patch = sparse(&mut gltf, 5121, &[1], &[9.0, 8.0, 7.0]);
    gltf.set("/accessors/0/sparse", patch);
    assert_eq!(positions(&mut gltf), [[1.0; 3], [9.0, 8.0, 7.0], [3.0; 3]]);
}

#[test]
fn a_sparse_accessor_without_a_base_view_replaces_zeros() {
    for (component, indices) in [(5121, vec![2]), (5123, vec![2, 0]), (5125, vec![2, 0, 0, 0])] {
        let mut gltf = Gltf::new();
        let patch = sparse(&mut gltf, component, &indices, &[9.0, 8.0, 7.0]);
        gltf.push("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 3, "sparse": patch }));
        assert_eq!(positions(&mut gltf), [[0.0; 3], [0.0; 3], [9.0, 8.0, 7.0]]);
    }
}

#[test]
fn an_accessor_without_a_view_is_zeros() {
    let mut gltf = Gltf::new();
    gltf.push("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 2 }));
    assert_eq!(positions(&mut gltf), [[0.0; 3]; 2]);
}

#[test]
fn a_morph_target_and_an_animation_output_may_be_sparse_or_without_a_view() {
    for with_base in [true, false] {
        let mut gltf = Gltf::skinned_triangle();
        let base = with_base.then(|| gltf.view(&little_endian(&[0.5; 9])));
        let patch = sparse(&mut gltf, 5121, &[2], &[0.0, 4.0, 0.0]);
        let mut target = json!({ "componentType": 5126, "type": "VEC3", "count": 3, "sparse": patch });
        if let Some(base) = base {
            target["bufferView"] = json!(base);
        }
        let target = gltf.push("accessors", target);
        let zeros = gltf.push("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 3 }));
        gltf.set(
            "/meshes/0/primitives/0/targets",
            json!([{ "POSITION": target }, { "POSITION": zeros }, {}]),
        );
        let patch = sparse(&mut gltf, 5121, &[1], &[0.0, 0.0, 0.0, 1.0]);
        gltf.set("/accessors/5/sparse", patch);
        let asset = gltf.import().unwrap_or_else(|error| panic!("{error}")).asset;
        let targets = &asset.meshes[0].primitives[0].morph_targets;
        let rest = if with_base { 0.5 } else { 0.0 };
        assert_eq!(targets[0].positions.as_deref(), Some(&[[rest; 3], [rest; 3], [0.0, 4.0, 0.0]][..]));
        assert_eq!(targets[1].positions.as_deref(), Some(&[[0.0; 3]; 3][..]));
        assert!(targets[2].positions.is_none() && targets[2].normals.is_none());
        assert_eq!(*asset.clips[0].channels[0].values, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(asset.nodes[2].weights, [0.0; 3]);
    }
}

#[test]
fn sparse_indices_out_of_range_or_order_are_an_error() {
    let cases: [(u64, u8, u64); 3] = [(1, 3, 3), (4, 0, 3), (2, 0, 3)];
    for (sparse_count, index, count) in cases {
        let mut gltf = Gltf::new();
        let (indices, values) = (gltf.view(&[index; 4]), gltf.view(&[0; 48]));
        gltf.push(
            "accessors",
            json!({ "componentType": 5126, "type": "VEC3", "count": count, "sparse": {
                "count": sparse_count,
                "indices": { "bufferView": indices, "componentType": 5121 },
                "values": { "bufferView": values },
            } }),
        );
        gltf.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
        let found = gltf.errors();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].0, ids::ACCESSOR_SPARSE);
        assert!(found[0].1.starts_with("accessors[0].sparse."), "{found:?}");
    }
}

#[test]
fn sparse_parts_must_lie_in_their_views() {
    for (indices, values) in [(1, 12), (2, 11)] {
        let mut gltf = Gltf::new();
        let (indices, values) = (gltf.view(&[0, 1][..indices]), gltf.view(&vec![0; values]));
        gltf.push(
            "accessors",
            json!({ "componentType": 5126, "type": "VEC3", "count": 3, "sparse": {
                "count": 2,
                "indices": { "bufferView": indices, "componentType": 5121 },
                "values": { "bufferView": values },
            } }),
        );
        gltf.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
        assert_eq!(gltf.errors(), [(ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].sparse.count".to_owned())]);
    }
}

#[test]
fn normalised_integers_follow_the_formulas_of_the_specification() {
    let cases: [(u32, Vec<u8>, [f32; 4]); 4] = [
        (5120, vec![127, 0x80, 0x81, 0], [1.0, -1.0, -1.0, 0.0]),
        (5121, vec![255, 0, 51, 1], [1.0, 0.0, 0.2, 1.0 / 255.0]),
        (5122, vec![0xFF, 0x7F, 0, 0x80, 1, 0x80, 0, 0], [1.0, -1.0, -1.0, 0.0]),
        (5123, vec![0xFF, 0xFF, 0, 0, 1, 0, 0, 0], [1.0, 0.0, 1.0 / 65535.0, 0.0]),
    ];
    for (component, bytes, expected) in cases {
        let mut gltf = Gltf::skinned_triangle();
        let view = gltf.view(&[bytes.clone(), bytes].concat());
        gltf.set(
            "/accessors/5",
            json!({
                "bufferView": view, "componentType": component, "normalized": true, "type": "VEC4", "count": 2
            }),
        );
        let asset = gltf.import().unwrap_or_else(|error| panic!("{error}")).asset;
        assert_eq!(asset.clips[0].channels[0].values[..4], expected, "{component}");
    }
}

#[test]
fn weights_and_joints_are_read_in_every_type_that_is_allowed() {
    for (component, normalized, bytes) in [
        (5121, true, vec![255, 0, 0, 0]),
        (5123, true, vec![255, 255, 0, 0, 0, 0, 0, 0]),
        (5126, false, little_endian(&[1.0, 0.0, 0.0, 0.0])),
    ] {
        for (joint_component, width) in [(5121, 1), (5123, 2)] {
            let mut gltf = Gltf::skinned_triangle();
            let weights = gltf.view(&bytes.repeat(3));
            let mut joints = vec![0; 4 * width];
            joints[0] = 1;
            let joints = gltf.view(&joints.repeat(3));
            gltf.set(
                "/accessors/1",
                json!({ "bufferView": joints, "componentType": joint_component, "type": "VEC4", "count": 3 }),
            );
            gltf.set(
                "/accessors/2",
                json!({
                    "bufferView": weights, "componentType": component, "normalized": normalized,
                    "type": "VEC4", "count": 3
                }),
            );
            let asset = gltf.import().unwrap_or_else(|error| panic!("{error}")).asset;
            let set = &asset.meshes[0].primitives[0].influence_sets[0];
            assert_eq!(*set.joints, [[1, 0, 0, 0]; 3]);
            assert_eq!(*set.weights, [[1.0, 0.0, 0.0, 0.0]; 3]);
        }
    }
}

#[test]
fn quantised_positions_need_their_extension() {
    let mut gltf = Gltf::new();
    gltf.accessor(&[1, 0, 255, 255, 3, 0], 5122, "VEC3", 1);
    let mut without = gltf.clone();
    without.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
    let path = "meshes[0].primitives[0].attributes.POSITION".to_owned();
    assert_eq!(without.errors(), [(ids::ACCESSOR_TYPE, path)]);
    gltf.json["extensionsUsed"] = json!(["KHR_mesh_quantization"]);
    gltf.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    assert_eq!(positions(&mut gltf), [[1.0, -1.0, 3.0]]);
}

#[test]
fn a_type_that_does_not_fit_its_use_is_an_error_at_the_use() {
    let cases = [
        ("/accessors/0/type", json!("VEC4"), "meshes[0].primitives[0].attributes.POSITION"),
        ("/accessors/1/componentType", json!(5125), "meshes[0].primitives[0].attributes.JOINTS_0"),
        ("/accessors/1/normalized", json!(true), "meshes[0].primitives[0].attributes.JOINTS_0"),
        ("/accessors/2/type", json!("VEC2"), "meshes[0].primitives[0].attributes.WEIGHTS_0"),
        ("/accessors/3/type", json!("MAT3"), "skins[0].inverseBindMatrices"),
        ("/accessors/4/componentType", json!(5125), "animations[0].samplers[0].input"),
        ("/accessors/5/type", json!("VEC3"), "animations[0].samplers[0].output"),
    ];
    for (pointer, value, path) in cases {
        let mut gltf = Gltf::skinned_triangle();
        gltf.set(pointer, value);
        assert_eq!(gltf.errors(), [(ids::ACCESSOR_TYPE, path.to_owned())], "{pointer}");
    }
}

#[test]
fn ranges_are_checked_before_anything_is_read() {
    let cases = [
        ("/accessors/0/count", json!(4), ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].count"),
        ("/accessors/0/count", json!(4_000_000_000_u64), ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].count"),
        ("/accessors/0/count", json!(u64::MAX), ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].count"),
        ("/accessors/0/count", json!(0), ids::ACCESSOR_EMPTY, "accessors[0].count"),
        ("/accessors/0/byteOffset", json!(1), ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].count"),
        ("/accessors/0/byteOffset", json!(u64::MAX), ids::ACCESSOR_OUT_OF_VIEW, "accessors[0].count"),
        ("/accessors/0/bufferView", json!(99), ids::INDEX_OUT_OF_RANGE, "accessors[0].bufferView"),
        ("/accessors/0/componentType", json!(5124), ids::ACCESSOR_UNKNOWN_TYPE, "accessors[0].componentType"),
        ("/accessors/0/type", json!("VEC5"), ids::ACCESSOR_UNKNOWN_TYPE, "accessors[0].type"),
        ("/accessors/0/count", json!(-1), ids::JSON_INVALID, "accessors[0].count"),
        ("/bufferViews/0/byteStride", json!(8), ids::ACCESSOR_STRIDE, "bufferViews[0].byteStride"),
        (
            "/bufferViews/0/byteLength",
            json!(10_000_000_000_u64),
            ids::VIEW_OUT_OF_BUFFER,
            "bufferViews[0].byteLength",
        ),
        ("/bufferViews/0/byteOffset", json!(u64::MAX), ids::VIEW_OUT_OF_BUFFER, "bufferViews[0].byteLength"),
        ("/bufferViews/0/buffer", json!(1), ids::INDEX_OUT_OF_RANGE, "bufferViews[0].buffer"),
    ];
    for (pointer, value, id, path) in cases {
        let mut gltf = Gltf::skinned_triangle();
        gltf.set(pointer, value);
        assert_eq!(gltf.errors(), [(id, path.to_owned())], "{pointer}");
    }
}

#[test]
fn an_accessor_without_a_view_cannot_claim_more_memory_than_the_file_justifies() {
    for count in [20_000_000_u64, 4_000_000_000, u64::MAX] {
        let mut gltf = Gltf::skinned_triangle();
        gltf.set("/accessors/4", json!({ "componentType": 5126, "type": "SCALAR", "count": count }));
        assert_eq!(gltf.errors(), [(ids::MEMORY_BUDGET, "accessors[4]".to_owned())]);
    }
}

#[test]
fn nan_and_infinity_are_errors_that_name_the_element() {
    for (accessor, element) in [(0, 2), (2, 1), (3, 1), (4, 1), (5, 0)] {
        for value in [f32::NAN, f32::INFINITY] {
            let mut gltf = Gltf::skinned_triangle();
            let view = &gltf.json["bufferViews"][accessor];
            let start = usize::try_from(view["byteOffset"].as_u64().expect("an offset")).expect("small");
            let size = [12, 4, 16, 64, 4, 16][accessor];
            gltf.buffer[start + element * size..][..4].copy_from_slice(&value.to_le_bytes());
            let error = gltf.import().map(|import| import.warnings).expect_err("an error");
            let problem = &error.diagnostics()[0];
            assert_eq!(
                (problem.id, problem.path.as_str()),
                (ids::ACCESSOR_NOT_FINITE, &*format!("accessors[{accessor}]"))
            );
            assert!(problem.what.starts_with(&format!("element {element} ")), "{problem}");
        }
    }
}

#[test]
fn stated_minima_and_maxima_are_not_trusted() {
    let mut gltf = Gltf::new();
    gltf.floats("VEC3", &[1.0, 2.0, 3.0]);
    gltf.set("/accessors/0/min", json!([100.0, 100.0, 100.0]));
    gltf.set("/accessors/0/max", json!("nonsense"));
    assert_eq!(positions(&mut gltf), [[1.0, 2.0, 3.0]]);
}

#[test]
fn whole_numbers_may_be_written_with_a_fraction() {
    let mut gltf = Gltf::new();
    gltf.floats("VEC3", &[1.0, 2.0, 3.0]);
    gltf.set("/accessors/0/count", json!(1.0));
    gltf.set("/accessors/0/componentType", json!(5.126e3));
    assert_eq!(positions(&mut gltf), [[1.0, 2.0, 3.0]]);
}

#[test]
fn a_thousand_readers_of_one_accessor_share_its_data() {
    let mut gltf = Gltf::new();
    gltf.floats("VEC3", &[1.0, 2.0, 3.0]);
    let primitives = vec![json!({ "attributes": { "POSITION": 0 }, "mode": 0 }); 1000];
    gltf.push("meshes", json!({ "primitives": primitives }));
    let asset = gltf.import().expect("success").asset;
    let primitives = &asset.meshes[0].primitives;
    assert!(primitives.iter().all(|p| std::sync::Arc::ptr_eq(&p.positions, &primitives[0].positions)));
    assert_eq!(primitives.len(), 1000);
}
