//! Seconds to frames, for every mode: the only rule about loops in the project.
//!
//! A clip covers `[0, duration]` and is stored as `intervals + 1` frames at equal distances, **both ends included**. The
//! end pose is therefore exact, the neighbours of any time lie inside the clip, and a loop needs no seam: its last
//! interval leads to the stored end frame, and time starts again at frame 0.

/// What a clip does at its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClipMode {
    /// Starts again: time modulo duration.
    #[default]
    Loop,
    /// Holds the first pose before the start and the last pose after the end.
    Once,
    /// Runs to the end, back to the start, and so on: the period is twice the duration.
    PingPong,
}

/// How the frames next to a time are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Between the two frames, by distance.
    #[default]
    Linear,
    /// The earlier frame is held.
    Step,
}

/// The two frames next to a time, and how far it is from the first to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FramePair {
    /// The earlier frame.
    pub a: u32,
    /// The later frame: `a + 1`, or `a` in a clip of one frame.
    pub b: u32,
    /// Share of `b`, in `[0, 1]`.
    pub blend: f32,
}

/// Time inside the clip, in `[0, duration_seconds]`, for any time since the clip started.
///
/// `seconds` may be negative. A duration that is zero, negative or not finite, and a time that is not finite, give 0.
/// `Loop` gives values in `[0, duration)`: the exact end is the start again.
#[must_use]
pub fn clip_time(seconds: f64, duration_seconds: f64, mode: ClipMode) -> f64 {
    if !(duration_seconds > 0.0 && duration_seconds.is_finite() && seconds.is_finite()) {
        return 0.0;
    }
    match mode {
        ClipMode::Loop => wrap(seconds, duration_seconds),
        ClipMode::Once => seconds.clamp(0.0, duration_seconds),
        ClipMode::PingPong => {
            let period_time = wrap(seconds, 2.0 * duration_seconds);
            if period_time > duration_seconds { 2.0 * duration_seconds - period_time } else { period_time }
        }
    }
}

/// The frames next to a time inside the clip; times outside `[0, duration_seconds]` are clamped to it.
///
/// `intervals` is the frame count less one; 0 is a clip of one frame, which gives that frame for every time.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the phase is between 0 and intervals; blend is a fraction"
)]
#[expect(clippy::cast_sign_loss, reason = "the phase is not negative")]
pub fn frame_pair(time_seconds: f64, duration_seconds: f64, intervals: u32) -> FramePair {
    if intervals == 0 || !(duration_seconds > 0.0) || !time_seconds.is_finite() {
        return FramePair { a: 0, b: 0, blend: 0.0 };
    }
    let phase = (time_seconds / duration_seconds).clamp(0.0, 1.0) * f64::from(intervals);
    let a = (phase as u32).min(intervals - 1);
    FramePair { a, b: a + 1, blend: ((phase - f64::from(a)) as f32).clamp(0.0, 1.0) }
}

/// Share of the later frame after the interpolation rule: `Step` and held intervals give 0 before the later frame and 1
/// on it.
///
/// `held` says that this interval holds its earlier frame although the clip is `Linear`: something in it jumps. A time
/// that is nearer than 1e-3 of an interval to the later frame counts as on it: key times of a source are found on the
/// frame grid to that precision.
#[must_use]
pub fn blend_of(pair: FramePair, interpolation: Interpolation, held: bool) -> f32 {
    if interpolation == Interpolation::Linear && !held {
        pair.blend
    } else if pair.blend > 1.0 - 1e-3 {
        1.0
    } else {
        0.0
    }
}

/// Time of a frame, in seconds from the clip's start: `duration * frame / intervals`, exact at both ends.
///
/// A clip of one frame has it at 0.
#[must_use]
pub fn frame_time(frame: u32, duration_seconds: f64, intervals: u32) -> f64 {
    if intervals == 0 { 0.0 } else { duration_seconds * f64::from(frame) / f64::from(intervals) }
}

/// Intervals of a clip sampled at `rate_hz`: `max(1, ceil(duration * rate - 1e-3))`, or 0 for a duration of 0.
///
/// `None` if the number is beyond `u32`, or an argument is negative or not finite.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "range checked before the cast")]
#[expect(clippy::cast_sign_loss, reason = "range checked before the cast")]
pub fn interval_count(duration_seconds: f64, rate_hz: f64) -> Option<u32> {
    if duration_seconds == 0.0 {
        return Some(0);
    }
    let exact = libm::ceil(duration_seconds * rate_hz - 1e-3).max(1.0);
    (duration_seconds > 0.0 && rate_hz > 0.0 && exact < f64::from(u32::MAX)).then_some(exact as u32)
}

