//! Layers of local tracks, four nodes at a time: the twin of `layer_blend`'s `blend_node`.

use glam::Vec4;

use super::tracks::four_transforms;
use super::{FourTransforms, LANES, Rotations, dot, four_rows, normalize_rotations};
use crate::layer_blend::{LocalLayer, blend_node, node_weights};
use crate::layers::LAYERS_MAX;
use crate::local_pose::FLIP_BELOW;
use crate::matrix_rows::Rows;

/// The shares of the layers: worked out once where they are those of all nodes.
pub(crate) struct Shares<'a> {
    layers: &'a [LocalLayer<'a>],
    of_all: Option<[f32; LAYERS_MAX]>,
}

impl<'a> Shares<'a> {
    /// # Panics
    ///
    /// If there are more than [`LAYERS_MAX`] layers.
    pub(crate) fn new(layers: &'a [LocalLayer<'a>]) -> Self {
        let is_masked = layers.iter().skip(1).any(|layer| layer.mask.is_some());
        Self { layers, of_all: (!is_masked).then(|| node_weights(layers, 0)) }
    }

    /// The share of each layer in four nodes: a node in each lane.
    #[inline(always)]
    fn at(&self, first: usize) -> [[f32; LANES]; LAYERS_MAX] {
        match self.of_all {
            Some(shares) => shares.map(|share| [share; LANES]),
            None => {
                let [a, b, c, d] = numbers(first).map(|node| node_weights(self.layers, node));
                core::array::from_fn(|layer| [a[layer], b[layer], c[layer], d[layer]])
            }
        }
    }
}

/// Rows of `parent_from_node` of four nodes, from `first` on, blended over all layers.
#[inline(always)]
pub(crate) fn blend_four(shares: &Shares<'_>, first: usize, rows: &mut [Rows; LANES]) {
    let (blended, is_matrix) = blended(shares, first);
    *rows = four_rows(&blended);
    if is_matrix != [false; LANES] {
        for ((node, rows), is_matrix) in numbers(first).into_iter().zip(rows).zip(is_matrix) {
            if is_matrix {
                *rows = blend_node(shares.layers, node);
            }
        }
    }
}

/// Four transforms, and which of them are those of constant matrices and without meaning.
#[inline(always)]
fn blended(shares: &Shares<'_>, first: usize) -> (FourTransforms, [bool; LANES]) {
    let mut sum = FourSums::ZERO;
    let mut any_matrix = [false; LANES];
    for (layer, mut weights) in shares.layers.iter().zip(shares.at(first)) {
        for (weight, is_whole) in weights.iter_mut().zip(sum.is_whole) {
            *weight = if is_whole { 0.0 } else { *weight };
        }
        if weights == [0.0; LANES] {
            continue;
        }
        let (records, _) = layer.tracks.records[first..].split_first_chunk().expect("four records");
        let (transforms, is_matrix) = four_transforms(&layer.tracks, records, &layer.moment);
        for lane in 0..LANES {
            any_matrix[lane] |= is_matrix[lane] && weights[lane] != 0.0;
        }
        if weights == [1.0; LANES] {
            return (transforms, any_matrix);
        }
        sum.add(&transforms, weights);
    }
    (sum.finish(), any_matrix)
}

/// Four weighted sums of local transforms.
struct FourSums {
    translations: [Vec4; LANES],
    rotations: Rotations,
    scales: [Vec4; LANES],
    weights: Vec4,
    /// Nodes in which one layer has the whole weight, and its transform, which stays as it is.
    is_whole: [bool; LANES],
    whole: FourTransforms,
}

impl FourSums {
    const ZERO: Self = Self {
        translations: [Vec4::ZERO; LANES],
        rotations: [Vec4::ZERO; LANES],
        scales: [Vec4::ZERO; LANES],
        weights: Vec4::ZERO,
        is_whole: [false; LANES],
        whole: FourTransforms {
            translations: [Vec4::ZERO; LANES],
            rotations: [Vec4::ZERO; LANES],
            scales: [Vec4::ZERO; LANES],
        },
    };

    /// Twin of [`add_local`](crate::local_pose::add_local).
    ///
    /// A weight of 0 adds zeros. They change no bit: a sum is never the negative zero, which is not what it starts from
    /// and not what numbers that cancel each other give.
    #[inline(always)]
    fn add(&mut self, transforms: &FourTransforms, weights: [f32; LANES]) {
        let weight = Vec4::from_array(weights);
        let is_far = dot(&self.rotations, &transforms.rotations).cmplt(FLIP_BELOW * self.weights);
        let signed_weight = Vec4::select(is_far, -weight, weight);
        for (sum, numbers) in self.rotations.iter_mut().zip(transforms.rotations) {
            *sum += numbers * signed_weight;
        }
        for (lane, weight) in weights.into_iter().enumerate() {
            self.translations[lane] += transforms.translations[lane] * weight;
            self.scales[lane] += transforms.scales[lane] * weight;
        }
        self.weights += weight;
        for (lane, weight) in weights.into_iter().enumerate() {
            if weight == 1.0 {
                self.is_whole[lane] = true;
                copy_lane(transforms, lane, &mut self.whole);
            }
        }
    }

    /// Twin of [`finish_local`](crate::local_pose::finish_local).
    #[inline(always)]
    fn finish(&self) -> FourTransforms {
        let rotations = normalize_rotations(self.rotations);
        let mut finished = FourTransforms { translations: self.translations, rotations, scales: self.scales };
        for lane in 0..LANES {
            if self.is_whole[lane] {
                copy_lane(&self.whole, lane, &mut finished);
            }
        }
        finished
    }
}

#[inline(always)]
fn copy_lane(from: &FourTransforms, lane: usize, to: &mut FourTransforms) {
    to.translations[lane] = from.translations[lane];
    to.scales[lane] = from.scales[lane];
    for (to, from) in to.rotations.iter_mut().zip(from.rotations) {
        to[lane] = from[lane];
    }
}

/// The numbers of four nodes from `first` on.
#[inline(always)]
fn numbers(first: usize) -> [u32; LANES] {
    let first = u32::try_from(first).expect("nodes are counted in 32 bits");
    [0, 1, 2, 3].map(|lane| first + lane)
}
