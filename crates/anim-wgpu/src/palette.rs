//! Records the palette pass: every bone of every visible instance is decoded, interpolated and blended once.

use crate::device_fit::palette_bytes;
use crate::error::GpuError;
use crate::gpu_types::PaletteUniform;
use crate::shader_source::palette_shader;
use crate::upload::{FilePages, PageStorage};

/// Threads of a workgroup in `palette.wgsl`.
const WORKGROUP: u64 = 128;
/// Workgroups of one dimension of a dispatch: above WebGPU's default limit nothing runs.
const GROUPS_MAX: u64 = 65_535;

/// Palettes of a number of instances: `bones` times three rows each, contiguous, in the order of the visible list.
#[derive(Debug)]
pub struct PaletteChunk {
    rows: wgpu::Buffer,
    uniform: wgpu::Buffer,
    slots: u32,
}

impl PaletteChunk {
    /// A buffer for the palettes of `slots` instances.
    ///
    /// # Errors
    ///
    /// If the device binds no buffer that large; the error says how many instances fit.
    pub fn new(device: &wgpu::Device, pages: &FilePages, slots: u32) -> Result<Self, GpuError> {
        let size = palette_bytes(slots, pages.bones(), &device.limits())?;
        let rows = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("anim palettes"),
            size,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let uniform = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("anim palette uniform"),
            size: size_of::<PaletteUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Ok(Self { rows, uniform, slots })
    }

    /// The palettes: rows of `vec4<f32>`, `slot * bones * 3 + bone * 3 + row`.
    #[must_use]
    pub fn rows(&self) -> &wgpu::Buffer {
        &self.rows
    }

    /// Instances that fit.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.slots
    }
}

/// The palette pass for one kind of page storage.
#[derive(Debug)]
pub struct PalettePipeline {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl PalettePipeline {
    /// Compiles the pass for pages of this kind.
    #[must_use]
    pub fn new(device: &wgpu::Device, pages: &FilePages) -> Self {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("anim palette"),
            entries: &layout_entries(pages.storage()),
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("anim palette"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("anim palette"),
            source: wgpu::ShaderSource::Wgsl(palette_shader(pages.storage()).into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("anim palette"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("palette_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        Self { layout, pipeline }
    }

    /// Records the pass for the first `visible` entries of the visible list, at a tick of the clock.
    ///
    /// `playback` holds an [`crate::InstancePlayback`] an instance, `visible_list` instance numbers as `u32`. More
    /// instances than the chunk has slots are cut to it; 0 records nothing, and neither do pages on a device without
    /// storage buffers.
    #[expect(clippy::too_many_arguments, reason = "each is one buffer or number of the pass")]
    pub fn record(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        encoder: &mut wgpu::CommandEncoder,
        pages: &FilePages,
        chunk: &PaletteChunk,
        playback: &wgpu::Buffer,
        visible_list: &wgpu::Buffer,
        visible: u32,
        now_tick: u64,
    ) {
        let visible = visible.min(chunk.slots);
        if visible == 0 || pages.bones() == 0 {
            return;
        }
        let (Some(clips), Some(held)) = (pages.clips_buffer(), pages.held_frames_buffer()) else { return };
        #[expect(clippy::cast_possible_truncation, reason = "halves of the tick")]
        let now_tick = [now_tick as u32, (now_tick >> 32) as u32];
        let uniform = PaletteUniform { now_tick, visible, bones: pages.bones() };
        queue.write_buffer(&chunk.uniform, 0, bytemuck::bytes_of(&uniform));
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("anim palette"),
            layout: &self.layout,
            entries: &[
                entry(0, chunk.uniform.as_entire_binding()),
                entry(1, playback.as_entire_binding()),
                entry(2, clips.as_entire_binding()),
                entry(3, pages.pages_binding()),
                entry(4, visible_list.as_entire_binding()),
                entry(5, held.as_entire_binding()),
                entry(6, chunk.rows.as_entire_binding()),
            ],
        });
        let (x, y) = groups(u64::from(visible) * u64::from(pages.bones()));
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("anim palette"),
            timestamp_writes: None,
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}

/// Workgroups in two dimensions for a number of threads.
#[expect(clippy::cast_possible_truncation, reason = "x is at most GROUPS_MAX; threads fit one binding")]
fn groups(threads: u64) -> (u32, u32) {
    let groups = threads.div_ceil(WORKGROUP);
    let y = groups.div_ceil(GROUPS_MAX);
    (groups.div_ceil(y) as u32, y as u32)
}

fn layout_entries(storage: PageStorage) -> [wgpu::BindGroupLayoutEntry; 7] {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: None,
    };
    let buffer = |ty| wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    let read = buffer(wgpu::BufferBindingType::Storage { read_only: true });
    let pages = match storage {
        PageStorage::Texture => wgpu::BindingType::Texture {
            // Data is never filtered, and filtering 32-bit floats is an optional feature.
            sample_type: wgpu::TextureSampleType::Float { filterable: false },
            view_dimension: wgpu::TextureViewDimension::D2Array,
            multisampled: false,
        },
        _ => read,
    };
    [
        entry(0, buffer(wgpu::BufferBindingType::Uniform)),
        entry(1, read),
        entry(2, read),
        entry(3, pages),
        entry(4, read),
        entry(5, read),
        entry(6, buffer(wgpu::BufferBindingType::Storage { read_only: false })),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_stay_within_one_dimension_and_cover_every_thread() {
        for threads in [1, 128, 129, 65_535 * 128, 65_535 * 128 + 1, 100_000 * 60, 500_000_000] {
            let (x, y) = groups(threads);
            assert!(u64::from(x) <= GROUPS_MAX && u64::from(y) <= GROUPS_MAX);
            assert!(u64::from(x) * u64::from(y) * WORKGROUP >= threads, "{threads}");
        }
    }
}
