//! Names: they follow each other in one UTF-8 section, in the order of the tables that use them.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use core::fmt::Display;

use super::Range;
use crate::error::FormatError;

/// Gives out the names of a file, one after the other. No byte belongs to two names, so that all names together are
/// never longer than the file.
pub(super) struct Names<'a> {
    left: &'a str,
    next: u64,
}

impl<'a> Names<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Self, FormatError> {
        let left = core::str::from_utf8(bytes)
            .map_err(|error| FormatError::NotUtf8 { offset_bytes: error.valid_up_to() as u64 })?;
        Ok(Self { left, next: 0 })
    }

    pub(super) fn take(&mut self, range: Range, place: impl Display) -> Result<Cow<'a, str>, FormatError> {
        let (first, count) = (u64::from(range.first.get()), range.count.get() as usize);
        match self.left.split_at_checked(count) {
            Some((name, left)) if first == self.next => {
                self.left = left;
                self.next += count as u64;
                Ok(Cow::Borrowed(name))
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

    /// Refuses bytes that belong to no name.
    pub(super) fn finish(self) -> Result<(), FormatError> {
        if self.left.is_empty() {
            return Ok(());
        }
        Err(FormatError::Mismatch {
            place: "bytes of the string section that belong to a name".into(),
            found: self.next,
            expected: self.next + self.left.len() as u64,
        })
    }
}

/// Collects the names of a file.
#[derive(Default)]
pub(super) struct NameWriter {
    pub(super) text: String,
}

impl NameWriter {
    pub(super) fn put(&mut self, name: &str) -> Result<Range, FormatError> {
        let first = stored_u32("names (bytes)", self.text.len())?;
        self.text.push_str(name);
        stored_u32("names (bytes)", self.text.len())?;
        Ok(Range { first: first.into(), count: stored_u32("names (bytes)", name.len())?.into() })
    }
}

/// A count as the format stores it.
pub(super) fn stored_u32(what: &'static str, found: usize) -> Result<u32, FormatError> {
    u32::try_from(found).map_err(|_| FormatError::TooLarge {
        what,
        found: found as u64,
        max: u32::MAX.into(),
    })
}
