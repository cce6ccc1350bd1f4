//! Tracks of vertices and of normals: which belong together, and the boxes in their headers.

use alloc::format;

use anim_core::vertex_texel::{BOX_BYTES, PartBox, VertexEncoding};

use super::Problems;
use super::place::Place;
use crate::error::FormatError;
use crate::model::{AnimFile, Clip, Content, Encoding, PageSet, Track};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    for (number, clip) in file.clips.iter().enumerate() {
        let place = Place { table: "clips", number, name: &clip.name };
        let of_content = |content: Content, encoding: Encoding| {
            tracks(file, clip).find(|(_, _, set)| set.content == content && set.encoding == encoding)
        };
        let exact = of_content(Content::Vertices, Encoding::Position32);
        let normals = of_content(Content::Normals, Encoding::Normal16);
        match (exact, normals) {
            (Some((_, positions, _)), Some((number, normals, _))) => {
                let frames = format_args!("{place}.tracks[{number}].frames (those of the positions)");
                problems.equal(frames, normals.frames.into(), positions.frames.into());
            }
            (None, None) => {}
            (Some((number, ..)), None) => {
                problems.add(FormatError::NormalsMissing { place: format!("{place}.tracks[{number}]") });
            }
            (None, Some((number, ..))) => {
                problems.add(FormatError::NormalsUnexpected { place: format!("{place}.tracks[{number}]") });
            }
        }
    }
}

/// What vertex tracks are of.
pub(super) struct VertexStream {
    pub(super) parts: u32,
    /// Vertices of all parts: the elements of a frame.
    pub(super) vertices: u64,
}

impl VertexStream {
    pub(super) fn of(file: &AnimFile<'_>) -> Self {
        let ends = file.parts.iter().map(|part| u64::from(part.first_vertex) + u64::from(part.vertex_count));
        Self { parts: part_count(file), vertices: ends.max().unwrap_or(0) }
    }
}

fn tracks<'f, 'a>(
    file: &'f AnimFile<'a>,
    clip: &'f Clip<'a>,
) -> impl Iterator<Item = (usize, &'f Track, &'f PageSet<'a>)> {
    let with_set = |(number, track): (usize, &'f Track)| {
        file.page_sets.get(track.page_set as usize).map(|set| (number, track, set))
    };
    clip.tracks.iter().enumerate().filter_map(with_set)
}

/// The boxes of all parts, from the first byte of a track of `Position16` on.
pub(super) fn check_boxes(
    file: &AnimFile<'_>,
    track: &Track,
    bytes: &[u8],
    place: &str,
    problems: &mut Problems,
) {
    let expected = VertexEncoding::Position16.header_texels(part_count(file));
    if track.header_texels != expected {
        return;
    }
    for (part, bytes) in bytes.chunks_exact(BOX_BYTES).take(file.parts.len()).enumerate() {
        let PartBox { low, high } = PartBox::read(bytes);
        problems.sorted_box(format_args!("{place}.boxes[{part}]"), low, high);
    }
}

fn part_count(file: &AnimFile<'_>) -> u32 {
    u32::try_from(file.parts.len()).unwrap_or(u32::MAX)
}
