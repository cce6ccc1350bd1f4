//! The direct path's rows against the CPU player, with no more than WebGL2 has: on Vulkan held to its limits, and on
//! wgpu's OpenGL backend, which takes some texture shapes for others and then reads zeros without an error.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_bake::gltf::Import;
use anim_bake::{BakeSettings, bake_import};
use anim_core::layers::{GpuLayer, LAYERS_MAX};
use anim_format::AnimFile;
use anim_format::model::Encoding;
use anim_format::playback::palette_of_layers;
use anim_tests::random_layers::{NOW, Random, random_stack};
use anim_tests::{gpu, models};
use anim_wgpu::{DirectInstance, FilePages, GpuError, PageStorage, direct_rows_shader};

/// Pixels of an instance beside those of its rows: what else is in its attributes.
const OTHER_PIXELS: u32 = 5;

/// Draws one point a (instance, row), whose colour is the row, and one a (instance, other attribute).
const POINTS: &str = "
struct Instance {
    @builtin(vertex_index) vertex: u32,
    @builtin(instance_index) number: u32,
    @location(0) world_x: vec4<f32>,
    @location(1) world_y: vec4<f32>,
    @location(2) world_z: vec4<f32>,
    @location(3) layer_0: vec4<u32>,
    @location(4) layer_1: vec4<u32>,
    @location(5) layer_2: vec4<u32>,
    @location(6) color: vec4<f32>,
    @location(7) user_data: vec4<u32>,
}

struct Point {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat, either) value: vec4<f32>,
}

fn value_of(instance: Instance) -> vec4<f32> {
    let layers = array<vec4<u32>, 3>(instance.layer_0, instance.layer_1, instance.layer_2);
    let rows = direct_bone_rows(layers, min(instance.vertex / 3u, BONES - 1u));
    switch instance.vertex {
        case BONES * 3u: { return instance.world_x; }
        case BONES * 3u + 1u: { return instance.world_y; }
        case BONES * 3u + 2u: { return instance.world_z; }
        case BONES * 3u + 3u: { return instance.color; }
        case BONES * 3u + 4u: { return vec4<f32>(instance.user_data); }
        default: {}
    }
    switch instance.vertex % 3u {
        case 0u: { return rows.x; }
        case 1u: { return rows.y; }
        default: { return rows.z; }
    }
}

@vertex
fn vertex_main(instance: Instance) -> Point {
    let pixel = instance.number * (BONES * 3u + 5u) + instance.vertex;
    let place = (vec2<f32>(f32(pixel % SIDE), f32(pixel / SIDE)) + 0.5) / f32(SIDE);
    return Point(vec4<f32>(place.x * 2.0 - 1.0, 1.0 - place.y * 2.0, 0.0, 1.0), value_of(instance));
}

// As bits: WebGL2 need not draw to 32-bit floats.
@fragment
fn fragment_main(point: Point) -> @location(0) vec4<u32> {
    return bitcast<vec4<u32>>(point.value);
}
";

type Device = (wgpu::Device, wgpu::Queue);

/// What WebGL2 allows, with texture sides of at most so many texels.
fn limits(side: u32) -> wgpu::Limits {
    wgpu::Limits { max_texture_dimension_2d: side, ..wgpu::Limits::downlevel_webgl2_defaults() }
}

/// Every backend of this machine that the direct path has to run on.
fn devices(side: u32) -> Vec<(&'static str, Device)> {
    let mut devices = vec![("primary", gpu::device_with_limits(limits(side)))];
    devices.extend(gpu::gl_device(limits(side)).map(|device| ("OpenGL", device)));
    devices
}

fn shader(bones: u32, side: u32) -> String {
    format!("const BONES = {bones}u;\nconst SIDE = {side}u;\n{}\n{POINTS}", direct_rows_shader())
}

