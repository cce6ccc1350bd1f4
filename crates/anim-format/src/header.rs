//! The fixed 32 bytes at the start of every file, of every version.

use bytemuck::{Pod, Zeroable};

use crate::error::FormatError;
use crate::wire::{U16, U32, U64};

/// First four bytes of every file.
pub const MAGIC: [u8; 4] = *b"ANTX";

/// Bytes of the header.
pub(crate) const HEADER_BYTES: usize = size_of::<HeaderRecord>();

/// The header as it is stored. Frozen: every version starts like this.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct HeaderRecord {
    pub(crate) magic: [u8; 4],
    pub(crate) major: U16,
    pub(crate) minor: U16,
    pub(crate) total_bytes: U64,
    pub(crate) section_count: U32,
    /// CRC-32 of this header, with this field as zero, and the section table.
    pub(crate) crc32: U32,
    pub(crate) reserved: U64,
}

const _: () = assert!(HEADER_BYTES == 32);

/// The version that a file states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileVersion {
    /// Readers know some major versions and refuse all others.
    pub major: u16,
    /// A higher minor version adds sections and lengthens records; old readers go on reading such files.
    pub minor: u16,
}

/// The version that a file states, known or not, without looking at the rest.
///
/// # Errors
///
/// [`FormatError::FileTruncated`] and [`FormatError::BadMagic`].
pub fn peek_version(bytes: &[u8]) -> Result<FileVersion, FormatError> {
    let start = bytes.get(..8).ok_or(FormatError::FileTruncated {
        what: "magic and version",
        needed_bytes: 8,
        found_bytes: bytes.len() as u64,
    });
    // A file that is short and no .animtex file at all is called the latter.
    match bytes.first_chunk::<4>() {
        Some(found) if *found != MAGIC => return Err(FormatError::BadMagic { found: *found }),
        _ => {}
    }
    let [major, minor]: [U16; 2] = bytemuck::pod_read_unaligned(&start?[4..]);
    Ok(FileVersion { major: major.get(), minor: minor.get() })
}

/// The header of a file whose version is known; checks the length.
pub(crate) fn read_header(bytes: &[u8]) -> Result<HeaderRecord, FormatError> {
    let found_bytes = bytes.len() as u64;
    let start = bytes.get(..HEADER_BYTES).ok_or(FormatError::FileTruncated {
        what: "the header",
        needed_bytes: HEADER_BYTES as u64,
        found_bytes,
    })?;
    let header: HeaderRecord = bytemuck::pod_read_unaligned(start);
    let total_bytes = header.total_bytes.get();
    if total_bytes > found_bytes {
        return Err(FormatError::FileTruncated { what: "the file", needed_bytes: total_bytes, found_bytes });
    }
    if total_bytes < found_bytes {
        return Err(FormatError::ExtraBytes { expected_bytes: total_bytes, found_bytes });
    }
    Ok(header)
}
