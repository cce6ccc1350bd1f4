//! glTF in, [`anim_format::AnimFile`] out.

use anim_format::AnimFile;

mod curve;
pub mod diagnostics;
pub mod evaluate;
pub mod gltf;
pub mod measure;
pub mod settings;
pub mod source;

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
    let _ = (import, settings);
    Err(Diagnostic::error("not-implemented", "", "the bake is not there yet").into())
}
