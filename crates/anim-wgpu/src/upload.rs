//! A page set and its clip table to the GPU: pages go up as they are in the file.

use anim_core::layers::{GpuLayer, LAYERS_MAX};
use anim_format::AnimFile;
use anim_format::model::{Content, PageSet};

use crate::bindings::{self as b, entry, read};
use crate::clip_tables::{ClipTableBuffers, ClipTables, table};
use crate::device_fit::{
    PagePlace, binding_limit, has_storage_buffers, holds_local, page_place, pages_bytes,
};
use crate::direct_instance::{DirectLayer, direct_layers};
use crate::error::GpuError;
use crate::gpu_types::ClipTrack;
use crate::hierarchy::Hierarchy;
use crate::local_tables::local_tables;
use crate::page_texture::upload_page_texture;

/// How shaders read the texels of a page set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageStorage {
    /// From a storage buffer, one `vec4<f32>` a texel.
    Buffer32,
    /// From a storage buffer, two words of half floats a texel.
    Buffer16,
    /// From a storage buffer, an element of a local track in two words.
    Local8,
    /// From a storage buffer, an element of a local track in four words.
    Local32,
    /// From a texture array, for sets larger than a storage binding and devices without storage buffers.
    Texture,
}

impl PageStorage {
    /// Whether the pages hold local tracks, so that bones are found by walking the hierarchy.
    #[must_use]
    pub const fn is_local(self) -> bool {
        matches!(self, Self::Local8 | Self::Local32)
    }
}

/// One page set of a file on the GPU, with the clips that it carries.
#[derive(Debug)]
pub struct FilePages {
    storage: PageStorage,
    set: u32,
    pages: Pages,
    tables: ClipTables,
    table_buffers: Option<ClipTableBuffers>,
    /// Of a local set: everything besides the pages.
    local: Option<wgpu::Buffer>,
    bones: u32,
    /// Nodes of a local set, else 0.
    nodes: u32,
    hierarchy: Hierarchy,
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
        if !set.content.makes_matrices() {
            return Err(GpuError::VertexPages { number });
        }
        let limits = device.limits();
        if set.content == Content::Local && !holds_local(set, &limits, force_texture) {
            let limit_bytes =
                if force_texture || !has_storage_buffers(&limits) { 0 } else { binding_limit(&limits) };
            return Err(GpuError::LocalTracks { number, needed_bytes: pages_bytes(set), limit_bytes });
        }
        let (storage, pages) = match page_place(set, file.bones.len() as u64 * 3, &limits, force_texture)? {
            PagePlace::Buffer(storage) => (storage, Pages::Buffer(upload_buffer(device, queue, set))),
            PagePlace::Texture(shape) => {
                (PageStorage::Texture, Pages::Texture(upload_page_texture(device, queue, set, shape)))
            }
        };
        let tables = ClipTables::of(file, set, number);
        // The shaders of local sets read tables of their own.
        let table_buffers = (has_storage_buffers(&limits) && !storage.is_local())
            .then(|| ClipTableBuffers::upload(device, queue, &tables));
        let bones = u32::try_from(file.bones.len()).unwrap_or(u32::MAX);
        let mut hierarchy = Hierarchy::default();
        let (nodes, local) = match storage.is_local() {
            true => {
                hierarchy = Hierarchy::of(file, number);
                let tables = local_tables(file, set, number, &mut hierarchy);
                let buffer = table(device, queue, "anim local tables", bytemuck::cast_slice(&tables));
                let limit_bytes = binding_limit(&limits);
                if buffer.size() > limit_bytes {
                    return Err(GpuError::TablesTooLarge { needed_bytes: buffer.size(), limit_bytes });
                }
                (u32::try_from(file.nodes.len()).unwrap_or(u32::MAX), Some(buffer))
            }
            false => (0, None),
        };
        Ok(Self { storage, set: number, pages, tables, table_buffers, local, bones, nodes, hierarchy })
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

    /// Nodes whose transforms a local set holds; 0 for rows.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// How the palette pass goes down the hierarchy of a local set.
    pub(crate) fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// Layout entries of what decoding reads: the tables and the pages.
    pub(crate) fn decode_layout(&self, visibility: wgpu::ShaderStages) -> Vec<wgpu::BindGroupLayoutEntry> {
        decode_layout(self.storage, visibility)
    }

    /// The entries of [`Self::decode_layout`].
    pub(crate) fn decode_entries(&self) -> Vec<wgpu::BindGroupEntry<'_>> {
        let pages = entry(b::PAGES, self.pages_binding());
        match &self.local {
            Some(tables) => vec![entry(b::CLIPS, tables.as_entire_binding()), pages],
            None => {
                vec![entry(b::CLIPS, self.clips_binding()), pages, entry(b::HELD, self.held_frames_binding())]
            }
        }
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

    /// The clip table of rows as a storage buffer; `None` on a device that has no storage buffers.
    #[must_use]
    pub fn clips_buffer(&self) -> Option<&wgpu::Buffer> {
        self.table_buffers.as_ref().map(|buffers| &buffers.clips)
    }

    /// The words of held frames of rows as a storage buffer; `None` on a device that has no storage buffers.
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

/// Layout entries of what decoding reads in pages of this kind.
pub(crate) fn decode_layout(
    storage: PageStorage,
    visibility: wgpu::ShaderStages,
) -> Vec<wgpu::BindGroupLayoutEntry> {
    let mut entries = vec![read(b::CLIPS, visibility), b::pages(storage, visibility)];
    if !storage.is_local() {
        entries.push(read(b::HELD, visibility));
    }
    entries
}

fn upload_buffer(device: &wgpu::Device, queue: &wgpu::Queue, set: &PageSet<'_>) -> wgpu::Buffer {
    let size: u64 = set.pages.iter().map(|page| page.len() as u64).sum();
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("anim pages"),
        // A set in which nothing moves has no texels, and bindings cannot be empty.
        size: size.max(16),
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
