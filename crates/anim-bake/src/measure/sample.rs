//! Which vertices are measured everywhere: the outermost of every bone, and an even share of all.

use super::Subject;
use crate::geometry::{Geometry, index};
use crate::packed_vertex::PackedVertex;

/// Vertices that are measured at every time.
pub(crate) struct VertexSample {
    /// An even share of all vertices: means and percentiles come from these.
    pub(crate) even: Vec<u32>,
    /// The outermost vertices of every bone that `even` lacks: errors of rotation grow with the distance from the
    /// joint, so the largest errors are among these.
    pub(crate) outermost: Vec<u32>,
    /// Every vertex.
    pub(crate) all: Vec<u32>,
    /// What packing keeps of the vertices in `even` and `outermost` (zero elsewhere).
    pub(crate) packed: Vec<PackedVertex>,
}

/// Vertices of the even share.
const EVEN_VERTICES: usize = 512;

/// Directions in which a bone's outermost vertices are looked for; their opposites count too.
const DIRECTIONS: [[f32; 3]; 7] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

impl VertexSample {
    /// Chooses the vertices; all of them are even in an exhaustive measurement.
    pub(crate) fn new(subject: &Subject<'_>, exhaustive: bool) -> Self {
        let geometry = subject.geometry;
        let count = geometry.positions.len();
        let all: Vec<u32> = (0..index(count)).collect();
        let step = if exhaustive { 1 } else { count.div_ceil(EVEN_VERTICES).max(1) };
        let even: Vec<u32> = all.iter().copied().step_by(step).collect();
        let outermost = if step == 1 { Vec::new() } else { outermost(geometry, subject.bones.len(), step) };
        let mut packed = vec![PackedVertex::default(); count];
        for vertex in even.iter().chain(&outermost).map(|v| *v as usize) {
            packed[vertex] = PackedVertex::of(geometry, vertex, &subject.file.extent);
        }
        Self { even, outermost, all, packed }
    }

    /// `even` and `outermost`.
    pub(crate) fn everywhere(&self) -> impl Iterator<Item = u32> + '_ {
        self.even.iter().chain(&self.outermost).copied()
    }
}

fn outermost(geometry: &Geometry, bones: usize, even_step: usize) -> Vec<u32> {
    const SIDES: usize = 2 * DIRECTIONS.len();
    let mut best: Vec<[(f32, u32); SIDES]> = vec![[(f32::NEG_INFINITY, u32::MAX); SIDES]; bones];
    for (vertex, position) in geometry.positions.iter().enumerate() {
        // Influences are stored largest first.
        let of_bone = &mut best[usize::from(geometry.bones[vertex][0])];
        for (side, best) in of_bone.iter_mut().enumerate() {
            let direction = DIRECTIONS[side / 2];
            let along = position[0] * direction[0] + position[1] * direction[1] + position[2] * direction[2];
            let along = if side % 2 == 0 { along } else { -along };
            if along > best.0 {
                *best = (along, index(vertex));
            }
        }
    }
    let mut vertices: Vec<u32> = best
        .iter()
        .flatten()
        .map(|(_, vertex)| *vertex)
        .filter(|vertex| *vertex != u32::MAX && !(*vertex as usize).is_multiple_of(even_step))
        .collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}
