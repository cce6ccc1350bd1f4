//! The horse's mane, forelock and tail.

use anim_core::glam::{DVec2, DVec3};

use super::super::gait::through;
use super::super::mesh_builder::{Cap, Influences, Mesh, Ring, Tube, UvRect};
use super::super::pose::Skeleton;
use super::body::{NECK_PROFILE, neck_influences};
use super::coat_texture::{HAIR, uv};

/// A lock of hair, before it gets its place in the texture.
const LOCK: Tube = Tube {
    side: DVec3::X,
    axis: None,
    segments: 6,
    seam_turns: 0.0,
    pear: 0.0,
    start: Cap::Point(0.01),
    end: Cap::Point(0.035),
    faceted: false,
    uv: UvRect { min: DVec2::ZERO, max: DVec2::ONE },
};

/// A crest of hair along the neck, locks that fall to the right side, and a forelock.
pub(super) fn mane(mesh: &mut Mesh, skeleton: &Skeleton) {
    let crest = |ring: f64| {
        let (place, up, half_width) = crest_at(ring);
        Ring {
            center: place + up * 0.012,
            half_side: (half_width * 0.30).min(0.034),
            half_other: 0.052 * through(&[(1.4, 0.25), (2.6, 1.0)], ring),
            influences: neck_influences(skeleton, ring),
        }
    };
    let rings: Vec<Ring> = (0..8_u32).map(|i| crest(1.6 + 0.80 * f64::from(i))).collect();
    mesh.tube(&rings, &Tube { uv: uv(HAIR), start: Cap::Point(0.02), end: Cap::Point(0.05), ..LOCK });

    for i in 0..6_u32 {
        let ring = 1.80 + 0.93 * f64::from(i);
        let (place, up, half_width) = crest_at(ring);
        let along = DVec3::new(0.0, -up.z, up.y);
        let influences = neck_influences(skeleton, ring);
        let long = 0.21 - 0.008 * f64::from(i);
        // Over the crest and down the side of the neck.
        let point = |out: f64, down: f64, half_other: f64, half_side: f64| Ring {
            center: place - DVec3::X * out + up * (0.035 - down) - along * (0.10 * down),
            half_side,
            half_other,
            influences: influences.clone(),
        };
        let rings = [
            point(0.004, 0.0, 0.058, 0.020),
            point(half_width * 0.62, 0.06, 0.068, 0.018),
            point(half_width * 0.98 + 0.010, long * 0.62, 0.060, 0.016),
            point(half_width * 1.04 + 0.014, long, 0.030, 0.010),
        ];
        mesh.tube(&rings, &Tube { side: DVec3::X + up * 0.6, uv: uv(HAIR), ..LOCK });
    }

    let head: Influences = vec![(skeleton.index("head"), 1.0)];
    let forelock = [
        (0.0, 2.035, 1.030, 0.034, 0.022),
        (-0.006, 2.020, 1.115, 0.036, 0.018),
        (-0.012, 1.945, 1.195, 0.030, 0.012),
        (-0.016, 1.880, 1.240, 0.016, 0.008),
    ];
    let rings = forelock.map(|(x, y, z, half_side, half_other)| Ring {
        center: DVec3::new(x, y, z),
        half_side,
        half_other,
        influences: head.clone(),
    });
    mesh.tube(&rings, &Tube { uv: uv(HAIR), ..LOCK });
}

pub(super) fn tail(mesh: &mut Mesh, skeleton: &Skeleton) {
    let joints = ["pelvis", "tail_1", "tail_2", "tail_3", "tail_4"].map(|name| skeleton.index(name));
    // y, z, half width, half depth, and how far down the chain of joints.
    let profile = [
        (1.415, -0.785, 0.034, 0.034, 0.5),
        (1.400, -0.850, 0.044, 0.044, 1.0),
        (1.345, -0.905, 0.058, 0.052, 1.4),
        (1.260, -0.940, 0.072, 0.060, 2.0),
        (1.150, -0.962, 0.082, 0.066, 2.4),
        (1.030, -0.975, 0.086, 0.068, 3.0),
        (0.910, -0.983, 0.082, 0.064, 3.5),
        (0.790, -0.987, 0.068, 0.054, 4.0),
        (0.680, -0.985, 0.048, 0.038, 4.0),
        (0.590, -0.980, 0.024, 0.020, 4.0),
    ];
    let rings = profile.map(|(y, z, half_side, half_other, chain)| Ring {
        center: DVec3::new(0.0, y, z),
        half_side,
        half_other,
        influences: (0..5_u32)
            .map(|i| {
                let distance = (chain - f64::from(i)).abs();
                (joints[i as usize], through(&[(0.0, 1.0), (1.0, 0.0)], distance))
            })
            .filter(|(_, weight)| *weight > 0.0)
            .collect(),
    });
    mesh.tube(&rings, &Tube { segments: 10, end: Cap::Point(0.05), uv: uv(HAIR), ..LOCK });
}

/// The top of the neck at a ring (which may lie between two): the place, the direction away from the neck, and the
/// neck's half width.
fn crest_at(ring: f64) -> (DVec3, DVec3, f64) {
    let at = |pick: fn(&(f64, f64, f64, f64)) -> f64, ring: f64| {
        let mut before = pick(&NECK_PROFILE[0]);
        let mut number = 0.0;
        for section in &NECK_PROFILE[1..] {
            let next = pick(section);
            if ring <= number + 1.0 {
                return before + (next - before) * (ring - number).max(0.0);
            }
            (before, number) = (next, number + 1.0);
        }
        before
    };
    let center = |ring: f64| DVec3::new(0.0, at(|s| s.0, ring), at(|s| s.1, ring));
    let along = (center(ring + 0.5) - center(ring - 0.5)).normalize();
    let up = DVec3::new(0.0, along.z, -along.y);
    (center(ring) + up * at(|s| s.2, ring), up, at(|s| s.3, ring))
}
