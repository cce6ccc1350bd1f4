//! What is drawn to without a window: colour and depth textures, and the picture that they become.

use image::RgbImage;

use super::Gpu;

/// Format of colours.
pub(crate) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Format of depths.
pub(crate) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Textures of one size.
#[derive(Debug)]
pub(crate) struct OffScreen {
    size: wgpu::Extent3d,
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
    /// What can be read back.
    picture: wgpu::Texture,
    /// Where samples are resolved to, if there are several a pixel.
    resolved: Option<wgpu::TextureView>,
}

impl OffScreen {
    /// Textures with a number of samples a pixel.
    pub(crate) fn new(device: &wgpu::Device, (width, height): (u32, u32), samples: u32) -> Self {
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let make = |format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some("off screen"),
                size,
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
                view_formats: &[],
            })
        };
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let none = wgpu::TextureUsages::empty();
        let picture = make(COLOR, 1, wgpu::TextureUsages::COPY_SRC);
        let several = (samples > 1).then(|| view(&make(COLOR, samples, none)));
        let resolved = several.is_some().then(|| view(&picture));
        Self {
            size,
            color: several.unwrap_or_else(|| view(&picture)),
            depth: view(&make(DEPTH, samples, none)),
            picture,
            resolved,
        }
    }

    /// Begins a pass that clears both, or the depth alone.
    pub(crate) fn begin<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        with_color: bool,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) -> wgpu::RenderPass<'e> {
        let colors = [Some(wgpu::RenderPassColorAttachment {
            view: &self.color,
            depth_slice: None,
            resolve_target: self.resolved.as_ref(),
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: if self.resolved.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store },
            },
        })];
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("off screen"),
            color_attachments: if with_color { &colors } else { &[] },
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            timestamp_writes,
            ..Default::default()
        })
    }

    /// Submits what was recorded, waits for it, and reads the picture back.
    pub(crate) fn finish(&self, gpu: &Gpu, mut encoder: wgpu::CommandEncoder) -> Result<RgbImage, String> {
        let (width, height) = (self.size.width, self.size.height);
        let row_bytes = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
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
        let copy = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
        encoder.copy_texture_to_buffer(self.picture.as_image_copy(), copy, self.size);
        gpu.queue.submit([encoder.finish()]);
        // Whether it worked is seen when it is read.
        buffer.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        gpu.wait()?;
        if let Some(error) = gpu.take_error() {
            return Err(error);
        }
        let mapped = buffer.slice(..).get_mapped_range().map_err(|error| error.to_string())?;
        let pixels =
            mapped.chunks_exact(row_bytes as usize).flat_map(|row| row[..width as usize * 4].chunks_exact(4));
        let bytes = pixels.flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        RgbImage::from_raw(width, height, bytes).ok_or_else(|| "the picture is not whole".to_owned())
    }
}
