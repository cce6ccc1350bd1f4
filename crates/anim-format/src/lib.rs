//! The `.animtex` file: bytes to [`AnimFile`] and back.
//!
//! A file holds one animated character, baked for a GPU: skeleton, clips, pages of texels, and (unless left out) mesh,
//! materials and images. `docs/FORMAT.md` of the repository describes every byte.
//!
//! - [`read`] checks bytes and borrows them; any bytes give a valid file or a [`FormatError`], never a panic.
//! - [`write()`] checks a file and gives its bytes, the same for the same file.
//! - [`validate`] finds all problems of a file in memory at once.
//! - [`split_pages`] says which clip lies on which page.
//! - [`playback`] plays a file on the CPU, as a GPU does.
//! - [`sections`], [`peek_version`] and [`check_all_crcs`] look at files without reading them as a whole.
//!
//! # Example
//!
//! A character of one bone and one clip, in which the bone moves from x = 0 to x = 2 in one second:
//!
//! ```
//! use anim_format::model::*;
//! use anim_format::{Version, playback, read, split_pages, write};
//!
//! // Two frames of one bone are six texels: three rows a bone.
//! let plan = split_pages(&[6], 16, 4096)?;
//! let mut page = vec![0; plan.width as usize * plan.height as usize * 16];
//! for (frame, x) in [0.0f32, 2.0].into_iter().enumerate() {
//!     let rows = [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
//!     let texels: Vec<u8> = rows.as_flattened().iter().flat_map(|number| number.to_le_bytes()).collect();
//!     page[frame * 48..][..48].copy_from_slice(&texels);
//! }
//! let file = AnimFile {
//!     nodes: vec![Node {
//!         name: "root".into(),
//!         parent: None,
//!         depth: 0,
//!         source_node: 0,
//!         rest_translation: [0.0; 3],
//!         rest_rotation: [0.0, 0.0, 0.0, 1.0],
//!         rest_scale: [1.0; 3],
//!         rest_matrix_in_pool: None,
//!     }],
//!     bones: vec![Bone {
//!         node: Some(0),
//!         bone_from_bind: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
//!     }],
//!     clips: vec![Clip {
//!         name: "slide".into(),
//!         duration_seconds: 1.0,
//!         start_seconds: 0.0,
//!         source_rate_hz: None,
//!         mode: ClipMode::Loop,
//!         bounds: Bounds::default(),
//!         loop_gap_metres: 2.0,
//!         tracks: vec![Track {
//!             page_set: 0,
//!             page: plan.placements[0].page,
//!             first_texel: plan.placements[0].first_texel,
//!             header_texels: 0,
//!             frames: 2,
//!             intervals: 1,
//!             stored_frames: 2,
//!             elements_per_frame: 1,
//!             texels_per_element: 3,
//!             first_record: None,
//!             interpolation: Interpolation::Linear,
//!             held_frames: vec![],
//!         }],
//!     }],
//!     page_sets: vec![PageSet {
//!         content: Content::Rows,
//!         encoding: Encoding::Affine32,
//!         texel_format: TexelFormat::Rgba32Float,
//!         width: plan.width,
//!         height: plan.height,
//!         pages: vec![page.into()],
//!     }],
//!     ..AnimFile::default()
//! };
//! let bytes = write(&file, Version::V1)?;
//!
//! // Elsewhere: the same file from its bytes, and its one matrix after a quarter of a second.
//! let file = read(&bytes)?;
//! let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
//! playback::palette_at(&file, &file.clips[0], 0.25, &mut palette);
//! assert_eq!(palette[0][0], [1.0, 0.0, 0.0, 0.5]);
//! # Ok::<(), Box<dyn core::error::Error>>(())
//! ```
//!
//! # Features
//!
//! `std` (on by default) adds nothing but `std` itself: without it the crate is `no_std` with `alloc`. `mmap` adds
//! `MappedFile`, which reads a file where it lies on disk.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod error;
mod header;
mod metadata;
#[cfg(feature = "mmap")]
mod mmap;
pub mod model;
mod owned;
mod page_shape;
pub mod page_split;
pub mod playback;
mod read;
mod section;
mod section_kind;
mod validate;
mod versions;
pub mod vertices;
mod wire;
mod write;

pub use error::{FormatError, PROBLEMS_MAX};
pub use header::{FileVersion, MAGIC, peek_version};
#[cfg(feature = "mmap")]
pub use mmap::MappedFile;
pub use model::AnimFile;
pub use page_split::{PagePlan, PageSplitError, Placement, split_pages};
pub use read::{check_all_crcs, read};
pub use section::{SectionInfo, sections};
pub use section_kind::section_kind_name;
pub use validate::validate;
pub use versions::Version;
pub use write::write;

/// Compiles the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
