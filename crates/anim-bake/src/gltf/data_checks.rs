//! What glTF asks of the values of an accessor beyond their type.

use anim_core::glam::{DAffine3, DMat3, DVec3};

use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// How far the fourth row of an affine matrix may be from `0 0 0 1`: rounding of products in `f32`.
pub(super) const AFFINE_TOLERANCE: f64 = 1e-5;

#[expect(clippy::cast_possible_truncation, reason = "a unit vector in f64 rounds to f32")]
fn unit(vector: [f32; 3]) -> [f32; 3] {
    let wide = DVec3::from(vector.map(f64::from));
    let length = wide.length();
    // A zero vector has no direction: it stays zero, and whoever shades with it sees that.
    if length > 0.0 { (wide / length).to_array().map(|value| value as f32) } else { vector }
}

pub(super) fn unit_vectors(mut vectors: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    vectors.iter_mut().for_each(|vector| *vector = unit(*vector));
    vectors
}

pub(super) fn unit_tangents(mut tangents: Vec<[f32; 4]>) -> Vec<[f32; 4]> {
    for [x, y, z, handedness] in &mut tangents {
        [*x, *y, *z] = unit([*x, *y, *z]);
        *handedness = if *handedness < 0.0 { -1.0 } else { 1.0 };
    }
    tangents
}

pub(super) fn not_negative(
    weights: Vec<[f32; 4]>,
    place: &str,
    problems: &mut Problems,
) -> Result<Vec<[f32; 4]>, Reported> {
    let Some(first) = weights.iter().position(|weights| weights.iter().any(|weight| *weight < 0.0)) else {
        return Ok(weights);
    };
    Err(problems.push(
        Diagnostic::error(ids::WEIGHT_NEGATIVE, place, format!("vertex {first} has a negative weight"))
            .expected_found(
                "weights of at least 0",
                format!("{:?}", weights.get(first).copied().unwrap_or_default()),
            ),
    ))
}

pub(super) fn affine_matrices(
    matrices: &[[f32; 16]],
    place: &str,
    problems: &mut Problems,
) -> Result<Vec<DAffine3>, Reported> {
    let mut affines = Vec::with_capacity(matrices.len());
    for (number, matrix) in matrices.iter().enumerate() {
        affines.push(affine(matrix).ok_or_else(|| {
            problems.push(not_affine(
                place,
                format!("the fourth row of matrix {number} is not 0 0 0 1"),
                matrix,
            ))
        })?);
    }
    Ok(affines)
}

/// An affine matrix from 16 column-major numbers; `None` if its fourth row is not `0 0 0 1`.
pub(super) fn affine(m: &[f32; 16]) -> Option<DAffine3> {
    let m = m.map(f64::from);
    let row = [m[3], m[7], m[11], m[15] - 1.0];
    if !row.iter().all(|value| value.abs() <= AFFINE_TOLERANCE) {
        return None;
    }
    Some(DAffine3 {
        matrix3: DMat3::from_cols_array(&[m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]]),
        translation: DVec3::new(m[12], m[13], m[14]),
    })
}

/// The error about a matrix whose fourth row is not `0 0 0 1`.
pub(super) fn not_affine(path: impl Into<String>, what: impl Into<String>, m: &[f32; 16]) -> Diagnostic {
    Diagnostic::error(ids::MATRIX_NOT_AFFINE, path, what)
        .expected_found("0 0 0 1", format!("{} {} {} {}", m[3], m[7], m[11], m[15]))
}

/// Key times are not negative and strictly increasing (glTF 2.0 section 3.11).
pub(super) fn key_times(times: Vec<f32>, place: &str, problems: &mut Problems) -> Result<Vec<f32>, Reported> {
    let mut result = Ok(());
    if let Some(first) = times.iter().position(|time| *time < 0.0) {
        let total = times.iter().filter(|time| **time < 0.0).count();
        result = Err(problems.push(
            Diagnostic::error(ids::KEY_TIME_NEGATIVE, place, format!("the time of key {first} is negative"))
                .expected_found("0 or later", format!("{} ({total} such keys)", times[first])),
        ));
    }
    let falls = |pair: &[f32]| matches!(pair, [a, b] if a >= b);
    if let Some(first) = times.windows(2).position(falls) {
        let total = times.windows(2).filter(|pair| falls(pair)).count();
        let (before, at) = (times[first], times[first + 1]);
        result = Err(problems.push(
            Diagnostic::error(
                ids::KEY_TIME_NOT_INCREASING,
                place,
                format!("key {} is not later than the key before it", first + 1),
            )
            .expected_found(format!("a time after {before}"), format!("{at} ({total} such keys)")),
        ));
    }
    result.map(|()| times)
}

/// Rotations of length zero mean nothing; they become "no rotation", with a warning. Every `step`-th vector of four is
/// a value: with CUBICSPLINE tangents lie on both sides of it.
pub(super) fn key_rotations(
    mut rotations: Vec<f32>,
    step: usize,
    place: &str,
    problems: &mut Problems,
) -> Vec<f32> {
    let mut first = None;
    let mut total = 0;
    for (number, rotation) in rotations.chunks_exact_mut(4).enumerate().skip(step / 2).step_by(step) {
        if rotation.iter().all(|value| *value == 0.0) {
            rotation.copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
            first.get_or_insert(number);
            total += 1;
        }
    }
    if let Some(first) = first {
        problems.push(
            Diagnostic::warning(
                ids::KEY_ROTATION_ZERO,
                place,
                format!("element {first} is a rotation of length zero; it is read as no rotation"),
            )
            .expected_found("unit quaternions", format!("{total} of length zero")),
        );
    }
    rotations
}
