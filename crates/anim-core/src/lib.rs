//! The mathematics that the baker, the file, the CPU player and the shaders share.
//!
//! # Conventions
//!
//! - Column vectors, right-handed, +Y up, metres, seconds, as in glTF 2.0.
//! - Matrices are named `target_from_source`: `model_from_bind = model_from_bone * bone_from_bind`.
//! - A baked matrix is three rows of four floats; row `r` is `(m[r][0], m[r][1], m[r][2], translation[r])`. The fourth
//!   row of an affine matrix is always `0 0 0 1` and is never stored.
//! - Everything that decides the bytes of a bake is plain `f64` arithmetic in a fixed order: no fused multiply-add, no
//!   platform library for transcendental functions, no SIMD width. The same input gives the same bits everywhere.
//!
//! # Example
//!
//! Which two frames does a clip of 2 seconds, stored as 61 frames, show after 3.25 seconds of looping?
//!
//! ```
//! use anim_core::clip_time::{ClipMode, clip_time, frame_pair};
//!
//! let time_seconds = clip_time(3.25, 2.0, ClipMode::Loop);
//! let pair = frame_pair(time_seconds, 2.0, 60);
//! assert_eq!((pair.a, pair.b, pair.blend), (37, 38, 0.5));
//! ```
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

pub use glam;

pub mod bind;
pub mod clip_time;
pub mod clock;
pub mod culling;
pub mod encoding;
pub mod error_metric;
pub mod hierarchy;
mod lanes;
pub mod layer_blend;
pub mod layer_stack;
pub mod layers;
pub mod limits;
pub mod local_encoding;
pub mod local_pose;
pub mod local_record;
pub mod local_tracks;
pub mod matrix_rows;
pub mod pose;
pub mod rotation;
pub mod similarity;
pub mod skin_reference;
mod square_root;
pub mod texel;
pub mod trs;
pub mod vertex_packing;
pub mod vertex_texel;
pub mod vertex_words;
