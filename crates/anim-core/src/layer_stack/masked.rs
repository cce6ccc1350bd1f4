//! Masked clips: what plays on top of all else, in the nodes of a mask alone.

use super::course::first_end_tick;
use super::room::{duration_of, fade_end, fade_start_before};
use super::{LayerStack, Play, has_length};
use crate::clock::{LAST_TICK, seconds_of};
use crate::layers::{GpuLayer, LAYERS_MAX, Layer};
use crate::limits::MASKS_MAX;

/// A request to play a clip in the nodes of a mask.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaskedPlay {
    /// The clip. Its fade covers what the nodes of the mask did before: other clips, or the masked one that it replaces.
    pub play: Play,
    /// Number of the mask, at most 254.
    pub mask: u32,
    /// It fades out by itself, in as many ticks as it fades in, so that it has gone when the clip comes to its end: as soon
    /// as it is faded in if there is less time, then it has gone later than the clip. The end of a clip that runs once is
    /// its end; for the other modes it is the first time that the clip runs over one of its ends. A clip that stands still
    /// by its speed never ends.
    pub leaves_at_end: bool,
}

/// The masked clip that plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaskedClip {
    /// Its number.
    pub clip: u32,
    /// Number of the mask.
    pub mask: u32,
    /// Where it is, in seconds in `[0, duration]`.
    pub time_seconds: f64,
    /// It runs once and has reached the end that it runs towards.
    pub finished: bool,
}

impl LayerStack {
    /// Plays a clip in the nodes of a mask from now on, on top of all others. Below it everything goes on, and may change.
    ///
    /// It replaces a masked clip. One of the same mask goes on until the new one covers it wholly; one of another mask
    /// fades out while the new one fades in. One that was asked for at this very tick is replaced at once. With a fade of
    /// 0 ticks masked clips are dropped.
    ///
    /// If all layers are busy, the request waits for the fade that ends first and starts at that tick. The last one that
    /// waits wins. What is to follow the current clip makes room, and waits until there is some again.
    ///
    /// It is ignored while nothing is played, since a masked clip has to be on top of something, and with a mask beyond 254.
    pub fn play_masked(&mut self, now_tick: u64, masked: &MaskedPlay, durations_seconds: &[f32]) -> bool {
        let duration_seconds = duration_of(masked.play.clip, durations_seconds);
        let Some(duration_seconds) = duration_seconds.filter(|_| masked.mask < MASKS_MAX) else {
            return false;
        };
        self.change(now_tick, durations_seconds, |stack, now| {
            stack.waiting_masked = None;
            let (body, count) = (stack.body_count(), stack.count());
            let shows = |layer: Layer| layer.leaving || layer.fade_tick < now;
            let end = (body..count).rev().find(|number| stack.layers[*number].unpack().is_some_and(shows));
            let first = end.map_or(body, |number| number + 1);
            stack.remove(first, count);
            stack.leaves_at_end &= first == count;
            stack.start_masked(masked, now, duration_seconds);
        })
    }

    /// Fades out the masked clip, from as much as it covers now: what is below it shows again. A masked request that waits
    /// is dropped. A clip that covers wholly has gone after `fade_ticks`, one that does not is faster; 0 ticks are a cut.
    pub fn stop_masked(&mut self, now_tick: u64, fade_ticks: u32, durations_seconds: &[f32]) -> bool {
        self.change(now_tick, durations_seconds, |stack, now| {
            stack.waiting_masked = None;
            stack.leave(now, fade_ticks, |_| true);
        })
    }

    /// The masked clip that plays: the topmost that does not leave. `None` if there is none or it has no duration among
    /// these.
    #[must_use]
    pub fn masked_clip(&self, now_tick: u64, durations_seconds: &[f32]) -> Option<MaskedClip> {
        let now = now_tick.min(LAST_TICK);
        let plays = |layer: &Layer| !layer.leaving && layer.fade_tick <= now;
        let numbered = |number: usize| Some((number, self.layers[number].unpack().filter(plays)?));
        let (number, layer) = (self.body_count()..self.count()).rev().find_map(numbered)?;
        let duration_seconds = duration_of(layer.clip, durations_seconds)?;
        let length_seconds = if has_length(duration_seconds) { duration_seconds } else { 0.0 };
        let position = self.moments(now)[number].position;
        Some(MaskedClip {
            clip: layer.clip,
            mask: layer.mask?,
            time_seconds: seconds_of(position, length_seconds),
            finished: position.finished,
        })
    }

    /// Numbers of the masks of all layers, and of a masked request that waits.
    pub fn masks(&self) -> impl Iterator<Item = u32> {
        let layers = self.layers.iter().filter_map(GpuLayer::unpack).filter_map(|layer| layer.mask);
        layers.chain(self.waiting_masked.map(|masked| masked.mask))
    }

