//! Plays `.animtex` files with wgpu: crowds of independently animated characters.
//!
//! The crate owns neither window, device, queue nor loop: it takes `&Device`, `&Queue`, command encoders and render
//! passes of the program it is part of. wgpu is used without default features and re-exported.
//!
//! A [`Crowd`] holds instances of one or more files. Each frame the program sets the clock, gives all views of the frame
//! to [`Crowd::prepare`], which records compute passes (culling, attachments, palettes), and draws each view into its own
//! render pass. What an instance plays follows from the clock: a crowd that nobody touches uploads a few hundred numbers
//! a frame, whatever its size.
//!
//! On devices without compute or storage buffers, such as WebGL2, the same calls take the direct path: see
//! [`PathChoice`].
//!
//! # Example
//!
//! ```no_run
//! use anim_wgpu::{Crowd, CrowdPipelines, CrowdSettings, GpuError, Instance, ModelSource, Target, View};
//!
//! # fn program(device: &wgpu::Device, queue: &wgpu::Queue, file: &anim_format::AnimFile<'_>,
//! #     color: &wgpu::TextureView, depth: &wgpu::TextureView) -> Result<(), GpuError> {
//! // Once.
//! let mut crowd = Crowd::new(device, queue, &[ModelSource::new(file)], &CrowdSettings::default())?;
//! let pipelines = CrowdPipelines::new(device, &crowd, &Target::default())?;
//! for i in 0..1000u16 {
//!     let x = f32::from(i % 32) * 1.5;
//!     let z = f32::from(i / 32) * 1.5;
//!     crowd.add(&Instance {
//!         world_from_model: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, z]],
//!         phase: f32::from(i % 7) / 7.0,
//!         ..Instance::default()
//!     })?;
//! }
//!
//! // Every frame.
//! let view = View::look_at([24.0, 10.0, 60.0], [24.0, 0.0, 20.0], 0.8, 16.0 / 9.0, 0.1, 500.0);
//! let mut encoder = device.create_command_encoder(&Default::default());
//! crowd.update(12.5);
//! crowd.prepare(device, queue, &mut encoder, &[view])?;
//! # let attachments = anim_wgpu::wgpu::RenderPassDescriptor::default();
//! let mut pass = encoder.begin_render_pass(&attachments /* the program's own */);
//! crowd.draw(&mut pass, &pipelines, 0);
//! drop(pass);
//! queue.submit([encoder.finish()]);
//! # Ok(())
//! # }
//! ```

mod attach;
mod attaching;
mod attachment_local;
mod attachment_tracks;
mod attachments;
mod bindings;
mod clip_tables;
mod crowd;
mod crowd_model;
mod cull;
mod device_fit;
mod direct_frame;
mod direct_instance;
mod direct_path;
mod dirty;
mod draw;
mod error;
mod expand_error;
mod expand_plan;
mod expand_rows;
mod gpu_buffer;
mod gpu_types;
mod hierarchy;
mod image_decode;
mod image_mips;
mod instances;
mod local_tables;
mod masked_playing;
mod materials;
mod mesh;
mod model;
mod model_pages;
mod page_texture;
mod palette;
mod palette_path;
mod path;
mod path_choice;
mod pipelines;
mod plan;
mod playing;
mod readback;
mod scene;
mod shader_source;
mod shadow_map;
#[cfg(test)]
mod test_device;
#[cfg(test)]
mod test_file;
mod timer;
mod upload;
mod vertex_stream;
mod views;

pub use anim_core::layer_stack::{LayerStack, MaskedClip};
pub use anim_format::model::ClipMode;
pub use crowd::{Crowd, CrowdSettings, Instance, ModelSource, VisibleCounts};
pub use direct_instance::{DirectInstance, DirectLayer, direct_layers};
pub use draw::DrawInfo;
pub use error::GpuError;
pub use gpu_types::{
    ATTACH_DEPTH_MAX, AnimDraw, ArgumentsUniform, AttachRecord, AttachUniform, ClipTrack, CullBin, CullRound,
    DrawPlan, FrameUniform, INSTANCE_ALIVE, INSTANCE_HIDDEN, INSTANCE_MODEL_MASK, INSTANCE_MOVING,
    INSTANCE_POINT_MIRRORS, InstanceCull, InstanceMotion, InstancePlayback, InstanceTraits, LIST_IN_TABLE,
    LIST_IS_ALL, PalettePlan, VIEWS_MAX,
};
pub use instances::InstanceHandle;
pub use mesh::{instance_layout, pose_layout, surface_layout};
pub use palette::LOCAL_NODES_MAX;
pub use path_choice::{PathChoice, PathUsed};
pub use pipelines::{CrowdPipelines, Target};
pub use playing::PlayOptions;
pub use shader_source::{
    BoneSource, NodePoses, PalettePrecision, arguments_shader, attach_shader, color_shader, cull_shader,
    depth_shader, direct_rows_shader, local_palette_shader, moments_shader, palette_shader, skin_module,
    vertex_unpack_shader,
};
pub use shadow_map::{SHADOW_FORMAT, ShadowMap};
pub use timer::PassTimer;
pub use upload::{FilePages, PageStorage};
pub use vertex_stream::{SurfaceVertex, VertexStreams, pack_vertices};
pub use views::{Lighting, View};
pub use wgpu;
