//! A page set and its clip table to the GPU: pages go up as they are in the file.

use anim_core::layers::{GpuLayer, LAYERS_MAX};
use anim_format::AnimFile;
use anim_format::model::{Content, PageSet};

use crate::clip_tables::{ClipTableBuffers, ClipTables};
use crate::device_fit::{PagePlace, has_storage_buffers, page_place};
use crate::direct_instance::{DirectLayer, direct_layers};
use crate::error::GpuError;
use crate::gpu_types::ClipTrack;
use crate::page_texture::upload_page_texture;

/// How shaders read the texels of a page set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageStorage {
    /// From a storage buffer, one `vec4<f32>` a texel.
    Buffer32,
    /// From a storage buffer, two words of half floats a texel.
    Buffer16,
    /// From a texture array, for sets larger than a storage binding and devices without storage buffers.
    Texture,
}

/// One page set of a file on the GPU, with the clips that it carries.
#[derive(Debug)]
pub struct FilePages {
    storage: PageStorage,
    set: u32,
    pages: Pages,
    tables: ClipTables,
    table_buffers: Option<ClipTableBuffers>,
    bones: u32,
}

#[derive(Debug)]
enum Pages {
    Buffer(wgpu::Buffer),
    Texture(wgpu::TextureView),
}

impl FilePages {
    /// Uploads page set `set` of a file that was read or baked: to a storage buffer where the device has them and one
    /// holds the set, else to a texture array.
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

    /// The same to a texture array even where a storage buffer would do: what larger sets get, and what the direct
    /// path reads.
    ///
    /// The texture has whatever shape the device allows; texel `n` of the set is at `(n % width, n / width % height)`
    /// of layer `n / (width * height)`.
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
        if set.content == Content::Local {
            return Err(GpuError::LocalTracks { number });
        }
        let limits = device.limits();
        let (storage, pages) = match page_place(set, file.bones.len() as u64 * 3, &limits, force_texture)? {
            PagePlace::Buffer(storage) => (storage, Pages::Buffer(upload_buffer(device, queue, set))),
            PagePlace::Texture(shape) => {
                (PageStorage::Texture, Pages::Texture(upload_page_texture(device, queue, set, shape)))
            }
        };
        let tables = ClipTables::of(file, set, number);
        let table_buffers =
            has_storage_buffers(&limits).then(|| ClipTableBuffers::upload(device, queue, &tables));
        let bones = u32::try_from(file.bones.len()).unwrap_or(u32::MAX);
        Ok(Self { storage, set: number, pages, tables, table_buffers, bones })
    }

    /// How shaders read the texels.
    #[must_use]
    pub fn storage(&self) -> PageStorage {
        self.storage
    }

    /// Number of the page set.
    #[must_use]
    pub fn set(&self) -> u32 {
        self.set
    }

    /// Bones of an instance.
    #[must_use]
    pub fn bones(&self) -> u32 {
        self.bones
    }

    /// The clip table, for a bind group of the palette path, which is taken only where there are storage buffers.
    pub(crate) fn clips_binding(&self) -> wgpu::BindingResource<'_> {
        self.clips_buffer().expect("storage buffers on the palette path").as_entire_binding()
    }

    /// The held frames, likewise.
    pub(crate) fn held_frames_binding(&self) -> wgpu::BindingResource<'_> {
        self.held_frames_buffer().expect("storage buffers on the palette path").as_entire_binding()
    }

    /// The texels, for a bind group.
    #[must_use]
    pub fn pages_binding(&self) -> wgpu::BindingResource<'_> {
        match &self.pages {
            Pages::Buffer(buffer) => buffer.as_entire_binding(),
            Pages::Texture(view) => wgpu::BindingResource::TextureView(view),
        }
    }

    /// The clip table: one track a clip of the file, in its order.
    #[must_use]
    pub fn clips(&self) -> &[ClipTrack] {
        &self.tables.clips
    }

    /// The words of held frames that the clip table points into.
    #[must_use]
    pub fn held_frames(&self) -> &[u32] {
        &self.tables.held
    }

    /// The clip table as a storage buffer; `None` on a device that has no storage buffers.
    #[must_use]
    pub fn clips_buffer(&self) -> Option<&wgpu::Buffer> {
        self.table_buffers.as_ref().map(|buffers| &buffers.clips)
    }

    /// The words of held frames as a storage buffer; `None` on a device that has no storage buffers.
    #[must_use]
    pub fn held_frames_buffer(&self) -> Option<&wgpu::Buffer> {
        self.table_buffers.as_ref().map(|buffers| &buffers.held)
    }

    /// What the direct path's shader has to read for an instance at a tick: see [`direct_layers`].
    #[must_use]
    pub fn direct_layers(&self, layers: &[GpuLayer; LAYERS_MAX], now_tick: u64) -> [DirectLayer; LAYERS_MAX] {
        direct_layers(&self.tables.clips, &self.tables.held, self.bones, layers, now_tick)
    }
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
