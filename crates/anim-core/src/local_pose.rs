//! Local transforms in `f32`: between two frames, over several layers, and as rows. Twins of the shaders' functions.
//!
//! The order of operations is that of the code, from left to right, without fused multiply-add; a GPU may fuse. Divisions
//! by a length are multiplications by `1 / sqrt(length squared)`, `inverseSqrt` in a shader.

use glam::{DQuat, Quat, Vec3, Vec4};

use crate::matrix_rows::Rows;
use crate::square_root::square_root;

/// A local transform: `parent_from_node = translation * rotation * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalTransform {
    /// Translation in metres.
    pub translation: Vec3,
    /// Rotation, of unit length.
    pub rotation: Quat,
    /// Scale along the node's own axes; may be negative or zero.
    pub scale: Vec3,
}

impl LocalTransform {
    /// No translation, no rotation, scale 1.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };
}

/// Two rotations whose dot product is below this are taken as the long way round, and one of them is negated.
///
/// Below 0, so that an exact half turn, whose dot product is 0 but for rounding and quantisation (at most 4e-6), goes the
/// same way on every device: the way in which the baker stored the signs.
pub const FLIP_BELOW: f32 = -1e-5;

/// Largest angle, in radians, between [`nlerp_corrected`] and spherical interpolation by the same share, measured over all
/// shares: that of a half turn. For turns up to 15 degrees it is 2.3e-5, up to 45 3.4e-5, up to 90 7.3e-5, up to 135 1.4e-4.
pub const NLERP_CORRECTED_BOUND: f64 = 7.8e-4;

/// Interpolation of rotations along the shorter arc: a normalised sum of both, by a share that is bent so that the
/// angle passes evenly. `t` is in `[0, 1]`; the ends are exact to rounding.
///
/// Both are of unit length or nearly; what cannot be normalised is the identity. Differs from spherical interpolation by
/// at most [`NLERP_CORRECTED_BOUND`], and needs no transcendental function. Source: A. Kapoulkine, "Approximating slerp".
#[must_use]
#[inline]
pub fn nlerp_corrected(a: Quat, b: Quat, t: f32) -> Quat {
    let (a, b) = (Vec4::from(a), Vec4::from(b));
    let signed = dot(a, b);
    let d = signed.abs();
    let u = t - 0.5;
    let k = (1.0904 + d * (-3.2452 + d * (3.55645 - d * 1.43519))) * u * u
        + (0.848013 + d * (-1.06021 + d * 0.215638));
    let share = t + t * u * (t - 1.0) * k;
    let signed_share = if signed < FLIP_BELOW { -share } else { share };
    normalize_rotation(a * (1.0 - share) + b * signed_share)
}

/// [`nlerp_corrected`] in `f64`: what the baker measures a rate with.
#[must_use]
pub fn nlerp_corrected_f64(a: DQuat, b: DQuat, t: f64) -> DQuat {
    let signed = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    let d = signed.abs();
    let u = t - 0.5;
    let k = (1.0904 + d * (-3.2452 + d * (3.55645 - d * 1.43519))) * u * u
        + (0.848013 + d * (-1.06021 + d * 0.215638));
    let share = t + t * u * (t - 1.0) * k;
    let signed_share = if signed < f64::from(FLIP_BELOW) { -share } else { share };
    let keep = 1.0 - share;
    let [x, y, z, w] = core::array::from_fn(|i| a.to_array()[i] * keep + b.to_array()[i] * signed_share);
    crate::rotation::normalize(DQuat::from_xyzw(x, y, z, w))
}

/// A translation or a scale between two frames: `a * (1 - t) + b * t`, exact at both ends.
#[must_use]
#[inline]
pub fn lerp_value(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    a * (1.0 - t) + b * t
}

/// A local transform between those of two frames; `t` is the share of the later one.
#[must_use]
#[inline]
pub fn interpolate_local(a: &LocalTransform, b: &LocalTransform, t: f32) -> LocalTransform {
    LocalTransform {
        translation: lerp_value(a.translation, b.translation, t),
        rotation: nlerp_corrected(a.rotation, b.rotation, t),
        scale: lerp_value(a.scale, b.scale, t),
    }
}

