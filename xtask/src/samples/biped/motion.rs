//! The person's clips.

use anim_core::glam::{DQuat, DVec3};

use super::super::animation::{Clip, looping, stepping, still};
use super::super::gait::through;
use super::super::pose::{Pose, Skeleton, cos_turns, pitch, roll, sin_turns, yaw};
use super::walking::{Stride, place_feet};

const WALK: Stride = Stride {
    duty: 0.61,
    lands_at: 0.33,
    leaves_at: -0.36,
    lift: 0.07,
    lift_top: 0.27,
    stance_pitch: &[(0.0, -20.0), (0.16, 0.0), (0.58, 0.0), (1.0, 50.0)],
    swing_pitch: &[(0.0, 50.0), (0.15, 56.0), (0.55, 6.0), (0.85, -20.0), (1.0, -20.0)],
};

const RUN: Stride = Stride {
    duty: 0.34,
    lands_at: 0.27,
    leaves_at: -0.46,
    lift: 0.30,
    lift_top: 0.38,
    stance_pitch: &[(0.0, -8.0), (0.2, 0.0), (0.45, 0.0), (1.0, 58.0)],
    swing_pitch: &[(0.0, 58.0), (0.3, 82.0), (0.62, 30.0), (0.9, -10.0), (1.0, -8.0)],
};

/// Feet side by side where they are in the rest pose.
const STAND: Stride = Stride {
    duty: 1.0,
    lands_at: 0.0,
    leaves_at: 0.0,
    lift: 0.0,
    lift_top: 0.5,
    stance_pitch: &[(0.0, 0.0)],
    swing_pitch: &[(0.0, 0.0)],
};

pub(super) fn clips(skeleton: &Skeleton) -> Vec<Clip> {
    vec![
        looping("idle", (96, 24), |phase| idle(skeleton, phase)),
        looping("walk", (30, 30), |phase| walk(skeleton, phase)),
        looping("run", (20, 30), |phase| run(skeleton, phase)),
        looping("wave", (60, 30), |phase| wave(skeleton, phase)),
        stepping("signal", 2.0, signals(skeleton)),
        still("sit", sit(skeleton)),
    ]
}

/// An arm by its angles in degrees: `out` from hanging, `forwards` swing, `bend` of the elbow.
struct Arm {
    out: f64,
    forwards: f64,
    bend: f64,
    /// Degrees that the upper arm is turned about its own length, positive with the inside of the elbow upwards.
    turn: f64,
}

fn set_arm(pose: &mut Pose, suffix: &str, arm: &Arm) {
    let side = if suffix == "l" { 1.0 } else { -1.0 };
    // In the rest pose the arms are held out at 90 degrees.
    let hang = roll(-side * (90.0 - arm.out));
    pose.set(&format!("upper_arm_{suffix}"), pitch(-arm.forwards) * hang * pitch(-arm.turn));
    pose.set(&format!("forearm_{suffix}"), yaw(-side * arm.bend));
}

/// The wrist that holds the sword turns it upwards by this many degrees.
fn set_sword_wrist(pose: &mut Pose, up_degrees: f64) {
    pose.set("hand_r", yaw(up_degrees));
}

fn idle(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    let breath = sin_turns(phase * 2.0);
    let sway = sin_turns(phase);
    pose.root_shift = DVec3::new(0.012 * sway, -0.003 + 0.002 * breath, 0.0);
    pose.set("hips", roll(-0.8 * sway));
    pose.set("spine", roll(0.5 * sway) * pitch(0.8 - 0.5 * breath));
    pose.set("chest", roll(0.4 * sway) * pitch(1.0 - 1.3 * breath));
    pose.set("neck", pitch(1.0 + 0.6 * breath));
    pose.set("head", yaw(14.0 * look(phase)) * pitch(0.6 * breath));
    for (suffix, out) in [("l", 11.0), ("r", 13.0)] {
        let side = if suffix == "l" { 1.0 } else { -1.0 };
        pose.set(&format!("shoulder_{suffix}"), roll(side * (-3.0 + 1.2 * breath)));
        let arm = Arm { out: out - 0.8 * breath, forwards: 2.0 + 1.5 * sway * side, bend: 16.0, turn: 0.0 };
        set_arm(&mut pose, suffix, &arm);
    }
    set_sword_wrist(&mut pose, -28.0);
    place_feet(&mut pose, &STAND, phase);
    pose
}

/// Looks to the left, then to the right, and rests between.
fn look(phase: f64) -> f64 {
    through(
        &[
            (0.10, 0.0),
            (0.20, 1.0),
            (0.36, 1.0),
            (0.46, 0.0),
            (0.60, 0.0),
            (0.70, -0.8),
            (0.84, -0.8),
            (0.94, 0.0),
        ],
        phase,
    )
}

fn walk(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    // The left leg is furthest forwards where the phase is 0.
    let left_forwards = cos_turns(phase);
    // Lowest when both feet are on the ground, highest over the standing foot.
    let height = -0.025 - 0.018 * cos_turns(phase * 2.0 - 0.1);
    pose.root_shift = DVec3::new(0.020 * sin_turns(phase - 0.03), height, 0.0);
    pose.set("hips", yaw(-6.0 * left_forwards) * roll(2.5 * sin_turns(phase - 0.04)) * pitch(2.0));
    pose.set("spine", yaw(4.0 * left_forwards) * roll(-2.0 * sin_turns(phase - 0.04)) * pitch(1.0));
    pose.set("chest", yaw(6.5 * left_forwards) * roll(-sin_turns(phase - 0.04)));
    pose.set("neck", yaw(-2.0 * left_forwards) * pitch(-1.0));
    pose.set("head", yaw(-2.5 * left_forwards) * pitch(-1.0 + 1.0 * cos_turns(phase * 2.0)));
    for (suffix, forwards) in [("l", -left_forwards), ("r", left_forwards)] {
        // The sword arm swings less, and further from the leg.
        let (swing, out) = if suffix == "l" { (27.0, 9.0) } else { (20.0, 14.0) };
        let side = if suffix == "l" { 1.0 } else { -1.0 };
        pose.set(&format!("shoulder_{suffix}"), roll(side * -3.0) * yaw(-side * 4.0 * forwards));
        let bend = 20.0 + 13.0 * forwards;
        set_arm(&mut pose, suffix, &Arm { out, forwards: 1.0 + swing * forwards, bend, turn: 0.0 });
    }
    pose.set("hand_l", yaw(-6.0));
    set_sword_wrist(&mut pose, -20.0 + 8.0 * left_forwards);
    place_feet(&mut pose, &WALK, phase);
    pose
}

