//! Which vertices the figures come from.

use anim_core::bind::bone_from_bind_of_pose;
use anim_core::glam::DVec3;
use anim_core::matrix_rows::affine_from_rows;

use super::Subject;
use crate::clusters::Clusters;
use crate::evaluate::vec3;
use crate::geometry::index;
use crate::packed_vertex::PackedVertex;

/// Vertices of a model, ready to be measured.
pub(crate) struct VertexSample {
    /// All of them in groups, to find the farthest of any moment.
    pub(crate) clusters: Clusters,
    /// What packing keeps of each.
    pub(crate) packed: Vec<PackedVertex>,
    vertices: u32,
    most_packed: Vec<u32>,
    exhaustive: bool,
}

/// Vertices of which packing is looked at in every frame.
const MOST_PACKED: usize = 96;
/// Vertices of a moment from which means and percentiles come, at least.
const SHARE_VERTICES: u32 = 64;
/// Distances of a clip from which its means and percentiles come, if it has few moments.
const SHARE_OF_CLIP: u32 = 8192;

impl VertexSample {
    /// Groups the vertices. An exhaustive measurement takes all of them everywhere.
    pub(crate) fn new(subject: &Subject<'_>, exhaustive: bool) -> Self {
        let packed = PackedVertex::all(subject.geometry, &subject.file.extent, true);
        let clusters = Clusters::new(subject.geometry, &packed);
        let most_packed = most_packed(subject, &packed);
        Self { clusters, packed, vertices: index(subject.geometry.positions.len()), most_packed, exhaustive }
    }

    /// An even share of all vertices, another one at each moment of a clip: means and percentiles come from these.
    pub(crate) fn share(&self, moment: u32, moments: u32) -> Vertices {
        let most = (SHARE_OF_CLIP / moments.max(1)).max(SHARE_VERTICES);
        let step = if self.exhaustive { 1 } else { self.vertices.div_ceil(most).max(1) };
        // Steps of the golden section do not come back to a place before they have been nearly everywhere.
        let first = u64::from(moment) * 0x9E37_79B9 % u64::from(step);
        let first = u32::try_from(first).expect("below a u32");
        (first..self.vertices).step_by(step as usize)
    }

    /// All vertices.
    pub(crate) fn all(&self) -> Vertices {
        (0..self.vertices).step_by(1)
    }

    /// Those of which packing is measured at a moment: the ones that it is likely to move most, and the share.
    pub(crate) fn of_packing(&self, moment: u32, moments: u32) -> impl Iterator<Item = u32> + '_ {
        self.most_packed.iter().copied().chain(self.share(moment, moments))
    }
}

/// Every so many vertices.
pub(crate) type Vertices = std::iter::StepBy<std::ops::Range<u32>>;

/// Packing moves a vertex by the rounding of its position, and by that of each weight times how far its bones take it
/// apart, which grows with its distance from their joints.
fn most_packed(subject: &Subject<'_>, packed: &[PackedVertex]) -> Vec<u32> {
    let geometry = subject.geometry;
    let joints: Vec<DVec3> = subject
        .bones
        .iter()
        .map(|bone| bone_from_bind_of_pose(&affine_from_rows(&bone.bone_from_bind)))
        .map(|bind_from_bone| bind_from_bone.map_or(DVec3::ZERO, |matrix| matrix.translation))
        .collect();
    let moved = |vertex: usize| {
        let (exact, packed) = (vec3(geometry.positions[vertex]), &packed[vertex]);
        let mut moved = (exact - vec3(packed.position)).length();
        for (bone, weight) in packed.bones.iter().zip(packed.weights) {
            let own = geometry.bones[vertex].iter().zip(geometry.weights[vertex]);
            let exact_weight: f32 = own.filter(|(own, _)| *own == bone).map(|(_, weight)| weight).sum();
            let of_bone: f32 = match packed.bones.iter().filter(|other| *other == bone).count() {
                1 => weight,
                // Unused places name a bone that is in use.
                _ => continue,
            };
            moved +=
                f64::from((of_bone - exact_weight).abs()) * (exact - joints[usize::from(*bone)]).length();
        }
        moved
    };
    let mut all: Vec<(f64, u32)> =
        (0..geometry.positions.len()).map(|vertex| (moved(vertex), index(vertex))).collect();
    let by_way = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if all.len() > MOST_PACKED {
        all.select_nth_unstable_by(MOST_PACKED, by_way);
        all.truncate(MOST_PACKED);
    }
    all.sort_by(by_way);
    all.into_iter().map(|(_, vertex)| vertex).collect()
}
