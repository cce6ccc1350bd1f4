//! The runtime clock: integer ticks and fixed-point phases, so that CPU and GPU show the same frame for weeks.
//!
//! A tick is 1/65,536 of a second. A clip that plays has a start tick, a phase at that tick and a rate in cycles a tick;
//! its phase at any later tick is one wide integer product away. Nothing accumulates, so nothing drifts, and nothing has
//! to be written while it plays. Every function here has a twin of the same name in `clip_time.wgsl`, with the same
//! integer operations: the results are equal bit by bit.

use crate::clip_time::{ClipMode, FramePair};

/// Ticks of a second.
pub const TICKS_PER_SECOND: u32 = 1 << 16;

/// Bits of a tick number that are kept: 136 years.
pub const TICK_BITS: u32 = 48;

/// The last tick that there is: 136 years. A clip that starts on it never does.
pub const LAST_TICK: u64 = (1 << TICK_BITS) - 1;

/// Tick of a time since the crowd was created, in seconds. Negative and not finite times are tick 0; times beyond
/// 136 years are the last tick.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 48 bits before the cast"
)]
pub fn ticks_from_seconds(seconds: f64) -> u64 {
    let ticks = libm::floor(seconds * f64::from(TICKS_PER_SECOND));
    if ticks > 0.0 { ticks.min(LAST_TICK as f64) as u64 } else { 0 }
}

/// How fast a clip runs: cycles a tick in units of 2^-64, and its direction. A cycle is the whole clip once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleRate {
    /// Cycles a tick, in units of 2^-64.
    pub magnitude: u64,
    /// The clip runs backwards.
    pub backwards: bool,
}

impl CycleRate {
    /// The rate of a clip of `duration_seconds` at `speed` (1 is as authored, negative is backwards).
    ///
    /// A duration of 0, and anything not finite, is a rate of 0: a pose stands still. Rates of a cycle a tick and more
    /// are clamped to just below it.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to 64 bits before the cast"
    )]
    pub fn new(speed: f32, duration_seconds: f32) -> Self {
        let cycles_a_tick =
            f64::from(speed).abs() / (f64::from(duration_seconds) * f64::from(TICKS_PER_SECOND));
        if !(duration_seconds > 0.0 && cycles_a_tick.is_finite()) {
            return Self::default();
        }
        // 2^64 as f64 is exact; the cast saturates.
        let magnitude = libm::round(cycles_a_tick * 18_446_744_073_709_551_616.0) as u64;
        Self { magnitude, backwards: speed < 0.0 }
    }
}

/// Where a clip is: a phase in units of 2^-32 cycles, or exactly its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClipPosition {
    /// Share of the clip that has passed, in units of 2^-32.
    pub phase: u32,
    /// The clip is at its end: phase 1.
    pub at_end: bool,
    /// A clip that runs once has reached the end that it runs towards.
    pub finished: bool,
}

/// State of a clip from which its position follows at any later tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClipStart {
    /// Tick at which the clip was at `phase`.
    pub start_tick: u64,
    /// Phase at that tick, in units of 2^-32 cycles.
    pub phase: u32,
    /// In ping-pong: the clip was on its way back at that tick, and `phase` counts along that way.
    pub returning: bool,
    /// Its rate.
    pub rate: CycleRate,
}

/// Cycles passed since the start: whole ones (saturating at `u32::MAX`) and the rest in units of 2^-32.
#[must_use]
pub fn cycles_passed(elapsed_ticks: u64, magnitude: u64) -> (u32, u32) {
    let (e0, e1) = split(elapsed_ticks);
    let (m0, m1) = split(magnitude);
    let (p00, p01, p10, p11) = (mul_wide(e0, m0), mul_wide(e0, m1), mul_wide(e1, m0), mul_wide(e1, m1));
    // Columns of 32 bits of the 128-bit product; the lowest is below the precision of a phase.
    let (column, carry_a) = p00[1].overflowing_add(p01[0]);
    let (fraction, carry_b) = column.overflowing_add(p10[0]);
    let carry = u32::from(carry_a) + u32::from(carry_b);
    let (column, over_a) = p01[1].overflowing_add(p10[1]);
    let (column, over_b) = column.overflowing_add(p11[0]);
    let (whole, over_c) = column.overflowing_add(carry);
    let beyond = over_a || over_b || over_c || p11[1] != 0;
    (if beyond { u32::MAX } else { whole }, fraction)
}

