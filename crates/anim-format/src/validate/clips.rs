//! Clips and their tracks.

use anim_core::limits::ROWS_PER_BONE;
use anim_core::texel::track_texels;

use super::Problems;
use super::place::Place;
use crate::error::FormatError;
use crate::model::{AnimFile, Clip, Content, Track};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
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
            check_track(file, clip, track, &place, problems);
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

fn check_track(file: &AnimFile<'_>, clip: &Clip<'_>, track: &Track, place: &str, problems: &mut Problems) {
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
    match set.content {
        Content::Rows => {
            problems.equal(format_args!("{place}.header_texels"), track.header_texels.into(), 0);
            let elements = format_args!("{place}.elements_per_frame");
            problems.equal(elements, track.elements_per_frame.into(), file.bones.len() as u64);
            let texels = format_args!("{place}.texels_per_element");
            problems.equal(texels, track.texels_per_element.into(), ROWS_PER_BONE.into());
        }
    }
    let end_texel = u128::from(track.first_texel)
        + track_texels(track.header_texels, track.frames, track.elements_per_frame, track.texels_per_element);
    problems.expect(end_texel <= u128::from(set.page_texels()), || FormatError::TrackOutsidePage {
        place: place.into(),
        end_texel,
        page_texels: set.page_texels(),
    });
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
