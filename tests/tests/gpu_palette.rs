//! The palette pass on a real adapter against its CPU twin: random layers, clips, modes, fades, times up to 30 days.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_bake::{BakeSettings, bake_import};
use anim_core::clip_time::ClipMode;
use anim_core::clock::{ClipStart, CycleRate, TICKS_PER_SECOND};
use anim_core::layers::{GpuLayer, LAYERS_MAX, Layer};
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_format::playback::palette_of_layers;
use anim_tests::{gpu, models};
use anim_wgpu::{FilePages, InstancePlayback, PageStorage, PaletteChunk, PalettePipeline};

/// A small generator of repeatable numbers (PCG of M. O'Neill): tests need no more.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = ((self.0 >> 18 ^ self.0) >> 27) as u32;
        word.rotate_right((self.0 >> 59) as u32)
    }

    fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit
    }
}

/// The clock of the tests: 29 days after the start.
const NOW: u64 = 29 * 86_400 * TICKS_PER_SECOND as u64 + 12_345;

fn random_layer(file: &AnimFile<'_>, random: &mut Random) -> GpuLayer {
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
    let fade_start_tick = NOW - u64::from(random.below(200_000));
    Layer { clip, mode, start, fade_start_tick, fade_ticks: random.below(300_000) }.pack()
}

/// Palettes of `instances` instances with random layers, of which every second one is visible; returns the largest
/// difference to the twin, in units of the largest number of the palette.
fn largest_difference(file: &AnimFile<'_>, as_texture: bool, instances: u32, seed: u64) -> f32 {
    let (device, queue) = gpu::device();
    let pages = if as_texture {
        FilePages::upload_as_texture(&device, &queue, file, 0)
    } else {
        FilePages::upload(&device, &queue, file, 0)
    }
    .expect("a small file");
    assert_eq!(pages.storage() == PageStorage::Texture, as_texture);
    let mut random = Random(seed);
    let playback: Vec<InstancePlayback> = (0..instances)
        .map(|_| {
            let mut layers = [GpuLayer::default(); LAYERS_MAX];
            layers[0] = random_layer(file, &mut random);
            for layer in &mut layers[1..] {
                if random.below(3) > 0 {
                    *layer = random_layer(file, &mut random);
                }
            }
            InstancePlayback { layers }
        })
        .collect();
    let visible: Vec<u32> = (0..instances).rev().step_by(2).collect();
    let count = visible.len() as u32;
    let chunk = PaletteChunk::new(&device, &pages, count).expect("a small crowd");
    let pipeline = PalettePipeline::new(&device, &pages);
    let playback_buffer = gpu::storage_buffer(&device, &queue, &playback);
    let visible_buffer = gpu::storage_buffer(&device, &queue, &visible);
    let mut encoder = device.create_command_encoder(&Default::default());
    pipeline.record(
        &device,
        &queue,
        &mut encoder,
        &pages,
        &chunk,
        &playback_buffer,
        &visible_buffer,
        count,
        NOW,
    );
    queue.submit([encoder.finish()]);
    let found: Vec<f32> = gpu::read_back(&device, &queue, chunk.rows());
    let mut expected = vec![[[0.0; 4]; 3]; file.bones.len()];
    let (mut largest, mut scale) = (0.0f32, 0.0f32);
    for (slot, instance) in visible.iter().enumerate() {
        palette_of_layers(file, &playback[*instance as usize].layers, NOW, &mut expected);
        let expected = expected.as_flattened().as_flattened();
        for (found, expected) in found[slot * expected.len()..].iter().zip(expected) {
            largest = largest.max((found - expected).abs());
            scale = scale.max(expected.abs());
        }
    }
    largest / scale
}

#[test]
fn palettes_agree_with_the_cpu_twin_in_every_storage() {
    let mut checked = 0;
    for model in models::samples() {
        let import = models::import(&model);
        for (encoding, as_texture) in [
            (Encoding::Affine32, false),
            (Encoding::Affine32, true),
            (Encoding::Affine16, false),
            (Encoding::Affine16, true),
        ] {
            // Pages of 64 texels a side: several of them, so that clips and fades cross pages.
            let settings = BakeSettings { encoding, max_texture_size: 128, ..BakeSettings::default() };
            let file = bake_import(&import, &settings).expect("a sample").file;
            let difference = largest_difference(&file, as_texture, 301, 7 + checked);
            assert!(difference < 1e-6, "{} {encoding:?} texture {as_texture}: {difference}", model.display());
            checked += 1;
        }
    }
    assert!(checked >= 12);
}

#[test]
fn every_count_of_instances_is_right() {
    let import = models::import(&models::samples()[0]);
    let file = bake_import(&import, &BakeSettings::default()).expect("a sample").file;
    for instances in [1, 2, 30, 31, 200, 201, 5001] {
        let difference = largest_difference(&file, false, instances, 99);
        assert!(difference < 1e-6, "{instances} instances: {difference}");
    }
}
