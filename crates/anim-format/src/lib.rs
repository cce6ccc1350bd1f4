//! The `.animtex` file: bytes to [`model::AnimFile`] and back.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub mod model;
pub mod playback;
pub mod vertices;

pub use model::AnimFile;
