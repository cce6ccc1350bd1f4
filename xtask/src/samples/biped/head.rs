//! The person's head: face, nose, ears and hair.

use anim_core::glam::DVec3;

use super::super::mesh_builder::{Cap, Influences, Mesh, Ring, Tube};
use super::super::pose::Skeleton;
use super::super::shapes::Ellipsoid;
use super::skin_texture::{HAIR, HEAD, SKIN, uv};

pub(super) fn add(mesh: &mut Mesh, skeleton: &Skeleton) {
    let head: Influences = vec![(skeleton.index("head"), 1.0)];
    let neck = skeleton.index("neck");
    // Height, half width, half depth, place of the middle towards the front.
    let profile = [
        (1.542, 0.040, 0.046, 0.040),
        (1.556, 0.054, 0.066, 0.034),
        (1.582, 0.068, 0.087, 0.022),
        (1.615, 0.077, 0.098, 0.013),
        (1.655, 0.082, 0.105, 0.006),
        (1.695, 0.084, 0.108, 0.001),
        (1.735, 0.080, 0.104, -0.003),
        (1.768, 0.063, 0.084, -0.006),
        (1.788, 0.036, 0.048, -0.008),
    ];
    let rings = profile.map(|(y, half_side, half_other, z)| Ring {
        center: DVec3::new(0.0, y, z),
        half_side,
        half_other,
        influences: head.clone(),
    });
    let tube = Tube {
        side: DVec3::X,
        axis: Some(DVec3::Y),
        segments: 14,
        seam_turns: 0.25,
        pear: 0.0,
        start: Cap::Point(0.004),
        end: Cap::Point(0.008),
        faceted: false,
        uv: uv(HEAD),
    };
    mesh.tube(&rings, &tube);

    let throat =
        [(1.43, 0.066, -0.014), (1.475, 0.058, -0.012), (1.52, 0.053, -0.004), (1.585, 0.055, 0.004)];
    let chest = skeleton.index("chest");
    let rings = throat.map(|(y, radius, z)| Ring {
        center: DVec3::new(0.0, y, z),
        half_side: radius,
        half_other: radius,
        influences: match y {
            y if y < 1.45 => vec![(chest, 0.8), (neck, 0.2)],
            y if y < 1.50 => vec![(chest, 0.35), (neck, 0.65)],
            y if y < 1.55 => vec![(neck, 0.8), (head[0].0, 0.2)],
            _ => head.clone(),
        },
    });
    let neck_tube = Tube { segments: 10, start: Cap::Open, end: Cap::Open, uv: uv(SKIN), ..tube };
    mesh.tube(&rings, &neck_tube);

    let nose = [
        (1.668, 0.010, 0.012, 0.104),
        (1.648, 0.013, 0.018, 0.110),
        (1.630, 0.018, 0.022, 0.111),
        (1.622, 0.013, 0.014, 0.108),
    ];
    let rings = nose.map(|(y, half_side, half_other, z)| Ring {
        center: DVec3::new(0.0, y, z),
        half_side,
        half_other,
        influences: head.clone(),
    });
    let nose_tube = Tube {
        axis: Some(DVec3::NEG_Y),
        segments: 6,
        start: Cap::Point(0.006),
        end: Cap::Point(0.002),
        uv: uv(SKIN),
        ..tube
    };
    mesh.tube(&rings, &nose_tube);

    let ellipsoid = |center: DVec3, radii: DVec3, area| Ellipsoid {
        center,
        radii,
        pole: DVec3::Y,
        extent_turns: 0.5,
        rings: 4,
        segments: 6,
        uv: uv(area),
        influences: head.clone(),
    };
    for side in [1.0, -1.0] {
        let center = DVec3::new(side * 0.084, 1.648, -0.004);
        mesh.ellipsoid(&ellipsoid(center, DVec3::new(0.010, 0.032, 0.018), SKIN));
    }
    let hair = |center: DVec3, radii: DVec3, pole: DVec3, extent_turns: f64| Ellipsoid {
        pole,
        extent_turns,
        rings: 5,
        segments: 14,
        ..ellipsoid(center, radii, HAIR)
    };
    let center = DVec3::new(0.0, 1.690, -0.010);
    mesh.ellipsoid(&hair(center, DVec3::new(0.0915, 0.120, 0.117), DVec3::new(0.0, 0.70, -0.71), 0.262));
    // A fringe, combed to one side.
    let center = DVec3::new(0.010, 1.768, 0.056);
    let fringe = hair(center, DVec3::new(0.062, 0.034, 0.050), DVec3::new(0.5, 0.4, -0.6), 0.5);
    mesh.ellipsoid(&Ellipsoid { rings: 4, segments: 9, ..fringe });
}
