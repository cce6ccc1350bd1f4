//! Finding tables, and stepping through their records.

use alloc::string::ToString;
use alloc::vec::Vec;

use core::fmt::{Display, Formatter};

use bytemuck::Pod;

use super::Range;
use crate::error::FormatError;
use crate::section::{Section, describe};
use crate::section_kind::PAGE;
use crate::wire::U32;

/// A field as messages call it: `clips[3].name`.
#[derive(Clone, Copy)]
pub(super) struct Field {
    pub(super) table: &'static str,
    pub(super) number: usize,
    pub(super) field: &'static str,
}

impl Display for Field {
    fn fmt(&self, f: &mut Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}[{}].{}", self.table, self.number, self.field)
    }
}

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

    /// The records of a table, one after the other; none if its section is missing.
    pub(super) fn records<T: Pod>(
        &self,
        kind: u32,
    ) -> Result<impl ExactSizeIterator<Item = T> + use<'a, T>, FormatError> {
        let (mut bytes, mut step_bytes, our_bytes) = (&[][..], size_of::<T>(), size_of::<T>());
        if let Some(section) = self.find(kind) {
            (bytes, step_bytes) = (section.bytes, section.info.record_bytes as usize);
            let accepted = step_bytes == our_bytes || (step_bytes > our_bytes && !self.exact);
            if !accepted {
                return Err(FormatError::RecordLength {
                    what: describe(&section.info),
                    expected_bytes: u32::try_from(our_bytes).unwrap_or(u32::MAX),
                    found_bytes: section.info.record_bytes,
                });
            }
        }
        Ok(bytes
            .chunks_exact(step_bytes)
            .map(move |record| bytemuck::pod_read_unaligned(&record[..our_bytes])))
    }

    /// What `read_one` makes of each record and its number.
    ///
    /// The allocation is in proportion to the section: its length was checked to be that of its records.
    pub(super) fn read_each<T: Pod, M>(
        &self,
        kind: u32,
        mut read_one: impl FnMut(usize, T) -> Result<M, FormatError>,
    ) -> Result<Vec<M>, FormatError> {
        let records = self.records(kind)?;
        let mut made = Vec::with_capacity(records.len());
        for (number, record) in records.enumerate() {
            made.push(read_one(number, record)?);
        }
        Ok(made)
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
