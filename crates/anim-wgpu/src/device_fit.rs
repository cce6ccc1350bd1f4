//! A file and the limits of a device: what fits, decided before anything is uploaded.

use anim_format::model::{Encoding, PageSet};

use crate::error::GpuError;
use crate::page_texture::PageTextureShape;
use crate::upload::PageStorage;

/// Largest buffer that can be bound whole.
pub(crate) fn binding_limit(limits: &wgpu::Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
}

/// Whether shaders can read storage buffers at all. WebGL2 has none.
pub(crate) fn has_storage_buffers(limits: &wgpu::Limits) -> bool {
    limits.max_storage_buffers_per_shader_stage > 0 && binding_limit(limits) > 0
}

/// Bytes of all pages of a set.
pub(crate) fn pages_bytes(set: &PageSet<'_>) -> u64 {
    set.pages.iter().map(|page| page.len() as u64).sum()
}

/// Whether local tracks can be played as they are: from a storage buffer that holds all of them.
pub(crate) fn holds_local(set: &PageSet<'_>, limits: &wgpu::Limits, force_texture: bool) -> bool {
    !force_texture && has_storage_buffers(limits) && pages_bytes(set) <= binding_limit(limits)
}

/// Where a page set goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PagePlace {
    /// To a storage buffer, read in this way.
    Buffer(PageStorage),
    /// To a texture array of this shape.
    Texture(PageTextureShape),
}

/// Where a page set goes on a device with these limits: to a storage buffer if it fits one binding, which is read twice
/// as fast, else to a texture array.
pub(crate) fn page_place(
    set: &PageSet<'_>,
    frame_texels: u64,
    limits: &wgpu::Limits,
    force_texture: bool,
) -> Result<PagePlace, GpuError> {
    let needed_bytes = pages_bytes(set);
    let texels = set.page_texels() * set.pages.len() as u64;
    if texels > u64::from(u32::MAX) {
        return Err(GpuError::TooManyTexels { texels });
    }
    let limit_bytes = if has_storage_buffers(limits) { binding_limit(limits) } else { 0 };
    if needed_bytes <= limit_bytes && !force_texture {
        return Ok(PagePlace::Buffer(match set.encoding {
            Encoding::Affine32 => PageStorage::Buffer32,
            Encoding::Local8 => PageStorage::Local8,
            Encoding::Local32 => PageStorage::Local32,
            _ => PageStorage::Buffer16,
        }));
    }
    PageTextureShape::of(set, frame_texels, limits).map(PagePlace::Texture).ok_or(GpuError::PageSetTooLarge {
        needed_bytes,
        limit_bytes,
        texels,
        limit_layers: limits.max_texture_array_layers,
        limit_side: limits.max_texture_dimension_2d,
    })
}