fn pipeline(device: &wgpu::Device, bones: u32, side: u32) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("direct rows"),
        source: wgpu::ShaderSource::Wgsl(shader(bones, side).into()),
    });
    let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("direct rows"),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 12,
            visibility: wgpu::ShaderStages::VERTEX,
            ty: wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2Array,
                multisampled: false,
            },
            count: None,
        }],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("direct rows"),
        bind_group_layouts: &[Some(&group)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("direct rows"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vertex_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: size_of::<DirectInstance>() as u64,
                step_mode: wgpu::VertexStepMode::Instance,
                attributes: &DirectInstance::attributes(0),
            })],
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::PointList,
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fragment_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::TextureFormat::Rgba32Uint.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// Draws the instances and reads the pixels back, in order.
fn drawn(
    (device, queue): &Device,
    pages: &FilePages,
    instances: &[DirectInstance],
    side: u32,
) -> Vec<[f32; 4]> {
    let pipeline = pipeline(device, pages.bones(), side);
    let target = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("rows"),
        size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba32Uint,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    let bytes: &[u8] = bytemuck::cast_slice(instances);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("instances"),
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("pages"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 12, resource: pages.pages_binding() }],
    });
    let view = target.create_view(&wgpu::TextureViewDescriptor::default());
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("direct rows"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, buffer.slice(..));
        // In two draws, of which the second does not start at instance 0.
        let (half, all) = (instances.len() as u32 / 2, instances.len() as u32);
        let vertices = 0..pages.bones() * 3 + OTHER_PIXELS;
        pass.draw(vertices.clone(), 0..half);
        pass.draw(vertices, half..all);
    }
    queue.submit([encoder.finish()]);
    gpu::read_back_texture(device, queue, &target)
}

/// Random instances, as many as a target of this side has pixels for, against the CPU player: the largest difference,
/// in units of the largest number of a palette.
fn largest_difference(device: &Device, file: &AnimFile<'_>, side: u32, seed: u64) -> f32 {
    let pages = FilePages::upload(&device.0, &device.1, file, 0).expect("a file that fits");
    assert_eq!(pages.storage(), PageStorage::Texture, "there is nothing else");
    assert!(pages.clips_buffer().is_none() && pages.held_frames_buffer().is_none());
    let pixels = pages.bones() * 3 + OTHER_PIXELS;
    let count = (side * side / pixels).min(60);
    assert!(count >= 20);
    let mut random = Random(seed);
    let stacks: Vec<[GpuLayer; LAYERS_MAX]> = (0..count).map(|_| random_stack(file, &mut random)).collect();
    let instance = |layers: &[GpuLayer; LAYERS_MAX]| {
        let number = random.below(1 << 20);
        let vector = |first: u32| std::array::from_fn(|i| (first + i as u32) as f32);
        DirectInstance {
            world_from_model: std::array::from_fn(|row| vector(number + 4 * row as u32)),
            layers: pages.direct_layers(layers, NOW),
            color: vector(number + 12),
            user_data: std::array::from_fn(|i| number + 16 + i as u32),
        }
    };
    let instances: Vec<DirectInstance> = stacks.iter().map(instance).collect();
    let found = drawn(device, &pages, &instances, side);
    let mut expected = vec![[[0.0; 4]; 3]; file.bones.len()];
    let (mut largest, mut scale) = (0.0f32, 0.0f32);
    let each = stacks.iter().zip(&instances).zip(found.chunks(pixels as usize));
    for ((layers, instance), found) in each {
        palette_of_layers(file, layers, NOW, &mut expected);
        let rows = expected.as_flattened();
        for (found, expected) in found.as_flattened().iter().zip(rows.as_flattened()) {
            largest = largest.max((found - expected).abs());
            scale = scale.max(expected.abs());
        }
        let others = &found[rows.len()..];
        assert_eq!(others[..3], instance.world_from_model);
        assert_eq!(others[3], instance.color);
        assert_eq!(others[4], instance.user_data.map(|number| number as f32));
    }
    largest / scale
}

/// A bake at the first of these rates at which every clip fits a page.
fn baked(model: &Import, encoding: Encoding, max_texture_size: u32, rates_hz: &[f64]) -> AnimFile<'static> {
    let bake_at = |rate_hz: &f64| {
        let rate_hz = Some(*rate_hz);
        let settings = BakeSettings {
            encodings: vec![encoding],
            rate_hz,
            max_texture_size,
            mesh: false,
            ..Default::default()
        };
        bake_import(model, &settings).ok().map(|baked| baked.file)
    };
    rates_hz.iter().find_map(bake_at).expect("a rate at which the clips fit a page")
}

/// Several pages of 64 texels a side.
fn baked_in_small_pages(model: &Import, encoding: Encoding) -> AnimFile<'static> {
    let file = baked(model, encoding, 64, &[60.0, 45.0, 30.0, 14.0]);
    assert!(file.page_sets[0].pages.len() >= 2);
    file
}