/// A weighted sum of local transforms; starts at zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalSum {
    /// Sum of weight times translation.
    pub translation: Vec3,
    /// Sum of weight times rotation, each negated where it would shorten the sum.
    pub rotation: Vec4,
    /// Sum of weight times scale.
    pub scale: Vec3,
    /// Sum of the weights.
    pub weight: f32,
}

/// Adds a layer to a sum. Layers come from the base upwards; weights are in `[0, 1]` and sum to 1.
///
/// The sign of a rotation is the one that is nearer to **the sum so far**, not to the base alone. So the sum never
/// becomes short (its squared length is at least the sum of the squared weights), and a layer whose weight goes to 0 has
/// no say in the end about how those above it are signed: a base that a fade has covered can be dropped without a jump.
#[must_use]
#[inline]
pub fn add_local(sum: &LocalSum, transform: &LocalTransform, weight: f32) -> LocalSum {
    let rotation = Vec4::from(transform.rotation);
    // Relative to the weight of the sum, so that the choice does not change while a layer above the sum fades in.
    let is_far = dot(sum.rotation, rotation) < FLIP_BELOW * sum.weight;
    let signed_weight = if is_far { -weight } else { weight };
    LocalSum {
        translation: sum.translation + transform.translation * weight,
        rotation: sum.rotation + rotation * signed_weight,
        scale: sum.scale + transform.scale * weight,
        weight: sum.weight + weight,
    }
}

/// The local transform that a sum stands for: its rotation is normalised, once.
///
/// Without layers it is a scale of 0: nothing is seen.
#[must_use]
#[inline]
pub fn finish_local(sum: &LocalSum) -> LocalTransform {
    LocalTransform {
        translation: sum.translation,
        rotation: normalize_rotation(sum.rotation),
        scale: sum.scale,
    }
}

/// Rows of `parent_from_node`. The rotation is of unit length, but for rounding, which is [refined](refine_rotation).
#[must_use]
#[inline]
pub fn local_rows(transform: &LocalTransform) -> Rows {
    let [x, y, z, w] = refine_rotation(transform.rotation).to_array();
    let (s, t) = (transform.scale.extend(1.0), transform.translation);
    let (x2, y2, z2) = (x + x, y + y, z + z);
    let (xx, xy, xz) = (x * x2, x * y2, x * z2);
    let (yy, yz, zz) = (y * y2, y * z2, z * z2);
    let (wx, wy, wz) = (w * x2, w * y2, w * z2);
    [
        (Vec4::new(1.0 - (yy + zz), xy - wz, xz + wy, t.x) * s).to_array(),
        (Vec4::new(xy + wz, 1.0 - (xx + zz), yz - wx, t.y) * s).to_array(),
        (Vec4::new(xz - wy, yz + wx, 1.0 - (xx + yy), t.z) * s).to_array(),
    ]
}

/// The product of two affine matrices in rows: `target_from_middle * middle_from_source`.
#[must_use]
#[inline]
pub fn rows_mul(target_from_middle: &Rows, middle_from_source: &Rows) -> Rows {
    let [x, y, z] = middle_from_source.map(Vec4::from_array);
    // Row times (0, 0, 0, 1) is the translation of the row alone.
    target_from_middle
        .map(|row| (x * row[0] + y * row[1] + z * row[2] + Vec4::from_array(row) * Vec4::W).to_array())
}

/// Scales to unit length; what is shorter than 1e-10 becomes the identity. The sums made here are at least 0.5 long
/// between unit rotations.
#[must_use]
#[inline]
pub fn normalize_rotation(rotation: Vec4) -> Quat {
    let length_squared = dot(rotation, rotation);
    if length_squared > 1e-20 {
        Quat::from_vec4(rotation * (1.0 / square_root(length_squared)))
    } else {
        Quat::IDENTITY
    }
}

/// One step of Newton's method towards unit length, for a rotation that is nearly there: errors of the length add up along
/// the hierarchy, and without them a deep pose is twice as exact.
#[must_use]
#[inline]
pub fn refine_rotation(rotation: Quat) -> Quat {
    let q = Vec4::from(rotation);
    Quat::from_vec4(q * (1.5 - 0.5 * dot(q, q)))
}

