//! Where a clip is and how it goes on from there: what every change of a playing clip reads, alters and writes back.

use super::Play;
use crate::clip_time::ClipMode;
use crate::clock::{ClipStart, CycleRate, LAST_TICK, clip_position, phase_and_ends};
use crate::layers::Layer;

/// Rate in a layer whose clip ended and has a speed of 0: only what has a rate can be at its exact end.
const HELD_AT_END: u64 = u64::MAX;

/// A clip at one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Course {
    /// What happens at the clip's ends.
    pub mode: ClipMode,
    /// The rate that its speed gives, also while the stack is paused.
    pub rate: CycleRate,
    /// Phase along its way, in units of 2^-32 cycles. At an end: `u32::MAX` for the last pose, 0 for the first.
    pub phase: u32,
    /// In ping-pong: it is on its way back.
    pub returning: bool,
    /// It runs once and has reached the end that it runs towards.
    pub ended: bool,
}

impl Course {
    /// A clip at the start that a request asks for.
    pub(super) fn starting(play: &Play, duration_seconds: f32) -> Self {
        let rate = rate_of(play.speed, duration_seconds);
        let mut course = Self { mode: play.mode, rate, phase: 0, returning: false, ended: false };
        course.put_along(play.phase);
        course.inside(duration_seconds)
    }

    /// The clip of a layer at a tick.
    pub(super) fn of(layer: &Layer, now_tick: u64) -> Self {
        let held = layer.start.rate.magnitude == HELD_AT_END;
        let rate = if held { CycleRate::default() } else { layer.start.rate };
        let (phase, ends_crossed) = phase_and_ends(&layer.start, now_tick);
        let position = clip_position(&layer.start, now_tick, layer.mode);
        Self {
            mode: layer.mode,
            rate,
            phase: if position.finished { position.phase } else { phase },
            returning: layer.mode == ClipMode::PingPong && layer.start.returning != (ends_crossed % 2 == 1),
            ended: position.finished,
        }
    }

    /// Puts the clip where a share of it, in `[0, 1]`, has passed in the direction of its rate. Values outside are
    /// clamped, what is not finite is 0.
    pub(super) fn put_along(&mut self, share: f32) {
        let share = if share.is_finite() { f64::from(share) } else { 0.0 };
        let along = phase_of(share);
        self.phase = if self.rate.backwards { !along } else { along };
        self.returning = false;
        self.ended = self.mode == ClipMode::Once && share >= 1.0;
    }

    /// Puts the clip at a share of it, counted from its first pose whatever its direction and clamped to `[0, 1]`.
    /// In ping-pong it stays on the way that it is on.
    pub(super) fn put_at(&mut self, share: f64) {
        let phase = phase_of(share);
        self.phase = if self.returning { !phase } else { phase };
        let reached = if self.rate.backwards { share <= 0.0 } else { share >= 1.0 };
        self.ended = self.mode == ClipMode::Once && reached;
    }

    /// The same, but a clip without length has no place other than its one pose, and has run once as soon as it plays.
    pub(super) fn inside(self, duration_seconds: f32) -> Self {
        if has_length(duration_seconds) {
            return self;
        }
        let ended = self.mode == ClipMode::Once;
        Self { mode: self.mode, rate: CycleRate::default(), phase: 0, returning: false, ended }
    }

    /// State of a clock that is here at `now_tick` and runs on from it, or stands still while the stack is paused.
    pub(super) fn start(&self, now_tick: u64, paused: bool) -> ClipStart {
        if !self.ended {
            // Ticks before the start are the start: a clip that starts at the last tick stands, and keeps its rate.
            let start_tick = if paused { LAST_TICK } else { now_tick };
            return ClipStart { start_tick, phase: self.phase, returning: self.returning, rate: self.rate };
        }
        let held = CycleRate { magnitude: HELD_AT_END, backwards: self.phase == 0 };
        let rate = if self.rate.magnitude == 0 { held } else { self.rate };
        // It ran over its end just before now: by one unit of phase.
        let start_tick = now_tick.saturating_sub((1u64 << 32).div_ceil(rate.magnitude));
        ClipStart { start_tick, phase: self.phase, returning: false, rate }
    }
}

/// The rate of a clip; speeds too slow to count are 0 in either direction.
pub(super) fn rate_of(speed: f32, duration_seconds: f32) -> CycleRate {
    let rate = CycleRate::new(speed, duration_seconds);
    match rate.magnitude {
        0 => CycleRate::default(),
        magnitude => CycleRate { magnitude: magnitude.min(HELD_AT_END - 1), ..rate },
    }
}

/// Whether a clip has more than one moment.
pub(super) fn has_length(duration_seconds: f32) -> bool {
    duration_seconds > 0.0 && duration_seconds.is_finite()
}

/// First tick after `now_tick` at which a layer's clip runs over an end, or `now_tick` if it has run once already.
/// `None` if it stands still because its rate is 0; the last tick if it is paused.
pub(super) fn end_tick(layer: &Layer, now_tick: u64) -> Option<u64> {
    let course = Course::of(layer, now_tick);
    if course.ended {
        return Some(now_tick);
    }
    if course.rate.magnitude == 0 {
        return None;
    }
    let magnitude = u128::from(course.rate.magnitude);
    // Running backwards from a phase crosses the end at the same tick as running forwards from its complement.
    let ClipStart { start_tick, phase, .. } = layer.start;
    let along = u128::from(if course.rate.backwards { !phase } else { phase }) << 32;
    let passed = along + u128::from(now_tick.saturating_sub(start_tick)) * magnitude;
    let ticks = ((((passed >> 64) + 1) << 64) - along).div_ceil(magnitude);
    let tick = u64::try_from(ticks).unwrap_or(LAST_TICK).saturating_add(start_tick);
    Some(tick.min(LAST_TICK))
}

/// First tick after a layer's start at which its clip runs over an end. `None` if it stands still because its rate is 0; the
/// last tick if it is paused.
pub(super) fn first_end_tick(layer: &Layer) -> Option<u64> {
    let start_tick = layer.start.start_tick;
    if layer.start.rate.magnitude == HELD_AT_END {
        return Some((start_tick + 1).min(LAST_TICK));
    }
    end_tick(layer, start_tick)
}

/// A share of a clip in units of 2^-32; the end is the last unit.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped, and the cast saturates"
)]
fn phase_of(share: f64) -> u32 {
    libm::round(share.clamp(0.0, 1.0) * 4_294_967_296.0) as u32
}
