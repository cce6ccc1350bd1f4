//! Culling by animated bounds: the CPU twin of the test in `cull.wgsl`.

use crate::matrix_rows::Rows;

/// Share of the numbers that go into a distance by which rounding in `f32` may be off.
pub const CULL_SLACK: f32 = 4e-6;

/// The six planes of a view, `x y z w` with `dot(xyz, point) + w >= 0` inside, from its matrix in columns.
///
/// They are left, right, bottom, top, `z >= 0` and `z <= w` of clip space with depths from 0 to 1, so standard,
/// reversed and infinite depth all work. Not normalised: see [`sphere_is_outside`].
///
/// Source: G. Gribb, K. Hartmann, "Fast extraction of viewing frustum planes from the world-view-projection matrix", 2001.
#[must_use]
pub fn planes_of(clip_from_world: &[[f32; 4]; 4]) -> [[f32; 4]; 6] {
    let row = |r: usize| -> [f32; 4] { core::array::from_fn(|c| clip_from_world[c][r]) };
    let (x, y, z, w) = (row(0), row(1), row(2), row(3));
    let add = |a: [f32; 4], b: [f32; 4]| core::array::from_fn(|i| a[i] + b[i]);
    let sub = |a: [f32; 4], b: [f32; 4]| core::array::from_fn(|i| a[i] - b[i]);
    [add(w, x), sub(w, x), add(w, y), sub(w, y), z, sub(w, z)]
}

/// Whether a ball, turned into an ellipsoid by `world_from_model`, is wholly outside one of the planes.
///
/// `sphere` is centre and radius in metres in model space. The reach of the ellipsoid along a plane's normal is exact;
/// rounding is on the side of "inside", as are planes and matrices that are not finite.
#[must_use]
pub fn sphere_is_outside(planes: &[[f32; 4]; 6], world_from_model: &Rows, sphere: [f32; 4]) -> bool {
    let [x, y, z, radius] = sphere;
    let center: [f32; 3] = core::array::from_fn(|r| {
        let row = world_from_model[r];
        row[0] * x + row[1] * y + row[2] * z + row[3]
    });
    planes.iter().any(|plane| {
        let distance = plane[0] * center[0] + plane[1] * center[1] + plane[2] * center[2] + plane[3];
        let along: [f32; 3] = core::array::from_fn(|c| {
            world_from_model[0][c] * plane[0]
                + world_from_model[1][c] * plane[1]
                + world_from_model[2][c] * plane[2]
        });
        let length = libm::sqrtf(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
        let size = (plane[0] * center[0]).abs()
            + (plane[1] * center[1]).abs()
            + (plane[2] * center[2]).abs()
            + plane[3].abs();
        distance < -(radius * length + size * CULL_SLACK)
    })
}

/// The smallest ball around two: centre and radius in metres. A ball of negative radius is empty.
#[must_use]
pub fn sphere_around(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    if a[3] < 0.0 {
        return b;
    }
    if b[3] < 0.0 {
        return a;
    }
    let way: [f32; 3] = core::array::from_fn(|i| b[i] - a[i]);
    let apart = libm::sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    if apart + b[3] <= a[3] {
        return a;
    }
    if apart + a[3] <= b[3] {
        return b;
    }
    let radius = (apart + a[3] + b[3]) * 0.5;
    let share = (radius - a[3]) / apart;
    // A little larger than exact, so that rounding drops nothing.
    [a[0] + way[0] * share, a[1] + way[1] * share, a[2] + way[2] * share, radius * (1.0 + 1e-6)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_rows::IDENTITY_ROWS;
    use proptest::prelude::*;

    /// Looks along -Z from the origin, 90 degrees, depths from 1 to 100.
    const VIEW: [[f32; 4]; 4] =
        [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, -1.0101, -1.0], [0.0, 0.0, -1.0101, 0.0]];

    fn clip(p: [f32; 3]) -> [f32; 4] {
        core::array::from_fn(|r| VIEW[0][r] * p[0] + VIEW[1][r] * p[1] + VIEW[2][r] * p[2] + VIEW[3][r])
    }

    #[test]
    fn balls_at_the_edges_of_a_view() {
        let planes = planes_of(&VIEW);
        let table = [
            ([0.0, 0.0, -10.0, 1.0], false),
            ([0.0, 0.0, 10.0, 1.0], true),
            ([12.0, 0.0, -10.0, 1.0], true),
            ([12.0, 0.0, -10.0, 2.0], false),
            ([0.0, 0.0, -0.5, 0.4], true),
            ([0.0, 0.0, -0.5, 0.6], false),
            ([0.0, 0.0, -102.0, 1.0], true),
            ([0.0, 0.0, f32::NAN, 1.0], false),
        ];
        for (sphere, outside) in table {
            assert_eq!(sphere_is_outside(&planes, &IDENTITY_ROWS, sphere), outside, "{sphere:?}");
        }
    }

    proptest! {
        #[test]
        fn a_ball_with_a_point_in_view_is_never_outside(
            rows in prop::array::uniform3(prop::array::uniform4(-20.0..20.0f32)),
            center in prop::array::uniform3(-3.0..3.0f32), radius in 0.0..5.0f32,
            direction in prop::array::uniform3(-1.0..1.0f32),
        ) {
            let length = direction.iter().map(|d| d * d).sum::<f32>().sqrt();
            prop_assume!(length > 1e-3);
            let point: [f32; 3] = core::array::from_fn(|i| center[i] + direction[i] / length * radius);
            let at = crate::skin_reference::skin_position(&rows, point);
            let [x, y, z, w] = clip(at);
            let inside = x.abs() <= w && y.abs() <= w && z >= 0.0 && z <= w;
            let outside = sphere_is_outside(&planes_of(&VIEW), &rows, [center[0], center[1], center[2], radius]);
            prop_assert!(!(inside && outside));
        }

        #[test]
        fn the_ball_around_two_holds_both(
            a in prop::array::uniform3(-9.0..9.0f32), ra in 0.0..5.0f32,
            b in prop::array::uniform3(-9.0..9.0f32), rb in 0.0..5.0f32,
        ) {
            let around = sphere_around([a[0], a[1], a[2], ra], [b[0], b[1], b[2], rb]);
            for (c, r) in [(a, ra), (b, rb)] {
                let apart = (0..3).map(|i| (c[i] - around[i]).powi(2)).sum::<f32>().sqrt();
                prop_assert!(apart + r <= around[3] * (1.0 + 1e-5) + 1e-5);
            }
        }
    }
}
