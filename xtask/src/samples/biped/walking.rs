//! One step cycle of two legs, for walking and running.

use anim_core::glam::DVec3;

use super::super::gait::{Footfall, ease, footfall, hermite, hill, through};
use super::super::pose::{Pose, pitch, yaw};

/// What tells a walk from a run.
pub(super) struct Stride {
    /// Share of the cycle that a foot spends on the ground.
    pub(super) duty: f64,
    /// Where the foot comes down and leaves the ground, in metres before the hip.
    pub(super) lands_at: f64,
    pub(super) leaves_at: f64,
    /// Metres that the ankle is lifted above the straight way in the air, and when in the swing it is highest.
    pub(super) lift: f64,
    pub(super) lift_top: f64,
    /// (share of the stance, degrees): the heel's pitch on the ground, positive with the heel up.
    pub(super) stance_pitch: &'static [(f64, f64)],
    /// (share of the swing, degrees), beginning where the stance ends and ending where it begins.
    pub(super) swing_pitch: &'static [(f64, f64)],
}

/// Places both feet. `phase` 0 is where the left foot comes down. The hips have to be posed before.
pub(super) fn place_feet(pose: &mut Pose, stride: &Stride, phase: f64) {
    for (suffix, side, shift) in [("l", 1.0, 0.0), ("r", -1.0, 0.5)] {
        let Ankle { place, pitch_degrees, toe_degrees } = ankle(pose, stride, suffix, phase + shift);
        let [thigh, shin, foot, toes] =
            ["thigh", "shin", "foot", "toes"].map(|name| format!("{name}_{suffix}"));
        let outwards = yaw(side * 5.0);
        pose.reach(&thigh, &shin, &foot, place, outwards * DVec3::Z);
        pose.set_in_model(&foot, outwards * pitch(pitch_degrees));
        pose.set(&toes, pitch(toe_degrees));
    }
}

struct Ankle {
    place: DVec3,
    pitch_degrees: f64,
    toe_degrees: f64,
}

fn ankle(pose: &Pose, stride: &Stride, suffix: &str, phase: f64) -> Ankle {
    match footfall(phase, stride.duty) {
        Footfall::Stance(share) => {
            let pitch_degrees = through(stride.stance_pitch, share);
            // The toes stay flat on the ground while the heel rises.
            let place = standing(pose, stride, suffix, share, pitch_degrees);
            Ankle { place, pitch_degrees, toe_degrees: -pitch_degrees.max(0.0) }
        }
        Footfall::Swing(share) => {
            let pitch_degrees = through(stride.swing_pitch, share);
            let end_pitch = through(stride.stance_pitch, 1.0);
            let from = standing(pose, stride, suffix, 1.0, end_pitch);
            let to = standing(pose, stride, suffix, 0.0, through(stride.stance_pitch, 0.0));
            let slope = (stride.leaves_at - stride.lands_at) / stride.duty * (1.0 - stride.duty);
            let z = hermite(share, from.z, to.z, slope * 0.7, slope * 0.7);
            let y = from.y + (to.y - from.y) * ease(share) + stride.lift * hill(share, stride.lift_top);
            let toe_degrees = -end_pitch.max(0.0) * (1.0 - ease(share * 1.8));
            Ankle { place: DVec3::new(from.x, y, z), pitch_degrees, toe_degrees }
        }
    }
}

/// The place of the ankle while the foot, turned by its pitch about heel or toe joint, stands on the ground.
fn standing(pose: &Pose, stride: &Stride, suffix: &str, share: f64, pitch_degrees: f64) -> DVec3 {
    let joint = |name: &str| {
        let skeleton = pose.skeleton;
        skeleton.joints[skeleton.index(&format!("{name}_{suffix}"))].model_position
    };
    let (ankle, toes) = (joint("foot"), joint("toes"));
    let pivot = if pitch_degrees > 0.0 {
        DVec3::new(ankle.x, toes.y, toes.z)
    } else {
        DVec3::new(ankle.x, 0.0, ankle.z - 0.065)
    };
    let forwards = stride.lands_at + (stride.leaves_at - stride.lands_at) * share;
    let moved = DVec3::new(0.0, 0.0, forwards);
    pivot + moved + pitch(pitch_degrees) * (ankle - pivot)
}
