//! Plays `.animtex` files with wgpu.
//!
//! The crate owns neither window, device, queue nor loop: it takes `&Device`, `&Queue` and command encoders of the
//! program it is part of. wgpu is used without default features and re-exported.
//!
//! So far it holds the first stage of the default path: page sets on the GPU and the **palette pass**, which decodes,
//! interpolates and blends every bone of every visible instance once.
//!
//! # Example
//!
//! ```no_run
//! use anim_wgpu::{FilePages, PaletteChunk, PalettePipeline};
//!
//! # fn frame(device: &wgpu::Device, queue: &wgpu::Queue, file: &anim_format::AnimFile<'_>,
//! #     playback: &wgpu::Buffer, visible: &wgpu::Buffer) -> Result<(), anim_wgpu::GpuError> {
//! let pages = FilePages::upload(device, queue, file, 0)?;
//! let pipeline = PalettePipeline::new(device, &pages);
//! let palettes = PaletteChunk::new(device, &pages, 1000)?;
//! let mut encoder = device.create_command_encoder(&Default::default());
//! pipeline.record(device, queue, &mut encoder, &pages, &palettes, playback, visible, 1000, 123_456);
//! queue.submit([encoder.finish()]);
//! # Ok(())
//! # }
//! ```

mod clip_tables;
mod device_fit;
mod direct_instance;
mod error;
mod gpu_types;
mod page_texture;
mod palette;
mod shader_source;
mod upload;

pub use direct_instance::{DirectInstance, DirectLayer, direct_layers};
pub use error::GpuError;
pub use gpu_types::{ClipTrack, InstancePlayback, PaletteUniform};
pub use palette::{PaletteChunk, PalettePipeline};
pub use shader_source::{direct_rows_shader, palette_shader};
pub use upload::{FilePages, PageStorage};
pub use wgpu;