fn run(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    let left_forwards = cos_turns(phase - 0.02);
    // Lowest in the middle of each stance, highest in the air between them.
    let height = -0.052 - 0.042 * cos_turns(2.0 * (phase - 0.17));
    pose.root_shift = DVec3::new(0.010 * sin_turns(phase), height, 0.0);
    pose.set("hips", yaw(-9.0 * left_forwards) * roll(3.0 * sin_turns(phase)) * pitch(8.0));
    pose.set("spine", yaw(7.0 * left_forwards) * roll(-2.0 * sin_turns(phase)) * pitch(4.0));
    pose.set("chest", yaw(11.0 * left_forwards) * roll(-sin_turns(phase)) * pitch(3.0));
    pose.set("neck", yaw(-4.0 * left_forwards) * pitch(-6.0));
    pose.set("head", yaw(-5.0 * left_forwards) * pitch(-6.0 + 2.0 * cos_turns(phase * 2.0)));
    for (suffix, forwards) in [("l", -left_forwards), ("r", left_forwards)] {
        let side = if suffix == "l" { 1.0 } else { -1.0 };
        pose.set(&format!("shoulder_{suffix}"), roll(side * -2.0) * yaw(-side * 8.0 * forwards));
        let arm =
            Arm { out: 12.0, forwards: -6.0 + 44.0 * forwards, bend: 82.0 + 14.0 * forwards, turn: 8.0 };
        set_arm(&mut pose, suffix, &arm);
    }
    pose.set("hand_l", yaw(-12.0));
    set_sword_wrist(&mut pose, -34.0);
    place_feet(&mut pose, &RUN, phase);
    pose
}

/// Waves with the left hand: the right one holds the sword.
fn wave(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = idle(skeleton, 0.0);
    // The arm goes up, the hand swings to and fro, the arm goes down.
    let up = through(&[(0.02, 0.0), (0.24, 1.0), (0.78, 1.0), (0.98, 0.0)], phase);
    let swing =
        up * through(&[(0.20, 0.0), (0.28, 1.0), (0.72, 1.0), (0.80, 0.0)], phase) * sin_turns(phase * 5.0);
    pose.set("spine", roll(-3.0 * up));
    pose.set("chest", roll(-3.0 * up) * yaw(-4.0 * up));
    pose.set("head", roll(5.0 * up) * yaw(4.0 * up));
    pose.set("shoulder_l", roll(-3.0 + 15.0 * up));
    let arm = Arm {
        out: 11.0 + 92.0 * up,
        forwards: 2.0 + 4.0 * up,
        bend: 16.0 + 62.0 * up + 22.0 * swing,
        turn: 78.0 * up,
    };
    set_arm(&mut pose, "l", &arm);
    pose.set("hand_l", yaw(-12.0 * swing));
    pose
}

/// Semaphore: straight arms, degrees from hanging for left and right.
fn signals(skeleton: &Skeleton) -> Vec<Pose<'_>> {
    const DEGREES: [(f64, f64); 8] = [
        (12.0, 12.0),
        (12.0, 90.0),
        (12.0, 135.0),
        (45.0, 135.0),
        (90.0, 90.0),
        (135.0, 90.0),
        (135.0, 135.0),
        (168.0, 45.0),
    ];
    let signal = |(left, right): (f64, f64)| {
        let mut pose = idle(skeleton, 0.0);
        for (suffix, side, out) in [("l", 1.0, left), ("r", -1.0, right)] {
            // The shoulder takes part as soon as the arm is above the horizontal.
            let raised = (out - 80.0_f64).max(0.0) * 0.22;
            pose.set(&format!("shoulder_{suffix}"), roll(side * (-3.0 + raised)));
            set_arm(&mut pose, suffix, &Arm { out: out - raised, forwards: 3.0, bend: 5.0, turn: 0.0 });
        }
        set_sword_wrist(&mut pose, -65.0);
        pose.set("head", yaw((left - right) * 0.12));
        pose
    };
    DEGREES.into_iter().map(signal).collect()
}

/// On a seat 46 cm high.
fn sit(skeleton: &Skeleton) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    pose.root_shift = DVec3::new(0.0, -0.40, -0.36);
    pose.set("hips", pitch(-6.0));
    pose.set("spine", pitch(5.0));
    pose.set("chest", pitch(3.0));
    pose.set("head", pitch(2.0));
    let arm = Arm { out: 8.0, forwards: 30.0, bend: 36.0, turn: 0.0 };
    set_arm(&mut pose, "l", &arm);
    set_arm(&mut pose, "r", &arm);
    set_sword_wrist(&mut pose, -8.0);
    place_feet(&mut pose, &STAND, 0.0);
    for toes in ["toes_l", "toes_r"] {
        pose.set(toes, DQuat::IDENTITY);
    }
    pose
}
