//! Culling on a real adapter against the truth: nothing that a view shows is ever missing from its lists.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use std::cell::OnceCell;

use anim_bake::BakeSettings;
use anim_core::clock::ticks_from_seconds;
use anim_core::glam::{DMat4, DQuat, DVec3};
use anim_core::matrix_rows::affine_from_rows;
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_format::playback::{palette_of_layers, posed_vertices};
use anim_tests::cameras::{KINDS, orthographic, perspective, random_view, sees};
use anim_tests::picture;
use anim_tests::random_layers::{Random, add_random_masks};
use anim_tests::rigs::{self, Rig, narrow, share};
use anim_tests::stage::{ALL, Stage};
use anim_wgpu::{
    Crowd, CrowdSettings, DrawInfo, Instance, InstanceHandle, PalettePrecision, PlayOptions, View,
    pose_layout, skin_module,
};

/// Plays one to three layers in fades of all ages, a part of them in one of two masks if there are any.
fn play_randomly(
    crowd: &mut Crowd,
    handles: &[InstanceHandle],
    clips: u32,
    now_seconds: f64,
    random: &mut Random,
) {
    for round in 0..3u8 {
        crowd.update(now_seconds - 0.9 + f64::from(round) * 0.3);
        for handle in handles {
            if round == 0 || random.below(2) == 0 {
                let options = PlayOptions {
                    phase: narrow(share(random)),
                    speed: [1.0, -0.7, 0.0][random.below(3) as usize],
                    mask: random.below(4).checked_sub(2).filter(|_| crowd.mask_index(0, "mask 1").is_some()),
                    ..PlayOptions::new(random.below(clips), narrow(share(random) * 2.0))
                };
                crowd.play_with(*handle, &options).expect("a clip");
            }
        }
    }
    crowd.update(now_seconds);
}

/// Points of an instance in the stage: every vertex of the moment, and the middles of all triangles' edges.
fn points_of(crowd: &Crowd, file: &AnimFile<'_>, handle: InstanceHandle, now_seconds: f64) -> Vec<DVec3> {
    let layers = *crowd.layer_stack(handle).expect("an instance").gpu_layers();
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    palette_of_layers(file, &layers, ticks_from_seconds(now_seconds), &mut palette);
    let world_from_model = affine_from_rows(&crowd.world_from_model(handle).expect("an instance"));
    let mut points = Vec::new();
    for part in &file.parts {
        let vertices = posed_vertices(file, part, &palette, 0..part.vertex_count);
        let at = |i: usize| DVec3::from_array(vertices[i].position.map(f64::from));
        for first in (0..vertices.len()).step_by(3) {
            for (a, b) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)] {
                let point =
                    (at((first + a).min(vertices.len() - 1)) + at((first + b).min(vertices.len() - 1))) * 0.5;
                points.push(world_from_model.transform_point3(point));
            }
        }
    }
    points
}

#[derive(Debug, Default)]
struct Found {
    cameras: u32,
    shown: u32,
    listed: u32,
    instances: u32,
}

