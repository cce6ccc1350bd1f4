//! Local tracks where a vertex shader reads bones: on the direct path, beyond the palettes, and from textures. They play as
//! rows there, which are made while the crowd is.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "tests count small things"
)]

use anim_bake::settings::MaskSetting;
use anim_bake::{BakeSettings, bake_import};
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_format::playback::palette_of_layers;
use anim_tests::gltf_builder::GltfBuilder;
use anim_tests::picture::{self, Picture};
use anim_tests::random_layers::Random;
use anim_tests::rigs::{self, Rig, share};
use anim_tests::{gpu, models};
use anim_wgpu::{
    Crowd, CrowdPipelines, CrowdSettings, GpuError, Instance, ModelSource, PathChoice, PathUsed, View,
};
use serde_json::json;

type Device = (wgpu::Device, wgpu::Queue);

const SECOND: f64 = 65_536.0;

fn settings(encodings: &[Encoding]) -> BakeSettings {
    BakeSettings { encodings: encodings.to_vec(), ..BakeSettings::default() }
}

fn local_sample(name: &str) -> AnimFile<'static> {
    rigs::sample(name, &settings(&[Encoding::Local8]))
}

/// 49 instances of a file, each with one clip at a time of its own.
fn crowd_of(device: &Device, source: ModelSource<'_>, settings: &CrowdSettings) -> Crowd {
    let mut crowd = Crowd::new(&device.0, &device.1, &[source], settings).expect("a sample");
    for i in 0..49u8 {
        let (x, z) = (f32::from(i % 7) * 1.4, f32::from(i / 7) * 1.4);
        let instance = Instance {
            world_from_model: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, z]],
            clip: u32::from(i) % source.file.clips.len() as u32,
            phase: f32::from(i * 5 % 49) / 49.0,
            ..Instance::default()
        };
        crowd.add(&instance).expect("room");
    }
    crowd.update(0.4);
    crowd
}

fn picture_of(device: &Device, source: ModelSource<'_>, settings: &CrowdSettings) -> Picture {
    let mut crowd = crowd_of(device, source, settings);
    let pipelines = CrowdPipelines::new(&device.0, &crowd, &picture::target()).expect("a target");
    let view = View::look_at([4.0, 4.0, 14.0], [4.0, 0.5, 4.0], 0.8, 256.0 / 192.0, 0.1, 100.0);
    let mut encoder = device.0.create_command_encoder(&Default::default());
    crowd.prepare(&device.0, &device.1, &mut encoder, &[view]).expect("a small crowd");
    picture::draw(&device.0, &device.1, encoder, (256, 192), &[(&crowd, &pipelines)])
}

fn assert_same(what: &str, expected: &Picture, found: &Picture) {
    let (over, mean) = picture::difference(expected, found, 8);
    // Edges move by what rows between frames are off.
    assert!(over < 0.005, "{what}: {:.3} % of the pixels, mean {mean:.4}", over * 100.0);
}

/// Largest distance of a number of a palette from its twin, relative to the largest number: one clip an instance, at
/// random times, played from rows that were made of local tracks.
fn largest_difference(file: &AnimFile<'_>, expanded_bytes_max: u64) -> (f32, String) {
    let (device, queue) = gpu::device();
    let source = ModelSource { expanded_bytes_max, ..ModelSource::new(file) };
    let settings = CrowdSettings { force_texture_pages: true, ..CrowdSettings::default() };
    let mut crowd = Crowd::new(&device, &queue, &[source], &settings).expect("a small file");
    let mut random = Random(11);
    let handles: Vec<_> = (0..200u32)
        .map(|i| {
            let clip = i % file.clips.len() as u32;
            let phase = share(&mut random) as f32;
            crowd.add(&Instance { clip, phase, ..Instance::default() }).expect("room")
        })
        .collect();
    crowd.update(3.3);
    let all = View::new([
        [1e-6, 0.0, 0.0, 0.0],
        [0.0, 1e-6, 0.0, 0.0],
        [0.0, 0.0, 1e-6, 0.0],
        [0.0, 0.0, 0.5, 1.0],
    ]);
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(&device, &queue, &mut encoder, &[all]).expect("a small crowd");
    queue.submit([encoder.finish()]);
    let found: Vec<f32> = gpu::read_back(&device, &queue, crowd.palette_buffers(0).next().expect("palettes"));
    let mut expected = vec![[[0.0; 4]; 3]; file.bones.len()];
    let (mut largest, mut scale) = (0.0f32, 0.0f32);
    for (slot, handle) in handles.iter().enumerate() {
        let layers = crowd.layer_stack(*handle).expect("an instance").gpu_layers();
        palette_of_layers(file, layers, (3.3 * SECOND).round() as u64, &mut expected);
        let expected = expected.as_flattened().as_flattened();
        for (found, expected) in found[slot * expected.len()..].iter().zip(expected) {
            largest = largest.max((found - expected).abs());
            scale = scale.max(expected.abs());
        }
    }
    let note = crowd.notes().next().expect("a note about rows").to_owned();
    (largest / scale, note)
}