/// Checks files of every sample and encoding, made by `file_of`, on every backend with textures of this side.
fn check(side: u32, file_of: impl Fn(&Import, Encoding) -> AnimFile<'static>) {
    let mut files = Vec::new();
    for model in models::samples() {
        let import = models::import(&model);
        for encoding in [Encoding::Affine16, Encoding::Affine32] {
            files.push((format!("{} {encoding:?}", model.display()), file_of(&import, encoding)));
        }
    }
    assert!(files.len() >= 6);
    for (backend, device) in devices(side) {
        for (seed, (name, file)) in (1..).zip(&files) {
            let difference = largest_difference(&device, file, side, seed);
            assert!(difference < 1e-6, "{name} on {backend}: {difference}");
        }
    }
}

#[test]
fn many_pages_that_fit_as_they_are_give_the_rows_of_the_cpu_player() {
    check(512, baked_in_small_pages);
}

#[test]
fn a_single_page_is_no_single_layer() {
    check(512, |import, encoding| {
        let file = baked(import, encoding, 512, &[30.0]);
        assert_eq!(file.page_sets[0].pages.len(), 1);
        file
    });
}

#[test]
fn pages_larger_than_the_device_allows_are_laid_out_anew() {
    // 80 is no power of two: rows of 64 texels, layers of up to 80 rows.
    for side in [64, 80] {
        check(side, |import, encoding| {
            let file = baked(import, encoding, 4096, &[120.0]);
            let set = &file.page_sets[0];
            assert!(set.width > side, "{}", set.width);
            file
        });
    }
}

/// Makes pages square and their number a multiple of six.
fn six_square_pages(mut file: AnimFile<'static>) -> AnimFile<'static> {
    let set = &mut file.page_sets[0];
    set.height = set.width;
    let bytes = (set.width * set.height * set.texel_format.bytes()) as usize;
    for page in &mut set.pages {
        page.to_mut().resize(bytes, 0);
    }
    while !set.pages.len().is_multiple_of(6) {
        set.pages.push(vec![0; bytes].into());
    }
    file
}

#[test]
fn six_square_pages_are_no_cube_map() {
    // With higher layers, and where a layer has to be added because pages are as high as the device allows.
    for side in [512, 64] {
        check(side, |import, encoding| {
            let file = six_square_pages(baked_in_small_pages(import, encoding));
            let set = &file.page_sets[0];
            assert!(set.width == 64 && set.height == 64 && set.pages.len().is_multiple_of(6));
            file
        });
    }
}

#[test]
fn a_set_that_no_texture_of_the_device_holds_is_an_error_that_says_so() {
    let file = baked(&models::import(&models::samples()[0]), Encoding::Affine16, 4096, &[30.0]);
    let set = &file.page_sets[0];
    let small = wgpu::Limits { max_texture_array_layers: 2, ..limits(16) };
    let (device, queue) = gpu::device_with_limits(small);
    let error = FilePages::upload(&device, &queue, &file, 0).expect_err("a small device");
    let texels = set.page_texels();
    assert!(texels > 2 * 16 * 16);
    let expected = GpuError::PageSetTooLarge {
        needed_bytes: texels * 8,
        limit_bytes: 0,
        texels,
        limit_layers: 2,
        limit_side: 16,
    };
    assert_eq!(error, expected);
}

/// wgpu's OpenGL backend runs desktop OpenGL where there is one; browsers have the older GLSL ES 3.00.
#[test]
fn the_rows_can_be_written_in_the_shading_language_of_webgl2() {
    let source = shader(23, 512);
    let module =
        naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let flags = naga::valid::ValidationFlags::all();
    let info = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty()).validate(&module);
    let options = naga::back::glsl::Options {
        version: naga::back::glsl::Version::Embedded { version: 300, is_webgl: true },
        ..naga::back::glsl::Options::default()
    };
    let entry = naga::back::glsl::PipelineOptions {
        shader_stage: naga::ShaderStage::Vertex,
        entry_point: "vertex_main".into(),
        multiview: None,
    };
    let mut glsl = String::new();
    let (info, policies) = (info.expect("a valid shader"), naga::proc::BoundsCheckPolicies::default());
    let mut writer = naga::back::glsl::Writer::new(&mut glsl, &module, &info, &options, &entry, policies)
        .expect("nothing that WebGL2 lacks");
    writer.write().expect("nothing that WebGL2 lacks");
    assert!(glsl.starts_with("#version 300 es") && glsl.contains("texelFetch"), "{glsl}");
}
