//! Names of fields in messages, and the checks that every table needs.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use core::fmt::{Display, Formatter, Result};

use super::Problems;
use crate::error::FormatError;
use crate::model::Bounds;

/// A record as messages call it: `clips[3] "run"`. Long names are cut: a message is for people.
#[derive(Clone, Copy)]
pub(super) struct Place<'n> {
    pub(super) table: &'static str,
    pub(super) number: usize,
    pub(super) name: &'n str,
}

/// Characters of a name that a message shows.
const NAME_CHARS_MAX: usize = 64;

impl Display for Place<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}[{}]", self.table, self.number)?;
        if self.name.is_empty() { Ok(()) } else { write!(f, " {:?}", shortened(self.name)) }
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(NAME_CHARS_MAX).collect()
}

impl Problems {
    /// `found` is below `count`.
    pub(super) fn number(&mut self, place: impl Display, found: u64, count: usize) -> bool {
        let good = found < count as u64;
        self.expect(good, || FormatError::DanglingNumber {
            place: place.to_string(),
            found,
            count: count as u64,
        });
        good
    }

    /// `found` is `expected`.
    pub(super) fn equal(&mut self, place: impl Display, found: u64, expected: u64) {
        self.expect(found == expected, || FormatError::Mismatch {
            place: place.to_string(),
            found,
            expected,
        });
    }

    /// All floats are finite.
    pub(super) fn finite(&mut self, place: impl Display, floats: &[f32]) -> bool {
        let bad = floats.iter().find(|float| !float.is_finite());
        if let Some(found) = bad {
            self.add(FormatError::NotFinite { place: place.to_string(), found: *found });
        }
        bad.is_none()
    }

    /// The float is finite and not negative.
    pub(super) fn not_negative(&mut self, place: impl Display, found: f32) {
        self.in_range(place, found.is_finite() && found >= 0.0, found.into(), "a finite number, at least 0");
    }

    /// `good` says whether `found` is as `expected`.
    pub(super) fn in_range(&mut self, place: impl Display, good: bool, found: f64, expected: &'static str) {
        self.expect(good, || FormatError::OutsideRange { place: place.to_string(), found, expected });
    }

    /// The corners are finite and in order.
    pub(super) fn sorted_box(&mut self, place: impl Display, box_min: [f32; 3], box_max: [f32; 3]) {
        if !(self.finite(format_args!("{place}.box_min"), &box_min)
            && self.finite(format_args!("{place}.box_max"), &box_max))
        {
            return;
        }
        if let Some(axis) = (0..3).find(|axis| box_min[*axis] > box_max[*axis]) {
            let (min, max) = (box_min[axis], box_max[axis]);
            self.add(FormatError::BoxInverted { place: place.to_string(), axis, min, max });
        }
    }

    /// Box and ball are finite, the box in order, the radius not negative.
    pub(super) fn bounds(&mut self, place: impl Display, bounds: &Bounds) {
        self.sorted_box(format_args!("{place}.bounds"), bounds.box_min, bounds.box_max);
        self.finite(format_args!("{place}.bounds.sphere_center"), &bounds.sphere_center);
        self.not_negative(format_args!("{place}.bounds.sphere_radius"), bounds.sphere_radius);
    }

    /// Names are not empty and differ from each other.
    pub(super) fn unique_names<'n>(&mut self, table: &'static str, names: impl Iterator<Item = &'n str>) {
        let mut seen = BTreeMap::new();
        for (number, name) in names.enumerate() {
            let place = || alloc::format!("{table}[{number}].name");
            self.expect(!name.is_empty(), || FormatError::NameEmpty { place: place() });
            if let Some(first) = seen.insert(name, number).filter(|_| !name.is_empty()) {
                let name = shortened(name);
                self.add(FormatError::NameRepeated { place: place(), name, first: first as u64 });
            }
        }
    }
}
