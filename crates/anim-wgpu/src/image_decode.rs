//! A file's images as texels, within limits: a few bytes of a hostile file can ask for gigabytes.

use anim_format::model::Image;

use crate::image_mips::Level;

/// Memory that the texels of one image may take.
#[cfg(feature = "image")]
const IMAGE_BYTES_MAX: u64 = 512 << 20;
/// Longest side that is decoded.
#[cfg(feature = "image")]
const SIDE_MAX: u32 = 32_768;

/// Memory that the texels of all images of a file may take.
pub(crate) const FILE_BYTES_MAX: u64 = 2 << 30;

/// Decodes an image and takes its texels from what is left for the file. An error says why it cannot be.
#[cfg(feature = "image")]
pub(crate) fn decode(image: &Image<'_>, left_bytes: &mut u64) -> Result<Level, String> {
    use std::io::Cursor;

    use anim_format::model::ImageFormat;
    use image::{ImageReader, Limits};

    let format = match image.format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
    };
    let reader = || {
        let mut reader = ImageReader::with_format(Cursor::new(&*image.bytes), format);
        let mut limits = Limits::default();
        limits.max_image_width = Some(SIDE_MAX);
        limits.max_image_height = Some(SIDE_MAX);
        limits.max_alloc = Some(IMAGE_BYTES_MAX);
        reader.limits(limits);
        reader
    };
    // Before decoding: a gray image takes four times as much here as in its decoder.
    let (width, height) = reader().into_dimensions().map_err(|error| error.to_string())?;
    let bytes = u64::from(width) * u64::from(height) * 4;
    if bytes > IMAGE_BYTES_MAX {
        return Err(format!("{width} x {height} texels are more than {IMAGE_BYTES_MAX} bytes"));
    }
    let Some(left) = left_bytes.checked_sub(bytes) else {
        return Err(format!("the images of the file are more than {FILE_BYTES_MAX} bytes of texels"));
    };
    let decoded = reader().decode().map_err(|error| error.to_string())?.into_rgba8();
    if decoded.width() == 0 || decoded.height() == 0 {
        return Err("it has no texels".into());
    }
    *left_bytes = left;
    Ok(Level { width: decoded.width(), height: decoded.height(), texels: decoded.into_raw() })
}

/// Without a decoder: always an error.
#[cfg(not(feature = "image"))]
pub(crate) fn decode(_: &Image<'_>, _: &mut u64) -> Result<Level, String> {
    Err("this program was built without the feature `image` of anim-wgpu".into())
}

#[cfg(all(test, feature = "image"))]
mod tests {
    use anim_format::model::ImageFormat;

    use super::*;

    fn png(width: u32, height: u32) -> Image<'static> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::GrayImage::from_pixel(width, height, image::Luma([77]))
            .write_to(&mut bytes, image::ImageFormat::Png)
            .expect("a small image");
        Image { name: "skin".into(), format: ImageFormat::Png, bytes: bytes.into_inner().into() }
    }

    #[test]
    fn gray_becomes_four_bytes_a_texel() {
        let mut left = 24;
        let level = decode(&png(2, 3), &mut left).expect("an image");
        assert_eq!((level.width, level.height, left), (2, 3, 0));
        assert_eq!(level.texels, [77, 77, 77, 255].repeat(6));
    }

    #[test]
    fn images_beyond_the_limits_are_errors_before_they_are_decoded() {
        let mut left = 23;
        assert!(decode(&png(2, 3), &mut left).expect_err("24 bytes").contains("more than"));
        assert_eq!(left, 23);
        // A header that asks for 30,000 x 30,000 texels.
        let mut huge = png(1, 1);
        let bytes = huge.bytes.to_mut();
        bytes[16..20].copy_from_slice(&30_000u32.to_be_bytes());
        bytes[20..24].copy_from_slice(&30_000u32.to_be_bytes());
        let mut left = FILE_BYTES_MAX;
        assert!(decode(&huge, &mut left).is_err());
        huge.bytes.to_mut()[16..20].copy_from_slice(&4_000_000u32.to_be_bytes());
        assert!(decode(&huge, &mut left).is_err());
        assert_eq!(left, FILE_BYTES_MAX);
    }

    #[test]
    fn bytes_of_another_kind_are_errors() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg] {
            for bytes in [&b""[..], b"GIF89a", &[0xff; 64]] {
                let image = Image { name: "".into(), format, bytes: bytes.into() };
                assert!(decode(&image, &mut 1000).is_err());
            }
        }
    }
}
