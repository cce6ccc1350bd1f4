//! Calls that make no sense give a typed error or do nothing: never a panic, never a message of the device. Validation
//! errors of the test device panic.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::BakeSettings;
use anim_core::layer_stack::LayerStack;
use anim_format::AnimFile;
use anim_format::model::Rows;
use anim_tests::random_layers::Random;
use anim_tests::rigs::{self, Rig};
use anim_tests::stage::{ALL, Stage};
use anim_tests::{gpu, picture};
use anim_wgpu::{
    Crowd, CrowdPipelines, CrowdSettings, GpuError, Instance, InstanceHandle, Lighting, ModelSource,
    PalettePrecision, PathChoice, PlayOptions, ShadowMap, Target, View,
};

const IDENTITY: Rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
const STRANGE: [f32; 7] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -0.0];

fn file() -> AnimFile<'static> {
    let settings = BakeSettings { attach: vec!["joint_1".to_owned()], ..BakeSettings::default() };
    rigs::random_file(&Rig::default(), &mut Random(1), &settings)
}

/// Draws every view that could be meant, and some that are not there.
fn draw(stage: &Stage, pipelines: &CrowdPipelines) {
    let encoder = stage.device.create_command_encoder(&Default::default());
    let _ = picture::draw_with(&stage.device, &stage.queue, encoder, (16, 16), |pass| {
        for view in [0, 1, 15, 16, 17, u32::MAX] {
            stage.crowd.draw(pass, pipelines, view);
        }
    });
}

#[test]
fn crowds_that_cannot_be_made_say_why() {
    let file = file();
    let (device, queue) = gpu::device();
    let new = |sources: &[ModelSource<'_>], settings: &CrowdSettings| {
        Crowd::new(&device, &queue, sources, settings).expect_err("a crowd that cannot be")
    };
    let default = CrowdSettings::default();
    assert_eq!(new(&[], &default), GpuError::ModelCount { count: 0 });
    assert_eq!(new(&vec![ModelSource::new(&file); 65_536], &default), GpuError::ModelCount { count: 65_536 });
    let far = CrowdSettings { bind_group: 99, ..default };
    assert_eq!(new(&[ModelSource::new(&file)], &far), GpuError::NoSuchBindGroup { number: 99, limit: 4 });
    let source = ModelSource { page_set: 7, ..ModelSource::new(&file) };
    assert_eq!(new(&[source], &default), GpuError::NoSuchPageSet { number: 7, count: 1 });
    let empty = AnimFile { clips: Vec::new(), ..file.clone() };
    assert_eq!(new(&[ModelSource::new(&empty)], &default), GpuError::NoClips);
}

#[test]
fn the_last_bind_group_of_a_default_device_works() {
    let file = file();
    let mut stage = Stage::new(&[&file], &CrowdSettings { bind_group: 3, ..CrowdSettings::default() });
    stage.crowd.add(&Instance::default()).expect("room");
    stage.prepare(&[ALL]);
    draw(&stage, &CrowdPipelines::new(&stage.device, &stage.crowd, &picture::target()).expect("a target"));
}

#[test]
fn strange_numbers_are_drawn_as_something_or_nothing() {
    let file = file();
    let mut stage =
        Stage::new(&[&file], &CrowdSettings { tracks_visibility: true, ..CrowdSettings::default() });
    let pipelines = CrowdPipelines::new(&stage.device, &stage.crowd, &picture::target()).expect("a target");
    let sane = stage.crowd.add(&Instance::default()).expect("room");
    for v in STRANGE {
        let crowd = &mut stage.crowd;
        let mut rows = IDENTITY;
        rows[1][2] = v;
        rows[0][3] = v;
        let instance = Instance {
            world_from_model: rows,
            phase: v,
            speed: v,
            color: [v; 4],
            part_mask: u64::from(v.to_bits()),
            ..Instance::default()
        };
        let handle = crowd.add(&instance).expect("room");
        let child = crowd.add(&instance).expect("room");
        crowd.attach(child, handle, 0).expect("a point");
        crowd.set_transform(child, &[[v; 4]; 3]).expect("an instance");
        crowd.set_color(handle, [v, 0.0, v, 1.0]).expect("an instance");
        crowd.set_velocity(handle, [v, 0.0, 1.0]).expect("an instance");
        for seconds in [f64::from(v), -1.0, 1e300, f64::NAN, 3.0] {
            let crowd = &mut stage.crowd;
            crowd.update(seconds);
            crowd.play(handle, 1, v).expect("a clip");
            crowd
                .play_after(child, &PlayOptions { speed: v, phase: v, ..PlayOptions::new(2, v) })
                .expect("a clip");
            crowd.set_speed(handle, v).expect("an instance");
            crowd.seek(handle, f64::from(v)).expect("an instance");
            crowd.set_phase(handle, v).expect("an instance");
            crowd.stop(handle, v).expect("an instance");
            let _ = (
                crowd.time_seconds(handle),
                crowd.world_from_model(child),
                crowd.attachment_matrix(child, 0),
            );
            let lighting = Lighting {
                to_sun: [v; 3],
                sun_color: [v; 3],
                ambient_color: [v; 3],
                shadow_views: [v.to_bits(), 7],
                shadow_bias_metres: v,
            };
            crowd.set_lighting(&lighting);
            let views = [
                View::new([[v; 4]; 4]),
                View::look_at([v, 0.0, 1.0], [0.0; 3], v, v, v, v),
                View::sun([v; 3], [v, 0.0, 0.0], v),
                ALL,
            ];
            stage.prepare(&views);
            draw(&stage, &pipelines);
        }
    }
    // All this does not reach the instance that was left alone.
    stage.crowd.update(4.0);
    stage.prepare(&[ALL]);
    let rows = stage.probe().world_rows(&stage.crowd, 1, 20);
    assert_eq!(rows[sane.index() as usize], Some(IDENTITY));
}

