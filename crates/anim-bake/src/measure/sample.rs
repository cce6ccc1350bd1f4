//! Which vertices the figures come from.

use super::Subject;
use crate::clusters::Clusters;
use crate::geometry::index;
use crate::packed_vertex::PackedVertex;

/// Vertices of a model, ready to be measured.
pub(crate) struct VertexSample {
    /// All of them in groups, to find the farthest of any moment.
    pub(crate) clusters: Clusters,
    /// What packing keeps of each.
    pub(crate) packed: Vec<PackedVertex>,
    vertices: u32,
    exhaustive: bool,
}

/// Vertices of which normals are compared at every moment; those of the worst moment are compared too, all of them.
const NORMAL_VERTICES: u32 = 128;
/// Vertices of a moment from which means and percentiles come, at least.
const SHARE_VERTICES: u32 = 64;
/// Distances of a clip from which its means and percentiles come, if it has few moments.
const SHARE_OF_CLIP: u32 = 8192;

impl VertexSample {
    /// Groups the vertices. An exhaustive measurement takes all of them everywhere.
    pub(crate) fn new(subject: &Subject<'_>, exhaustive: bool) -> Self {
        let packed = PackedVertex::all(subject.geometry, &subject.file.extent, true);
        let clusters = Clusters::new(subject.geometry, &packed);
        Self { clusters, packed, vertices: index(subject.geometry.positions.len()), exhaustive }
    }

    /// An even share of all vertices, another one at each moment of a clip: means and percentiles come from these.
    pub(crate) fn share(&self, moment: u32, moments: u32) -> impl Iterator<Item = u32> + use<> {
        let most = (SHARE_OF_CLIP / moments.max(1)).max(SHARE_VERTICES);
        let step = if self.exhaustive { 1 } else { self.vertices.div_ceil(most).max(1) };
        // Steps of the golden section do not come back to a place before they have been nearly everywhere.
        let first = u64::from(moment) * 0x9E37_79B9 % u64::from(step);
        let first = u32::try_from(first).expect("below a u32");
        (first..self.vertices).step_by(step as usize)
    }

    /// The vertices of which normals are compared everywhere.
    pub(crate) fn of_normals(&self) -> impl Iterator<Item = u32> + use<> {
        let step = if self.exhaustive { 1 } else { self.vertices.div_ceil(NORMAL_VERTICES).max(1) };
        (0..self.vertices).step_by(step as usize)
    }
}
