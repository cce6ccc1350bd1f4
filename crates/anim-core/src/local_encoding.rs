//! How animated rotations, translations and scales become the texels of local tracks, and back.
//!
//! One element is one texel. `Local8` keeps a rotation as its three smallest numbers, 20 bits each, and a translation or
//! a scale as 3 x 21 bits inside a range that the constant pool holds. `Local32` is the reference: plain `f32`.
//!
//! The `unpack_` functions are twins of those in the shaders: `f32`, the same operations in the same order.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::rotation::normalize;
use crate::square_root::square_root;

/// How the elements of a local page set are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalEncoding {
    /// One `rg32uint` texel an element: 8 bytes.
    Local8,
    /// One `rgba32float` texel an element, 16 bytes: x, y, z, w of a rotation, or x, y, z, 0 of a translation or scale.
    Local32,
}

impl LocalEncoding {
    /// Bytes of one texel, which is one element.
    #[must_use]
    pub const fn texel_bytes(self) -> usize {
        match self {
            Self::Local8 => 8,
            Self::Local32 => 16,
        }
    }
}

/// What the stored 20 bits of a rotation's zero are: numbers from `-sqrt(1/2)` to `sqrt(1/2)` are `0..=1048574`.
pub const ROTATION_ZERO: f32 = 524_287.0;
/// A step of a stored rotation: `sqrt(1/2) / 524287`.
pub const ROTATION_STEP: f32 = 1.348_701_8e-6;
/// The largest stored number of a translation or a scale: 21 bits.
pub const RANGED_MAX: u32 = 2_097_151;
/// The share of its range that a step of a translation or a scale is: `1 / 2097151`.
pub const RANGED_STEP: f32 = 4.768_374e-7;
/// Largest magnitude of a translation or a scale: what is made of it stays inside `f32`.
pub const LOCAL_VALUE_MAX: f32 = 1e38;

/// Packs a rotation into two words; it is normalised first, in `f64`.
///
/// The number of the largest magnitude (of equal ones the first in the order x, y, z, w) is dropped: it is made positive
/// by the sign of the whole quaternion and follows from the others. They are kept in their order as `a`, `b`, `c`, each
/// `round(v / sqrt(1/2) * 524287) + 524287`. Word 0 is `a | (b & 0xfff) << 20`, word 1 is
/// `(b >> 12) | c << 8 | dropped << 28 | negated << 30`. Zero and the identity are exact. What cannot be normalised is the
/// identity.
///
/// `negated` keeps the sign of the quaternion: between two frames that are half a turn apart it says which way round.
#[must_use]
pub fn pack_rotation(rotation: Quat) -> [u32; 2] {
    let q = normalize(rotation.as_dquat()).to_array();
    let mut dropped = 0;
    for index in 1..4 {
        if q[index].abs() > q[dropped].abs() {
            dropped = index;
        }
    }
    let sign = if q[dropped] < 0.0 { -1.0 } else { 1.0 };
    let mut stored = [0; 3];
    for (place, slot) in stored.iter_mut().enumerate() {
        let value = q[place + usize::from(place >= dropped)] * sign;
        *slot = nearest(
            value * core::f64::consts::SQRT_2 * f64::from(ROTATION_ZERO) + f64::from(ROTATION_ZERO),
            1_048_574,
        );
    }
    let [a, b, c] = stored;
    #[expect(clippy::cast_possible_truncation, reason = "an index below 4")]
    let dropped = dropped as u32;
    [a | (b & 0xfff) << 20, b >> 12 | c << 8 | dropped << 28 | u32::from(sign < 0.0) << 30]
}

/// Unpacks a rotation, of unit length to within 3e-7 for any words.
///
/// Words that [`pack_rotation`] does not make may hold three numbers whose squares sum to more than 1: the dropped one is
/// then 0 and the others are normalised. The highest bit is not looked at.
#[must_use]
#[inline]
pub fn unpack_rotation(words: [u32; 2]) -> Quat {
    let a = words[0] & 0xf_ffff;
    let b = words[0] >> 20 | (words[1] & 0xff) << 12;
    let c = words[1] >> 8 & 0xf_ffff;
    #[expect(clippy::cast_precision_loss, reason = "20 bits are exact in f32")]
    let stored = Vec4::new(a as f32, b as f32, c as f32, ROTATION_ZERO);
    let sign = if words[1] >> 30 & 1 == 1 { -1.0 } else { 1.0 };
    let mut small = (stored - Vec4::splat(ROTATION_ZERO)) * (sign * ROTATION_STEP);
    let squares = small * small;
    let sum = squares.x + squares.y + squares.z;
    let mut largest = 0.0;
    if sum <= 1.0 {
        largest = sign * square_root(1.0 - sum);
    } else {
        small *= shrink_by(sum);
    }
    // Products with 0 and 1 and not a branch: which number is dropped follows no pattern.
    let [before, at, after] = &PLACES[(words[1] >> 28 & 3) as usize];
    let before = small * Vec4::from_array(*before);
    let after = small.wxyz() * Vec4::from_array(*after);
    Quat::from_vec4(before + Vec4::splat(largest) * Vec4::from_array(*at) + after)
}

