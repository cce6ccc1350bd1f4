//! Several layers of local tracks in one node: shares under masks, and the blended local matrix.
//!
//! # Masks
//!
//! A layer with a mask moves only the nodes of its mask. At any other node it is as if it were not there: it covers
//! nothing, and the layers below it keep what it would have covered. The base is what is left when nothing covers: it has
//! a share at every node, and neither its fade nor its mask is looked at.
//!
//! So the shares of a node always sum to 1 and need no division, they change by no more than the fades do, and a masked
//! layer that fades in or out never moves a node outside its mask.

use crate::layers::LAYERS_MAX;
use crate::local_pose::{LocalSum, add_local, finish_local, local_rows};
use crate::local_tracks::{LocalMoment, LocalTrackView};
use crate::matrix_rows::Rows;

/// One layer at one moment.
#[derive(Clone, Copy, Debug)]
pub struct LocalLayer<'a> {
    /// The clip's track.
    pub tracks: LocalTrackView<'a>,
    /// Where the clip is.
    pub moment: LocalMoment,
    /// How much of the layers below it it covers, in `[0, 1]`; not looked at in the base.
    pub covers: f32,
    /// Bit `n % 32` of word `n / 32` says that it moves node `n`; nodes beyond the words are not moved. `None` moves all
    /// nodes. Not looked at in the base.
    pub mask: Option<&'a [u32]>,
}

/// Whether a mask has a node. Nodes beyond its words are not in it.
#[must_use]
#[inline]
pub fn mask_has(mask: &[u32], node: u32) -> bool {
    mask.get((node / 32) as usize).is_some_and(|word| word >> (node % 32) & 1 == 1)
}

/// The share of each layer in a node; they sum to 1. `layers[0]` is the base, each one above covers those below.
///
/// # Panics
///
/// If there are more than [`LAYERS_MAX`] layers.
#[must_use]
#[inline]
pub fn node_weights(layers: &[LocalLayer<'_>], node: u32) -> [f32; LAYERS_MAX] {
    let mut weights = [0.0; LAYERS_MAX];
    let mut uncovered = 1.0;
    for number in (0..layers.len()).rev() {
        let layer = &layers[number];
        let covers = match layer.mask {
            _ if number == 0 => 1.0,
            Some(mask) if !mask_has(mask, node) => continue,
            _ => layer.covers,
        };
        weights[number] = uncovered * covers;
        uncovered *= 1.0 - covers;
    }
    weights
}

/// Rows of `parent_from_node`, blended over all layers.
///
/// Layers are added from the base upwards; one whose share is 0 is not read, and one whose share is 1 is taken as it is.
/// If the node is a constant matrix in a layer that has a share, the lowest of these matrices is the result: a file has
/// the same one in all clips. Without layers the 3x3 part is zero, and nothing is seen.
///
/// # Panics
///
/// If there are more than [`LAYERS_MAX`] layers, or a table is not as [`LocalTrackView`] asks.
#[must_use]
#[inline]
pub fn blend_node(layers: &[LocalLayer<'_>], node: u32) -> Rows {
    if let [base] = layers {
        return match base.tracks.node_transform_at(node, &base.moment) {
            Some(transform) => local_rows(&transform),
            None => base.tracks.node_matrix(node).expect("a node is a transform or a matrix"),
        };
    }
    let weights = node_weights(layers, node);
    let mut sum = LocalSum::default();
    for (layer, &weight) in layers.iter().zip(&weights) {
        if weight == 0.0 {
            continue;
        }
        match layer.tracks.node_transform_at(node, &layer.moment) {
            Some(transform) if weight == 1.0 => return local_rows(&transform),
            Some(transform) => sum = add_local(&sum, &transform, weight),
            None => return layer.tracks.node_matrix(node).expect("a node is a transform or a matrix"),
        }
    }
    local_rows(&finish_local(&sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_encoding::LocalEncoding;
    use crate::texel::TrackLayout;
    use proptest::prelude::*;

    fn layer(covers: f32, mask: Option<&[u32]>) -> LocalLayer<'_> {
        let layout =
            TrackLayout { first_texel: 0, header_texels: 0, elements_per_frame: 0, texels_per_element: 1 };
        let encoding = LocalEncoding::Local8;
        let tracks = LocalTrackView { texels: &[], layout, records: &[], pool: &[], encoding };
        LocalLayer { tracks, moment: LocalMoment::default(), covers, mask }
    }

    #[test]
    fn shares_known_by_hand() {
        // Nodes 0 and 33 are in the mask, 1 is not, 64 is beyond its words.
        let arms = [1, 2];
        let (mask, none) = (Some(&arms[..]), Some(&[][..]));
        assert_eq!([0, 1, 32, 33, 64].map(|node| mask_has(&arms, node)), [true, false, false, true, false]);
        // (cover and mask of each layer, node, shares)
        let table = [
            ([(0.0, None), (0.25, None), (0.5, None)], 1, [0.375, 0.125, 0.5]),
            ([(0.0, None), (0.25, mask), (0.5, None)], 33, [0.375, 0.125, 0.5]),
            ([(0.0, None), (0.25, mask), (0.5, None)], 1, [0.5, 0.0, 0.5]),
            ([(0.0, None), (0.25, None), (0.5, mask)], 1, [0.75, 0.25, 0.0]),
            ([(0.0, None), (1.0, mask), (1.0, mask)], 64, [1.0, 0.0, 0.0]),
            ([(0.0, None), (1.0, mask), (1.0, mask)], 0, [0.0, 0.0, 1.0]),
            // The base is what is left, whatever its mask.
            ([(0.0, none), (0.25, mask), (0.0, None)], 1, [1.0, 0.0, 0.0]),
            ([(0.0, none), (0.25, mask), (0.0, None)], 0, [0.75, 0.25, 0.0]),
        ];
        for (stack, node, expected) in table {
            let layers = stack.map(|(covers, mask)| layer(covers, mask));
            assert_eq!(node_weights(&layers, node), expected, "{stack:?} at {node}");
        }
        assert_eq!(node_weights(&[layer(0.3, None)], 5), [1.0, 0.0, 0.0]);
        assert_eq!(blend_node(&[], 5), [[0.0; 4]; 3]);
    }

    proptest! {
        #[test]
        fn shares_sum_to_one_and_change_by_no_more_than_the_fades_do(
            covers in prop::array::uniform3(0.0..=1.0f32), steps in prop::array::uniform3(-0.01..0.01f32),
            masks in prop::array::uniform3(prop::option::of(prop::collection::vec(any::<u32>(), 0..3))), node in 0..80u32,
        ) {
            let at = |covers: [f32; 3]| {
                let layers: [_; 3] = core::array::from_fn(|i| layer(covers[i], masks[i].as_deref()));
                node_weights(&layers, node)
            };
            let next: [f32; 3] = core::array::from_fn(|i| (covers[i] + steps[i]).clamp(0.0, 1.0));
            let (here, there) = (at(covers), at(next));
            prop_assert!((here.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            let change = steps[1].abs() + steps[2].abs() + 1e-6;
            for (a, b) in here.iter().zip(there) {
                prop_assert!((0.0..=1.0).contains(a) && (a - b).abs() <= change);
            }
        }
    }
}
