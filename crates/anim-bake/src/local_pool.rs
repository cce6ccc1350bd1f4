//! The constant pool of a file while it is filled: entries of 16 bytes, each of which is kept once.

use std::collections::BTreeMap;

use crate::geometry::index;

/// The bits of an entry: what makes two of them the same.
type EntryBits = [u32; 4];

/// A constant pool that finds entries again.
#[derive(Debug, Default)]
pub(crate) struct ConstantPool {
    entries: Vec<[f32; 4]>,
    first_of: BTreeMap<Vec<EntryBits>, u32>,
}

impl ConstantPool {
    /// A pool that starts with these entries, which keep their places.
    pub(crate) fn starting_with(entries: Vec<[f32; 4]>) -> Self {
        let mut pool = Self::default();
        for (place, entry) in entries.iter().enumerate() {
            pool.first_of.entry(vec![bits(entry)]).or_insert(index(place));
        }
        pool.entries = entries;
        pool
    }

    /// Index of entries that follow each other; they are added where the pool has not had them.
    pub(crate) fn place_of(&mut self, entries: &[[f32; 4]]) -> u32 {
        let key: Vec<EntryBits> = entries.iter().map(bits).collect();
        if let Some(place) = self.first_of.get(&key) {
            return *place;
        }
        let first = index(self.entries.len());
        for (place, entry) in (first..).zip(entries) {
            self.first_of.entry(vec![bits(entry)]).or_insert(place);
        }
        self.entries.extend_from_slice(entries);
        self.first_of.insert(key, first);
        first
    }

    /// All entries, in order.
    pub(crate) fn into_entries(self) -> Vec<[f32; 4]> {
        self.entries
    }
}

fn bits(entry: &[f32; 4]) -> EntryBits {
    entry.map(f32::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_and_runs_of_entries_are_kept_once() {
        let [a, b, c] = [[1.0; 4], [2.0; 4], [3.0; 4]];
        let mut pool = ConstantPool::starting_with(vec![a, a, b]);
        assert_eq!(pool.place_of(&[a]), 0);
        assert_eq!(pool.place_of(&[c]), 3);
        // A run of two is found as one, not as two that lie apart.
        assert_eq!(pool.place_of(&[c, a]), 4);
        assert_eq!(pool.place_of(&[c, a]), 4);
        assert_eq!(pool.place_of(&[b]), 2);
        assert_eq!(pool.into_entries(), [a, a, b, c, c, a]);
    }
}