/// For each number that may be dropped: which places are before it, its own, and after it.
static PLACES: [[[f32; 4]; 3]; 4] = [
    [[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 1.0, 1.0]],
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]],
    [[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]],
    [[1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0]],
];

/// Apart, so that the division stays out of the way of words that need none.
#[cold]
fn shrink_by(sum: f32) -> f32 {
    1.0 / square_root(sum)
}

/// Largest angle, in radians, between a rotation and what [`unpack_rotation`] makes of its words.
///
/// Half a step in each of three numbers moves the dropped one by up to three half steps where all four are equal: together
/// `sqrt(12)` half steps, and a rotation turns by twice the angle of its quaternion: 4.68e-6. The rest is the rounding of
/// `f32`.
#[must_use]
pub const fn rotation_bound() -> f32 {
    5.2e-6
}

/// The range of an animated translation or scale: the smallest x, y and z, and as w **one** extent for all three axes,
/// that of the widest.
///
/// Every value lies inside: `min <= value <= min + extent` on each axis, in `f64`. Without values all four are 0.
///
/// `None` if a number is beyond [`LOCAL_VALUE_MAX`] or not a number.
#[must_use]
pub fn range_of(values: &[Vec3]) -> Option<Vec4> {
    let (Some(&first), true) = (values.first(), values.iter().all(|value| is_storable(*value))) else {
        return values.is_empty().then_some(Vec4::ZERO);
    };
    let (mut min, mut max) = (first, first);
    for value in values {
        min = min.min(*value);
        max = max.max(*value);
    }
    let widest = (max.as_dvec3() - min.as_dvec3()).max_element();
    #[expect(clippy::cast_possible_truncation, reason = "rounding, put right below")]
    let mut extent = widest as f32;
    let covers = |extent: f32| {
        min.to_array()
            .iter()
            .zip(max.to_array())
            .all(|(min, max)| f64::from(*min) + f64::from(extent) >= f64::from(max))
    };
    while !covers(extent) {
        extent = extent.next_up();
    }
    Some(min.extend(extent))
}

/// Whether the encodings hold a translation or a scale.
#[must_use]
pub fn is_storable(value: Vec3) -> bool {
    value.abs().max_element() <= LOCAL_VALUE_MAX && !value.is_nan()
}

/// Packs a translation or a scale into two words.
///
/// `range` is as [`range_of`] makes it. Each number becomes `round((v - min) / extent * 2097151)`; word 0 is
/// `a | (b & 0x7ff) << 21`, word 1 is `(b >> 11) | c << 10`. Values outside the range are clamped to it.
#[must_use]
pub fn pack_ranged(value: Vec3, range: Vec4) -> [u32; 2] {
    let extent = f64::from(range.w);
    let pack = |value: f32, min: f32| {
        if !(extent > 0.0) {
            return 0;
        }
        nearest((f64::from(value) - f64::from(min)) / extent * f64::from(RANGED_MAX), RANGED_MAX)
    };
    let [a, b, c] = [pack(value.x, range.x), pack(value.y, range.y), pack(value.z, range.z)];
    [a | (b & 0x7ff) << 21, b >> 11 | c << 10]
}

/// Unpacks a translation or a scale: `min + stored * (extent * RANGED_STEP)` on each axis. Finite for any words if the
/// range is one of [`range_of`]; an extent of 0 gives the minimum. The highest bit is not looked at.
#[must_use]
#[inline]
pub fn unpack_ranged(words: [u32; 2], range: Vec4) -> Vec3 {
    let step = range.w * RANGED_STEP;
    let a = words[0] & 0x1f_ffff;
    let b = words[0] >> 21 | (words[1] & 0x3ff) << 11;
    let c = words[1] >> 10 & 0x1f_ffff;
    #[expect(clippy::cast_precision_loss, reason = "21 bits are exact in f32")]
    let stored = Vec3::new(a as f32, b as f32, c as f32);
    Vec3::new(range.x + stored.x * step, range.y + stored.y * step, range.z + stored.z * step)
}

