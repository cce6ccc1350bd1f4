//! The bind pose: from the space in which a mesh was skinned to the space of a posed model.

use glam::DAffine3;

/// `model_from_bind = model_from_bone * bone_from_bind`: the skinning matrix of one bone.
///
/// `bone_from_bind` is glTF's inverse bind matrix (identity where a file has none), `model_from_bone` the joint's
/// global matrix in the scene (glTF 2.0 section 3.7.3.3).
#[must_use]
pub fn model_from_bind(model_from_bone: &DAffine3, bone_from_bind: &DAffine3) -> DAffine3 {
    *model_from_bone * *bone_from_bind
}

/// The inverse bind matrix that makes `model_from_bone` the bind pose; `None` if that pose is singular (its 3x3 part
/// has no inverse in `f64`) or not finite.
#[must_use]
pub fn bone_from_bind_of_pose(model_from_bone: &DAffine3) -> Option<DAffine3> {
    let determinant = model_from_bone.matrix3.determinant();
    if !model_from_bone.is_finite() || determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let inverse = model_from_bone.inverse();
    inverse.is_finite().then_some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trs::Trs;
    use glam::{DQuat, DVec3};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn composition_is_identity_at_the_bind_pose(
            t in (-10.0..10.0, -10.0..10.0, -10.0..10.0f64),
            axis in (-1.0..1.0, -1.0..1.0, 0.1..1.0f64),
            angle in -3.1..3.1f64,
            s in (0.1..10.0, 0.1..10.0, -10.0..-0.1f64),
        ) {
            let rotation = DQuat::from_axis_angle(DVec3::from(axis).normalize(), angle);
            let pose = Trs { translation: t.into(), rotation, scale: s.into() }.to_affine();
            let bind = bone_from_bind_of_pose(&pose).expect("invertible");
            let product = model_from_bind(&pose, &bind).to_cols_array();
            for (found, expected) in product.iter().zip(DAffine3::IDENTITY.to_cols_array()) {
                prop_assert!((found - expected).abs() < 1e-10, "{product:?}");
            }
        }
    }

    #[test]
    fn a_singular_pose_has_no_inverse_bind_matrix() {
        assert_eq!(bone_from_bind_of_pose(&DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0))), None);
    }
}
