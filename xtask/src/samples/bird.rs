//! A gull: `fly` beats its wings, `glide` holds them out.

use anim_core::glam::{DQuat, DVec2, DVec3};

use super::animation::{Clip, looping};
use super::gait::through;
use super::mesh_builder::{Cap, Influences, Mesh, Ring, Tube, UvRect, Vertex};
use super::model::{Material, Model, Part};
use super::pose::{Pose, Skeleton, cos_turns, pitch, roll, sin_turns, yaw};
use super::shapes::{Ellipsoid, Leaf};

const WHITE: usize = 0;
const GREY: usize = 1;
const DARK: usize = 2;
const ORANGE: usize = 3;

/// The materials have plain colours, so nobody looks at texture coordinates.
const NO_UV: UvRect = UvRect { min: DVec2::ZERO, max: DVec2::ONE };

pub(super) fn model() -> Model {
    let skeleton = Skeleton::new(&[
        ("body", "", [0.0, 0.0, 0.0]),
        ("neck", "body", [0.0, 0.008, 0.125]),
        ("head", "neck", [0.0, 0.018, 0.175]),
        ("tail", "body", [0.0, 0.0, -0.14]),
        ("wing_inner_l", "body", [0.045, 0.028, 0.05]),
        ("wing_mid_l", "wing_inner_l", [0.18, 0.034, 0.065]),
        ("wing_outer_l", "wing_mid_l", [0.33, 0.034, 0.05]),
    ]);
    let mut meshes = [Mesh::default(), Mesh::default(), Mesh::default(), Mesh::default()];
    body(&mut meshes, &skeleton);
    for side in [1.0, -1.0] {
        wing(&mut meshes, &skeleton, side);
    }
    let material = |name, base_colour| Material { name, base_colour, textured: false, roughness: 0.8 };
    Model {
        name: "bird",
        clips: clips(&skeleton),
        skeleton,
        parts: meshes.into_iter().enumerate().map(|(material, mesh)| Part { material, mesh }).collect(),
        attached: Vec::new(),
        materials: vec![
            material("white_plumage", [0.86, 0.86, 0.84]),
            material("grey_plumage", [0.30, 0.34, 0.40]),
            material("dark_feathers", [0.025, 0.027, 0.03]),
            material("beak", [0.85, 0.30, 0.02]),
        ],
        texture_png: None,
    }
}

fn body(meshes: &mut [Mesh; 4], skeleton: &Skeleton) {
    let joint = |name: &str| skeleton.index(name);
    let (body, neck, head, tail) = (joint("body"), joint("neck"), joint("head"), joint("tail"));
    let ring = |z: f64, y: f64, half_side: f64, half_other: f64, influences: &[(usize, f64)]| Ring {
        center: DVec3::new(0.0, y, z),
        half_side,
        half_other,
        influences: influences.to_vec(),
    };
    let tube = Tube {
        side: DVec3::X,
        axis: Some(DVec3::Z),
        segments: 10,
        seam_turns: 0.75,
        pear: 0.0,
        start: Cap::Point(0.02),
        end: Cap::Point(0.012),
        faceted: false,
        uv: NO_UV,
    };
    let rings = [
        ring(-0.205, 0.004, 0.022, 0.010, &[(tail, 1.0)]),
        ring(-0.160, 0.002, 0.036, 0.026, &[(tail, 0.5), (body, 0.5)]),
        ring(-0.090, -0.003, 0.054, 0.048, &[(body, 1.0)]),
        ring(-0.010, -0.004, 0.066, 0.062, &[(body, 1.0)]),
        ring(0.060, 0.000, 0.064, 0.062, &[(body, 1.0)]),
        ring(0.110, 0.006, 0.050, 0.050, &[(body, 0.6), (neck, 0.4)]),
        ring(0.150, 0.014, 0.037, 0.038, &[(neck, 0.7), (head, 0.3)]),
        ring(0.185, 0.020, 0.036, 0.038, &[(head, 1.0)]),
        ring(0.212, 0.021, 0.032, 0.034, &[(head, 1.0)]),
        ring(0.232, 0.018, 0.020, 0.021, &[(head, 1.0)]),
    ];
    meshes[WHITE].tube(&rings, &tube);

    let beak = [
        ring(0.228, 0.015, 0.013, 0.014, &[(head, 1.0)]),
        ring(0.262, 0.011, 0.009, 0.010, &[(head, 1.0)]),
        ring(0.280, 0.006, 0.005, 0.007, &[(head, 1.0)]),
    ];
    let faceted = Tube { segments: 6, end: Cap::Point(0.008), start: Cap::Open, faceted: false, ..tube };
    meshes[ORANGE].tube(&beak, &faceted);
    for side in [1.0, -1.0] {
        meshes[DARK].ellipsoid(&Ellipsoid {
            center: DVec3::new(side * 0.0305, 0.030, 0.205),
            radii: DVec3::new(0.005, 0.0065, 0.0065),
            pole: DVec3::X * side,
            extent_turns: 0.25,
            rings: 2,
            segments: 6,
            uv: NO_UV,
            influences: vec![(head, 1.0)],
        });
    }

    for feather in -2..=2 {
        let turn = yaw(f64::from(feather) * -13.0);
        let long = if feather == 0 { 0.165 } else { 0.155 };
        let drop = 0.001 * f64::from(feather * feather);
        let place = |x: f64, z: f64| DVec3::new(0.0, 0.004 - drop, -0.18) + turn * DVec3::new(x, 0.0, -z);
        let outline = [
            place(0.0, 0.0),
            place(-0.016, 0.06),
            place(-0.023, long - 0.02),
            place(0.0, long),
            place(0.023, long - 0.02),
            place(0.016, 0.06),
        ];
        let leaf = Leaf { outline: &outline, up: DVec3::NEG_Y, thickness: 0.006, uv: NO_UV };
        let material = if feather % 2 == 0 { WHITE } else { GREY };
        meshes[material].leaf(&leaf, |_| vec![(tail, 1.0)]);
    }
}

