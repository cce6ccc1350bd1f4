//! The person's torso, arms, hands, legs and boots, and the sword.

use anim_core::glam::{DQuat, DVec3};

use super::super::mesh_builder::{Cap, Influences, Mesh, Ring, Tube};
use super::super::pose::{Skeleton, yaw};
use super::super::shapes::Ellipsoid;
use super::head;
use super::skin_texture::{BELT, BLADE, BOOT, BUCKLE, GRIP, GUARD, SHIRT, SKIN, SLEEVE, SOLE, TROUSERS, uv};

/// The skinned mesh.
pub(super) fn mesh(skeleton: &Skeleton) -> Mesh {
    let mut mesh = Mesh::default();
    torso(&mut mesh, skeleton);
    head::add(&mut mesh, skeleton);
    for (suffix, side) in [("l", 1.0), ("r", -1.0)] {
        arm(&mut mesh, skeleton, suffix, side);
        leg(&mut mesh, skeleton, suffix, side);
    }
    mesh
}

/// The sword; its origin is the middle of the grip, its blade points to +Z.
pub(super) fn sword() -> Mesh {
    let mut mesh = Mesh::default();
    let ring = |z: f64, half_side: f64, half_other: f64| Ring {
        center: DVec3::Z * z,
        half_side,
        half_other,
        influences: Vec::new(),
    };
    let blade = Tube {
        side: DVec3::Y,
        axis: Some(DVec3::Z),
        segments: 4,
        seam_turns: 0.0,
        pear: 0.0,
        start: Cap::Flat,
        end: Cap::Point(0.09),
        faceted: true,
        uv: uv(BLADE),
    };
    mesh.tube(&[ring(0.075, 0.026, 0.007), ring(0.40, 0.023, 0.006), ring(0.74, 0.019, 0.005)], &blade);
    let guard_half = DVec3::new(0.012, 0.085, 0.011);
    mesh.block(DVec3::Z * 0.068, guard_half, DQuat::IDENTITY, uv(GUARD), &Vec::new());
    let grip = Tube { segments: 6, end: Cap::Flat, start: Cap::Flat, faceted: false, uv: uv(GRIP), ..blade };
    mesh.tube(&[ring(-0.075, 0.013, 0.013), ring(0.0, 0.015, 0.015), ring(0.062, 0.014, 0.014)], &grip);
    mesh.ellipsoid(&Ellipsoid {
        center: DVec3::Z * -0.092,
        radii: DVec3::new(0.022, 0.022, 0.020),
        pole: DVec3::Z,
        extent_turns: 0.5,
        rings: 3,
        segments: 8,
        uv: uv(GUARD),
        influences: Vec::new(),
    });
    mesh
}

