//! The horse's legs and hooves.

use anim_core::glam::DVec3;

use super::super::mesh_builder::{Cap, Influences, Mesh, Ring, Tube};
use super::super::pose::Skeleton;
use super::coat_texture::{FORE_LEG, HIND_LEG, HOOF, uv};

/// x, y, z of the middle, half width, half depth, all in metres, for the left leg.
type Section = (f64, f64, f64, f64, f64);

pub(super) fn fore(mesh: &mut Mesh, skeleton: &Skeleton, suffix: &str, side: f64) {
    let [arm, elbow, cannon, hoof] = ["fore_arm", "fore_elbow", "fore_cannon", "fore_hoof"]
        .map(|name| skeleton.index(&format!("{name}_{suffix}")));
    let chest = skeleton.index("chest");
    let rings: [(Section, Influences); 16] = [
        ((0.120, 1.340, 0.450, 0.060, 0.130), vec![(chest, 0.85), (arm, 0.15)]),
        ((0.140, 1.230, 0.535, 0.088, 0.165), vec![(chest, 0.60), (arm, 0.40)]),
        ((0.150, 1.110, 0.555, 0.092, 0.165), vec![(chest, 0.30), (arm, 0.70)]),
        ((0.152, 1.010, 0.520, 0.084, 0.138), vec![(chest, 0.12), (arm, 0.80), (elbow, 0.08)]),
        ((0.150, 0.920, 0.478, 0.072, 0.108), vec![(arm, 0.48), (elbow, 0.52)]),
        ((0.148, 0.830, 0.472, 0.060, 0.086), vec![(elbow, 0.92), (arm, 0.08)]),
        ((0.146, 0.720, 0.478, 0.048, 0.064), vec![(elbow, 1.0)]),
        ((0.145, 0.610, 0.486, 0.040, 0.050), vec![(elbow, 1.0)]),
        ((0.145, 0.545, 0.490, 0.041, 0.048), vec![(elbow, 0.80), (cannon, 0.20)]),
        ((0.145, 0.500, 0.491, 0.042, 0.049), vec![(elbow, 0.50), (cannon, 0.50)]),
        ((0.144, 0.455, 0.487, 0.036, 0.042), vec![(elbow, 0.20), (cannon, 0.80)]),
        ((0.142, 0.350, 0.481, 0.029, 0.035), vec![(cannon, 1.0)]),
        ((0.141, 0.230, 0.477, 0.030, 0.037), vec![(cannon, 0.95), (hoof, 0.05)]),
        ((0.140, 0.165, 0.478, 0.037, 0.045), vec![(cannon, 0.50), (hoof, 0.50)]),
        ((0.140, 0.115, 0.500, 0.032, 0.036), vec![(cannon, 0.08), (hoof, 0.92)]),
        ((0.140, 0.072, 0.522, 0.044, 0.048), vec![(hoof, 1.0)]),
    ];
    limb(mesh, &rings, side, FORE_LEG);
    hoof_of(mesh, DVec3::new(0.140 * side, 0.0, 0.530), hoof);
}

pub(super) fn hind(mesh: &mut Mesh, skeleton: &Skeleton, suffix: &str, side: f64) {
    let [thigh, gaskin, cannon, hoof] = ["hind_thigh", "hind_gaskin", "hind_cannon", "hind_hoof"]
        .map(|name| skeleton.index(&format!("{name}_{suffix}")));
    let pelvis = skeleton.index("pelvis");
    let rings: [(Section, Influences); 16] = [
        ((0.070, 1.420, -0.550, 0.080, 0.130), vec![(pelvis, 0.85), (thigh, 0.15)]),
        ((0.106, 1.310, -0.560, 0.110, 0.180), vec![(pelvis, 0.55), (thigh, 0.45)]),
        ((0.152, 1.185, -0.545, 0.124, 0.238), vec![(pelvis, 0.25), (thigh, 0.75)]),
        ((0.160, 1.060, -0.505, 0.112, 0.220), vec![(thigh, 0.92), (gaskin, 0.08)]),
        ((0.158, 0.950, -0.475, 0.094, 0.170), vec![(thigh, 0.60), (gaskin, 0.40)]),
        ((0.152, 0.850, -0.495, 0.076, 0.122), vec![(thigh, 0.15), (gaskin, 0.85)]),
        ((0.147, 0.750, -0.550, 0.058, 0.085), vec![(gaskin, 1.0)]),
        ((0.143, 0.660, -0.612, 0.045, 0.060), vec![(gaskin, 0.90), (cannon, 0.10)]),
        ((0.140, 0.605, -0.642, 0.044, 0.058), vec![(gaskin, 0.68), (cannon, 0.32)]),
        ((0.140, 0.560, -0.650, 0.044, 0.058), vec![(gaskin, 0.40), (cannon, 0.60)]),
        ((0.139, 0.500, -0.642, 0.039, 0.048), vec![(gaskin, 0.10), (cannon, 0.90)]),
        ((0.137, 0.380, -0.628, 0.031, 0.038), vec![(cannon, 1.0)]),
        ((0.136, 0.245, -0.614, 0.032, 0.039), vec![(cannon, 0.95), (hoof, 0.05)]),
        ((0.135, 0.175, -0.607, 0.038, 0.046), vec![(cannon, 0.50), (hoof, 0.50)]),
        ((0.135, 0.118, -0.583, 0.033, 0.037), vec![(cannon, 0.08), (hoof, 0.92)]),
        ((0.135, 0.072, -0.560, 0.044, 0.048), vec![(hoof, 1.0)]),
    ];
    limb(mesh, &rings, side, HIND_LEG);
    hoof_of(mesh, DVec3::new(0.135 * side, 0.0, -0.552), hoof);
}

fn limb(mesh: &mut Mesh, sections: &[(Section, Influences)], side: f64, area: [usize; 4]) {
    let ring = |((x, y, z, half_side, half_other), influences): &(Section, Influences)| Ring {
        center: DVec3::new(x * side, *y, *z),
        half_side: *half_side,
        half_other: *half_other,
        influences: influences.clone(),
    };
    let rings: Vec<Ring> = sections.iter().map(ring).collect();
    let tube = Tube {
        side: DVec3::X,
        axis: None,
        segments: 10,
        seam_turns: 0.75,
        pear: 0.0,
        start: Cap::Point(0.03),
        end: Cap::Open,
        faceted: false,
        uv: uv(area),
    };
    mesh.tube(&rings, &tube);
}

/// A hoof round the point on the ground below the middle of its crown.
fn hoof_of(mesh: &mut Mesh, ground: DVec3, joint: usize) {
    let ring = |y: f64, z: f64, half_side: f64, half_other: f64| Ring {
        center: ground + DVec3::new(0.0, y, z),
        half_side,
        half_other,
        influences: vec![(joint, 1.0)],
    };
    let tube = Tube {
        side: DVec3::X,
        axis: Some(DVec3::NEG_Y),
        segments: 10,
        seam_turns: 0.75,
        pear: 0.0,
        start: Cap::Point(0.01),
        end: Cap::Flat,
        faceted: false,
        uv: uv(HOOF),
    };
    let rings = [
        ring(0.084, -0.012, 0.044, 0.046),
        ring(0.078, -0.008, 0.050, 0.055),
        ring(0.0, 0.012, 0.062, 0.074),
    ];
    mesh.tube(&rings, &tube);
}
