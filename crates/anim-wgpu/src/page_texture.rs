//! The texture form of a page set: any shape does, because shaders count texels over the whole set.
//!
//! Texel `n` is at `(n % width, n / width % height)` of layer `n / (width * height)`. Pages go up as they are where
//! they fit; else their rows are laid out anew, straight from the pages' bytes.

use anim_format::model::{PageSet, TexelFormat};

/// Size of a texture array that holds a page set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageTextureShape {
    /// Texels of a row.
    pub(crate) width: u32,
    /// Rows of a layer.
    pub(crate) height: u32,
    /// Layers, at least two.
    pub(crate) layers: u32,
}

impl PageTextureShape {
    /// The shape for a page set on a device with these limits: the pages' own where that is possible, else one with
    /// hardly a row to spare; `None` if the device has no texture array that large. A frame of `frame_texels` texels lies in
    /// two layers at most, which shaders rely on.
    ///
    /// Two shapes are never used, because the GL backend of wgpu takes them for something else and shaders then read
    /// zeros: a single layer (a plain texture there), and square layers whose number is a multiple of six (cube maps).
    pub(crate) fn of(set: &PageSet<'_>, frame_texels: u64, limits: &wgpu::Limits) -> Option<Self> {
        let side = limits.max_texture_dimension_2d;
        let layers_max = limits.max_texture_array_layers;
        let width = texture_width(set.width, side)?;
        let pages = u32::try_from(set.pages.len()).ok()?;
        let own = Self { width, height: set.height, layers: pages };
        if width == set.width && set.height <= side && pages <= layers_max && own.is_array_everywhere() {
            return Some(own);
        }
        let rows = (set.page_texels() * u64::from(pages)).div_ceil(u64::from(width)).max(1);
        let least_layers = u32::try_from(rows.div_ceil(u64::from(side))).ok()?.max(2);
        (least_layers..=least_layers.saturating_add(1))
            .map(|layers| {
                // At most `side`, because there are enough layers.
                let height = u32::try_from(rows.div_ceil(u64::from(layers))).unwrap_or(u32::MAX);
                Self { width, height, layers }
            })
            .find(|shape| shape.is_array_everywhere())
            .filter(|shape| shape.layers <= layers_max)
            .filter(|shape| shape.layers == 2 || frame_texels <= u64::from(shape.width * shape.height))
    }

    /// Whether every backend makes a texture array of it.
    fn is_array_everywhere(self) -> bool {
        let is_cube = self.width == self.height && self.layers.is_multiple_of(6);
        self.layers >= 2 && !is_cube
    }
}

/// Layers to allocate for an array that holds `layers`, such that every backend makes a texture array of it.
pub(crate) fn array_layers(width: u32, height: u32, layers: u32) -> u32 {
    let layers = layers.max(2);
    if width == height && layers.is_multiple_of(6) { layers + 1 } else { layers }
}

/// Width of the texture for pages of a width: the largest power of two that divides it and the device allows, so that
/// every page starts a row and shaders need no division. Pages of a file that was read are a power of two wide.
fn texture_width(page_width: u32, side: u32) -> Option<u32> {
    let shift = side.checked_ilog2()?.min(page_width.trailing_zeros());
    Some(1 << shift)
}

/// Rows of one page that go to one layer.
#[derive(Clone, Copy, Debug)]
struct RowsWrite<'a> {
    layer: u32,
    first_row: u32,
    rows: u32,
    bytes: &'a [u8],
}

/// Says for all pages which of their bytes go where. Nothing is copied.
fn for_each_write(set: &PageSet<'_>, shape: PageTextureShape, mut write: impl FnMut(RowsWrite<'_>)) {
    let row_bytes = shape.width as usize * set.texel_format.bytes() as usize;
    let (mut layer, mut first_row) = (0, 0);
    for page in &set.pages {
        let mut left: &[u8] = page;
        while left.len() >= row_bytes {
            let fit = (shape.height - first_row) as usize;
            let rows = fit.min(left.len() / row_bytes);
            let (bytes, rest) = left.split_at(rows * row_bytes);
            let rows = u32::try_from(rows).unwrap_or(u32::MAX);
            write(RowsWrite { layer, first_row, rows, bytes });
            first_row += rows;
            if first_row == shape.height {
                (layer, first_row) = (layer + 1, 0);
            }
            left = rest;
        }
    }
}