fn torso(mesh: &mut Mesh, skeleton: &Skeleton) {
    let [hips, spine, chest] = ["hips", "spine", "chest"].map(|name| skeleton.index(name));
    let ring = |(y, half_side, half_other, z): (f64, f64, f64, f64), influences: &[(usize, f64)]| Ring {
        center: DVec3::new(0.0, y, z),
        half_side,
        half_other,
        influences: influences.to_vec(),
    };
    let tube = Tube {
        side: DVec3::X,
        axis: Some(DVec3::Y),
        segments: 14,
        seam_turns: 0.25,
        pear: 0.0,
        start: Cap::Point(0.02),
        end: Cap::Open,
        faceted: false,
        uv: uv(TROUSERS),
    };
    let seat = [
        ring((0.850, 0.075, 0.062, -0.004), &[(hips, 1.0)]),
        ring((0.872, 0.128, 0.096, -0.006), &[(hips, 1.0)]),
        ring((0.920, 0.164, 0.116, -0.008), &[(hips, 1.0)]),
        ring((0.965, 0.163, 0.113, -0.005), &[(hips, 1.0)]),
        ring((1.020, 0.148, 0.100, -0.002), &[(hips, 0.8), (spine, 0.2)]),
    ];
    mesh.tube(&seat, &tube);
    let shirt = [
        ring((0.985, 0.160, 0.110, -0.003), &[(hips, 0.9), (spine, 0.1)]),
        ring((1.040, 0.150, 0.104, -0.002), &[(hips, 0.65), (spine, 0.35)]),
        ring((1.100, 0.143, 0.098, -0.004), &[(hips, 0.3), (spine, 0.7)]),
        ring((1.160, 0.148, 0.100, -0.006), &[(spine, 0.8), (chest, 0.2)]),
        ring((1.230, 0.162, 0.109, -0.006), &[(spine, 0.45), (chest, 0.55)]),
        ring((1.300, 0.176, 0.119, -0.004), &[(chest, 1.0)]),
        ring((1.370, 0.182, 0.117, -0.008), &[(chest, 1.0)]),
        ring((1.425, 0.168, 0.098, -0.014), &[(chest, 1.0)]),
        ring((1.462, 0.120, 0.076, -0.016), &[(chest, 1.0)]),
        ring((1.488, 0.070, 0.064, -0.014), &[(chest, 0.8), (skeleton.index("neck"), 0.2)]),
    ];
    mesh.tube(&shirt, &Tube { start: Cap::Open, uv: uv(SHIRT), ..tube });
    let belt = [
        ring((0.992, 0.158, 0.108, -0.003), &[(hips, 0.9), (spine, 0.1)]),
        ring((0.992, 0.166, 0.116, -0.003), &[(hips, 0.9), (spine, 0.1)]),
        ring((1.030, 0.159, 0.112, -0.002), &[(hips, 0.7), (spine, 0.3)]),
        ring((1.030, 0.150, 0.103, -0.002), &[(hips, 0.7), (spine, 0.3)]),
    ];
    mesh.tube(&belt, &Tube { start: Cap::Open, uv: uv(BELT), ..tube });
    let buckle: Influences = vec![(hips, 0.8), (spine, 0.2)];
    let half = DVec3::new(0.026, 0.021, 0.006);
    mesh.block(DVec3::new(0.0, 1.011, 0.112), half, DQuat::IDENTITY, uv(BUCKLE), &buckle);
}

