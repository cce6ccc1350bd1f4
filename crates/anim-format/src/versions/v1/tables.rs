//! Finding tables, and stepping through their records.

use alloc::string::ToString;
use alloc::vec::Vec;

use core::fmt::Display;

use bytemuck::Pod;

use super::Range;
use crate::error::FormatError;
use crate::section::{Section, describe};
use crate::section_kind::PAGE;
use crate::wire::U32;

/// The sections of a file of version 1.
pub(super) struct Tables<'s, 'a> {
    pub(super) sections: &'s [Section<'a>],
    /// The file's minor version is not newer than this code: reserved fields are 0, records have exactly our length.
    pub(super) exact: bool,
}

impl<'s, 'a> Tables<'s, 'a> {
    /// The section of a kind that occurs at most once.
    pub(super) fn find(&self, kind: u32) -> Option<&'s Section<'a>> {
        let at = self.sections.binary_search_by_key(&kind, |section| section.info.kind).ok()?;
        self.sections.get(at)
    }

    /// The bytes of a section; none if it is missing.
    pub(super) fn bytes(&self, kind: u32) -> &'a [u8] {
        self.find(kind).map_or(&[], |section| section.bytes)
    }

    /// All records of a table; none if its section is missing.
    ///
    /// The allocation is in proportion to the section: its length was checked to be that of its records.
    pub(super) fn records<T: Pod>(&self, kind: u32) -> Result<Vec<T>, FormatError> {
        let Some(section) = self.find(kind) else { return Ok(Vec::new()) };
        let (found_bytes, our_bytes) = (section.info.record_bytes as usize, size_of::<T>());
        let accepted = found_bytes == our_bytes || (found_bytes > our_bytes && !self.exact);
        if !accepted {
            return Err(FormatError::RecordLength {
                what: describe(&section.info),
                expected_bytes: u32::try_from(our_bytes).unwrap_or(u32::MAX),
                found_bytes: section.info.record_bytes,
            });
        }
        let records = section.bytes.chunks_exact(found_bytes);
        Ok(records.map(|record| bytemuck::pod_read_unaligned(&record[..our_bytes])).collect())
    }

    /// The page sections, in the order of page sets and pages.
    pub(super) fn pages(&self) -> &'s [Section<'a>] {
        let first = self.sections.partition_point(|section| section.info.kind < PAGE);
        let end = self.sections.partition_point(|section| section.info.kind <= PAGE);
        &self.sections[first..end]
    }

    /// Refuses a reserved field that is not 0, unless the file is newer and may know what it means.
    pub(super) fn reserved(&self, place: impl Display, fields: &[U32]) -> Result<(), FormatError> {
        match fields.iter().find(|field| field.get() != 0) {
            Some(field) if self.exact => {
                Err(FormatError::ReservedNotZero { place: place.to_string(), found: field.get().into() })
            }
            _ => Ok(()),
        }
    }
}

/// Gives out the records of a table in ranges that follow each other: no record belongs to two owners or to none.
pub(super) struct Ranges<'t, T> {
    left: &'t [T],
    next: u64,
}

impl<'t, T> Ranges<'t, T> {
    pub(super) const fn new(table: &'t [T]) -> Self {
        Self { left: table, next: 0 }
    }

    pub(super) fn take(&mut self, range: Range, place: impl Display) -> Result<&'t [T], FormatError> {
        let (first, count) = (u64::from(range.first.get()), range.count.get() as usize);
        match self.left.split_at_checked(count) {
            Some((taken, left)) if first == self.next => {
                self.left = left;
                self.next += count as u64;
                Ok(taken)
            }
            _ => Err(FormatError::BadRange {
                place: place.to_string(),
                first,
                count: count as u64,
                expected_first: self.next,
                limit: self.next + self.left.len() as u64,
            }),
        }
    }

    /// Refuses records that no range contained.
    pub(super) fn finish(self, table: &str) -> Result<(), FormatError> {
        if self.left.is_empty() {
            return Ok(());
        }
        Err(FormatError::Mismatch {
            place: alloc::format!("records of {table} that something refers to"),
            found: self.next,
            expected: self.next + self.left.len() as u64,
        })
    }
}
