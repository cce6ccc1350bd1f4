//! What every example needs and none is about: a device without a window, a picture to draw to, a PNG file.
//!
//! A program with a window has all of this already: its own device, its own frame, its own textures.

use std::error::Error;
use std::path::Path;

use anim_bake::{BakeSettings, bake};
use anim_format::AnimFile;
use anim_wgpu::{SHADOW_FORMAT, ShadowMap, Target};

/// Samples a pixel.
pub(crate) const SAMPLES: u32 = 4;

/// A device and a picture.
pub(crate) struct Studio {
    /// The device.
    pub(crate) device: wgpu::Device,
    /// Its queue.
    pub(crate) queue: wgpu::Queue,
    size: [u32; 2],
    samples: wgpu::TextureView,
    depth: wgpu::TextureView,
    picture: wgpu::Texture,
}

impl Studio {
    /// Opens the first adapter that there is, with WebGPU's default limits.
    pub(crate) fn new(width: u32, height: u32) -> Result<Self, Box<dyn Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
        let options = wgpu::RequestAdapterOptions::default();
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default()))?;
        let texture = |format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some("studio"),
                size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let target = Self::target();
        let format = target.color.ok_or("a colour format")?;
        let samples = texture(format, SAMPLES, wgpu::TextureUsages::empty());
        let depth = texture(target.depth.ok_or("a depth format")?, SAMPLES, wgpu::TextureUsages::empty());
        let picture = texture(format, 1, wgpu::TextureUsages::COPY_SRC);
        let samples = samples.create_view(&Default::default());
        let depth = depth.create_view(&Default::default());
        Ok(Self { device, queue, size: [width, height], samples, depth, picture })
    }

    /// What pipelines have to be made for.
    pub(crate) fn target() -> Target {
        Target { sample_count: SAMPLES, ..Target::default() }
    }

    /// Width by height.
    pub(crate) fn aspect(&self) -> f32 {
        self.size[0] as f32 / self.size[1] as f32
    }

    /// Records the frame's one colour pass, on a sky-blue ground.
    pub(crate) fn color_pass(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        draw: impl FnOnce(&mut wgpu::RenderPass<'_>),
    ) {
        let picture = self.picture.create_view(&Default::default());
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("colour"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &self.samples,
                depth_slice: None,
                resolve_target: Some(&picture),
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color { r: 0.30, g: 0.42, b: 0.55, a: 1.0 }),
                    store: wgpu::StoreOp::Discard,
                },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        draw(&mut pass);
    }

    /// Records the pass of one shadow cascade.
    #[allow(dead_code, reason = "not every example casts shadows")]
    pub(crate) fn shadow_pass(
        encoder: &mut wgpu::CommandEncoder,
        map: &ShadowMap,
        cascade: usize,
        draw: impl FnOnce(&mut wgpu::RenderPass<'_>),
    ) {
        assert_eq!(SHADOW_FORMAT, wgpu::TextureFormat::Depth32Float);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &map.layers()[cascade],
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        draw(&mut pass);
    }

    /// Submits the frame and writes the picture.
    pub(crate) fn save(&self, mut encoder: wgpu::CommandEncoder, path: &Path) -> Result<(), Box<dyn Error>> {
        let [width, height] = self.size;
        let row_bytes = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("picture"),
            size: u64::from(row_bytes) * u64::from(height),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(row_bytes),
            rows_per_image: Some(height),
        };
        encoder.copy_texture_to_buffer(
            self.picture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        );
        self.queue.submit([encoder.finish()]);
        buffer.slice(..).map_async(wgpu::MapMode::Read, |_| ());
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        let mapped = buffer.slice(..).get_mapped_range()?;
        let rows = mapped.chunks(row_bytes as usize).flat_map(|row| &row[..width as usize * 4]);
        let pixels: Vec<u8> = rows.copied().collect();
        image::save_buffer(path, &pixels, width, height, image::ExtendedColorType::Rgba8)?;
        Ok(())
    }
}

/// Bakes a sample of the project, in memory.
pub(crate) fn sample(name: &str, settings: &BakeSettings) -> Result<AnimFile<'static>, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(format!("{name}.glb"));
    let no_external_files = |uri: &str| Err(std::io::Error::other(format!("no file {uri}")));
    Ok(bake(&std::fs::read(path)?, &no_external_files, settings)?)
}

/// Where an example writes its picture: the first argument, else `target/pictures/`.
pub(crate) fn output(name: &str) -> Result<std::path::PathBuf, Box<dyn Error>> {
    if let Some(path) =
        std::env::args_os().nth(1).filter(|argument| !argument.to_string_lossy().starts_with('-'))
    {
        return Ok(path.into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pictures");
    std::fs::create_dir_all(&folder)?;
    Ok(folder.join(format!("{name}.png")))
}

/// Three rows that turn around +Y by an angle and move.
#[allow(dead_code, reason = "not every example places anything")]
pub(crate) fn place(x: f32, y: f32, z: f32, turn_radians: f32) -> [[f32; 4]; 3] {
    let (sin, cos) = (libm::sinf(turn_radians), libm::cosf(turn_radians));
    [[cos, 0.0, sin, x], [0.0, 1.0, 0.0, y], [-sin, 0.0, cos, z]]
}
