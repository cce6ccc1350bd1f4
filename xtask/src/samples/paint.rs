//! A small picture with a palette, as a PNG file.

use anim_core::glam::DVec2;
use anyhow::Context;

use super::mesh_builder::UvRect;

/// A rectangle of texels: left, top, width, height.
pub(super) type Area = [usize; 4];

/// A square picture.
pub(super) struct Picture {
    size_texels: usize,
    colours: Vec<[u8; 3]>,
    texels: Vec<u8>,
}

impl Picture {
    pub(super) fn new(size_texels: usize) -> Self {
        Self { size_texels, colours: Vec::new(), texels: vec![0; size_texels * size_texels] }
    }

    /// Fills the part of an area that lies in the picture with one sRGB colour.
    pub(super) fn fill(&mut self, [left, top, width, height]: Area, colour: [u8; 3]) {
        let known = self.colours.iter().position(|c| *c == colour);
        let index = known.unwrap_or_else(|| {
            self.colours.push(colour);
            self.colours.len() - 1
        });
        let index = u8::try_from(index).expect("a sample's picture has at most 256 colours");
        for y in top..(top + height).min(self.size_texels) {
            for x in left..(left + width).min(self.size_texels) {
                self.texels[y * self.size_texels + x] = index;
            }
        }
    }

    /// Fills an area with rows that go from one colour at the top to another at the bottom.
    pub(super) fn fade(&mut self, [left, top, width, height]: Area, from: [u8; 3], to: [u8; 3]) {
        let last = (height - 1).max(1);
        for row in 0..height {
            let mix = |channel: usize| {
                let (a, b) = (usize::from(from[channel]), usize::from(to[channel]));
                u8::try_from((a * (last - row) + b * row) / last).unwrap_or(u8::MAX)
            };
            self.fill([left, top + row, width, 1], [mix(0), mix(1), mix(2)]);
        }
    }

    /// The PNG file. Nothing is compressed: the bytes do not depend on the version of a compressor.
    pub(super) fn png(&self) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let size = u32::try_from(self.size_texels)?;
        let mut encoder = png::Encoder::new(&mut bytes, size, size);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(self.colours.concat());
        encoder.set_compression(png::Compression::NoCompression);
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder.write_header().context("PNG header")?;
        writer.write_image_data(&self.texels).context("PNG data")?;
        writer.finish().context("PNG end")?;
        Ok(bytes)
    }
}

/// The texture coordinates of an area, half a texel inside it; v runs from its bottom to its top.
pub(super) fn uv_rect([left, top, width, height]: Area, size_texels: f64) -> UvRect {
    let count = |texels: usize| u32::try_from(texels).map_or(0.0, f64::from);
    let (left, top, right, bottom) = (count(left), count(top), count(left + width), count(top + height));
    UvRect {
        min: DVec2::new(left + 0.5, bottom - 0.5) / size_texels,
        max: DVec2::new(right - 0.5, top + 0.5) / size_texels,
    }
}
