//! A file's mesh in the form in which it is drawn: a pose stream, a surface stream and the indices.

use anim_core::vertex_packing::pack_tangent;
use anim_core::vertex_words::{BindVertex, NARROW_BONES_MAX, pack_vertex, pack_vertex_wide};
use anim_format::AnimFile;
use anim_format::vertices::VertexReader;
use bytemuck::{Pod, Zeroable};

/// Words of a vertex in the narrow pose stream.
pub(crate) const NARROW_WORDS: usize = 4;
/// Words of a vertex in the wide pose stream.
pub(crate) const WIDE_WORDS: usize = 6;

/// What a vertex looks like, 12 bytes: what a depth pass does not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SurfaceVertex {
    /// Texture coordinate, v downwards.
    pub uv: [f32; 2],
    /// Tangent in bind space and its handedness, in steps of 1/127; zero if the file has none.
    pub tangent: [i8; 4],
}

/// The vertices of a file, packed, and its indices. All are empty for a file without a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VertexStreams {
    /// Whether bone numbers have 16 bits: for files with more than 256 bones.
    pub wide: bool,
    /// Lower corner in metres of the box that positions are packed in.
    pub box_min: [f32; 3],
    /// Size in metres of that box.
    pub box_size: [f32; 3],
    /// What moves a vertex: four words each, six in the wide form. `vertex_unpack.wgsl` reads the first four and, in the
    /// wide form, the weights in the fifth; the sixth is 0.
    pub pose: Vec<u32>,
    /// What a vertex looks like: one entry each.
    pub surface: Vec<SurfaceVertex>,
    /// Vertex numbers, three a triangle, as the file has them.
    pub indices: Vec<u32>,
}

/// Packs the mesh of a file that was read or baked.
#[must_use]
pub fn pack_vertices(file: &AnimFile<'_>) -> VertexStreams {
    let (box_min, box_max) = (file.extent.vertex_box_min, file.extent.vertex_box_max);
    let mut streams = VertexStreams {
        wide: is_wide(file),
        box_min,
        box_size: std::array::from_fn(|i| box_max[i] - box_min[i]),
        ..VertexStreams::default()
    };
    let Some(mesh) = &file.mesh else { return streams };
    let reader = VertexReader::new(mesh);
    let count = reader.vertex_count();
    streams.pose.reserve_exact(count * pose_words(streams.wide));
    for index in 0..count {
        let vertex = BindVertex {
            position: reader.position(index),
            normal: reader.normal(index),
            bones: reader.bones(index),
            weights: reader.weights(index),
        };
        if streams.wide {
            let (words, weights) = pack_vertex_wide(&vertex, box_min, box_max);
            streams.pose.extend(words);
            streams.pose.extend([weights, 0]);
        } else {
            streams.pose.extend(pack_vertex(&vertex, box_min, box_max));
        }
    }
    let surface =
        |index| SurfaceVertex { uv: reader.uv(index), tangent: pack_tangent(reader.tangent(index)) };
    streams.surface = (0..count).map(surface).collect();
    streams.indices = (0..reader.index_count()).map(|i| reader.index(i)).collect();
    streams
}

/// Whether a file's bone numbers need 16 bits.
pub(crate) fn is_wide(file: &AnimFile<'_>) -> bool {
    file.bones.len() > NARROW_BONES_MAX
}

/// Words of a vertex in the pose stream.
pub(crate) fn pose_words(wide: bool) -> usize {
    if wide { WIDE_WORDS } else { NARROW_WORDS }
}

#[cfg(test)]
mod tests {
    use anim_core::vertex_words::{unpack_vertex, unpack_vertex_wide};

    use super::*;
    use crate::test_file::{box_corners, file_with_bones};

    fn vertices(streams: &VertexStreams) -> Vec<BindVertex> {
        let (low, high) = box_corners();
        let words = |chunk: &[u32]| [chunk[0], chunk[1], chunk[2], chunk[3]];
        streams
            .pose
            .chunks_exact(pose_words(streams.wide))
            .map(|chunk| match streams.wide {
                true => unpack_vertex_wide(words(chunk), chunk[4], low, high),
                false => unpack_vertex(words(chunk), low, high),
            })
            .collect()
    }

    #[test]
    fn vertices_come_back_within_the_steps_of_their_packing() {
        for bones in [3, 256, 257, 1000] {
            let file = file_with_bones(bones);
            let streams = pack_vertices(&file);
            assert_eq!(streams.wide, bones > 256);
            let reader = VertexReader::new(file.mesh.as_ref().expect("a mesh"));
            let found = vertices(&streams);
            assert_eq!(found.len(), reader.vertex_count());
            for (index, found) in found.iter().enumerate() {
                for i in 0..3 {
                    let step = streams.box_size[i] / 65_535.0;
                    assert!((found.position[i] - reader.position(index)[i]).abs() <= step * 0.51);
                    assert!((found.normal[i] - reader.normal(index)[i]).abs() < 0.02, "{found:?}");
                }
                // A bone may be in several places: with a weight in one and without in others.
                let weight_of = |bone: u16, bones: [u16; 4], weights: [f32; 4]| -> f32 {
                    bones.iter().zip(weights).filter(|(b, _)| **b == bone).map(|(_, weight)| weight).sum()
                };
                for bone in reader.bones(index).into_iter().chain(found.bones) {
                    let expected = weight_of(bone, reader.bones(index), reader.weights(index));
                    let found = weight_of(bone, found.bones, found.weights);
                    assert!((found - expected).abs() < 2.0 / 1023.0, "{found} {expected}");
                    assert_eq!(found == 0.0, expected == 0.0, "bone {bone} of {bones}");
                }
            }
        }
    }

    #[test]
    fn surface_and_indices_are_those_of_the_file() {
        let streams = pack_vertices(&file_with_bones(3));
        assert_eq!(streams.indices, [0, 1, 2, 2, 1, 3]);
        let surface = SurfaceVertex { uv: [0.25, 3.0], tangent: [127, 0, 0, -127] };
        assert_eq!(streams.surface[3], surface);
        assert_eq!(size_of::<SurfaceVertex>(), 12);
    }

    #[test]
    fn a_file_without_mesh_has_empty_streams() {
        let mut file = file_with_bones(3);
        file.mesh = None;
        let streams = pack_vertices(&file);
        assert!(streams.pose.is_empty() && streams.surface.is_empty() && streams.indices.is_empty());
    }
}
