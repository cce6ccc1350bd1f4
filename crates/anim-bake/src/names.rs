//! A name of its own for everything that must have one: a repeated name gets a number.

use std::collections::BTreeMap;

/// Numbers names that are taken: `walk`, `walk_2`, `walk_3`.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    /// The next number to try, by name: a thousand equal names do not each count up from 2.
    next: BTreeMap<String, u64>,
}

impl Numbering {
    /// The first free one of `base_2`, `base_3` and so on that was not given out before.
    pub(crate) fn free(&mut self, base: &str, is_free: impl Fn(&str) -> bool) -> String {
        if !self.next.contains_key(base) {
            self.next.insert(base.to_owned(), 2);
        }
        let number = self.next.get_mut(base).expect("it was inserted");
        loop {
            let name = format!("{base}_{number}");
            *number += 1;
            if is_free(&name) {
                return name;
            }
        }
    }
}
