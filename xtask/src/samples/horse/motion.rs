//! The horse's clips: which hoof is where, and how the trunk moves above.

use anim_core::glam::DVec3;

use super::super::animation::{Clip, looping};
use super::super::gait::{Footfall, ease, footfall, hermite, hill, through};
use super::super::pose::{Pose, Skeleton, cos_turns, pitch, roll, sin_turns, two_bones, yaw};

pub(super) fn clips(skeleton: &Skeleton) -> Vec<Clip> {
    vec![
        looping("walk", (32, 30), |phase| walk(skeleton, phase)),
        looping("gallop", (16, 30), |phase| gallop(skeleton, phase)),
    ]
}

/// How one leg steps.
struct Step {
    /// Phase of the clip at which the hoof comes down.
    lands_at_phase: f64,
    /// Share of the cycle that the hoof spends on the ground.
    duty: f64,
    /// Where the hoof comes down and leaves, in metres before where it stands in the rest pose.
    lands_at: f64,
    leaves_at: f64,
    /// Metres that the hoof is lifted.
    lift: f64,
    /// Degrees that the hoof is folded back in the middle of the swing.
    fold: f64,
    /// Degrees that a foreleg's upper arm swings to each side.
    arm_swing: f64,
}

/// A hoof: the place of its toe, and its pitch in degrees, positive with the heel up.
struct Hoof {
    toe: DVec3,
    pitch_degrees: f64,
    /// 1 with the leg furthest forwards, -1 with it furthest back.
    forwards: f64,
    /// 0 on the ground, up to 1 in the middle of the swing.
    airborne: f64,
}

/// Four beats, each hoof on the ground for five eighths of the cycle: left hind, left fore, right hind, right fore.
fn walk(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    // Each half of the cycle the same happens to the other side.
    let twice = phase * 2.0;
    pose.root_shift =
        DVec3::new(0.012 * sin_turns(phase - 0.1), -0.022 + 0.012 * cos_turns(twice - 0.62), 0.0);
    pose.set(
        "pelvis",
        yaw(2.5 * cos_turns(phase)) * roll(2.2 * sin_turns(phase + 0.02)) * pitch(0.6 * sin_turns(twice)),
    );
    pose.set("loin", yaw(-2.0 * cos_turns(phase)) * pitch(-0.6 * sin_turns(twice)) * roll(-sin_turns(phase)));
    pose.set("chest", yaw(-1.5 * cos_turns(phase - 0.2)) * roll(-1.2 * sin_turns(phase + 0.02)));
    let nod = cos_turns(twice + 0.1);
    pose.set("neck_1", pitch(6.0 + 2.8 * nod) * yaw(1.0 * cos_turns(phase)));
    pose.set("neck_2", pitch(3.0 + 1.6 * nod));
    pose.set("neck_3", pitch(1.0 + 1.0 * nod));
    pose.set("head", pitch(-4.0 - 2.5 * nod));
    ears(&mut pose, 3.0 * nod, -4.0);
    for (i, name) in ["tail_1", "tail_2", "tail_3", "tail_4"].into_iter().enumerate() {
        let late = 0.10 * u32::try_from(i).map_or(0.0, f64::from);
        pose.set(name, roll(5.0 * sin_turns(phase - late)) * pitch(1.5 * sin_turns(twice - late)));
    }
    let hind = Step {
        lands_at_phase: 0.0,
        duty: 0.62,
        lands_at: 0.40,
        leaves_at: -0.40,
        lift: 0.10,
        fold: 52.0,
        arm_swing: 0.0,
    };
    let fore = Step {
        lands_at_phase: 0.25,
        duty: 0.62,
        lands_at: 0.40,
        leaves_at: -0.40,
        lift: 0.13,
        fold: 78.0,
        arm_swing: 17.0,
    };
    hind_leg(&mut pose, "l", &hind, phase);
    fore_leg(&mut pose, "l", &fore, phase);
    hind_leg(&mut pose, "r", &Step { lands_at_phase: 0.5, ..hind }, phase);
    fore_leg(&mut pose, "r", &Step { lands_at_phase: 0.75, ..fore }, phase);
    pose
}

/// Left hind, right hind, left fore, right fore, then all four hooves in the air, gathered under the body.
fn gallop(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    // 1 where the body is gathered in the air, -1 where it is stretched out, hind hooves behind and forehooves ahead.
    let gathered = cos_turns(phase - 0.88);
    // 1 with the forehand up (hind hooves landing), -1 with the croup up (forehooves on the ground).
    let rearing = cos_turns(phase - 0.10);
    pose.root_shift =
        DVec3::new(0.0, -0.055 + 0.045 * cos_turns(phase - 0.62) - 0.02 * gathered, 0.03 * gathered);
    pose.set("pelvis", pitch(-4.5 * rearing - 9.0 * gathered));
    pose.set("loin", pitch(1.0 + 9.0 * gathered));
    pose.set("chest", pitch(1.0 + 6.0 * gathered));
    pose.set("neck_1", pitch(16.0 + 5.0 * rearing - 3.0 * gathered));
    pose.set("neck_2", pitch(8.0 + 3.5 * rearing));
    pose.set("neck_3", pitch(2.0 + 2.0 * rearing));
    pose.set("head", pitch(-20.0 - 5.0 * rearing));
    ears(&mut pose, -22.0 + 4.0 * gathered, 0.0);
    for (i, (name, lifted)) in
        [("tail_1", 30.0), ("tail_2", -2.0), ("tail_3", -8.0), ("tail_4", -10.0)].into_iter().enumerate()
    {
        let late = 0.12 * u32::try_from(i).map_or(0.0, f64::from);
        let wave = 8.0 * sin_turns(phase - late);
        pose.set(name, pitch(lifted + wave) * roll(3.0 * sin_turns(phase - late)));
    }
    let hind = Step {
        lands_at_phase: 0.0,
        duty: 0.27,
        lands_at: 0.52,
        leaves_at: -0.56,
        lift: 0.26,
        fold: 70.0,
        arm_swing: 0.0,
    };
    let fore = Step {
        lands_at_phase: 0.30,
        duty: 0.26,
        lands_at: 0.50,
        leaves_at: -0.52,
        lift: 0.34,
        fold: 105.0,
        arm_swing: 26.0,
    };
    hind_leg(&mut pose, "l", &hind, phase);
    hind_leg(&mut pose, "r", &Step { lands_at_phase: 0.10, ..hind }, phase);
    fore_leg(&mut pose, "l", &fore, phase);
    fore_leg(&mut pose, "r", &Step { lands_at_phase: 0.44, ..fore }, phase);
    pose
}

