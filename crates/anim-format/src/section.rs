//! The section table: where everything is. The only slicing of a file's bytes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};

use crate::error::FormatError;
use crate::header::{HEADER_BYTES, HeaderRecord};
use crate::section_kind::{FIRST_DATA_KIND, is_read, may_repeat, section_kind_name};
use crate::wire::{U32, U64};

/// Offsets of sections are multiples of this: a cache line, and more than any texel or record needs.
pub(crate) const SECTION_ALIGN_BYTES: usize = 64;

/// Bit 0 of a section's flags: a reader that does not know the section's kind refuses the file.
pub(crate) const FLAG_CRITICAL: u32 = 1;

/// An entry of the section table as it is stored. Frozen: every version has such a table.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SectionRecord {
    pub(crate) kind: U32,
    pub(crate) flags: U32,
    pub(crate) offset_bytes: U64,
    pub(crate) length_bytes: U64,
    pub(crate) record_bytes: U32,
    pub(crate) record_count: U32,
    pub(crate) crc32: U32,
    pub(crate) owner: U32,
    pub(crate) number: U32,
    pub(crate) reserved: U32,
}

pub(crate) const SECTION_RECORD_BYTES: usize = size_of::<SectionRecord>();
const _: () = assert!(SECTION_RECORD_BYTES == 48);

/// What the section table says about one section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionInfo {
    /// Number of the kind; see `docs/FORMAT.md`.
    pub kind: u32,
    /// What sections of the kind hold; "unknown" if this reader has no name for it.
    pub kind_name: &'static str,
    /// Flags as stored. Bit 0: critical.
    pub flags: u32,
    /// A reader that does not know the kind refuses the file.
    pub critical: bool,
    /// First byte, from the start of the file.
    pub offset_bytes: u64,
    /// Bytes.
    pub length_bytes: u64,
    /// Bytes of a record; 0 for sections that are no tables.
    pub record_bytes: u32,
    /// Records; 0 for sections that are no tables.
    pub record_count: u32,
    /// CRC-32 (ISO-HDLC, as in zip and PNG) of the section's bytes, as stored.
    pub crc32: u32,
    /// Pages: the page set. Else 0.
    pub owner: u32,
    /// Pages: the page inside its set. Else 0.
    pub number: u32,
}

/// The section table of a file, in file order, to look at.
///
/// # Errors
///
/// Any problem of header and section table. Unknown critical sections are no problem here, and nothing of the sections
/// themselves is checked.
pub fn sections(bytes: &[u8]) -> Result<Vec<SectionInfo>, FormatError> {
    let (header, _) = crate::versions::read_known_header(bytes)?;
    Ok(read_section_table(bytes, &header)?.into_iter().map(|section| section.info).collect())
}

/// A section and its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Section<'a> {
    pub(crate) info: SectionInfo,
    pub(crate) bytes: &'a [u8],
}

impl Section<'_> {
    pub(crate) fn check_crc(&self) -> Result<(), FormatError> {
        let found = crc32fast::hash(self.bytes);
        if found == self.info.crc32 {
            return Ok(());
        }
        Err(FormatError::BadChecksum { what: describe(&self.info), expected: self.info.crc32, found })
    }
}

/// How messages call a section.
pub(crate) fn describe(info: &SectionInfo) -> String {
    match section_kind_name(info.kind) {
        None => format!("a section of unknown kind {}", info.kind),
        Some(_) if info.kind == crate::section_kind::PAGE => {
            format!("page {} of page set {}", info.number, info.owner)
        }
        Some(name) => format!("the section \"{name}\""),
    }
}

/// Reads and checks the section table: its CRC, then order, alignment, bounds and padding of all sections.
pub(crate) fn read_section_table<'a>(
    bytes: &'a [u8],
    header: &HeaderRecord,
) -> Result<Vec<Section<'a>>, FormatError> {
    let table_end = HEADER_BYTES as u64 + u64::from(header.section_count.get()) * SECTION_RECORD_BYTES as u64;
    let table = slice(bytes, HEADER_BYTES as u64, table_end).ok_or(FormatError::FileTruncated {
        what: "the section table",
        needed_bytes: table_end,
        found_bytes: bytes.len() as u64,
    })?;
    check_header_crc(header, table)?;
    if header.reserved.get() != 0 {
        return Err(FormatError::ReservedNotZero {
            place: "header.reserved".into(),
            found: header.reserved.get(),
        });
    }

    let mut sections: Vec<Section<'a>> = Vec::with_capacity(table.len() / SECTION_RECORD_BYTES);
    let mut end_bytes = table_end;
    for entry in table.chunks_exact(SECTION_RECORD_BYTES) {
        let record: SectionRecord = bytemuck::pod_read_unaligned(entry);
        let info = info_of(&record);
        check_entry(&info, &record, sections.last().map(|section| &section.info))?;
        let data = place(bytes, &info, end_bytes)?;
        end_bytes = info.offset_bytes + info.length_bytes;
        sections.push(Section { info, bytes: data });
    }
    if end_bytes != bytes.len() as u64 {
        return Err(FormatError::ExtraBytes { expected_bytes: end_bytes, found_bytes: bytes.len() as u64 });
    }
    Ok(sections)
}

