//! What the draw path computes on the GPU, read back: a crowd's own draws, with a vertex shader that puts a point on a
//! pixel of its own for each vertex or list entry.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anim_format::model::Rows;
use anim_wgpu::{BoneSource, Crowd, DrawInfo, pose_layout, skin_module, surface_layout};

use crate::gpu::read_back_texture;

/// Pixels of a row.
const WIDTH: u32 = 1024;
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Float;

const STAGES: &str = "
struct ProbeVarying {
    @builtin(position) position: vec4<f32>,
    @location(0) @interpolate(flat) a: vec4<f32>,
    @location(1) @interpolate(flat) b: vec4<f32>,
}

struct Probed {
    // Pixel that the values go to; pixels that do not exist are left out.
    pixel: u32,
    a: vec4<f32>,
    b: vec4<f32>,
}

@vertex
fn probe_vertex(
    input: VertexInput,
    @builtin(vertex_index) vertex_index: u32,
    @builtin(instance_index) instance_index: u32,
) -> ProbeVarying {
    let found = probe(bind_vertex(input), vertex_index, instance_index);
    if found.pixel >= PROBE_PIXELS {
        return ProbeVarying(vec4<f32>(9.0, 9.0, 0.5, 1.0), found.a, found.b);
    }
    let x = (f32(found.pixel % PROBE_WIDTH) + 0.5) / f32(PROBE_WIDTH) * 2.0 - 1.0;
    let y = 1.0 - (f32(found.pixel / PROBE_WIDTH) + 0.5) / f32(PROBE_HEIGHT) * 2.0;
    return ProbeVarying(vec4<f32>(x, y, 0.5, 1.0), found.a, found.b);
}

struct ProbeOutput {
    @location(0) a: vec4<f32>,
    @location(1) b: vec4<f32>,
}

@fragment
fn probe_fragment(found: ProbeVarying) -> ProbeOutput {
    return ProbeOutput(found.a, found.b);
}
";

/// One draw of a crowd and what its list holds, in order.
#[derive(Clone, Debug)]
pub struct List {
    /// View that it is drawn in.
    pub view: u32,
    /// The draw.
    pub info: DrawInfo,
    /// Numbers of the instances.
    pub instances: Vec<u32>,
    /// Their places among all visible instances.
    pub places: Vec<u32>,
}

/// Pipelines that probes of one crowd have compiled: by model, pages or palettes, pixels and shader.
pub type Pipelines = RefCell<BTreeMap<(u32, bool, u32, String), wgpu::RenderPipeline>>;

/// What a probe needs besides the crowd.
#[derive(Clone, Copy, Debug)]
pub struct Probe<'p> {
    /// The device.
    pub device: &'p wgpu::Device,
    /// Its queue.
    pub queue: &'p wgpu::Queue,
    /// Number of the crowd's bind group.
    pub group: u32,
    /// A storage buffer that the shader reads in group 1, binding 0.
    pub extra: Option<&'p wgpu::Buffer>,
    /// Where pipelines are kept for the next probe of the same crowd.
    pub pipelines: &'p Pipelines,
}

impl<'p> Probe<'p> {
    /// A probe of a crowd with bind group 0.
    #[must_use]
    pub fn new(device: &'p wgpu::Device, queue: &'p wgpu::Queue, pipelines: &'p Pipelines) -> Self {
        Self { device, queue, group: 0, extra: None, pipelines }
    }

