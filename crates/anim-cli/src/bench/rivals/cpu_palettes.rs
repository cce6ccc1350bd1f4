//! CPU palettes: all cores interpolate every bone of every instance, and the result is uploaded each frame.

use anim_core::skin_reference::mix_rows;
use anim_format::model::Rows;
use rayon::prelude::*;

use super::{
    RivalBuffers, TRANSFORM, empty, frames_at, group, group_layout, palette_entry, per_instance,
    rival_pipeline, scene_entry, transform_bytes,
};
use crate::bench::stage::Stage;
use crate::bench::subject::{Frame, Subject};

/// Bytes of a frame above which this is not tried: it is slow, and takes the same memory three times.
const UPLOAD_MAX_BYTES: u64 = 512 << 20;

/// Instances whose palettes are in one buffer.
#[derive(Debug)]
struct Chunk {
    palettes: wgpu::Buffer,
    group: wgpu::BindGroup,
    instances: std::ops::Range<u32>,
}

/// A crowd whose palettes come from the CPU.
#[derive(Debug)]
pub(crate) struct CpuPalettes {
    buffers: RivalBuffers,
    pipeline: wgpu::RenderPipeline,
    chunks: Vec<Chunk>,
    rows: Vec<Rows>,
}

impl CpuPalettes {
    /// Uploads everything but the palettes.
    pub(crate) fn new(stage: &Stage<'_>) -> Result<Self, String> {
        let instance_bytes = u64::from(stage.model.bones) * size_of::<Rows>() as u64;
        let all_bytes = instance_bytes * u64::from(stage.count);
        if all_bytes > UPLOAD_MAX_BYTES {
            return Err(format!(
                "{all_bytes} bytes would be uploaded a frame; more than {UPLOAD_MAX_BYTES} are not tried"
            ));
        }
        let buffers = RivalBuffers::new(stage)?;
        let layout = group_layout(stage.gpu, &[scene_entry(), palette_entry()]);
        let limits = stage.gpu.device.limits();
        let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let of_chunk = u32::try_from(binding / instance_bytes.max(1)).unwrap_or(u32::MAX).max(1);
        let mut chunks = Vec::new();
        let mut first = 0;
        while first < stage.count {
            let end = stage.count.min(first.saturating_add(of_chunk));
            let bytes = u64::from(end - first) * instance_bytes;
            let palettes = empty(stage.gpu, wgpu::BufferUsages::STORAGE, bytes)?;
            let resource = palettes.as_entire_binding();
            chunks.push(Chunk {
                group: group(stage.gpu, &layout, &buffers.scene, Some(resource)),
                instances: first..end,
                palettes,
            });
            first = end;
        }
        Ok(Self {
            pipeline: rival_pipeline(
                stage.gpu,
                include_str!("../shaders/palette.wgsl"),
                "bench_vertex",
                &layout,
                &[per_instance(48, &TRANSFORM)],
            ),
            rows: vec![[[0.0; 4]; 3]; stage.count as usize * stage.model.bones as usize],
            buffers,
            chunks,
        })
    }

    fn interpolate(&mut self, stage: &Stage<'_>, seconds: f64) {
        let model = stage.model;
        let bones = model.bones as usize;
        self.rows.par_chunks_mut(bones).enumerate().with_min_len(8).for_each(|(number, palette)| {
            #[expect(clippy::cast_possible_truncation, reason = "instances are u32")]
            let number = number as u32;
            let clip = model.clips[stage.clip(number) as usize];
            let (a, b, share) = frames_at(clip, model.bones, stage.phase(number), seconds);
            let of_frame = |first: u32| &model.matrices[first as usize..][..bones];
            for ((rows, a), b) in palette.iter_mut().zip(of_frame(a)).zip(of_frame(b)) {
                *rows = mix_rows(a, b, share);
            }
        });
    }
}

impl Subject for CpuPalettes {
    fn frame(&mut self, frame: &mut Frame<'_, '_>) -> Result<u64, String> {
        let stage = frame.stage;
        self.interpolate(stage, frame.seconds);
        let bones = stage.model.bones as usize;
        let mut bytes = self.buffers.set_view(stage.gpu, frame.view.clip_from_world);
        for chunk in &self.chunks {
            let rows = chunk.instances.start as usize * bones..chunk.instances.end as usize * bones;
            let written: &[u8] = bytemuck::cast_slice(&self.rows[rows]);
            stage.gpu.queue.write_buffer(&chunk.palettes, 0, written);
            bytes += written.len() as u64;
        }
        let timestamps = frame.timer.render();
        let mut pass = stage.target.begin(&mut frame.encoder, true, timestamps);
        self.buffers.bind(&mut pass);
        pass.set_pipeline(&self.pipeline);
        for chunk in &self.chunks {
            pass.set_bind_group(0, &chunk.group, &[]);
            // So that the numbers of the chunk's instances start at 0, as its palettes do.
            pass.set_vertex_buffer(
                1,
                self.buffers.transforms.slice(transform_bytes(chunk.instances.start)..),
            );
            self.buffers.draw(&mut pass, 0..chunk.instances.end - chunk.instances.start);
        }
        Ok(bytes)
    }

    fn memory_bytes(&self) -> u64 {
        let count = self.chunks.last().map_or(0, |chunk| chunk.instances.end);
        transform_bytes(count) + size_of_val(&self.rows[..]) as u64
    }

    fn vertex_bytes(&self) -> u64 {
        16
    }
}
