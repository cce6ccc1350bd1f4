//! Moments at which a clip jumps: STEP keys that change a value.

use crate::source::{KeyInterpolation, Property, SourceClip};

/// A jump, moved to the nearest frame: the frame before it is held until then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Jump {
    /// First frame that shows the new value.
    pub(crate) frame: u32,
    /// How far the jump was moved, in intervals, in `[0, 0.5]`.
    pub(crate) shift_intervals: f64,
}

/// How far a STEP channel is read ahead of a frame, in intervals: a frame stands for the half interval on either side,
/// so that a jump goes to the nearest frame.
pub(crate) const STEP_LOOK_AHEAD_INTERVALS: f64 = 0.5;

/// A jump that was moved by less than this is where the source has it: key times are only found on a grid to that
/// precision.
pub(crate) const ON_FRAME_INTERVALS: f64 = 1e-3;

/// All jumps of a clip, in frame order, each frame once with its largest shift.
pub(crate) fn find_jumps(
    clip: &SourceClip,
    start_seconds: f64,
    duration_seconds: f64,
    intervals: u32,
) -> Vec<Jump> {
    if intervals == 0 {
        return Vec::new();
    }
    let interval_seconds = duration_seconds / f64::from(intervals);
    let mut jumps: Vec<Jump> = Vec::new();
    for channel in &clip.channels {
        if channel.interpolation != KeyInterpolation::Step || channel.property == Property::Weights {
            continue;
        }
        for key in 1..channel.times_seconds.len() {
            let value =
                |key: usize| &channel.values[key * channel.components..(key + 1) * channel.components];
            let place = (f64::from(channel.times_seconds[key]) - start_seconds) / interval_seconds;
            if value(key - 1) == value(key) || place <= 0.0 {
                continue;
            }
            // The first frame whose reading time, half an interval later, has reached the key.
            let frame = libm::ceil(place - STEP_LOOK_AHEAD_INTERVALS).clamp(0.0, f64::from(intervals));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to the frames"
            )]
            jumps.push(Jump { frame: frame as u32, shift_intervals: (place - frame).abs() });
        }
    }
    jumps.sort_by(|a, b| a.frame.cmp(&b.frame).then(b.shift_intervals.total_cmp(&a.shift_intervals)));
    jumps.dedup_by_key(|jump| jump.frame);
    jumps
}

/// The bit set of held frames for a track: for each jump the frame before it. Empty without jumps.
pub(crate) fn held_frames(jumps: &[Jump], frames: u32) -> Vec<u32> {
    if jumps.is_empty() {
        return Vec::new();
    }
    let mut words = vec![0u32; frames.div_ceil(32) as usize];
    for jump in jumps {
        if let Some(frame) = jump.frame.checked_sub(1) {
            words[frame as usize / 32] |= 1 << (frame % 32);
        }
    }
    if words.iter().all(|word| *word == 0) { Vec::new() } else { words }
}

/// Whether the accuracy figures leave out an interval: it holds its frame because of a jump, or the jump was moved out
/// of it.
pub(crate) fn is_left_out(jumps: &[Jump], interval: u32, all_step: bool) -> bool {
    let next = |frame: u32| jumps.binary_search_by_key(&frame, |jump| jump.frame).ok().map(|i| jumps[i]);
    let moved = |jump: Jump| jump.shift_intervals > ON_FRAME_INTERVALS;
    next(interval + 1).is_some_and(|jump| !all_step || moved(jump)) || next(interval).is_some_and(moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Channel;

    fn step_clip(times: &[f32], values: &[f32]) -> SourceClip {
        let channel = Channel {
            node: 0,
            property: Property::Translation,
            interpolation: KeyInterpolation::Step,
            times_seconds: times.into(),
            values: values.iter().flat_map(|v| [*v, 0.0, 0.0]).collect(),
            components: 3,
        };
        SourceClip { name: None, channels: vec![channel] }
    }

    #[test]
    fn jumps_go_to_the_nearest_frame_and_equal_keys_are_none() {
        // Ten intervals of 0.1 s; values change at 0.1, 0.34 and 0.98 s, and not at 0.5 s.
        let clip = step_clip(&[0.0, 0.1, 0.34, 0.5, 0.98], &[0.0, 1.0, 2.0, 2.0, 3.0]);
        let jumps = find_jumps(&clip, 0.0, 1.0, 10);
        let frames: Vec<u32> = jumps.iter().map(|jump| jump.frame).collect();
        assert_eq!(frames, [1, 3, 10]);
        assert!(jumps[0].shift_intervals < 1e-6);
        assert!((jumps[1].shift_intervals - 0.4).abs() < 1e-5);
        assert_eq!(held_frames(&jumps, 11), [1 << 0 | 1 << 2 | 1 << 9]);
        assert_eq!(held_frames(&[], 11), [0u32; 0]);
        let left_out: Vec<u32> = (0..10).filter(|i| is_left_out(&jumps, *i, false)).collect();
        assert_eq!(left_out, [0, 2, 3, 9]);
        let left_out: Vec<u32> = (0..10).filter(|i| is_left_out(&jumps, *i, true)).collect();
        assert_eq!(left_out, [2, 3, 9]);
    }
}
