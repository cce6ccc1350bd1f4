//! Layers of local tracks, four nodes at a time: the twin of `layer_blend`'s `blend_node`.

use glam::Vec4;

use super::tracks::four_transforms;
use super::{FourTransforms, LANES, Rotations, dot, four_rows, normalize_rotations};
use crate::layer_blend::{LocalLayer, blend_node, node_weights};
use crate::layers::LAYERS_MAX;
use crate::local_pose::FLIP_BELOW;
use crate::matrix_rows::Rows;

/// The shares of the layers: worked out once where they are those of all nodes.
struct Shares<'a> {
    layers: &'a [LocalLayer<'a>],
    of_all: Option<[f32; LAYERS_MAX]>,
}

impl<'a> Shares<'a> {
    /// # Panics
    ///
    /// If there are more than [`LAYERS_MAX`] layers.
    fn new(layers: &'a [LocalLayer<'a>]) -> Self {
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

/// Fills the rows of `parent_from_node` of all nodes: [`blend_node`], four at a time.
///
/// # Panics
///
/// As [`blend_node`].
pub(crate) fn blend_all(layers: &[LocalLayer<'_>], rows: &mut [Rows]) {
    match layers {
        _ if rows.len() < LANES => {
            for (node, rows) in (0u32..).zip(rows) {
                *rows = blend_node(layers, node);
            }
        }
        [base] => in_fours(layers, rows, |first| layer_at(base, first)),
        _ => {
            let shares = Shares::new(layers);
            in_fours(layers, rows, |first| blended(&shares, first));
        }
    }
}

/// Fills rows with those of `blended`, which also says which nodes have to be worked out alone. There are at least four.
#[inline(always)]
fn in_fours(
    layers: &[LocalLayer<'_>],
    rows: &mut [Rows],
    blended: impl Fn(usize) -> (FourTransforms, [bool; LANES]),
) {
    let last = rows.len() - LANES;
    let mut first = 0;
    loop {
        let (rows, _) = rows[first..].split_first_chunk_mut().expect("four nodes");
        let (transforms, is_alone) = blended(first);
        *rows = four_rows(&transforms);
        if is_alone != [false; LANES] {
            alone(layers, first, is_alone, rows);
        }
        if first == last {
            return;
        }
        // The last four overlap those before them where the count is no multiple of four.
        first = last.min(first + LANES);
    }
}

#[inline(never)]
fn alone(layers: &[LocalLayer<'_>], first: usize, is_alone: [bool; LANES], rows: &mut [Rows; LANES]) {
    for ((node, rows), is_alone) in numbers(first).into_iter().zip(rows).zip(is_alone) {
        if is_alone {
            *rows = blend_node(layers, node);
        }
    }
}

/// Four transforms in one layer, and which nodes have to be worked out alone: those that are constant matrices.
#[inline(always)]
fn layer_at(layer: &LocalLayer<'_>, first: usize) -> (FourTransforms, [bool; LANES]) {
    let (records, _) = layer.tracks.records[first..].split_first_chunk().expect("four records");
    four_transforms(&layer.tracks, records, &layer.moment)
}

/// Four transforms, and which nodes have to be worked out alone: constant matrices, and those in which one layer has the
/// whole weight while it has less in a neighbour.
#[inline(always)]
fn blended(shares: &Shares<'_>, first: usize) -> (FourTransforms, [bool; LANES]) {
    let mut sum = FourSums::default();
    let mut is_alone = [false; LANES];
    for (layer, weights) in shares.layers.iter().zip(shares.at(first)) {
        if weights == [0.0; LANES] {
            continue;
        }
        let (transforms, is_matrix) = layer_at(layer, first);
        let is_whole = weights == [1.0; LANES];
        for (lane, weight) in weights.into_iter().enumerate() {
            is_alone[lane] |= is_matrix[lane] || (weight == 1.0 && !is_whole);
        }
        if is_whole {
            return (transforms, is_alone);
        }
        sum.add(&transforms, weights);
    }
    (sum.finish(), is_alone)
}

/// Four weighted sums of local transforms.
#[derive(Default)]
struct FourSums {
    translations: [Vec4; LANES],
    rotations: Rotations,
    scales: [Vec4; LANES],
    weights: Vec4,
}

impl FourSums {
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
    }

    /// Twin of [`finish_local`](crate::local_pose::finish_local).
    #[inline(always)]
    fn finish(&self) -> FourTransforms {
        let rotations = normalize_rotations(self.rotations);
        FourTransforms { translations: self.translations, rotations, scales: self.scales }
    }
}

/// The numbers of four nodes from `first` on.
#[inline(always)]
fn numbers(first: usize) -> [u32; LANES] {
    let first = u32::try_from(first).expect("nodes are counted in 32 bits");
    [0, 1, 2, 3].map(|lane| first + lane)
}
