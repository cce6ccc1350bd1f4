//! References between fields: what a player may rely on without looking again.

use alloc::vec::Vec;

use crate::error::{FormatError, PROBLEMS_MAX};
use crate::model::AnimFile;

mod clips;
mod frame_tables;
mod geometry;
mod local_records;
mod metadata;
mod pages;
mod parts;
mod place;
mod skeleton;
mod vertex_tracks;

/// All problems of a file, in the order of its tables; none if a player may rely on it. After [`PROBLEMS_MAX`] they are
/// no longer collected.
///
/// Linear in the size of tables, vertices and indices; images are not looked into, nor are pages, but for the frame
/// tables of local tracks and the boxes of vertex tracks.
#[must_use]
pub fn validate(file: &AnimFile<'_>) -> Vec<FormatError> {
    let mut problems = Problems::default();
    skeleton::check(file, &mut problems);
    pages::check(file, &mut problems);
    clips::check(file, &mut problems);
    local_records::check(file, &mut problems);
    frame_tables::check(file, &mut problems);
    vertex_tracks::check(file, &mut problems);
    parts::check(file, &mut problems);
    geometry::check(file, &mut problems);
    metadata::check(file, &mut problems);
    problems.list
}

/// The problems found so far.
#[derive(Default)]
struct Problems {
    list: Vec<FormatError>,
}

impl Problems {
    fn add(&mut self, problem: FormatError) {
        if self.list.len() < PROBLEMS_MAX {
            self.list.push(problem);
        }
    }

    /// Adds what `problem` makes, unless `good`.
    fn expect(&mut self, good: bool, problem: impl FnOnce() -> FormatError) {
        if !good {
            self.add(problem());
        }
    }
}
