//! Which extensions a file may require, and the ones that change geometry or animation.

use super::document::Document;
use super::problems::Problems;
use crate::diagnostics::Diagnostic;
use crate::ids;

/// Quantised attributes.
pub(super) const MESH_QUANTIZATION: &str = "KHR_mesh_quantization";
/// Draco.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
/// meshoptimizer, under both of its names.
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// Extensions that a file may require besides `KHR_materials_*`: those that are read, and those that change neither
/// geometry nor animation. Images that an extension brings in another format are a warning where they are used.
const SUPPORTED: [&str; 18] = [
    MESH_QUANTIZATION,
    "KHR_texture_transform",
    "KHR_lights_punctual",
    "KHR_xmp",
    "KHR_xmp_json_ld",
    "KHR_texture_basisu",
    "KHR_techniques_webgl",
    "KHR_audio_emitter",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "EXT_texture_webp",
    "EXT_texture_avif",
    "EXT_texture_astc",
    "EXT_lights_image_based",
    "EXT_lights_ies",
    "EXT_mesh_features",
    "EXT_structural_metadata",
    "MSFT_texture_dds",
];

/// Checks `extensionsRequired`; every unsupported one is an error of its own.
pub(super) fn check_required(document: &Document<'_>, problems: &mut Problems) {
    for (number, name) in document.extensions_required.iter().enumerate() {
        if name.starts_with("KHR_materials_") || SUPPORTED.contains(&name.as_str()) {
            continue;
        }
        problems.push(unsupported(format!("extensionsRequired[{number}]"), name));
    }
}

/// The file declares an extension.
pub(super) fn declared(document: &Document<'_>, name: &str) -> bool {
    document.extensions_used.iter().chain(&document.extensions_required).any(|declared| declared == name)
}

/// An error that names an extension and says what to do.
pub(super) fn unsupported(path: impl Into<String>, name: &str) -> Diagnostic {
    let help = match name {
        DRACO => "export without Draco mesh compression, or undo it: gltf-transform copy IN OUT",
        "EXT_mesh_gpu_instancing" => "export with the instances as nodes of their own",
        _ if MESHOPT.contains(&name) => {
            "export without meshopt compression, or undo it: gltf-transform copy IN OUT"
        }
        _ => "export without this extension",
    };
    Diagnostic::error(
        ids::EXTENSION_UNSUPPORTED,
        path,
        format!("the file needs {name}, which is not supported"),
    )
    .expected_found("no such requirement", name)
    .help(help)
}
