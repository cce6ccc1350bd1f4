//! What a frame is seen from: cameras and shadow cascades.

use anim_core::culling::planes_of;

/// A camera or a shadow cascade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Matrix in columns, as WGSL and most mathematics libraries store it; depth from 0 to 1 or reversed. Positions are
    /// relative to the crowd's origin.
    pub clip_from_world: [[f32; 4]; 4],
    /// Instances in front of the near and behind the far plane are kept: for shadow maps that are drawn with depth
    /// clamped, whose casters may be outside.
    pub ignores_depth: bool,
    /// Instances outside the view are left out. `false` keeps all: for views whose picture a matrix alone does not tell,
    /// such as cube faces drawn at once, and for measuring what drawing costs without culling.
    pub culls: bool,
}

impl View {
    /// A view that culls by all six planes.
    #[must_use]
    pub const fn new(clip_from_world: [[f32; 4]; 4]) -> Self {
        Self { clip_from_world, ignores_depth: false, culls: true }
    }

    /// A perspective camera at `eye` that looks at `target`, +Y up, with depth from 0 at `near_metres` to 1 at
    /// `far_metres`. `vertical_angle_radians` is the whole angle, `aspect` is width by height. For programs that have a
    /// camera of their own, [`Self::new`] takes its matrix.
    #[must_use]
    pub fn look_at(
        eye: [f32; 3],
        target: [f32; 3],
        vertical_angle_radians: f32,
        aspect: f32,
        near_metres: f32,
        far_metres: f32,
    ) -> Self {
        let back = unit(std::array::from_fn(|i| eye[i] - target[i]), [0.0, 0.0, 1.0]);
        let side = if back[1].abs() > 0.9999 { [0.0, 0.0, -back[1].signum()] } else { [0.0, 1.0, 0.0] };
        let right = unit(cross(side, back), [1.0, 0.0, 0.0]);
        let up = cross(back, right);
        let focal = 1.0 / libm::tanf(vertical_angle_radians * 0.5);
        let depth = far_metres / (near_metres - far_metres);
        let scaled = |axis: [f32; 3], scale: f32| -> [f32; 4] {
            [axis[0] * scale, axis[1] * scale, axis[2] * scale, -dot(axis, eye) * scale]
        };
        let mut z = scaled(back, depth);
        z[3] += near_metres * depth;
        let rows = [scaled(right, focal / aspect), scaled(up, focal), z, scaled(back, -1.0)];
        Self::new(std::array::from_fn(|c| std::array::from_fn(|r| rows[r][c])))
    }

    /// The orthographic view of a sun that covers a ball: for a shadow map, or the only cascade.
    ///
    /// `to_sun` points towards the sun, of any length but zero; `center` and `radius_metres` are the ball, in which
    /// shadows are cast and received.
    #[must_use]
    pub fn sun(to_sun: [f32; 3], center: [f32; 3], radius_metres: f32) -> Self {
        let back = unit(to_sun, [0.0, 1.0, 0.0]);
        let side = if back[1].abs() > 0.99 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let right = unit(cross(side, back), [1.0, 0.0, 0.0]);
        let up = cross(back, right);
        let scale = 1.0 / radius_metres.max(f32::MIN_POSITIVE);
        // Depth 0 is the side of the ball towards the sun.
        let rows = [
            [right[0] * scale, right[1] * scale, right[2] * scale, -dot(right, center) * scale],
            [up[0] * scale, up[1] * scale, up[2] * scale, -dot(up, center) * scale],
            [
                -back[0] * scale * 0.5,
                -back[1] * scale * 0.5,
                -back[2] * scale * 0.5,
                dot(back, center) * scale * 0.5 + 0.5,
            ],
            [0.0, 0.0, 0.0, 1.0],
        ];
        Self::new(std::array::from_fn(|c| std::array::from_fn(|r| rows[r][c])))
    }

    /// The planes that instances are tested against.
    #[must_use]
    pub fn planes(&self) -> [[f32; 4]; 6] {
        let mut planes = planes_of(&self.clip_from_world);
        // A plane that everything is in front of.
        const NOWHERE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
        if self.ignores_depth {
            planes[4..].fill(NOWHERE);
        }
        if !self.culls {
            planes.fill(NOWHERE);
        }
        planes
    }
}

