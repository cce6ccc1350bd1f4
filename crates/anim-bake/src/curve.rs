//! The value of a channel at one time: step, linear and cubic-spline formulas of glTF 2.0 appendix C.

use anim_core::glam::{DQuat, DVec3};
use anim_core::rotation::{normalize, slerp};

use crate::source::{Channel, KeyInterpolation};

/// Where a time lies among the keys of a channel.
struct Segment {
    /// Key at or before the time.
    a: usize,
    /// The next key; `a` outside the keys.
    b: usize,
    /// Share of `b`, in `[0, 1]`.
    s: f64,
    /// Seconds from `a` to `b`.
    length_seconds: f64,
}

/// Translation or scale at a time, in seconds of the source. Before the first key and after the last, those hold.
#[must_use]
pub(crate) fn vector_at(channel: &Channel, seconds: f64) -> DVec3 {
    let mut out = [0.0; 3];
    values_at(channel, seconds, &mut out);
    DVec3::from(out)
}

/// Rotation at a time. Splines are normalised (glTF 2.0 appendix C.5); keys are taken as they are stored.
#[must_use]
pub(crate) fn rotation_at(channel: &Channel, seconds: f64) -> DQuat {
    if channel.interpolation == KeyInterpolation::Linear {
        let segment = segment(channel, seconds);
        let a = quaternion(channel, segment.a);
        if segment.s == 0.0 {
            return a;
        }
        return slerp(a, quaternion(channel, segment.b), segment.s);
    }
    let mut out = [0.0; 4];
    values_at(channel, seconds, &mut out);
    let value = DQuat::from_array(out);
    if channel.interpolation == KeyInterpolation::CubicSpline { normalize(value) } else { value }
}

/// Any value at a time, number by number; `out` is `channel.components` long.
pub(crate) fn values_at(channel: &Channel, seconds: f64, out: &mut [f64]) {
    assert_eq!(out.len(), channel.components);
    let Segment { a, b, s, length_seconds } = segment(channel, seconds);
    let n = channel.components;
    let value = |index: usize| f64::from(channel.values[index]);
    match channel.interpolation {
        KeyInterpolation::Step => {
            let key = if s >= 1.0 { b } else { a };
            for (i, v) in out.iter_mut().enumerate() {
                *v = value(key * n + i);
            }
        }
        KeyInterpolation::Linear => {
            for (i, v) in out.iter_mut().enumerate() {
                *v = value(a * n + i) * (1.0 - s) + value(b * n + i) * s;
            }
        }
        KeyInterpolation::CubicSpline => {
            let (s2, s3) = (s * s, s * s * s);
            for (i, v) in out.iter_mut().enumerate() {
                let (v0, v1) = (value((a * 3 + 1) * n + i), value((b * 3 + 1) * n + i));
                let (out0, in1) = (value((a * 3 + 2) * n + i), value(b * 3 * n + i));
                *v = (2.0 * s3 - 3.0 * s2 + 1.0) * v0
                    + length_seconds * (s3 - 2.0 * s2 + s) * out0
                    + (3.0 * s2 - 2.0 * s3) * v1
                    + length_seconds * (s3 - s2) * in1;
            }
        }
    }
}

fn quaternion(channel: &Channel, key: usize) -> DQuat {
    let v = &channel.values[key * 4..key * 4 + 4];
    DQuat::from_xyzw(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]), f64::from(v[3]))
}

fn segment(channel: &Channel, seconds: f64) -> Segment {
    let times = &channel.times_seconds;
    let after = times.partition_point(|t| f64::from(*t) <= seconds);
    if after == 0 || after == times.len() {
        let key = if after == 0 { 0 } else { times.len() - 1 };
        return Segment { a: key, b: key, s: 0.0, length_seconds: 0.0 };
    }
    let (start, end) = (f64::from(times[after - 1]), f64::from(times[after]));
    let length_seconds = end - start;
    Segment { a: after - 1, b: after, s: (seconds - start) / length_seconds, length_seconds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Property;

    fn channel(interpolation: KeyInterpolation, times: &[f32], values: &[f32]) -> Channel {
        let per_key = if interpolation == KeyInterpolation::CubicSpline { 3 } else { 1 };
        Channel {
            node: 0,
            property: Property::Translation,
            interpolation,
            times_seconds: times.into(),
            values: values.into(),
            components: values.len() / times.len() / per_key,
        }
    }

    fn check(channel: &Channel, table: &[(f64, f64)]) {
        for (seconds, expected) in table {
            let mut out = vec![0.0; channel.components];
            values_at(channel, *seconds, &mut out);
            assert!((out[0] - expected).abs() < 1e-9, "at {seconds}: {} instead of {expected}", out[0]);
        }
    }

    #[test]
    fn step_holds_the_earlier_key_and_takes_the_new_one_on_time() {
        let c = channel(KeyInterpolation::Step, &[1.0, 2.0, 4.0], &[10.0, 20.0, 40.0]);
        check(
            &c,
            &[(-1.0, 10.0), (1.0, 10.0), (1.999, 10.0), (2.0, 20.0), (3.999, 20.0), (4.0, 40.0), (9.0, 40.0)],
        );
    }

    #[test]
    fn linear_holds_its_ends_and_one_key_is_a_constant() {
        let c = channel(KeyInterpolation::Linear, &[1.0, 2.0, 4.0], &[10.0, 20.0, 40.0]);
        check(&c, &[(0.0, 10.0), (1.5, 15.0), (2.0, 20.0), (3.0, 30.0), (4.0, 40.0), (5.0, 40.0)]);
        let one = channel(KeyInterpolation::Linear, &[1.0], &[7.0]);
        check(&one, &[(0.0, 7.0), (1.0, 7.0), (2.0, 7.0)]);
    }

    #[test]
    fn a_cubic_spline_meets_hand_computed_values() {
        // Keys at 0 s (value 0, out-tangent 2) and 2 s (in-tangent -1, value 4): p(s) with s = t / 2 and 2 s between.
        let c = channel(KeyInterpolation::CubicSpline, &[0.0, 2.0], &[9.0, 0.0, 2.0, -1.0, 4.0, 9.0]);
        // s = 1/2: 0.5*0 + 2*0.125*2 + 0.5*4 + 2*(-0.125)*(-1) = 0.5 + 2 + 0.25
        check(&c, &[(-1.0, 0.0), (0.0, 0.0), (1.0, 2.75), (2.0, 4.0), (3.0, 4.0)]);
        // s = 1/4: (0.140625*2)*2 + 0.15625*4 + 2*(-0.046875)*(-1)
        check(&c, &[(0.5, 0.5625 + 0.625 + 0.09375)]);
    }

    #[test]
    fn rotations_take_the_shorter_arc_between_keys_of_opposite_sign() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let mut c =
            channel(KeyInterpolation::Linear, &[0.0, 1.0], &[0.0, 0.0, 0.0, 1.0, 0.0, -half, 0.0, -half]);
        c.property = Property::Rotation;
        let middle = rotation_at(&c, 0.5);
        assert!(middle.angle_between(DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4)) < 1e-7);
    }
}
