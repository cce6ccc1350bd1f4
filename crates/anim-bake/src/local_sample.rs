//! What one node does in one clip: for rotation, translation and scale one value, or one for each frame.

use anim_core::glam::DQuat;
use anim_core::rotation::normalize;

use crate::clip_plan::ClipPlan;
use crate::curve::{rotation_at, vector_at};
use crate::non_unit::{axis_lengths, nearest_rotation};
use crate::source::{Channel, KeyInterpolation};

/// The values of one property of one node in a clip. Rotations are of unit length, x, y, z, w; others x, y, z, 0.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Samples {
    /// It stands still.
    Still([f64; 4]),
    /// One value a frame; of rotations each has the sign that is nearer to the one before, or after half a turn the sign
    /// of the side on which the source turns.
    Moving(Vec<[f64; 4]>),
}

/// Whether any frame of a channel can differ from another, judged by the keys alone.
pub(crate) fn can_move(channel: &Channel) -> bool {
    let n = channel.components;
    match channel.interpolation {
        KeyInterpolation::CubicSpline => {
            let keys: Vec<&[f32]> = channel.values.chunks_exact(3 * n).collect();
            let differs = |key: &&[f32]| key[n..2 * n] != keys[0][n..2 * n];
            let bends = |key: &&[f32]| key[..n].iter().chain(&key[2 * n..]).any(|tangent| *tangent != 0.0);
            keys.len() > 1 && keys.iter().any(|key| differs(key) || bends(key))
        }
        _ => channel.values.chunks_exact(n).any(|value| *value != channel.values[..n]),
    }
}

/// Rotations whose dot product is smaller than this, in magnitude, are about half a turn apart.
const HALF_TURN: f64 = 0.01;

/// The rotations of a channel in all frames of a clip.
///
/// They stand still if none differs by more than `tolerance`, on any of the four axes, from `rest`, which it then is, or
/// else from the middle of all.
pub(crate) fn sample_rotation(channel: &Channel, clip: &ClipPlan, rest: [f64; 4], tolerance: f64) -> Samples {
    let at = |(seconds, step_seconds)| {
        nearest_rotation(rotation_at(channel, time_of(channel, seconds, step_seconds))).to_array()
    };
    let mut before: Option<([f64; 4], f64)> = None;
    let rotation = |times: (f64, f64)| {
        let q = at(times);
        let negated = q.map(|v| -v);
        let q = match before {
            None if dot(q, rest) < 0.0 => negated,
            None => q,
            // About half a turn: the source says which way.
            Some((last, seconds)) if dot(q, last).abs() < HALF_TURN => {
                let halfway = (seconds + times.0) * 0.5;
                let middle = at((halfway, halfway));
                let nearness = |q: [f64; 4]| dot(std::array::from_fn(|i| last[i] + q[i]), middle).abs();
                if nearness(negated) > nearness(q) { negated } else { q }
            }
            Some((last, _)) if dot(q, last) < 0.0 => negated,
            Some(_) => q,
        };
        before = Some((q, times.0));
        q
    };
    match sample(channel, clip, rest, rotation, |_| tolerance) {
        Samples::Still(q) => Samples::Still(normalize(DQuat::from_array(q)).to_array()),
        moving => moving,
    }
}

/// Lengths that rotations which are no unit quaternions give to a node's axes, by frame; `None` if they are hardly other
/// than 1: a scale that moves has its price.
pub(crate) fn sample_axis_lengths(channel: &Channel, clip: &ClipPlan) -> Option<Vec<[f64; 3]>> {
    const HARDLY: f64 = 2e-4;
    let at = |frame| {
        let (seconds, step_seconds) = clip.frame_seconds(frame);
        axis_lengths(rotation_at(channel, time_of(channel, seconds, step_seconds)))
    };
    let lengths: Vec<[f64; 3]> = (0..clip.frames()).map(at).collect();
    let differs = |length: &f64| (length - 1.0).abs() > HARDLY;
    lengths.as_flattened().iter().any(differs).then_some(lengths)
}

impl Samples {
    /// The same, with a factor for each axis in each frame.
    pub(crate) fn stretched(self, lengths: &[[f64; 3]]) -> Self {
        let times =
            |value: &[f64; 4], by: &[f64; 3]| [value[0] * by[0], value[1] * by[1], value[2] * by[2], 0.0];
        Self::Moving(match &self {
            Self::Still(value) => lengths.iter().map(|by| times(value, by)).collect(),
            Self::Moving(values) => values.iter().zip(lengths).map(|(value, by)| times(value, by)).collect(),
        })
    }
}

/// The translations or scales of a channel in all frames of a clip.
///
/// They stand still if none differs by more than `tolerance` times the largest number among them (or times `at_least`, if
/// that is more), on any axis, from `rest`, which it then is, or else from the middle of all.
pub(crate) fn sample_value(
    channel: &Channel,
    clip: &ClipPlan,
    rest: [f64; 4],
    tolerance: f64,
    at_least: f64,
) -> Samples {
    let value = |(seconds, step_seconds): (f64, f64)| {
        let v = vector_at(channel, time_of(channel, seconds, step_seconds));
        [v.x, v.y, v.z, 0.0]
    };
    sample(channel, clip, rest, value, |largest| tolerance * f64::max(largest, at_least))
}

fn time_of(channel: &Channel, seconds: f64, step_seconds: f64) -> f64 {
    if channel.interpolation == KeyInterpolation::Step { step_seconds } else { seconds }
}

