//! What each clip costs in a page set and how exact it is there: one row a clip.

use std::ops::Range;

use anim_format::model::{Accuracy, AnimFile, Content};

use super::figures::track_texels;
use crate::text::{Rows, bytes, digits, length, percent, short};

/// Titles of the columns.
pub(crate) const COLUMNS: [&str; 14] = [
    "",
    "clip",
    "rate",
    "frames",
    "moving",
    "still",
    "bytes",
    "largest",
    "of size",
    "99.9 %",
    "rms",
    "normals",
    "worst node",
    "at",
];
/// The columns with names of the source.
pub(crate) const NAMES: [usize; 2] = [1, 12];
/// The columns of errors.
const ERRORS: Range<usize> = 7..COLUMNS.len();

/// A clip in a page set.
#[derive(Clone, Debug)]
pub(crate) struct ClipRow {
    /// Its number.
    pub(crate) clip: usize,
    /// Bytes of its texels.
    pub(crate) bytes: u64,
    /// What is written in each column.
    pub(crate) cells: Vec<String>,
}

/// The table of page set `number`; at most `shown` clips unless all are asked for.
pub(super) fn table(
    file: &AnimFile<'_>,
    number: usize,
    report: &Accuracy,
    whole: bool,
    shown: usize,
) -> String {
    let mut table = Rows::new(&COLUMNS, whole, shown);
    for row in rows(file, number, report) {
        table.add(row.cells);
    }
    table.to_text()
}

/// The clips of page set `number`, in order.
pub(crate) fn rows(file: &AnimFile<'_>, number: usize, report: &Accuracy) -> Vec<ClipRow> {
    let mut rows = Vec::with_capacity(file.clips.len());
    let set = &file.page_sets[number];
    for (index, clip) in file.clips.iter().enumerate() {
        let Some(track) = clip.tracks.iter().find(|track| track.page_set as usize == number) else {
            continue;
        };
        let rate = match clip.duration_seconds > 0.0 {
            true => format!("{} Hz", short(f64::from(track.intervals) / f64::from(clip.duration_seconds))),
            false => "-".into(),
        };
        let frames = match track.stored_frames == track.frames {
            true => track.frames.to_string(),
            false => format!("{} of {}", track.stored_frames, track.frames),
        };
        // A node of local tracks has a rotation, a translation and a scale, which move or stand still.
        let still = match set.content {
            Content::Local => {
                (file.nodes.len() * 3).saturating_sub(track.elements_per_frame as usize).to_string()
            }
            _ => "-".into(),
        };
        let stored = track_texels(track) * u64::from(set.texel_format.bytes());
        let mut cells = vec![
            index.to_string(),
            clip.name.to_string(),
            rate,
            frames,
            track.elements_per_frame.to_string(),
            still,
            bytes(stored),
        ];
        match report.clips.get(index).filter(|figures| figures.samples > 0) {
            Some(figures) => {
                let size = report.model_size_metres;
                let worst = figures.worst.map(|worst| {
                    let node = file.bones.get(worst.bone as usize).and_then(|bone| bone.node);
                    let name = node
                        .and_then(|node| node_name(file, node as usize))
                        .unwrap_or_else(|| format!("bone {}", worst.bone));
                    [name, format!("{} s", short(worst.time_seconds))]
                });
                cells.extend([
                    length(figures.max_metres),
                    if size > 0.0 { percent(figures.max_metres / size) } else { "-".into() },
                    length(figures.p999_metres),
                    length(figures.rms_metres),
                    format!("{}°", digits(figures.normal_max_degrees)),
                ]);
                cells.extend(worst.unwrap_or_else(|| ["-".into(), "-".into()]));
            }
            None => cells.extend(std::iter::repeat_n("-".to_owned(), ERRORS.len())),
        }
        rows.push(ClipRow { clip: index, bytes: stored, cells });
    }
    rows
}

/// A node by its name, or by its number if it has none.
pub(crate) fn node_name(file: &AnimFile<'_>, node: usize) -> Option<String> {
    let name = &file.nodes.get(node)?.name;
    Some(if name.is_empty() { format!("node {node}") } else { name.to_string() })
}
