//! What is drawn to without a window: a colour and a depth texture, and the picture that they become.

/// Format of colours.
pub(crate) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;
/// Format of depths.
pub(crate) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Textures of one size.
#[derive(Debug)]
pub(crate) struct OffScreen {
    /// What is drawn to.
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
}

impl OffScreen {
    /// Textures with one sample a pixel.
    pub(crate) fn new(device: &wgpu::Device, width: u32, height: u32) -> Self {
        let view = |format, label| {
            texture(device, label, format, (width, height), 1).create_view(&Default::default())
        };
        Self { color: view(COLOR, "bench colour"), depth: view(DEPTH, "bench depth") }
    }

    /// Begins a pass that clears both, or the depth alone.
    pub(crate) fn begin<'e>(
        &self,
        encoder: &'e mut wgpu::CommandEncoder,
        with_color: bool,
        timestamp_writes: Option<wgpu::RenderPassTimestampWrites<'_>>,
    ) -> wgpu::RenderPass<'e> {
        let color = wgpu::RenderPassColorAttachment {
            view: &self.color,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Store,
            },
        };
        let colors = [Some(color)];
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("bench draw"),
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
}

/// A texture to draw to.
pub(crate) fn texture(
    device: &wgpu::Device,
    label: &str,
    format: wgpu::TextureFormat,
    (width, height): (u32, u32),
    sample_count: u32,
) -> wgpu::Texture {
    let copied = if sample_count == 1 { wgpu::TextureUsages::COPY_SRC } else { wgpu::TextureUsages::empty() };
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | copied,
        view_formats: &[],
    })
}
