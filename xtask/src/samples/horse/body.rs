//! The horse's trunk, neck and head.

use anim_core::glam::DVec3;

use super::super::gait::through;
use super::super::mesh_builder::{Cap, Influences, Mesh, Ring, Tube};
use super::super::pose::Skeleton;
use super::super::shapes::{Ellipsoid, Leaf};
use super::coat_texture::{EAR, EYE, HEAD, NECK, NOSTRIL, TRUNK, uv};
use super::{hair, limbs};

/// The skinned mesh.
pub(super) fn mesh(skeleton: &Skeleton) -> Mesh {
    let mut mesh = Mesh::default();
    trunk(&mut mesh, skeleton);
    neck(&mut mesh, skeleton);
    head(&mut mesh, skeleton);
    for (suffix, side) in [("l", 1.0), ("r", -1.0)] {
        limbs::fore(&mut mesh, skeleton, suffix, side);
        limbs::hind(&mut mesh, skeleton, suffix, side);
    }
    hair::mane(&mut mesh, skeleton);
    hair::tail(&mut mesh, skeleton);
    mesh
}

fn trunk(mesh: &mut Mesh, skeleton: &Skeleton) {
    let [pelvis, loin, chest] = ["pelvis", "loin", "chest"].map(|name| skeleton.index(name));
    // From the tail to the breast: place along z, height of back and belly, half width, how pear-shaped.
    let profile = [
        (-0.835, 1.375, 1.180, 0.070),
        (-0.800, 1.425, 1.080, 0.150),
        (-0.740, 1.475, 0.985, 0.205),
        (-0.650, 1.520, 0.930, 0.245),
        (-0.540, 1.550, 0.915, 0.268),
        (-0.420, 1.558, 0.925, 0.275),
        (-0.290, 1.540, 0.925, 0.275),
        (-0.160, 1.512, 0.892, 0.285),
        (-0.030, 1.492, 0.862, 0.297),
        (0.110, 1.488, 0.842, 0.297),
        (0.240, 1.508, 0.832, 0.285),
        (0.360, 1.560, 0.835, 0.262),
        (0.460, 1.575, 0.855, 0.240),
        (0.560, 1.545, 0.895, 0.228),
        (0.650, 1.470, 0.950, 0.210),
        (0.725, 1.370, 1.010, 0.165),
        (0.770, 1.280, 1.090, 0.090),
    ];
    let rings = profile.map(|(z, top, bottom, half_side)| Ring {
        center: DVec3::new(0.0, f64::midpoint(top, bottom), z),
        half_side,
        half_other: (top - bottom) * 0.5,
        influences: {
            let loin_share = through(&[(-0.46, 0.0), (-0.06, 1.0)], z);
            let chest_share = through(&[(-0.08, 0.0), (0.30, 1.0)], z);
            vec![(pelvis, 1.0 - loin_share), (loin, loin_share - chest_share), (chest, chest_share)]
                .into_iter()
                .filter(|(_, weight)| *weight > 0.0)
                .collect()
        },
    });
    let tube = Tube {
        side: DVec3::X,
        axis: Some(DVec3::Z),
        segments: 16,
        seam_turns: 0.75,
        pear: 0.16,
        start: Cap::Point(0.015),
        end: Cap::Point(0.02),
        faceted: false,
        uv: uv(TRUNK),
    };
    mesh.tube(&rings, &tube);
}

/// Where the neck's rings are: height, place along z, half depth, half width, and the joints.
pub(super) const NECK_PROFILE: [(f64, f64, f64, f64); 8] = [
    (1.275, 0.480, 0.315, 0.190),
    (1.385, 0.580, 0.285, 0.165),
    (1.500, 0.675, 0.248, 0.138),
    (1.618, 0.757, 0.217, 0.117),
    (1.732, 0.828, 0.188, 0.102),
    (1.834, 0.893, 0.164, 0.092),
    (1.922, 0.962, 0.142, 0.085),
    (1.972, 1.022, 0.118, 0.079),
];

/// The joints of a place on the neck, by the number of the ring (which may lie between two).
pub(super) fn neck_influences(skeleton: &Skeleton, ring: f64) -> Influences {
    let names = ["chest", "neck_1", "neck_2", "neck_3", "head"].map(|name| skeleton.index(name));
    // How far a ring belongs to each joint rather than to the one before.
    let shares = [
        through(&[(0.3, 0.0), (2.0, 1.0)], ring),
        through(&[(2.2, 0.0), (3.8, 1.0)], ring),
        through(&[(4.2, 0.0), (5.6, 1.0)], ring),
        through(&[(6.0, 0.0), (7.4, 1.0)], ring),
    ];
    let mut influences = vec![(names[0], 1.0 - shares[0])];
    for i in 0..4 {
        let next = if i < 3 { shares[i + 1] } else { 0.0 };
        influences.push((names[i + 1], shares[i] - next));
    }
    influences.retain(|(_, weight)| *weight > 0.0);
    influences
}

