//! Clips and their tracks.

use anim_core::limits::ROWS_PER_BONE;
use anim_core::local_tracks::frame_table_texels;
use anim_core::texel::track_texels;

use super::Problems;
use super::place::Place;
use super::vertex_tracks::VertexStream;
use crate::error::FormatError;
use crate::model::{AnimFile, Clip, Content, PageSet, Track};
use crate::playback::{local_encoding, vertex_encoding};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    let stream = VertexStream::of(file);
    problems.unique_names("clips", file.clips.iter().map(|clip| &*clip.name));
    for (number, clip) in file.clips.iter().enumerate() {
        let place = Place { table: "clips", number, name: &clip.name };
        check_clip(clip, place, problems);
        let mut next_set = 0;
        for (number, track) in clip.tracks.iter().enumerate() {
            let place = alloc::format!("{place}.tracks[{number}]");
            problems.in_range(
                format_args!("{place}.page_set"),
                u64::from(track.page_set) >= next_set,
                track.page_set.into(),
                "above that of the track before it: one track a page set",
            );
            next_set = u64::from(track.page_set) + 1;
            check_track(file, clip, track, &stream, &place, problems);
        }
    }
}

fn check_clip(clip: &Clip<'_>, place: Place<'_>, problems: &mut Problems) {
    problems.not_negative(format_args!("{place}.duration_seconds"), clip.duration_seconds);
    problems.finite(format_args!("{place}.start_seconds"), &[clip.start_seconds]);
    problems.not_negative(format_args!("{place}.loop_gap_metres"), clip.loop_gap_metres);
    if let Some(rate) = clip.source_rate_hz {
        problems.in_range(
            format_args!("{place}.source_rate_hz"),
            rate > 0.0 && rate.is_finite(),
            rate.into(),
            "a finite number above 0",
        );
    }
    problems.bounds(place, &clip.bounds);
    problems
        .expect(!clip.tracks.is_empty(), || FormatError::TrackMissing { place: alloc::format!("{place}") });
}

fn check_track(
    file: &AnimFile<'_>,
    clip: &Clip<'_>,
    track: &Track,
    stream: &VertexStream,
    place: &str,
    problems: &mut Problems,
) {
    problems.in_range(format_args!("{place}.frames"), track.frames >= 1, track.frames.into(), "at least 1");
    let frames = u64::from(track.intervals) + 1;
    problems.equal(format_args!("{place}.frames"), track.frames.into(), frames);
    if clip.duration_seconds == 0.0 {
        problems.equal(format_args!("{place}.intervals of a pose"), track.intervals.into(), 0);
    } else {
        problems.in_range(
            format_args!("{place}.intervals"),
            track.intervals >= 1,
            track.intervals.into(),
            "at least 1 for a duration above 0",
        );
    }
    check_held_frames(track, place, problems);

    let set_count = file.page_sets.len();
    if !problems.number(format_args!("{place}.page_set"), track.page_set.into(), set_count) {
        return;
    }
    let set = &file.page_sets[track.page_set as usize];
    problems.number(format_args!("{place}.page"), track.page.into(), set.pages.len());
    let expected_texels = match set.content {
        Content::Rows => {
            problems.equal(format_args!("{place}.header_texels"), track.header_texels.into(), 0);
            let elements = format_args!("{place}.elements_per_frame");
            problems.equal(elements, track.elements_per_frame.into(), file.bones.len() as u64);
            ROWS_PER_BONE
        }
        Content::Local => {
            check_frame_table(set, track, place, problems);
            1
        }
        Content::Vertices | Content::Normals => {
            let header =
                vertex_encoding(set.encoding).map_or(0, |encoding| encoding.header_texels(stream.parts));
            problems.equal(format_args!("{place}.header_texels"), track.header_texels.into(), header.into());
            let elements = format_args!("{place}.elements_per_frame");
            problems.equal(elements, track.elements_per_frame.into(), stream.vertices);
            let stored = format_args!("{place}.stored_frames");
            problems.equal(stored, track.stored_frames.into(), track.frames.into());
            1
        }
    };
    let texels = format_args!("{place}.texels_per_element");
    problems.equal(texels, track.texels_per_element.into(), expected_texels.into());
    if track.header_texels == 0 {
        let stored = format_args!("{place}.stored_frames (without a frame table)");
        problems.equal(stored, track.stored_frames.into(), track.frames.into());
    }
    let end_texel = end_texel(track);
    problems.expect(end_texel <= u128::from(set.page_texels()), || FormatError::TrackOutsidePage {
        place: place.into(),
        end_texel,
        page_texels: set.page_texels(),
    });
}

/// The first texel after those that a track owns.
pub(super) fn end_texel(track: &Track) -> u128 {
    let Track { header_texels, stored_frames, elements_per_frame, texels_per_element, .. } = *track;
    u128::from(track.first_texel)
        + track_texels(header_texels, stored_frames, elements_per_frame, texels_per_element)
}

/// No frame table, or a number for each frame.
fn check_frame_table(set: &PageSet<'_>, track: &Track, place: &str, problems: &mut Problems) {
    // Where content and encoding do not belong together there is a problem already.
    let Some(encoding) = local_encoding(set.encoding) else { return };
    if track.header_texels == 0 {
        return;
    }
    let expected = frame_table_texels(track.frames, encoding);
    problems.equal(format_args!("{place}.header_texels"), track.header_texels.into(), expected.into());
    problems.in_range(
        format_args!("{place}.stored_frames"),
        (1..=track.frames).contains(&track.stored_frames),
        track.stored_frames.into(),
        "1 to the number of frames",
    );
}

/// No words, or one bit for each frame and zero bits after the last.
fn check_held_frames(track: &Track, place: &str, problems: &mut Problems) {
    let words = &track.held_frames;
    let Some(last) = words.last() else { return };
    let expected = track.frames.div_ceil(32);
    problems.equal(format_args!("{place}.held_frames (words)"), words.len() as u64, expected.into());
    let used_bits = track.frames % 32;
    if used_bits != 0 && last >> used_bits != 0 {
        problems.equal(format_args!("{place}.held_frames (bits after the last frame)"), 1, 0);
    }
}