/// Random crowds at one scale of everything, seen by random cameras; every instance that a camera shows has to be listed.
fn check_cameras(
    rounds: u32,
    scale: f64,
    center: DVec3,
    settings: &CrowdSettings,
    seed: u64,
    encoding: Encoding,
) -> Found {
    let mut random = Random(seed);
    let bake = BakeSettings { encodings: vec![encoding], ..BakeSettings::default() };
    let mut files: Vec<AnimFile<'static>> =
        (0..2).map(|_| rigs::random_file(&Rig::default(), &mut random, &bake)).collect();
    if encoding == Encoding::Local8 {
        files.iter_mut().for_each(|file| add_random_masks(file, 2, &mut random));
    }
    let mut stage = Stage::new(&[&files[0], &files[1]], settings);
    let count = 40u32;
    let mut found = Found::default();
    let instances: Vec<(u32, InstanceHandle)> = (0..count)
        .map(|number| {
            let model = number % 2;
            (model, stage.crowd.add(&Instance { model, ..Instance::default() }).expect("room"))
        })
        .collect();
    let handles: Vec<InstanceHandle> = instances.iter().map(|(_, handle)| *handle).collect();
    for round in 0..rounds {
        let now_seconds = 5.0 + f64::from(round) * 7.31;
        for handle in &handles {
            let mut rows = rigs::random_transform(20.0 * scale, scale, &mut random);
            for (row, offset) in rows.iter_mut().zip(center.to_array()) {
                row[3] += narrow(offset);
            }
            stage.crowd.set_transform(*handle, &rows).expect("an instance");
        }
        play_randomly(&mut stage.crowd, &handles, 4, now_seconds, &mut random);
        let views: Vec<View> = (0..16)
            .map(|number| random_view((round + number) % KINDS, center, 25.0 * scale, &mut random))
            .collect();
        stage.prepare(&views);
        let lists = stage.lists(16, count, 16 * 2 * 2 * 2 * 2);
        let mut listed = vec![[false; 40]; 16];
        for list in &lists {
            for instance in &list.instances {
                listed[list.view as usize][*instance as usize] = true;
            }
        }
        for (model, handle) in &instances {
            let points = points_of(&stage.crowd, &files[*model as usize], *handle, now_seconds);
            for (number, view) in views.iter().enumerate() {
                let shown = points.iter().any(|point| sees(view, *point));
                let is_listed = listed[number][handle.index() as usize];
                assert!(
                    is_listed || !shown,
                    "round {round}: instance {} is in view {number} and not in its lists: {view:?}",
                    handle.index()
                );
                found.shown += u32::from(shown);
                found.listed += u32::from(is_listed);
            }
        }
        found.cameras += 16;
        found.instances += 16 * count;
    }
    found
}

#[test]
fn whatever_a_camera_shows_is_in_its_lists_and_little_else() {
    let settings = CrowdSettings::default();
    let found = check_cameras(130, 1.0, DVec3::ZERO, &settings, 1, Encoding::Affine16);
    assert!(found.cameras >= 2000 && found.shown > 5000, "{found:?}");
    assert!(found.listed < found.instances * 2 / 3, "culling drops something: {found:?}");
    // A ball around a few triangles that fly about is much larger than they are.
    assert!(found.listed < found.shown * 2, "{found:?}");
}

#[test]
fn local_tracks_that_blend_under_masks_lose_nothing() {
    let found = check_cameras(60, 1.0, DVec3::ZERO, &CrowdSettings::default(), 3, Encoding::Local8);
    assert!(found.shown > 2000 && found.listed < found.instances * 9 / 10, "{found:?}");
}

#[test]
fn crowds_that_are_tiny_huge_or_far_away_lose_nothing_either() {
    let half = CrowdSettings { precision: PalettePrecision::Half, ..CrowdSettings::default() };
    let far = DVec3::new(3e4, -1e3, 7e4);
    for (scale, center, settings) in [
        (1e-5, DVec3::ZERO, CrowdSettings::default()),
        (1e5, DVec3::ZERO, CrowdSettings::default()),
        (1.0, far, CrowdSettings::default()),
        (1.0, DVec3::ZERO, half),
    ] {
        let found = check_cameras(15, scale, center, &settings, 77, Encoding::Affine16);
        assert!(found.shown > 500, "{scale} {center}: {found:?}");
    }
}