/// Refuses unknown critical sections, then checks the CRCs of all tables and of the metadata.
pub(crate) fn check_tables(sections: &[Section<'_>]) -> Result<(), FormatError> {
    for section in sections {
        if section.info.critical && !is_read(section.info.kind) {
            return Err(match section_kind_name(section.info.kind) {
                Some(meaning) => FormatError::NeedsNewerReader {
                    place: "the kind of a section".into(),
                    found: section.info.kind,
                    meaning,
                },
                None => FormatError::UnknownCriticalSection { kind: section.info.kind },
            });
        }
    }
    sections.iter().filter(|section| section.info.kind < FIRST_DATA_KIND).try_for_each(Section::check_crc)
}

/// CRC-32 of a header, its own field as zero, and the section table.
pub(crate) fn header_crc32(header: &HeaderRecord, table: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(bytemuck::bytes_of(&HeaderRecord { crc32: 0.into(), ..*header }));
    hasher.update(table);
    hasher.finalize()
}

fn check_header_crc(header: &HeaderRecord, table: &[u8]) -> Result<(), FormatError> {
    let (expected, found) = (header.crc32.get(), header_crc32(header, table));
    if expected == found {
        return Ok(());
    }
    Err(FormatError::BadChecksum { what: "the header with the section table".into(), expected, found })
}

fn info_of(record: &SectionRecord) -> SectionInfo {
    SectionInfo {
        kind: record.kind.get(),
        kind_name: section_kind_name(record.kind.get()).unwrap_or("unknown"),
        flags: record.flags.get(),
        critical: record.flags.get() & FLAG_CRITICAL != 0,
        offset_bytes: record.offset_bytes.get(),
        length_bytes: record.length_bytes.get(),
        record_bytes: record.record_bytes.get(),
        record_count: record.record_count.get(),
        crc32: record.crc32.get(),
        owner: record.owner.get(),
        number: record.number.get(),
    }
}

/// What an entry says about itself, and its order among the others.
fn check_entry(
    info: &SectionInfo,
    record: &SectionRecord,
    previous: Option<&SectionInfo>,
) -> Result<(), FormatError> {
    let what = || describe(info);
    let reserved = |field: &str, found: u32| {
        if found == 0 {
            return Ok(());
        }
        Err(FormatError::ReservedNotZero { place: format!("{field} of {}", what()), found: found.into() })
    };
    reserved("bits 1 to 31 of flags", info.flags & !FLAG_CRITICAL)?;
    reserved("the last field", record.reserved.get())?;
    if !may_repeat(info.kind) {
        reserved("owner", info.owner)?;
        reserved("number", info.number)?;
    }
    if let Some(previous) = previous {
        let key = |info: &SectionInfo| (info.kind, info.owner, info.number);
        if key(info) == key(previous) {
            return Err(FormatError::SectionRepeated { what: what() });
        }
        if key(info) < key(previous) {
            return Err(FormatError::SectionOrder { what: what(), previous: describe(previous) });
        }
    }
    let is_table = info.record_bytes != 0 || info.record_count != 0;
    let table_bytes = u64::from(info.record_bytes) * u64::from(info.record_count);
    if is_table && info.length_bytes != table_bytes {
        return Err(FormatError::SectionLength {
            what: what(),
            length_bytes: info.length_bytes,
            record_bytes: info.record_bytes,
            record_count: info.record_count,
        });
    }
    Ok(())
}

/// The bytes of a section that has to follow `previous_end_bytes`; checks the padding between them.
fn place<'a>(bytes: &'a [u8], info: &SectionInfo, previous_end_bytes: u64) -> Result<&'a [u8], FormatError> {
    let offset_bytes = info.offset_bytes;
    if !offset_bytes.is_multiple_of(SECTION_ALIGN_BYTES as u64) {
        return Err(FormatError::SectionMisaligned { what: describe(info), offset_bytes });
    }
    if offset_bytes < previous_end_bytes {
        return Err(FormatError::SectionOverlap { what: describe(info), offset_bytes, previous_end_bytes });
    }
    let end_bytes = offset_bytes.checked_add(info.length_bytes);
    let data = end_bytes.and_then(|end| slice(bytes, offset_bytes, end));
    let data = data.ok_or_else(|| FormatError::SectionOutsideFile {
        what: describe(info),
        offset_bytes,
        length_bytes: info.length_bytes,
        file_bytes: bytes.len() as u64,
    })?;
    let expected_bytes = previous_end_bytes.next_multiple_of(SECTION_ALIGN_BYTES as u64);
    if offset_bytes != expected_bytes {
        return Err(FormatError::SectionGap { what: describe(info), offset_bytes, expected_bytes });
    }
    let padding = slice(bytes, previous_end_bytes, offset_bytes).unwrap_or_default();
    for (offset_bytes, found) in (previous_end_bytes..).zip(padding) {
        if *found != 0 {
            return Err(FormatError::PaddingNotZero { offset_bytes, found: *found });
        }
    }
    Ok(data)
}

fn slice(bytes: &[u8], start: u64, end: u64) -> Option<&[u8]> {
    bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
}
