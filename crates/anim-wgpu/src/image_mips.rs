//! Smaller levels of an image, in linear light.
//!
//! Each texel of a level is the mean of the area that it covers in the level before, colours weighted by alpha, so that
//! what lies under transparent texels does not bleed into the others. Where alpha decides what is drawn at all, the share
//! of texels that are drawn is kept (I. Castaño, "Computing Alpha Mipmaps", 2010), so that hair and leaves do not thin
//! out in the distance.

use std::sync::LazyLock;

/// One level of an image: rows of sRGB texels, red, green, blue and alpha, a byte each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) texels: Vec<u8>,
}

/// What the alpha of an image is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum AlphaUse {
    /// Nothing: it is 1 everywhere.
    Ignored,
    /// It weights colours.
    Weighted,
    /// It weights colours, and texels below the cutoff are not drawn.
    Cutout { cutoff: f32 },
}

impl Level {
    /// One white texel.
    pub(crate) fn white() -> Self {
        Self { width: 1, height: 1, texels: vec![255; 4] }
    }

    /// Halves the level until no side is longer than `side_max`.
    pub(crate) fn fitted(mut self, side_max: u32) -> Self {
        while self.width.max(self.height) > side_max.max(1) {
            self = Linear::half_of_level(&self).to_level(byte_of_unorm);
        }
        self
    }

    /// Makes every texel opaque.
    fn make_opaque(&mut self) {
        for alpha in self.texels.iter_mut().skip(3).step_by(4) {
            *alpha = 255;
        }
    }
}

/// A level and all smaller ones, down to one texel.
pub(crate) fn mip_chain(mut level: Level, alpha: AlphaUse) -> Vec<Level> {
    if alpha == AlphaUse::Ignored {
        level.make_opaque();
    }
    let coverage = match alpha {
        AlphaUse::Cutout { cutoff } => Some(Coverage::of_level(&level, cutoff)),
        _ => None,
    };
    let mut next = (level.width.max(level.height) > 1).then(|| Linear::half_of_level(&level));
    let mut levels = vec![level];
    while let Some(linear) = next {
        levels.push(match &coverage {
            Some(coverage) => linear.to_level(coverage.kept_in(&linear)),
            None => linear.to_level(byte_of_unorm),
        });
        next = (linear.width.max(linear.height) > 1).then(|| linear.half());
    }
    levels
}

/// A level in linear light, colours not multiplied with alpha.
struct Linear {
    width: u32,
    height: u32,
    texels: Vec<[f32; 4]>,
}

impl Linear {
    fn half_of_level(level: &Level) -> Self {
        Self::half_of(level.width, level.height, |index| {
            let [r, g, b, a] = std::array::from_fn(|i| level.texels[index * 4 + i]);
            let linear = |byte: u8| SRGB.linear[usize::from(byte)];
            [linear(r), linear(g), linear(b), f32::from(a) / 255.0]
        })
    }

    fn half(&self) -> Self {
        Self::half_of(self.width, self.height, |index| self.texels[index])
    }

    fn half_of(width: u32, height: u32, texel: impl Fn(usize) -> [f32; 4]) -> Self {
        let (half_width, half_height) = ((width / 2).max(1), (height / 2).max(1));
        let (columns, rows) = (taps(width, half_width), taps(height, half_height));
        let mut texels = Vec::with_capacity(columns.len() * rows.len());
        for row in &rows {
            for column in &columns {
                let (mut plain, mut weighted, mut alpha) = ([0.0f32; 3], [0.0f32; 3], 0.0);
                for (y, y_share) in row.iter() {
                    for (x, x_share) in column.iter() {
                        let share = x_share * y_share;
                        let [r, g, b, a] = texel(y * width as usize + x);
                        for (i, color) in [r, g, b].into_iter().enumerate() {
                            plain[i] += color * share;
                            weighted[i] += color * share * a;
                        }
                        alpha += a * share;
                    }
                }
                let [r, g, b] = if alpha > 0.0 { weighted.map(|sum| sum / alpha) } else { plain };
                texels.push([r, g, b, alpha]);
            }
        }
        Self { width: half_width, height: half_height, texels }
    }