    /// Starts a masked clip now, or lets it wait for room.
    pub(super) fn start_masked(&mut self, masked: &MaskedPlay, now: u64, duration_seconds: f32) {
        let MaskedPlay { play, mask, leaves_at_end } = *masked;
        if self.body_count() == 0 {
            return;
        }
        if play.fade_ticks == 0 {
            self.remove(self.body_count(), self.count());
        }
        if self.count() == LAYERS_MAX {
            self.unfollow();
        }
        if self.count() == LAYERS_MAX {
            self.waiting_masked = Some(*masked);
            return;
        }
        self.leave(now, play.fade_ticks, |layer| !layer.leaving && layer.mask != Some(mask));
        let layer = Layer { mask: Some(mask), ..self.layer_of(&play, now, duration_seconds) };
        self.insert(self.count(), &layer);
        self.leaves_at_end = leaves_at_end;
    }

    /// Drops masked layers that a finished fade covers and those that have left, and lets one leave at its end.
    pub(super) fn collapse_masked(&mut self, now: u64) {
        let body = self.body_count();
        if let Some((number, layer)) = self.arriving() {
            if fade_end(&layer) <= now && self.covers_same_mask(number, &layer) {
                self.remove(number - 1, number);
            }
            let tick = leave_tick(&layer);
            if self.leaves_at_end && tick <= now && tick < LAST_TICK {
                let fade_tick = (tick + u64::from(layer.fade_ticks)).min(LAST_TICK);
                self.layers[self.count() - 1] = Layer { leaving: true, fade_tick, ..layer }.pack();
            }
        }
        for number in (body..self.count()).rev() {
            let has_left = |layer: Layer| layer.leaving && layer.fade_tick <= now;
            if self.layers[number].unpack().is_some_and(has_left) {
                self.remove(number, number + 1);
            }
        }
        self.leaves_at_end &= self.arriving().is_some();
    }

    /// The earliest tick at which that drops or changes something.
    pub(super) fn masked_event_tick(&self) -> Option<u64> {
        let body = self.body_count();
        let leaving = self.layers[body..].iter().filter_map(GpuLayer::unpack).filter(|layer| layer.leaving);
        let arriving = self.arriving();
        let covers = arriving.filter(|(number, layer)| self.covers_same_mask(*number, layer));
        let covers = covers.map(|(_, layer)| fade_end(&layer));
        let leaves = arriving.filter(|_| self.leaves_at_end).map(|(_, layer)| leave_tick(&layer));
        leaving.map(|layer| fade_end(&layer)).chain(covers).chain(leaves).min()
    }

    /// Whether the layer below has the same mask: then nothing is seen of it once this one covers wholly. A layer of
    /// another mask leaves by itself.
    fn covers_same_mask(&self, number: usize, layer: &Layer) -> bool {
        number
            .checked_sub(1)
            .and_then(|below| self.layers[below].unpack())
            .is_some_and(|below| below.mask == layer.mask)
    }

    /// The topmost layer, if it has a mask and does not leave.
    fn arriving(&self) -> Option<(usize, Layer)> {
        let number = self.count().checked_sub(1)?;
        let layer = self.layers[number].unpack()?;
        (layer.mask.is_some() && !layer.leaving).then_some((number, layer))
    }

    /// Lets masked layers leave from now on, from as much as they cover.
    fn leave(&mut self, now: u64, fade_ticks: u32, which: impl Fn(&Layer) -> bool) {
        for packed in &mut self.layers {
            let Some(layer) = packed.unpack().filter(|layer| layer.mask.is_some() && which(layer)) else {
                continue;
            };
            let fade_tick = (now + ticks_left(&layer, fade_ticks, now)).min(LAST_TICK);
            *packed = Layer { leaving: true, fade_tick, fade_ticks, ..layer }.pack();
        }
        self.collapse_masked(now);
    }
}

/// Ticks that a layer needs to leave, if it needs `fade_ticks` where it covers wholly.
fn ticks_left(layer: &Layer, fade_ticks: u32, now: u64) -> u64 {
    let length = u64::from(layer.fade_ticks);
    let passed =
        if layer.leaving { layer.fade_tick.saturating_sub(now) } else { now.saturating_sub(layer.fade_tick) };
    let whole = u64::from(fade_ticks);
    if passed >= length { whole } else { (passed * whole + length / 2) / length }
}

/// Tick at which a layer begins to leave so that it has gone at its end; the last tick if that never comes.
fn leave_tick(layer: &Layer) -> u64 {
    let end = first_end_tick(layer).unwrap_or(LAST_TICK);
    // Not before it is faded in, nor before a pause ended.
    fade_start_before(end, layer.fade_ticks, fade_end(layer).max(layer.start.start_tick))
}