/// Written out: the sum goes from left to right in every SIMD width.
#[inline]
fn dot(a: Vec4, b: Vec4) -> f32 {
    let [x, y, z, w] = (a * b).to_array();
    x + y + z + w
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_rows::affine_from_rows;
    use crate::rotation::slerp;
    use crate::trs::Trs;
    use proptest::prelude::*;

    fn angle_between(a: DQuat, b: DQuat) -> f64 {
        let chord = (a - b).length().min((a + b).length());
        4.0 * libm::asin(chord / 2.0)
    }

    fn unit_rotation() -> impl Strategy<Value = Quat> {
        prop::array::uniform4(-1.0..1.0f32)
            .prop_filter("long enough to normalise", |q| q.iter().map(|v| v * v).sum::<f32>() > 0.01)
            .prop_map(|q| Quat::from_array(q).normalize())
    }

    fn transform() -> impl Strategy<Value = LocalTransform> {
        let scale = || prop_oneof![0.1..3.0f32, -3.0..-0.1f32, Just(0.0), Just(1e-30), Just(1.0)];
        (prop::array::uniform3(-10.0..10.0f32), unit_rotation(), [scale(), scale(), scale()]).prop_map(
            |(translation, rotation, scale)| LocalTransform {
                translation: translation.into(),
                rotation,
                scale: scale.into(),
            },
        )
    }

    #[test]
    fn corrected_interpolation_is_as_near_to_slerp_as_stated() {
        // (turns up to this many degrees, largest error in radians)
        let table =
            [(15.0, 2.3e-5), (45.0, 3.4e-5), (90.0, 7.3e-5), (135.0, 1.4e-4), (180.0, NLERP_CORRECTED_BOUND)];
        let mut worst = 0.0f64;
        let mut degrees = 0.0;
        for (up_to, stated) in table {
            while degrees <= up_to {
                let turned = DQuat::from_rotation_x(f64::to_radians(degrees));
                for step in 0..=200 {
                    let t = f64::from(step) / 200.0;
                    let found = nlerp_corrected_f64(DQuat::IDENTITY, turned, t);
                    worst = worst.max(angle_between(found, slerp(DQuat::IDENTITY, turned, t)));
                }
                degrees += 0.125;
            }
            assert!(worst <= stated && worst > 0.9 * stated, "up to {up_to} degrees: {worst} for {stated}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn corrected_interpolation_of_random_pairs(a in unit_rotation(), b in unit_rotation(), t in 0.0..=1.0f32) {
            let single = nlerp_corrected(a, b, t).as_dquat();
            let double = nlerp_corrected_f64(a.as_dquat(), b.as_dquat(), f64::from(t));
            let near_half_turn = a.dot(b).abs() < 2e-5;
            prop_assert!(near_half_turn || angle_between(single.normalize(), double) < 1e-6);
            prop_assert!((single.length() - 1.0).abs() < 2e-7);
            let exact = slerp(a.as_dquat().normalize(), b.as_dquat().normalize(), f64::from(t));
            prop_assert!(near_half_turn || angle_between(double, exact) <= NLERP_CORRECTED_BOUND + 1e-7);
            for sign in [1.0, -1.0] {
                let b = b * sign;
                prop_assert!(near_half_turn || angle_between(single, nlerp_corrected(a, b, t).as_dquat()) < 1e-6);
                prop_assert!(angle_between(nlerp_corrected(a, b, 0.0).as_dquat(), a.as_dquat()) < 1e-6);
                prop_assert!(angle_between(nlerp_corrected(a, b, 1.0).as_dquat(), b.as_dquat()) < 1e-6);
            }
        }

        #[test]
        fn rows_of_a_transform_are_those_of_its_matrix(a in transform(), b in transform()) {
            let exact = |t: &LocalTransform| {
                let (translation, rotation, scale) = (t.translation.as_dvec3(), t.rotation.as_dquat(), t.scale.as_dvec3());
                Trs { translation, rotation, scale }.to_affine()
            };
            let close = |rows: &Rows, exact: glam::DAffine3, bound: f64| {
                affine_from_rows(rows).to_cols_array().iter().zip(exact.to_cols_array()).all(|(a, b)| (a - b).abs() < bound)
            };
            prop_assert!(close(&local_rows(&a), exact(&a), 2e-6));
            prop_assert!(close(&rows_mul(&local_rows(&a), &local_rows(&b)), exact(&a) * exact(&b), 3e-5));
        }

        #[test]
        fn a_sum_of_layers_is_never_short_and_does_not_depend_on_the_signs(
            transforms in prop::array::uniform3(transform()), shares in prop::array::uniform2(0.0..=1.0f32),
            signs in prop::array::uniform3(any::<bool>()),
        ) {
            let weights = [(1.0 - shares[0]) * (1.0 - shares[1]), shares[0] * (1.0 - shares[1]), shares[1]];
            let blend = |signs: [bool; 3]| {
                let mut sum = LocalSum::default();
                for number in 0..3 {
                    let mut transform = transforms[number];
                    transform.rotation = if signs[number] { -transform.rotation } else { transform.rotation };
                    let before = dot(sum.rotation, Vec4::from(transform.rotation));
                    if before.abs() < 2e-5 && number > 0 && sum.rotation.length() > 1e-3 {
                        return None;
                    }
                    sum = add_local(&sum, &transform, weights[number]);
                }
                Some(sum)
            };
            let (Some(plain), Some(other)) = (blend([false; 3]), blend(signs)) else { return Ok(()) };
            let squares: f32 = weights.iter().map(|w| w * w).sum();
            prop_assert!(plain.rotation.length_squared() >= squares - 1e-4);
            let (plain, other) = (finish_local(&plain), finish_local(&other));
            // Layers with less than 1e-3 of the weight may be signed either way.
            prop_assert!(angle_between(plain.rotation.as_dquat().normalize(), other.rotation.as_dquat().normalize()) < 1e-2);
            prop_assert_eq!(plain.translation, other.translation);
        }
    }

    #[test]
    fn a_half_turn_goes_the_way_in_which_its_signs_are_stored() {
        let half = core::f32::consts::FRAC_1_SQRT_2;
        let half_turn = |z: f32| Quat::from_xyzw(0.0, 0.0, z, -3e-6 * z.signum()).normalize();
        for z in [1.0, -1.0] {
            let middle = nlerp_corrected(Quat::IDENTITY, half_turn(z), 0.5);
            assert!((middle.z - half * z).abs() < 1e-5 && (middle.w - half).abs() < 1e-5, "{middle:?}");
        }
    }

    #[test]
    fn what_cannot_be_normalised_is_the_identity() {
        let zero = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0);
        assert_eq!(nlerp_corrected(zero, zero, 0.3), Quat::IDENTITY);
        assert_eq!(nlerp_corrected(Quat::from_xyzw(1e-30, 0.0, 0.0, 0.0), zero, 0.3), Quat::IDENTITY);
        let nothing = finish_local(&LocalSum::default());
        assert_eq!((nothing.rotation, nothing.scale), (Quat::IDENTITY, Vec3::ZERO));
        assert_eq!(local_rows(&LocalTransform::IDENTITY), crate::matrix_rows::IDENTITY_ROWS);
    }

    #[test]
    fn a_covered_base_is_dropped_without_a_jump() {
        // Both upper layers are on the base's side, but not on each other's.
        let about = |degrees: f32| LocalTransform {
            rotation: Quat::from_rotation_y(degrees.to_radians()),
            ..LocalTransform::IDENTITY
        };
        let (base, left, right) = (about(0.0), about(-100.0), about(100.0));
        let blend = |base_weight: f32| {
            let mut sum = add_local(&LocalSum::default(), &base, base_weight);
            sum = add_local(&sum, &left, 0.6 - base_weight);
            finish_local(&add_local(&sum, &right, 0.4)).rotation
        };
        let dropped =
            finish_local(&add_local(&add_local(&LocalSum::default(), &left, 0.6), &right, 0.4)).rotation;
        for base_weight in [1e-3, 1e-4, 1e-5, 1e-6, 0.0] {
            let jump = angle_between(blend(base_weight).as_dquat(), dropped.as_dquat());
            assert!(jump < 10.0 * f64::from(base_weight) + 1e-4, "{base_weight}: {jump}");
        }
    }
}
