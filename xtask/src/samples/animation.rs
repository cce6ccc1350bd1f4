//! Clips: poses at equally spaced times, as one track for each thing that moves.

use anim_core::glam::{DQuat, Vec3, Vec4};

use super::pose::{Pose, Skeleton};

/// One animation.
pub(super) struct Clip {
    pub(super) name: &'static str,
    /// Every value holds until the next key, in all tracks.
    pub(super) step: bool,
    pub(super) tracks: Vec<Track>,
}

/// The keys of one property of one joint.
pub(super) struct Track {
    pub(super) joint: usize,
    pub(super) times_seconds: Vec<f32>,
    pub(super) values: Values,
}

/// As many values as the track has times.
pub(super) enum Values {
    Rotation(Vec<Vec4>),
    Translation(Vec<Vec3>),
}

/// A clip of `intervals` intervals of 1 / `rate_hz` seconds that ends as it began.
///
/// `pose` is asked for phases from 0 (inclusive) to 1 (exclusive); the last key is the first pose, bit for bit.
pub(super) fn looping<'a>(
    name: &'static str,
    (intervals, rate_hz): (u32, u32),
    pose: impl Fn(f64) -> Pose<'a>,
) -> Clip {
    let mut poses: Vec<Pose> = (0..intervals).map(|k| pose(f64::from(k) / f64::from(intervals))).collect();
    poses.push(poses[0].clone());
    Clip { name, step: false, tracks: tracks(&poses, f64::from(rate_hz)) }
}

/// A clip that shows one pose after another, each for 1 / `rate_hz` seconds, and ends with the first.
pub(super) fn stepping(name: &'static str, rate_hz: f64, mut poses: Vec<Pose>) -> Clip {
    poses.push(poses[0].clone());
    Clip { name, step: true, tracks: tracks(&poses, rate_hz) }
}

/// A clip of one key at time 0.
pub(super) fn still(name: &'static str, pose: Pose) -> Clip {
    Clip { name, step: false, tracks: tracks(&[pose], 1.0) }
}

/// Tracks of all that differs from the rest pose; what does not change gets only its first and last key.
fn tracks(poses: &[Pose], rate_hz: f64) -> Vec<Track> {
    let skeleton: &Skeleton = poses[0].skeleton;
    let mut all = Vec::new();
    let mut push = |joint: usize, values: Values| {
        let last = poses.len() - 1;
        let (keys, values) = if last > 0 && values.constant() {
            (vec![0, last], values.first_and_last())
        } else {
            ((0..=last).collect::<Vec<_>>(), values)
        };
        let seconds = |key: usize| narrow(u32::try_from(key).map_or(0.0, f64::from) / rate_hz);
        all.push(Track { joint, times_seconds: keys.into_iter().map(seconds).collect(), values });
    };
    if poses.iter().any(|pose| pose.root_shift.length() > 0.0) {
        let rest = skeleton.joints[0].model_position;
        push(0, Values::Translation(poses.iter().map(|pose| (rest + pose.root_shift).as_vec3()).collect()));
    }
    for joint in 0..skeleton.joints.len() {
        if poses.iter().all(|pose| pose.rotations[joint] == DQuat::IDENTITY) {
            continue;
        }
        let mut previous = DQuat::IDENTITY;
        let mut values = Vec::new();
        for pose in poses {
            let rotation = pose.rotations[joint];
            // Both signs are the same rotation; neighbours on the same side keep linear interpolation short.
            previous = if previous.dot(rotation) < 0.0 { -rotation } else { rotation };
            values.push(Vec4::from_array(previous.to_array().map(narrow)));
        }
        push(joint, Values::Rotation(values));
    }
    all
}

impl Values {
    fn constant(&self) -> bool {
        match self {
            Self::Rotation(values) => values.iter().all(|value| *value == values[0]),
            Self::Translation(values) => values.iter().all(|value| *value == values[0]),
        }
    }

    fn first_and_last(&self) -> Self {
        match self {
            Self::Rotation(values) => Self::Rotation(vec![values[0], values[values.len() - 1]]),
            Self::Translation(values) => Self::Translation(vec![values[0], values[values.len() - 1]]),
        }
    }
}

/// The nearest `f32`.
#[allow(clippy::cast_possible_truncation, reason = "rounding to f32 is what the file needs")]
pub(super) fn narrow(value: f64) -> f32 {
    value as f32
}
