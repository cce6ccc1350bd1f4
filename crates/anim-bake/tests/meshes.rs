//! Meshes and materials: attributes, triangles, morph targets, texture coordinates, base colours.

mod support;

use anim_bake::ids;
use anim_bake::source::SourcePrimitive;
use anim_format::model::{Alpha, Sampler, Wrap};
use serde_json::json;
use support::Gltf;

/// A mesh of one primitive with `vertices` vertices at `(n, 0, 0)`.
fn mesh(vertices: u16) -> Gltf {
    let mut gltf = Gltf::new();
    let positions: Vec<f32> = (0..vertices).flat_map(|n| [f32::from(n), 0.0, 0.0]).collect();
    gltf.floats("VEC3", &positions);
    gltf.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 } }] }));
    gltf
}

fn primitive(gltf: &Gltf) -> SourcePrimitive {
    gltf.import().unwrap_or_else(|error| panic!("{error}")).asset.meshes[0].primitives[0].clone()
}

#[test]
fn lists_strips_and_fans_become_triangle_lists_with_the_winding_of_the_specification() {
    let cases: [(u32, u16, &[u32]); 3] = [
        (4, 6, &[0, 1, 2, 3, 4, 5]),
        (5, 5, &[0, 1, 2, 1, 3, 2, 2, 3, 4]),
        (6, 5, &[1, 2, 0, 2, 3, 0, 3, 4, 0]),
    ];
    for (mode, vertices, expected) in cases {
        let mut gltf = mesh(vertices);
        gltf.set("/meshes/0/primitives/0/mode", json!(mode));
        assert_eq!(*primitive(&gltf).triangles, *expected, "{mode} without indices");
        // The same through indices that turn the order round.
        let last = vertices - 1;
        let reversed: Vec<u16> = (0..vertices).rev().collect();
        let indices = gltf.shorts("SCALAR", usize::from(vertices), &reversed);
        gltf.set("/meshes/0/primitives/0/indices", json!(indices));
        let expected: Vec<u32> = expected.iter().map(|index| u32::from(last) - index).collect();
        assert_eq!(*primitive(&gltf).triangles, *expected, "{mode} with indices");
    }
}

#[test]
fn points_and_lines_keep_their_vertices_and_have_no_triangles() {
    for mode in 0..4 {
        let mut gltf = mesh(4);
        gltf.set("/meshes/0/primitives/0/mode", json!(mode));
        let primitive = primitive(&gltf);
        assert!(primitive.not_triangles && primitive.triangles.is_empty());
        assert_eq!(primitive.positions.len(), 4);
    }
    let mut gltf = mesh(4);
    gltf.set("/meshes/0/primitives/0/mode", json!(7));
    assert_eq!(gltf.errors(), [(ids::PRIMITIVE_MODE, "meshes[0].primitives[0].mode".to_owned())]);
}

#[test]
fn incomplete_triangles_are_dropped_with_a_warning() {
    for (mode, vertices, kept) in [(4, 5, 3), (4, 2, 0), (5, 2, 0), (6, 1, 0)] {
        let mut gltf = mesh(vertices);
        gltf.set("/meshes/0/primitives/0/mode", json!(mode));
        assert_eq!(gltf.warnings(), [(ids::TRIANGLE_INCOMPLETE, "meshes[0].primitives[0]".to_owned())]);
        assert_eq!(primitive(&gltf).triangles.len(), kept);
    }
}

#[test]
fn degenerate_triangles_are_kept() {
    let mut gltf = mesh(3);
    let indices = gltf.bytes("SCALAR", 6, &[0, 1, 2, 1, 1, 1]);
    gltf.set("/meshes/0/primitives/0/indices", json!(indices));
    assert_eq!(*primitive(&gltf).triangles, [0, 1, 2, 1, 1, 1]);
}

#[test]
fn indices_are_checked_in_every_type_and_mode() {
    let widths: [(u32, usize); 3] = [(5121, 1), (5123, 2), (5125, 4)];
    for (component, width) in widths {
        for mode in [0, 1, 4, 5] {
            for (bad, id) in [
                (3_u32.to_le_bytes(), ids::VERTEX_INDEX_OUT_OF_RANGE),
                (u32::MAX.to_le_bytes(), ids::PRIMITIVE_RESTART),
            ] {
                let mut gltf = mesh(3);
                let mut bytes = vec![0; 5 * width];
                bytes.extend_from_slice(&bad[..width]);
                let indices = gltf.accessor(&bytes, component, "SCALAR", 6);
                gltf.set("/meshes/0/primitives/0/indices", json!(indices));
                gltf.set("/meshes/0/primitives/0/mode", json!(mode));
                let error = gltf.import().map(|import| import.warnings).expect_err("an error");
                let problem = &error.diagnostics()[0];
                assert_eq!((problem.id, problem.path.as_str()), (id, "meshes[0].primitives[0].indices"));
                assert!(problem.what.starts_with("index 5 "), "{problem}");
            }
        }
    }
}