#[test]
fn ranges_that_are_not_there_are_refused() {
    let file = file();
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    for _ in 0..3 {
        stage.crowd.add(&Instance::default()).expect("room");
    }
    #[expect(clippy::reversed_empty_ranges, reason = "callers may get it wrong")]
    let ranges = [0..u32::MAX, 3..4, 2..4, 1..2, 5..2, u32::MAX..u32::MAX, 4..4];
    for range in ranges {
        let error =
            stage.crowd.set_transforms(range.clone(), if range == (1..2) { &[] } else { &[IDENTITY] });
        assert!(matches!(error, Err(GpuError::RangeOutside { count: 3, .. })), "{range:?}: {error:?}");
    }
    assert_eq!(stage.crowd.set_transforms(3..3, &[]), Ok(()));
    assert_eq!(stage.crowd.set_transforms(0..3, &[IDENTITY; 3]), Ok(()));
    let error = stage.crowd.reserve(&stage.device, &stage.queue, u32::MAX);
    assert!(matches!(error, Err(GpuError::TooManyInstances { .. })));
    for (model, clip) in [(1, 0), (u32::MAX, 0), (0, 4), (0, u32::MAX)] {
        assert!(stage.crowd.add(&Instance { model, clip, ..Instance::default() }).is_err());
    }
    assert_eq!(stage.crowd.len(), 3);
    assert!(stage.crowd.bind_group_layout(9, anim_wgpu::BoneSource::Palette(Default::default())).is_none());
    assert_eq!((stage.crowd.vertex_count(9), stage.crowd.palette_buffers(9).count()), (0, 0));
    assert_eq!((stage.crowd.clip_index(9, "clip_0"), stage.crowd.part_index(0, "none")), (None, None));
    assert_eq!((stage.crowd.attachment_index(0, "none"), stage.crowd.visible_counts(0)), (None, None));
}

/// Every call with a handle.
fn calls(crowd: &mut Crowd, handle: InstanceHandle, other: InstanceHandle) -> Vec<Result<(), GpuError>> {
    let options = PlayOptions::new(0, 0.1);
    vec![
        crowd.set_transform(handle, &IDENTITY),
        crowd.set_velocity(handle, [1.0; 3]),
        crowd.set_color(handle, [1.0; 4]),
        crowd.set_user_data(handle, 1),
        crowd.set_part_mask(handle, 1),
        crowd.set_hidden(handle, true),
        crowd.play(handle, 0, 0.1),
        crowd.play_with(handle, &options),
        crowd.play_after(handle, &options),
        crowd.seek(handle, 0.1),
        crowd.stop(handle, 0.1),
        crowd.set_speed(handle, 1.0),
        crowd.set_phase(handle, 0.0),
        crowd.set_mode(handle, anim_wgpu::ClipMode::Once),
        crowd.set_paused(handle, true),
        crowd.set_layer_stack(handle, &LayerStack::default()),
        crowd.layer_stack(handle).map(|_| ()),
        crowd.current_clip(handle).map(|_| ()),
        crowd.time_seconds(handle).map(|_| ()),
        crowd.is_finished(handle).map(|_| ()),
        crowd.is_visible(handle).map(|_| ()),
        crowd.world_from_model(handle).map(|_| ()),
        crowd.attachment_matrix(handle, 0).map(|_| ()),
        crowd.parent(handle).map(|_| ()),
        crowd.attach(handle, other, 0),
        crowd.attach(other, handle, 0),
        crowd.detach(handle),
        crowd.remove(handle),
    ]
}

