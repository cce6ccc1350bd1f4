//! Rotations that are no unit quaternions, as 8-bit keys are: what glTF's formula makes of them, as rotation and scale.
//!
//! With `n` the squared length, `R` the rotation by the angle `t` about the axis `a`, the formula gives
//! `(1 - n) * identity + n * R`: along the axis nothing changes, and across it everything turns and grows by the complex
//! number `(1 - n) + n * e^(i t)`.

use anim_core::glam::{DQuat, DVec3};
use anim_core::rotation::normalize;

/// Squared lengths this near to 1 are 1.
const UNIT: f64 = 1e-7;

/// The rotation of the formula's matrix: the nearest one.
pub(crate) fn nearest_rotation(q: DQuat) -> DQuat {
    match Turn::of(q) {
        Some(turn) => {
            let half = libm::atan2(turn.sine, turn.cosine) * 0.5;
            let axis = turn.axis * libm::sin(half);
            DQuat::from_xyzw(axis.x, axis.y, axis.z, libm::cos(half))
        }
        None => normalize(q),
    }
}

/// The lengths of the matrix's columns. Where the axis is one of the node's own, these scales and the rotation are all of it.
pub(crate) fn axis_lengths(q: DQuat) -> [f64; 3] {
    let Some(turn) = Turn::of(q) else { return [1.0; 3] };
    let across = turn.sine * turn.sine + turn.cosine * turn.cosine;
    turn.axis.to_array().map(|along| libm::sqrt(across + (1.0 - across) * along * along))
}

/// What happens across the axis.
struct Turn {
    axis: DVec3,
    sine: f64,
    cosine: f64,
}

impl Turn {
    /// `None` for what is a rotation, and for what turns by nothing.
    fn of(q: DQuat) -> Option<Self> {
        let n = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
        let across = libm::sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
        if !((n - 1.0).abs() > UNIT && across > 1e-9 && n.is_finite()) {
            return None;
        }
        // n times the sine and cosine of the whole angle.
        let (sine, cosine) = (2.0 * across * q.w, q.w * q.w - across * across);
        Some(Self { axis: DVec3::new(q.x, q.y, q.z) / across, sine, cosine: 1.0 - n + cosine })
    }
}

#[cfg(test)]
mod tests {
    use anim_core::glam::DMat3;
    use anim_core::trs::rotation_matrix;

    use super::*;

    fn apart(a: DMat3, b: DMat3) -> f64 {
        (a - b).to_cols_array().iter().fold(0.0, |largest: f64, v| largest.max(v.abs()))
    }

    #[test]
    fn about_an_axis_of_its_own_a_node_is_exactly_what_the_formula_says() {
        for length in [0.97, 0.999, 1.0, 1.004, 1.02] {
            for degrees in [-170.0, -90.0, -1.0, 0.0, 30.0, 120.0, 179.0, 260.0] {
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let q = DQuat::from_axis_angle(axis, f64::to_radians(degrees)) * length;
                    let [x, y, z] = axis_lengths(q);
                    let found =
                        DMat3::from_quat(nearest_rotation(q)) * DMat3::from_diagonal(DVec3::new(x, y, z));
                    assert!(apart(found, rotation_matrix(q)) < 1e-12, "{length} {degrees} {axis}");
                }
            }
        }
    }

    #[test]
    fn about_any_axis_it_is_nearer_than_the_normalised_quaternion() {
        let axis = DVec3::new(1.0, 2.0, -0.5).normalize();
        for degrees in [20.0, 90.0, 150.0] {
            let q = DQuat::from_axis_angle(axis, f64::to_radians(degrees)) * 1.004;
            let [x, y, z] = axis_lengths(q);
            let found = DMat3::from_quat(nearest_rotation(q)) * DMat3::from_diagonal(DVec3::new(x, y, z));
            let truth = rotation_matrix(q);
            assert!(apart(found, truth) < 0.8 * apart(DMat3::from_quat(normalize(q)), truth), "{degrees}");
        }
    }
}