    /// The lists of all draws of the views `0..views`, as the draws see them. `longest` is the most entries that a list can
    /// have, `draws` the most draws.
    ///
    /// # Panics
    ///
    /// If a list has a hole, or there are more draws.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole numbers below 2^24")]
    pub fn lists(&self, crowd: &Crowd, views: u32, longest: u32, draws: u32) -> Vec<List> {
        let body = format!(
            "fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {{
                let place = anim_place(instance_index);
                let pixel = anim_draw.number * {longest}u + instance_index;
                let a = vec4<f32>(f32(anim_instance(place)), f32(place), f32(anim_draw.view), 1.0);
                return Probed(select(pixel, 0xffffffffu, instance_index >= {longest}u), a, vertex.position.xyzz);
            }}"
        );
        let seen = RefCell::new(Vec::new());
        let [pixels, _] = self.points(crowd, views, longest * draws, &body, |view, info| {
            seen.borrow_mut().push((view, *info));
            true
        });
        let seen = seen.into_inner();
        assert!(seen.len() <= draws as usize, "{} draws", seen.len());
        let list = |(number, (view, info)): (usize, (u32, DrawInfo))| {
            let entries = &pixels[number * longest as usize..(number + 1) * longest as usize];
            let length = entries.iter().position(|entry| entry[3] == 0.0).unwrap_or(entries.len());
            assert!(entries[length..].iter().all(|entry| entry[3] == 0.0), "a list with a hole: {info:?}");
            let entries = &entries[..length];
            assert!(entries.iter().all(|entry| entry[2] as u32 == view), "another view's number");
            let places = entries.iter().map(|entry| entry[1] as u32).collect();
            List { view, info, instances: entries.iter().map(|entry| entry[0] as u32).collect(), places }
        };
        seen.into_iter().enumerate().map(list).collect()
    }

    /// Where the visible instances with numbers below `instances` are, as draws see it: `world_from_model`.
    #[must_use]
    pub fn world_rows(&self, crowd: &Crowd, views: u32, instances: u32) -> Vec<Option<Rows>> {
        // Every model has triangles whose vertices are numbers of all three rows.
        let body = "fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {
            let place = anim_place(instance_index);
            let rows = anim_world_from_model(place);
            var found = rows.x;
            if vertex_index % 3u == 1u {
                found = rows.y;
            }
            if vertex_index % 3u == 2u {
                found = rows.z;
            }
            let pixel = anim_instance(place) * 3u + vertex_index % 3u;
            return Probed(pixel, found, vec4<f32>(1.0, vertex.position));
        }";
        let [rows, drawn] = self.points(crowd, views, instances * 3, body, |_, _| true);
        let chunks = rows.chunks(3).zip(drawn.chunks(3));
        chunks
            .map(|(rows, drawn)| drawn.iter().all(|d| d[0] == 1.0).then(|| [rows[0], rows[1], rows[2]]))
            .collect()
    }

    /// Draws the points of the views `0..views` into `pixels` pixels, and gives both targets. `body` defines
    /// `fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed`; `choose` says which draws
    /// take part.
    ///
    /// # Panics
    ///
    /// If the texture would be larger than the device allows.
    #[must_use]
    pub fn points(
        &self,
        crowd: &Crowd,
        views: u32,
        pixels: u32,
        body: &str,
        choose: impl Fn(u32, &DrawInfo) -> bool,
    ) -> [Vec<[f32; 4]>; 2] {
        let height = pixels.div_ceil(WIDTH).max(1);
        let targets: [wgpu::Texture; 2] = std::array::from_fn(|_| self.texture(height));
        let target_views = targets.each_ref().map(|target| target.create_view(&Default::default()));
        let extra = self.extra.map(|buffer| self.extra_group(buffer));
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let attachment = |view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                    store: wgpu::StoreOp::Store,
                },
            })
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("probe"),
            color_attachments: &[attachment(&target_views[0]), attachment(&target_views[1])],
            ..Default::default()
        });
        if let Some((_, group)) = &extra {
            pass.set_bind_group(1 - self.group, group, &[]);
        }
        for view in 0..views {
            crowd.draw_with(&mut pass, view, |info| {
                choose(view, info).then(|| {
                    let from_pages = matches!(info.bones, BoneSource::Pages(_));
                    let variant = (info.model, from_pages, pixels, body.to_owned());
                    let mut pipelines = self.pipelines.borrow_mut();
                    let layout = extra.as_ref().map(|(layout, _)| layout);
                    let compile = || self.pipeline(crowd, info, pixels, height, body, layout);
                    pipelines.entry(variant).or_insert_with(compile).clone()
                })
            });
        }
        drop(pass);
        self.queue.submit([encoder.finish()]);
        targets.map(|target| {
            let mut found: Vec<[f32; 4]> = read_back_texture(self.device, self.queue, &target);
            found.truncate(pixels as usize);
            found
        })
    }

    fn texture(&self, height: u32) -> wgpu::Texture {
        self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("probe"),
            size: wgpu::Extent3d { width: WIDTH, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        })
    }

    fn extra_group(&self, buffer: &wgpu::Buffer) -> (wgpu::BindGroupLayout, wgpu::BindGroup) {
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("probe"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: true },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("probe"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        (layout, group)
    }

    fn pipeline(
        &self,
        crowd: &Crowd,
        info: &DrawInfo,
        pixels: u32,
        height: u32,
        body: &str,
        extra: Option<&wgpu::BindGroupLayout>,
    ) -> wgpu::RenderPipeline {
        let wide = crowd.has_wide_vertices(info.model);
        let sizes = format!(
            "const PROBE_WIDTH: u32 = {WIDTH}u;\nconst PROBE_HEIGHT: u32 = {height}u;\n\
             const PROBE_PIXELS: u32 = {pixels}u;"
        );
        let source = [&*skin_module(info.bones, wide, self.group), &sizes, STAGES, body].join("\n");
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("probe"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let mut groups = vec![extra; 2];
        groups[self.group as usize] = crowd.bind_group_layout(info.model, info.bones);
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("probe"),
            bind_group_layouts: &groups,
            immediate_size: 0,
        });
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("probe"),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &module,
                entry_point: Some("probe_vertex"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[Some(pose_layout(wide)), Some(surface_layout())],
            },
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::PointList,
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: None,
            multisample: wgpu::MultisampleState::default(),
            fragment: Some(wgpu::FragmentState {
                module: &module,
                entry_point: Some("probe_fragment"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(FORMAT.into()), Some(FORMAT.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}
