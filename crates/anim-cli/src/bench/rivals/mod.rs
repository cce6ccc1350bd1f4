//! Other ways to draw the same crowd, in the same run: the same vertices, triangles, instances and fragment shader.

pub(crate) mod cpu_palettes;
pub(crate) mod draw_each;
pub(crate) mod rigid;
pub(crate) mod texture;

use anim_format::model::Rows;
use bytemuck::{Pod, Zeroable};

use super::pipeline::{PipelineShape, bench_pipeline};
use super::stage::{ClipMatrices, Stage};
use crate::gpu::Gpu;

/// An instance's transform as vertex attributes.
pub(crate) const TRANSFORM: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![4 => Float32x4, 5 => Float32x4, 6 => Float32x4];

/// `BenchScene` of `rival.wgsl`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct SceneUniform {
    clip_from_world: [[f32; 4]; 4],
    box_min: [f32; 3],
    bones: u32,
    box_size: [f32; 3],
    padding: u32,
}

/// The buffers of mesh, scene and transforms that every rival has.
#[derive(Debug)]
pub(crate) struct RivalBuffers {
    pose: wgpu::Buffer,
    indices: wgpu::Buffer,
    index_count: u32,
    pub(crate) scene: wgpu::Buffer,
    pub(crate) transforms: wgpu::Buffer,
    scene_values: SceneUniform,
}

impl RivalBuffers {
    /// Uploads mesh and transforms.
    pub(crate) fn new(stage: &Stage<'_>) -> Result<Self, String> {
        let mesh = &stage.model.mesh;
        if mesh.wide {
            return Err(
                "the model has more than 256 bones, and these vertex shaders read 8-bit numbers".into()
            );
        }
        let vertex = wgpu::BufferUsages::VERTEX;
        Ok(Self {
            pose: filled(stage.gpu, vertex, bytemuck::cast_slice(&mesh.pose))?,
            indices: filled(stage.gpu, wgpu::BufferUsages::INDEX, bytemuck::cast_slice(&mesh.indices))?,
            index_count: u32::try_from(mesh.indices.len()).unwrap_or(u32::MAX),
            scene: empty(stage.gpu, wgpu::BufferUsages::UNIFORM, size_of::<SceneUniform>() as u64)?,
            transforms: filled(stage.gpu, vertex, bytemuck::cast_slice(&stage.transforms))?,
            scene_values: SceneUniform {
                clip_from_world: [[0.0; 4]; 4],
                box_min: mesh.box_min,
                bones: stage.model.bones,
                box_size: mesh.box_size,
                padding: 0,
            },
        })
    }

    /// Writes the view; the bytes written.
    pub(crate) fn set_view(&mut self, gpu: &Gpu, clip_from_world: [[f32; 4]; 4]) -> u64 {
        self.scene_values.clip_from_world = clip_from_world;
        gpu.queue.write_buffer(&self.scene, 0, bytemuck::bytes_of(&self.scene_values));
        size_of::<SceneUniform>() as u64
    }

    /// Binds the mesh.
    pub(crate) fn bind(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_vertex_buffer(0, self.pose.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
    }

    /// Draws instances.
    pub(crate) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, instances: std::ops::Range<u32>) {
        pass.draw_indexed(0..self.index_count, 0, instances);
    }
}

/// A pipeline of shader files, with the buffers of instances that its vertex shader reads after the mesh.
pub(crate) fn rival_pipeline(
    gpu: &Gpu,
    shader: &str,
    vertex_entry: &str,
    layout: &wgpu::BindGroupLayout,
    instance_buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
) -> wgpu::RenderPipeline {
    let source = [
        include_str!("../shaders/surface.wgsl"),
        include_str!("../shaders/rival.wgsl"),
        anim_wgpu::vertex_unpack_shader(),
        shader,
    ];
    let mut buffers = vec![Some(anim_wgpu::pose_layout(false))];
    buffers.extend(instance_buffers.iter().cloned());
    let shape =
        PipelineShape { source: source.join("\n"), vertex_entry, layout: Some(layout), buffers: &buffers };
    bench_pipeline(&gpu.device, &shape)
}

/// One entry of instance data a draw's instance.
pub(crate) const fn per_instance(
    stride: u64,
    attributes: &[wgpu::VertexAttribute],
) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout {
        array_stride: stride,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes,
    })
}

/// The scene's uniform block.
pub(crate) const fn scene_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 0,
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

/// The palettes, as a vertex shader reads them.
pub(crate) const fn palette_entry() -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding: 1,
        visibility: wgpu::ShaderStages::VERTEX,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

/// A layout of these entries.
pub(crate) fn group_layout(gpu: &Gpu, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    gpu.device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("bench rival"), entries })
}

/// A bind group of the scene and perhaps something at binding 1.
pub(crate) fn group(
    gpu: &Gpu,
    layout: &wgpu::BindGroupLayout,
    scene: &wgpu::Buffer,
    second: Option<wgpu::BindingResource<'_>>,
) -> wgpu::BindGroup {
    let mut entries = vec![wgpu::BindGroupEntry { binding: 0, resource: scene.as_entire_binding() }];
    entries.extend(second.map(|resource| wgpu::BindGroupEntry { binding: 1, resource }));
    gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("bench rival"),
        layout,
        entries: &entries,
    })
}

/// A buffer, if the device allows its size.
pub(crate) fn empty(gpu: &Gpu, usage: wgpu::BufferUsages, bytes: u64) -> Result<wgpu::Buffer, String> {
    let limit = gpu.device.limits().max_buffer_size;
    if bytes > limit {
        return Err(format!("one buffer would need {bytes} bytes, and the device allows {limit}"));
    }
    Ok(gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("bench rival"),
        size: bytes.max(16).next_multiple_of(4),
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    }))
}

/// A buffer that holds these bytes.
pub(crate) fn filled(gpu: &Gpu, usage: wgpu::BufferUsages, bytes: &[u8]) -> Result<wgpu::Buffer, String> {
    let buffer = empty(gpu, usage, bytes.len() as u64)?;
    gpu.queue.write_buffer(&buffer, 0, bytes);
    Ok(buffer)
}

/// Where a looping clip is: its matrices of bone 0 in two frames, and the share of the second one.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a frame of a clip"
)]
pub(crate) fn frames_at(clip: ClipMatrices, bones: u32, phase: f32, seconds: f64) -> (u32, u32, f32) {
    if clip.intervals == 0 || clip.duration_seconds <= 0.0 {
        return (clip.first, clip.first, 0.0);
    }
    let cycles = f64::from(phase) + seconds / f64::from(clip.duration_seconds);
    let place = (cycles - cycles.floor()) as f32 * clip.intervals as f32;
    let frame = (place as u32).min(clip.intervals - 1);
    let first = clip.first + frame * bones;
    (first, first + bones, place - frame as f32)
}

/// Bytes of the transforms of a stage.
pub(crate) const fn transform_bytes(count: u32) -> u64 {
    count as u64 * size_of::<Rows>() as u64
}
