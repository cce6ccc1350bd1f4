//! Small pictures of crowds: drawn off screen, read back, compared with each other and with golden ones.

use anim_wgpu::{Crowd, CrowdPipelines, Target, View};

/// Samples a pixel in pictures, so that edges are smooth and small shifts do not flip pixels.
const SAMPLES: u32 = 4;

/// Pixels as red, green, blue, alpha in sRGB, row by row from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// `width * height * 4` bytes.
    pub pixels: Vec<u8>,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture {} x {}", self.width, self.height)
    }
}

/// The target that [`draw`] has.
#[must_use]
pub fn target() -> Target {
    Target { sample_count: SAMPLES, ..Target::default() }
}

/// Draws view 0 of a crowd that has been prepared by `encoder`, submits, and reads the picture back.
#[must_use]
pub fn draw(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    encoder: wgpu::CommandEncoder,
    size: (u32, u32),
    crowds: &[(&Crowd, &CrowdPipelines)],
) -> Picture {
    draw_with(device, queue, encoder, size, |pass| {
        for (crowd, pipelines) in crowds {
            crowd.draw(pass, pipelines, 0);
        }
    })
}

/// Clears a picture, lets `record` draw to it, submits, and reads it back. The clear colour is a dark blue.
///
/// # Panics
///
/// If the picture cannot be read back.
#[must_use]
pub fn draw_with(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    encoder: wgpu::CommandEncoder,
    size: (u32, u32),
    record: impl FnOnce(&mut wgpu::RenderPass<'_>),
) -> Picture {
    draw_after(device, queue, encoder, size, |_| {}, record)
}

/// The same after a pass of its own in which `prepass` draws to the depth attachment alone.
///
/// # Panics
///
/// If the picture cannot be read back.
#[must_use]
pub fn draw_after(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    mut encoder: wgpu::CommandEncoder,
    (width, height): (u32, u32),
    prepass: impl FnOnce(&mut wgpu::RenderPass<'_>),
    record: impl FnOnce(&mut wgpu::RenderPass<'_>),
) -> Picture {
    let texture = |format, sample_count, usage| {
        device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | usage,
            view_formats: &[],
        })
    };
    let target = target();
    let format = target.color.expect("a colour target");
    let none = wgpu::TextureUsages::empty();
    let samples = texture(format, SAMPLES, none).create_view(&Default::default());
    let resolved = texture(format, 1, wgpu::TextureUsages::COPY_SRC);
    let resolved_view = resolved.create_view(&Default::default());
    let depth = texture(target.depth.expect("depth"), SAMPLES, none).create_view(&Default::default());
    let depth_attachment = |load, store| {
        Some(wgpu::RenderPassDepthStencilAttachment {
            view: &depth,
            depth_ops: Some(wgpu::Operations { load, store }),
            stencil_ops: None,
        })
    };
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("prepass"),
        depth_stencil_attachment: depth_attachment(wgpu::LoadOp::Clear(1.0), wgpu::StoreOp::Store),
        ..Default::default()
    });
    prepass(&mut pass);
    drop(pass);
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("picture"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &samples,
            depth_slice: None,
            resolve_target: Some(&resolved_view),
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color { r: 0.02, g: 0.03, b: 0.06, a: 1.0 }),
                store: wgpu::StoreOp::Discard,
            },
        })],
        depth_stencil_attachment: depth_attachment(wgpu::LoadOp::Load, wgpu::StoreOp::Discard),
        ..Default::default()
    });
    record(&mut pass);
    drop(pass);
    let row_bytes = (width * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("picture"),
        size: u64::from(row_bytes) * u64::from(height),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    encoder.copy_texture_to_buffer(
        resolved.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row_bytes),
                rows_per_image: Some(height),
            },
        },
        wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
    );
    queue.submit([encoder.finish()]);
    buffer.slice(..).map_async(wgpu::MapMode::Read, |result| result.expect("a buffer that can be mapped"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("a device that answers");
    let mapped = buffer.slice(..).get_mapped_range().expect("a mapped buffer");
    let pixels =
        mapped.chunks(row_bytes as usize).flat_map(|row| row[..width as usize * 4].to_vec()).collect();
    Picture { width, height, pixels }
}

/// A perspective view of a box from its front right and a little above: where models look best.
#[must_use]
pub fn view_of(low: [f32; 3], high: [f32; 3], aspect: f32) -> View {
    let center: [f32; 3] = std::array::from_fn(|i| (low[i] + high[i]) * 0.5);
    let radius = (0..3).map(|i| (high[i] - low[i]).powi(2)).sum::<f32>().sqrt() * 0.5;
    let back = [0.545_503_8, 0.309_017, 0.779_060];
    let eye = std::array::from_fn(|i| center[i] + back[i] * radius * 2.7);
    View::look_at(eye, center, 0.8, aspect, radius * 0.05, radius * 20.0)
}

/// How two pictures differ: the share of pixels that differ by more than `threshold` of 255 in a channel, and the mean
/// difference over all channels, of 255.
///
/// # Panics
///
/// If they are of different size.
#[must_use]
pub fn difference(a: &Picture, b: &Picture, threshold: u8) -> (f64, f64) {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let mut over = 0usize;
    let mut sum = 0u64;
    for (a, b) in a.pixels.chunks(4).zip(b.pixels.chunks(4)) {
        let apart: Vec<u8> = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).collect();
        over += usize::from(apart.iter().any(|n| *n > threshold));
        sum += apart.iter().map(|n| u64::from(*n)).sum::<u64>();
    }
    (over as f64 / (a.pixels.len() / 4) as f64, sum as f64 / a.pixels.len() as f64)
}

/// Writes a picture as PNG.
///
/// # Panics
///
/// If it cannot be written.
pub fn save(picture: &Picture, path: &std::path::Path) {
    image::save_buffer(path, &picture.pixels, picture.width, picture.height, image::ExtendedColorType::Rgba8)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}

/// Compares a picture with the golden one of a name in `tests/golden/`, or writes it there when `ANIM_BLESS` is set. At
/// most `share` of the pixels may differ by more than 24 of 255. What was found is left in `target/pictures/`.
///
/// # Panics
///
/// If there is no golden picture, or it differs by more.
pub fn assert_golden(name: &str, picture: &Picture, share: f64) {
    let root = crate::models::workspace_root();
    let found = root.join("target/pictures");
    std::fs::create_dir_all(&found).expect("a folder for pictures");
    save(picture, &found.join(format!("{name}.png")));
    let golden = root.join("tests/golden").join(format!("{name}.png"));
    if std::env::var_os("ANIM_BLESS").is_some() {
        std::fs::create_dir_all(root.join("tests/golden")).expect("a folder for golden pictures");
        save(picture, &golden);
        return;
    }
    let expected = image::open(&golden)
        .unwrap_or_else(|error| panic!("{}: {error} (`cargo xtask bless` writes it)", golden.display()))
        .into_rgba8();
    let expected =
        Picture { width: expected.width(), height: expected.height(), pixels: expected.into_raw() };
    let (over, mean) = difference(picture, &expected, 24);
    assert!(
        over <= share,
        "{name}: {:.2} % of the pixels differ (mean {mean:.2}); what was drawn is in target/pictures/",
        over * 100.0
    );
}
