//! What an instance plays, as the CPU of a crowd keeps it: requests in, the layers that the GPU reads out.
//!
//! [`layers`](crate::layers) says what a stack of layers shows at a tick. This is the logic that writes it: which layer a
//! request becomes, when a finished fade makes room, where a clip goes on when its speed changes. Nothing here runs every
//! frame: after a change the layers are uploaded once, and the next tick that needs attention is
//! [`LayerStack::next_event_tick`].
//!
//! # Rules
//!
//! - **Ticks** are [`clock`](crate::clock) ticks. Beyond 48 bits they are the last one. They may go backwards: a clip or
//!   a fade that has not started yet shows its start.
//! - **Durations** are in seconds, by clip number. A request for a clip without a duration, or beyond 65,535, is ignored. A
//!   duration that is not positive or not finite is a clip of one pose: it stays at phase 0, and once is over at once.
//! - **The current clip** is the one on top of those whose fade has started. `seek`, `set_*` and `stop` are about it; a
//!   request that still waits is not changed by them.
//! - **A masked clip** ([`play_masked`](LayerStack::play_masked)) plays on top of all others, in the nodes of its mask
//!   alone: what is below it changes, fades and ends as if it were not there. It plays until it is stopped
//!   ([`stop_masked`](LayerStack::stop_masked)), replaced by another masked clip, or has ended and was asked to leave then.
//!   A stack plays one masked clip at a time, two while one replaces the other.
//! - Every change first [settles](LayerStack::settle) the stack, so that the result never depends on how often a caller
//!   does. What it returns says whether the layers changed, so that they have to be uploaded.
//! - **The pose jumps** only when asked to: by a fade of 0 ticks, by `seek` and by `set_phase`.
//! - **Three layers** are all there are. What finds no room waits for a fade to end, never for a clip.
//!
//! # Example
//!
//! An attack that starts over whatever runs, and then walking again, without a look at it in between:
//!
//! ```
//! use anim_core::clip_time::ClipMode;
//! use anim_core::clock::ticks_from_seconds;
//! use anim_core::layer_stack::{LayerStack, Play};
//!
//! let (walk, attack, durations_seconds) = (0, 1, [1.2, 0.5]);
//! let now = ticks_from_seconds(10.0);
//! let fade_ticks = 6_554; // 0.1 s
//! let mut stack = LayerStack::default();
//! stack.play(now, &Play { clip: walk, ..Play::default() }, &durations_seconds);
//!
//! stack.play(now, &Play { clip: attack, mode: ClipMode::Once, fade_ticks, ..Play::default() }, &durations_seconds);
//! stack.play_after(now, &Play { clip: walk, fade_ticks, ..Play::default() }, &durations_seconds);
//! assert_eq!(stack.current_clip(ticks_from_seconds(10.3)), Some(attack));
//! assert_eq!(stack.current_clip(ticks_from_seconds(10.5)), Some(walk));
//! ```
//!
//! A wave of the upper body that goes by itself when it is over, while the legs begin to run:
//!
//! ```
//! use anim_core::clip_time::ClipMode;
//! use anim_core::clock::ticks_from_seconds;
//! use anim_core::layer_stack::{LayerStack, MaskedPlay, Play};
//!
//! let (walk, run, wave, durations_seconds) = (0, 1, 2, [1.2, 0.8, 2.0]);
//! let (upper, fade_ticks) = (0, 6_554);
//! let mut stack = LayerStack::default();
//! stack.play(0, &Play { clip: walk, ..Play::default() }, &durations_seconds);
//!
//! let play = Play { clip: wave, mode: ClipMode::Once, fade_ticks, ..Play::default() };
//! stack.play_masked(0, &MaskedPlay { play, mask: upper, leaves_at_end: true }, &durations_seconds);
//! let now = ticks_from_seconds(1.0);
//! stack.play(now, &Play { clip: run, fade_ticks, ..Play::default() }, &durations_seconds);
//! assert_eq!(stack.clips().collect::<Vec<_>>(), [walk, run, wave]);
//! assert_eq!(stack.masked_clip(now, &durations_seconds).map(|masked| masked.clip), Some(wave));
//!
//! stack.settle(ticks_from_seconds(2.0), &durations_seconds);
//! assert_eq!(stack.clips().collect::<Vec<_>>(), [run]);
//! ```

