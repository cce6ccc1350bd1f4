//! From the local transforms of layers to model space: one node, all nodes, one bone. The CPU side of the palette pass.

use crate::lanes::blend_all;
use crate::layer_blend::{LocalLayer, blend_node};
use crate::local_pose::rows_mul;
use crate::matrix_rows::Rows;
use crate::pose::NO_PARENT;

/// Rows of `model_from_node` of one node: its local matrix, then those of its ancestors, one after the other from the
/// left, like a thread of the palette pass.
///
/// `parents` is as for [`compose_model_poses`](crate::pose::compose_model_poses). For an attachment the result is
/// multiplied by `node_from_attachment` ([`rows_mul`]).
///
/// # Panics
///
/// If a parent does not come before its child, or a table is not as
/// [`LocalTrackView`](crate::local_tracks::LocalTrackView) asks.
#[must_use]
pub fn model_from_node(parents: &[u32], layers: &[LocalLayer<'_>], node: u32) -> Rows {
    let mut rows = blend_node(layers, node);
    let mut here = node;
    loop {
        let parent = parents[here as usize];
        if parent == NO_PARENT {
            return rows;
        }
        assert!(parent < here, "node {here}: its parent {parent} does not come before it");
        rows = rows_mul(&blend_node(layers, parent), &rows);
        here = parent;
    }
}

/// Fills the rows of `model_from_node` of all nodes, in one pass, parents first.
///
/// Differs from [`model_from_node`] by rounding only: here a product starts at the root.
///
/// # Panics
///
/// If the slices differ in length, a parent does not come before its child, or a table is not as
/// [`LocalTrackView`](crate::local_tracks::LocalTrackView) asks.
pub fn model_pose(parents: &[u32], layers: &[LocalLayer<'_>], model_from_nodes: &mut [Rows]) {
    assert_eq!(parents.len(), model_from_nodes.len());
    // First all local matrices, then all products: the local ones do not wait for each other.
    blend_all(layers, model_from_nodes);
    for (node, &parent) in parents.iter().enumerate() {
        if parent != NO_PARENT {
            let (before, rest) = model_from_nodes.split_at_mut(node);
            rest[0] = rows_mul(&before[parent as usize], &rest[0]);
        }
    }
}

/// Rows of `model_from_bind = model_from_node * bone_from_bind`: one entry of the palette.
#[must_use]
#[inline]
pub fn bone_rows(model_from_node: &Rows, bone_from_bind: &Rows) -> Rows {
    rows_mul(model_from_node, bone_from_bind)
}
