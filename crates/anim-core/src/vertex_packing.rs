//! The 16-byte vertex that a player uploads: what it keeps of position, normal and weights.
//!
//! The file keeps `f32`. This is the form in which the default player draws, so its rounding is part of what an
//! accuracy report states.

/// Packs a position as `unorm16` x 3 of the box; outside the box it is clamped to it.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=65535 before the cast"
)]
pub fn pack_position(position: [f32; 3], box_min: [f32; 3], box_max: [f32; 3]) -> [u16; 3] {
    core::array::from_fn(|i| {
        let size = box_max[i] - box_min[i];
        if size > 0.0 {
            libm::roundf(((position[i] - box_min[i]) / size).clamp(0.0, 1.0) * 65_535.0) as u16
        } else {
            0
        }
    })
}

/// The position that a packed one stands for.
#[must_use]
pub fn unpack_position(packed: [u16; 3], box_min: [f32; 3], box_max: [f32; 3]) -> [f32; 3] {
    core::array::from_fn(|i| box_min[i] + f32::from(packed[i]) / 65_535.0 * (box_max[i] - box_min[i]))
}

/// Packs a unit normal onto the octahedron, two `snorm8`.
///
/// Source: Q. Meyer and others, "On Floating-Point Normal Vectors", 2010. A normal without length packs as +Z.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "clamped to -127..=127 before the cast")]
pub fn pack_normal(normal: [f32; 3]) -> [i8; 2] {
    let sum = normal[0].abs() + normal[1].abs() + normal[2].abs();
    if !(sum > 0.0 && sum.is_finite()) {
        return [0, 0];
    }
    let (x, y) = (normal[0] / sum, normal[1] / sum);
    let (x, y) = if normal[2] < 0.0 {
        ((1.0 - y.abs()) * sign_not_zero(x), (1.0 - x.abs()) * sign_not_zero(y))
    } else {
        (x, y)
    };
    [x, y].map(|v| libm::roundf(v.clamp(-1.0, 1.0) * 127.0) as i8)
}

/// The unit normal that a packed one stands for.
#[must_use]
pub fn unpack_normal(packed: [i8; 2]) -> [f32; 3] {
    let [x, y] = packed.map(|v| (f32::from(v) / 127.0).max(-1.0));
    let z = 1.0 - x.abs() - y.abs();
    let fold = (-z).max(0.0);
    let v = [x - fold * sign_not_zero(x), y - fold * sign_not_zero(y), z];
    let length = libm::sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    v.map(|n| n / length)
}

/// Packs a tangent and its handedness as four `snorm8`. A tangent of a vertex that has none is zero and stays it.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "clamped to -127..=127 before the cast")]
pub fn pack_tangent(tangent: [f32; 4]) -> [i8; 4] {
    tangent.map(|v| libm::roundf(v.clamp(-1.0, 1.0) * 127.0) as i8)
}

/// The order in which influences are packed: the largest (of equal ones the first) changes places with the fourth.
///
/// The fourth weight is what the other three leave of 1, so it takes their rounding. The largest can: a bone without any
/// weight never gets some, and an error of a step or two is least of the largest.
#[must_use]
pub fn order_influences(mut bones: [u16; 4], mut weights: [f32; 4]) -> ([u16; 4], [f32; 4]) {
    let mut largest = 0;
    for place in 1..4 {
        if weights[place] > weights[largest] {
            largest = place;
        }
    }
    bones.swap(largest, 3);
    weights.swap(largest, 3);
    (bones, weights)
}

/// Packs four weights that sum to 1, in the order of [`order_influences`]: three of 10 bits, the fourth implied. The
/// rounding goes into the fourth.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=1023 before the cast"
)]
pub fn pack_weights(weights: [f32; 4]) -> u32 {
    let mut packed = 0;
    let mut left = 1023;
    for (i, weight) in weights[..3].iter().enumerate() {
        let steps = (libm::roundf(weight.clamp(0.0, 1.0) * 1023.0) as u32).min(left);
        left -= steps;
        packed |= steps << (10 * i);
    }
    packed
}

