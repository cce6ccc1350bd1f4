//! Interpolation of rotations.

use glam::DQuat;

/// Spherical linear interpolation from `a` to `b` along the shorter arc; `t` in `[0, 1]`.
///
/// `b` and `-b` are the same rotation, and the nearer of the two is taken, so neighbouring keys of opposite sign do not
/// send a limb the long way round. Between quaternions of unit length the result is of unit length too. Others, such as
/// keys stored as 8-bit integers, go through the same formula as they are: that is what the specification says and what
/// other engines show.
///
/// Source: glTF 2.0 appendix C.4, "Spherical Linear Interpolation". Where the dot product is above `1 - 1e-9` (an angle of
/// about 1e-4) the sine quotient is replaced by its limit, linear interpolation, which differs there by less than 1e-9.
#[must_use]
pub fn slerp(a: DQuat, b: DQuat, t: f64) -> DQuat {
    let signed = dot(a, b);
    let sign = if signed < 0.0 { -1.0 } else { 1.0 };
    let d = signed * sign;
    let (wa, wb) = if d > 1.0 - 1e-9 {
        (1.0 - t, t * sign)
    } else {
        let angle = libm::acos(d);
        let sine = libm::sin(angle);
        (libm::sin((1.0 - t) * angle) / sine, libm::sin(t * angle) / sine * sign)
    };
    DQuat::from_xyzw(a.x * wa + b.x * wb, a.y * wa + b.y * wb, a.z * wa + b.z * wb, a.w * wa + b.w * wb)
}

/// Scales a quaternion to unit length. The zero quaternion and quaternions that are not finite become identity.
#[must_use]
pub fn normalize(q: DQuat) -> DQuat {
    let length = libm::sqrt(dot(q, q));
    if length > 0.0 && length.is_finite() {
        DQuat::from_xyzw(q.x / length, q.y / length, q.z / length, q.w / length)
    } else {
        DQuat::IDENTITY
    }
}

fn dot(a: DQuat, b: DQuat) -> f64 {
    a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about_y(degrees: f64) -> DQuat {
        DQuat::from_rotation_y(degrees.to_radians())
    }

    #[test]
    fn slerp_divides_the_angle_evenly_and_takes_the_shorter_arc() {
        // (from, to, t, expected), degrees about +Y.
        let table = [
            (0.0, 90.0, 0.0, 0.0),
            (0.0, 90.0, 0.25, 22.5),
            (0.0, 90.0, 1.0, 90.0),
            (0.0, 170.0, 0.5, 85.0),
            (0.0, 190.0, 0.5, -85.0),
            (350.0, 10.0, 0.5, 360.0),
            (10.0, 10.0, 0.3, 10.0),
        ];
        for (from, to, t, expected) in table {
            for sign in [1.0, -1.0] {
                let found = slerp(about_y(from), about_y(to) * sign, t);
                let error = found.angle_between(about_y(expected));
                assert!(error < 1e-7, "{from} to {to} at {t}: off by {error} rad");
            }
        }
    }

    #[test]
    fn what_cannot_be_normalised_is_identity() {
        for q in [DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0)] {
            assert_eq!(normalize(q), DQuat::IDENTITY);
        }
    }
}
