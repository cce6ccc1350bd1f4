//! Where the clips of a page set are, in memory and, where shaders can read it there, on the GPU.

use anim_format::AnimFile;
use anim_format::model::{Interpolation, PageSet};

use crate::gpu_types::ClipTrack;

/// The clip table of a page set and the held frames that it points into.
#[derive(Debug)]
pub(crate) struct ClipTables {
    /// One track a clip of the file, in its order.
    pub(crate) clips: Vec<ClipTrack>,
    /// Words of held frames.
    pub(crate) held: Vec<u32>,
}

impl ClipTables {
    /// The tables of page set `number`. A clip that the set does not carry has one frame at texel 0.
    pub(crate) fn of(file: &AnimFile<'_>, set: &PageSet<'_>, number: u32) -> Self {
        let mut held: Vec<u32> = Vec::new();
        let mut clips = Vec::with_capacity(file.clips.len());
        for clip in &file.clips {
            let Some(track) = clip.tracks.iter().find(|track| track.page_set == number) else {
                clips.push(ClipTrack { held_word: u32::MAX, ..ClipTrack::default() });
                continue;
            };
            let first = u64::from(track.page) * set.page_texels()
                + u64::from(track.first_texel)
                + u64::from(track.header_texels);
            clips.push(ClipTrack {
                first_texel: u32::try_from(first).unwrap_or(u32::MAX),
                intervals: track.intervals,
                step_interpolation: u32::from(track.interpolation == Interpolation::Step),
                held_word: match track.held_frames.is_empty() {
                    true => u32::MAX,
                    false => u32::try_from(held.len()).unwrap_or(u32::MAX),
                },
            });
            held.extend(&track.held_frames);
        }
        Self { clips, held }
    }
}

/// The same tables as read-only storage buffers.
#[derive(Debug)]
pub(crate) struct ClipTableBuffers {
    /// [`ClipTables::clips`].
    pub(crate) clips: wgpu::Buffer,
    /// [`ClipTables::held`].
    pub(crate) held: wgpu::Buffer,
}

impl ClipTableBuffers {
    /// Uploads the tables.
    pub(crate) fn upload(device: &wgpu::Device, queue: &wgpu::Queue, tables: &ClipTables) -> Self {
        Self {
            clips: table(device, queue, "anim clips", bytemuck::cast_slice(&tables.clips)),
            held: table(device, queue, "anim held frames", bytemuck::cast_slice(&tables.held)),
        }
    }
}

/// A read-only storage buffer; an empty table gets one zero entry, since bindings cannot be empty.
pub(crate) fn table(device: &wgpu::Device, queue: &wgpu::Queue, label: &str, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: (bytes.len() as u64).max(16),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}