mod course;
mod masked;
mod room;
#[cfg(test)]
mod tests;

pub use self::masked::{MaskedClip, MaskedPlay};

use self::course::{Course, has_length, rate_of};
use self::room::duration_of;
use crate::clip_time::ClipMode;
use crate::clock::{LAST_TICK, seconds_of};
use crate::layers::{GpuLayer, LAYERS_MAX, Layer, LayerMoment, layers_at};

/// A request to play a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Play {
    /// Clip number, at most 65,535.
    pub clip: u32,
    /// What happens at the clip's ends.
    pub mode: ClipMode,
    /// Speed: 1 is as authored, negative is backwards, 0 stands still, and so does what is not finite.
    pub speed: f32,
    /// Share of the clip that has passed when it starts, in `[0, 1]`, **in the direction of its speed**: 0 is the first
    /// pose, or at a negative speed the last one. So 0 always plays the whole clip. Values outside are clamped; what is
    /// not finite is 0.
    pub phase: f32,
    /// Ticks until it covers wholly what was played before; 0 is a cut. The first clip of a stack has nothing to cover
    /// and needs no fade.
    pub fade_ticks: u32,
}

impl Default for Play {
    /// Clip 0, looping from its start at normal speed, as a cut.
    fn default() -> Self {
        Self { clip: 0, mode: ClipMode::Loop, speed: 1.0, phase: 0.0, fade_ticks: 0 }
    }
}

/// What an instance plays. The default plays nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerStack {
    /// The layers in use come first, from the base to the top: those without a mask, then those with one.
    layers: [GpuLayer; LAYERS_MAX],
    /// A request that found all layers busy.
    waiting: Option<Play>,
    /// A masked request that found all layers busy.
    waiting_masked: Option<MaskedPlay>,
    /// A request to play after the current clip, or after the one that waits, that has not started: it has a layer, or
    /// found all busy.
    after: Option<Play>,
    /// That request has a layer, the topmost without a mask.
    follows: bool,
    /// It had one, and made room for a masked clip.
    lost_layer: bool,
    /// The topmost layer with a mask leaves so that it has gone when its clip ends.
    leaves_at_end: bool,
    /// All clips stand still.
    paused: bool,
}

impl LayerStack {
    /// Plays a clip from now on, over what is played, and below a masked clip.
    ///
    /// A layer that does not show yet is replaced: one that was to follow, and one that was asked for at this very tick.
    /// With a fade of 0 ticks everything else is dropped, but for a masked clip. If all layers are busy (two fades are
    /// running above the base, or one below a masked clip), the request waits for the fade that ends first and starts at
    /// that tick. Of several that wait the last one wins.
    pub fn play(&mut self, now_tick: u64, play: &Play, durations_seconds: &[f32]) -> bool {
        let Some(duration_seconds) = duration_of(play.clip, durations_seconds) else { return false };
        self.change(now_tick, durations_seconds, |stack, now| {
            stack.waiting = None;
            while stack.top().is_some_and(|(number, top)| number > 0 && top.fade_tick >= now) {
                stack.drop_top();
            }
            stack.forget_after();
            stack.start(play, now, duration_seconds);
        })
    }

    /// Plays a clip so that it covers wholly what is played when the current clip comes to its end: its fade starts
    /// `fade_ticks` before that, or now if there is less time; then it ends later than the clip.
    ///
    /// The end of a clip that runs once is its end, or now if it is there already. For the other modes it is the next time
    /// that the clip runs over one of its ends. A clip that stands still, by speed or by duration, has no end to wait for:
    /// the new one starts now. While the stack is paused, nothing ends.
    ///
    /// The start moves when the current clip's speed, mode or place changes, and while it stands still the request
    /// waits. A later request replaces one that has not started. If all layers are busy, the request waits for room as in
    /// [`play`](Self::play), and then counts from that tick; it does not replace a `play` that waits, but follows it.
    pub fn play_after(&mut self, now_tick: u64, play: &Play, durations_seconds: &[f32]) -> bool {
        let Some(duration_seconds) = duration_of(play.clip, durations_seconds) else { return false };
        self.change(now_tick, durations_seconds, |stack, now| {
            stack.forget_after();
            stack.follow(play, now, duration_seconds);
        })
    }

