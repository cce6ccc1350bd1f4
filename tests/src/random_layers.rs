//! Layers that play anything: random clips, modes, speeds, fades and starts up to 29 days ago.

use anim_core::clip_time::ClipMode;
use anim_core::clock::{ClipStart, CycleRate, TICKS_PER_SECOND};
use anim_core::layers::{GpuLayer, LAYERS_MAX, Layer};
use anim_format::AnimFile;
use anim_format::model::Mask;

/// A small generator of repeatable numbers (PCG of M. O'Neill): tests need no more.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 32 bits.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    #[expect(clippy::cast_possible_truncation, reason = "the generator's output is a part of its state")]
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = ((self.0 >> 18 ^ self.0) >> 27) as u32;
        word.rotate_right((self.0 >> 59) as u32)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }
}

/// The clock of the tests: 29 days after the start.
pub const NOW: u64 = 29 * 86_400 * TICKS_PER_SECOND as u64 + 12_345;

/// Gives a file masks of random nodes, whatever hangs on them.
pub fn add_random_masks(file: &mut AnimFile<'_>, count: u32, random: &mut Random) {
    for number in 0..count {
        let last_bits = match file.nodes.len() % 32 {
            0 => u32::MAX,
            bits => (1 << bits) - 1,
        };
        let mut words: Vec<u32> = (0..file.nodes.len().div_ceil(32)).map(|_| random.next()).collect();
        if let Some(last) = words.last_mut() {
            *last &= last_bits;
        }
        file.masks.push(Mask { name: format!("mask {number}").into(), words });
    }
}

/// A layer that plays some clip of the file, under one of its masks if it has any, and that comes or leaves.
#[expect(clippy::cast_possible_truncation, reason = "a file has few clips and masks")]
pub fn random_layer(file: &AnimFile<'_>, random: &mut Random) -> GpuLayer {
    let clip = random.below(file.clips.len() as u32);
    let speed = [1.0, 0.37, -1.0, 2.5, 0.0, -0.01][random.below(6) as usize];
    let mode = [ClipMode::Loop, ClipMode::Once, ClipMode::PingPong][random.below(3) as usize];
    // Started up to a few seconds or up to 29 days ago.
    let ago =
        if random.below(2) == 0 { u64::from(random.below(400_000)) } else { u64::from(random.next()) * 35 };
    let start = ClipStart {
        start_tick: NOW - ago.min(NOW),
        phase: random.next(),
        returning: random.below(2) == 0,
        rate: CycleRate::new(speed, file.clips[clip as usize].duration_seconds),
    };
    let mask = random.below(file.masks.len() as u32 + 1).checked_sub(1);
    let leaving = random.below(3) == 0;
    // A layer that leaves may have up to half of its fade before it.
    let fade_tick = NOW + if leaving { 150_000 } else { 0 } - u64::from(random.below(200_000));
    Layer { clip, mode, start, mask, fade_tick, fade_ticks: random.below(300_000), leaving }.pack()
}

/// A base, and above it layers that are mostly in use.
pub fn random_stack(file: &AnimFile<'_>, random: &mut Random) -> [GpuLayer; LAYERS_MAX] {
    let mut layers = [GpuLayer::default(); LAYERS_MAX];
    layers[0] = random_layer(file, random);
    for layer in &mut layers[1..] {
        if random.below(3) > 0 {
            *layer = random_layer(file, random);
        }
    }
    layers
}
