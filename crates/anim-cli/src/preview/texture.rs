//! Base-colour images as textures: decoded within limits, with smaller levels, wrapped and filtered.

use std::io::Cursor;

use anim_format::model::{Image, ImageFormat, Sampler, Wrap};
use image::{ImageReader, Limits};

use super::raster::ScreenVertex;

/// Longest side of the largest level kept: no picture of a sheet shows more.
const SIDE_MAX: u32 = 1024;

/// Longest side that is decoded at all.
const DECODED_SIDE_MAX: u32 = 16_384;

/// Memory that decoding one image may take.
const DECODED_BYTES_MAX: u64 = 512 << 20;

/// A texture with levels of halved size, as sRGB bytes.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    levels: Vec<Level>,
    sampler: Sampler,
}

#[derive(Clone, Debug)]
struct Level {
    width: usize,
    height: usize,
    texels: Vec<[u8; 4]>,
}

impl Texture {
    /// Decodes an image. An error says why it cannot be.
    pub(super) fn decode(image: &Image<'_>, sampler: Sampler) -> Result<Self, String> {
        let format = match image.format {
            ImageFormat::Png => image::ImageFormat::Png,
            ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        };
        let mut reader = ImageReader::with_format(Cursor::new(&*image.bytes), format);
        let mut limits = Limits::default();
        limits.max_image_width = Some(DECODED_SIDE_MAX);
        limits.max_image_height = Some(DECODED_SIDE_MAX);
        limits.max_alloc = Some(DECODED_BYTES_MAX);
        reader.limits(limits);
        let decoded = reader.decode().map_err(|error| error.to_string())?.into_rgba8();
        let (width, height) = decoded.dimensions();
        let side = |n: u32| usize::try_from(n).expect("limited above");
        let texels = decoded.into_raw().chunks_exact(4).map(|t| [t[0], t[1], t[2], t[3]]).collect();
        let mut level = Level { width: side(width), height: side(height), texels };
        while level.width.max(level.height) > side(SIDE_MAX) {
            level = level.halved();
        }
        Ok(Self::from_level(level, sampler))
    }

    fn from_level(level: Level, sampler: Sampler) -> Self {
        let mut levels = vec![level];
        while let Some(last) = levels.last().filter(|last| last.width.max(last.height) > 1) {
            levels.push(last.halved());
        }
        Self { levels, sampler }
    }

    /// The level at which a triangle's texels are about as large as its pixels. `area` is twice its area in pixels.
    pub(super) fn level_of_triangle(&self, corners: &[ScreenVertex; 3], area: f32) -> f32 {
        let [a, b, c] = corners.each_ref().map(|corner| corner.uv);
        let uv_area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        let texels = uv_area.abs() * to_f32(self.levels[0].width) * to_f32(self.levels[0].height);
        let level = 0.5 * libm::log2f(texels / area.abs());
        if level > 0.0 { level } else { 0.0 }
    }

    /// Linear colour and alpha at a texture coordinate.
    pub(super) fn sample(&self, uv: [f32; 2], level: f32) -> [f32; 4] {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small number, not negative"
        )]
        let number = (libm::roundf(level) as usize).min(self.levels.len() - 1);
        let nearest = if number == 0 { self.sampler.mag_nearest } else { self.sampler.min_nearest };
        let level = &self.levels[number];
        let x = uv[0] * to_f32(level.width) - 0.5;
        let y = uv[1] * to_f32(level.height) - 0.5;
        if nearest {
            return self.texel(level, libm::floorf(x + 0.5), libm::floorf(y + 0.5));
        }
        let (x0, y0) = (libm::floorf(x), libm::floorf(y));
        let (fx, fy) = (x - x0, y - y0);
        let upper = lerp(self.texel(level, x0, y0), self.texel(level, x0 + 1.0, y0), fx);
        let lower = lerp(self.texel(level, x0, y0 + 1.0), self.texel(level, x0 + 1.0, y0 + 1.0), fx);
        lerp(upper, lower, fy)
    }

    fn texel(&self, level: &Level, x: f32, y: f32) -> [f32; 4] {
        let x = wrap(x, level.width, self.sampler.wrap_u);
        let y = wrap(y, level.height, self.sampler.wrap_v);
        let [r, g, b, a] = level.texels[y * level.width + x];
        [to_linear(r), to_linear(g), to_linear(b), f32::from(a) / 255.0]
    }
}