    fn to_level(&self, alpha_byte: impl Fn(f32) -> u8) -> Level {
        let bytes = |[r, g, b, a]: &[f32; 4]| [to_srgb(*r), to_srgb(*g), to_srgb(*b), alpha_byte(*a)];
        Level { width: self.width, height: self.height, texels: self.texels.iter().flat_map(bytes).collect() }
    }
}

/// Up to three neighbours of one axis and the share that each has in a texel of the smaller level.
struct Taps {
    first: usize,
    shares: [f32; 3],
}

impl Taps {
    fn iter(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        (self.first..).zip(self.shares).filter(|(_, share)| *share > 0.0)
    }
}

/// The area that each texel of a row of `to` texels covers in a row of `from`, where `to` is half of `from`.
#[expect(clippy::cast_precision_loss, reason = "sides of images")]
fn taps(from: u32, to: u32) -> Vec<Taps> {
    let (from, to) = (u64::from(from), u64::from(to));
    // In units of 1 / to of a texel: texel `i` covers `i * from..(i + 1) * from`, its neighbour `j` is `j * to..`.
    let taps_of = |i: u64| {
        let (start, end) = (i * from, (i + 1) * from);
        let first = start / to;
        let shares = std::array::from_fn(|k| {
            let left = (first + k as u64) * to;
            let covered = end.min(left + to).saturating_sub(start.max(left));
            covered as f32 / from as f32
        });
        Taps { first: usize::try_from(first).unwrap_or(usize::MAX), shares }
    };
    (0..to).map(taps_of).collect()
}

/// The share of texels that an alpha test draws.
struct Coverage {
    /// Smallest byte that is drawn; 256 if none is.
    lowest: u16,
    drawn: usize,
    texels: usize,
}

impl Coverage {
    fn of_level(level: &Level, cutoff: f32) -> Self {
        let lowest = (0..=255u8).find(|byte| f32::from(*byte) / 255.0 >= cutoff).map_or(256, u16::from);
        let alphas = level.texels.iter().skip(3).step_by(4);
        let drawn = alphas.filter(|alpha| u16::from(**alpha) >= lowest).count();
        Self { lowest, drawn, texels: level.texels.len() / 4 }
    }

    /// How alphas of a smaller level become bytes such that the same share is drawn.
    fn kept_in(&self, level: &Linear) -> impl Fn(f32) -> u8 + use<> {
        let count = level.texels.len();
        // The nearest whole number of texels.
        let wanted =
            (2 * self.drawn as u128 * count as u128 + self.texels as u128) / (2 * self.texels as u128);
        let wanted = usize::try_from(wanted).unwrap_or(count).min(count);
        let lowest = self.lowest;
        let drawn_as_is =
            level.texels.iter().filter(|texel| u16::from(byte_of_unorm(texel[3])) >= lowest).count();
        let threshold = (drawn_as_is != wanted).then(|| threshold_of(level, wanted));
        move |alpha| {
            let Some(threshold) = threshold else { return byte_of_unorm(alpha) };
            let scaled = byte_of_unorm(alpha * f32::from(lowest) / 255.0 / threshold);
            // Rounding must not carry a texel over the cutoff.
            let drawn_from = u8::try_from(lowest).unwrap_or(u8::MAX);
            match alpha >= threshold {
                true => scaled.max(drawn_from),
                false => scaled.min(drawn_from.saturating_sub(1)),
            }
        }
    }
}

