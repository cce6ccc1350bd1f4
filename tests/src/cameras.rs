//! Random cameras of every kind, and what a camera truly sees, computed in `f64`.

use anim_core::glam::{DMat4, DVec3, DVec4};
use anim_wgpu::View;

use crate::random_layers::Random;
use crate::rigs::{between, narrow, rotation, vector};

/// Kinds of camera that [`random_view`] makes.
pub const KINDS: u32 = 7;

/// A camera of a kind, somewhere around `center`, that sees roughly `reach` metres.
///
/// 0: perspective, 1: reversed depth, 2: infinite reversed depth, 3: orthographic, 4: the sun, 5 and 6: perspective and
/// sun that ignore depth.
#[must_use]
pub fn random_view(kind: u32, center: DVec3, reach: f64, random: &mut Random) -> View {
    let eye = center + vector(random, reach);
    let view_from_world = DMat4::from_quat(rotation(random)) * DMat4::from_translation(-eye);
    let angle = between(random, 0.2, 2.2);
    let aspect = between(random, 0.4, 2.5);
    let near = reach * between(random, 0.001, 0.2);
    let far = near + reach * between(random, 0.2, 3.0);
    let sun = |random: &mut Random| {
        let to_sun = vector(random, 1.0).to_array().map(narrow);
        View::sun(to_sun, eye.to_array().map(narrow), narrow(reach * between(random, 0.1, 0.8)))
    };
    let clip_from_view = match kind {
        // Depth is (z * a + b) / -z: 0 at the near plane and 1 at the far one, or the other way round.
        0 | 5 => perspective(angle, aspect, far / (near - far), near * far / (near - far)),
        1 => perspective(angle, aspect, near / (far - near), near * far / (far - near)),
        2 => perspective(angle, aspect, 0.0, near),
        3 => {
            let half = reach * between(random, 0.05, 0.6);
            orthographic(half, aspect, near, far)
        }
        _ => return View { ignores_depth: kind == 6, ..sun(random) },
    };
    let clip_from_world = (clip_from_view * view_from_world).to_cols_array_2d();
    View { ignores_depth: kind == 5, ..View::new(clip_from_world.map(|column| column.map(narrow))) }
}

/// `clip_from_view` of a perspective camera whose depth is `(z * a + b) / -z`.
#[must_use]
pub fn perspective(angle: f64, aspect: f64, a: f64, b: f64) -> DMat4 {
    let focal = 1.0 / libm::tan(angle * 0.5);
    DMat4::from_cols(
        DVec4::new(focal / aspect, 0.0, 0.0, 0.0),
        DVec4::new(0.0, focal, 0.0, 0.0),
        DVec4::new(0.0, 0.0, a, -1.0),
        DVec4::new(0.0, 0.0, b, 0.0),
    )
}

/// `clip_from_view` of a camera without perspective that shows `half` metres upwards, with depth from 0 to 1.
#[must_use]
pub fn orthographic(half: f64, aspect: f64, near: f64, far: f64) -> DMat4 {
    DMat4::from_translation(DVec3::new(0.0, 0.0, near / (near - far)))
        * DMat4::from_scale(DVec3::new(1.0 / (half * aspect), 1.0 / half, 1.0 / (near - far)))
}

/// Whether a view shows a point of the world.
#[must_use]
pub fn sees(view: &View, point: DVec3) -> bool {
    let matrix = DMat4::from_cols_array_2d(&view.clip_from_world.map(|column| column.map(f64::from)));
    let DVec4 { x, y, z, w } = matrix * point.extend(1.0);
    x.abs() <= w && y.abs() <= w && w > 0.0 && (view.ignores_depth || (z >= 0.0 && z <= w))
}
