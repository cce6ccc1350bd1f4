//! Containers, buffers and URIs: GLB and JSON, data URIs in every spelling, external files, and files that are no glTF.

mod support;

use std::cell::RefCell;
use std::sync::Mutex;

use anim_bake::gltf::import;
use anim_bake::ids;
use base64::Engine;
use serde_json::json;
use sha2::{Digest, Sha256};
use support::{Gltf, errors, glb, import_bytes, no_files, pairs};

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn a_glb_and_a_gltf_with_an_external_buffer_are_the_same_model() {
    let gltf = Gltf::skinned_triangle();
    let from_glb = gltf.import().expect("success");
    let buffer = gltf.buffer.clone();
    let asked = Mutex::new(Vec::new());
    let resolver = |path: &str| {
        asked.lock().expect("a lock").push(path.to_owned());
        Ok(buffer.clone())
    };
    let text = gltf.gltf();
    let from_gltf = import(&text, &resolver, None).expect("success");
    assert_eq!(*asked.lock().expect("a lock"), ["data.bin"]);
    assert_eq!(format!("{:?}", from_glb.asset), format!("{:?}", from_gltf.asset));
    let hash: [u8; 32] = Sha256::new().chain_update(&text).chain_update(&gltf.buffer).finalize().into();
    assert_eq!(from_gltf.source_sha256, hash);
    let hash: [u8; 32] = Sha256::digest(gltf.glb()).into();
    assert_eq!(from_glb.source_sha256, hash);
}

