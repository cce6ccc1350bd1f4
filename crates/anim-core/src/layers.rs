//! What an instance plays: up to three layers, each a clip with a clock and a fade, packed for the GPU.
//!
//! Layers are a stack. The lowest is the base; each one above covers what is below it by the share of its fade that has
//! passed. A fade that starts covers nothing and a fade that ends covers all, so a pose never jumps, however often fades
//! are interrupted. A layer can also leave: then it covers less and less, until it covers nothing. A layer with a mask
//! covers only the nodes of its mask. Twins of the functions here are in `layers.wgsl`.

use bytemuck::{Pod, Zeroable};

use crate::clip_time::ClipMode;
use crate::clock::{ClipPosition, ClipStart, CycleRate, clip_position, fade_left, fade_passed};
use crate::limits::MASKS_MAX;

/// Layers of an instance.
pub const LAYERS_MAX: usize = 3;

/// The layer is in use.
pub const LAYER_ACTIVE: u32 = 1 << 31;
/// The clip runs backwards.
pub const LAYER_BACKWARDS: u32 = 1 << 30;
/// In ping-pong, the clip was on its way back at its start tick.
pub const LAYER_RETURNING: u32 = 1 << 29;
/// The layer leaves: it covers what is left of its fade, and its fade tick is the end of it.
pub const LAYER_LEAVING: u32 = 1 << 28;
/// First bit of the mode: 0 loop, 1 once, 2 ping-pong.
pub const LAYER_MODE_SHIFT: u32 = 24;
/// First of the eight bits of the mask: 0 for none, else the number of a body mask plus one.
pub const LAYER_MASK_SHIFT: u32 = 16;
/// Bits of the clip number.
pub const LAYER_CLIP_MASK: u32 = 0xFFFF;

/// A layer as the GPU reads it: 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GpuLayer {
    /// Clip number in the low 16 bits, then the flags above. Bits 16 to 23 are those of the mask. Bits 26 and 27 are 0.
    pub clip_and_flags: u32,
    /// Low 32 bits of the start tick.
    pub start_low: u32,
    /// Bits 32 to 47 of the start tick in the low half, of the fade tick in the high half.
    pub high_halves: u32,
    /// Phase at the start tick, in units of 2^-32 cycles.
    pub start_phase: u32,
    /// Low 32 bits of the rate, in units of 2^-64 cycles a tick.
    pub rate_low: u32,
    /// High 32 bits of the rate.
    pub rate_high: u32,
    /// Low 32 bits of the fade tick: the one at which the fade starts; of a layer that leaves, at which it has ended.
    pub fade_low: u32,
    /// Length of the fade in ticks; 0 is a cut.
    pub fade_ticks: u32,
}

/// A layer in plain terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Clip number, at most 65,535.
    pub clip: u32,
    /// What happens at the clip's ends.
    pub mode: ClipMode,
    /// Its clock.
    pub start: ClipStart,
    /// Number of the body mask that it is limited to, at most 254 (others are packed as `None`); `None` if it moves all nodes. Rows have no masks: there
    /// it moves all nodes whatever this says.
    pub mask: Option<u32>,
    /// Tick at which it starts to cover the layers below; if it leaves, tick at which it covers nothing any more.
    pub fade_tick: u64,
    /// Ticks until it covers them wholly; if it leaves, ticks from covering them wholly to covering nothing.
    pub fade_ticks: u32,
    /// It leaves.
    pub leaving: bool,
}

impl Layer {
    /// Packs the layer. Ticks are cut to 48 bits.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "halves of numbers")]
    pub fn pack(&self) -> GpuLayer {
        let mode = match self.mode {
            ClipMode::Loop => 0,
            ClipMode::Once => 1,
            ClipMode::PingPong => 2,
        };
        let flag = |set: bool, flag: u32| if set { flag } else { 0 };
        GpuLayer {
            clip_and_flags: self.clip & LAYER_CLIP_MASK
                | mode << LAYER_MODE_SHIFT
                | flag(self.start.rate.backwards, LAYER_BACKWARDS)
                | flag(self.start.returning, LAYER_RETURNING)
                | flag(self.leaving, LAYER_LEAVING)
                | self.mask.filter(|mask| *mask < MASKS_MAX).map_or(0, |mask| (mask + 1) << LAYER_MASK_SHIFT)
                | LAYER_ACTIVE,
            start_low: self.start.start_tick as u32,
            high_halves: (self.start.start_tick >> 32) as u32 & 0xFFFF
                | ((self.fade_tick >> 32) as u32 & 0xFFFF) << 16,
            start_phase: self.start.phase,
            rate_low: self.start.rate.magnitude as u32,
            rate_high: (self.start.rate.magnitude >> 32) as u32,
            fade_low: self.fade_tick as u32,
            fade_ticks: self.fade_ticks,
        }
    }
}

