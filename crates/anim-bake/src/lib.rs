//! glTF in, [`anim_format::AnimFile`] out.

use anim_format::AnimFile;

mod assemble;
pub mod attachments;
mod bake;
mod bone_texture;
mod bones;
mod bounds;
mod clip_plan;
mod curve;
pub mod diagnostics;
pub mod evaluate;
mod flat_normals;
mod geometry;
pub mod gltf;
mod hashes;
pub mod ids;
mod influences;
mod jumps;
pub mod measure;
mod mirror;
mod pages;
mod parallel;
mod patterns;
pub mod rate;
pub mod settings;
pub mod source;
mod warnings;

pub use bake::{bake_import, bake_rows};

pub use diagnostics::{BakeError, Diagnostic, Severity};
pub use gltf::Resolver;
pub use settings::BakeSettings;

/// A finished bake and what there is to say about it.
#[derive(Clone, Debug)]
pub struct Baked {
    /// The file, ready to be written or to be uploaded.
    pub file: AnimFile<'static>,
    /// Warnings, in file order.
    pub warnings: Vec<Diagnostic>,
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
