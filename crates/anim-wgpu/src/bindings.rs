//! The binding numbers that all shaders share, and short ways to describe and fill them.

use wgpu::{BindGroupEntry, BindGroupLayoutEntry, BindingType, BufferBindingType, ShaderStages};

use crate::upload::PageStorage;

pub(crate) const FRAME: u32 = 0;
pub(crate) const DRAW: u32 = 1;
pub(crate) const PLAN: u32 = 2;
pub(crate) const ROUND: u32 = 3;
pub(crate) const LISTS: u32 = 4;
pub(crate) const PALETTE: u32 = 5;
pub(crate) const WORLD: u32 = 6;
pub(crate) const TRAITS: u32 = 7;
pub(crate) const IMAGE: u32 = 8;
pub(crate) const IMAGE_SAMPLER: u32 = 9;
pub(crate) const PLAYBACK: u32 = 10;
pub(crate) const CLIPS: u32 = 11;
pub(crate) const PAGES: u32 = 12;
pub(crate) const HELD: u32 = 13;
pub(crate) const SHADOW_MAP: u32 = 14;
pub(crate) const SHADOW_SAMPLER: u32 = 15;
pub(crate) const TRANSFORMS: u32 = 16;
pub(crate) const MOTIONS: u32 = 17;
pub(crate) const CULLS: u32 = 18;
pub(crate) const DECISIONS: u32 = 19;
pub(crate) const COUNTS: u32 = 20;
pub(crate) const ARGUMENTS: u32 = 21;
pub(crate) const DRAW_PLANS: u32 = 22;
pub(crate) const PALETTE_PLANS: u32 = 23;
pub(crate) const BINS: u32 = 24;
pub(crate) const RECORDS: u32 = 25;
pub(crate) const ARGUMENTS_PLAN: u32 = 26;
pub(crate) const MOMENTS: u32 = 27;

/// A storage buffer that shaders only read.
pub(crate) fn read(binding: u32, visibility: ShaderStages) -> BindGroupLayoutEntry {
    buffer(binding, visibility, BufferBindingType::Storage { read_only: true }, false)
}

/// A storage buffer that a compute shader writes.
pub(crate) fn write(binding: u32) -> BindGroupLayoutEntry {
    buffer(binding, ShaderStages::COMPUTE, BufferBindingType::Storage { read_only: false }, false)
}

/// A uniform buffer.
pub(crate) fn uniform(binding: u32, visibility: ShaderStages) -> BindGroupLayoutEntry {
    buffer(binding, visibility, BufferBindingType::Uniform, false)
}

/// A uniform buffer of blocks, of which an offset chooses one.
pub(crate) fn uniform_at(binding: u32, visibility: ShaderStages) -> BindGroupLayoutEntry {
    buffer(binding, visibility, BufferBindingType::Uniform, true)
}

/// The pages of a set in their storage.
pub(crate) fn pages(storage: PageStorage, visibility: ShaderStages) -> BindGroupLayoutEntry {
    match storage {
        PageStorage::Texture => BindGroupLayoutEntry {
            binding: PAGES,
            visibility,
            // Data is never filtered, and filtering 32-bit floats is an optional feature.
            ty: BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: false },
                view_dimension: wgpu::TextureViewDimension::D2Array,
                multisampled: false,
            },
            count: None,
        },
        _ => read(PAGES, visibility),
    }
}

/// One entry of a bind group.
pub(crate) const fn entry(binding: u32, resource: wgpu::BindingResource<'_>) -> BindGroupEntry<'_> {
    BindGroupEntry { binding, resource }
}

/// One block of a uniform buffer with dynamic offsets.
pub(crate) fn block(buffer: &wgpu::Buffer, bytes: u64) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: 0,
        size: std::num::NonZeroU64::new(bytes),
    })
}

/// A layout of these entries.
pub(crate) fn layout(
    device: &wgpu::Device,
    label: &str,
    entries: &[BindGroupLayoutEntry],
) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
}

/// A compute pipeline with one bind group.
pub(crate) fn compute_pipeline(
    device: &wgpu::Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    module: &wgpu::ShaderModule,
    entry_point: &str,
) -> wgpu::ComputePipeline {
    compute_pipeline_with(device, label, layout, module, entry_point, &[])
}

/// The same, with values for the module's overridable constants.
pub(crate) fn compute_pipeline_with(
    device: &wgpu::Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    module: &wgpu::ShaderModule,
    entry_point: &str,
    constants: &[(&str, f64)],
) -> wgpu::ComputePipeline {
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(label),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(label),
        layout: Some(&pipeline_layout),
        module,
        entry_point: Some(entry_point),
        compilation_options: wgpu::PipelineCompilationOptions {
            // Every buffer is read inside its size by construction; the loops and branches need no guard either.
            zero_initialize_workgroup_memory: false,
            constants,
        },
        cache: None,
    })
}

/// A shader module of joined WGSL files.
pub(crate) fn shader(device: &wgpu::Device, label: &str, source: String) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    })
}

fn buffer(
    binding: u32,
    visibility: ShaderStages,
    ty: BufferBindingType,
    has_dynamic_offset: bool,
) -> BindGroupLayoutEntry {
    BindGroupLayoutEntry {
        binding,
        visibility,
        ty: BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
        count: None,
    }
}