impl GpuLayer {
    /// Number of its mask.
    const fn mask(&self) -> Option<u32> {
        (self.clip_and_flags >> LAYER_MASK_SHIFT & MASKS_MAX).checked_sub(1)
    }

    /// Unpacks the layer; `None` if it is not in use.
    #[must_use]
    pub fn unpack(&self) -> Option<Layer> {
        if self.clip_and_flags & LAYER_ACTIVE == 0 {
            return None;
        }
        let wide = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        Some(Layer {
            clip: self.clip_and_flags & LAYER_CLIP_MASK,
            mode: match self.clip_and_flags >> LAYER_MODE_SHIFT & 3 {
                1 => ClipMode::Once,
                2 => ClipMode::PingPong,
                _ => ClipMode::Loop,
            },
            start: ClipStart {
                start_tick: wide(self.start_low, self.high_halves & 0xFFFF),
                phase: self.start_phase,
                returning: self.clip_and_flags & LAYER_RETURNING != 0,
                rate: CycleRate {
                    magnitude: wide(self.rate_low, self.rate_high),
                    backwards: self.clip_and_flags & LAYER_BACKWARDS != 0,
                },
            },
            mask: self.mask(),
            fade_tick: wide(self.fade_low, self.high_halves >> 16),
            fade_ticks: self.fade_ticks,
            leaving: self.clip_and_flags & LAYER_LEAVING != 0,
        })
    }
}

/// How much of the layers below it a layer covers at a tick, in `[0, 1]`, at the nodes that it moves.
#[must_use]
pub fn layer_covers(layer: &Layer, now_tick: u64) -> f32 {
    if layer.leaving {
        fade_left(layer.fade_tick, layer.fade_ticks, now_tick)
    } else {
        fade_passed(layer.fade_tick, layer.fade_ticks, now_tick)
    }
}

/// A layer at one tick: where its clip is and how much of the pose it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayerMoment {
    /// Clip number.
    pub clip: u32,
    /// Where the clip is.
    pub position: ClipPosition,
    /// How much of the layers below it it covers, in `[0, 1]`; 1 for the base, 0 for a layer that is not in use.
    pub covers: f32,
    /// Number of the mask to which this is limited; `None` for a layer that moves all nodes, and for the base.
    pub mask: Option<u32>,
    /// Share of the pose of a node that is in all masks, and of rows, which have none: in `[0, 1]`; the shares of all
    /// layers sum to 1. 0 for a layer that is not in use.
    pub weight: f32,
}

