//! Animated glTF characters to baked files, in memory.
//!
//! A bake samples every clip of a model at a fixed rate and packs the local transforms of its nodes, finished skinning
//! matrices, or both into pages that a GPU reads directly. It needs no file system: an engine may bake while it loads. Every bake measures
//! how far playback is from the source and states it in the file.
//!
//! # Example
//!
//! ```
//! use anim_bake::{BakeSettings, bake};
//!
//! // One triangle that a clip moves, with its buffer in the document. Usually: `std::fs::read("hero.glb")?`.
//! # let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).map(|b| format!("%{b:02x}")).collect::<String>();
//! # let buffer = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
//! # let document = format!(r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [0]}}],
//! #   "nodes": [{{"name": "leaf", "mesh": 0}}], "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
//! #   "animations": [{{"name": "drift", "channels": [{{"sampler": 0, "target": {{"node": 0, "path": "translation"}}}}],
//! #     "samplers": [{{"input": 1, "output": 2}}]}}],
//! #   "accessors": [{{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "min": [0, 0, 0], "max": [1, 1, 0]}},
//! #     {{"bufferView": 1, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1]}},
//! #     {{"bufferView": 2, "componentType": 5126, "type": "VEC3", "count": 2}}],
//! #   "bufferViews": [{{"buffer": 0, "byteLength": 36}}, {{"buffer": 0, "byteOffset": 36, "byteLength": 8}},
//! #     {{"buffer": 0, "byteOffset": 44, "byteLength": 24}}],
//! #   "buffers": [{{"byteLength": 68, "uri": "data:,{buffer}"}}]}}"#);
//! # let model = document.into_bytes();
//! let no_external_files = |uri: &str| Err(std::io::Error::other(format!("no file {uri}")));
//! let file = bake(&model, &no_external_files, &BakeSettings::default())?;
//!
//! let clip = &file.clips[0];
//! assert_eq!((&*clip.name, clip.duration_seconds, clip.tracks[0].frames), ("drift", 1.0, 25));
//! // Uploadable as they are, to a texture array or to a storage buffer.
//! let page: &[u8] = &file.page_sets[0].pages[0];
//! // What a player does on the CPU: skinning matrices of all bones, three rows each.
//! let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
//! anim_format::playback::palette_at(&file, clip, 0.5, &mut palette);
//! assert!((palette[0][0][3] - 1.0).abs() < 1e-6);
//! // How far a played-back vertex is from the true one at most, in metres.
//! let accuracy = &file.metadata.as_ref().expect("a bake measures itself").accuracy[0];
//! assert!(accuracy.playback.max_metres < 1e-3);
//! # assert!(!page.is_empty());
//! # Ok::<(), anim_bake::BakeError>(())
//! ```

use anim_format::AnimFile;

mod assemble;
pub mod attachments;
mod bake;
mod bone_texture;
mod bones;
mod bounds;
mod bounds_moments;
mod bounds_poses;
mod box3;
pub mod budget;
mod clip_plan;
mod clusters;
mod curve;
pub mod diagnostics;
pub mod evaluate;
mod fade_reach;
mod flat_normals;
mod geometry;
pub mod gltf;
mod hashes;
pub mod ids;
mod influences;
mod jumps;
mod local_clip;
mod local_pool;
mod local_rest;
mod local_sample;
mod local_tracks;
mod masks;
pub mod measure;
mod mirror;
mod names;
mod non_unit;
mod packed_vertex;
mod pages;
mod parallel;
mod patterns;
pub mod rate;
pub mod settings;
pub mod source;
mod warnings;

pub use bake::{bake_import, bake_rows};

pub use budget::{ErrorBudget, ErrorLimit};
pub use diagnostics::{BakeError, Diagnostic, Severity};
pub use gltf::Resolver;
pub use settings::{BakeSettings, MaskSetting};

/// A finished bake and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The file, ready to be written or to be uploaded.
    pub file: AnimFile<'static>,
    /// Warnings, in file order.
    pub warnings: Vec<Diagnostic>,
    /// The rates that were searched: see [`budget`].
    pub choices: Vec<budget::RateChoice>,
}

/// Bakes a glTF model in memory.
///
/// # Errors
///
/// Every problem of the model and the settings at once.
pub fn bake(
    bytes: &[u8],
    resolver: &Resolver<'_>,
    settings: &BakeSettings,
) -> Result<AnimFile<'static>, BakeError> {
    bake_with_warnings(bytes, resolver, settings).map(|baked| baked.file)
}

/// Bakes a glTF model in memory and also says what its author should know.
///
/// # Errors
///
/// Every problem of the model and the settings at once.
pub fn bake_with_warnings(
    bytes: &[u8],
    resolver: &Resolver<'_>,
    settings: &BakeSettings,
) -> Result<Baked, BakeError> {
    let import = gltf::import(bytes, resolver, settings.scene.as_deref())?;
    bake_import(&import, settings)
}
