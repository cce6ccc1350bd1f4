//! glTF in, [`anim_format::AnimFile`] out.

pub mod diagnostics;
pub mod gltf;
pub mod ids;
pub mod settings;
pub mod source;

pub use diagnostics::{BakeError, Diagnostic, Severity};
pub use settings::BakeSettings;