#[test]
fn handles_of_removed_instances_and_of_other_crowds_are_refused_by_every_call() {
    let file = file();
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let mut elsewhere = Stage::new(&[&file], &CrowdSettings::default());
    let removed = stage.crowd.add(&Instance::default()).expect("room");
    stage.crowd.remove(removed).expect("an instance");
    let here: Vec<InstanceHandle> =
        (0..3).map(|_| stage.crowd.add(&Instance::default()).expect("room")).collect();
    assert_eq!(here[0].index(), removed.index(), "numbers are given again");
    let strangers: Vec<InstanceHandle> =
        (0..3).map(|_| elsewhere.crowd.add(&Instance::default()).expect("room")).collect();
    for handle in strangers.into_iter().chain([removed]) {
        for (number, result) in calls(&mut stage.crowd, handle, here[1]).into_iter().enumerate() {
            assert_eq!(result, Err(GpuError::NoSuchInstance { index: handle.index() }), "call {number}");
        }
    }
    assert_eq!((stage.crowd.len(), elsewhere.crowd.len()), (3, 3));
    // The same calls with a handle of its own all work, the last one included.
    assert!(calls(&mut stage.crowd, here[0], here[1])[..24].iter().all(Result::is_ok));
}

#[test]
fn views_that_were_not_prepared_draw_nothing() {
    let file = file();
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let pipelines = CrowdPipelines::new(&stage.device, &stage.crowd, &picture::target()).expect("a target");
    draw(&stage, &pipelines);
    let handle = stage.crowd.add(&Instance::default()).expect("room");
    draw(&stage, &pipelines);
    for views in [0, 1, 16] {
        stage.prepare(&vec![ALL; views]);
        draw(&stage, &pipelines);
    }
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    let error = stage.crowd.prepare(&stage.device, &stage.queue, &mut encoder, &[ALL; 17]);
    assert_eq!(error, Err(GpuError::TooManyViews { views: 17, limit: 16 }));
    stage.queue.submit([encoder.finish()]);
    draw(&stage, &pipelines);
    stage.crowd.remove(handle).expect("an instance");
    draw(&stage, &pipelines);
    stage.prepare(&[ALL]);
    draw(&stage, &pipelines);
    assert!(stage.lists(1, 4, 8).is_empty());
}

#[test]
fn pipelines_of_another_crowd_draw_what_they_fit_and_nothing_else() {
    let wide_rig = Rig { joints: 300, ..Rig::default() };
    let wide = rigs::random_file(&wide_rig, &mut Random(2), &BakeSettings::default());
    let narrow = file();
    let mut stage = Stage::new(&[&narrow], &CrowdSettings::default());
    stage.crowd.add(&Instance::default()).expect("room");
    let settings = CrowdSettings::default();
    let other_group = CrowdSettings { bind_group: 1, ..settings };
    let half = CrowdSettings { precision: PalettePrecision::Half, ..settings };
    let direct = CrowdSettings { path: PathChoice::Direct, ..settings };
    let view = View::look_at([0.0, 1.0, 6.0], [0.0; 3], 1.0, 1.0, 0.1, 100.0);
    for (file, settings, fits) in [
        (&narrow, settings, true),
        (&narrow, other_group, false),
        (&narrow, half, false),
        (&narrow, direct, false),
        (&wide, settings, false),
    ] {
        let other = Crowd::new(&stage.device, &stage.queue, &[ModelSource::new(file)], &settings)
            .expect("a small file");
        let pipelines = CrowdPipelines::new(&stage.device, &other, &picture::target()).expect("a target");
        stage.prepare(&[view]);
        let encoder = stage.device.create_command_encoder(&Default::default());
        let crowds = [(&stage.crowd, &pipelines)];
        let picture = picture::draw(&stage.device, &stage.queue, encoder, (32, 32), &crowds);
        let is_drawn = picture.pixels.chunks(4).any(|pixel| pixel != &picture.pixels[..4]);
        assert_eq!(is_drawn, fits, "{settings:?}");
    }
}

#[test]
fn shadow_maps_of_any_size_are_brought_into_what_the_device_allows() {
    let (device, _) = gpu::device();
    for (side, cascades, layers) in [(0, 0, 1), (1, 1, 1), (7, 3, 3), (16, u32::MAX, 16)] {
        assert_eq!(ShadowMap::new(&device, side, cascades).layers().len(), layers);
    }
    assert_eq!(ShadowMap::new(&device, u32::MAX, u32::MAX).layers().len(), 16);
}