/// All layers at a tick. Layer 0 is the base: neither its fade nor its mask is looked at.
#[must_use]
pub fn layers_at(layers: &[GpuLayer; LAYERS_MAX], now_tick: u64) -> [LayerMoment; LAYERS_MAX] {
    let mut moments = [LayerMoment::default(); LAYERS_MAX];
    let mut uncovered = 1.0;
    for number in (0..LAYERS_MAX).rev() {
        let Some(layer) = layers[number].unpack() else { continue };
        let covers = match number {
            0 => 1.0,
            _ => layer_covers(&layer, now_tick),
        };
        moments[number] = LayerMoment {
            clip: layer.clip,
            position: clip_position(&layer.start, now_tick, layer.mode),
            covers,
            mask: layer.mask.filter(|_| number > 0),
            weight: uncovered * covers,
        };
        uncovered *= 1.0 - covers;
    }
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TICKS_PER_SECOND;
    use proptest::prelude::*;

    fn layer(clip: u32, fade_tick: u64, fade_ticks: u32) -> Layer {
        let rate = CycleRate::new(1.0, 2.0);
        let start = ClipStart { start_tick: fade_tick, phase: 0, returning: false, rate };
        Layer { clip, mode: ClipMode::Loop, start, mask: None, fade_tick, fade_ticks, leaving: false }
    }

    #[test]
    fn weights_of_a_stack_start_at_nothing_and_end_at_all() {
        let none = GpuLayer::default();
        let layers = [layer(7, 0, 0).pack(), layer(8, 100, 100).pack(), layer(9, 150, 200).pack()];
        let weights = |layers: &[GpuLayer; 3], now| layers_at(layers, now).map(|moment| moment.weight);
        assert_eq!(weights(&layers, 100), [1.0, 0.0, 0.0]);
        assert_eq!(weights(&layers, 150), [0.5, 0.5, 0.0]);
        assert_eq!(weights(&layers, 250), [0.0, 0.5, 0.5]);
        assert_eq!(weights(&layers, 350), [0.0, 0.0, 1.0]);
        assert_eq!(weights(&[layers[0], none, layers[2]], 250), [0.5, 0.0, 0.5]);
        assert_eq!(layers_at(&layers, 350).map(|moment| moment.clip), [7, 8, 9]);
    }

    #[test]
    fn a_layer_that_leaves_covers_what_is_left_of_its_fade() {
        let leaving = |fade_ticks| Layer { mask: Some(3), leaving: true, ..layer(8, 200, fade_ticks) };
        let covers = |fade_ticks, now| layer_covers(&leaving(fade_ticks), now);
        assert_eq!(
            [99, 100, 150, 199, 200, 999].map(|now| covers(100, now)),
            [1.0, 1.0, 0.5, 0.01, 0.0, 0.0]
        );
        assert_eq!([199, 200].map(|now| covers(0, now)), [1.0, 0.0]);
        let layers = [layer(7, 0, 0).pack(), leaving(100).pack(), GpuLayer::default()];
        let [base, top, _] = layers_at(&layers, 125);
        assert_eq!((base.weight, top.weight, top.covers, top.mask), (0.25, 0.75, 0.75, Some(3)));
        // The base is what is left, whatever its flags.
        let [base, ..] = layers_at(&[layers[1], GpuLayer::default(), GpuLayer::default()], 500);
        assert_eq!((base.weight, base.covers, base.mask), (1.0, 1.0, None));
    }

    proptest! {
        #[test]
        fn packing_and_unpacking_is_identity(
            clip in 0u32..65_536, start_tick in 0u64..1 << 48, phase: u32, returning: bool, backwards: bool,
            magnitude: u64, fade_tick in 0u64..1 << 48, fade_ticks: u32, mode in 0..3, leaving: bool,
            mask in prop::option::of(0u32..255),
        ) {
            let mode = [ClipMode::Loop, ClipMode::Once, ClipMode::PingPong][mode as usize];
            let rate = CycleRate { magnitude, backwards };
            let start = ClipStart { start_tick, phase, returning, rate };
            let layer = Layer { clip, mode, start, mask, fade_tick, fade_ticks, leaving };
            prop_assert_eq!(layer.pack().unpack(), Some(layer));
        }

        #[test]
        fn weights_sum_to_one_and_change_by_no_more_than_the_fades_do(
            now in 0u64..1_000_000, fades in prop::array::uniform2((0u64..1_000_000, 1u32..500_000)),
        ) {
            let layers =
                [layer(0, 0, 0).pack(), layer(1, fades[0].0, fades[0].1).pack(), layer(2, fades[1].0, fades[1].1).pack()];
            let (here, next) = (layers_at(&layers, now), layers_at(&layers, now + 1));
            prop_assert!((here.iter().map(|m| m.weight).sum::<f32>() - 1.0).abs() < 1e-6);
            let speed = 1.0 / fades[0].1 as f32 + 1.0 / fades[1].1 as f32;
            for (a, b) in here.iter().zip(next) {
                prop_assert!((a.weight - b.weight).abs() <= speed + 1e-6);
            }
        }
    }

    #[test]
    fn a_second_is_a_whole_number_of_ticks() {
        assert_eq!(crate::clock::ticks_from_seconds(1.0), u64::from(TICKS_PER_SECOND));
    }
}