/// A camera of a kind that shows nothing of a convex thing but the last `inside_metres` before `point`, in which it ends in
/// the direction `out`: plane `plane` of the camera cuts it there.
fn at_the_edge(kind: u32, plane: usize, point: DVec3, out: DVec3, inside_metres: f64) -> View {
    let (near, far, aspect) = (0.5, 30.0, 1.25);
    let (half, deep) = (
        0.7,
        if plane == 4 {
            near
        } else if plane == 5 {
            far
        } else {
            6.0
        },
    );
    let clip_from_view = match kind {
        0 => perspective(2.0 * libm::atan(half), aspect, far / (near - far), near * far / (near - far)),
        1 => perspective(2.0 * libm::atan(half), aspect, near / (far - near), near * far / (far - near)),
        2 => perspective(2.0 * libm::atan(half), aspect, 0.0, near),
        _ => orthographic(half, aspect, near, far),
    };
    // In view space: a point on the plane in the middle of what the camera shows of it, and the plane's inner side.
    let widen = if kind == 3 { 1.0 } else { deep };
    let tilt = if kind == 3 { 0.0 } else { half };
    let (on_plane, inner) = match plane {
        0 => (DVec3::new(-half * aspect * widen, 0.0, -deep), DVec3::new(1.0, 0.0, -tilt * aspect)),
        1 => (DVec3::new(half * aspect * widen, 0.0, -deep), DVec3::new(-1.0, 0.0, -tilt * aspect)),
        2 => (DVec3::new(0.0, -half * widen, -deep), DVec3::new(0.0, 1.0, -tilt)),
        3 => (DVec3::new(0.0, half * widen, -deep), DVec3::new(0.0, -1.0, -tilt)),
        4 => (DVec3::new(0.0, 0.0, -near), DVec3::NEG_Z),
        _ => (DVec3::new(0.0, 0.0, -far), DVec3::Z),
    };
    let inner = inner.normalize();
    let world_from_view = DQuat::from_rotation_arc(inner, out);
    let eye = point - world_from_view * (on_plane + inner * inside_metres);
    let view_from_world = DMat4::from_quat(world_from_view.inverse()) * DMat4::from_translation(-eye);
    let clip_from_world = (clip_from_view * view_from_world).to_cols_array_2d();
    View::new(clip_from_world.map(|column| column.map(narrow)))
}

/// Where the vertices of the only instance are, as the GPU draws them.
fn drawn_positions(stage: &Stage) -> Vec<DVec3> {
    let body = "fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {
        return Probed(vertex_index, vec4<f32>(anim_skin(vertex, instance_index).world_position, 1.0), vec4<f32>());
    }";
    let [positions, _] = stage.probe().points(&stage.crowd, 1, 3, body, |_, _| true);
    positions.iter().map(|p| DVec3::new(f64::from(p[0]), f64::from(p[1]), f64::from(p[2]))).collect()
}

/// Cuts single triangles at the vertex that reaches farthest, with every plane of every kind of camera. Returns how many
/// cuts were made, and how many vertices were drawn outside the ball of the file.
fn cut_at_the_outermost_vertex(precision: PalettePrecision, rounds: u32) -> (u32, u32) {
    let mut random = Random(4);
    let (mut cuts, mut outwards) = (0, 0);
    for _ in 0..rounds {
        let rig = Rig {
            joints: 2,
            triangles: 1,
            parts: 1,
            rigid_parts: 0,
            clips: 1,
            scales: false,
            ..Rig::default()
        };
        let bake = BakeSettings { encodings: vec![Encoding::Affine32], ..BakeSettings::default() };
        let file = rigs::random_file(&rig, &mut random, &bake);
        let mut stage = Stage::new(&[&file], &CrowdSettings { precision, ..CrowdSettings::default() });
        let handle = stage.crowd.add(&Instance::default()).expect("room");
        let bounds = &file.clips[0].bounds;
        let center = DVec3::from_array(bounds.sphere_center.map(f64::from));
        for step in 0..12 {
            let rows = rigs::random_transform(3.0, 1.0, &mut random);
            stage.crowd.set_transform(handle, &rows).expect("an instance");
            // The clip's keys are 0.2 s apart: every other moment is one.
            stage.crowd.update(f64::from(step) * 0.1);
            stage.prepare(&[ALL]);
            let world_from_model = affine_from_rows(&rows);
            let model_from_world = world_from_model.inverse();
            let (point, reach) = drawn_positions(&stage)
                .into_iter()
                .map(|p| (p, model_from_world.transform_point3(p) - center))
                .max_by(|a, b| a.1.length().total_cmp(&b.1.length()))
                .expect("three vertices");
            outwards += u32::from(reach.length() > f64::from(bounds.sphere_radius));
            // The plane that touches the ellipsoid where the vertex is.
            let out = (model_from_world.matrix3.transpose() * reach).normalize();
            let views: Vec<View> =
                (0..24).map(|n| at_the_edge(n / 6, n as usize % 6, point, out, 2e-5)).collect();
            for views in views.chunks(12) {
                stage.prepare(views);
                let lists = stage.lists(12, 1, 48);
                for (number, view) in views.iter().enumerate() {
                    if !sees(view, point) {
                        continue;
                    }
                    cuts += 1;
                    let is_listed =
                        lists.iter().any(|list| list.view as usize == number && !list.instances.is_empty());
                    assert!(is_listed, "{point} of {bounds:?} {rows:?} in {view:?}");
                }
            }
        }
    }
    (cuts, outwards)
}

