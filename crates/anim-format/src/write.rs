//! The model to bytes.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use crate::error::FormatError;
use crate::header::{HEADER_BYTES, HeaderRecord, MAGIC};
use crate::model::AnimFile;
use crate::section::{FLAG_CRITICAL, SECTION_ALIGN_BYTES, SECTION_RECORD_BYTES, SectionRecord, header_crc32};
use crate::validate::validate;
use crate::versions::{self, Version};

/// The bytes of a file. The same file gives the same bytes, and reading them gives the same file.
///
/// # Errors
///
/// [`FormatError::Invalid`] with all problems of the file, and [`FormatError::TooLarge`].
pub fn write(file: &AnimFile<'_>, version: Version) -> Result<Vec<u8>, FormatError> {
    let problems = validate(file);
    if !problems.is_empty() {
        return Err(FormatError::Invalid(problems));
    }
    assemble(&versions::from_model(version, file)?, version)
}

/// A section that has no place yet.
#[derive(Clone, Debug)]
pub(crate) struct NewSection<'f> {
    pub(crate) kind: u32,
    pub(crate) critical: bool,
    pub(crate) record_bytes: u32,
    pub(crate) record_count: u32,
    pub(crate) owner: u32,
    pub(crate) number: u32,
    pub(crate) bytes: Cow<'f, [u8]>,
}

impl<'f> NewSection<'f> {
    /// A critical section that is no table.
    pub(crate) const fn raw(kind: u32, bytes: Cow<'f, [u8]>) -> Self {
        Self { kind, critical: true, record_bytes: 0, record_count: 0, owner: 0, number: 0, bytes }
    }
}

/// Places sections, which are in file order, one after the other behind header and section table.
fn assemble(sections: &[NewSection<'_>], version: Version) -> Result<Vec<u8>, FormatError> {
    let section_count = u32::try_from(sections.len()).map_err(|_| FormatError::TooLarge {
        what: "the section table (entries)",
        found: sections.len() as u64,
        max: u32::MAX.into(),
    })?;
    let table_end = HEADER_BYTES + sections.len() * SECTION_RECORD_BYTES;
    let mut table: Vec<SectionRecord> = Vec::with_capacity(sections.len());
    let mut end = table_end;
    for section in sections {
        let offset = align(end);
        table.push(SectionRecord {
            kind: section.kind.into(),
            flags: if section.critical { FLAG_CRITICAL } else { 0 }.into(),
            offset_bytes: (offset as u64).into(),
            length_bytes: (section.bytes.len() as u64).into(),
            record_bytes: section.record_bytes.into(),
            record_count: section.record_count.into(),
            crc32: crc32fast::hash(&section.bytes).into(),
            owner: section.owner.into(),
            number: section.number.into(),
            reserved: 0.into(),
        });
        end = offset + section.bytes.len();
    }

    let numbers = version.numbers();
    let mut header = HeaderRecord {
        magic: MAGIC,
        major: numbers.major.into(),
        minor: numbers.minor.into(),
        total_bytes: (end as u64).into(),
        section_count: section_count.into(),
        crc32: 0.into(),
        reserved: 0.into(),
    };
    let table: &[u8] = bytemuck::cast_slice(&table);
    header.crc32 = header_crc32(&header, table).into();

    let mut bytes = Vec::with_capacity(end);
    bytes.extend_from_slice(bytemuck::bytes_of(&header));
    bytes.extend_from_slice(table);
    for section in sections {
        bytes.resize(align(bytes.len()), 0);
        bytes.extend_from_slice(&section.bytes);
    }
    Ok(bytes)
}

const fn align(bytes: usize) -> usize {
    bytes.next_multiple_of(SECTION_ALIGN_BYTES)
}