/// One wing: a thin aerofoil, with feathers along its rear edge and fingers at its tip. `side` is 1 left, -1 right.
fn wing(meshes: &mut [Mesh; 4], skeleton: &Skeleton, side: f64) {
    let suffix = if side > 0.0 { "l" } else { "r" };
    let joint = |name: &str| skeleton.index(&format!("{name}_{suffix}"));
    let joints = [skeleton.index("body"), joint("wing_inner"), joint("wing_mid"), joint("wing_outer")];
    let influences = |place: DVec3| -> Influences {
        let outwards = place.x * side;
        // How far the place belongs to the second, third and fourth joint rather than to the one before.
        let beyond = [(0.02, 0.06), (0.15, 0.21), (0.30, 0.36)]
            .map(|(from, to)| through(&[(from, 0.0), (to, 1.0)], outwards));
        vec![
            (joints[0], 1.0 - beyond[0]),
            (joints[1], beyond[0] - beyond[1]),
            (joints[2], beyond[1] - beyond[2]),
            (joints[3], beyond[2]),
        ]
    };

    // Metres from the middle, front edge, rear edge, thickness.
    let sections = [
        (0.020, 0.095, -0.070, 0.030),
        (0.090, 0.105, -0.062, 0.022),
        (0.170, 0.122, -0.056, 0.018),
        (0.240, 0.130, -0.045, 0.015),
        (0.330, 0.108, -0.030, 0.012),
        (0.410, 0.070, -0.018, 0.009),
        (0.455, 0.040, -0.008, 0.005),
    ];
    // Share of the chord from the front edge, and share of the thickness; counter-clockwise seen from the left tip.
    let profile = [(0.0, 0.2), (0.30, -0.35), (1.0, 0.0), (0.55, 0.55), (0.22, 0.80)];
    let mut rows: Vec<Vec<Vertex>> = Vec::new();
    for (x, front, rear, thickness) in sections {
        let vertex = |i: usize| {
            let (chord, height) = profile[i % profile.len()];
            let position = DVec3::new(x * side, 0.026 + height * thickness, front + (rear - front) * chord);
            Vertex { position, normal: DVec3::ZERO, uv: DVec2::ZERO, influences: influences(position) }
        };
        let row = (0..=profile.len()).map(vertex);
        rows.push(if side > 0.0 { row.rev().collect() } else { row.collect() });
    }
    meshes[GREY].lattice(&rows, None, None, false);

    let mut feather = |root: DVec3, length: f64, half_width: f64, degrees: f64, material: usize| {
        let turn = yaw(degrees * -side);
        let place = |x: f64, z: f64| root + turn * DVec3::new(x * half_width * side, 0.0, -z * length);
        let mut outline =
            [place(-0.7, 0.0), place(-1.0, 0.7), place(-0.1, 1.0), place(0.8, 0.75), place(0.7, 0.0)];
        if side < 0.0 {
            outline.reverse();
        }
        let leaf = Leaf { outline: &outline, up: DVec3::Y, thickness: 0.005, uv: NO_UV };
        meshes[material].leaf(&leaf, influences);
    };
    for i in 0..4 {
        let x = 0.055 + 0.062 * f64::from(i);
        let root = DVec3::new(x * side, 0.026, -0.035 + 0.006 * f64::from(i));
        feather(root, 0.070, 0.036, 4.0 + 4.0 * f64::from(i), GREY);
    }
    for i in 0..5 {
        let i = f64::from(i);
        let root = DVec3::new((0.300 + 0.037 * i) * side, 0.027 + 0.001 * i, 0.002 + 0.006 * i);
        feather(
            root,
            0.090 + 0.014 * i,
            0.023 - 0.001 * i,
            24.0 + 9.5 * i,
            if i < 2.0 { GREY } else { DARK },
        );
    }
}

