//! Four nodes at a time: the functions of `local_pose` with a node in each lane, bit by bit the same.
//!
//! A node alone is a long chain of operations that wait for each other. Here each operation is done once for four nodes,
//! in the order of `local_pose`, which is the reference.

mod blend;
mod tracks;
mod unpack;

pub(crate) use blend::blend_all;

use glam::{BVec4A, Mat4, Vec4};

use crate::local_pose::FLIP_BELOW;
use crate::matrix_rows::{IDENTITY_ROWS, Rows};
use crate::square_root::square_root;

/// Nodes that are worked out together.
const LANES: usize = 4;

/// x, y, z and w of four rotations: a rotation in each lane.
type Rotations = [Vec4; 4];

/// The local transforms of four nodes.
#[derive(Clone, Copy)]
struct FourTransforms {
    /// Each node's own; the fourth number is without meaning.
    translations: [Vec4; LANES],
    rotations: Rotations,
    /// Each node's own; the fourth number is without meaning.
    scales: [Vec4; LANES],
}

/// Twin of [`nlerp_corrected`](crate::local_pose::nlerp_corrected).
#[inline(always)]
fn nlerp_corrected(a: &Rotations, b: &Rotations, t: f32) -> Rotations {
    let signed = dot(a, b);
    let d = signed.abs();
    let u = t - 0.5;
    let k = (1.0904 + d * (-3.2452 + d * (3.55645 - d * 1.43519))) * u * u
        + (0.848013 + d * (-1.06021 + d * 0.215638));
    let share = t + t * u * (t - 1.0) * k;
    let signed_share = Vec4::select(signed.cmplt(Vec4::splat(FLIP_BELOW)), -share, share);
    let keep = 1.0 - share;
    normalize_rotations([
        a[0] * keep + b[0] * signed_share,
        a[1] * keep + b[1] * signed_share,
        a[2] * keep + b[2] * signed_share,
        a[3] * keep + b[3] * signed_share,
    ])
}

/// Twin of [`normalize_rotation`](crate::local_pose::normalize_rotation).
#[inline(always)]
fn normalize_rotations(rotations: Rotations) -> Rotations {
    let length_squared = dot(&rotations, &rotations);
    let scaled = scale(rotations, 1.0 / square_roots(length_squared));
    let is_long = length_squared.cmpgt(Vec4::splat(1e-20));
    if is_long.all() {
        return scaled;
    }
    select(is_long, scaled, [Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ONE])
}

/// Twin of [`local_rows`](crate::local_pose::local_rows).
#[inline(always)]
fn four_rows(transforms: &FourTransforms) -> [Rows; LANES] {
    let q = &transforms.rotations;
    let refined = 1.5 - 0.5 * dot(q, q);
    let [x, y, z, w] = scale(*q, refined);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    let [tx, ty, tz, _] = transpose(transforms.translations);
    let first = transpose([1.0 - (yy + zz), xy - wz, xz + wy, tx]);
    let second = transpose([xy + wz, 1.0 - (xx + zz), yz - wx, ty]);
    let third = transpose([xz - wy, yz + wx, 1.0 - (xx + yy), tz]);
    let mut rows = [IDENTITY_ROWS; LANES];
    for (lane, rows) in rows.iter_mut().enumerate() {
        let scale = transforms.scales[lane].with_w(1.0);
        *rows = [
            (first[lane] * scale).to_array(),
            (second[lane] * scale).to_array(),
            (third[lane] * scale).to_array(),
        ];
    }
    rows
}

/// Each rotation by its factor.
#[inline(always)]
fn scale([x, y, z, w]: Rotations, factors: Vec4) -> Rotations {
    [x * factors, y * factors, z * factors, w * factors]
}

/// For each lane `a` or `b`.
#[inline(always)]
fn select(is_a: BVec4A, a: Rotations, b: Rotations) -> Rotations {
    [
        Vec4::select(is_a, a[0], b[0]),
        Vec4::select(is_a, a[1], b[1]),
        Vec4::select(is_a, a[2], b[2]),
        Vec4::select(is_a, a[3], b[3]),
    ]
}

/// The sum goes from left to right, as it does for one rotation.
#[inline(always)]
fn dot(a: &Rotations, b: &Rotations) -> Vec4 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

#[inline(always)]
fn square_roots(values: Vec4) -> Vec4 {
    let [a, b, c, d] = values.to_array();
    Vec4::new(square_root(a), square_root(b), square_root(c), square_root(d))
}

#[inline(always)]
fn transpose([a, b, c, d]: [Vec4; 4]) -> [Vec4; 4] {
    let Mat4 { x_axis, y_axis, z_axis, w_axis } = Mat4::from_cols(a, b, c, d).transpose();
    [x_axis, y_axis, z_axis, w_axis]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_pose::{self, LocalTransform};
    use glam::Quat;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f32> {
        prop_oneof![4 => -1.0..1.0f32, 1 => Just(0.0), 1 => Just(-0.0), 1 => Just(1.0), 1 => Just(1e-30)]
    }

    /// Of any length: zero and lengths that cannot be normalised too.
    fn rotations() -> impl Strategy<Value = [Quat; LANES]> {
        let rotation = prop_oneof![
            prop::array::uniform4(number()).prop_map(Quat::from_array),
            prop::array::uniform4(number()).prop_map(|q| Quat::from_array(q.map(|number| number * 1e-20))),
            Just(Quat::IDENTITY),
        ];
        prop::collection::vec(rotation, LANES).prop_map(|rotations| rotations.try_into().expect("four"))
    }

    fn in_lanes(rotations: [Quat; LANES]) -> Rotations {
        transpose(rotations.map(Vec4::from))
    }

    fn bits(rotation: Quat) -> [u32; 4] {
        rotation.to_array().map(f32::to_bits)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn interpolation_in_lanes_has_the_bits_of_one(a in rotations(), b in rotations(), t in 0.0..=1.0f32) {
            let found = transpose(nlerp_corrected(&in_lanes(a), &in_lanes(b), t)).map(Quat::from_vec4);
            for lane in 0..LANES {
                prop_assert_eq!(bits(found[lane]), bits(local_pose::nlerp_corrected(a[lane], b[lane], t)));
            }
        }

        #[test]
        fn rows_in_lanes_have_the_bits_of_one(
            rotations in rotations(), values in prop::array::uniform2(prop::array::uniform4(prop::array::uniform4(number()))),
        ) {
            let [translations, scales] = values.map(|values| values.map(Vec4::from_array));
            let found = four_rows(&FourTransforms { translations, rotations: in_lanes(rotations), scales });
            for lane in 0..LANES {
                let (translation, scale) = (translations[lane].truncate(), scales[lane].truncate());
                let expected = local_pose::local_rows(&LocalTransform { translation, rotation: rotations[lane], scale });
                let bits = |rows: &Rows| rows.map(|row| row.map(f32::to_bits));
                prop_assert_eq!(bits(&found[lane]), bits(&expected), "{:?}", expected);
            }
        }
    }
}