    /// Puts the current clip at a time in seconds, clamped to its duration. What is not finite is ignored.
    ///
    /// A clip that runs once is finished if that is the end which it runs towards. In ping-pong it stays on the way there
    /// or back that it is on.
    pub fn seek(&mut self, now_tick: u64, seconds: f64, durations_seconds: &[f32]) -> bool {
        self.change_current(now_tick, durations_seconds, |course, duration_seconds| {
            let usable = seconds.is_finite() && has_length(duration_seconds);
            if usable {
                course.put_at(seconds / f64::from(duration_seconds));
            }
            usable
        })
    }

    /// Changes the current clip's speed; it goes on from where it is. What is not finite is ignored.
    ///
    /// A clip that has run once stays finished unless it is turned round. In ping-pong a negative speed turns round, too.
    pub fn set_speed(&mut self, now_tick: u64, speed: f32, durations_seconds: &[f32]) -> bool {
        self.change_current(now_tick, durations_seconds, |course, duration_seconds| {
            let rate = rate_of(speed, duration_seconds);
            let differs = speed.is_finite() && rate != course.rate;
            if differs {
                course.ended &= rate.magnitude == 0 || rate.backwards == (course.phase == 0);
                course.rate = rate;
            }
            differs
        })
    }

    /// Changes what the current clip does at its ends. It goes on from where it is, in the direction of its speed: from
    /// the way back of ping-pong it turns round.
    pub fn set_mode(&mut self, now_tick: u64, mode: ClipMode, durations_seconds: &[f32]) -> bool {
        self.change_current(now_tick, durations_seconds, |course, _| {
            let differs = mode != course.mode;
            if differs {
                course.phase = if course.returning { !course.phase } else { course.phase };
                (course.mode, course.returning, course.ended) = (mode, false, false);
            }
            differs
        })
    }

    /// Puts the current clip where it would be if it had been requested now with this [`Play::phase`].
    pub fn set_phase(&mut self, now_tick: u64, phase: f32, durations_seconds: &[f32]) -> bool {
        self.change_current(now_tick, durations_seconds, |course, _| {
            course.put_along(phase);
            true
        })
    }

    /// Lets all clips stand still, or go on from where they stood. Fades that have started go on. A clip that starts
    /// meanwhile stands at its start, and one that was to follow does so once its predecessor has ended; nor does a masked
    /// clip leave at its end until then.
    pub fn pause(&mut self, now_tick: u64, paused: bool, durations_seconds: &[f32]) -> bool {
        self.change(now_tick, durations_seconds, |stack, now| {
            if stack.paused == paused {
                return;
            }
            stack.paused = paused;
            let following = stack.top().filter(|_| stack.follows).map(|(number, _)| number);
            for (number, packed) in stack.layers.iter_mut().enumerate() {
                let Some(layer) = packed.unpack().filter(|_| Some(number) != following) else { continue };
                let course = Course::of(&layer, now);
                if !course.ended {
                    *packed = Layer { start: course.start(now, paused), ..layer }.pack();
                }
            }
            stack.reschedule(now);
        })
    }

    /// Fades to the first pose of the current clip, which stands still there at a speed of 0 and keeps its mode.
    ///
    /// Like any [`play`](Self::play): 0 ticks are a cut, what waits is replaced, and it may have to wait.
    pub fn stop(&mut self, now_tick: u64, fade_ticks: u32, durations_seconds: &[f32]) -> bool {
        let settled = self.settle(now_tick, durations_seconds);
        let Some((_, layer)) = self.current(now_tick.min(LAST_TICK)) else { return settled };
        let play = Play { clip: layer.clip, mode: layer.mode, speed: 0.0, phase: 0.0, fade_ticks };
        self.play(now_tick, &play, durations_seconds) || settled
    }

    /// Drops layers that a finished fade covers, and starts what waits at the tick at which there was room for it.
    ///
    /// Layers that are settled late end up the same, but a request that waits is not seen until then: a caller that keeps
    /// [`next_event_tick`](Self::next_event_tick) in mind shows the same pictures at any frame rate.
    pub fn settle(&mut self, now_tick: u64, durations_seconds: &[f32]) -> bool {
        self.change(now_tick, durations_seconds, |_, _| {})
    }