#[test]
fn a_vertex_that_just_reaches_into_a_view_is_not_lost() {
    let (cuts, outwards) = cut_at_the_outermost_vertex(PalettePrecision::Full, 10);
    assert_eq!(outwards, 0, "the ball of a clip holds all that is drawn");
    assert!(cuts > 2000, "{cuts}");
}

#[test]
fn what_half_palettes_round_outwards_is_not_lost_at_the_edge() {
    let (cuts, outwards) = cut_at_the_outermost_vertex(PalettePrecision::Half, 6);
    assert!(outwards > 0, "some vertex was rounded out of its ball, else nothing was tested");
    assert!(cuts > 1000, "{cuts}");
}

/// A pipeline that draws what is listed for any view through the camera of view 0.
fn through_view_0(stage: &Stage, info: &DrawInfo) -> wgpu::RenderPipeline {
    let source = skin_module(info.bones, false, 0)
        + "
        struct Varying { @builtin(position) position: vec4<f32>, @location(0) color: vec3<f32> }
        @vertex fn vertex(input: VertexInput, @builtin(instance_index) instance_index: u32) -> Varying {
            let vertex = anim_skin(bind_vertex(input), instance_index);
            let position = anim_frame.clip_from_world[0] * vec4<f32>(vertex.world_position, 1.0);
            return Varying(position, vertex.world_normal * 0.5 + 0.5);
        }
        @fragment fn fragment(found: Varying) -> @location(0) vec4<f32> { return vec4<f32>(found.color, 1.0); }";
    let device = &stage.device;
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[stage.crowd.bind_group_layout(info.model, info.bones)],
        immediate_size: 0,
    });
    let target = picture::target();
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[Some(pose_layout(false))],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: target.depth.expect("a depth target"),
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: target.sample_count, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[target.color.map(wgpu::ColorTargetState::from)],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[test]
fn pictures_with_and_without_culling_are_the_same() {
    let file = rigs::sample("biped", &BakeSettings::default());
    let mut random = Random(21);
    let mut dropped = 0;
    for round in 0..8 {
        let mut stage = Stage::new(&[&file], &CrowdSettings::default());
        for number in 0..40 {
            let world_from_model = rigs::random_transform(4.0, 0.6, &mut random);
            let instance =
                Instance { world_from_model, clip: number % file.clips.len() as u32, ..Instance::default() };
            stage.crowd.add(&instance).expect("room");
        }
        stage.crowd.update(0.7);
        let view = random_view(round % KINDS, DVec3::ZERO, 5.0, &mut random);
        stage.prepare(&[view, ALL]);
        let lists = stage.lists(2, 40, 16);
        let listed = |view| {
            lists.iter().filter(|list| list.view == view).map(|list| list.instances.len()).sum::<usize>()
        };
        dropped += listed(1) - listed(0);
        let pipeline = OnceCell::new();
        let pictures = [0, 1].map(|number| {
            let encoder = stage.device.create_command_encoder(&Default::default());
            picture::draw_with(&stage.device, &stage.queue, encoder, (96, 72), |pass| {
                stage.crowd.draw_with(pass, number, |info| {
                    Some(pipeline.get_or_init(|| through_view_0(&stage, info)).clone())
                });
            })
        });
        assert!(
            pictures[0] == pictures[1],
            "round {round}: {:?}",
            picture::difference(&pictures[0], &pictures[1], 0)
        );
    }
    assert!(dropped > 100, "{dropped} draws of instances were saved");
}