/// The four weights that a packed word stands for; they sum to 1.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "10 bits")]
pub fn unpack_weights(packed: u32) -> [f32; 4] {
    let [a, b, c] = [packed & 1023, (packed >> 10) & 1023, (packed >> 20) & 1023].map(|w| w as f32 / 1023.0);
    [a, b, c, (1.0 - a - b - c).max(0.0)]
}

fn sign_not_zero(v: f32) -> f32 {
    if v < 0.0 { -1.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn positions_are_within_half_a_step(p in (-5.0..7.0f32, -1.0..1.0f32, 0.0..300.0f32)) {
            let (low, high) = ([-5.0, -1.0, 0.0], [7.0, 1.0, 300.0]);
            let position = [p.0, p.1, p.2];
            let found = unpack_position(pack_position(position, low, high), low, high);
            for i in 0..3 {
                let step = (high[i] - low[i]) / 65_535.0;
                prop_assert!((found[i] - position[i]).abs() <= step * 0.51, "{found:?} {position:?}");
            }
        }

        #[test]
        fn normals_are_within_a_degree(n in (-1.0..1.0f32, -1.0..1.0f32, -1.0..1.0f32)) {
            let length = (n.0 * n.0 + n.1 * n.1 + n.2 * n.2).sqrt();
            prop_assume!(length > 0.01);
            let normal = [n.0 / length, n.1 / length, n.2 / length];
            let found = unpack_normal(pack_normal(normal));
            let angle = crate::error_metric::angle_degrees(normal.map(f64::from), found.map(f64::from));
            prop_assert!(angle < 1.0, "{normal:?} {found:?}: {angle}");
        }

        #[test]
        fn weights_keep_their_sum_and_are_within_two_steps(w in (0.0..1.0f32, 0.0..1.0f32, 0.0..1.0f32, 0.01..1.0f32)) {
            let sum = w.0 + w.1 + w.2 + w.3;
            let weights = [w.0 / sum, w.1 / sum, w.2 / sum, w.3 / sum];
            let (_, weights) = order_influences([0; 4], weights);
            let found = unpack_weights(pack_weights(weights));
            prop_assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            for (a, b) in weights.iter().zip(found) {
                prop_assert!((a - b).abs() < 2.0 / 1023.0, "{weights:?} {found:?}");
            }
        }
    }

    #[test]
    fn the_largest_influence_is_the_implied_one_and_no_other_gets_weight_by_rounding() {
        let (bones, weights) = order_influences([7, 8, 9, 0], [0.4, 0.3004, 0.2996, 0.0]);
        assert_eq!((bones, weights), ([0, 8, 9, 7], [0.0, 0.3004, 0.2996, 0.4]));
        assert_eq!(unpack_weights(pack_weights(weights))[0], 0.0);
        for order in [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
        {
            let (_, weights) = order_influences([0; 4], order);
            assert_eq!(unpack_weights(pack_weights(weights)), [0.0, 0.0, 0.0, 1.0]);
        }
        let equal = order_influences([1, 2, 3, 4], [0.25; 4]);
        assert_eq!(equal, ([4, 2, 3, 1], [0.25; 4]));
    }

    #[test]
    fn tangents_keep_their_handedness_and_a_missing_one_stays_zero() {
        assert_eq!(pack_tangent([0.0, -1.0, 0.5, -1.0]), [0, -127, 64, -127]);
        assert_eq!(pack_tangent([0.0; 4]), [0; 4]);
    }

    #[test]
    fn a_flat_box_and_a_missing_normal_have_an_answer() {
        assert_eq!(pack_position([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), [0; 3]);
        assert_eq!(unpack_normal(pack_normal([0.0; 3])), [0.0, 0.0, 1.0]);
    }
}
