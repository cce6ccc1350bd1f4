//! A model of a crowd and how many instances use it.

use crate::model::Model;
use crate::plan::PlanModel;

/// A capacity that holds `count`: the same if it does already; just enough the first time, half as much again later.
pub(crate) fn grown(capacity: u32, count: u32) -> u32 {
    if count <= capacity {
        return capacity;
    }
    let wanted = if capacity == 0 { count } else { count.max(capacity.saturating_add(capacity / 2)) };
    wanted.checked_next_multiple_of(64).unwrap_or(count)
}

/// Parts that an instance can hide.
pub(crate) const MASKED_PARTS: usize = 64;

/// A model of a crowd.
#[derive(Debug)]
pub(crate) struct CrowdModel {
    pub(crate) model: Model,
    /// Palettes that there is room for.
    pub(crate) max_visible: u32,
    /// Instances of it.
    pub(crate) count: u32,
    /// Entries that each of its lists has room for: at least `count`.
    pub(crate) capacity: u32,
    /// Instances that hide each part.
    hidden: [u32; MASKED_PARTS],
}

impl CrowdModel {
    pub(crate) fn new(model: Model, max_visible: u32) -> Self {
        Self { model, max_visible, count: 0, capacity: 0, hidden: [0; MASKED_PARTS] }
    }

    /// One instance more.
    pub(crate) fn count_in(&mut self, part_mask: u64) {
        self.count += 1;
        self.change_hidden(u64::MAX, part_mask);
    }

    /// Makes room for the instances that there are: just enough the first time, half as much again later.
    pub(crate) fn make_room(&mut self) {
        self.capacity = grown(self.capacity, self.count);
    }

    /// One instance less.
    pub(crate) fn count_out(&mut self, part_mask: u64) {
        self.count -= 1;
        self.change_hidden(part_mask, u64::MAX);
    }

    /// An instance's mask changes.
    pub(crate) fn change_hidden(&mut self, old_mask: u64, new_mask: u64) {
        let mut changed = old_mask ^ new_mask;
        while changed != 0 {
            let part = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            if new_mask >> part & 1 == 0 {
                self.hidden[part] += 1;
            } else {
                self.hidden[part] -= 1;
            }
        }
    }

    pub(crate) fn is_hidden_by_some(&self, part: usize) -> bool {
        self.hidden.get(part).is_some_and(|&count| count > 0)
    }

    /// Whether a plan still describes the model.
    pub(crate) fn fits(&self, planned: &PlanModel) -> bool {
        planned.capacity == self.capacity
            && planned
                .parts
                .iter()
                .enumerate()
                .all(|(n, part)| part.is_hidden_by_some == self.is_hidden_by_some(n))
    }
}
