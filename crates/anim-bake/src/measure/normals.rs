//! The largest angle between a played and a true normal.

use anim_core::error_metric::angle_degrees;
use anim_core::glam::{DAffine3, DMat3, DVec3};
use anim_core::skin_reference::{NormalRule, blend_influences, skin_normal};

use super::moment::Moment;
use crate::evaluate::{cofactor, vec3};

/// The largest angle of a clip so far.
#[derive(Debug, Default)]
pub(super) struct NormalError {
    pub(super) max_degrees: f64,
    /// When it was found.
    pub(super) seconds: Option<f64>,
    /// The vertices whose angles were largest, the largest first, with the squares of the tangents, infinite from a right
    /// angle on: they are looked at at every moment.
    worst: Vec<(f64, u32)>,
    /// By bone: how far its played matrix turns directions from where its true one does, as a share of their length.
    turns: Vec<f64>,
}

/// A vertex is looked at if one of its bones is off by more than this share of the largest angle's sine, which is taken
/// as 1 from a right angle on. A rotation by an angle is off by 0.8 of it; the rest is for means of matrices, which are
/// shorter than each.
const LOOK_AT: f64 = 0.4;

/// Vertices that are looked at at every moment.
const WORST: usize = 32;

impl NormalError {
    /// Looks at these vertices at a moment, and at those that were worst so far.
    pub(super) fn measure(&mut self, moment: &Moment<'_>, vertices: impl Iterator<Item = u32>) {
        self.turns.clear();
        self.turns.extend(
            moment
                .difference
                .iter()
                .zip(&moment.truth.model_from_bind)
                .map(|(difference, truth)| turn(&difference.matrix3, &truth.matrix3)),
        );
        let geometry = moment.subject.geometry;
        let again: Vec<u32> = self.worst.iter().map(|(_, vertex)| *vertex).collect();
        for number in again.into_iter().chain(vertices) {
            let vertex = number as usize;
            let (bones, weights) = (geometry.bones[vertex], geometry.weights[vertex]);
            let worth = LOOK_AT * LOOK_AT * self.sine_squared();
            let is_off = |bone: u16| {
                let turn = self.turns[usize::from(bone)];
                !(turn * turn <= worth)
            };
            if !bones.iter().zip(weights).any(|(bone, weight)| weight > 0.0 && is_off(*bone)) {
                continue;
            }
            let Some((played, truth)) = normals(moment, vertex) else { continue };
            let tangent_squared = tangent_squared(played, truth);
            // The tangent tells less from a right angle on, and an arc tangent is only worked out for a new largest angle.
            if tangent_squared > self.tangent_squared() || tangent_squared == f64::INFINITY {
                let degrees = angle_degrees(played.to_array(), truth.to_array());
                if degrees > self.max_degrees {
                    self.max_degrees = degrees;
                    self.seconds = Some(moment.seconds);
                }
            }
            self.remember(number, tangent_squared);
        }
    }

    /// Keeps a vertex among the worst, if it is one of them.
    fn remember(&mut self, vertex: u32, tangent_squared: f64) {
        let least = if self.worst.len() < WORST { 0.0 } else { self.worst[WORST - 1].0 };
        if !(tangent_squared > least) {
            return;
        }
        if let Some(known) = self.worst.iter().position(|(_, known)| *known == vertex) {
            if self.worst[known].0 >= tangent_squared {
                return;
            }
            self.worst.remove(known);
        }
        let place = self.worst.partition_point(|(angle, _)| *angle >= tangent_squared);
        self.worst.insert(place, (tangent_squared, vertex));
        self.worst.truncate(WORST);
    }

    /// The square of the largest angle's tangent.
    fn tangent_squared(&self) -> f64 {
        self.worst.first().map_or(0.0, |(tangent_squared, _)| *tangent_squared)
    }

    /// The square of the largest angle's sine; 1 from a right angle on.
    fn sine_squared(&self) -> f64 {
        let tangent_squared = self.tangent_squared();
        if tangent_squared.is_finite() { tangent_squared / (1.0 + tangent_squared) } else { 1.0 }
    }
}

/// The square of the tangent of the angle between two directions; infinite from a right angle on.
fn tangent_squared(a: DVec3, b: DVec3) -> f64 {
    let (sine_squared, cosine) = (a.cross(b).length_squared(), a.dot(b));
    if cosine > 0.0 { sine_squared / (cosine * cosine) } else { f64::INFINITY }
}

/// The played and the true normal of a vertex; none of a part that is scaled to nothing, which has no direction.
fn normals(moment: &Moment<'_>, vertex: usize) -> Option<(DVec3, DVec3)> {
    let geometry = moment.subject.geometry;
    let (bones, weights) = (geometry.bones[vertex], geometry.weights[vertex]);
    let normal = geometry.normals[vertex];
    // Parts without vertices start where the next one does.
    let part = geometry.parts.partition_point(|part| part.first_vertex as usize <= vertex) - 1;
    let matrix = blended(&moment.truth.model_from_bind, bones, weights);
    let (rule, matrix) = if geometry.parts[part].rigid {
        (NormalRule::Cofactor, cofactor(&matrix))
    } else {
        (NormalRule::Blended, matrix)
    };
    let truth = matrix * vec3(normal);
    if !(truth.length() > 1e-6 * largest_number(&matrix) && truth.length() > 1e-9) {
        return None;
    }
    let played = skin_normal(&blend_influences(&moment.played, bones, weights), normal, rule);
    Some((vec3(played), truth))
}

pub(super) fn blended(matrices: &[DAffine3], bones: [u16; 4], weights: [f32; 4]) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (bone, weight) in bones.iter().zip(weights) {
        if weight > 0.0 {
            sum += matrices[usize::from(*bone)].matrix3 * f64::from(weight);
        }
    }
    sum
}

/// How far a difference from a matrix moves what the matrix makes of directions, at most, as a share of that, and on the
/// scale of matrices of one scale: a third of the length of the difference times that of the inverse. So the direction
/// in which a matrix is shortest counts, however long the others are. Infinite where there is no inverse.
fn turn(difference: &DMat3, matrix: &DMat3) -> f64 {
    let determinant = matrix.determinant().abs();
    let inverse_squared = length_squared(&cofactor(matrix)) / (determinant * determinant);
    let turn = libm::sqrt(length_squared(difference) * inverse_squared) / 3.0;
    if determinant > 0.0 && turn.is_finite() { turn } else { f64::INFINITY }
}

/// The sum of the squares of all numbers.
fn length_squared(matrix: &DMat3) -> f64 {
    matrix.x_axis.length_squared() + matrix.y_axis.length_squared() + matrix.z_axis.length_squared()
}

fn largest_number(matrix: &DMat3) -> f64 {
    matrix.to_cols_array().iter().fold(0.0, |largest, v| v.abs().max(largest))
}
