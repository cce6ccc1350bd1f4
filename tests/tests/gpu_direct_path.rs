//! The direct path against the palette path: the same crowd has to give the same picture, on Vulkan held to WebGL2's
//! limits and on wgpu's OpenGL backend.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::{BakeSettings, bake_import};
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_tests::picture::{self, Picture};
use anim_tests::{gpu, models};
use anim_wgpu::{
    BoneSource, Crowd, CrowdPipelines, CrowdSettings, DrawInfo, GpuError, Instance, InstanceHandle, Lighting,
    ModelSource, PathChoice, PathUsed, PlayOptions, ShadowMap, Target, View, instance_layout, pose_layout,
    skin_module, surface_layout,
};

/// Share of the pixels that may differ by more than 8 of 255 in a channel: edges that fall on another side of a sample.
const SHARE_MAX: f64 = 0.002;

const SIZE: (u32, u32) = (256, 192);

type Device = (wgpu::Device, wgpu::Queue);

fn webgl2() -> wgpu::Limits {
    wgpu::Limits::downlevel_webgl2_defaults()
}

/// Every backend of this machine that the direct path has to run on, with no more than WebGL2 has.
fn small_devices() -> Vec<(&'static str, Device)> {
    let mut devices = vec![("primary", gpu::device_with_limits(webgl2()))];
    devices.extend(gpu::gl_device(webgl2()).map(|device| ("OpenGL", device)));
    devices
}

/// Rows, whose fades are the same on both paths; local tracks are tried in `local_as_rows.rs`.
fn rows() -> BakeSettings {
    BakeSettings { encodings: vec![Encoding::Affine16], ..BakeSettings::default() }
}

fn sample(name: &str, settings: &BakeSettings) -> AnimFile<'static> {
    let path = models::workspace_root().join("samples").join(format!("{name}.glb"));
    bake_import(&models::import(&path), settings).expect("a sample").file
}

fn at(x: f32, z: f32, scale: f32, mirror: bool) -> [[f32; 4]; 3] {
    let across = if mirror { -scale } else { scale };
    [[across, 0.0, 0.0, x], [0.0, scale, 0.0, 0.0], [0.0, 0.0, scale, z]]
}

