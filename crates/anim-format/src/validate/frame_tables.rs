//! What stands before the frames of tracks, frame tables and boxes, and texels that several tracks share.
//!
//! Each of these is looked at once, and tables have no texel in common: linear in the bytes of the file, however many
//! tracks share them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use anim_core::local_tracks::frame_table_texels;

use super::Problems;
use super::clips::end_texel;
use super::place::Place;
use super::vertex_tracks::check_boxes;
use crate::error::FormatError;
use crate::model::{AnimFile, Encoding, Track};
use crate::playback::local_encoding;

/// A track that owns texels, and where it is listed.
#[derive(Clone, Copy)]
struct Owner<'f> {
    track: &'f Track,
    clip: usize,
    number: usize,
}

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    let mut owners: Vec<Owner<'_>> = Vec::new();
    for (clip, tracks) in file.clips.iter().map(|clip| &clip.tracks).enumerate() {
        let owning =
            tracks.iter().enumerate().filter(|(_, track)| end_texel(track) > track.first_texel.into());
        owners.extend(owning.map(|(number, track)| Owner { track, clip, number }));
    }
    owners.sort_by_key(|owner| (shared(owner.track), owner.clip, owner.number));
    let mut before: Option<Owner<'_>> = None;
    for owner in owners {
        let other = before.filter(|other| page(other.track) == page(owner.track));
        match other {
            Some(other) if shared(other.track) == shared(owner.track) => {}
            Some(other) if end_texel(other.track) > owner.track.first_texel.into() => {
                problems.add(FormatError::TrackOverlap {
                    place: place(file, owner),
                    first_texel: owner.track.first_texel,
                    other: place(file, other),
                    other_end_texel: end_texel(other.track),
                });
                // What ends last is what the next one may not start in.
                if end_texel(owner.track) > end_texel(other.track) {
                    before = Some(owner);
                }
            }
            _ => {
                check_header(file, owner, problems);
                before = Some(owner);
            }
        }
    }
}

/// What stands before a track's frames.
fn check_header(file: &AnimFile<'_>, owner: Owner<'_>, problems: &mut Problems) {
    let track = owner.track;
    let Some(set) = file.page_sets.get(track.page_set as usize) else { return };
    let start = (track.first_texel as usize).checked_mul(set.texel_format.bytes() as usize);
    let page = set.pages.get(track.page as usize);
    let bytes = page.zip(start).and_then(|(page, start)| page.get(start..)).unwrap_or_default();
    if set.encoding == Encoding::Position16 {
        check_boxes(file, track, bytes, &place(file, owner), problems);
    } else if let Some(encoding) = local_encoding(set.encoding) {
        check_table(file, owner, frame_table_texels(track.frames, encoding), bytes, problems);
    }
}

/// Every frame is one that is stored.
fn check_table(
    file: &AnimFile<'_>,
    owner: Owner<'_>,
    table_texels: u32,
    bytes: &[u8],
    problems: &mut Problems,
) {
    let track = owner.track;
    if track.header_texels == 0 || table_texels != track.header_texels {
        return;
    }
    let mut entries = bytes.chunks_exact(4).take(track.frames as usize);
    let mut frames = (0u32..).zip(entries.by_ref().map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
    if let Some((frame, stored)) = frames.find(|(_, stored)| *stored >= track.stored_frames) {
        problems.number(
            format_args!("{}.frame_table[{frame}]", place(file, owner)),
            stored.into(),
            track.stored_frames as usize,
        );
    }
}

const fn page(track: &Track) -> (u32, u32) {
    (track.page_set, track.page)
}

/// What tracks with the same texels agree in.
const fn shared(track: &Track) -> (u32, u32, u32, u32, u32, u32, u32, u32) {
    let Track { page_set, page, first_texel, header_texels, frames, stored_frames, .. } = *track;
    (
        page_set,
        page,
        first_texel,
        header_texels,
        frames,
        stored_frames,
        track.elements_per_frame,
        track.texels_per_element,
    )
}

fn place(file: &AnimFile<'_>, owner: Owner<'_>) -> String {
    let clip = Place { table: "clips", number: owner.clip, name: &file.clips[owner.clip].name };
    format!("{clip}.tracks[{}]", owner.number)
}