/// `value` modulo `period`, in `[0, period)`.
fn wrap(value: f64, period: f64) -> f64 {
    let remainder = value % period;
    let wrapped = if remainder < 0.0 { remainder + period } else { remainder };
    // A remainder of -1e-30 plus the period rounds to the period itself.
    if wrapped >= period { 0.0 } else { wrapped }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clip_time_at_the_edges() {
        // A clip of 2 s:   0---------1---------2
        let table = [
            (ClipMode::Loop, 0.0, 0.0),
            (ClipMode::Loop, 1.5, 1.5),
            (ClipMode::Loop, 2.0, 0.0),
            (ClipMode::Loop, 2.5, 0.5),
            (ClipMode::Loop, -0.5, 1.5),
            (ClipMode::Loop, -1e-30, 0.0),
            (ClipMode::Loop, 2_592_000.5, 0.5),
            (ClipMode::Once, -0.5, 0.0),
            (ClipMode::Once, 1.5, 1.5),
            (ClipMode::Once, 2.0, 2.0),
            (ClipMode::Once, 7.0, 2.0),
            (ClipMode::PingPong, 1.5, 1.5),
            (ClipMode::PingPong, 2.0, 2.0),
            (ClipMode::PingPong, 2.5, 1.5),
            (ClipMode::PingPong, 4.0, 0.0),
            (ClipMode::PingPong, -0.5, 0.5),
            (ClipMode::PingPong, -2.5, 1.5),
        ];
        for (mode, seconds, expected) in table {
            assert_eq!(clip_time(seconds, 2.0, mode), expected, "{mode:?} at {seconds}");
        }
        for mode in [ClipMode::Loop, ClipMode::Once, ClipMode::PingPong] {
            assert_eq!(clip_time(3.0, 0.0, mode), 0.0);
            assert_eq!(clip_time(f64::NAN, 2.0, mode), 0.0);
            assert_eq!(clip_time(f64::INFINITY, 2.0, mode), 0.0);
        }
    }

    #[test]
    fn frame_pair_at_the_edges() {
        // A clip of 2 s in 4 intervals: frames at 0, 0.5, 1, 1.5 and 2 s.
        let table = [
            (-0.2, (0, 1, 0.0)),
            (0.0, (0, 1, 0.0)),
            (0.25, (0, 1, 0.5)),
            (0.5, (1, 2, 0.0)),
            (1.999_999, (3, 4, 0.999_998)),
            (2.0, (3, 4, 1.0)),
            (2.000_001, (3, 4, 1.0)),
        ];
        for (time, (a, b, blend)) in table {
            let found = frame_pair(time, 2.0, 4);
            assert_eq!((found.a, found.b), (a, b), "at {time}");
            assert!((found.blend - blend).abs() < 1e-5, "at {time}: {}", found.blend);
        }
        assert_eq!(frame_pair(1.0, 0.0, 0), FramePair { a: 0, b: 0, blend: 0.0 });
    }

    #[test]
    fn step_and_held_intervals_keep_the_earlier_frame() {
        let at = |blend| FramePair { a: 3, b: 4, blend };
        assert_eq!(blend_of(at(0.7), Interpolation::Linear, false), 0.7);
        assert_eq!(blend_of(at(0.7), Interpolation::Linear, true), 0.0);
        assert_eq!(blend_of(at(0.99), Interpolation::Step, false), 0.0);
        assert_eq!(blend_of(at(0.9999), Interpolation::Step, false), 1.0);
        assert_eq!(blend_of(at(1.0), Interpolation::Step, false), 1.0);
    }

    #[test]
    fn intervals_round_up_unless_the_end_is_on_the_grid() {
        let table = [
            (1.0, 30.0, Some(30)),
            (1.000_01, 30.0, Some(30)),
            (1.01, 30.0, Some(31)),
            (0.01, 30.0, Some(1)),
            (0.0, 30.0, Some(0)),
            (f64::NAN, 30.0, None),
            (1.0, 0.0, None),
            (1e30, 30.0, None),
            (-1.0, 30.0, None),
        ];
        for (duration, rate, expected) in table {
            assert_eq!(interval_count(duration, rate), expected, "{duration} s at {rate} Hz");
        }
    }

    proptest! {
        #[test]
        fn time_stays_inside_the_clip(
            seconds in -1e9..1e9f64, speed in -100.0..100.0f64, duration in 1e-6..1e4f64, intervals in 1..100_000u32,
        ) {
            for mode in [ClipMode::Loop, ClipMode::Once, ClipMode::PingPong] {
                let time = clip_time(seconds * speed, duration, mode);
                prop_assert!((0.0..=duration).contains(&time), "{:?}: {}", mode, time);
                let pair = frame_pair(time, duration, intervals);
                prop_assert!(pair.a < pair.b && pair.b <= intervals);
                prop_assert!((0.0..=1.0).contains(&pair.blend));
            }
        }

        #[test]
        fn a_loop_repeats_after_its_duration(seconds in -1e4..1e4f64, duration in 0.01..100.0f64) {
            let here = clip_time(seconds, duration, ClipMode::Loop);
            let later = clip_time(seconds + duration, duration, ClipMode::Loop);
            let apart = (here - later).abs();
            // Next to the seam one may be just before the end and the other at the start: the same moment.
            prop_assert!(apart.min(duration - apart) < 1e-9, "{} {}", here, later);
        }
    }
}