fn arm(mesh: &mut Mesh, skeleton: &Skeleton, suffix: &str, side: f64) {
    let [shoulder, upper, fore, hand] =
        ["shoulder", "upper_arm", "forearm", "hand"].map(|name| skeleton.index(&format!("{name}_{suffix}")));
    let chest = skeleton.index("chest");
    let ring = |(x, half_side, half_other, y, z): (f64, f64, f64, f64, f64), influences: &[(usize, f64)]| {
        Ring { center: DVec3::new(x * side, y, z), half_side, half_other, influences: influences.to_vec() }
    };
    let tube = Tube {
        side: DVec3::Y,
        axis: Some(DVec3::X * side),
        segments: 10,
        seam_turns: 0.5,
        pear: 0.0,
        start: Cap::Open,
        end: Cap::Open,
        faceted: false,
        uv: uv(SLEEVE),
    };
    let sleeve = [
        ring((0.095, 0.062, 0.070, 1.408, -0.014), &[(chest, 0.75), (shoulder, 0.25)]),
        ring((0.145, 0.066, 0.074, 1.412, -0.015), &[(chest, 0.3), (shoulder, 0.4), (upper, 0.3)]),
        ring((0.185, 0.064, 0.070, 1.420, -0.015), &[(shoulder, 0.35), (upper, 0.65)]),
        ring((0.230, 0.057, 0.061, 1.426, -0.016), &[(upper, 0.9), (shoulder, 0.1)]),
        ring((0.310, 0.051, 0.053, 1.428, -0.018), &[(upper, 1.0)]),
        ring((0.390, 0.046, 0.047, 1.429, -0.020), &[(upper, 1.0)]),
        ring((0.430, 0.044, 0.045, 1.430, -0.021), &[(upper, 0.84), (fore, 0.16)]),
        ring((0.458, 0.043, 0.046, 1.430, -0.022), &[(upper, 0.5), (fore, 0.5)]),
        ring((0.486, 0.044, 0.046, 1.430, -0.020), &[(upper, 0.16), (fore, 0.84)]),
        ring((0.525, 0.044, 0.046, 1.430, -0.018), &[(fore, 1.0)]),
        ring((0.590, 0.040, 0.043, 1.430, -0.014), &[(fore, 1.0)]),
        ring((0.664, 0.036, 0.039, 1.430, -0.011), &[(fore, 1.0)]),
        ring((0.664, 0.029, 0.032, 1.430, -0.011), &[(fore, 1.0)]),
    ];
    mesh.tube(&sleeve, &tube);

    let holds_sword = side < 0.0;
    let palm = [
        ring((0.655, 0.024, 0.029, 1.430, -0.011), &[(fore, 1.0)]),
        ring((0.700, 0.022, 0.029, 1.430, -0.010), &[(fore, 0.5), (hand, 0.5)]),
        ring((0.735, 0.022, 0.040, 1.429, -0.006), &[(hand, 1.0)]),
        ring((0.775, 0.021, 0.043, 1.427, -0.004), &[(hand, 1.0)]),
        ring((0.805, 0.019, 0.041, 1.425, -0.004), &[(hand, 1.0)]),
    ];
    let skin = Tube { segments: 8, uv: uv(SKIN), ..tube };
    let all: Influences = vec![(hand, 1.0)];
    if holds_sword {
        mesh.tube(&palm, &Tube { end: Cap::Point(0.012), ..skin });
        // Fingers closed round the grip, under the palm.
        let fist = [
            ring((0.765, 0.026, 0.043, 1.408, 0.000), &all),
            ring((0.790, 0.036, 0.045, 1.406, 0.000), &all),
            ring((0.818, 0.030, 0.043, 1.404, 0.000), &all),
        ];
        mesh.tube(&fist, &Tube { start: Cap::Point(0.010), end: Cap::Point(0.012), ..skin });
    } else {
        let fingers = [
            ring((0.840, 0.016, 0.038, 1.423, -0.005), &all),
            ring((0.872, 0.012, 0.031, 1.421, -0.006), &all),
        ];
        let open_hand: Vec<Ring> = palm.into_iter().chain(fingers).collect();
        mesh.tube(&open_hand, &Tube { end: Cap::Point(0.013), ..skin });
    }
    let bend = if holds_sword { -62.0 } else { -38.0 };
    let direction = yaw(bend * side) * (DVec3::X * side);
    let thumb = [0.0, 0.030, 0.058].map(|along| Ring {
        center: DVec3::new(0.726 * side, 1.424, 0.024) + direction * along,
        half_side: 0.013 - along * 0.05,
        half_other: 0.015 - along * 0.05,
        influences: all.clone(),
    });
    let thumb_tube =
        Tube { axis: None, segments: 5, start: Cap::Point(0.005), end: Cap::Point(0.010), ..skin };
    mesh.tube(&thumb, &thumb_tube);
}

