//! Which code reads and writes which version: the only `match` on a version number.

use alloc::vec::Vec;

use crate::error::FormatError;
use crate::header::{FileVersion, HeaderRecord, peek_version, read_header};
use crate::model::AnimFile;
use crate::section::Section;

mod v1;

/// A version that this crate can write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Version {
    /// Version 1.0.
    #[default]
    V1,
}

impl Version {
    /// The numbers in the header.
    #[must_use]
    pub const fn numbers(self) -> FileVersion {
        match self {
            Self::V1 => FileVersion { major: 1, minor: 0 },
        }
    }
}

/// The header of a file whose major version this crate reads: magic, version, length, in this order.
pub(crate) fn read_known_header(bytes: &[u8]) -> Result<(HeaderRecord, FileVersion), FormatError> {
    let version = peek_version(bytes)?;
    match version.major {
        1 => Ok((read_header(bytes)?, version)),
        major => Err(FormatError::UnknownVersion { major, minor: version.minor, known_major: 1 }),
    }
}

/// Sections of a file to the model.
pub(crate) fn to_model<'a>(
    version: FileVersion,
    sections: &[Section<'a>],
) -> Result<AnimFile<'a>, FormatError> {
    match version.major {
        1 => v1::to_model(sections, version.minor),
        major => Err(FormatError::UnknownVersion { major, minor: version.minor, known_major: 1 }),
    }
}

/// The model to the sections of a file, in file order.
pub(crate) fn from_model<'f>(
    version: Version,
    file: &'f AnimFile<'_>,
) -> Result<Vec<crate::write::NewSection<'f>>, FormatError> {
    match version {
        Version::V1 => v1::from_model(file),
    }
}
