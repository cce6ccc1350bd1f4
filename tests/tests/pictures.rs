//! Pictures of the samples and of crowds: golden ones, and ways of drawing that must look the same.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::{BakeSettings, bake_import};
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_tests::picture::{self, Picture};
use anim_tests::{gpu, models};
use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, Instance, ModelSource, View};

fn sample(name: &str) -> AnimFile<'static> {
    let path = models::workspace_root().join("samples").join(format!("{name}.glb"));
    bake_import(&models::import(&path), &BakeSettings::default()).expect("a sample").file
}

fn at(x: f32, y: f32, z: f32) -> [[f32; 4]; 3] {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
}

/// One instance of a file in a clip at a time, in a picture of 192 x 192.
fn portrait(file: &AnimFile<'_>, clip: u32, seconds: f64) -> Picture {
    let (device, queue) = gpu::device();
    let mut crowd =
        Crowd::new(&device, &queue, &[ModelSource::new(file)], &CrowdSettings::default()).expect("a sample");
    crowd.add(&Instance { clip, ..Instance::default() }).expect("room");
    crowd.update(seconds);
    let bounds = &file.clips[clip as usize].bounds;
    let view = picture::view_of(bounds.box_min, bounds.box_max, 1.0);
    let pipelines = CrowdPipelines::new(&device, &crowd, &picture::target()).expect("a target");
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(&device, &queue, &mut encoder, &[view]).expect("a small crowd");
    picture::draw(&device, &queue, encoder, (192, 192), &[(&crowd, &pipelines)])
}

#[test]
fn samples_look_as_blessed() {
    for (name, clip) in [("biped", "walk"), ("horse", "gallop"), ("bird", "fly")] {
        let file = sample(name);
        let number = file.clips.iter().position(|c| c.name == clip).unwrap_or(0) as u32;
        picture::assert_golden(&format!("sample_{name}"), &portrait(&file, number, 0.3), 0.01);
    }
}

/// A square crowd of a file in a picture of 256 x 192, with `max_visible` palettes.
fn crowd_picture(file: &AnimFile<'_>, side: u32, max_visible: u32, view: &View) -> Picture {
    let (device, queue) = gpu::device();
    let source = ModelSource { max_visible, ..ModelSource::new(file) };
    let mut crowd = Crowd::new(&device, &queue, &[source], &CrowdSettings::default()).expect("a sample");
    for i in 0..side * side {
        let (x, z) = ((i % side) as f32 * 1.4, (i / side) as f32 * 1.4);
        let clips = file.clips.len() as u32;
        let color = [1.0, 0.5 + (i % 3) as f32 * 0.25, 0.5 + (i % 5) as f32 * 0.125, 1.0];
        crowd
            .add(&Instance {
                world_from_model: at(x, 0.0, z),
                clip: i % clips,
                phase: (i * 7 % 13) as f32 / 13.0,
                color,
                ..Instance::default()
            })
            .expect("room");
    }
    crowd.update(1.0);
    let pipelines = CrowdPipelines::new(&device, &crowd, &picture::target()).expect("a target");
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(&device, &queue, &mut encoder, std::slice::from_ref(view)).expect("a small crowd");
    picture::draw(&device, &queue, encoder, (256, 192), &[(&crowd, &pipelines)])
}

#[test]
fn the_picture_is_the_same_however_few_palettes_there_are() {
    // Local tracks beyond their palettes are tried in `local_as_rows.rs`.
    let settings = BakeSettings { encodings: vec![Encoding::Affine16], ..BakeSettings::default() };
    let file = anim_tests::rigs::sample("biped", &settings);
    let view = View::look_at([6.0, 4.0, 14.0], [6.0, 0.5, 5.0], 0.9, 256.0 / 192.0, 0.1, 100.0);
    let all = crowd_picture(&file, 9, u32::MAX, &view);
    picture::assert_golden("crowd_biped", &all, 0.01);
    for max_visible in [81, 80, 40, 1, 0] {
        let fewer = crowd_picture(&file, 9, max_visible, &view);
        let (over, mean) = picture::difference(&all, &fewer, 8);
        assert!(over < 0.001, "{max_visible} palettes: {over} of the pixels, mean {mean}");
    }
}