impl Level {
    /// Half the size, each texel the mean of up to four, in linear light.
    fn halved(&self) -> Self {
        let (width, height) = (self.width.div_ceil(2), self.height.div_ceil(2));
        let mut texels = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                let mut sum = [0.0f32; 4];
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let (sx, sy) = ((2 * x + dx).min(self.width - 1), (2 * y + dy).min(self.height - 1));
                    let [r, g, b, a] = self.texels[sy * self.width + sx];
                    let linear = [to_linear(r), to_linear(g), to_linear(b), f32::from(a)];
                    sum = std::array::from_fn(|i| sum[i] + linear[i] * 0.25);
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a mean of bytes"
                )]
                let alpha = libm::roundf(sum[3]) as u8;
                texels.push([to_srgb(sum[0]), to_srgb(sum[1]), to_srgb(sum[2]), alpha]);
            }
        }
        Self { width, height, texels }
    }
}

/// A linear intensity as an sRGB byte.
pub(super) fn to_srgb(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let encoded =
        if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
    let byte = (encoded * 255.0 + 0.5) as u8;
    byte
}

/// An sRGB byte as a linear intensity.
pub(super) fn to_linear(byte: u8) -> f32 {
    static TABLE: std::sync::LazyLock<[f32; 256]> = std::sync::LazyLock::new(|| {
        std::array::from_fn(|byte| {
            let encoded = to_f32(byte) / 255.0;
            if encoded <= 0.040_45 { encoded / 12.92 } else { libm::powf((encoded + 0.055) / 1.055, 2.4) }
        })
    });
    TABLE[usize::from(byte)]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "wrapped into the size first")]
fn wrap(coordinate: f32, size: usize, mode: Wrap) -> usize {
    let length = to_f32(size);
    let wrapped = match mode {
        Wrap::Repeat => coordinate - libm::floorf(coordinate / length) * length,
        Wrap::Clamp => coordinate,
        Wrap::Mirror => {
            let twice = 2.0 * length;
            let there = coordinate - libm::floorf(coordinate / twice) * twice;
            if there >= length { twice - 1.0 - there } else { there }
        }
    };
    // What is not a number becomes 0.
    (wrapped.clamp(0.0, length - 1.0) as usize).min(size - 1)
}

fn lerp(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    std::array::from_fn(|i| a[i] * (1.0 - t) + b[i] * t)
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn to_f32(size: usize) -> f32 {
    size as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checker(sampler: Sampler) -> Texture {
        let (black, white) = ([0, 0, 0, 255], [255, 255, 255, 255]);
        let level = Level { width: 2, height: 2, texels: vec![black, white, white, black] };
        Texture::from_level(level, sampler)
    }

    #[test]
    fn wrapping_follows_gltf() {
        for (mode, expected) in [
            (Wrap::Repeat, [2, 0, 1, 2, 0, 1]),
            (Wrap::Mirror, [0, 0, 1, 2, 2, 1]),
            (Wrap::Clamp, [0, 0, 1, 2, 2, 2]),
        ] {
            let found = [-1.0, 0.0, 1.0, 2.0, 3.0, 4.0].map(|x| wrap(x, 3, mode));
            assert_eq!(found, expected, "{mode:?}");
        }
        assert_eq!(wrap(f32::NAN, 3, Wrap::Clamp), 0);
    }

    #[test]
    fn nearest_and_linear_differ_between_texels() {
        let nearest = Sampler { mag_nearest: true, min_nearest: true, ..Sampler::default() };
        assert_eq!(checker(nearest).sample([0.25, 0.25], 0.0)[0], 0.0);
        assert_eq!(checker(nearest).sample([0.75, 0.25], 0.0)[0], 1.0);
        let linear = checker(Sampler::default());
        assert!((linear.sample([0.5, 0.5], 0.0)[0] - 0.5).abs() < 1e-6);
        assert!((linear.sample([0.1, 0.9], 9.0)[0] - 0.5).abs() < 0.01, "the last level is the mean");
    }

    #[test]
    fn srgb_goes_there_and_back() {
        for byte in 0..=255 {
            assert_eq!(to_srgb(to_linear(byte)), byte);
        }
    }

    #[test]
    fn a_decoding_bomb_and_garbage_are_errors() {
        // A PNG header that claims 60,000 x 60,000 pixels.
        let mut bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x06\0\0\0".to_vec();
        bomb.extend([0; 32]);
        for bytes in [bomb, b"no image".to_vec(), Vec::new()] {
            for format in [ImageFormat::Png, ImageFormat::Jpeg] {
                let image = Image { name: "".into(), format, bytes: bytes.clone().into() };
                assert!(Texture::decode(&image, Sampler::default()).is_err());
            }
        }
    }
}
