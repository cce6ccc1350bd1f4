//! Normals for a mesh without any: flat, as glTF 2.0 section 3.7.2.1 asks for.

use std::collections::HashMap;

use anim_core::glam::DVec3;

use crate::evaluate::vec3;
use crate::geometry::{Geometry, index};

/// Gives the triangles from `first_triangle` on flat normals. Vertices from `first` on belong to them.
///
/// A vertex that triangles of different directions share is copied once for each direction; copies go to the end of the
/// stream, so the source's vertices keep their numbers.
pub(crate) fn add_flat_normals(out: &mut Geometry, first: usize, first_triangle: usize) {
    let mut assigned = vec![false; out.positions.len() - first];
    let mut copies: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
    for t in first_triangle..out.triangles.len() {
        let corners = out.triangles[t].map(|v| vec3(out.positions[v as usize]));
        let normal = face_normal(corners);
        for corner in 0..3 {
            let source = out.triangles[t][corner];
            let at = source as usize;
            if !assigned[at - first] {
                assigned[at - first] = true;
                out.normals[at] = normal;
            } else if out.normals[at] != normal {
                let key = (source, normal.map(f32::to_bits));
                let copy = *copies.entry(key).or_insert_with(|| copy_vertex(out, at, normal));
                out.triangles[t][corner] = copy;
            }
        }
    }
}

fn copy_vertex(out: &mut Geometry, vertex: usize, normal: [f32; 3]) -> u32 {
    let copy = index(out.positions.len());
    out.positions.push(out.positions[vertex]);
    out.normals.push(normal);
    out.bones.push(out.bones[vertex]);
    out.weights.push(out.weights[vertex]);
    if !out.tangents.is_empty() {
        out.tangents.push(out.tangents[vertex]);
    }
    if !out.uvs.is_empty() {
        out.uvs.push(out.uvs[vertex]);
    }
    copy
}

/// Normal of a counter-clockwise triangle; +Z where it has no area.
#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what storing is")]
fn face_normal([a, b, c]: [DVec3; 3]) -> [f32; 3] {
    let normal = (b - a).cross(c - a).try_normalize().unwrap_or(DVec3::Z);
    [normal.x as f32, normal.y as f32, normal.z as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_edge_gets_one_copy_for_each_direction_and_the_sources_vertices_stay() {
        // Two triangles at a right angle over the edge 0-1, and a third in the plane of the first.
        let mut g = Geometry {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]],
            normals: vec![[0.0; 3]; 5],
            bones: vec![[0; 4]; 5],
            weights: vec![[1.0, 0.0, 0.0, 0.0]; 5],
            triangles: vec![[0, 1, 2], [1, 0, 3], [1, 4, 2]],
            ..Geometry::default()
        };
        add_flat_normals(&mut g, 0, 0);
        assert_eq!(g.triangles, [[0, 1, 2], [5, 6, 3], [1, 4, 2]]);
        assert_eq!(g.positions.len(), 7);
        assert_eq!(g.normals[0], [0.0, 0.0, 1.0]);
        assert_eq!(g.normals[5], [0.0, 1.0, 0.0]);
        assert_eq!((g.positions[5], g.positions[6]), (g.positions[1], g.positions[0]));
    }
}
