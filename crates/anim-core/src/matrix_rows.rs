//! Affine matrices as three rows of four floats, both directions.

use glam::{DAffine3, DMat3, DVec3};

/// Three rows of an affine matrix: row `r` is `(m[r][0], m[r][1], m[r][2], translation[r])`.
pub type Rows = [[f32; 4]; 3];

/// The rows of the identity matrix.
pub const IDENTITY_ROWS: Rows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Packs an affine matrix into rows, rounding each number to the nearest `f32`.
///
/// A number beyond the range of `f32` becomes infinite; callers that take outside data check the result.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what packing is")]
pub fn rows_from_affine(matrix: &DAffine3) -> Rows {
    let (x, y, z, t) =
        (matrix.matrix3.x_axis, matrix.matrix3.y_axis, matrix.matrix3.z_axis, matrix.translation);
    [
        [x.x as f32, y.x as f32, z.x as f32, t.x as f32],
        [x.y as f32, y.y as f32, z.y as f32, t.y as f32],
        [x.z as f32, y.z as f32, z.z as f32, t.z as f32],
    ]
}

/// Unpacks rows into an affine matrix; exact.
#[must_use]
pub fn affine_from_rows(rows: &Rows) -> DAffine3 {
    let column = |c: usize| DVec3::new(f64::from(rows[0][c]), f64::from(rows[1][c]), f64::from(rows[2][c]));
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}

/// Determinant of the 3x3 part, in `f64`: negative for a mirror.
#[must_use]
pub fn determinant(rows: &Rows) -> f64 {
    affine_from_rows(rows).matrix3.determinant()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_to_matrix_to_rows_is_exact(rows in prop::array::uniform3(prop::array::uniform4(-1e30f32..1e30))) {
            prop_assert_eq!(rows_from_affine(&affine_from_rows(&rows)), rows);
        }
    }

    #[test]
    fn translation_is_the_fourth_column() {
        let rows = rows_from_affine(&DAffine3::from_translation(DVec3::new(1.0, 2.0, 3.0)));
        assert_eq!(rows, [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]]);
        assert_eq!(determinant(&IDENTITY_ROWS), 1.0);
    }
}
