//! Text on pictures, in a font of 8 x 8 pixels.

use font8x8::{
    BASIC_FONTS, BOX_FONTS, GREEK_FONTS, HIRAGANA_FONTS, LATIN_FONTS, MISC_FONTS, UnicodeFonts as _,
};
use image::{Rgb, RgbImage};

/// Pixels from one character to the next at scale 1.
pub(super) const ADVANCE: u32 = 8;

/// What stands for a character that the font lacks: a frame.
const UNKNOWN: [u8; 8] = [0x7e, 0x42, 0x42, 0x42, 0x42, 0x42, 0x7e, 0];

/// Writes a line of text with its upper left corner at (x, y), cut off after `width` pixels.
pub(super) fn write(
    image: &mut RgbImage,
    x: u32,
    y: u32,
    width: u32,
    scale: u32,
    color: [u8; 3],
    text: &str,
) {
    for (number, glyph) in (0..).zip(fitting(text, width / (ADVANCE * scale)).chars().map(glyph)) {
        for (row, bits) in (0..).zip(glyph) {
            for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                let left = x + (number * ADVANCE + column) * scale;
                let top = y + row * scale;
                for (dx, dy) in (0..scale).flat_map(|dx| (0..scale).map(move |dy| (dx, dy))) {
                    if let Some(pixel) = image.get_pixel_mut_checked(left + dx, top + dy) {
                        *pixel = Rgb(color);
                    }
                }
            }
        }
    }
}

/// The text, or its beginning and two dots.
fn fitting(text: &str, characters: u32) -> String {
    let characters = characters as usize;
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let kept: String = text.chars().take(characters.saturating_sub(2)).collect();
    kept + ".."
}

fn glyph(c: char) -> [u8; 8] {
    BASIC_FONTS
        .get(c)
        .or_else(|| LATIN_FONTS.get(c))
        .or_else(|| GREEK_FONTS.get(c))
        .or_else(|| MISC_FONTS.get(c))
        .or_else(|| BOX_FONTS.get(c))
        .or_else(|| HIRAGANA_FONTS.get(c))
        .filter(|_| !c.is_control())
        .unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_off() {
        for (text, characters, expected) in
            [("walk", 4, "walk"), ("walking", 4, "wa.."), ("走る走る走る", 5, "走る走.."), ("walk", 0, "..")]
        {
            assert_eq!(fitting(text, characters), expected);
        }
    }

    #[test]
    fn unknown_characters_become_frames_and_nothing_leaves_the_picture() {
        assert_eq!(glyph('走'), UNKNOWN);
        assert_eq!(glyph('\n'), UNKNOWN);
        assert_ne!(glyph('ä'), UNKNOWN);
        let mut image = RgbImage::new(10, 10);
        write(&mut image, 6, 6, 100, 3, [255; 3], "W走");
        assert!(image.pixels().any(|pixel| pixel.0 == [255; 3]));
    }
}