    /// The earliest tick at which [`settle`](Self::settle) changes something: the end of a fade, or a masked clip that
    /// begins to leave at its end. `None` if there is none.
    #[must_use]
    pub fn next_event_tick(&self) -> Option<u64> {
        let number_of_body = self.body_count();
        let fades = self.layers.iter().take(number_of_body).skip(1).filter_map(GpuLayer::unpack);
        let ends = fades.map(|layer| room::fade_end(&layer));
        ends.chain(self.masked_event_tick()).min().filter(|tick| *tick < LAST_TICK)
    }

    /// The layers as the GPU reads them.
    #[must_use]
    pub const fn gpu_layers(&self) -> &[GpuLayer; LAYERS_MAX] {
        &self.layers
    }

    /// The layers at a tick: where their clips are, and how much of the pose they are.
    #[must_use]
    pub fn moments(&self, now_tick: u64) -> [LayerMoment; LAYERS_MAX] {
        layers_at(&self.layers, now_tick.min(LAST_TICK))
    }

    /// Number of the current clip: the topmost without a mask whose fade has started. `None` if nothing was ever played.
    #[must_use]
    pub fn current_clip(&self, now_tick: u64) -> Option<u32> {
        self.current(now_tick.min(LAST_TICK)).map(|(_, layer)| layer.clip)
    }

    /// Where the current clip is, in seconds in `[0, duration]`. `None` if nothing was ever played or the clip has no
    /// duration among these.
    #[must_use]
    pub fn time_seconds(&self, now_tick: u64, durations_seconds: &[f32]) -> Option<f64> {
        let now = now_tick.min(LAST_TICK);
        let (number, layer) = self.current(now)?;
        let duration_seconds = duration_of(layer.clip, durations_seconds)?;
        let length_seconds = if has_length(duration_seconds) { duration_seconds } else { 0.0 };
        Some(seconds_of(self.moments(now)[number].position, length_seconds))
    }

    /// Whether the current clip runs once and has reached the end that it runs towards.
    #[must_use]
    pub fn is_finished(&self, now_tick: u64) -> bool {
        let now = now_tick.min(LAST_TICK);
        self.current(now).is_some_and(|(number, _)| self.moments(now)[number].position.finished)
    }

    /// Whether all clips stand still because of [`pause`](Self::pause).
    #[must_use]
    pub const fn is_paused(&self) -> bool {
        self.paused
    }

    /// Clip numbers of all layers, also of those that do not show yet or no more: what the bounds of an instance have to
    /// enclose until its layers change again. At most three, from the base to the top, masked or not; a number may occur
    /// twice.
    pub fn clips(&self) -> impl Iterator<Item = u32> {
        self.layers.iter().filter_map(GpuLayer::unpack).map(|layer| layer.clip)
    }

    /// Settles, applies a change, and says whether the layers differ afterwards.
    fn change(
        &mut self,
        now_tick: u64,
        durations_seconds: &[f32],
        apply: impl FnOnce(&mut Self, u64),
    ) -> bool {
        let before = self.layers;
        let now = now_tick.min(LAST_TICK);
        self.catch_up(now, durations_seconds);
        apply(self, now);
        self.admit(now, durations_seconds);
        self.catch_up(now, durations_seconds);
        self.layers != before
    }

    /// Changes the current clip, if `alter` says so.
    fn change_current(
        &mut self,
        now_tick: u64,
        durations_seconds: &[f32],
        alter: impl FnOnce(&mut Course, f32) -> bool,
    ) -> bool {
        self.change(now_tick, durations_seconds, |stack, now| {
            let Some((number, layer)) = stack.current(now) else { return };
            let Some(duration_seconds) = duration_of(layer.clip, durations_seconds) else { return };
            let mut course = Course::of(&layer, now);
            if alter(&mut course, duration_seconds) {
                let course = course.inside(duration_seconds);
                let start = course.start(now, stack.paused);
                stack.layers[number] = Layer { mode: course.mode, start, ..layer }.pack();
                stack.reschedule(now);
            }
        })
    }
}