fn clips(skeleton: &Skeleton) -> Vec<Clip> {
    vec![
        looping("fly", (24, 30), |phase| fly(skeleton, phase)),
        looping("glide", (72, 24), |phase| glide(skeleton, phase)),
    ]
}

/// One beat. The wings start level on their way down; outer joints follow late, and fold on the way up.
fn fly(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    // The body rises while the wings go down.
    pose.root_shift = DVec3::new(0.0, 0.022 * sin_turns(phase - 0.05), 0.0);
    pose.set("body", pitch(-6.0 + 3.0 * cos_turns(phase)));
    pose.set("neck", pitch(3.0 - 2.0 * cos_turns(phase)));
    pose.set("head", pitch(3.0 - 1.5 * cos_turns(phase)));
    pose.set("tail", pitch(6.0 * sin_turns(phase + 0.1)));
    for (suffix, side) in [("l", 1.0), ("r", -1.0)] {
        let up = 8.0 - 36.0 * sin_turns(phase);
        let mid = -6.0 - 20.0 * sin_turns(phase - 0.12) - 14.0 * upstroke(phase - 0.06);
        let tip = -2.0 - 16.0 * sin_turns(phase - 0.22) - 12.0 * upstroke(phase - 0.12);
        let twist = 12.0 * cos_turns(phase);
        let wing = |degrees: f64, sweep: f64, twist: f64| -> DQuat {
            roll(side * degrees) * yaw(side * sweep) * pitch(twist)
        };
        pose.set(&format!("wing_inner_{suffix}"), wing(up, -8.0 * upstroke(phase), twist));
        pose.set(&format!("wing_mid_{suffix}"), wing(mid, 16.0 * upstroke(phase - 0.04), twist * 0.4));
        pose.set(&format!("wing_outer_{suffix}"), wing(tip, 22.0 * upstroke(phase - 0.06), twist * 0.5));
    }
    pose
}

/// Wings held in a shallow M; the bird rocks a little.
fn glide(skeleton: &Skeleton, phase: f64) -> Pose<'_> {
    let mut pose = Pose::rest(skeleton);
    let rock = sin_turns(phase);
    pose.root_shift = DVec3::new(0.0, 0.012 * sin_turns(phase * 2.0), 0.0);
    pose.set("body", roll(7.0 * rock) * pitch(-2.0));
    pose.set("head", roll(-6.0 * rock) * pitch(2.0));
    pose.set("tail", roll(-8.0 * rock) * pitch(2.0 * sin_turns(phase * 2.0)));
    for (suffix, side) in [("l", 1.0), ("r", -1.0)] {
        let flutter = 1.5 * sin_turns(phase * 6.0);
        pose.set(&format!("wing_inner_{suffix}"), roll(side * (13.0 + 2.0 * sin_turns(phase * 2.0))));
        pose.set(&format!("wing_mid_{suffix}"), roll(side * -9.0) * yaw(side * 3.0));
        pose.set(&format!("wing_outer_{suffix}"), roll(side * (-6.0 + flutter)) * yaw(side * 8.0));
    }
    pose
}

/// 1 in the middle of the upstroke, 0 during the downstroke.
fn upstroke(phase: f64) -> f64 {
    let share = (1.0 - cos_turns(phase)) * 0.5;
    share * share
}
