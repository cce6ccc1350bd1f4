//! How the palette pass goes up the hierarchy of a local set: planned once, when a file is loaded.

use anim_core::local_record::{LOCAL_ANIMATED, LOCAL_MATRIX};
use anim_format::AnimFile;

use crate::palette::{LOCAL_NODES_MAX, PaletteThreads};

const NONE: u32 = u32::MAX;

/// Which node takes up which ancestor, and when.
///
/// First every node has its own transform alone. In a round, a node takes up what an ancestor has by then: one that has
/// taken up all of its own ancestors already, which finishes the node, or one that has taken up just as many as the node
/// itself, so that all nodes double their reach together (pointer jumping, J. C. Wyllie, "The complexity of parallel
/// computations", 1979).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Hierarchy {
    /// No node ever scales its axes differently, mirrors or shears: palette_similar.wgsl.
    pub(crate) is_similar: bool,
    /// How many rounds there are.
    pub(crate) rounds: u32,
    /// Where they start in the tables.
    pub(crate) rounds_entry: u32,
    /// Where the bones start in the tables.
    pub(crate) bones_entry: u32,
    /// For each round and thread: a node, and in the upper half the ancestor that it takes up; or NONE.
    pub(crate) words: Vec<u32>,
}

impl Hierarchy {
    /// Of page set `number` of a file; without rounds for more than [`LOCAL_NODES_MAX`] nodes.
    pub(crate) fn of(file: &AnimFile<'_>, number: u32) -> Self {
        let is_similar = is_similar(file, number);
        let count = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let (bones, nodes) = (count(file.bones.len()), count(file.nodes.len()));
        if nodes > LOCAL_NODES_MAX {
            return Self { is_similar, ..Self::default() };
        }
        let threads = 1 << PaletteThreads::of(bones, nodes).threads_log2;
        // For rows, three threads for a node.
        let of_node = if is_similar { 1 } else { 3 };
        let parents: Vec<Option<usize>> =
            file.nodes.iter().map(|node| node.parent.map(|parent| parent as usize)).collect();
        let rounds = rounds_of(&parents, threads / of_node);
        let mut words = vec![NONE; rounds.len() * threads];
        for (round, words) in rounds.iter().zip(words.chunks_mut(threads)) {
            for (&(node, above), words) in round.iter().zip(words.chunks_mut(of_node)) {
                words.fill(count(node) | count(above) << 16);
            }
        }
        Self { is_similar, rounds: count(rounds.len()), words, ..Self::default() }
    }
}

type Round = Vec<(usize, usize)>;

/// The fewest rounds of at most `at_once` nodes. Parents come before their children.
fn rounds_of(parents: &[Option<usize>], at_once: usize) -> Vec<Round> {
    let mut above = parents.to_vec();
    let mut jumps: Vec<Round> = Vec::new();
    let mut best = steps_of(&above, at_once);
    while above.iter().any(Option::is_some) && jumps.len() < best.len() {
        // From the last nodes to the first: what a later round reads has not changed yet.
        let pairs: Round =
            above.iter().enumerate().filter_map(|(node, above)| Some((node, (*above)?))).collect();
        jumps.extend(pairs.rchunks(at_once).map(<[_]>::to_vec));
        above = above.iter().map(|ancestor| ancestor.and_then(|ancestor| above[ancestor])).collect();
        let steps = steps_of(&above, at_once);
        if jumps.len() + steps.len() < best.len() {
            best = jumps.iter().cloned().chain(steps).collect();
        }
    }
    best
}

/// Rounds in which each node takes up a finished ancestor.
fn steps_of(above: &[Option<usize>], at_once: usize) -> Vec<Round> {
    let mut waiting: Round =
        above.iter().enumerate().filter_map(|(node, above)| Some((node, (*above)?))).collect();
    let mut is_done: Vec<bool> = above.iter().map(Option::is_none).collect();
    let mut rounds = Vec::new();
    while !waiting.is_empty() {
        let mut round = Round::new();
        waiting.retain(|&(node, above)| {
            let goes = is_done[above] && round.len() < at_once;
            if goes {
                round.push((node, above));
            }
            !goes
        });
        for &(node, _) in &round {
            is_done[node] = true;
        }
        rounds.push(round);
    }
    rounds
}

/// Whether all scales are the same on all axes, positive and constant, and no node is a matrix.
fn is_similar(file: &AnimFile<'_>, number: u32) -> bool {
    let tracks = file.clips.iter().flat_map(|clip| &clip.tracks).filter(|track| track.page_set == number);
    let mut firsts: Vec<u32> = tracks.filter_map(|track| track.first_record).collect();
    firsts.sort_unstable();
    firsts.dedup();
    let records = |first: u32| file.local_records.iter().skip(first as usize).take(file.nodes.len());
    firsts.into_iter().flat_map(records).all(|record| {
        let is_matrix = record.rotation & (LOCAL_ANIMATED | LOCAL_MATRIX) == LOCAL_MATRIX;
        let constant =
            (record.scale & LOCAL_ANIMATED == 0).then(|| file.constant_pool.get(record.scale as usize));
        let is_even = |scale: &[f32; 4]| scale[0] > 0.0 && scale[0] == scale[1] && scale[0] == scale[2];
        !is_matrix && constant.flatten().is_some_and(is_even)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the rounds on sets of ancestors instead of matrices: every node must end with its whole chain, in order.
    fn check(parents: &[Option<usize>], at_once: usize) -> usize {
        let rounds = rounds_of(parents, at_once);
        let mut chains: Vec<Vec<usize>> = (0..parents.len()).map(|node| vec![node]).collect();
        for round in &rounds {
            assert!((1..=at_once).contains(&round.len()));
            let before = chains.clone();
            for &(node, above) in round {
                chains[node].extend(&before[above]);
            }
        }
        for (node, chain) in chains.iter().enumerate() {
            let expected: Vec<usize> = std::iter::successors(Some(node), |node| parents[*node]).collect();
            assert_eq!(*chain, expected);
        }
        rounds.len()
    }

    #[test]
    fn every_node_takes_up_each_of_its_ancestors_once() {
        let chain = |count: usize| (0..count).map(|node| node.checked_sub(1)).collect::<Vec<_>>();
        assert_eq!(check(&chain(1), 4), 0);
        assert_eq!(check(&chain(4), 4), 2, "pointer jumping");
        assert!(check(&chain(256), 64) < 32);
        for at_once in [1, 2, 5, 10, 21, 32, 64] {
            for count in [2, 3, 17, 60, 256] {
                check(&chain(count), at_once);
                let wide: Vec<_> = (0..count).map(|node| (node > 0).then_some(0)).collect();
                assert_eq!(check(&wide, at_once), (count - 1).div_ceil(at_once));
                let tree: Vec<_> =
                    (0..count).map(|node: usize| (node > 1).then(|| (node - 2) * 3 / 4)).collect();
                check(&tree, at_once);
            }
        }
    }
}