/// Largest difference, on one axis, between a value inside a range and what [`unpack_ranged`] makes of its words.
///
/// Half a step, then the rounding of `f32`: three roundings of what is added to the minimum and one of the sum, which is
/// what counts where the minimum is far larger than the extent. The last term is for GPUs that take a step below the
/// smallest normal number as 0.
#[must_use]
pub fn ranged_bound(range: Vec4) -> f32 {
    const ROUNDING: f32 = f32::EPSILON / 2.0;
    let largest = range.truncate().abs().max_element();
    // The 1.001 is for the roundings of this sum itself.
    1.001 * (range.w * (0.5 * RANGED_STEP + 4.0 * ROUNDING) + largest * ROUNDING)
        + f32::MIN_POSITIVE / RANGED_STEP
}

/// Writes an animated rotation as the little-endian bytes of one texel; it is normalised first.
///
/// # Panics
///
/// If `texel` is not [`LocalEncoding::texel_bytes`] long.
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what the encoding does")]
pub fn write_rotation(rotation: Quat, encoding: LocalEncoding, texel: &mut [u8]) {
    match encoding {
        LocalEncoding::Local8 => write_words(&pack_rotation(rotation), texel),
        LocalEncoding::Local32 => {
            let q = normalize(rotation.as_dquat()).to_array();
            write_words(&q.map(|number| (number as f32).to_bits()), texel);
        }
    }
}

/// Reads an animated rotation back. Finite for any bytes; of unit length if [`write_rotation`] wrote them.
///
/// # Panics
///
/// If `texel` is not [`LocalEncoding::texel_bytes`] long.
#[must_use]
pub fn read_rotation(texel: &[u8], encoding: LocalEncoding) -> Quat {
    match encoding {
        LocalEncoding::Local8 => unpack_rotation(read_words(texel)),
        LocalEncoding::Local32 => unpack_rotation32(read_words(texel)),
    }
}

/// The rotation of a `Local32` texel. Numbers that are not finite are 0, and those beyond 1 are 1.
#[must_use]
#[inline]
pub fn unpack_rotation32(words: [u32; 4]) -> Quat {
    Quat::from_array(words.map(|word| finite_number(word).clamp(-1.0, 1.0)))
}

/// Writes an animated translation or scale as the little-endian bytes of one texel. `Local32` does not look at the range.
///
/// # Panics
///
/// If `texel` is not [`LocalEncoding::texel_bytes`] long.
pub fn write_value(value: Vec3, range: Vec4, encoding: LocalEncoding, texel: &mut [u8]) {
    match encoding {
        LocalEncoding::Local8 => write_words(&pack_ranged(value, range), texel),
        LocalEncoding::Local32 => write_words(&value.extend(0.0).to_array().map(f32::to_bits), texel),
    }
}

/// Reads an animated translation or scale back. Finite for any bytes if the range is one of [`range_of`].
///
/// # Panics
///
/// If `texel` is not [`LocalEncoding::texel_bytes`] long.
#[must_use]
pub fn read_value(texel: &[u8], range: Vec4, encoding: LocalEncoding) -> Vec3 {
    match encoding {
        LocalEncoding::Local8 => unpack_ranged(read_words(texel), range),
        LocalEncoding::Local32 => unpack_value32(read_words(texel)),
    }
}

/// The translation or scale of a `Local32` texel. Numbers that are not finite are 0, and those beyond [`LOCAL_VALUE_MAX`]
/// are at it.
#[must_use]
#[inline]
pub fn unpack_value32([x, y, z, _]: [u32; 4]) -> Vec3 {
    let limit = |word| finite_number(word).clamp(-LOCAL_VALUE_MAX, LOCAL_VALUE_MAX);
    Vec3::new(limit(x), limit(y), limit(z))
}

/// The number with these bits, or 0: shaders cannot ask whether a number is finite, so the exponent is looked at.
#[inline]
fn finite_number(bits: u32) -> f32 {
    if bits & 0x7f80_0000 == 0x7f80_0000 { 0.0 } else { f32::from_bits(bits) }
}

/// The whole number nearest to `value`, in `0..=largest`; 0 for what is not a number.
#[expect(clippy::cast_possible_truncation, reason = "floor and clamp before the cast")]
#[expect(clippy::cast_sign_loss, reason = "clamped to positive numbers")]
fn nearest(value: f64, largest: u32) -> u32 {
    libm::floor(value + 0.5).clamp(0.0, f64::from(largest)) as u32
}

fn write_words(words: &[u32], texel: &mut [u8]) {
    assert_eq!(texel.len(), words.len() * 4);
    for (word, bytes) in words.iter().zip(texel.chunks_exact_mut(4)) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
}

#[inline]
fn read_words<const WORDS: usize>(texel: &[u8]) -> [u32; WORDS] {
    assert_eq!(texel.len(), WORDS * 4);
    core::array::from_fn(|word| {
        u32::from_le_bytes([texel[word * 4], texel[word * 4 + 1], texel[word * 4 + 2], texel[word * 4 + 3]])
    })
}

#[cfg(test)]
mod tests;
