//! A local transform as translation, rotation and scale, and the way back from a matrix.

use glam::{DAffine3, DMat3, DQuat, DVec3};

/// A local transform: `parent_from_node = translation * rotation * scale`, as glTF 2.0 section 3.5.3 defines it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trs {
    /// Translation in metres.
    pub translation: DVec3,
    /// Rotation; of unit length unless a source states another, see [`rotation_matrix`].
    pub rotation: DQuat,
    /// Scale along the node's own axes; may be negative or zero.
    pub scale: DVec3,
}

impl Trs {
    /// No translation, no rotation, scale 1.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE };

    /// `parent_from_node` as an affine matrix.
    #[must_use]
    pub fn to_affine(self) -> DAffine3 {
        let rotation = rotation_matrix(self.rotation);
        DAffine3 {
            matrix3: DMat3::from_cols(
                rotation.x_axis * self.scale.x,
                rotation.y_axis * self.scale.y,
                rotation.z_axis * self.scale.z,
            ),
            translation: self.translation,
        }
    }

    /// Splits an affine matrix into translation, rotation and scale.
    ///
    /// `None` where no such transform exists: the columns of the 3x3 part are not at right angles to each other
    /// (shear), one of them is zero, or a number is not finite. "At right angles" allows 1e-5 of the product of their
    /// lengths, so that matrices written in `f32` pass. A mirror is put into the sign of the x scale.
    #[must_use]
    pub fn from_affine(parent_from_node: &DAffine3) -> Option<Self> {
        let m = parent_from_node.matrix3;
        let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
        let mut scale = DVec3::new(x.length(), y.length(), z.length());
        if !(parent_from_node.is_finite() && scale.min_element() > 0.0) {
            return None;
        }
        let off_square = |a: DVec3, b: DVec3, lengths: f64| a.dot(b).abs() > 1e-5 * lengths;
        if off_square(x, y, scale.x * scale.y)
            || off_square(y, z, scale.y * scale.z)
            || off_square(z, x, scale.z * scale.x)
        {
            return None;
        }
        if m.determinant() < 0.0 {
            scale.x = -scale.x;
        }
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x / scale.x, y / scale.y, z / scale.z));
        Some(Self { translation: parent_from_node.translation, rotation: rotation.normalize(), scale })
    }
}

/// The 3x3 matrix of a unit quaternion.
///
/// A quaternion that is not of unit length goes through the same formula as it is, like in other engines: with `n` its
/// squared length and `R` its rotation, the result is `(1 - n) * identity + n * R`.
///
/// Written out so that the order of operations is ours.
#[must_use]
pub fn rotation_matrix(q: DQuat) -> DMat3 {
    let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
    let (xx, xy, xz) = (q.x * x2, q.x * y2, q.x * z2);
    let (yy, yz, zz) = (q.y * y2, q.y * z2, q.z * z2);
    let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
    DMat3::from_cols(
        DVec3::new(1.0 - (yy + zz), xy + wz, xz - wy),
        DVec3::new(xy - wz, 1.0 - (xx + zz), yz + wx),
        DVec3::new(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn unit_quaternion() -> impl Strategy<Value = DQuat> {
        (-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0f64)
            .prop_filter("long enough to normalise", |(x, y, z, w)| x * x + y * y + z * z + w * w > 0.01)
            .prop_map(|(x, y, z, w)| DQuat::from_xyzw(x, y, z, w).normalize())
    }

    fn scale() -> impl Strategy<Value = f64> {
        prop_oneof![0.01..100.0, -100.0..-0.01f64]
    }

    proptest! {
        #[test]
        fn splitting_a_composed_matrix_gives_the_same_matrix(
            rotation in unit_quaternion(),
            t in (-100.0..100.0, -100.0..100.0, -100.0..100.0f64),
            s in (scale(), scale(), scale()),
        ) {
            let trs = Trs { translation: t.into(), rotation, scale: s.into() };
            let matrix = trs.to_affine();
            let again = Trs::from_affine(&matrix).expect("no shear").to_affine();
            for (a, b) in matrix.to_cols_array().iter().zip(again.to_cols_array()) {
                prop_assert!((a - b).abs() < 1e-11 * 100.0, "{matrix:?} {again:?}");
            }
        }
    }

    #[test]
    fn shear_zero_scale_and_nan_are_not_split() {
        let sheared = DAffine3::from_mat3(DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z));
        let flat = DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0));
        let broken = DAffine3::from_scale(DVec3::new(1.0, f64::NAN, 1.0));
        for matrix in [sheared, flat, broken] {
            assert_eq!(Trs::from_affine(&matrix), None);
        }
    }
}