/// Uploads a page set as a texture array of this shape.
pub(crate) fn upload_page_texture(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    set: &PageSet<'_>,
    shape: PageTextureShape,
) -> wgpu::TextureView {
    let format = match set.texel_format {
        TexelFormat::Rgba32Float => wgpu::TextureFormat::Rgba32Float,
        _ => wgpu::TextureFormat::Rgba16Float,
    };
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("anim pages"),
        size: wgpu::Extent3d {
            width: shape.width,
            height: shape.height,
            depth_or_array_layers: shape.layers,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for_each_write(set, shape, |write| {
        queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                texture: &texture,
                mip_level: 0,
                origin: wgpu::Origin3d { x: 0, y: write.first_row, z: write.layer },
                aspect: wgpu::TextureAspect::All,
            },
            write.bytes,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(shape.width * set.texel_format.bytes()),
                rows_per_image: Some(write.rows),
            },
            wgpu::Extent3d { width: shape.width, height: write.rows, depth_or_array_layers: 1 },
        );
    });
    texture.create_view(&wgpu::TextureViewDescriptor {
        dimension: Some(wgpu::TextureViewDimension::D2Array),
        ..wgpu::TextureViewDescriptor::default()
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use anim_format::model::{Content, Encoding};

    use super::*;

    /// Pages whose texels hold their own numbers.
    fn numbered(width: u32, height: u32, pages: u32) -> PageSet<'static> {
        let page = |page: u32| -> Cow<'static, [u8]> {
            let first = page * width * height;
            let texels = first..first + width * height;
            texels.flat_map(|number| u64::from(number).to_le_bytes()).collect::<Vec<u8>>().into()
        };
        PageSet {
            content: Content::Rows,
            encoding: Encoding::Affine16,
            texel_format: TexelFormat::Rgba16Float,
            width,
            height,
            pages: (0..pages).map(page).collect(),
        }
    }

    fn limits(side: u32, layers: u32) -> wgpu::Limits {
        wgpu::Limits {
            max_texture_dimension_2d: side,
            max_texture_array_layers: layers,
            ..wgpu::Limits::downlevel_webgl2_defaults()
        }
    }

    fn shape(set: &PageSet<'_>, side: u32, layers: u32) -> Option<[u32; 3]> {
        let shape = PageTextureShape::of(set, 1, &limits(side, layers))?;
        Some([shape.width, shape.height, shape.layers])
    }

    #[test]
    fn pages_that_fit_keep_their_shape_and_others_get_one_with_hardly_a_row_to_spare() {
        let table = [
            ((64, 64, 4), 64, 256, Some([64, 64, 4])),
            ((64, 64, 1), 64, 256, Some([64, 32, 2])),
            ((64, 63, 1), 64, 256, Some([64, 32, 2])),
            ((64, 64, 6), 2048, 256, Some([64, 192, 2])),
            ((64, 64, 6), 64, 256, Some([64, 55, 7])),
            ((64, 64, 6), 64, 6, None),
            ((64, 60, 6), 64, 256, Some([64, 60, 6])),
            ((256, 40, 1), 64, 256, Some([64, 54, 3])),
            ((256, 40, 1), 100, 256, Some([64, 80, 2])),
            ((256, 40, 1), 64, 2, None),
            ((64, 200, 2), 100, 256, Some([64, 100, 4])),
            ((64, 2, 300), 64, 256, Some([64, 60, 10])),
            ((64, 1, 1), 64, 256, Some([64, 1, 2])),
            ((64, 1, 1), 64, 1, None),
            ((64, 1, 1), 0, 256, None),
        ];
        for ((width, height, pages), side, layers, expected) in table {
            let found = shape(&numbered(width, height, pages), side, layers);
            assert_eq!(found, expected, "{pages} pages of {width} x {height} on {side}, {layers} layers");
        }
    }

    #[test]
    fn every_texel_is_where_a_shader_looks_for_it() {
        let mut checked = 0;
        for (width, height, pages) in
            [(64, 64, 1), (64, 64, 6), (64, 37, 5), (256, 3, 7), (128, 128, 12), (96, 5, 2)]
        {
            for (side, layers_max) in [(16, 4096), (50, 4096), (64, 256), (100, 256), (2048, 256)] {
                let set = numbered(width, height, pages);
                let shape = PageTextureShape::of(&set, 1, &limits(side, layers_max)).expect("a large device");
                assert!(
                    shape.width <= side && shape.height <= side && shape.layers <= layers_max,
                    "{shape:?}"
                );
                assert!(shape.layers >= 2, "{shape:?}");
                assert!(shape.width != shape.height || !shape.layers.is_multiple_of(6), "{shape:?}");
                let layer_texels = (shape.width * shape.height) as usize;
                let mut texture = vec![u64::MAX; layer_texels * shape.layers as usize];
                for_each_write(&set, shape, |write| {
                    assert!(write.first_row + write.rows <= shape.height, "{shape:?}");
                    let first =
                        write.layer as usize * layer_texels + (write.first_row * shape.width) as usize;
                    let numbers = bytemuck::pod_collect_to_vec::<u8, u64>(write.bytes);
                    assert_eq!(numbers.len(), (write.rows * shape.width) as usize);
                    texture[first..first + numbers.len()].copy_from_slice(&numbers);
                });
                let texels = (width * height * pages) as usize;
                assert!((0..).zip(&texture[..texels]).all(|(number, found)| *found == number), "{shape:?}");
                // No more than the layers' last rows are empty.
                assert!(texture.len() - texels <= (2 * shape.layers * shape.width) as usize, "{shape:?}");
                checked += 1;
            }
        }
        assert_eq!(checked, 30);
    }
}