fn leg(mesh: &mut Mesh, skeleton: &Skeleton, suffix: &str, side: f64) {
    let [thigh, shin, foot, toes] =
        ["thigh", "shin", "foot", "toes"].map(|name| skeleton.index(&format!("{name}_{suffix}")));
    let hips = skeleton.index("hips");
    let ring = |(y, half_side, half_other, x, z): (f64, f64, f64, f64, f64), influences: &[(usize, f64)]| {
        Ring { center: DVec3::new(x * side, y, z), half_side, half_other, influences: influences.to_vec() }
    };
    let tube = Tube {
        side: DVec3::X,
        axis: Some(DVec3::NEG_Y),
        segments: 11,
        seam_turns: 0.75,
        pear: 0.0,
        start: Cap::Open,
        end: Cap::Open,
        faceted: false,
        uv: uv(TROUSERS),
    };
    let trousers = [
        ring((0.960, 0.070, 0.096, 0.086, -0.004), &[(hips, 0.85), (thigh, 0.15)]),
        ring((0.900, 0.080, 0.102, 0.088, -0.004), &[(hips, 0.45), (thigh, 0.55)]),
        ring((0.840, 0.082, 0.098, 0.090, 0.000), &[(hips, 0.12), (thigh, 0.88)]),
        ring((0.700, 0.073, 0.082, 0.094, 0.008), &[(thigh, 1.0)]),
        ring((0.550, 0.060, 0.064, 0.097, 0.013), &[(thigh, 0.85), (shin, 0.15)]),
        ring((0.500, 0.057, 0.061, 0.098, 0.014), &[(thigh, 0.5), (shin, 0.5)]),
        ring((0.455, 0.056, 0.060, 0.098, 0.007), &[(thigh, 0.15), (shin, 0.85)]),
        ring((0.390, 0.058, 0.064, 0.099, -0.008), &[(shin, 1.0)]),
        ring((0.320, 0.057, 0.062, 0.100, -0.015), &[(shin, 1.0)]),
    ];
    mesh.tube(&trousers, &tube);

    let boot_shaft = [
        ring((0.317, 0.056, 0.062, 0.100, -0.015), &[(shin, 1.0)]),
        ring((0.322, 0.066, 0.072, 0.100, -0.015), &[(shin, 1.0)]),
        ring((0.240, 0.058, 0.062, 0.100, -0.020), &[(shin, 1.0)]),
        ring((0.160, 0.047, 0.053, 0.100, -0.026), &[(shin, 0.95), (foot, 0.05)]),
        ring((0.110, 0.044, 0.054, 0.100, -0.024), &[(shin, 0.6), (foot, 0.4)]),
        ring((0.070, 0.041, 0.056, 0.100, -0.018), &[(foot, 1.0)]),
    ];
    mesh.tube(&boot_shaft, &Tube { uv: uv(BOOT), ..tube });

    // From heel to toe: place along z, height of the middle, half width, half height.
    let along = |(z, y, half_side, half_other): (f64, f64, f64, f64), influences: &[(usize, f64)]| Ring {
        center: DVec3::new((0.100 + 0.03 * (z + 0.03).max(0.0)) * side, y, z),
        half_side,
        half_other,
        influences: influences.to_vec(),
    };
    let upper = [
        along((-0.086, 0.052, 0.026, 0.036), &[(foot, 1.0)]),
        along((-0.068, 0.060, 0.038, 0.048), &[(foot, 1.0)]),
        along((-0.020, 0.070, 0.043, 0.058), &[(foot, 1.0)]),
        along((0.035, 0.062, 0.045, 0.050), &[(foot, 1.0)]),
        along((0.085, 0.047, 0.049, 0.035), &[(foot, 0.75), (toes, 0.25)]),
        along((0.125, 0.040, 0.050, 0.028), &[(foot, 0.3), (toes, 0.7)]),
        along((0.160, 0.036, 0.044, 0.024), &[(toes, 1.0)]),
        along((0.184, 0.033, 0.028, 0.018), &[(toes, 1.0)]),
    ];
    let shoe = Tube {
        axis: Some(DVec3::Z),
        seam_turns: 0.75,
        segments: 8,
        start: Cap::Point(0.006),
        end: Cap::Point(0.008),
        uv: uv(BOOT),
        ..tube
    };
    mesh.tube(&upper, &shoe);

    // The sole: an outline of the foot, 22 mm thick.
    let outline = [
        (-0.092, 0.026),
        (-0.070, 0.039),
        (0.010, 0.043),
        (0.095, 0.051),
        (0.130, 0.052),
        (0.165, 0.044),
        (0.194, 0.020),
    ];
    let rings = outline.map(|(z, half_width)| Ring {
        center: DVec3::new((0.100 + 0.03 * (z + 0.03_f64).max(0.0)) * side, 0.0125, z),
        // A ring of four corners: the corners lie at 45 degrees.
        half_side: half_width * core::f64::consts::SQRT_2,
        half_other: 0.0125 * core::f64::consts::SQRT_2,
        influences: match z {
            z if z < 0.06 => vec![(foot, 1.0)],
            z if z < 0.10 => vec![(foot, 0.75), (toes, 0.25)],
            z if z < 0.14 => vec![(foot, 0.3), (toes, 0.7)],
            _ => vec![(toes, 1.0)],
        },
    });
    let sole = Tube {
        axis: Some(DVec3::Z),
        segments: 4,
        seam_turns: 0.125,
        start: Cap::Flat,
        end: Cap::Flat,
        faceted: true,
        uv: uv(SOLE),
        ..tube
    };
    mesh.tube(&rings, &sole);
}
