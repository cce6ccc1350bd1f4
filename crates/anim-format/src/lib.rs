//! The `.animtex` file: bytes to [`model::AnimFile`] and back.
#![cfg_attr(not(feature = "std"), no_std)]

extern crate alloc;

mod error;
mod header;
mod metadata;
#[cfg(feature = "mmap")]
mod mmap;
pub mod model;
mod owned;
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