#[test]
fn the_direct_path_shows_local_tracks_as_the_palette_path_does() {
    for name in ["biped", "horse"] {
        let file = local_sample(name);
        let expected = picture_of(&gpu::device(), ModelSource::new(&file), &CrowdSettings::default());
        let small = wgpu::Limits::downlevel_webgl2_defaults();
        let mut devices = vec![("primary", gpu::device_with_limits(small.clone()))];
        devices.extend(gpu::gl_device(small).map(|device| ("OpenGL", device)));
        for (backend, device) in devices {
            let crowd = crowd_of(&device, ModelSource::new(&file), &CrowdSettings::default());
            assert_eq!(crowd.path(), PathUsed::Direct);
            assert!(crowd.notes().any(|note| note.contains("half floats") && note.contains("of model size")));
            let found = picture_of(&device, ModelSource::new(&file), &CrowdSettings::default());
            assert_same(&format!("{name} on {backend}"), &expected, &found);
        }
    }
}

#[test]
fn the_picture_is_the_same_however_few_palettes_local_tracks_have() {
    let file = local_sample("biped");
    let device = gpu::device();
    let settings = CrowdSettings { tracks_visibility: true, ..CrowdSettings::default() };
    let expected = picture_of(&device, ModelSource::new(&file), &settings);
    for max_visible in [48, 10, 0] {
        let source = ModelSource { max_visible, ..ModelSource::new(&file) };
        assert_same(&format!("{max_visible} palettes"), &expected, &picture_of(&device, source, &settings));
        let mut crowd = crowd_of(&device, source, &settings);
        for _ in 0..8 {
            let view = View::look_at([4.0, 4.0, 14.0], [4.0, 0.5, 4.0], 0.8, 256.0 / 192.0, 0.1, 100.0);
            let mut encoder = device.0.create_command_encoder(&Default::default());
            crowd.prepare(&device.0, &device.1, &mut encoder, &[view]).expect("a small crowd");
            device.1.submit([encoder.finish()]);
            device.0.poll(wgpu::PollType::wait_indefinitely()).expect("a device");
        }
        let counts = crowd.visible_counts(0).expect("frames have passed");
        assert_eq!(counts.beyond_max_visible, counts.visible - max_visible.min(counts.visible));
        assert!(counts.visible > 20, "{counts:?}");
    }
}

#[test]
fn rows_are_as_exact_as_memory_allows_and_the_note_says_how_exact() {
    let file = local_sample("biped");
    let (fine, fine_note) = largest_difference(&file, 32 << 20);
    // The clip that steps keeps its frames, which are 52,000 bytes.
    let (coarse, coarse_note) = largest_difference(&file, 100_000);
    assert!(fine < 2e-3, "{fine}: {fine_note}");
    assert!(coarse > 3.0 * fine, "{coarse} after {fine}: fewer frames are less exact");
    let bytes = |note: &str| -> u64 {
        let words = note.strip_prefix("local tracks play as rows here: ").expect("a note");
        words.split(' ').next().and_then(|bytes| bytes.parse().ok()).expect("bytes")
    };
    assert!(bytes(&coarse_note) <= 100_000 && bytes(&fine_note) > 2 * bytes(&coarse_note), "{coarse_note}");
    assert_ne!(fine_note, coarse_note);
}

#[test]
fn steps_jumps_and_poses_are_kept() {
    let mut g = GltfBuilder::new();
    let mesh = g.mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[]);
    let node = g.node(None, json!({"name": "leaf", "mesh": mesh}));
    let times: Vec<f32> = (0u8..=8).map(|key| f32::from(key) / 8.0).collect();
    let jumps: Vec<f32> = (0u8..=8).flat_map(|key| [f32::from(key % 3), 0.0, 0.0]).collect();
    let scales: Vec<f32> = (0u8..=8).flat_map(|key| [1.0, 1.0 + f32::from(key) * 0.1, 1.0]).collect();
    g.clip("step", &[(node, "translation", "STEP", &times, &jumps)]);
    g.clip("pose", &[(node, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0])]);
    g.clip(
        "mixed",
        &[(node, "translation", "STEP", &times, &jumps), (node, "scale", "LINEAR", &times, &scales)],
    );
    let file = rigs::baked(&g, &settings(&[Encoding::Local32]));
    assert!(file.clips[2].tracks[0].held_frames.iter().any(|word| *word != 0), "it jumps");
    let (difference, _) = largest_difference(&file, 32 << 20);
    assert!(difference < 1e-3, "{difference}");
}