fn neck(mesh: &mut Mesh, skeleton: &Skeleton) {
    let mut ring_number = -1.0;
    let rings = NECK_PROFILE.map(|(y, z, half_other, half_side)| {
        ring_number += 1.0;
        let influences = neck_influences(skeleton, ring_number);
        Ring { center: DVec3::new(0.0, y, z), half_side, half_other, influences }
    });
    let tube = Tube {
        side: DVec3::X,
        axis: None,
        segments: 13,
        // The rear of a ring, which is the crest, is the middle of the texture.
        seam_turns: 0.75,
        pear: 0.25,
        start: Cap::Open,
        end: Cap::Point(0.04),
        faceted: false,
        uv: uv(NECK),
    };
    mesh.tube(&rings, &tube);
}

fn head(mesh: &mut Mesh, skeleton: &Skeleton) {
    let head: Influences = vec![(skeleton.index("head"), 1.0)];
    let poll = DVec3::new(0.0, 1.955, 1.045);
    let to_muzzle = DVec3::new(0.0, -0.755, 0.656).normalize();
    let to_front = DVec3::new(0.0, 0.656, 0.755).normalize();
    // The straight line from forehead to nose lies this far in front of the line from poll to muzzle.
    let forehead_metres = 0.088;
    let place = |along: f64, front: f64, x: f64| poll + to_muzzle * along + to_front * front + DVec3::X * x;
    // Metres from the poll, half depth, half width.
    let profile = [
        (-0.050, 0.058, 0.052),
        (0.000, 0.095, 0.080),
        (0.070, 0.128, 0.098),
        (0.150, 0.142, 0.103),
        (0.230, 0.130, 0.096),
        (0.310, 0.103, 0.079),
        (0.390, 0.088, 0.066),
        (0.460, 0.080, 0.060),
        (0.520, 0.080, 0.063),
        (0.570, 0.075, 0.061),
        (0.602, 0.055, 0.048),
    ];
    let rings = profile.map(|(along, half_other, half_side)| {
        let flatter = if along < 0.0 { 0.03 } else { 0.0 };
        let nose = (along - 0.5_f64).max(0.0) * 0.12;
        Ring {
            center: place(along, forehead_metres - flatter - nose - half_other, 0.0),
            half_side,
            half_other,
            influences: head.clone(),
        }
    });
    let tube = Tube {
        side: DVec3::X,
        axis: Some(to_muzzle),
        segments: 13,
        // The forehead is the middle of the texture.
        seam_turns: 0.75,
        pear: 0.05,
        start: Cap::Point(0.02),
        end: Cap::Point(0.014),
        faceted: false,
        uv: uv(HEAD),
    };
    mesh.tube(&rings, &tube);

    for side in [1.0, -1.0] {
        let ball = |center: DVec3, radii: DVec3, area, segments: u32| Ellipsoid {
            center,
            radii,
            pole: DVec3::X * side,
            extent_turns: 0.25,
            rings: 3,
            segments,
            uv: uv(area),
            influences: head.clone(),
        };
        mesh.ellipsoid(&ball(place(0.155, 0.022, side * 0.084), DVec3::new(0.022, 0.025, 0.027), EYE, 8));
        mesh.ellipsoid(&ball(place(0.560, 0.028, side * 0.044), DVec3::new(0.012, 0.020, 0.013), NOSTRIL, 6));

        let ear_joint = skeleton.index(if side > 0.0 { "ear_l" } else { "ear_r" });
        let base = DVec3::new(side * 0.052, 2.005, 1.015);
        let up = DVec3::new(side * 0.22, 1.0, 0.10).normalize();
        let across = DVec3::new(side * 0.85, -0.15, -0.45).normalize();
        let outline = [
            base - across * 0.026,
            base - across * 0.030 + up * 0.07,
            base + up * 0.165 - across * 0.004,
            base + across * 0.034 + up * 0.075,
            base + across * 0.028,
            base + up * -0.02,
        ];
        let ear = Leaf { outline: &outline, up: up.cross(across), thickness: 0.030, uv: uv(EAR) };
        mesh.leaf(&ear, |_| vec![(ear_joint, 1.0)]);
    }
}