/// The light of the ready colour pass. Colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lighting {
    /// Towards the sun; any length but zero.
    pub to_sun: [f32; 3],
    /// Colour and strength of the sun.
    pub sun_color: [f32; 3],
    /// Light that comes from everywhere.
    pub ambient_color: [f32; 3],
    /// Views that are shadow cascades of the sun, nearest first: they are consecutive views of the frame, and layer
    /// `i` of the shadow map holds view `shadow_views.start + i`, with depth from 0 to 1 (not reversed).
    pub shadow_views: [u32; 2],
    /// How far a point is moved along its normal before it is looked up in the shadow map, in metres.
    pub shadow_bias_metres: f32,
}

impl Default for Lighting {
    /// A warm sun from the upper right and a bluish sky, without shadows.
    fn default() -> Self {
        Self {
            to_sun: [0.5, 0.8, 0.4],
            sun_color: [1.0, 0.95, 0.85],
            ambient_color: [0.30, 0.34, 0.40],
            shadow_views: [0, 0],
            shadow_bias_metres: 0.02,
        }
    }
}

impl Lighting {
    /// The direction of the sun at unit length.
    pub(crate) fn sun_direction(&self) -> [f32; 3] {
        unit(self.to_sun, [0.0, 1.0, 0.0])
    }
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: [f32; 3], fallback: [f32; 3]) -> [f32; 3] {
    let length = dot(v, v).sqrt();
    if length > 0.0 && length.is_finite() { v.map(|n| n / length) } else { fallback }
}

#[cfg(test)]
mod tests {
    use anim_core::culling::sphere_is_outside;

    use super::*;

    #[test]
    fn a_camera_sees_what_it_looks_at_in_the_middle() {
        for (eye, target) in
            [([3.0, 4.0, 5.0], [0.0; 3]), ([0.0, 5.0, 0.0], [0.0; 3]), ([0.0, 0.0, -2.0], [0.0, 0.0, 9.0])]
        {
            let m = View::look_at(eye, target, 1.0, 1.5, 0.5, 100.0).clip_from_world;
            let clip = |p: [f32; 3]| -> [f32; 4] {
                std::array::from_fn(|r| m[0][r] * p[0] + m[1][r] * p[1] + m[2][r] * p[2] + m[3][r])
            };
            let [x, y, z, w] = clip(target);
            assert!(x.abs() < 1e-4 && y.abs() < 1e-4 && z > 0.0 && z < w, "{eye:?}");
            let way = unit(std::array::from_fn(|i| target[i] - eye[i]), [0.0; 3]);
            let [_, _, z, w] = clip(std::array::from_fn(|i| eye[i] + way[i] * 0.5));
            assert!(z.abs() < 1e-5 && (w - 0.5).abs() < 1e-5, "{eye:?}");
            let [_, _, z, w] = clip(std::array::from_fn(|i| eye[i] + way[i] * 100.0));
            assert!((z / w - 1.0).abs() < 1e-4, "{eye:?}");
        }
        // +Y is up and +X is right for a camera that looks along -Z.
        let m = View::look_at([0.0, 0.0, 5.0], [0.0; 3], 1.0, 1.0, 0.1, 10.0).clip_from_world;
        assert!(m[0][0] > 0.0 && m[1][1] > 0.0);
    }

    #[test]
    fn a_view_that_does_not_cull_keeps_what_is_outside_of_it() {
        let mut view = View::look_at([0.0, 0.0, 5.0], [0.0; 3], 1.0, 1.0, 0.1, 10.0);
        let far_away = [[1.0, 0.0, 0.0, 1e4], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1e4]];
        let outside = |view: &View| sphere_is_outside(&view.planes(), &far_away, [0.0, 0.0, 0.0, 1.0]);
        assert!(outside(&view));
        view.culls = false;
        assert!(!outside(&view));
    }

    #[test]
    fn a_sun_sees_its_whole_ball_and_nothing_nearer_is_deeper() {
        for to_sun in [[0.3, 0.9, 0.2], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [-2.0, 0.1, 5.0]] {
            let center = [3.0, -1.0, 7.0];
            let m = View::sun(to_sun, center, 2.0).clip_from_world;
            let clip = |p: [f32; 3]| -> [f32; 3] {
                std::array::from_fn(|r| m[0][r] * p[0] + m[1][r] * p[1] + m[2][r] * p[2] + m[3][r])
            };
            let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
            assert!(near(clip(center), [0.0, 0.0, 0.5]), "{to_sun:?}");
            let back = unit(to_sun, [0.0; 3]);
            let towards = std::array::from_fn(|i| center[i] + back[i] * 2.0);
            assert!(near(clip(towards), [0.0, 0.0, 0.0]), "{to_sun:?}");
        }
    }
}
