//! What can go wrong between a file and a device, found before anything is uploaded.

/// Why a file cannot be played on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The file has no page set of this number.
    #[error("the file has {count} page sets, and number {number} was asked for")]
    NoSuchPageSet {
        /// Number asked for.
        number: u32,
        /// Page sets of the file.
        count: usize,
    },
    /// Neither a storage buffer nor a texture array of this device holds the page set.
    #[error(
        "the page set needs {needed_bytes} bytes in one storage binding (limit {limit_bytes}), or {texels} texels in a \
         texture array (limits: {limit_layers} layers, {limit_side} texels a side): bake at a lower rate or fewer clips"
    )]
    PageSetTooLarge {
        /// Bytes of all pages.
        needed_bytes: u64,
        /// `max_storage_buffer_binding_size`, or `max_buffer_size` where that is smaller; 0 without storage buffers.
        limit_bytes: u64,
        /// Texels of all pages.
        texels: u64,
        /// `max_texture_array_layers`.
        limit_layers: u32,
        /// `max_texture_dimension_2d`.
        limit_side: u32,
    },
    /// A palette buffer for so many instances is larger than a binding of this device.
    #[error(
        "{slots} palettes of {bones} bones need {needed_bytes} bytes in one binding, and the device allows {limit_bytes}: \
         use several chunks of at most {slots_max}"
    )]
    PalettesTooLarge {
        /// Instances asked for.
        slots: u32,
        /// Bones of an instance.
        bones: u32,
        /// Bytes needed.
        needed_bytes: u64,
        /// `max_storage_buffer_binding_size`, or `max_buffer_size` where that is smaller.
        limit_bytes: u64,
        /// Most instances that fit.
        slots_max: u32,
    },
    /// A texel number of the set does not fit 32 bits.
    #[error("the page set has {texels} texels, and a shader counts at most 4,294,967,295")]
    TooManyTexels {
        /// Texels of all pages.
        texels: u64,
    },
}
