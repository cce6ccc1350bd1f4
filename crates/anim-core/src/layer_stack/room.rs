//! Which layers there are: where a request gets one, what waits for one, and what makes room.

use super::course::{Course, end_tick};
use super::{LayerStack, Play};
use crate::clock::LAST_TICK;
use crate::layers::{GpuLayer, LAYER_CLIP_MASK, LAYERS_MAX, Layer};

impl LayerStack {
    /// Does everything that is due up to now, in the order in which it was.
    pub(super) fn catch_up(&mut self, now: u64, durations_seconds: &[f32]) {
        while self.waits() {
            let Some(room_tick) = self.next_event_tick().filter(|tick| *tick <= now) else { break };
            self.collapse(room_tick);
            self.admit(room_tick, durations_seconds);
        }
        self.collapse(now);
    }

    /// Starts what waits, as far as there is room. What still finds none waits again.
    pub(super) fn admit(&mut self, now: u64, durations_seconds: &[f32]) {
        if !self.waits() || self.count() == LAYERS_MAX {
            return;
        }
        let after = if self.follows { None } else { self.after.take() };
        if let Some((play, duration_seconds)) = with_duration(self.waiting.take(), durations_seconds) {
            self.start(&play, now, duration_seconds);
        }
        if let Some(masked) = self.waiting_masked.take()
            && let Some(duration_seconds) = duration_of(masked.play.clip, durations_seconds)
        {
            self.start_masked(&masked, now, duration_seconds);
        }
        if let Some((play, duration_seconds)) = with_duration(after, durations_seconds) {
            self.follow(&play, now, duration_seconds);
        }
    }

    /// Drops what a finished fade covers and what has left.
    pub(super) fn collapse(&mut self, now: u64) {
        let covers_all = |layer: Layer| fade_end(&layer) <= now;
        let mut numbers = (1..self.body_count()).rev();
        if let Some(base) = numbers.find(|number| self.layers[*number].unpack().is_some_and(covers_all)) {
            self.remove(0, base);
        }
        self.collapse_masked(now);
        if self.top().is_none_or(|(_, top)| top.fade_tick <= now) {
            self.follow_no_more();
        }
    }

    /// Starts a clip now, or lets it wait for room.
    pub(super) fn start(&mut self, play: &Play, now: u64, duration_seconds: f32) {
        if play.fade_ticks == 0 {
            self.remove(0, self.body_count());
            self.follow_no_more();
        }
        if self.count() == LAYERS_MAX {
            self.waiting = Some(*play);
        } else {
            self.push(play, now, duration_seconds);
        }
    }

    /// Starts a clip when the current one ends, or lets it wait for room.
    pub(super) fn follow(&mut self, play: &Play, now: u64, duration_seconds: f32) {
        let Some((_, top)) = self.top() else { return self.start(play, now, duration_seconds) };
        if self.count() == LAYERS_MAX {
            self.after = Some(*play);
            return;
        }
        let lost_layer = core::mem::take(&mut self.lost_layer);
        // A clip that stands still has no end to wait for, but one that was waited for may go on.
        let end = end_tick(&top, now).unwrap_or(if lost_layer { LAST_TICK } else { now });
        let fade_start = fade_start_before(end, play.fade_ticks, now);
        if fade_start <= now {
            self.start(play, now, duration_seconds);
        } else {
            self.push(play, fade_start, duration_seconds);
            (self.after, self.follows) = (Some(*play), true);
        }
    }

    /// Takes the layer from a request that was to follow; it waits for room again.
    pub(super) fn unfollow(&mut self) {
        if self.follows {
            let after = self.after;
            self.drop_top();
            (self.after, self.lost_layer) = (after, true);
        }
    }

    /// Forgets a request that was to follow and has not started.
    pub(super) fn forget_after(&mut self) {
        if self.follows {
            self.drop_top();
        }
        (self.after, self.lost_layer) = (None, false);
    }

    /// Moves the start of a layer that follows to the end of the clip below it, which has changed.
    pub(super) fn reschedule(&mut self, now: u64) {
        let Some((number, layer)) = self.top().filter(|(number, _)| self.follows && *number > 0) else {
            return;
        };
        let Some(below) = self.layers[number - 1].unpack() else { return };
        let end = end_tick(&below, now).unwrap_or(LAST_TICK);
        let fade_tick = fade_start_before(end, layer.fade_ticks, now);
        let start = Course::of(&layer, layer.fade_tick).start(fade_tick, self.paused);
        self.layers[number] = Layer { start, fade_tick, ..layer }.pack();
        self.collapse(now);
    }