/// The alpha that the so many largest alphas of a level reach, half way to the next.
fn threshold_of(level: &Linear, wanted: usize) -> f32 {
    let mut alphas: Vec<f32> = level.texels.iter().map(|texel| texel[3]).collect();
    let mut largest_but = |place: usize| match place < alphas.len() {
        true => *alphas.select_nth_unstable_by(place, |a, b| b.total_cmp(a)).1,
        false => 0.0,
    };
    // With none wanted: half way from the largest to above all alphas.
    let last_drawn = if wanted == 0 { 2.0 } else { largest_but(wanted - 1) };
    ((last_drawn + largest_but(wanted)) / 2.0).max(f32::MIN_POSITIVE)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=255")]
fn byte_of_unorm(value: f32) -> u8 {
    libm::roundf(value.clamp(0.0, 1.0) * 255.0) as u8
}

/// The sRGB curve at every byte and half way between them.
struct Srgb {
    linear: [f32; 256],
    halves: [f32; 255],
}

static SRGB: LazyLock<Srgb> = LazyLock::new(|| Srgb {
    linear: std::array::from_fn(|byte| to_linear(small(byte) / 255.0)),
    halves: std::array::from_fn(|byte| to_linear((small(byte) + 0.5) / 255.0)),
});

#[expect(clippy::cast_precision_loss, reason = "at most 255")]
fn small(n: usize) -> f32 {
    n as f32
}

/// Linear light of an sRGB value, both from 0 to 1.
fn to_linear(value: f32) -> f32 {
    if value <= 0.040_45 { value / 12.92 } else { libm::powf((value + 0.055) / 1.055, 2.4) }
}

/// The sRGB byte nearest to a linear value.
fn to_srgb(linear: f32) -> u8 {
    u8::try_from(SRGB.halves.partition_point(|half| *half <= linear)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(width: u32, height: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Level {
        let texels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        Level { width, height, texels: texels.flat_map(|(x, y)| texel(x, y)).collect() }
    }

    fn sizes(levels: &[Level]) -> Vec<(u32, u32)> {
        for level in levels {
            assert_eq!(level.texels.len(), level.width as usize * level.height as usize * 4);
        }
        levels.iter().map(|level| (level.width, level.height)).collect()
    }

    /// Share of texels of a level that a cutoff draws.
    fn drawn(level: &Level, cutoff: f32) -> f32 {
        let alphas: Vec<u8> = level.texels.iter().skip(3).step_by(4).copied().collect();
        let drawn = alphas.iter().filter(|alpha| f32::from(**alpha) / 255.0 >= cutoff).count();
        small(drawn) / small(alphas.len())
    }

    #[test]
    fn every_shape_ends_in_one_texel() {
        let gray = |_, _| [90, 90, 90, 255];
        for (width, height, expected) in [
            (1, 1, vec![(1, 1)]),
            (1, 5, vec![(1, 5), (1, 2), (1, 1)]),
            (4, 1, vec![(4, 1), (2, 1), (1, 1)]),
            (3, 5, vec![(3, 5), (1, 2), (1, 1)]),
            (6, 2, vec![(6, 2), (3, 1), (1, 1)]),
        ] {
            let levels = mip_chain(level(width, height, gray), AlphaUse::Weighted);
            assert_eq!(sizes(&levels), expected);
            assert!(levels.iter().all(|level| level.texels.chunks(4).all(|t| t == [90, 90, 90, 255])));
        }
    }

    #[test]
    fn means_are_of_light_and_of_whole_areas() {
        // Half of the light of white is sRGB 188.
        let checks = mip_chain(level(2, 2, |x, y| [[0, 255][((x + y) % 2) as usize]; 4]), AlphaUse::Ignored);
        assert_eq!(checks[1].texels, [188, 188, 188, 255]);
        // One white texel of three has a third, wherever it is; of five rows too.
        for at in 0..3 {
            let bar = |x, _| if x == at { [255; 4] } else { [0, 0, 0, 255] };
            let levels = mip_chain(level(3, 5, bar), AlphaUse::Ignored);
            let third = to_srgb(1.0 / 3.0);
            assert_eq!(levels[1].texels, [third, third, third, 255].repeat(2));
            assert_eq!(levels[2].texels, [third, third, third, 255]);
        }
        // Of five rows the third one belongs to both halves, half each.
        let middle = |_, y| if y == 2 { [255; 4] } else { [0, 0, 0, 255] };
        let fifth = to_srgb(0.2);
        let levels = mip_chain(level(1, 5, middle), AlphaUse::Ignored);
        assert_eq!(levels[1].texels, [fifth, fifth, fifth, 255].repeat(2));
    }

    #[test]
    fn transparent_texels_do_not_bleed_and_ignored_alpha_does_not_weight() {
        let cut = |x, _| if x == 0 { [200, 10, 10, 255] } else { [0, 255, 0, 0] };
        let weighted = mip_chain(level(2, 1, cut), AlphaUse::Weighted);
        assert_eq!(weighted[1].texels, [200, 10, 10, 128]);
        let ignored = mip_chain(level(2, 1, cut), AlphaUse::Ignored);
        assert_eq!((ignored[1].texels[1] > 180, ignored[1].texels[3]), (true, 255));
        // Nothing but transparent texels: their colour stays.
        let none = mip_chain(level(2, 2, |_, _| [30, 40, 50, 0]), AlphaUse::Weighted);
        assert_eq!(none[1].texels, [30, 40, 50, 0]);
    }

    #[test]
    fn levels_keep_the_share_of_texels_above_the_cutoff() {
        for cutoff in [0.1, 0.3, 0.5, 0.9] {
            for (of, out_of) in [(1, 5), (1, 2), (7, 9)] {
                // Blades of grass: scattered opaque columns with soft edges.
                let grass = |x: u32, y: u32| {
                    let noise = (x * 7919 + y * 104_729 + x * y * 31) % (out_of * 11);
                    let soft = u8::try_from((x * 13 + y * 29) % 64).expect("below 64");
                    let alpha = if noise < of * 11 { 255 - soft } else { soft / 4 };
                    [20, 200, 30, alpha]
                };
                let levels = mip_chain(level(61, 64, grass), AlphaUse::Cutout { cutoff });
                let whole = drawn(&levels[0], cutoff);
                assert!(whole > 0.05 && whole < 0.95, "{whole}");
                for level in &levels {
                    let texels = small(level.texels.len() / 4);
                    let off = (drawn(level, cutoff) - whole).abs();
                    // Equal alphas are drawn together: in the smallest levels that is a few texels.
                    assert!(off <= (1.0 / texels).max(0.02), "{cutoff} {of}/{out_of}: {off} at {texels}");
                }
            }
        }
    }

    #[test]
    fn cutoffs_that_draw_all_or_nothing_change_no_alpha() {
        let soft = |x: u32, _| [1, 2, 3, if x.is_multiple_of(2) { 100 } else { 200 }];
        for cutoff in [0.0, 0.2, 0.99, 7.0, f32::INFINITY] {
            let levels = mip_chain(level(8, 8, soft), AlphaUse::Cutout { cutoff });
            assert_eq!(levels[1].texels[3], 150, "{cutoff}");
        }
    }

    #[test]
    fn images_are_halved_until_they_fit() {
        let fitted = level(100, 7, |_, _| [5, 6, 7, 8]).fitted(30);
        assert_eq!(sizes(std::slice::from_ref(&fitted)), [(25, 1)]);
        assert!(fitted.texels.chunks(4).all(|texel| texel == [5, 6, 7, 8]));
        assert_eq!(sizes(&[Level::white().fitted(0)]), [(1, 1)]);
    }

    #[test]
    fn every_byte_survives_linear_light() {
        for byte in 0..=255u8 {
            assert_eq!(to_srgb(SRGB.linear[usize::from(byte)]), byte);
        }
        assert_eq!((to_srgb(-1.0), to_srgb(9.0)), (0, 255));
    }
}
