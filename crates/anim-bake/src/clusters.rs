//! Vertices in small groups that hang on the same bones: boxes say how far a group can be without a look at its vertices.
//!
//! A skinned vertex is a weighted mean of the places where its bones alone would put it (skinning is linear, weights are
//! not negative and sum to 1). So a group lies in the boxes around what each of its bones makes of the vertices that it
//! influences, and an affine matrix makes of a box one whose half sides are known without its corners.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::box3::Box3;
use crate::geometry::Geometry;
use crate::packed_vertex::PackedVertex;

/// All vertices of a geometry in groups, part by part.
pub(crate) struct Clusters {
    /// The groups, in part order.
    pub(crate) list: Vec<Cluster>,
    /// Vertex numbers, group by group.
    pub(crate) vertices: Vec<u32>,
    /// For each bone of each group what it influences there, group by group.
    pub(crate) boxes: Vec<BoneBox>,
    /// For each bone, in ascending order, what it influences at all.
    pub(crate) whole: Vec<BoneBox>,
    /// By part: its places in `list`, and the bones that influence it, in ascending order.
    pub(crate) parts: Vec<(Range<usize>, Vec<u16>)>,
}

/// At most 32 vertices of one part, most of whose weight is on one bone.
pub(crate) struct Cluster {
    /// The part.
    pub(crate) part: u32,
    /// Its places in [`Clusters::vertices`].
    pub(crate) vertices: Range<usize>,
    /// Its places in [`Clusters::boxes`].
    pub(crate) boxes: Range<usize>,
}

/// A box around everything that a bone influences, in the bind pose: as it is, and as packing keeps it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BoneBox {
    pub(crate) bone: u16,
    pub(crate) center: [f32; 3],
    /// Half its sides, rounded up.
    pub(crate) half: [f32; 3],
}

/// Vertices of a group.
const CLUSTER_VERTICES: usize = 32;

impl Clusters {
    /// Groups the vertices of a geometry; `packed` is what packing keeps of each.
    pub(crate) fn new(geometry: &Geometry, packed: &[PackedVertex]) -> Self {
        let mut clusters = Self {
            list: Vec::new(),
            vertices: Vec::new(),
            boxes: Vec::new(),
            whole: Vec::new(),
            parts: Vec::new(),
        };
        for (number, part) in (0..).zip(&geometry.parts) {
            let (first_cluster, first_box) = (clusters.list.len(), clusters.boxes.len());
            let mut vertices: Vec<u32> = (part.first_vertex..part.first_vertex + part.vertex_count).collect();
            // Influences are stored largest first.
            vertices.sort_by_key(|vertex| (geometry.bones[*vertex as usize][0], *vertex));
            for of_bone in
                vertices.chunk_by_mut(|a, b| geometry.bones[*a as usize][0] == geometry.bones[*b as usize][0])
            {
                split(geometry, of_bone, &mut |group| {
                    let (first_vertex, first_box) = (clusters.vertices.len(), clusters.boxes.len());
                    let mut boxes = Boxes::default();
                    for vertex in group.iter().map(|vertex| *vertex as usize) {
                        let (position, drawn) = (geometry.positions[vertex], packed[vertex]);
                        boxes.add(position, geometry.bones[vertex], geometry.weights[vertex]);
                        boxes.add(drawn.position, drawn.bones, drawn.weights);
                    }
                    clusters.vertices.extend_from_slice(group);
                    clusters.boxes.extend(boxes.finish());
                    clusters.list.push(Cluster {
                        part: number,
                        vertices: first_vertex..clusters.vertices.len(),
                        boxes: first_box..clusters.boxes.len(),
                    });
                });
            }
            let mut bones: Vec<u16> = clusters.boxes[first_box..].iter().map(|b| b.bone).collect();
            bones.sort_unstable();
            bones.dedup();
            clusters.parts.push((first_cluster..clusters.list.len(), bones));
        }
        let mut whole = Boxes::default();
        for BoneBox { bone, center, half } in &clusters.boxes {
            whole.add_to(*bone, std::array::from_fn(|i| center[i] - half[i]));
            whole.add_to(*bone, std::array::from_fn(|i| center[i] + half[i]));
        }
        clusters.whole = whole.finish().collect();
        clusters
    }

    /// What each bone influences in a group.
    pub(crate) fn bones_of<'a>(&'a self, cluster: &Cluster) -> &'a [BoneBox] {
        &self.boxes[cluster.boxes.clone()]
    }

    /// Numbers of a group's vertices.
    pub(crate) fn vertices_of<'a>(&'a self, cluster: &Cluster) -> &'a [u32] {
        &self.vertices[cluster.vertices.clone()]
    }
}