/// `tolerance` is told the largest magnitude of all numbers.
fn sample(
    channel: &Channel,
    clip: &ClipPlan,
    rest: [f64; 4],
    mut value: impl FnMut((f64, f64)) -> [f64; 4],
    tolerance: impl Fn(f64) -> f64,
) -> Samples {
    let frames = if can_move(channel) { clip.frames() } else { 1 };
    let values: Vec<[f64; 4]> = (0..frames).map(|frame| value(clip.frame_seconds(frame))).collect();
    let (mut min, mut max) = (values[0], values[0]);
    for value in &values {
        min = std::array::from_fn(|i| min[i].min(value[i]));
        max = std::array::from_fn(|i| max[i].max(value[i]));
    }
    let largest = min.iter().chain(&max).fold(0.0, |largest: f64, v| largest.max(v.abs()));
    let tolerance = tolerance(largest);
    let is_near = |center: &[f64; 4]| {
        (0..4).all(|i| max[i] - center[i] <= tolerance && center[i] - min[i] <= tolerance)
    };
    let middle = std::array::from_fn(|i| if min[i] == max[i] { min[i] } else { (min[i] + max[i]) * 0.5 });
    match [rest, middle].into_iter().find(is_near) {
        Some(center) => Samples::Still(center),
        None => Samples::Moving(values),
    }
}

fn dot(a: [f64; 4], b: [f64; 4]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Property;
    use anim_core::clip_time::{ClipMode, Interpolation};

    fn channel(property: Property, interpolation: KeyInterpolation, values: &[f32]) -> Channel {
        let components = if property == Property::Rotation { 4 } else { 3 };
        let per_key = if interpolation == KeyInterpolation::CubicSpline { 3 } else { 1 };
        let keys = values.len() / components / per_key;
        let times: Vec<f32> = (0..keys).map(|key| key as f32).collect();
        Channel {
            node: 0,
            property,
            interpolation,
            times_seconds: times.into(),
            values: values.into(),
            components,
        }
    }

    fn plan(intervals: u32, duration_seconds: f32) -> ClipPlan {
        ClipPlan {
            source: Some(0),
            name: "clip".into(),
            mode: ClipMode::Loop,
            start_seconds: 0.0,
            duration_seconds,
            intervals,
            source_rate_hz: None,
            interpolation: Interpolation::Linear,
            jumps: Vec::new(),
        }
    }

    #[test]
    fn what_differs_from_rest_by_less_than_the_tolerance_is_rest_and_other_constants_are_kept() {
        let rest = [0.0, 1.0, 0.0, 0.0];
        let still = |values: &[f32]| {
            let c = channel(Property::Translation, KeyInterpolation::Linear, values);
            sample_value(&c, &plan(4, 1.0), rest, 1e-7, 0.0)
        };
        let moved: Vec<f64> = match still(&[0.0, 1.0, 0.0, 0.0, 1.000_001, 0.0]) {
            Samples::Moving(values) => values.into_iter().map(|value| value[1]).collect(),
            still => panic!("{still:?}"),
        };
        let step = f64::from(1.000_001f32) - 1.0;
        let expected = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| 1.0 + share * step);
        assert!(
            moved.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12),
            "{moved:?}"
        );
        assert_eq!(
            still(&[0.0, 1.0, 0.0, 0.0, 1.0, 1.5e-7]),
            Samples::Still([0.0, 1.0, f64::from(1.5e-7f32) * 0.5, 0.0])
        );
        assert_eq!(still(&[1e-8, 1.0, 0.0, -1e-8, 1.0, 0.0]), Samples::Still(rest));
        assert_eq!(still(&[0.5, 1.0, 2.0, 0.5, 1.0, 2.0]), Samples::Still([0.5, 1.0, 2.0, 0.0]));
    }

    #[test]
    fn keys_that_are_equal_can_move_only_through_their_tangents() {
        use KeyInterpolation::{CubicSpline, Linear, Step};
        let one = [1.0, 2.0, 3.0];
        let table: [(KeyInterpolation, Vec<f32>, bool); 6] = [
            (Linear, one.repeat(2), false),
            (Step, vec![1.0, 2.0, 3.0, 1.0, 2.0, 4.0], true),
            (CubicSpline, [[0.0; 3], one, [0.0; 3]].concat().repeat(2), false),
            (CubicSpline, [[0.0; 3], one, [0.0, 0.1, 0.0]].concat().repeat(2), true),
            (CubicSpline, [[0.0; 3], one, [0.0; 3], [0.0; 3], [1.0, 2.0, 4.0], [0.0; 3]].concat(), true),
            (CubicSpline, [[5.0; 3], one, [7.0; 3]].concat(), false),
        ];
        for (interpolation, values, expected) in table {
            let channel = channel(Property::Scale, interpolation, &values);
            assert_eq!(can_move(&channel), expected, "{interpolation:?} {values:?}");
        }
    }

    #[test]
    fn neighbouring_rotations_have_signs_that_are_near() {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let keys = [0.0, 0.0, 0.0, 1.0, 0.0, -half, 0.0, -half, 0.0, 1.0, 0.0, 0.0, 0.0, half, 0.0, -half];
        let c = channel(Property::Rotation, KeyInterpolation::Linear, &keys);
        let Samples::Moving(values) = sample_rotation(&c, &plan(6, 3.0), [0.0, 0.0, 0.0, 1.0], 1e-7) else {
            panic!("it moves")
        };
        assert_eq!(values.len(), 7);
        assert!(values.windows(2).all(|pair| dot(pair[0], pair[1]) > 0.8), "{values:?}");
    }
}
