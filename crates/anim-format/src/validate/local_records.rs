//! Local records: slots inside the frame, entries inside the constant pool, numbers that a pose can be made of.
//!
//! Runs of records start at multiples of the number of nodes, so that they have no record in common: each is looked at
//! once, however many tracks share it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use anim_core::local_encoding::LOCAL_VALUE_MAX;
use anim_core::local_record::{LOCAL_ANIMATED, LOCAL_MATRIX, LocalRecord, LocalSource};

use super::Problems;
use super::place::Place;
use crate::error::FormatError;
use crate::model::{AnimFile, Content, Encoding};

/// The largest slot that a run of records names.
#[derive(Clone, Copy)]
struct LargestSlot {
    slot: u32,
    node: usize,
    field: &'static str,
}

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    let node_count = file.nodes.len();
    let partial = file.local_records.len().checked_rem(node_count).unwrap_or(file.local_records.len());
    problems.equal("local_records (records after the last run of one a node)", partial as u64, 0);

    // For each run: not looked at yet, or the largest slot in it, if it names any; and whether its ranges were looked
    // at, which only `Local8` reads.
    let run_count = file.local_records.len().checked_div(node_count).unwrap_or(0);
    let mut runs: Vec<Option<Option<LargestSlot>>> = alloc::vec![None; run_count];
    let mut ranges_checked = alloc::vec![false; run_count];
    for (number, clip) in file.clips.iter().enumerate() {
        let clip_place = Place { table: "clips", number, name: &clip.name };
        for (number, track) in clip.tracks.iter().enumerate() {
            let Some(set) = file.page_sets.get(track.page_set as usize) else { continue };
            let place = format!("{clip_place}.tracks[{number}]");
            let Some(first) = track.first_record else {
                let needed = set.content == Content::Local;
                problems.expect(!needed, || FormatError::RecordsMissing { place: place.clone() });
                continue;
            };
            if set.content != Content::Local {
                problems.add(FormatError::RecordsUnexpected { place, first });
                continue;
            }
            let run = (first as usize).checked_div(node_count).unwrap_or(0);
            problems.in_range(
                format_args!("{place}.first_record"),
                first as usize == run * node_count,
                first.into(),
                "a multiple of the number of nodes",
            );
            if node_count == 0 || first as usize != run * node_count {
                continue;
            }
            if !problems.number(
                format_args!("{place}.first_record (as a run of one a node)"),
                run as u64,
                run_count,
            ) {
                continue;
            }
            let largest = *runs[run].get_or_insert_with(|| check_run(file, first as usize, &place, problems));
            if set.encoding == Encoding::Local8 && !core::mem::replace(&mut ranges_checked[run], true) {
                check_ranges(file, first as usize, &place, problems);
            }
            if let Some(LargestSlot { slot, node, field }) = largest {
                let place = format_args!("{}.{field} (slot)", node_place(file, &place, node));
                problems.number(place, slot.into(), track.elements_per_frame as usize);
            }
        }
    }
}

/// Checks everything but slots, and finds the largest of them.
fn check_run(file: &AnimFile<'_>, first: usize, place: &str, problems: &mut Problems) -> Option<LargestSlot> {
    let mut largest: Option<LargestSlot> = None;
    for (node, record) in file.local_records[first..][..file.nodes.len()].iter().enumerate() {
        check_record(file, record, || node_place(file, place, node), problems);
        let LocalRecord { rotation, translation, scale, .. } = *record;
        let is_matrix = matches!(record.rotation_source(), LocalSource::Matrix(_));
        let fields = [("rotation", rotation), ("translation", translation), ("scale", scale)];
        for (field, value) in fields.into_iter().take(if is_matrix { 0 } else { 3 }) {
            let slot = value & !LOCAL_ANIMATED;
            if value & LOCAL_ANIMATED != 0 && largest.is_none_or(|largest| largest.slot < slot) {
                largest = Some(LargestSlot { slot, node, field });
            }
        }
    }
    largest
}

