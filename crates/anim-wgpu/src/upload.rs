//! A page set and its clip table to the GPU: pages go up as they are in the file.

use anim_format::AnimFile;
use anim_format::model::{Interpolation, PageSet, TexelFormat};

use crate::device_fit::page_storage;
use crate::error::GpuError;
use crate::gpu_types::ClipTrack;

/// How shaders read the texels of a page set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageStorage {
    /// From a storage buffer, one `vec4<f32>` a texel.
    Buffer32,
    /// From a storage buffer, two words of half floats a texel.
    Buffer16,
    /// From a texture array, for sets larger than a storage binding.
    Texture,
}

/// One page set of a file on the GPU, with the clips that it carries.
#[derive(Debug)]
pub struct FilePages {
    storage: PageStorage,
    pages: Pages,
    clips: wgpu::Buffer,
    held: wgpu::Buffer,
    bones: u32,
}

#[derive(Debug)]
enum Pages {
    Buffer(wgpu::Buffer),
    Texture(wgpu::TextureView),
}

impl FilePages {
    /// Uploads page set `set` of a file that was read or baked.
    ///
    /// # Errors
    ///
    /// If the file has no such set, or no buffer or texture of the device holds it. Nothing is uploaded then.
    pub fn upload(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        file: &AnimFile<'_>,
        set: u32,
    ) -> Result<Self, GpuError> {
        Self::upload_as(device, queue, file, set, false)
    }

    /// The same from a texture array even where a storage buffer would do: what larger sets get.
    ///
    /// # Errors
    ///
    /// As [`FilePages::upload`].
    pub fn upload_as_texture(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        file: &AnimFile<'_>,
        set: u32,
    ) -> Result<Self, GpuError> {
        Self::upload_as(device, queue, file, set, true)
    }

    fn upload_as(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        file: &AnimFile<'_>,
        number: u32,
        force_texture: bool,
    ) -> Result<Self, GpuError> {
        let set = file
            .page_sets
            .get(number as usize)
            .ok_or(GpuError::NoSuchPageSet { number, count: file.page_sets.len() })?;
        let storage = page_storage(set, &device.limits(), force_texture)?;
        let pages = match storage {
            PageStorage::Texture => Pages::Texture(upload_texture(device, queue, set)),
            _ => Pages::Buffer(upload_buffer(device, queue, set)),
        };
        let (clips, held) = clip_tables(file, set, number);
        Ok(Self {
            storage,
            pages,
            clips: table(device, queue, "anim clips", bytemuck::cast_slice(&clips)),
            held: table(device, queue, "anim held frames", bytemuck::cast_slice(&held)),
            bones: u32::try_from(file.bones.len()).unwrap_or(u32::MAX),
        })
    }

    /// How shaders read the texels.
    #[must_use]
    pub fn storage(&self) -> PageStorage {
        self.storage
    }

    /// Bones of an instance.
    #[must_use]
    pub fn bones(&self) -> u32 {
        self.bones
    }

    /// The texels, for a bind group.
    #[must_use]
    pub fn pages_binding(&self) -> wgpu::BindingResource<'_> {
        match &self.pages {
            Pages::Buffer(buffer) => buffer.as_entire_binding(),
            Pages::Texture(view) => wgpu::BindingResource::TextureView(view),
        }
    }

    /// The clip table: one [`ClipTrack`] a clip of the file, in its order.
    #[must_use]
    pub fn clips(&self) -> &wgpu::Buffer {
        &self.clips
    }

    /// The words of held frames that the clip table points into.
    #[must_use]
    pub fn held_frames(&self) -> &wgpu::Buffer {
        &self.held
    }
}

/// The clip table and the held words of a page set. A clip that the set does not carry has one frame at texel 0.
fn clip_tables(file: &AnimFile<'_>, set: &PageSet<'_>, number: u32) -> (Vec<ClipTrack>, Vec<u32>) {
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
    (clips, held)
}

/// A read-only storage buffer; an empty table gets one zero word, since bindings cannot be empty.
fn table(device: &wgpu::Device, queue: &wgpu::Queue, label: &str, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: (bytes.len() as u64).max(16),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

fn upload_buffer(device: &wgpu::Device, queue: &wgpu::Queue, set: &PageSet<'_>) -> wgpu::Buffer {
    let size: u64 = set.pages.iter().map(|page| page.len() as u64).sum();
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("anim pages"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut offset = 0;
    for page in &set.pages {
        queue.write_buffer(&buffer, offset, page);
        offset += page.len() as u64;
    }
    buffer
}

fn upload_texture(device: &wgpu::Device, queue: &wgpu::Queue, set: &PageSet<'_>) -> wgpu::TextureView {
    let format = match set.texel_format {
        TexelFormat::Rgba32Float => wgpu::TextureFormat::Rgba32Float,
        _ => wgpu::TextureFormat::Rgba16Float,
    };
    let layers = u32::try_from(set.pages.len()).unwrap_or(u32::MAX);
    let size = wgpu::Extent3d { width: set.width, height: set.height, depth_or_array_layers: layers };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("anim pages"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (layer, page) in (0..).zip(&set.pages) {
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: 0,
                origin: wgpu::Origin3d { x: 0, y: 0, z: layer },
                aspect: wgpu::TextureAspect::All,
            },
            page,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(set.width * set.texel_format.bytes()),
                rows_per_image: Some(set.height),
            },
            wgpu::Extent3d { depth_or_array_layers: 1, ..size },
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..wgpu::TextureViewDescriptor::default()
    })
}
