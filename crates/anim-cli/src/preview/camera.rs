//! One view of a box from its front right, from a little above.

use anim_format::model::Bounds;

use super::raster::ScreenVertex;

/// Directions of the camera in model space, unit length: to its right, up, and from what it looks at towards it.
/// glTF models look along +Z; this is 35 degrees to their left hand's side and 18 degrees above.
const RIGHT: [f32; 3] = [0.819_152, 0.0, -0.573_576_4];
const UP: [f32; 3] = [-0.177_244_9, 0.951_056_5, -0.253_132_1];
const BACK: [f32; 3] = [0.545_503_8, 0.309_017, 0.779_060];

/// Tangent of half the field of view: 12 degrees, so that limbs towards the camera are not blown up.
const HALF_VIEW: f32 = 0.212_556_6;

/// Share of the picture's half side that the box may fill.
const FILLED: f32 = 0.97;

/// A perspective camera that sees a whole box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Camera {
    target: [f32; 3],
    distance: f32,
    side: f32,
}

impl Camera {
    /// A camera for square pictures of `side` pixels that the box of `bounds` fits into, and nothing larger would.
    pub(super) fn framing(bounds: &Bounds, side: f32) -> Self {
        let [min, max] = [bounds.box_min, bounds.box_max];
        let target: [f32; 3] = std::array::from_fn(|i| min[i] * 0.5 + max[i] * 0.5);
        let mut distance = 0.0f32;
        for corner in 0..8 {
            let point = std::array::from_fn(|i| if corner >> i & 1 == 0 { min[i] } else { max[i] });
            let [x, y, z] = in_view(target, point);
            distance = distance.max(z + x.abs().max(y.abs()) / (HALF_VIEW * FILLED));
        }
        // A point has no size, and a size that is no number must not spread.
        let distance = if distance > 0.0 && distance.is_finite() { distance } else { 1.0 };
        Self { target, distance, side }
    }

    /// The same view as a matrix in columns, with depths from 0 near to 1 far away.
    #[cfg(feature = "gpu")]
    pub(super) fn clip_from_world(&self) -> [[f32; 4]; 4] {
        // What `project` leaves out is in front of the near plane.
        let (near, far) = (self.distance * 1e-2, self.distance * 20.0);
        let row = |axis: [f32; 3], scale: f32, offset: f32| -> [f32; 4] {
            let along = axis[0] * self.target[0] + axis[1] * self.target[1] + axis[2] * self.target[2];
            [axis[0] * scale, axis[1] * scale, axis[2] * scale, offset - along * scale]
        };
        let depth = far / (far - near);
        let rows = [
            row(RIGHT, 1.0 / HALF_VIEW, 0.0),
            row(UP, 1.0 / HALF_VIEW, 0.0),
            row(BACK, -depth, (self.distance - near) * depth),
            row(BACK, -1.0, self.distance),
        ];
        std::array::from_fn(|column| std::array::from_fn(|r| rows[r][column]))
    }

    /// Where a point is in the picture; `None` if it is behind the camera or next to it.
    pub(super) fn project(&self, point: [f32; 3], normal: [f32; 3], uv: [f32; 2]) -> Option<ScreenVertex> {
        let [x, y, z] = in_view(self.target, point);
        let depth = self.distance - z;
        if !(depth > self.distance * 1e-2) {
            return None;
        }
        let scale = self.side * 0.5 / (HALF_VIEW * depth);
        let half = self.side * 0.5;
        Some(ScreenVertex { x: half + x * scale, y: half - y * scale, depth, normal, uv })
    }
}

fn in_view(target: [f32; 3], point: [f32; 3]) -> [f32; 3] {
    let from_target: [f32; 3] = std::array::from_fn(|i| point[i] - target[i]);
    [RIGHT, UP, BACK]
        .map(|axis| axis[0] * from_target[0] + axis[1] * from_target[1] + axis[2] * from_target[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(min: [f32; 3], max: [f32; 3]) -> Bounds {
        Bounds { box_min: min, box_max: max, ..Bounds::default() }
    }

    #[test]
    fn the_axes_are_a_right_handed_frame() {
        let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        for (a, b) in [(RIGHT, UP), (UP, BACK), (BACK, RIGHT)] {
            assert!(dot(a, b).abs() < 1e-5 && (dot(a, a) - 1.0).abs() < 1e-5, "{a:?} {b:?}");
        }
        let cross_y = RIGHT[2] * UP[0] - RIGHT[0] * UP[2];
        assert!((cross_y - BACK[1]).abs() < 1e-5);
    }

    #[test]
    fn a_box_fills_the_picture_and_stays_inside() {
        for (min, max) in [
            ([-1.0, 0.0, -1.0], [1.0, 2.0, 1.0]),
            ([100.0, -1e-3, 5.0], [100.001, 1e-3, 5.001]),
            ([0.0, 0.0, -5e4], [1.0, 1.0, 5e4]),
        ] {
            let camera = Camera::framing(&bounds(min, max), 200.0);
            let mut extreme = 0.0f32;
            for corner in 0..8 {
                let point = std::array::from_fn(|i| if corner >> i & 1 == 0 { min[i] } else { max[i] });
                let at = camera.project(point, [0.0; 3], [0.0; 2]).unwrap();
                extreme = extreme.max((at.x - 100.0).abs()).max((at.y - 100.0).abs());
            }
            assert!((90.0..=98.0).contains(&extreme), "{min:?}: {extreme}");
        }
    }

    #[cfg(feature = "gpu")]
    #[test]
    fn the_matrix_shows_points_where_the_camera_does() {
        let camera = Camera::framing(&bounds([-1.0, 0.0, 2.0], [1.0, 2.0, 3.5]), 200.0);
        let m = camera.clip_from_world();
        for point in [[0.0, 1.0, 2.5], [-1.0, 0.0, 2.0], [0.7, 1.9, 3.4], [4.0, 0.0, -9.0]] {
            let clip: [f32; 4] = std::array::from_fn(|r| {
                m[0][r] * point[0] + m[1][r] * point[1] + m[2][r] * point[2] + m[3][r]
            });
            let at = camera.project(point, [0.0; 3], [0.0; 2]).unwrap();
            let (x, y) = (100.0 + clip[0] / clip[3] * 100.0, 100.0 - clip[1] / clip[3] * 100.0);
            assert!((x - at.x).abs() < 0.01 && (y - at.y).abs() < 0.01, "{point:?}: {x} {y} {at:?}");
            assert!((clip[3] - at.depth).abs() < 1e-3 && (0.0..1.0).contains(&(clip[2] / clip[3])));
        }
    }

    #[test]
    fn a_point_and_a_point_behind_the_camera_do_no_harm() {
        let camera = Camera::framing(&bounds([3.0; 3], [3.0; 3]), 200.0);
        let center = camera.project([3.0; 3], [0.0; 3], [0.0; 2]).unwrap();
        assert_eq!((center.x, center.y), (100.0, 100.0));
        let behind = std::array::from_fn(|i| 3.0 + BACK[i] * 2.0);
        assert!(camera.project(behind, [0.0; 3], [0.0; 2]).is_none());
        assert!(camera.project([f32::NAN; 3], [0.0; 3], [0.0; 2]).is_none());
    }
}
