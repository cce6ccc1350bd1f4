//! Words of `Local8` in lanes: the twins of `local_encoding`'s `unpack_rotation` and `unpack_ranged`.

use glam::Vec4;

use super::{LANES, Rotations, square_roots};
use crate::local_encoding::{RANGED_STEP, ROTATION_STEP, ROTATION_ZERO};

/// Twin of [`unpack_rotation`](crate::local_encoding::unpack_rotation); `low` and `high` are words 0 and 1 of four texels.
#[inline(always)]
pub(super) fn unpack_rotations(low: [u32; LANES], high: [u32; LANES]) -> Rotations {
    let (mut a, mut b, mut c) = ([0; LANES], [0; LANES], [0; LANES]);
    let (mut dropped, mut sign) = ([0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let (low, high) = (low[lane], high[lane]);
        a[lane] = low & 0xf_ffff;
        b[lane] = low >> 20 | (high & 0xff) << 12;
        c[lane] = high >> 8 & 0xf_ffff;
        dropped[lane] = high >> 28 & 3;
        // 1 with the sign of bit 30.
        sign[lane] = f32::from_bits(0x3f80_0000 | (high << 1 & 1 << 31));
    }
    let sign = Vec4::from_array(sign);
    let step = sign * ROTATION_STEP;
    let mut small_a = (numbers(a) - ROTATION_ZERO) * step;
    let mut small_b = (numbers(b) - ROTATION_ZERO) * step;
    let mut small_c = (numbers(c) - ROTATION_ZERO) * step;
    let sum = small_a * small_a + small_b * small_b + small_c * small_c;
    let mut largest = sign * square_roots(1.0 - sum);
    let fits = sum.cmple(Vec4::ONE);
    if !fits.all() {
        largest = Vec4::select(fits, largest, Vec4::ZERO);
        let shrink = Vec4::select(fits, Vec4::ONE, 1.0 / square_roots(sum));
        small_a *= shrink;
        small_b *= shrink;
        small_c *= shrink;
    }
    place([small_a, small_b, small_c], largest, numbers(dropped))
}

/// Puts the dropped number where it was, with the products and sums of `unpack_rotation`: they decide the signs of zeros.
///
/// Its fourth small number is left out: a negative zero, which changes no sum, or a positive one where `largest` is not
/// negative, so that its product is no negative zero, nor is a sum with it.
#[inline(always)]
fn place([a, b, c]: [Vec4; 3], largest: Vec4, dropped: Vec4) -> Rotations {
    let is_x = Vec4::select(dropped.cmpeq(Vec4::ZERO), Vec4::ONE, Vec4::ZERO);
    let is_y = Vec4::select(dropped.cmpeq(Vec4::ONE), Vec4::ONE, Vec4::ZERO);
    let is_z = Vec4::select(dropped.cmpeq(Vec4::splat(2.0)), Vec4::ONE, Vec4::ZERO);
    let is_w = Vec4::select(dropped.cmpeq(Vec4::splat(3.0)), Vec4::ONE, Vec4::ZERO);
    let (is_after_y, is_before_z) = (is_z + is_w, is_x + is_y);
    [
        a * (is_y + is_after_y) + largest * is_x,
        b * is_after_y + largest * is_y + a * is_x,
        c * is_w + largest * is_z + b * is_before_z,
        largest * is_w + c * (is_before_z + is_z),
    ]
}

/// Twin of [`unpack_ranged`](crate::local_encoding::unpack_ranged), with its three numbers in lanes. The fourth is without
/// meaning.
#[inline(always)]
pub(super) fn unpack_ranged(words: [u32; 2], range: Vec4) -> Vec4 {
    let a = words[0] & 0x1f_ffff;
    let b = words[0] >> 21 | (words[1] & 0x3ff) << 11;
    let c = words[1] >> 10 & 0x1f_ffff;
    range + numbers([a, b, c, 0]) * (range.w * RANGED_STEP)
}

/// Whole numbers below 2^24, which are exact in `f32`.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "at most 21 bits, which are exact in f32")]
fn numbers([a, b, c, d]: [u32; LANES]) -> Vec4 {
    // Signed numbers are what processors convert.
    Vec4::new(a.cast_signed() as f32, b.cast_signed() as f32, c.cast_signed() as f32, d.cast_signed() as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_encoding;
    use glam::Quat;
    use proptest::prelude::*;

    /// 20 bits of a rotation: any, zero, and the ends.
    fn stored() -> impl Strategy<Value = u32> {
        prop_oneof![0..1u32 << 20, Just(524_287), Just(0), Just(1_048_574), 524_280..524_300u32]
    }

    fn texel() -> impl Strategy<Value = [u32; 2]> {
        let of_rotation = ([stored(), stored(), stored()], any::<u32>())
            .prop_map(|([a, b, c], flags)| [a | b << 20, b >> 12 | c << 8 | flags << 28]);
        prop_oneof![4 => of_rotation, 1 => any::<[u32; 2]>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn rotations_in_lanes_have_the_bits_of_one(texels in prop::array::uniform4(texel())) {
            let rotations = unpack_rotations(texels.map(|words| words[0]), texels.map(|words| words[1]));
            for (lane, words) in texels.into_iter().enumerate() {
                let found = Quat::from_array(rotations.map(|numbers| numbers[lane]));
                let expected = local_encoding::unpack_rotation(words);
                prop_assert_eq!(found.to_array().map(f32::to_bits), expected.to_array().map(f32::to_bits), "{:?}", expected);
            }
        }

        #[test]
        fn values_in_lanes_have_the_bits_of_one(words in any::<[u32; 2]>(), range in prop::array::uniform4(-1e38..1e38f32)) {
            let range = Vec4::from_array(range);
            let found = unpack_ranged(words, range).truncate();
            let expected = local_encoding::unpack_ranged(words, range);
            prop_assert_eq!(found.to_array().map(f32::to_bits), expected.to_array().map(f32::to_bits));
        }
    }
}