fn new_crowd((device, queue): &Device, files: &[AnimFile<'_>], settings: &CrowdSettings) -> Crowd {
    let sources: Vec<ModelSource<'_>> = files.iter().map(ModelSource::new).collect();
    Crowd::new(device, queue, &sources, settings).expect("samples")
}

/// A square of instances, `count` of them, that do everything which an instance can do; the clock is at 2 s. The first
/// file has an attachment point.
fn populate(crowd: &mut Crowd, files: &[AnimFile<'_>], count: u32) -> Vec<InstanceHandle> {
    crowd.update(0.2);
    let side = f64::from(count).sqrt().ceil().max(1.0) as u32;
    let add = |crowd: &mut Crowd, i: u32| {
        let model = i % files.len() as u32;
        let instance = Instance {
            model,
            world_from_model: at((i % side) as f32 * 1.4, (i / side) as f32 * 1.4, 1.0, i % 7 == 3),
            clip: i / 2 % files[model as usize].clips.len() as u32,
            phase: (i * 7 % 13) as f32 / 13.0,
            speed: if i % 11 == 4 { -0.7 } else { 1.0 },
            color: [1.0, 0.5 + (i % 3) as f32 * 0.25, 0.5 + (i % 5) as f32 * 0.125, 1.0],
            user_data: i,
            part_mask: if i % 3 == 1 { !(1 << (i % 4)) } else { u64::MAX },
            ..Instance::default()
        };
        crowd.add(&instance).expect("room")
    };
    let handles: Vec<InstanceHandle> = (0..count).map(|i| add(crowd, i)).collect();
    // Two fades that are half-way at 2 s.
    for (round, seconds) in [(0, 1.0), (1, 1.7)] {
        crowd.update(seconds);
        for (i, handle) in (0..count).zip(&handles).filter(|(i, _)| (i + round) % 3 > 0) {
            let clips = files[i as usize % files.len()].clips.len() as u32;
            let fade_seconds = 2.0 * (2.0 - seconds as f32);
            crowd
                .play_with(*handle, &PlayOptions::new((i + 1 + round) % clips, fade_seconds))
                .expect("a clip");
        }
    }
    for (i, handle) in (0..count).zip(&handles) {
        if i % 10 == 6 {
            crowd.set_hidden(*handle, true).expect("an instance");
        }
        if i % 8 == 5 {
            crowd.set_velocity(*handle, [0.9, 0.2, -1.1]).expect("not attached");
        }
    }
    // Bearers of bearers, one of them hidden, some of them mirrored.
    let point = crowd.attachment_index(0, "socket_hand_r").expect("the first file has it");
    let bearers: Vec<InstanceHandle> =
        handles.iter().copied().step_by(files.len()).filter(|h| h.index() % 4 == 0).collect();
    for (number, bearer) in bearers.iter().enumerate() {
        let mut parent = *bearer;
        for depth in 0..3u32 {
            let world_from_model = at(0.1, 0.0, 0.7, (number as u32 + depth).is_multiple_of(5));
            let model = if depth == 2 { files.len() as u32 - 1 } else { 0 };
            let child = crowd
                .add(&Instance { model, world_from_model, phase: 0.3, ..Instance::default() })
                .expect("room");
            crowd.attach(child, parent, point).expect("a short chain");
            crowd.set_color(child, [0.4, 1.0, 0.5 + depth as f32 * 0.2, 1.0]).expect("an instance");
            if number == 2 && depth == 1 {
                crowd.set_hidden(child, true).expect("an instance");
            }
            parent = child;
        }
    }
    crowd.update(2.0);
    handles
}

/// Into a corner of the square, so that instances lie on all sides of the view's edges.
fn camera(count: u32) -> View {
    let middle = (count as f32).sqrt() * 0.7;
    let eye = [middle - 1.0, 2.5, middle * 2.0 + 3.0];
    View::look_at(eye, [middle, 0.6, middle], 0.8, SIZE.0 as f32 / SIZE.1 as f32, 0.3, 60.0)
}

fn picture_of(device: &Device, files: &[AnimFile<'_>], settings: &CrowdSettings, count: u32) -> Picture {
    let mut crowd = new_crowd(device, files, settings);
    populate(&mut crowd, files, count);
    let (device, queue) = device;
    let pipelines = CrowdPipelines::new(device, &crowd, &picture::target()).expect("a target");
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(device, queue, &mut encoder, &[camera(count)]).expect("a small crowd");
    picture::draw(device, queue, encoder, SIZE, &[(&crowd, &pipelines)])
}

/// Pixels that are not the clear colour.
fn covered(picture: &Picture) -> usize {
    let clear: Vec<u8> = picture.pixels[..4].to_vec();
    picture.pixels.chunks(4).filter(|pixel| **pixel != clear).count()
}

fn assert_same(what: &str, expected: &Picture, found: &Picture) {
    let (over, mean) = picture::difference(expected, found, 8);
    assert!(over < SHARE_MAX, "{what}: {:.3} % of the pixels, mean {mean:.4}", over * 100.0);
}

/// Compares the paths with these files on every device.
fn check(what: &str, files: &[AnimFile<'_>], count: u32, least_covered: usize) {
    let settings = CrowdSettings::default();
    let expected = picture_of(&gpu::device(), files, &settings, count);
    assert!(covered(&expected) >= least_covered, "{what}: {} pixels", covered(&expected));
    for (backend, device) in small_devices() {
        let found = picture_of(&device, files, &settings, count);
        assert_same(&format!("{what} on {backend}"), &expected, &found);
    }
}

#[test]
fn auto_takes_palettes_where_it_can_and_says_what_it_took() {
    let files = [sample("bird", &rows())];
    let used = |device: &Device, path| {
        let settings = CrowdSettings { path, ..CrowdSettings::default() };
        Crowd::new(&device.0, &device.1, &[ModelSource::new(&files[0])], &settings).map(|crowd| crowd.path())
    };
    let large = gpu::device();
    assert_eq!(used(&large, PathChoice::Auto), Ok(PathUsed::Palette));
    assert_eq!(used(&large, PathChoice::Palette), Ok(PathUsed::Palette));
    assert_eq!(used(&large, PathChoice::Direct), Ok(PathUsed::Direct));
    let limit = "max_storage_buffers_per_shader_stage";
    for (_, small) in small_devices() {
        assert_eq!(used(&small, PathChoice::Auto), Ok(PathUsed::Direct));
        let error = used(&small, PathChoice::Palette).expect_err("no storage buffers");
        assert_eq!(error, GpuError::NoPalettePath { limit, needed: 8, allowed: 0 });
    }
}

#[test]
fn a_crowd_that_does_everything_looks_the_same() {
    // Pages of 128 texels a side: several of them, so that clips and fades cross pages.
    let settings = BakeSettings { max_texture_size: 128, ..rows() };
    let files = [sample("biped", &settings), sample("horse", &settings), sample("bird", &settings)];
    assert!(files[0].page_sets[0].pages.len() > 1);
    check("everything", &files, 81, 10_000);
    // On a device that has a choice.
    let device = gpu::device();
    let expected = picture_of(&device, &files, &CrowdSettings::default(), 81);
    let direct = CrowdSettings { path: PathChoice::Direct, bind_group: 2, ..CrowdSettings::default() };
    assert_same("by choice", &expected, &picture_of(&device, &files, &direct, 81));
}

#[test]
fn a_file_of_one_page_is_not_empty() {
    let files = [sample("biped", &rows())];
    assert_eq!(files[0].page_sets[0].pages.len(), 1);
    check("one page", &files, 9, 3_000);
}

#[test]
fn every_count_of_instances_looks_the_same() {
    let files = [sample("biped", &rows()), sample("bird", &rows())];
    for count in [0, 1, 31, 201] {
        check(&format!("{count} instances"), &files, count, if count == 0 { 0 } else { 500 });
    }
}

/// A crowd in the light of a sun with two cascades, after a depth prepass.
fn shadowed_picture(device: &Device, files: &[AnimFile<'_>]) -> Picture {
    let mut crowd = new_crowd(device, files, &CrowdSettings::default());
    populate(&mut crowd, files, 36);
    let (device, queue) = device;
    let to_sun = [0.5, 0.6, 0.7];
    crowd.set_lighting(&Lighting { to_sun, shadow_views: [1, 3], ..Lighting::default() });
    let map = ShadowMap::new(device, 512, 2);
    crowd.set_shadow_map(Some(&map));
    let middle = [4.2, 0.8, 4.2];
    let views = [camera(36), View::sun(to_sun, middle, 3.0), View::sun(to_sun, middle, 9.0)];
    let mut encoder = device.create_command_encoder(&Default::default());
    crowd.prepare(device, queue, &mut encoder, &views).expect("a small crowd");
    let shadows = CrowdPipelines::new(device, &crowd, &Target::shadow_map()).expect("a target");
    for (view, layer) in (1..).zip(map.layers()) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("cascade"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: layer,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        crowd.draw(&mut pass, &shadows, view);
    }
    let prepass =
        CrowdPipelines::new(device, &crowd, &Target { color: None, ..picture::target() }).expect("a target");
    let equal = wgpu::CompareFunction::Equal;
    let lit = Target { depth_compare: equal, depth_write: false, ..picture::target() };
    let lit = CrowdPipelines::new(device, &crowd, &lit).expect("a target");
    picture::draw_after_depth(
        device,
        queue,
        encoder,
        SIZE,
        |pass| crowd.draw(pass, &prepass, 0),
        |pass| crowd.draw(pass, &lit, 0),
    )
}

#[test]
fn shadows_fall_the_same_after_a_depth_prepass() {
    let files = [sample("biped", &rows()), sample("horse", &rows())];
    let expected = shadowed_picture(&gpu::device(), &files);
    let unlit = picture_of(&gpu::device(), &files, &CrowdSettings::default(), 36);
    assert!(picture::difference(&unlit, &expected, 8).0 > 0.05, "there are shadows");
    assert_eq!(covered(&unlit), covered(&expected), "the prepass takes nothing away");
    for (backend, device) in small_devices() {
        assert_same(backend, &expected, &shadowed_picture(&device, &files));
    }
}

/// A program's shader that needs all that an instance carries.
const OWN_SHADER: &str = "
struct Own {
    @builtin(position) clip_position: vec4<f32>,
    @location(0) color: vec3<f32>,
}

@vertex
fn own_vertex(input: VertexInput, @location(2) uv: vec2<f32>, @builtin(instance_index) number: u32) -> Own {
    let vertex = anim_skin(bind_vertex(input), number);
    let place = vertex.place;
    let wave = f32(anim_user_data(place) % 4u) * 0.2 + f32(anim_instance(place) % 3u) * 0.1;
    let up = anim_world_from_model(place).y.y;
    let color = (vertex.world_normal * 0.5 + 0.5) * anim_color(place).rgb * up + vec3<f32>(uv.x * 0.1, wave, 0.0);
    return Own(anim_clip_position(vertex.world_position), color);
}

@fragment
fn own_fragment(surface: Own) -> @location(0) vec4<f32> {
    return vec4<f32>(surface.color, 1.0);
}
";

fn own_pipeline(device: &wgpu::Device, crowd: &Crowd, draw: &DrawInfo) -> wgpu::RenderPipeline {
    let wide = crowd.has_wide_vertices(draw.model);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("own"),
        source: wgpu::ShaderSource::Wgsl((skin_module(draw.bones, wide, 0) + OWN_SHADER).into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("own"),
        bind_group_layouts: &[crowd.bind_group_layout(draw.model, draw.bones)],
        immediate_size: 0,
    });
    let target = picture::target();
    let instances = (draw.bones == BoneSource::Attributes).then(instance_layout);
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("own"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("own_vertex"),
            compilation_options: Default::default(),
            buffers: &[Some(pose_layout(wide)), Some(surface_layout()), instances],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: target.depth.map(|format| wgpu::DepthStencilState {
            format,
            depth_write_enabled: Some(true),
            depth_compare: Some(target.depth_compare),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: wgpu::MultisampleState { count: target.sample_count, ..Default::default() },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("own_fragment"),
            compilation_options: Default::default(),
            targets: &[target.color.map(wgpu::ColorTargetState::from)],
        }),
        multiview_mask: None,
        cache: None,
    })
}

#[test]
fn a_programs_own_shader_draws_the_same_on_both_paths() {
    let files = [sample("biped", &rows()), sample("bird", &rows())];
    let own_picture = |device: &Device| {
        let mut crowd = new_crowd(device, &files, &CrowdSettings::default());
        populate(&mut crowd, &files, 25);
        let (device, queue) = device;
        let mut encoder = device.create_command_encoder(&Default::default());
        crowd.prepare(device, queue, &mut encoder, &[camera(25)]).expect("a small crowd");
        picture::draw_with(device, queue, encoder, SIZE, |pass| {
            crowd.draw_with(pass, 0, |draw| Some(own_pipeline(device, &crowd, draw)));
        })
    };
    let expected = own_picture(&gpu::device());
    assert!(covered(&expected) > 3_000);
    for (backend, device) in small_devices() {
        assert_same(backend, &expected, &own_picture(&device));
    }
}

#[test]
fn what_is_visible_is_known_at_once_and_is_what_the_gpu_finds() {
    let files = [sample("biped", &rows()), sample("bird", &rows())];
    // A camera, and a sun that sees what is behind it.
    let views = [camera(49), View::sun([0.0, 1.0, 0.1], [0.0, 0.0, 0.0], 2.0)];
    let answers = |device: &Device, frames: u32| {
        let settings = CrowdSettings { tracks_visibility: true, ..CrowdSettings::default() };
        let mut crowd = new_crowd(device, &files, &settings);
        let handles = populate(&mut crowd, &files, 49);
        let (device, queue) = device;
        assert_eq!(crowd.visible_counts(0), None);
        for _ in 0..frames {
            let mut encoder = device.create_command_encoder(&Default::default());
            crowd.prepare(device, queue, &mut encoder, &views).expect("a small crowd");
            queue.submit([encoder.finish()]);
            device.poll(wgpu::PollType::wait_indefinitely()).expect("a device that answers");
        }
        let seen: Vec<_> =
            handles.iter().map(|handle| crowd.is_visible(*handle).expect("an instance")).collect();
        (seen, [0, 1, 2].map(|model| crowd.visible_counts(model)))
    };
    let expected = answers(&gpu::device(), 4);
    let seen = expected.0.iter().filter(|seen| **seen == Some(true)).count();
    assert!(seen > 5 && seen < 45, "{seen}");
    assert!(expected.1[1].is_some() && expected.1[2].is_none());
    for (backend, device) in small_devices() {
        assert_eq!(answers(&device, 1), expected, "{backend}");
    }
}

#[test]
fn the_direct_path_has_no_transforms_or_palettes_on_the_gpu_and_holds_little_memory() {
    let files = [sample("biped", &rows())];
    for (_, device) in small_devices() {
        let mut crowd = new_crowd(&device, &files, &CrowdSettings::default());
        populate(&mut crowd, &files, 100);
        crowd.reserve(&device.0, &device.1, 300).expect("room");
        assert!(crowd.transform_buffer().is_none());
        assert_eq!(crowd.palette_buffers(0).count(), 0);
        let mut uploaded = Vec::new();
        let mut memory = Vec::new();
        for _ in 0..3 {
            let mut encoder = device.0.create_command_encoder(&Default::default());
            crowd.prepare(&device.0, &device.1, &mut encoder, &[camera(100)]).expect("a small crowd");
            device.1.submit([encoder.finish()]);
            uploaded.push(crowd.uploaded_bytes());
            memory.push(crowd.memory_bytes());
        }
        // The blocks of the draws go up once; the instances that are seen in every frame, in one list or two.
        let seen = u64::from(crowd.visible_counts(0).expect("a frame").visible);
        assert!(uploaded[0] > uploaded[1] && uploaded[1] == uploaded[2], "{uploaded:?}");
        assert!((seen * 128..seen * 3 * 128 + 4096).contains(&uploaded[1]), "{uploaded:?} for {seen}");
        assert!(memory[0] == memory[2] && memory[0] < 200_000, "{memory:?}");
    }
}