#[test]
fn a_buffer_may_be_a_data_uri_of_any_type_in_a_gltf_and_in_a_glb() {
    let gltf = Gltf::skinned_triangle();
    let data = base64(&gltf.buffer);
    let percent: String = gltf.buffer.iter().map(|byte| format!("%{byte:02X}")).collect();
    let uris = [
        format!("data:application/octet-stream;base64,{data}"),
        format!("data:application/gltf-buffer;base64,{data}"),
        format!("data:;base64,{}", data.trim_end_matches('=')),
        format!("data:,{percent}"),
    ];
    for uri in uris {
        let mut gltf = gltf.clone();
        gltf.json["buffers"] = json!([{ "byteLength": gltf.buffer.len(), "uri": uri }]);
        import_bytes(&gltf.gltf()).unwrap_or_else(|error| panic!("{error}"));
        let json = serde_json::to_vec(&gltf.json).expect("JSON");
        import_bytes(&glb(&json, None)).unwrap_or_else(|error| panic!("{error}"));
        // The binary chunk is somebody else's then.
        import_bytes(&glb(&json, Some(&[1, 2, 3]))).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn external_paths_are_percent_decoded_and_asked_for_once() {
    let mut gltf = Gltf::skinned_triangle();
    let length = gltf.buffer.len();
    gltf.json["buffers"] = json!([
        { "byteLength": length, "uri": "my%20folder/t%C3%AFp.bin" },
        { "byteLength": length - 1, "uri": "my folder/t\u{ef}p.bin" },
    ]);
    let asked = Mutex::new(Vec::new());
    let buffer = gltf.buffer.clone();
    let resolver = |path: &str| {
        asked.lock().expect("a lock").push(path.to_owned());
        Ok(buffer.clone())
    };
    import(&gltf.gltf(), &resolver, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(*asked.lock().expect("a lock"), ["my folder/t\u{ef}p.bin"]);
}

#[test]
fn uris_that_are_not_relative_paths_are_refused_without_asking_for_them() {
    for uri in ["http://example.com/a.bin", "file:///a.bin", "C:\\a.bin", "/a.bin", "data:;base64,@@", ""] {
        let mut gltf = Gltf::skinned_triangle();
        gltf.json["buffers"] = json!([{ "byteLength": gltf.buffer.len(), "uri": uri }]);
        let asked = |path: &str| -> std::io::Result<Vec<u8>> { panic!("asked for {path}") };
        let found = errors(import(&gltf.gltf(), &asked, None));
        assert_eq!(found, [(ids::URI_UNSUPPORTED, "buffers[0].uri".to_owned())], "{uri}");
    }
}

#[test]
fn a_buffer_that_cannot_be_read_is_an_error_that_names_it() {
    let gltf = Gltf::skinned_triangle();
    let error = import(&gltf.gltf(), &no_files, None).map(|import| import.warnings).expect_err("an error");
    let problem = &error.diagnostics()[0];
    assert_eq!((problem.id, problem.path.as_str()), (ids::BUFFER_UNREADABLE, "buffers[0].uri"));
    assert!(problem.what.contains("data.bin") && problem.what.contains("is not there"), "{problem}");
    assert_eq!(error.diagnostics().len(), 1, "what follows from it is not listed: {error}");
}

#[test]
fn a_buffer_may_be_longer_than_it_states_but_not_shorter() {
    let mut gltf = Gltf::skinned_triangle();
    let length = gltf.buffer.len();
    gltf.json["buffers"] = json!([{ "byteLength": length }]);
    gltf.buffer.extend([0; 3]);
    gltf.import().unwrap_or_else(|error| panic!("{error}"));
    for stated in [length + 8, 10_000_000_000, usize::MAX] {
        gltf.json["buffers"] = json!([{ "byteLength": stated }]);
        let expected = [(ids::BUFFER_TOO_SHORT, "buffers[0].byteLength".to_owned())];
        assert_eq!(gltf.errors(), expected);
    }
}

#[test]
fn a_buffer_without_any_data_is_an_error() {
    let mut gltf = Gltf::skinned_triangle();
    gltf.json["buffers"] = json!([{ "byteLength": gltf.buffer.len() }]);
    let found = errors(import_bytes(&gltf.gltf()));
    assert_eq!(found, [(ids::BUFFER_WITHOUT_DATA, "buffers[0]".to_owned())]);
    // Only the first buffer can be the binary chunk.
    gltf.push("buffers", json!({ "byteLength": 4 }));
    assert_eq!(gltf.errors(), [(ids::BUFFER_WITHOUT_DATA, "buffers[1]".to_owned())]);
}

#[test]
fn byte_order_marks_spaces_and_zero_padding_around_the_json_are_tolerated() {
    let json = br#"{"asset":{"version":"2.0"}}"#;
    let with_mark = [b"\xEF\xBB\xBF".as_slice(), json].concat();
    for text in [with_mark.clone(), [b" \n\t".as_slice(), json, b"\r\n "].concat()] {
        import_bytes(&text).unwrap_or_else(|error| panic!("{error}"));
    }
    let zero_padded = [json.as_slice(), b"\0"].concat();
    for text in [json.to_vec(), with_mark, zero_padded] {
        import_bytes(&glb(&text, None)).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn bytes_after_the_end_of_a_glb_are_a_warning() {
    let mut bytes = glb(br#"{"asset":{"version":"2.0"}}"#, None);
    bytes.extend(b"more");
    let import = import_bytes(&bytes).expect("success");
    assert_eq!(pairs(&import.warnings), [(ids::GLB_TRAILING_BYTES, String::new())]);
}

#[test]
fn broken_glb_containers_are_errors() {
    let good = Gltf::skinned_triangle().glb();
    let changed = |at: usize, bytes: &[u8]| {
        let mut file = good.clone();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    let binary_first = glb(b"", None)[..12].to_vec();
    let cases = [
        (b"glTF".to_vec(), ids::GLB_TRUNCATED),
        (changed(4, &[1, 0, 0, 0]), ids::GLB_VERSION),
        (changed(4, &[3, 0, 0, 0]), ids::GLB_VERSION),
        (changed(8, &[255, 255, 255, 255]), ids::GLB_TRUNCATED),
        (changed(8, &[20, 0, 0, 0]), ids::GLB_CHUNK),
        (changed(8, &[12, 0, 0, 0]), ids::GLB_CHUNK),
        (changed(12, &[255, 255, 255, 255]), ids::GLB_CHUNK),
        (changed(16, b"BIN\0"), ids::GLB_CHUNK),
        (binary_first, ids::GLB_TRUNCATED),
    ];
    for (file, id) in cases {
        assert_eq!(errors(import_bytes(&file))[0].0, id);
    }
}

#[test]
fn chunks_of_other_kinds_are_ignored() {
    let mut bytes = Gltf::skinned_triangle().glb();
    bytes.extend(4_u32.to_le_bytes());
    bytes.extend(b"MINEdata");
    let length = u32::try_from(bytes.len()).expect("short");
    bytes[8..12].copy_from_slice(&length.to_le_bytes());
    import_bytes(&bytes).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn other_files_are_recognised_and_the_error_says_how_to_get_gltf() {
    let cases: [(&[u8], &str, &str); 18] = [
        (b"Kaydara FBX Binary  \0\x1a\0", "FBX", "FBX2glTF"),
        (b"; FBX 7.3.0 project file\n", "FBX", "FBX2glTF"),
        (b"ANTX\x01\0\0\0", "already baked", "the glTF that it was baked from"),
        (b"\x89PNG\r\n\x1a\n....", "PNG", "texture"),
        (b"\xFF\xD8\xFF\xE0", "JPEG", "texture"),
        (b"PK\x03\x04....", "zip", "unpack"),
        (b"\x1F\x8B\x08", "gzip", "unpack"),
        (b"BLENDER-v300", "Blender", "export glTF"),
        (b"\x28\xB5\x2F\xFD", "Blender", "export glTF"),
        (b"<?xml version=\"1.0\"?>\n<COLLADA xmlns=\"\">", "COLLADA", "export glTF"),
        (b"<!DOCTYPE html><html>", "web page", "download"),
        (b"# made by hand\nv 1 2 3\nf 1 2 3\n", "OBJ", "export"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS", "git lfs pull"),
        (b"\xFF\xFE{\0", "UTF-16", "UTF-8"),
        (b"[1, 2]", "text that begins with \"[1, 2]\"", "glTF"),
        (b"hello there", "text that begins with", "glTF"),
        (b"\0\x01\x02\x03\x04", "00 01 02 03", "glTF"),
        (b" \n ", "binary", "glTF"),
    ];
    for (bytes, looks_like, help) in cases {
        let error = import_bytes(bytes).map(|import| import.warnings).expect_err("an error");
        let problem = &error.diagnostics()[0];
        assert_eq!(problem.id, ids::INPUT_NOT_GLTF, "{looks_like}");
        assert!(problem.found.contains(looks_like), "{looks_like}: {}", problem.found);
        assert!(problem.help.contains(help), "{help}: {}", problem.help);
    }
    assert_eq!(errors(import_bytes(b""))[0].0, ids::INPUT_EMPTY);
}

#[test]
fn text_that_is_not_the_json_of_a_gltf_is_an_error_at_its_place() {
    let deep = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{}{}]}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let cases: [(&[u8], &str, &str); 9] = [
        (b"{", ids::JSON_INVALID, ""),
        (b"{} {}", ids::JSON_INVALID, ""),
        (b"{\"nodes\":\"\xFF\"}", ids::JSON_ENCODING, ""),
        (br#"{"nodes":7}"#, ids::JSON_INVALID, "nodes"),
        (br#"{"asset":{"version":"2.0"},"nodes":[7]}"#, ids::JSON_INVALID, "nodes[0]"),
        (br#"{"asset":{"version":"2.0"},"nodes":[{"scale":[1,2]}]}"#, ids::JSON_INVALID, "nodes[0].scale"),
        (
            br#"{"asset":{"version":"2.0"},"nodes":[{"scale":[1,2,"x"]}]}"#,
            ids::JSON_INVALID,
            "nodes[0].scale[2]",
        ),
        (
            br#"{"asset":{"version":"2.0"},"nodes":[{"scale":[1,2,1e39]}]}"#,
            ids::NUMBER_NOT_FINITE,
            "nodes[0].scale[2]",
        ),
        (deep.as_bytes(), ids::JSON_INVALID, "nodes[0]"),
    ];
    for (text, id, path) in cases {
        let shown = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
        assert_eq!(errors(import_bytes(text)), [(id, path.to_owned())], "{shown}");
    }
}

#[test]
fn only_version_2_is_read() {
    for asset in [json!({ "version": "1.0" }), json!({ "version": "3.0" }), json!({ "version": "two" })] {
        let gltf = Gltf { json: json!({ "asset": asset }), buffer: Vec::new() };
        assert_eq!(gltf.errors(), [(ids::ASSET_VERSION, "asset.version".to_owned())]);
    }
    let newer = Gltf { json: json!({ "asset": { "version": "2.1" } }), buffer: Vec::new() };
    newer.import().unwrap_or_else(|error| panic!("{error}"));
    let gltf =
        Gltf { json: json!({ "asset": { "version": "2.1", "minVersion": "2.1" } }), buffer: Vec::new() };
    assert_eq!(gltf.errors(), [(ids::ASSET_VERSION, "asset.minVersion".to_owned())]);
    let gltf = Gltf { json: json!({ "nodes": [] }), buffer: Vec::new() };
    assert_eq!(gltf.errors(), [(ids::ASSET_VERSION, "asset".to_owned())]);
}

#[test]
fn a_file_with_nothing_in_it_is_an_empty_asset() {
    let import = Gltf::new().import().expect("success");
    assert!(import.asset.nodes.is_empty() && import.asset.clips.is_empty() && import.warnings.is_empty());
}

#[test]
fn each_unsupported_required_extension_is_an_error_that_names_it() {
    let mut gltf = Gltf::new();
    let names = [
        "KHR_materials_unlit",
        "KHR_draco_mesh_compression",
        "KHR_texture_transform",
        "EXT_mesh_gpu_instancing",
        "KHR_meshopt_compression",
        "ACME_secret",
        "KHR_lights_punctual",
    ];
    gltf.json["extensionsRequired"] = json!(names);
    let error = gltf.import().map(|import| import.warnings).expect_err("an error");
    let found: Vec<_> = error.diagnostics().iter().map(|p| (p.id, p.path.as_str())).collect();
    let expected = [1, 3, 4, 5].map(|n: usize| format!("extensionsRequired[{n}]"));
    assert_eq!(found, expected.each_ref().map(|path| (ids::EXTENSION_UNSUPPORTED, path.as_str())));
    for (problem, name) in error.diagnostics().iter().zip([1, 3, 4, 5].map(|n: usize| names[n])) {
        assert!(problem.what.contains(name), "{problem}");
    }
}

#[test]
fn compressed_data_with_an_uncompressed_twin_is_read_and_without_it_is_refused() {
    let mut gltf = Gltf::skinned_triangle();
    let draco = json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": {} } });
    gltf.set("/meshes/0/primitives/0/extensions", draco);
    gltf.import().unwrap_or_else(|error| panic!("{error}"));
    gltf.set("/accessors/0", json!({ "componentType": 5126, "type": "VEC3", "count": 3 }));
    let path = "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression".to_owned();
    assert_eq!(gltf.errors(), [(ids::EXTENSION_UNSUPPORTED, path)]);

    let mut gltf = Gltf::skinned_triangle();
    let meshopt =
        json!({ "EXT_meshopt_compression": { "buffer": 0, "byteLength": 4, "byteStride": 4, "count": 1 } });
    gltf.set("/bufferViews/0/extensions", meshopt);
    gltf.import().unwrap_or_else(|error| panic!("{error}"));
    let fallback = json!({ "EXT_meshopt_compression": { "fallback": true } });
    gltf.json["buffers"] =
        json!([{ "byteLength": gltf.buffer.len() }, { "byteLength": 100, "extensions": fallback }]);
    gltf.set("/bufferViews/0/buffer", json!(1));
    let path = "buffers[1].extensions.EXT_meshopt_compression".to_owned();
    assert_eq!(gltf.errors(), [(ids::EXTENSION_UNSUPPORTED, path)]);
}

#[test]
fn images_are_asked_for_only_if_a_base_colour_uses_them() {
    let png = b"\x89PNG\r\n\x1a\n rest".to_vec();
    let mut gltf = Gltf::new();
    let view = gltf.view(&png);
    for image in [
        json!({ "uri": "color.png", "name": "color" }),
        json!({ "uri": "normal.png" }),
        json!({ "bufferView": view, "mimeType": "image/png" }),
        json!({ "uri": format!("data:image/jpeg;base64,{}", base64(b"\xFF\xD8\xFF\xE0")) }),
        json!({ "uri": "gone.png" }),
        json!({ "uri": format!("data:image/webp;base64,{}", base64(b"RIFF\0\0\0\0WEBPVP8 ")) }),
    ] {
        let image = gltf.push("images", image);
        gltf.push("textures", json!({ "source": image }));
    }
    gltf.push("textures", json!({ "extensions": { "KHR_texture_basisu": { "source": 0 } } }));
    for texture in [0, 2, 3, 4, 5, 6] {
        let pbr = json!({ "baseColorTexture": { "index": texture } });
        gltf.push("materials", json!({ "pbrMetallicRoughness": pbr, "normalTexture": { "index": 1 } }));
    }
    let asked = Mutex::new(RefCell::new(Vec::new()));
    let resolver = |path: &str| {
        asked.lock().expect("a lock").borrow_mut().push(path.to_owned());
        if path == "color.png" { Ok(png.clone()) } else { no_files(path) }
    };
    let import = import(&gltf.glb(), &resolver, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(*asked.lock().expect("a lock").borrow(), ["color.png", "gone.png"]);
    let formats: Vec<_> = import.asset.images.iter().map(|i| i.content.as_ref().map(|c| c.0)).collect();
    use anim_format::model::ImageFormat::{Jpeg, Png};
    assert_eq!(formats, [Some(Png), None, Some(Png), Some(Jpeg), None, None]);
    assert_eq!(import.asset.images[0].content.as_ref().map(|c| &*c.1), Some(&*png));
    assert_eq!(import.asset.images[0].name, "color");
    assert_eq!(import.asset.images[1].name, "normal.png");
    assert_eq!(
        pairs(&import.warnings),
        [
            (ids::IMAGE_FORMAT, "textures[6]".to_owned()),
            (ids::IMAGE_MISSING, "images[4]".to_owned()),
            (ids::IMAGE_FORMAT, "images[5]".to_owned()),
        ]
    );
    let images: Vec<_> = import.asset.materials.iter().map(|material| material.image).collect();
    assert_eq!(images, [Some(0), Some(2), Some(3), Some(4), Some(5), None]);
}
