//! What a file was made from, as SHA-256.

use anim_format::model::{Content, Encoding};
use sha2::{Digest, Sha256};

use crate::budget::ErrorLimit;
use crate::evaluate::MeshInstance;
use crate::settings::{BakeSettings, MaskSetting, content_of, encoding_name};
use crate::source::SourceAsset;

/// Hash of vertex order and topology: source node, mesh, primitive, vertex count and triangles of every part, in order.
pub(crate) fn topology_hash(asset: &SourceAsset, instances: &[MeshInstance]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for instance in instances {
        let primitive = &asset.meshes[instance.mesh].primitives[instance.primitive];
        for number in [
            instance.node,
            instance.mesh,
            instance.primitive,
            primitive.positions.len(),
            primitive.triangles.len(),
        ] {
            hash.update((number as u64).to_le_bytes());
        }
        for index in primitive.triangles.iter() {
            hash.update(index.to_le_bytes());
        }
    }
    hash.finalize().into()
}

/// The settings that decide the bytes of a bake as (name, value), sorted by name.
pub(crate) fn settings_list(settings: &BakeSettings) -> Vec<(String, String)> {
    let list = |patterns: &[String]| patterns.join(", ");
    let encodings: Vec<&str> = settings.encodings_in_order().into_iter().map(encoding_name).collect();
    let mask = |mask: &MaskSetting| format!("{}={}", mask.name, mask.nodes.join(","));
    let masks: Vec<String> = settings.masks.iter().map(mask).collect();
    let mut pairs = vec![
        ("rate", settings.rate_hz.map_or_else(|| "detected".into(), |rate| rate.to_string())),
        ("encoding", encodings.join(", ")),
        ("max-texture-size", settings.max_texture_size.to_string()),
        ("clip", list(&settings.clips)),
        ("attach", list(&settings.attach)),
        ("mask", masks.join("; ")),
        ("loop", list(&settings.loop_clips)),
        ("once", list(&settings.once_clips)),
        ("ping-pong", list(&settings.ping_pong_clips)),
        ("max-influences", settings.max_influences.to_string()),
        ("scene", settings.scene.clone().unwrap_or_default()),
        ("trim", settings.trim.to_string()),
        ("mesh", settings.mesh.to_string()),
        ("images", if settings.images { "base" } else { "none" }.to_owned()),
    ];
    if let Some(budget) = &settings.budget {
        let error = budget.max_error.map(|limit| match limit {
            ErrorLimit::OfModelSize(share) => format!("{}%", share * 100.0),
            ErrorLimit::Metres(metres) => format!("{metres}m"),
        });
        let normals = budget.max_normal_degrees.map(|degrees| format!("{degrees}deg"));
        pairs.push(("max-error", error.unwrap_or_default()));
        pairs.push(("max-normal-error", normals.unwrap_or_default()));
        if budget.any_encoding {
            pairs.retain(|(name, _)| *name != "encoding");
            let contents: Vec<&str> = settings.encodings_in_order().into_iter().map(content_label).collect();
            pairs.push(("content", contents.join(", ")));
        }
    }
    pairs.retain(|(_, value)| !value.is_empty());
    pairs.sort();
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn content_label(encoding: Encoding) -> &'static str {
    match content_of(encoding) {
        Content::Local => "local",
        _ => "rows",
    }
}

/// Hash of a settings list.
pub(crate) fn settings_hash(settings: &[(String, String)]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for text in settings.iter().flat_map(|(name, value)| [name, value]) {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().into()
}
