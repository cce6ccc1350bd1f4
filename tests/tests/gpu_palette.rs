//! The palette pass on a real adapter against its CPU twin: random layers, clips, modes, fades, times up to 30 days.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_bake::{BakeSettings, bake_import};
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_format::playback::palette_of_layers;
use anim_tests::random_layers::{NOW, Random, random_stack};
use anim_tests::{gpu, models};
use anim_wgpu::{FilePages, InstancePlayback, PageStorage, PaletteChunk, PalettePipeline};

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
    let playback: Vec<InstancePlayback> =
        (0..instances).map(|_| InstancePlayback { layers: random_stack(file, &mut random) }).collect();
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