#[test]
fn a_shadow_map_and_shadow_views_that_do_not_belong_together_still_draw() {
    let file = file();
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    stage.crowd.add(&Instance::default()).expect("room");
    let pipelines = CrowdPipelines::new(&stage.device, &stage.crowd, &picture::target()).expect("a target");
    let shadow_pipelines =
        CrowdPipelines::new(&stage.device, &stage.crowd, &Target::shadow_map()).expect("a target");
    let map = ShadowMap::new(&stage.device, 8, 2);
    stage.crowd.set_shadow_map(Some(&map));
    for shadow_views in [[0, 0], [0, 16], [1, 2], [5, 99], [9, 2], [u32::MAX, u32::MAX], [0, u32::MAX]] {
        stage.crowd.set_lighting(&Lighting { shadow_views, ..Lighting::default() });
        stage.prepare(&[ALL, View::sun([0.0, 1.0, 0.0], [0.0; 3], 5.0)]);
        let mut encoder = stage.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &map.layers()[1],
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        // The map is bound nowhere while it is drawn to.
        stage.crowd.draw(&mut pass, &shadow_pipelines, 1);
        stage.crowd.draw_to_shadow_with(&mut pass, 1, |_| None);
        drop(pass);
        stage.queue.submit([encoder.finish()]);
        draw(&stage, &pipelines);
    }
    stage.crowd.set_shadow_map(None);
    draw(&stage, &pipelines);
}

#[test]
fn what_is_set_between_preparing_and_drawing_does_not_lose_the_frame() {
    let file = file();
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    stage.crowd.add(&Instance::default()).expect("room");
    stage.prepare(&[ALL]);
    let lists = stage.lists(1, 4, 8).len();
    assert!(lists > 0);
    let map = ShadowMap::new(&stage.device, 8, 1);
    stage.crowd.set_shadow_map(Some(&map));
    assert_eq!(stage.lists(1, 4, 8).len(), lists);
    stage.crowd.reserve(&stage.device, &stage.queue, 1000).expect("room");
    assert_eq!(stage.lists(1, 4, 8).len(), lists);
}

#[test]
fn frames_that_are_submitted_late_or_never_answer_or_do_not_and_nothing_breaks() {
    let file = file();
    let mut stage =
        Stage::new(&[&file], &CrowdSettings { tracks_visibility: true, ..CrowdSettings::default() });
    let handle = stage.crowd.add(&Instance::default()).expect("room");
    let mut late = Vec::new();
    for frame in 0..24u32 {
        let mut encoder = stage.device.create_command_encoder(&Default::default());
        stage.crowd.prepare(&stage.device, &stage.queue, &mut encoder, &[ALL]).expect("a small crowd");
        match frame % 3 {
            0 => drop(encoder),
            1 => drop(encoder.finish()),
            _ => late.push(encoder.finish()),
        }
        if late.len() == 2 {
            late.reverse();
            stage.queue.submit(late.drain(..));
        }
    }
    assert_eq!(stage.crowd.is_visible(handle).map(|seen| seen.unwrap_or(true)), Ok(true));
    stage.wait();
    stage.prepare(&[ALL]);
    assert_eq!(stage.crowd.is_visible(handle), Ok(Some(true)));
    // Another instance with the number of a removed one has not been seen.
    stage.crowd.remove(handle).expect("an instance");
    let other = stage.crowd.add(&Instance::default()).expect("room");
    assert_eq!(stage.crowd.is_visible(other), Ok(None));
}

#[test]
fn small_bindings_hold_fewer_instances_and_draw_the_same_lists_in_many_chunks() {
    let file = file();
    let small = 1 << 16;
    let limits = wgpu::Limits { max_storage_buffer_binding_size: small, ..wgpu::Limits::default() };
    let (device, queue) = gpu::device_with_limits(limits);
    let mut stage = Stage::on(device, queue, &[ModelSource::new(&file)], &CrowdSettings::default());
    let mut count = 0u32;
    let error = loop {
        match stage.crowd.add(&Instance::default()) {
            Ok(_) => count += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error, GpuError::TooManyInstances { limit: count });
    assert!(count > 600);
    stage.prepare(&[ALL, ALL]);
    let chunks = stage.crowd.palette_buffers(0).count();
    assert!(chunks > 3, "{chunks}");
    let parts = file.parts.len() as u32;
    let lists = stage.lists(2, count, 2 * parts * (chunks as u32 + 1));
    for view in 0..2 {
        for part in 0..parts {
            let of = lists.iter().filter(|list| list.view == view && list.info.part == part);
            let found: Vec<u32> = of.flat_map(|list| list.instances.clone()).collect();
            assert_eq!(found, (0..count).collect::<Vec<_>>());
        }
    }
    // Two lists a view, for instances that mirror and those that do not.
    stage.crowd.expect_mirrored_transforms();
    let mut encoder = stage.device.create_command_encoder(&Default::default());
    let error = stage.crowd.prepare(&stage.device, &stage.queue, &mut encoder, &[ALL; 16]);
    assert!(matches!(error, Err(GpuError::ListsTooLarge { views: 16, .. })), "{error:?}");
    draw(&stage, &CrowdPipelines::new(&stage.device, &stage.crowd, &picture::target()).expect("a target"));
}
