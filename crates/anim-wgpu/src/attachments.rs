//! Which instance hangs on which: kept on the CPU, sent to the attachment pass when it changes.

use std::collections::{BTreeMap, BTreeSet};

use anim_core::glam::DAffine3;
use anim_format::model::Rows;

use crate::gpu_types::AttachRecord;
use crate::instances::Instances;

/// How an instance hangs on another.
#[derive(Clone, Debug)]
pub(crate) struct Attached {
    pub(crate) parent: u32,
    /// Number of the attachment point in the parent's model.
    pub(crate) point: usize,
    pub(crate) bone: u32,
    pub(crate) bind_from_child: Rows,
    /// Where the child's model lies relative to the point, before its own transform.
    pub(crate) point_from_child: DAffine3,
}

/// Records of one dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AttachRange {
    pub(crate) parent_model: usize,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// All attachments of a crowd.
#[derive(Debug, Default)]
pub(crate) struct Attachments {
    by_child: BTreeMap<u32, Attached>,
    children: BTreeMap<u32, Vec<u32>>,
    /// Instances that are hidden because what they hung on was removed, and for no other reason.
    orphans: BTreeSet<u32>,
    changed: bool,
}

impl Attachments {
    pub(crate) fn is_empty(&self) -> bool {
        self.by_child.is_empty()
    }

    pub(crate) fn of_child(&self, child: u32) -> Option<&Attached> {
        self.by_child.get(&child)
    }

    /// Attached instances with numbers in a range.
    pub(crate) fn in_range(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = u32> {
        self.by_child.range(range).map(|(child, _)| *child)
    }

    pub(crate) fn children_of(&self, parent: u32) -> &[u32] {
        self.children.get(&parent).map_or(&[], Vec::as_slice)
    }

    /// An instance is hidden because its parent is removed.
    pub(crate) fn orphan(&mut self, instance: u32) {
        self.orphans.insert(instance);
    }

    /// An instance is not hidden for that reason any more; whether it was.
    pub(crate) fn adopt(&mut self, instance: u32) -> bool {
        self.orphans.remove(&instance)
    }

    /// Attachments above an instance: 0 for one that hangs on nothing.
    pub(crate) fn depth_of(&self, instance: u32) -> u32 {
        let mut depth = 0;
        let mut at = instance;
        while let Some(attached) = self.by_child.get(&at) {
            depth += 1;
            at = attached.parent;
        }
        depth
    }

    /// Attachments below an instance: 0 for one that nothing hangs on.
    pub(crate) fn height_of(&self, instance: u32) -> u32 {
        self.children_of(instance).iter().map(|child| 1 + self.height_of(*child)).max().unwrap_or(0)
    }

    /// Whether an instance is another one or hangs on it, however far down.
    pub(crate) fn hangs_on(&self, instance: u32, ancestor: u32) -> bool {
        let mut at = instance;
        loop {
            if at == ancestor {
                return true;
            }
            match self.by_child.get(&at) {
                Some(attached) => at = attached.parent,
                None => return false,
            }
        }
    }

    pub(crate) fn insert(&mut self, child: u32, attached: Attached) {
        self.remove(child);
        self.children.entry(attached.parent).or_default().push(child);
        self.by_child.insert(child, attached);
        self.changed = true;
    }

    /// Takes a child off its parent, if it has one; gives the parent.
    pub(crate) fn remove(&mut self, child: u32) -> Option<u32> {
        let attached = self.by_child.remove(&child)?;
        if let Some(children) = self.children.get_mut(&attached.parent) {
            children.retain(|other| *other != child);
            if children.is_empty() {
                self.children.remove(&attached.parent);
            }
        }
        self.changed = true;
        Some(attached.parent)
    }

    /// Records and dispatches in the order in which they have to run, if they changed since the last call.
    #[expect(clippy::cast_possible_truncation, reason = "instances are u32")]
    pub(crate) fn take_changes(
        &mut self,
        instances: &Instances,
    ) -> Option<(Vec<AttachRecord>, Vec<AttachRange>)> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        let mut ordered: Vec<(u32, usize, u32)> = self
            .by_child
            .iter()
            .map(|(child, at)| (self.depth_of(*child), instances.model_of(at.parent as usize), *child))
            .collect();
        ordered.sort_unstable();
        let mut ranges: Vec<AttachRange> = Vec::new();
        let mut depth_of_last = 0;
        let mut records = Vec::with_capacity(ordered.len());
        for (depth, parent_model, child) in ordered {
            let attached = &self.by_child[&child];
            match ranges.last_mut() {
                Some(range) if range.parent_model == parent_model && depth_of_last == depth => {
                    range.count += 1
                }
                _ => ranges.push(AttachRange { parent_model, first: records.len() as u32, count: 1 }),
            }
            depth_of_last = depth;
            records.push(AttachRecord {
                child,
                parent: attached.parent,
                bone: attached.bone,
                padding: 0,
                bind_from_child: attached.bind_from_child,
            });
        }
        Some((records, ranges))
    }
}