#[test]
fn indices_above_16_bits_are_read() {
    let mut gltf = Gltf::new();
    gltf.push("accessors", json!({ "componentType": 5126, "type": "VEC3", "count": 70_000 }));
    let indices = [0_u32, 65_536, 69_999];
    let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
    let accessor = gltf.accessor(&bytes, 5125, "SCALAR", 3);
    gltf.push("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": accessor }] }));
    assert_eq!(*primitive(&gltf).triangles, indices);
}

#[test]
fn a_primitive_without_positions_is_empty_and_keeps_the_numbers_of_the_others() {
    let mut gltf = mesh(3);
    gltf.set("/meshes/0/primitives", json!([{ "attributes": {} }, { "attributes": { "POSITION": 0 } }]));
    let path = "meshes[0].primitives[0].attributes".to_owned();
    assert_eq!(gltf.warnings(), [(ids::PRIMITIVE_WITHOUT_POSITIONS, path)]);
    let primitives = &gltf.import().expect("success").asset.meshes[0].primitives;
    assert!(primitives[0].positions.is_empty() && primitives[0].triangles.is_empty());
    assert_eq!(primitives[1].positions.len(), 3);
}

#[test]
fn normals_and_tangents_become_unit_vectors_and_zero_stays_zero() {
    let mut gltf = mesh(3);
    let normals = gltf.floats("VEC3", &[0.0, 0.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    let tangents = gltf.floats("VEC4", &[5.0, 0.0, 0.0, -0.9, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    gltf.set("/meshes/0/primitives/0/attributes/NORMAL", json!(normals));
    gltf.set("/meshes/0/primitives/0/attributes/TANGENT", json!(tangents));
    let primitive = primitive(&gltf);
    assert_eq!(primitive.normals.as_deref(), Some(&[[0.0, 0.0, 1.0], [0.6, 0.8, 0.0], [0.0; 3]][..]));
    let expected = [[1.0, 0.0, 0.0, -1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]];
    assert_eq!(primitive.tangents.as_deref(), Some(&expected[..]));
    assert!(primitive.uvs.is_none());
}

#[test]
fn eighty_morph_targets_are_read() {
    let mut gltf = mesh(3);
    let target = gltf.floats("VEC3", &[1.0; 9]);
    gltf.set("/meshes/0/primitives/0/targets", json!(vec![json!({ "POSITION": target }); 80]));
    gltf.push("nodes", json!({ "mesh": 0 }));
    let asset = gltf.import().unwrap_or_else(|error| panic!("{error}")).asset;
    assert_eq!(asset.meshes[0].primitives[0].morph_targets.len(), 80);
    assert_eq!(asset.nodes[0].weights, [0.0; 80]);
}

#[test]
fn morph_weights_come_from_the_node_then_the_mesh_then_are_zero() {
    let mut gltf = mesh(3);
    let target = gltf.floats("VEC3", &[1.0; 9]);
    gltf.set("/meshes/0/primitives/0/targets", json!([{ "POSITION": target }, { "NORMAL": target }]));
    gltf.push("nodes", json!({ "mesh": 0 }));
    gltf.push("nodes", json!({ "mesh": 0, "weights": [0.25, 1] }));
    gltf.push("nodes", json!({}));
    let weights = |gltf: &Gltf| -> Vec<Vec<f32>> {
        gltf.import().expect("success").asset.nodes.iter().map(|node| node.weights.clone()).collect()
    };
    assert_eq!(weights(&gltf), [vec![0.0, 0.0], vec![0.25, 1.0], vec![]]);
    gltf.set("/meshes/0/weights", json!([0.5, 0]));
    assert_eq!(weights(&gltf), [vec![0.5, 0.0], vec![0.25, 1.0], vec![]]);
    gltf.set("/meshes/0/weights", json!([0.5]));
    gltf.set("/nodes/1/weights", json!([1, 2, 3]));
    let expected = [(ids::MORPH_WEIGHT_COUNT, "meshes[0].weights".to_owned())];
    assert_eq!(gltf.errors(), expected);
    gltf.set("/meshes/0/weights", json!([0.5, 0]));
    assert_eq!(gltf.errors(), [(ids::MORPH_WEIGHT_COUNT, "nodes[1].weights".to_owned())]);
}

#[test]
fn primitives_of_a_mesh_have_equally_many_morph_targets() {
    let mut gltf = mesh(3);
    let target = gltf.floats("VEC3", &[1.0; 9]);
    let with = json!({ "attributes": { "POSITION": 0 }, "targets": [{ "POSITION": target }] });
    gltf.set("/meshes/0/primitives", json!([with, { "attributes": { "POSITION": 0 } }]));
    assert_eq!(gltf.errors(), [(ids::MORPH_TARGET_COUNT, "meshes[0].primitives[1].targets".to_owned())]);
}

#[test]
fn vertex_colours_are_a_warning() {
    let mut gltf = mesh(3);
    gltf.set("/meshes/0/primitives/0/attributes/COLOR_0", json!(0));
    assert_eq!(
        gltf.warnings(),
        [(ids::VERTEX_COLORS_LOST, "meshes[0].primitives[0].attributes.COLOR_0".to_owned())]
    );
    assert!(primitive(&gltf).has_colors);
}

/// A textured quad whose TEXCOORD_0 is all 0.25 and TEXCOORD_1 is `(1, 0), (0, 1), (1, 1)`.
fn textured(info: serde_json::Value) -> Gltf {
    let mut gltf = mesh(3);
    let first = gltf.floats("VEC2", &[0.25; 6]);
    let second = gltf.accessor(&[255, 0, 0, 0, 0, 255, 0, 0, 255, 255], 5121, "VEC2", 3);
    gltf.set(&format!("/accessors/{second}/normalized"), json!(true));
    gltf.set("/bufferViews/2/byteStride", json!(4));
    gltf.set("/meshes/0/primitives/0/attributes/TEXCOORD_0", json!(first));
    gltf.set("/meshes/0/primitives/0/attributes/TEXCOORD_1", json!(second));
    gltf.set("/meshes/0/primitives/0/material", json!(0));
    gltf.push("images", json!({ "uri": "data:;base64,iVBORw0KGgo=" }));
    gltf.push("textures", json!({ "source": 0 }));
    gltf.push("materials", json!({ "pbrMetallicRoughness": { "baseColorTexture": info } }));
    gltf
}

#[test]
fn the_material_chooses_the_set_of_texture_coordinates() {
    let uvs = |info: serde_json::Value| primitive(&textured(info)).uvs.expect("coordinates").to_vec();
    assert_eq!(uvs(json!({ "index": 0 })), [[0.25; 2]; 3]);
    let second = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    assert_eq!(uvs(json!({ "index": 0, "texCoord": 1 })), second);
    let override_set = json!({ "KHR_texture_transform": { "texCoord": 1 } });
    assert_eq!(uvs(json!({ "index": 0, "extensions": override_set })), second);
    let gltf = textured(json!({ "index": 0, "texCoord": 2 }));
    assert_eq!(gltf.warnings(), [(ids::TEXCOORD_MISSING, "meshes[0].primitives[0].attributes".to_owned())]);
}

#[test]
fn a_texture_transform_is_baked_into_the_coordinates() {
    let transform = json!({
        "offset": [0.5, 0.25], "scale": [2, 3], "rotation": std::f64::consts::FRAC_PI_2, "texCoord": 1
    });
    let gltf = textured(json!({ "index": 0, "extensions": { "KHR_texture_transform": transform } }));
    let uvs = primitive(&gltf).uvs.expect("coordinates");
    // Scaled to (2, 0), (0, 3), (2, 3); turned counter-clockwise on an image whose v points down: (u, v) -> (v, -u).
    let expected = [[0.5, -1.75], [3.5, 0.25], [3.5, -1.75]];
    for (found, expected) in uvs.iter().flatten().zip(expected.as_flattened()) {
        assert!((found - expected).abs() < 1e-6, "{uvs:?}");
    }
}

#[test]
fn materials_keep_colour_sampler_alpha_and_sides() {
    let mut gltf = Gltf::new();
    gltf.push("images", json!({ "uri": "data:;base64,iVBORw0KGgo=" }));
    gltf.push("samplers", json!({ "wrapS": 33071, "wrapT": 33648, "magFilter": 9728, "minFilter": 9986 }));
    gltf.push("textures", json!({ "source": 0, "sampler": 0 }));
    gltf.push(
        "materials",
        json!({
            "name": "leaf", "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": true,
            "pbrMetallicRoughness": { "baseColorFactor": [1, 0.5, 0.25, 0], "baseColorTexture": { "index": 0 } },
        }),
    );
    gltf.push("materials", json!({ "alphaMode": "BLEND" }));
    gltf.push("materials", json!({ "alphaMode": "MASK" }));
    let diffuse = json!({ "diffuseFactor": [0, 1, 0, 1], "diffuseTexture": { "index": 0 } });
    gltf.push("materials", json!({ "extensions": { "KHR_materials_pbrSpecularGlossiness": diffuse } }));
    assert_eq!(gltf.warnings(), [(ids::ALPHA_BLEND_DRAWN_OPAQUE, "materials[1].alphaMode".to_owned())]);
    let materials = gltf.import().expect("success").asset.materials;
    assert_eq!(materials[0].base_color, [1.0, 0.5, 0.25, 0.0]);
    assert_eq!((materials[0].image, materials[0].double_sided), (Some(0), true));
    let sampler = Sampler { wrap_u: Wrap::Clamp, wrap_v: Wrap::Mirror, mag_nearest: true, min_nearest: true };
    assert_eq!(materials[0].sampler, sampler);
    assert_eq!(materials[0].alpha, Alpha::Mask { cutoff: 0.25 });
    assert_eq!((materials[1].alpha, materials[1].sampler), (Alpha::Blend, Sampler::default()));
    assert_eq!(materials[2].alpha, Alpha::Mask { cutoff: 0.5 });
    assert_eq!((materials[3].base_color, materials[3].image), ([0.0, 1.0, 0.0, 1.0], Some(0)));
}

#[test]
fn broken_references_and_values_of_materials_are_errors() {
    let texture = |index: u32| json!({ "pbrMetallicRoughness": { "baseColorTexture": { "index": index } } });
    let cases = [
        (
            "/materials/0",
            texture(5),
            ids::INDEX_OUT_OF_RANGE,
            "materials[0].pbrMetallicRoughness.baseColorTexture.index",
        ),
        ("/textures/0/source", json!(5), ids::INDEX_OUT_OF_RANGE, "textures[0].source"),
        ("/textures/0/sampler", json!(5), ids::INDEX_OUT_OF_RANGE, "textures[0].sampler"),
        ("/materials/0/alphaMode", json!("GLASS"), ids::MATERIAL_INVALID, "materials[0].alphaMode"),
        ("/samplers/0/wrapS", json!(1), ids::MATERIAL_INVALID, "samplers[0].wrapS"),
        ("/samplers/0/minFilter", json!(1), ids::MATERIAL_INVALID, "samplers[0].minFilter"),
        ("/images/0/bufferView", json!(5), ids::INDEX_OUT_OF_RANGE, "images[0].bufferView"),
    ];
    for (pointer, value, id, path) in cases {
        let mut gltf = Gltf::new();
        gltf.push("images", json!({ "uri": "data:;base64,iVBORw0KGgo=" }));
        gltf.push("samplers", json!({}));
        gltf.push("textures", json!({ "source": 0, "sampler": 0 }));
        gltf.push("materials", texture(0));
        gltf.set(pointer, value);
        assert_eq!(gltf.errors(), [(id, path.to_owned())], "{pointer}");
    }
}

#[test]
fn negative_weights_are_an_error_that_names_the_vertex() {
    let mut gltf = Gltf::skinned_triangle();
    let weights = gltf.floats("VEC4", &[1.0, 0.0, 0.0, 0.0, 1.0, -0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    gltf.set("/meshes/0/primitives/0/attributes/WEIGHTS_0", json!(weights));
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    let problem = &error.diagnostics()[0];
    assert_eq!((problem.id, problem.path.as_str()), (ids::WEIGHT_NEGATIVE, "accessors[6]"));
    assert!(problem.what.starts_with("vertex 1 "), "{problem}");
}

#[test]
fn all_influence_sets_are_kept_as_stored() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.set("/meshes/0/primitives/0/attributes/JOINTS_1", json!(1));
    gltf.set("/meshes/0/primitives/0/attributes/WEIGHTS_1", json!(2));
    gltf.set("/meshes/0/primitives/0/attributes/JOINTS_2", json!(1));
    gltf.set("/meshes/0/primitives/0/attributes/WEIGHTS_2", json!(2));
    let sets = primitive(&gltf).influence_sets;
    assert_eq!(sets.len(), 3);
    assert!(
        sets.iter().all(|set| *set.weights == *sets[0].weights && set.weights[1] == [0.5, 0.5, 0.0, 0.0])
    );
    gltf.json["meshes"][0]["primitives"][0]["attributes"]
        .as_object_mut()
        .expect("an object")
        .remove("JOINTS_1");
    let path = "meshes[0].primitives[0].attributes.WEIGHTS_1".to_owned();
    assert_eq!(gltf.errors(), [(ids::INFLUENCES_UNPAIRED, path)]);
}

#[test]
fn joint_numbers_above_255_are_read() {
    let mut gltf = Gltf::skinned_triangle();
    for _ in 0..300 {
        gltf.push("nodes", json!({}));
    }
    let joints = gltf.shorts("VEC4", 3, &[299, 0, 0, 0, 256, 255, 0, 0, 0, 299, 0, 0]);
    gltf.set("/meshes/0/primitives/0/attributes/JOINTS_0", json!(joints));
    gltf.set("/skins/0", json!({ "joints": (3..303).collect::<Vec<_>>() }));
    let sets = primitive(&gltf).influence_sets;
    assert_eq!(*sets[0].joints, [[299, 0, 0, 0], [256, 255, 0, 0], [0, 299, 0, 0]]);
}
