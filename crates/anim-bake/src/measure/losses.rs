//! What playback lacks whatever its frames: dropped influences, dropped morph targets, and what packing rounds.

use anim_core::glam::DVec3;

use super::Subject;
use super::moment::Moment;
use super::normals::blended;
use super::truth::weighted;
use crate::evaluate::vec3;
use crate::geometry::PartGeometry;

/// The largest losses of a clip so far, in metres.
#[derive(Debug, Default)]
pub(super) struct Losses {
    pub(super) influence_max: f64,
    pub(super) morph_max: f64,
    pub(super) packing_max: f64,
}

impl Losses {
    /// Looks at a moment, and of packing at these vertices.
    pub(super) fn measure(&mut self, moment: &Moment<'_>, vertices: impl Iterator<Item = u32>) {
        let geometry = moment.subject.geometry;
        for dropped in &geometry.dropped {
            let vertex = dropped.vertex as usize;
            let position = vec3(geometry.positions[vertex]);
            let kept = weighted(
                &moment.truth.model_from_bind,
                geometry.bones[vertex],
                geometry.weights[vertex],
                position,
            );
            let mut whole = DVec3::ZERO;
            for (bone, weight) in &dropped.all {
                whole +=
                    moment.truth.model_from_bind[usize::from(*bone)].transform_point3(position) * *weight;
            }
            self.influence_max = self.influence_max.max((whole - kept).length());
        }
        for (part, weights) in geometry.parts.iter().zip(&moment.morph_weights) {
            if weights.iter().any(|w| *w != 0.0) {
                self.morph_max = self.morph_max.max(largest_morph(moment, part, weights));
            }
        }
        for vertex in vertices {
            self.packing_max = self.packing_max.max(packing(moment, vertex));
        }
    }
}

/// How far packing moves a vertex.
fn packing(moment: &Moment<'_>, vertex: u32) -> f64 {
    let geometry = moment.subject.geometry;
    let vertex = vertex as usize;
    let stored = moment.sample.packed[vertex];
    let (bones, weights) = (geometry.bones[vertex], geometry.weights[vertex]);
    let exact = weighted(&moment.truth.model_from_bind, bones, weights, vec3(geometry.positions[vertex]));
    (exact - weighted(&moment.truth.model_from_bind, stored.bones, stored.weights, vec3(stored.position)))
        .length()
}

fn largest_morph(moment: &Moment<'_>, part: &PartGeometry, weights: &[f64]) -> f64 {
    let Subject { asset, geometry, .. } = *moment.subject;
    let primitive = &asset.meshes[part.instance.mesh].primitives[part.instance.primitive];
    let mut largest = 0.0f64;
    for local in 0..part.source_vertex_count as usize {
        let mut displacement = DVec3::ZERO;
        for (target, weight) in primitive.morph_targets.iter().zip(weights) {
            if let Some(positions) = &target.positions {
                displacement += vec3(positions[local]) * *weight;
            }
        }
        let vertex = part.first_vertex as usize + local;
        let turned = blended(&moment.truth.model_from_bind, geometry.bones[vertex], geometry.weights[vertex])
            * displacement;
        largest = largest.max(turned.length());
    }
    largest
}