    /// Drops the topmost layer without a mask.
    pub(super) fn drop_top(&mut self) {
        if let Some((number, _)) = self.top() {
            self.remove(number, number + 1);
        }
        self.follow_no_more();
    }

    /// Puts a layer at a place, below those from there on. There has to be room.
    pub(super) fn insert(&mut self, number: usize, layer: &Layer) {
        self.layers[number..].rotate_right(1);
        self.layers[number] = layer.pack();
    }

    /// Removes the layers `first..end`; those above move down.
    pub(super) fn remove(&mut self, first: usize, end: usize) {
        self.layers.copy_within(end.., first);
        self.layers[LAYERS_MAX - (end - first)..].fill(GpuLayer::default());
    }

    /// The layer of a request whose fade starts at a tick, without a mask.
    pub(super) fn layer_of(&self, play: &Play, fade_tick: u64, duration_seconds: f32) -> Layer {
        let start = Course::starting(play, duration_seconds).start(fade_tick, self.paused);
        let (clip, mode, fade_ticks) = (play.clip, play.mode, play.fade_ticks);
        Layer { clip, mode, start, mask: None, fade_tick, fade_ticks, leaving: false }
    }

    /// Layers in use.
    pub(super) fn count(&self) -> usize {
        self.layers.iter().take_while(|layer| layer.unpack().is_some()).count()
    }

    /// Layers without a mask: they come first.
    pub(super) fn body_count(&self) -> usize {
        let is_body = |layer: &&GpuLayer| layer.unpack().is_some_and(|layer| layer.mask.is_none());
        self.layers.iter().take_while(is_body).count()
    }

    /// The topmost layer without a mask.
    pub(super) fn top(&self) -> Option<(usize, Layer)> {
        let number = self.body_count().checked_sub(1)?;
        Some((number, self.layers[number].unpack()?))
    }

    /// The topmost layer without a mask whose fade has started; the base has no fade.
    pub(super) fn current(&self, now: u64) -> Option<(usize, Layer)> {
        let numbered = |number: usize| Some((number, self.layers[number].unpack()?));
        let mut layers = (0..self.body_count()).rev().filter_map(numbered);
        layers.find(|(number, layer)| *number == 0 || layer.fade_tick <= now)
    }

    /// Puts a clip on top of those without a mask, whose fade starts at a tick. There has to be room.
    fn push(&mut self, play: &Play, fade_tick: u64, duration_seconds: f32) {
        self.insert(self.body_count(), &self.layer_of(play, fade_tick, duration_seconds));
    }

    /// What was to follow has started or is gone.
    fn follow_no_more(&mut self) {
        if self.follows {
            (self.follows, self.after) = (false, None);
        }
    }

    /// Whether a request has no layer yet.
    pub(super) fn waits(&self) -> bool {
        self.waiting.is_some() || self.waiting_masked.is_some() || self.after.is_some() && !self.follows
    }
}

/// Duration of a clip that a layer can name.
pub(super) fn duration_of(clip: u32, durations_seconds: &[f32]) -> Option<f32> {
    let number = usize::try_from(clip).ok().filter(|_| clip <= LAYER_CLIP_MASK)?;
    durations_seconds.get(number).copied()
}

/// Tick at which a layer covers all below it, or has left; the last tick if that never comes.
pub(super) fn fade_end(layer: &Layer) -> u64 {
    let ticks = if layer.leaving { 0 } else { u64::from(layer.fade_ticks) };
    (layer.fade_tick + ticks).min(LAST_TICK)
}

/// Tick at which a fade starts so that it is over at `end`, or later if there is too little time.
pub(super) fn fade_start_before(end: u64, fade_ticks: u32, now: u64) -> u64 {
    if end == LAST_TICK { LAST_TICK } else { end.saturating_sub(u64::from(fade_ticks)).max(now) }
}

fn with_duration(play: Option<Play>, durations_seconds: &[f32]) -> Option<(Play, f32)> {
    play.and_then(|play| Some((play, duration_of(play.clip, durations_seconds)?)))
}
