//! What is around characters: a sky, grid lines, and a ground that shadows fall on.

use anim_wgpu::ShadowMap;
use bytemuck::{Pod, Zeroable};

use super::SAMPLES;
use crate::gpu::Gpu;
use crate::gpu::target::{COLOR, DEPTH};

/// Cascades of the sun.
pub(crate) const CASCADES: u32 = 3;

const POSITION: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Float32x3];

/// `Decor` of `decor.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct DecorUniform {
    pub(crate) clip_from_world: [[f32; 4]; 4],
    pub(crate) top: [f32; 4],
    pub(crate) bottom: [f32; 4],
    pub(crate) color: [f32; 4],
    pub(crate) to_sun_and_bias: [f32; 4],
    pub(crate) sun_color_and_horizon: [f32; 4],
    pub(crate) ambient_color: [f32; 4],
    pub(crate) eye_and_haze: [f32; 4],
    pub(crate) clip_from_world_of_sun: [[[f32; 4]; 4]; CASCADES as usize],
}

/// Pipelines and buffers for one picture at a time.
#[derive(Debug)]
pub(crate) struct Decor {
    backdrop: wgpu::RenderPipeline,
    lines: wgpu::RenderPipeline,
    ground: wgpu::RenderPipeline,
    uniform: wgpu::Buffer,
    group: wgpu::BindGroup,
    vertices: wgpu::Buffer,
    vertex_count: u32,
}

/// Positions that the vertex buffer holds.
const VERTICES_MAX: usize = 256;

impl Decor {
    /// Compiles everything. `shadow` is what falls on the ground.
    pub(crate) fn new(gpu: &Gpu, shadow: &ShadowMap) -> Self {
        let device = &gpu.device;
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("decor"),
            entries: &[
                layout_entry(
                    0,
                    wgpu::BindingType::Buffer {
                        ty: wgpu::BufferBindingType::Uniform,
                        has_dynamic_offset: false,
                        min_binding_size: None,
                    },
                ),
                layout_entry(
                    1,
                    wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Depth,
                        view_dimension: wgpu::TextureViewDimension::D2Array,
                        multisampled: false,
                    },
                ),
                layout_entry(2, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)),
            ],
        });
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("decor"),
                size,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let uniform = buffer(size_of::<DecorUniform>() as u64, wgpu::BufferUsages::UNIFORM);
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("decor"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..wgpu::SamplerDescriptor::default()
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("decor"),
            layout: &layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: uniform.as_entire_binding() },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: wgpu::BindingResource::TextureView(shadow.array()),
                },
                wgpu::BindGroupEntry { binding: 2, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        });
        Self {
            backdrop: pipeline(device, &layout, Kind::Backdrop),
            lines: pipeline(device, &layout, Kind::Lines),
            ground: pipeline(device, &layout, Kind::Ground),
            uniform,
            group,
            vertices: buffer((VERTICES_MAX * 12) as u64, wgpu::BufferUsages::VERTEX),
            vertex_count: 0,
        }
    }

    /// Sets colours, views and the corners of lines or triangles, of which there is room for 256.
    #[expect(clippy::cast_possible_truncation, reason = "at most 256")]
    pub(crate) fn set(&mut self, gpu: &Gpu, uniform: &DecorUniform, positions: &[[f32; 3]]) {
        let positions = &positions[..positions.len().min(VERTICES_MAX)];
        gpu.queue.write_buffer(&self.uniform, 0, bytemuck::bytes_of(uniform));
        gpu.queue.write_buffer(&self.vertices, 0, bytemuck::cast_slice(positions));
        self.vertex_count = positions.len() as u32;
    }

    /// Draws the sky. Before everything else.
    pub(crate) fn draw_backdrop(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.backdrop);
        pass.set_bind_group(0, &self.group, &[]);
        pass.draw(0..3, 0..1);
    }

    /// Draws the positions as lines. After everything else.
    pub(crate) fn draw_lines(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_positions(pass, &self.lines);
    }

    /// Draws the positions as triangles of the ground.
    pub(crate) fn draw_ground(&self, pass: &mut wgpu::RenderPass<'_>) {
        self.draw_positions(pass, &self.ground);
    }

    fn draw_positions(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.set_vertex_buffer(0, self.vertices.slice(..));
        pass.draw(0..self.vertex_count, 0..1);
    }
}

/// Which pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Backdrop,
    Lines,
    Ground,
}

const fn layout_entry(binding: u32, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::VERTEX_FRAGMENT, ty, count: None }
}

fn pipeline(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, kind: Kind) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("decor"),
        source: wgpu::ShaderSource::Wgsl(include_str!("../shaders/decor.wgsl").into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("decor"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    let (vertex, fragment) = match kind {
        Kind::Backdrop => ("backdrop_vertex", "backdrop_fragment"),
        Kind::Lines => ("line_vertex", "line_fragment"),
        Kind::Ground => ("ground_vertex", "ground_fragment"),
    };
    let positions = [Some(wgpu::VertexBufferLayout {
        array_stride: 12,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &POSITION,
    })];
    let options = wgpu::PipelineCompilationOptions::default();
    let blend = (kind == Kind::Lines).then_some(wgpu::BlendState::ALPHA_BLENDING);
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("decor"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some(vertex),
            compilation_options: options.clone(),
            buffers: if kind == Kind::Backdrop { &[] } else { &positions },
        },
        primitive: wgpu::PrimitiveState {
            topology: match kind {
                Kind::Lines => wgpu::PrimitiveTopology::LineList,
                _ => wgpu::PrimitiveTopology::TriangleList,
            },
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(kind == Kind::Ground),
            depth_compare: Some(match kind {
                Kind::Backdrop => wgpu::CompareFunction::Always,
                _ => wgpu::CompareFunction::Less,
            }),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: SAMPLES, ..wgpu::MultisampleState::default() },
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some(fragment),
            compilation_options: options,
            targets: &[Some(wgpu::ColorTargetState {
                format: COLOR,
                blend,
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