/// Halves a list along its widest axis until each piece is small enough.
fn split(geometry: &Geometry, vertices: &mut [u32], done: &mut impl FnMut(&[u32])) {
    if vertices.len() <= CLUSTER_VERTICES {
        done(vertices);
        return;
    }
    let place = |vertex: u32| geometry.positions[vertex as usize];
    let mut around = Box3::EMPTY;
    vertices.iter().for_each(|vertex| around.add(place(*vertex)));
    let size = |axis: usize| around.max[axis] - around.min[axis];
    let axis = (1..3).fold(0, |widest, axis| if size(axis) > size(widest) { axis } else { widest });
    vertices.sort_by(|a, b| place(*a)[axis].total_cmp(&place(*b)[axis]).then(a.cmp(b)));
    let (left, right) = vertices.split_at_mut(vertices.len() / 2);
    split(geometry, left, done);
    split(geometry, right, done);
}

/// Boxes by bone, while they grow.
#[derive(Default)]
struct Boxes(BTreeMap<u16, Box3>);

impl Boxes {
    fn add(&mut self, p: [f32; 3], bones: [u16; 4], weights: [f32; 4]) {
        for (bone, _) in bones.iter().zip(weights).filter(|(_, weight)| *weight > 0.0) {
            self.add_to(*bone, p);
        }
    }

    fn add_to(&mut self, bone: u16, p: [f32; 3]) {
        self.0.entry(bone).or_insert(Box3::EMPTY).add(p);
    }

    fn finish(self) -> impl Iterator<Item = BoneBox> {
        self.0.into_iter().map(|(bone, Box3 { min: low, max: high })| {
            let center: [f32; 3] = std::array::from_fn(|i| low[i] * 0.5 + high[i] * 0.5);
            let half = std::array::from_fn(|i| (high[i] - center[i]).max(center[i] - low[i]).next_up());
            BoneBox { bone, center, half }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{PartGeometry, index};

    /// Two parts: 100 vertices in a row on two bones, and 3 on a third bone.
    fn geometry() -> Geometry {
        let parts = [(0, 100), (100, 0), (100, 3)].map(PartGeometry::of_points).into();
        let mut geometry = Geometry { parts, ..Geometry::default() };
        for vertex in 0..103u16 {
            geometry.positions.push([f32::from(vertex * 37 % 103), 0.0, -1.0]);
            let (bones, weights) = match vertex {
                0..50 => ([4, 5, 4, 4], [0.75, 0.25, 0.0, 0.0]),
                50..100 => ([5; 4], [1.0, 0.0, 0.0, 0.0]),
                _ => ([7; 4], [1.0, 0.0, 0.0, 0.0]),
            };
            geometry.bones.push(bones);
            geometry.weights.push(weights);
        }
        geometry
    }

    #[test]
    fn every_vertex_is_in_one_group_and_in_the_boxes_of_its_bones() {
        let geometry = geometry();
        let packed: Vec<PackedVertex> = PackedVertex::all(&geometry, &Default::default(), false);
        let clusters = Clusters::new(&geometry, &packed);
        let mut seen: Vec<u32> =
            clusters.list.iter().flat_map(|c| clusters.vertices_of(c)).copied().collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..103).collect::<Vec<u32>>());
        // Fifty and fifty are two groups of 25 each, and three are one.
        let sizes: Vec<usize> = clusters.list.iter().map(|c| c.vertices.len()).collect();
        assert_eq!(sizes, [25, 25, 25, 25, 3]);
        assert_eq!(clusters.list.iter().map(|c| c.part).collect::<Vec<_>>(), [0, 0, 0, 0, 2]);
        assert_eq!(clusters.whole.iter().map(|b| b.bone).collect::<Vec<_>>(), [4, 5, 7]);
        assert_eq!(clusters.parts, [(0..4, vec![4, 5]), (4..4, vec![]), (4..5, vec![7])]);
        for cluster in &clusters.list {
            for vertex in clusters.vertices_of(cluster).iter().map(|v| *v as usize) {
                let part = &geometry.parts[cluster.part as usize];
                assert!((part.first_vertex..part.first_vertex + part.vertex_count).contains(&index(vertex)));
                for (bone, weight) in geometry.bones[vertex].iter().zip(geometry.weights[vertex]) {
                    for boxes in [clusters.bones_of(cluster), &clusters.whole] {
                        let found = boxes.iter().find(|b| b.bone == *bone);
                        let inside = found.is_some_and(|b| {
                            (0..3).all(|i| (geometry.positions[vertex][i] - b.center[i]).abs() <= b.half[i])
                        });
                        assert!(inside || weight == 0.0, "vertex {vertex}, bone {bone}");
                    }
                }
            }
        }
    }
}
