//! Every number that the file, the baker and the shaders have to agree on, each with its reason.

/// Bone influences that a baked vertex keeps. Four is what one 16-byte packed vertex can hold, and what glTF engines
/// promise to support.
pub const INFLUENCES_MAX: usize = 4;

/// Bones of one file. A vertex of the file stores bone numbers as `u16`.
pub const BONES_MAX: usize = 65_536;

/// Narrowest page, in texels: a row of 64 `rgba32float` texels is 1024 bytes, a multiple of the 256 bytes that a copy
/// from a buffer to a texture asks for.
pub const PAGE_WIDTH_MIN: u32 = 64;

/// Widest page, in texels. Some WebGL2 drivers report 16384 and read wrong values from data textures that wide.
pub const PAGE_WIDTH_MAX: u32 = 4096;

/// Largest page, in bytes: the default `max_storage_buffer_binding_size` of WebGPU.
pub const PAGE_BYTES_MAX: u64 = 128 << 20;

/// Pages of one page set: one fewer than the 256 layers of WebGPU's default `max_texture_array_layers`, so that a
/// padding layer always fits.
pub const PAGES_PER_SET_MAX: u32 = 255;

/// Default `--max-texture-size`, in texels a side.
pub const TEXTURE_SIZE_DEFAULT: u32 = 4096;

/// Smallest and largest `--max-texture-size`, in texels a side.
pub const TEXTURE_SIZE_RANGE: core::ops::RangeInclusive<u32> = 64..=16_384;

/// Texels of one affine matrix: its three rows.
pub const ROWS_PER_BONE: u32 = 3;

/// Masks of a file that a layer can name: it has eight bits for them, and 0 is none.
pub const MASKS_MAX: u32 = 255;