/// The ranges of a run: there, and such that whatever is inside them is storable.
fn check_ranges(file: &AnimFile<'_>, first: usize, place: &str, problems: &mut Problems) {
    for (node, record) in file.local_records[first..][..file.nodes.len()].iter().enumerate() {
        let is_matrix = matches!(record.rotation_source(), LocalSource::Matrix(_));
        let moving =
            [record.translation, record.scale].iter().filter(|word| **word & LOCAL_ANIMATED != 0).count();
        if is_matrix || moving == 0 {
            continue;
        }
        let place = || format!("{}.ranges", node_place(file, place, node));
        for entry in check_entries(file, record.ranges, moving, place, problems).unwrap_or_default() {
            let [x, y, z, extent] = *entry;
            check_size(&[x, y, z], || format!("{} (minimum)", place()), problems);
            problems.expect((0.0..=2.0 * LOCAL_VALUE_MAX).contains(&extent), || FormatError::OutsideRange {
                place: format!("{} (extent)", place()),
                found: extent.into(),
                expected: "0 to 2e38",
            });
        }
    }
}

/// Entries of the constant pool: there, finite, and what they stand for.
fn check_record(
    file: &AnimFile<'_>,
    record: &LocalRecord,
    place: impl Fn() -> String,
    problems: &mut Problems,
) {
    let LocalRecord { rotation, translation, scale, ranges } = *record;
    if rotation & LOCAL_ANIMATED == 0 {
        if rotation & LOCAL_MATRIX != 0 {
            check_entries(
                file,
                rotation & !LOCAL_MATRIX,
                3,
                || format!("{}.rotation (matrix)", place()),
                problems,
            );
            for (field, value) in [("translation", translation), ("scale", scale), ("ranges", ranges)] {
                problems.expect(value == 0, || FormatError::Mismatch {
                    place: format!("{}.{field} (beside a matrix)", place()),
                    found: value.into(),
                    expected: 0,
                });
            }
            return;
        }
        let entry = check_entries(file, rotation, 1, || format!("{}.rotation", place()), problems);
        if let Some(&[quaternion]) = entry {
            let length: f64 = quaternion.map(|n| f64::from(n) * f64::from(n)).iter().sum();
            problems.expect((0.98..=1.02).contains(&length), || FormatError::OutsideRange {
                place: format!("{}.rotation (squared length)", place()),
                found: length,
                expected: "1, as of a unit quaternion",
            });
        }
    }
    for (field, value) in [("translation", translation), ("scale", scale)] {
        if value & LOCAL_ANIMATED == 0 {
            let place = || format!("{}.{field}", place());
            if let Some(&[[x, y, z, _]]) = check_entries(file, value, 1, place, problems) {
                check_size(&[x, y, z], place, problems);
            }
        }
    }
}

/// Numbers of a translation or a scale that a pose can be made of.
fn check_size(numbers: &[f32], place: impl Fn() -> String, problems: &mut Problems) {
    if let Some(found) = numbers.iter().find(|number| number.abs() > LOCAL_VALUE_MAX) {
        problems.add(FormatError::OutsideRange {
            place: place(),
            found: (*found).into(),
            expected: "numbers from -1e38 to 1e38",
        });
    }
}

/// So many entries of the constant pool from `first` on, if they are there and finite.
fn check_entries<'f>(
    file: &'f AnimFile<'_>,
    first: u32,
    count: usize,
    place: impl Fn() -> String,
    problems: &mut Problems,
) -> Option<&'f [[f32; 4]]> {
    let pool = &file.constant_pool;
    let Some(entries) = pool.get(first as usize..).and_then(|from_first| from_first.get(..count)) else {
        problems.add(FormatError::DanglingNumber {
            place: if count == 1 { place() } else { format!("{} + {}", place(), count - 1) },
            found: u64::from(first) + count as u64 - 1,
            count: pool.len() as u64,
        });
        return None;
    };
    match entries.as_flattened().iter().find(|number| !number.is_finite()) {
        Some(found) => {
            problems.add(FormatError::NotFinite {
                place: format!("{} (in the constant pool)", place()),
                found: *found,
            });
            None
        }
        None => Some(entries),
    }
}

/// `clips[0] "walk".tracks[1].nodes[3] "arm"`.
fn node_place(file: &AnimFile<'_>, track: &str, node: usize) -> String {
    format!("{track}.{}", Place { table: "nodes", number: node, name: &file.nodes[node].name })
}