#[test]
fn random_rigs_with_scales_keep_their_places() {
    let mut random = Random(3);
    let rig = Rig { joints: 12, clips: 3, scales: true, ..Rig::default() };
    let file = rigs::random_file(&rig, &mut random, &settings(&[Encoding::Local8]));
    let (difference, note) = largest_difference(&file, 32 << 20);
    assert!(difference < 0.02, "{difference}: {note}");
}

#[test]
fn rows_of_the_file_are_taken_before_others_are_made() {
    let file = rigs::sample("bird", &settings(&[Encoding::Local8, Encoding::Affine16]));
    let device = gpu::device();
    let direct = CrowdSettings { path: PathChoice::Direct, ..CrowdSettings::default() };
    let crowd = crowd_of(&device, ModelSource::new(&file), &direct);
    let notes: Vec<&str> = crowd.notes().collect();
    assert_eq!(notes, ["the rows of page set 1 play where the local tracks of page set 0 cannot"]);
    let rows = ModelSource { page_set: 1, ..ModelSource::new(&file) };
    assert_eq!(crowd_of(&device, rows, &direct).notes().count(), 0, "rows that were asked for");
    assert_same(
        "rows",
        &picture_of(&device, rows, &direct),
        &picture_of(&device, ModelSource::new(&file), &direct),
    );
    let palettes = crowd_of(&device, ModelSource::new(&file), &CrowdSettings::default());
    assert_eq!(palettes.notes().count(), 0, "local tracks play as they are");
}

#[test]
fn numbers_that_half_floats_cannot_hold_are_named() {
    let mut g = GltfBuilder::new();
    let mesh = g.mesh(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[]);
    let node = g.node(None, json!({"name": "far", "mesh": mesh}));
    g.clip("leap", &[(node, "translation", "LINEAR", &[0.0, 1.0], &[0.0, 0.0, 0.0, 1e6, 0.0, 0.0])]);
    let file = rigs::baked(&g, &settings(&[Encoding::Local8]));
    let (device, queue) = gpu::device();
    let direct = CrowdSettings { path: PathChoice::Direct, ..CrowdSettings::default() };
    let error = Crowd::new(&device, &queue, &[ModelSource::new(&file)], &direct).expect_err("too far");
    assert!(matches!(error, GpuError::NotInHalfFloats { .. }), "{error}");
    assert!(error.to_string().contains("\"leap\"") && error.to_string().contains("far"), "{error}");
    Crowd::new(&device, &queue, &[ModelSource::new(&file)], &CrowdSettings::default())
        .expect("palettes are f32");
}

#[test]
fn masks_that_are_ignored_are_counted() {
    let import = models::import(&models::workspace_root().join("samples/biped.glb"));
    let half = MaskSetting { name: "half".into(), nodes: vec!["*".into()] };
    let with_mask = BakeSettings { masks: vec![half], ..settings(&[Encoding::Local8]) };
    let file = bake_import(&import, &with_mask).expect("a sample").file;
    let (device, queue) = gpu::device();
    let direct = CrowdSettings { path: PathChoice::Direct, ..CrowdSettings::default() };
    let mut crowd = Crowd::new(&device, &queue, &[ModelSource::new(&file)], &direct).expect("a sample");
    let handles: Vec<_> = (0..5).map(|_| crowd.add(&Instance::default()).expect("room")).collect();
    crowd.update(1.0);
    for handle in &handles[..2] {
        crowd.play_masked(*handle, 1, 0, 0.5).expect("a mask of the file");
    }
    crowd.update(1.2);
    let view = View::look_at([0.0, 1.0, 4.0], [0.0, 1.0, 0.0], 0.9, 1.0, 0.1, 100.0);
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(&device, &queue, &mut encoder, &[view]).expect("a small crowd");
    let counts = crowd.visible_counts(0).expect("a frame");
    assert_eq!((counts.visible, counts.masks_ignored), (5, 2));
}