/// Phase of a clip at a tick as if it looped, in units of 2^-32 cycles, and how often it has run over an end since its
/// start (saturating at `u32::MAX`). Ticks before the start are the start.
pub(crate) fn phase_and_ends(start: &ClipStart, now_tick: u64) -> (u32, u32) {
    let (whole, fraction) = cycles_passed(now_tick.saturating_sub(start.start_tick), start.rate.magnitude);
    let (phase, crossed) = if start.rate.backwards {
        start.phase.overflowing_sub(fraction)
    } else {
        start.phase.overflowing_add(fraction)
    };
    (phase, whole.saturating_add(u32::from(crossed)))
}

/// Position of a clip at a tick. Ticks before the start are the start.
#[must_use]
pub fn clip_position(start: &ClipStart, now_tick: u64, mode: ClipMode) -> ClipPosition {
    let (phase, ends_crossed) = phase_and_ends(start, now_tick);
    match mode {
        ClipMode::Loop => ClipPosition { phase, at_end: false, finished: false },
        ClipMode::Once if ends_crossed > 0 => {
            let at_end = !start.rate.backwards;
            ClipPosition { phase: if at_end { u32::MAX } else { 0 }, at_end, finished: true }
        }
        ClipMode::Once => ClipPosition { phase, at_end: false, finished: false },
        ClipMode::PingPong => {
            let returning = start.returning != (ends_crossed % 2 == 1);
            ClipPosition { phase: if returning { !phase } else { phase }, at_end: false, finished: false }
        }
    }
}

/// The frames next to a position: the earlier frame, and the share of the next in `[0, 1]`.
///
/// `intervals` is the frame count less one; 0 gives frame 0.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 24 bits")]
pub fn frame_of(position: ClipPosition, intervals: u32) -> (u32, f32) {
    if intervals == 0 {
        return (0, 0.0);
    }
    if position.at_end {
        return (intervals - 1, 1.0);
    }
    let [share, frame] = mul_wide(position.phase, intervals);
    // The upper 24 bits are exact in f32; rounding more could give 1, which is the next frame's.
    (frame, (share >> 8) as f32 * (1.0 / 16_777_216.0))
}

/// The frames next to a position as a pair: [`frame_of`] and the frame after it, which is the same one at the clip's end.
#[must_use]
pub fn frame_pair_of(position: ClipPosition, intervals: u32) -> FramePair {
    let (a, blend) = frame_of(position, intervals);
    FramePair { a, b: a.saturating_add(1).min(intervals), blend }
}

/// Seconds in the clip of a position.
#[must_use]
pub fn seconds_of(position: ClipPosition, duration_seconds: f32) -> f64 {
    let share = if position.at_end { 1.0 } else { f64::from(position.phase) / 4_294_967_296.0 };
    share * f64::from(duration_seconds)
}

/// How much of a fade has passed, in `[0, 1]`: 1 for a fade of no length, 0 before it starts.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "clamped to the fade's length"
)]
pub fn fade_passed(fade_start_tick: u64, fade_ticks: u32, now_tick: u64) -> f32 {
    if now_tick < fade_start_tick {
        return 0.0;
    }
    let elapsed = now_tick - fade_start_tick;
    if elapsed >= u64::from(fade_ticks) { 1.0 } else { elapsed as u32 as f32 / fade_ticks as f32 }
}

/// How much of a fade is left of one that ends at a tick, in `[0, 1]`: 1 up to `fade_ticks` before that, 0 from the end on.
#[must_use]
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "clamped to the fade's length"
)]
pub fn fade_left(fade_end_tick: u64, fade_ticks: u32, now_tick: u64) -> f32 {
    let left = fade_end_tick.saturating_sub(now_tick);
    if left == 0 {
        return 0.0;
    }
    if left >= u64::from(fade_ticks) { 1.0 } else { left as u32 as f32 / fade_ticks as f32 }
}

/// The 64-bit product of two 32-bit numbers: low and high half.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "the halves of the product")]
pub const fn mul_wide(a: u32, b: u32) -> [u32; 2] {
    let product = a as u64 * b as u64;
    [product as u32, (product >> 32) as u32]
}