fn ears(pose: &mut Pose, back_degrees: f64, apart_degrees: f64) {
    for (name, side) in [("ear_l", 1.0), ("ear_r", -1.0)] {
        pose.set(name, pitch(back_degrees) * roll(-side * apart_degrees));
    }
}

fn hoof(rest_toe: DVec3, step: &Step, phase: f64) -> Hoof {
    const HEEL_UP_DEGREES: f64 = 42.0;
    match footfall(phase - step.lands_at_phase, step.duty) {
        Footfall::Stance(share) => {
            let z = step.lands_at + (step.leaves_at - step.lands_at) * share;
            let pitch_degrees = through(&[(0.0, 0.0), (0.72, 0.0), (1.0, HEEL_UP_DEGREES)], share);
            let forwards = 1.0 - 2.0 * share;
            Hoof { toe: rest_toe + DVec3::Z * z, pitch_degrees, forwards, airborne: 0.0 }
        }
        Footfall::Swing(share) => {
            let slope = (step.leaves_at - step.lands_at) / step.duty * (1.0 - step.duty);
            let z = hermite(share, step.leaves_at, step.lands_at, slope * 0.45, slope * 0.35);
            let airborne = hill(share, 0.45);
            let pitch_degrees =
                through(&[(0.0, HEEL_UP_DEGREES), (0.35, step.fold), (0.75, 0.0), (1.0, 0.0)], share);
            Hoof {
                toe: rest_toe + DVec3::new(0.0, step.lift * airborne, z),
                pitch_degrees,
                forwards: -1.0 + 2.0 * ease(share),
                airborne,
            }
        }
    }
}

/// Turns the upper arm by the step, and bends elbow and knee so that the hoof is where the step wants it.
fn fore_leg(pose: &mut Pose, suffix: &str, step: &Step, phase: f64) {
    let [arm, elbow, cannon, hoof_joint] =
        ["fore_arm", "fore_elbow", "fore_cannon", "fore_hoof"].map(|name| format!("{name}_{suffix}"));
    let (hoof, fetlock) = fetlock(pose, &hoof_joint, step, phase);
    // Positive pitch of the upper arm takes the elbow backwards.
    let mut degrees = -step.arm_swing * hoof.forwards - 6.0 * hoof.airborne;
    pose.set_in_model(&arm, pitch(degrees));
    // Where the hoof is out of reach the shoulder gives way.
    for _ in 0..24 {
        let left = pose.reach(&elbow, &cannon, &hoof_joint, fetlock, DVec3::Z);
        if left < 0.004 {
            break;
        }
        degrees -= 1.5 * hoof.forwards.signum();
        pose.set_in_model(&arm, pitch(degrees));
    }
    pose.reach(&elbow, &cannon, &hoof_joint, fetlock, DVec3::Z);
    pose.set_in_model(&hoof_joint, pitch(hoof.pitch_degrees));
}

/// Bends a hind leg. Thigh and cannon bone turn together, as the tendons of a horse make them: a leg of two bones.
fn hind_leg(pose: &mut Pose, suffix: &str, step: &Step, phase: f64) {
    let names =
        ["hind_thigh", "hind_gaskin", "hind_cannon", "hind_hoof"].map(|name| format!("{name}_{suffix}"));
    let [thigh, gaskin, cannon, hoof_joint] = &names;
    let (hoof, fetlock) = fetlock(pose, hoof_joint, step, phase);
    let [hip, stifle, hock, end] = [thigh, gaskin, cannon, hoof_joint]
        .map(|name| pose.skeleton.joints[pose.skeleton.index(name)].model_position);
    let thigh_and_cannon = (stifle - hip) + (end - hock);
    let (model_from_thigh, model_from_gaskin) =
        two_bones(thigh_and_cannon, hock - stifle, fetlock - pose.place(thigh), DVec3::Z);
    pose.set_in_model(thigh, model_from_thigh);
    pose.set_in_model(gaskin, model_from_gaskin);
    pose.set_in_model(cannon, model_from_thigh);
    pose.set_in_model(hoof_joint, pitch(hoof.pitch_degrees));
}

/// The hoof of a step, and where its fetlock has to be.
fn fetlock(pose: &Pose, hoof_joint: &str, step: &Step, phase: f64) -> (Hoof, DVec3) {
    let rest_fetlock = pose.skeleton.joints[pose.skeleton.index(hoof_joint)].model_position;
    let rest_toe = DVec3::new(rest_fetlock.x, 0.0, rest_fetlock.z + 0.142);
    let hoof = hoof(rest_toe, step, phase);
    let place = hoof.toe + pitch(hoof.pitch_degrees) * (rest_fetlock - rest_toe);
    (hoof, place)
}
