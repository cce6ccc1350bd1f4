//! A file and the limits of a device: what fits, decided before anything is uploaded.

use anim_format::model::{Encoding, PageSet};

use crate::error::GpuError;
use crate::upload::PageStorage;

/// Largest buffer that can be bound whole.
pub(crate) fn binding_limit(limits: &wgpu::Limits) -> u64 {
    limits.max_storage_buffer_binding_size.min(limits.max_buffer_size)
}

/// How a page set is read on a device with these limits: from a storage buffer if it fits one binding, which is twice as
/// fast, else from a texture array.
pub(crate) fn page_storage(
    set: &PageSet<'_>,
    limits: &wgpu::Limits,
    force_texture: bool,
) -> Result<PageStorage, GpuError> {
    let needed_bytes: u64 = set.pages.iter().map(|page| page.len() as u64).sum();
    let texels = set.page_texels() * set.pages.len() as u64;
    if texels > u64::from(u32::MAX) {
        return Err(GpuError::TooManyTexels { texels });
    }
    let limit_bytes = binding_limit(limits);
    if needed_bytes <= limit_bytes && !force_texture {
        return Ok(match set.encoding {
            Encoding::Affine32 => PageStorage::Buffer32,
            _ => PageStorage::Buffer16,
        });
    }
    let pages = u32::try_from(set.pages.len()).unwrap_or(u32::MAX);
    let (limit_layers, limit_side) = (limits.max_texture_array_layers, limits.max_texture_dimension_2d);
    if pages <= limit_layers && set.width <= limit_side && set.height <= limit_side {
        return Ok(PageStorage::Texture);
    }
    Err(GpuError::PageSetTooLarge {
        needed_bytes,
        limit_bytes,
        pages,
        width: set.width,
        height: set.height,
        limit_layers,
        limit_side,
    })
}

/// Bytes of a palette buffer for so many instances, or the error that says how many fit.
pub(crate) fn palette_bytes(slots: u32, bones: u32, limits: &wgpu::Limits) -> Result<u64, GpuError> {
    const ROW_BYTES: u64 = 16;
    let per_instance = u64::from(bones) * 3 * ROW_BYTES;
    let needed_bytes = per_instance * u64::from(slots.max(1));
    let limit_bytes = binding_limit(limits);
    if needed_bytes > limit_bytes {
        let slots_max = u32::try_from(limit_bytes / per_instance.max(1)).unwrap_or(u32::MAX);
        return Err(GpuError::PalettesTooLarge { slots, bones, needed_bytes, limit_bytes, slots_max });
    }
    Ok(needed_bytes)
}