#[expect(clippy::cast_possible_truncation, reason = "the halves of the number")]
const fn split(n: u64) -> (u32, u32) {
    (n as u32, (n >> 32) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clip_time::clip_time;
    use proptest::prelude::*;

    fn start(speed: f32, duration: f32) -> ClipStart {
        ClipStart { rate: CycleRate::new(speed, duration), ..ClipStart::default() }
    }

    fn seconds(start: &ClipStart, at: f64, mode: ClipMode, duration: f32) -> f64 {
        seconds_of(clip_position(start, ticks_from_seconds(at), mode), duration)
    }

    #[test]
    fn positions_at_the_edges() {
        // A clip of 2 s at normal speed.
        let s = start(1.0, 2.0);
        let table = [
            (ClipMode::Loop, 0.0, 0.0),
            (ClipMode::Loop, 1.5, 1.5),
            (ClipMode::Loop, 2.0, 0.0),
            (ClipMode::Loop, 2_592_000.5, 0.5),
            (ClipMode::Once, 1.5, 1.5),
            (ClipMode::Once, 2.0, 2.0),
            (ClipMode::Once, 1e9, 2.0),
            (ClipMode::PingPong, 1.5, 1.5),
            (ClipMode::PingPong, 2.5, 1.5),
            (ClipMode::PingPong, 4.5, 0.5),
        ];
        for (mode, at, expected) in table {
            assert!((seconds(&s, at, mode, 2.0) - expected).abs() < 1e-6, "{mode:?} at {at}");
        }
        let back = start(-1.0, 2.0);
        assert!((seconds(&back, 0.5, ClipMode::Loop, 2.0) - 1.5).abs() < 1e-6);
        assert_eq!(
            clip_position(&back, 1, ClipMode::Once),
            ClipPosition { phase: 0, at_end: false, finished: true }
        );
        assert_eq!(clip_position(&start(1.0, 0.0), 99, ClipMode::Loop), ClipPosition::default());
        assert!(clip_position(&start(0.0, 2.0), u64::MAX, ClipMode::Once) == ClipPosition::default());
    }

    #[test]
    fn the_end_is_exact_and_frames_stay_inside() {
        let end = ClipPosition { phase: u32::MAX, at_end: true, finished: true };
        assert_eq!(frame_of(end, 60), (59, 1.0));
        assert_eq!(frame_of(ClipPosition { phase: u32::MAX, ..ClipPosition::default() }, 60).0, 59);
        assert_eq!(frame_of(ClipPosition { phase: 1 << 31, ..ClipPosition::default() }, 3), (1, 0.5));
        assert_eq!(frame_of(end, 0), (0, 0.0));
    }

    #[test]
    fn fades_start_end_and_have_no_length_zero_division() {
        let table =
            [(9, 10, 0.0), (10, 10, 0.0), (15, 10, 0.5), (20, 10, 1.0), (u64::MAX, 10, 1.0), (10, 0, 1.0)];
        for (now, length, expected) in table {
            assert_eq!(fade_passed(10, length, now), expected, "{now}");
        }
        let table = [
            (0, 10, 1.0),
            (10, 10, 1.0),
            (15, 10, 0.5),
            (20, 10, 0.0),
            (u64::MAX, 10, 0.0),
            (19, 0, 1.0),
            (20, 0, 0.0),
        ];
        for (now, length, expected) in table {
            assert_eq!(fade_left(20, length, now), expected, "{now}");
        }
    }

    proptest! {
        #[test]
        fn thirty_days_are_as_exact_as_the_first_second(
            days in 0.0..30.0f64, duration in 0.1..20.0f32, speed in -4.0..4.0f32,
        ) {
            let s = start(speed, duration);
            let tick = ticks_from_seconds(days * 86_400.0);
            let exact_seconds = tick as f64 / f64::from(TICKS_PER_SECOND) * f64::from(speed);
            for mode in [ClipMode::Loop, ClipMode::PingPong, ClipMode::Once] {
                let found = seconds_of(clip_position(&s, tick, mode), duration);
                let expected = match mode {
                    // A clip that runs once and backwards from its start is over at once.
                    ClipMode::Once if speed < 0.0 => 0.0,
                    // Backwards, ping-pong first runs along its way from the end.
                    ClipMode::PingPong if speed < 0.0 => continue,
                    _ => clip_time(exact_seconds, f64::from(duration), mode),
                };
                let apart = (found - expected).abs();
                let apart = if mode == ClipMode::Loop { apart.min(f64::from(duration) - apart) } else { apart };
                prop_assert!(apart < 1e-5, "{:?}: {} instead of {}", mode, found, expected);
            }
        }

        #[test]
        fn a_looping_phase_is_the_wrapped_product(elapsed in 0u64..1 << 48, magnitude: u64) {
            let (whole, fraction) = cycles_passed(elapsed, magnitude);
            let product = u128::from(elapsed) * u128::from(magnitude);
            prop_assert_eq!(u128::from(fraction), (product >> 32) & 0xFFFF_FFFF);
            prop_assert_eq!(u128::from(whole), (product >> 64).min(u128::from(u32::MAX)));
        }

        #[test]
        fn frames_and_shares_stay_inside_for_every_phase(phase: u32, intervals in 1u32..1 << 24) {
            let (frame, share) = frame_of(ClipPosition { phase, ..ClipPosition::default() }, intervals);
            prop_assert!(frame < intervals);
            prop_assert!((0.0..1.0).contains(&share));
        }
    }
}
