//! The one kind of render pipeline that all cases are drawn with: only their vertex shaders differ.

use crate::gpu::target::{COLOR, DEPTH};

/// What differs between cases.
#[derive(Debug)]
pub(crate) struct PipelineShape<'p> {
    /// WGSL with `bench_fragment`.
    pub(crate) source: String,
    pub(crate) vertex_entry: &'p str,
    /// Bind group 0.
    pub(crate) layout: Option<&'p wgpu::BindGroupLayout>,
    pub(crate) buffers: &'p [Option<wgpu::VertexBufferLayout<'p>>],
}

/// Compiles a pipeline.
pub(crate) fn bench_pipeline(device: &wgpu::Device, shape: &PipelineShape<'_>) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("bench draw"),
        source: wgpu::ShaderSource::Wgsl(shape.source.as_str().into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("bench draw"),
        bind_group_layouts: &[shape.layout],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("bench draw"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some(shape.vertex_entry),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: shape.buffers,
        },
        primitive: wgpu::PrimitiveState {
            cull_mode: Some(wgpu::Face::Back),
            ..wgpu::PrimitiveState::default()
        },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Less),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("bench_fragment"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(COLOR.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
