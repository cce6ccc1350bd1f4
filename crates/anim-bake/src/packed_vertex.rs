//! What the 16 bytes in which players draw a vertex keep of it: bounds hold it, and the accuracy report measures it.

use anim_core::vertex_packing::{
    order_influences, pack_position, pack_weights, unpack_position, unpack_weights,
};
use anim_format::model::Extent;

use crate::geometry::Geometry;

/// A vertex after packing and unpacking.
#[derive(Clone, Copy, Default)]
pub(crate) struct PackedVertex {
    pub(crate) position: [f32; 3],
    pub(crate) bones: [u16; 4],
    pub(crate) weights: [f32; 4],
}

impl PackedVertex {
    /// All vertices after packing; as they are where nothing is drawn, so that no box was made to pack them in.
    pub(crate) fn all(geometry: &Geometry, extent: &Extent, is_drawn: bool) -> Vec<Self> {
        let exact = |vertex: usize| Self {
            position: geometry.positions[vertex],
            bones: geometry.bones[vertex],
            weights: geometry.weights[vertex],
        };
        let of = |vertex| if is_drawn { Self::of(geometry, vertex, extent) } else { exact(vertex) };
        (0..geometry.positions.len()).map(of).collect()
    }

    /// What packing keeps of a vertex.
    pub(crate) fn of(geometry: &Geometry, vertex: usize, extent: &Extent) -> Self {
        let (low, high) = (extent.vertex_box_min, extent.vertex_box_max);
        let (bones, weights) = order_influences(geometry.bones[vertex], geometry.weights[vertex]);
        Self {
            position: unpack_position(pack_position(geometry.positions[vertex], low, high), low, high),
            bones,
            weights: unpack_weights(pack_weights(weights)),
        }
    }
}
