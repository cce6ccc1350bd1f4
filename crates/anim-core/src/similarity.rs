//! Turning, moving and scaling evenly: what nearly all nodes do, in seven numbers instead of twelve.
//!
//! A quaternion turns a vector by Hamilton's product `q v q*`, which also scales it by the square of the quaternion's
//! length. The palette pass keeps nodes so where it can, which takes less of the memory that limits how many of its
//! workgroups run at once.

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

use crate::local_pose::{LocalSum, normalize_rotation, refine_rotation};
use crate::matrix_rows::Rows;

/// `v' = |q|² R(q) v + t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similarity {
    /// Its length is the square root of the scale; the zero quaternion shrinks everything to a point.
    pub rotation: Quat,
    /// Metres.
    pub translation: Vec3,
}

/// Of a sum whose scale is the same on all axes and not negative; the scale of `x` is taken.
#[must_use]
pub fn similarity_of(sum: &LocalSum) -> Similarity {
    let rotation = Vec4::from(refine_rotation(normalize_rotation(sum.rotation)));
    Similarity {
        rotation: Quat::from_vec4(rotation * libm::sqrtf(sum.scale.x)),
        translation: sum.translation,
    }
}

/// `target_from_middle * middle_from_source`.
#[must_use]
pub fn similarity_mul(a: &Similarity, b: &Similarity) -> Similarity {
    let (p, q) = (Vec4::from(a.rotation), Vec4::from(b.rotation));
    let axis = q.xyz() * p.w + p.xyz() * q.w + p.xyz().cross(q.xyz());
    Similarity {
        rotation: Quat::from_vec4(axis.extend(p.w * q.w - p.xyz().dot(q.xyz()))),
        translation: a.translation + similarity_vector(a.rotation, b.translation),
    }
}

/// A vector, turned and scaled.
#[must_use]
pub fn similarity_vector(rotation: Quat, v: Vec3) -> Vec3 {
    let q = Vec4::from(rotation);
    let axis = q.xyz();
    let along = axis * axis.dot(v) + axis.cross(v) * q.w;
    v * (q.w * q.w - axis.dot(axis)) + along * 2.0
}

/// Row `row` (0 to 2) of its matrix, without the translation.
#[must_use]
pub fn similarity_row(rotation: Quat, row: usize) -> Vec3 {
    // The row of a matrix is its transpose times a unit vector: the inverse rotation.
    similarity_vector(rotation.conjugate(), Vec3::AXES[row])
}

/// All of its matrix.
#[must_use]
pub fn similarity_rows(pose: &Similarity) -> Rows {
    core::array::from_fn(|row| similarity_row(pose.rotation, row).extend(pose.translation[row]).to_array())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_pose::{finish_local, local_rows, rows_mul};
    use proptest::prelude::*;

    fn sum() -> impl Strategy<Value = LocalSum> {
        let rotation = prop::array::uniform4(-1.0..1.0f32)
            .prop_filter("long enough to normalise", |q| q.iter().map(|v| v * v).sum::<f32>() > 0.01);
        let scale = prop_oneof![Just(1.0f32), 0.01..100.0f32, Just(0.0f32)];
        (prop::array::uniform3(-10.0..10.0f32), rotation, scale).prop_map(|(translation, rotation, scale)| {
            LocalSum {
                translation: translation.into(),
                rotation: rotation.into(),
                scale: Vec3::splat(scale),
                weight: 1.0,
            }
        })
    }

    fn largest(rows: &Rows) -> f32 {
        rows.as_flattened().iter().fold(0.0, |largest, number| largest.max(number.abs()))
    }

    fn assert_near(found: &Rows, expected: &Rows, ulps: f32) {
        let slack = ulps * f32::EPSILON * largest(expected).max(1e-30);
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            assert!((found - expected).abs() <= slack, "{found} instead of {expected}");
        }
    }

    proptest! {
        #[test]
        fn a_similarity_is_its_rows(a in sum(), b in sum()) {
            let rows = |sum: &LocalSum| local_rows(&finish_local(sum));
            assert_near(&similarity_rows(&similarity_of(&a)), &rows(&a), 8.0);
            let product = similarity_rows(&similarity_mul(&similarity_of(&a), &similarity_of(&b)));
            // Relative to what is added up, which may cancel.
            let expected = rows_mul(&rows(&a), &rows(&b));
            let slack = 32.0 * f32::EPSILON * (a.scale.x * (b.translation.length() + b.scale.x) + a.translation.length());
            for (found, expected) in product.as_flattened().iter().zip(expected.as_flattened()) {
                prop_assert!((found - expected).abs() <= slack, "{} instead of {}", found, expected);
            }
        }
    }

    #[test]
    fn no_layers_show_nothing() {
        let nothing = similarity_of(&LocalSum::default());
        assert_eq!(similarity_rows(&nothing), [[0.0; 4]; 3]);
    }
}
