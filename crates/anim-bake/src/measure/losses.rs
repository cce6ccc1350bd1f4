//! What playback lacks whatever its frames: dropped influences, dropped morph targets, and what packing rounds.

use anim_core::glam::DVec3;

use super::Subject;
use super::moment::{Moment, weighted};
use super::normals::blended;
use crate::evaluate::vec3;
use crate::geometry::PartGeometry;

/// The largest losses of a clip so far, in metres.
#[derive(Debug, Default)]
pub(super) struct Losses {
    pub(super) influence_max: f64,
    pub(super) morph_max: f64,
    pub(super) packing_max: f64,
    /// Vertices that packing moves most, and by how much at most.
    most_packed: Vec<(f64, u32)>,
}

/// Vertices that packing moves most, which are looked at again at every frame.
const MOST_PACKED: usize = 32;

impl Losses {
    /// Looks at a moment, and of packing at these vertices.
    pub(super) fn measure(&mut self, moment: &Moment<'_>, vertices: impl Iterator<Item = u32>) {
        let geometry = moment.subject.geometry;
        for dropped in &geometry.dropped {
            let vertex = dropped.vertex as usize;
            let position = vec3(geometry.positions[vertex]);
            let kept = weighted(&moment.truth, geometry.bones[vertex], geometry.weights[vertex], position);
            let mut whole = DVec3::ZERO;
            for (bone, weight) in &dropped.all {
                whole += moment.truth[usize::from(*bone)].transform_point3(position) * *weight;
            }
            self.influence_max = self.influence_max.max((whole - kept).length());
        }
        for (part, weights) in geometry.parts.iter().zip(&moment.morph_weights) {
            if weights.iter().any(|w| *w != 0.0) {
                self.morph_max = self.morph_max.max(largest_morph(moment, part, weights));
            }
        }
        for known in &mut self.most_packed {
            known.0 = known.0.max(packing(moment, known.1));
        }
        let least =
            |list: &[(f64, u32)]| if list.len() < MOST_PACKED { -1.0 } else { list[MOST_PACKED - 1].0 };
        for vertex in vertices {
            let moved = packing(moment, vertex);
            if moved > least(&self.most_packed) && self.most_packed.iter().all(|known| known.1 != vertex) {
                self.most_packed.truncate(MOST_PACKED - 1);
                self.most_packed.push((moved, vertex));
                self.most_packed.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            }
        }
        self.packing_max = self.most_packed.iter().fold(self.packing_max, |max, known| max.max(known.0));
    }
}

/// How far packing moves a vertex.
fn packing(moment: &Moment<'_>, vertex: u32) -> f64 {
    let geometry = moment.subject.geometry;
    let vertex = vertex as usize;
    let stored = moment.sample.packed[vertex];
    let (bones, weights) = (geometry.bones[vertex], geometry.weights[vertex]);
    let exact = weighted(&moment.truth, bones, weights, vec3(geometry.positions[vertex]));
    (exact - weighted(&moment.truth, stored.bones, stored.weights, vec3(stored.position))).length()
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
        let turned = blended(&moment.truth, geometry.bones[vertex], geometry.weights[vertex]) * displacement;
        largest = largest.max(turned.length());
    }
    largest
}
