//! The CPU twin of the skinning shaders: the same names and the same order of operations, in `f32`.

use crate::matrix_rows::Rows;

/// How normals of a part follow its bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalRule {
    /// The blended upper 3x3, normalised: what glTF engines do for skins.
    Blended,
    /// The cofactor matrix times the determinant's sign, normalised: exact for one rigid bone under any scale.
    Cofactor,
}

/// `rows_a * (1 - blend) + rows_b * blend`, number by number.
#[must_use]
pub fn mix_rows(rows_a: &Rows, rows_b: &Rows, blend: f32) -> Rows {
    let keep = 1.0 - blend;
    core::array::from_fn(|r| core::array::from_fn(|c| rows_a[r][c] * keep + rows_b[r][c] * blend))
}

/// The weighted sum of the influences' rows. `bones` index `palette`; weights sum to 1.
///
/// # Panics
///
/// If a bone number is outside the palette. Bone numbers of a file are validated before they come here.
#[must_use]
pub fn blend_influences(palette: &[Rows], bones: [u16; 4], weights: [f32; 4]) -> Rows {
    let rows = bones.map(|bone| &palette[usize::from(bone)]);
    core::array::from_fn(|r| {
        core::array::from_fn(|c| {
            rows[0][r][c] * weights[0]
                + rows[1][r][c] * weights[1]
                + rows[2][r][c] * weights[2]
                + rows[3][r][c] * weights[3]
        })
    })
}

/// Position in model space of a vertex of the bind pose, in metres.
#[must_use]
pub fn skin_position(rows: &Rows, position: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = position;
    core::array::from_fn(|r| rows[r][0] * x + rows[r][1] * y + rows[r][2] * z + rows[r][3])
}

/// Unit normal in model space of a normal of the bind pose. Where the matrix squashes it to nothing, the bind pose's
/// normal is returned.
#[must_use]
pub fn skin_normal(rows: &Rows, normal: [f32; 3], rule: NormalRule) -> [f32; 3] {
    let [x, y, z] = normal;
    let turned: [f32; 3] = match rule {
        NormalRule::Blended => core::array::from_fn(|r| rows[r][0] * x + rows[r][1] * y + rows[r][2] * z),
        NormalRule::Cofactor => {
            let (a, b, c) = (column(rows, 0), column(rows, 1), column(rows, 2));
            let (bc, ca, ab) = (cross(b, c), cross(c, a), cross(a, b));
            let sign = if a[0] * bc[0] + a[1] * bc[1] + a[2] * bc[2] < 0.0 { -1.0 } else { 1.0 };
            core::array::from_fn(|r| (bc[r] * x + ca[r] * y + ab[r] * z) * sign)
        }
    };
    normalize_or(turned, normal)
}

fn column(rows: &Rows, c: usize) -> [f32; 3] {
    [rows[0][c], rows[1][c], rows[2][c]]
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn normalize_or(v: [f32; 3], fallback: [f32; 3]) -> [f32; 3] {
    // Scaled by the largest component first, so that tiny matrices (models in micrometres) do not underflow.
    let largest = v[0].abs().max(v[1].abs()).max(v[2].abs());
    if !(largest > 0.0 && largest.is_finite()) {
        return fallback;
    }
    let v = v.map(|n| n / largest);
    let length = libm::sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    v.map(|n| n / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix_rows::{IDENTITY_ROWS, rows_from_affine};
    use glam::{DAffine3, DVec3};

    #[test]
    fn half_way_between_two_translations_is_the_middle() {
        let far = rows_from_affine(&DAffine3::from_translation(DVec3::new(4.0, 0.0, 0.0)));
        assert_eq!(skin_position(&mix_rows(&IDENTITY_ROWS, &far, 0.25), [1.0, 2.0, 3.0]), [2.0, 2.0, 3.0]);
        let palette = [IDENTITY_ROWS, far];
        let blended = blend_influences(&palette, [1, 0, 0, 0], [0.5, 0.5, 0.0, 0.0]);
        assert_eq!(skin_position(&blended, [0.0; 3]), [2.0, 0.0, 0.0]);
    }

    #[test]
    fn cofactor_normals_stay_at_right_angles_under_scale_and_mirror() {
        // The plane x + y = 0 has normal (1, 1, 0); scaled by (2, 1, 1) it becomes x / 2 + y = 0.
        let scaled = rows_from_affine(&DAffine3::from_scale(DVec3::new(2.0, 1.0, 1.0)));
        let normal = skin_normal(&scaled, [1.0, 1.0, 0.0], NormalRule::Cofactor);
        assert!((normal[0] * 2.0 - normal[1]).abs() < 1e-6, "{normal:?}");
        let mirror = rows_from_affine(&DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0)));
        assert_eq!(skin_normal(&mirror, [0.0, 1.0, 0.0], NormalRule::Cofactor), [0.0, 1.0, 0.0]);
        assert_eq!(skin_normal(&mirror, [1.0, 0.0, 0.0], NormalRule::Cofactor), [-1.0, 0.0, 0.0]);
    }

    #[test]
    fn a_squashed_normal_falls_back_to_the_bind_pose() {
        let flat = rows_from_affine(&DAffine3::from_scale(DVec3::ZERO));
        assert_eq!(skin_normal(&flat, [0.0, 0.0, 1.0], NormalRule::Blended), [0.0, 0.0, 1.0]);
    }
}
