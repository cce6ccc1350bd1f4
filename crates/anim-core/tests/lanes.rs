//! Whole poses, which are worked out four nodes at a time, against one node at a time: the same bits.

#![allow(clippy::cast_possible_truncation, reason = "random bits, and shares that become f32")]

#[allow(dead_code, reason = "other tests look at more of a rig")]
mod local_rig;

use anim_core::hierarchy::model_pose;
use anim_core::layer_blend::{LocalLayer, blend_node};
use anim_core::local_encoding::LocalEncoding;
use anim_core::local_pose::rows_mul;
use anim_core::local_record::{LocalRecord, LocalSource};
use anim_core::matrix_rows::{IDENTITY_ROWS, Rows};
use anim_core::pose::NO_PARENT;
use local_rig::{Random, Rig, RigShape};
use proptest::prelude::*;

/// What [`model_pose`] stands for.
fn one_by_one(parents: &[u32], layers: &[LocalLayer<'_>]) -> Vec<Rows> {
    let mut pose: Vec<Rows> = Vec::new();
    for (node, &parent) in (0..).zip(parents) {
        let rows = blend_node(layers, node);
        pose.push(if parent == NO_PARENT { rows } else { rows_mul(&pose[parent as usize], &rows) });
    }
    pose
}

fn bits(rows: &Rows) -> [[u32; 4]; 3] {
    rows.map(|row| row.map(f32::to_bits))
}

/// Negative zeros in the pool, and words in the pages that no baker writes.
fn spoil(rig: &mut Rig, random: &mut Random) {
    for number in rig.pool.iter_mut().flatten().filter(|number| **number == 0.0) {
        *number = if random.chance(50) { -0.0 } else { 0.0 };
    }
    for clip in &mut rig.clips {
        let start = clip.layout.first_texel as usize * rig.encoding.texel_bytes();
        for byte in clip.texels.iter_mut().skip(start) {
            if random.chance(10) {
                *byte = [0, 0xff, random.bits() as u8][random.below(3) as usize];
            }
        }
    }
}

/// Fades and shares: ends, middles, and so little that all below it keep their whole share.
fn share(random: &mut Random) -> f32 {
    [0.0, 1.0, 0.5, 1e-9, (random.number() * 0.5 + 0.5) as f32][random.below(5) as usize]
}

fn check(seed: u64, nodes: u32, layer_count: usize, encoding: LocalEncoding, spoiled: bool) {
    let shape = RigShape { nodes, depth_max: 9, clips: 3, frames: 6, unit: 0.3, extremes: true, encoding };
    let mut rig = Rig::random(seed, &shape);
    let mut random = Random(!seed);
    if spoiled {
        spoil(&mut rig, &mut random);
    }
    for _ in 0..4 {
        let masks: Vec<Option<Vec<u32>>> = (0..layer_count)
            .map(|_| {
                let words = random.below(nodes.div_ceil(32) + 1);
                random.chance(50).then(|| (0..words).map(|_| random.bits() as u32).collect())
            })
            .collect();
        let layers: Vec<_> = masks
            .iter()
            .map(|mask| {
                let tracks = rig.view(random.below(shape.clips));
                let frame = random.below(shape.frames - 1);
                let moment = tracks.moment(frame, frame + 1, share(&mut random));
                LocalLayer { tracks, moment, covers: share(&mut random), mask: mask.as_deref() }
            })
            .collect();
        let mut pose = vec![IDENTITY_ROWS; nodes as usize];
        model_pose(&rig.parents, &layers, &mut pose);
        for (node, (found, expected)) in pose.iter().zip(one_by_one(&rig.parents, &layers)).enumerate() {
            assert_eq!(bits(found), bits(&expected), "node {node}: {found:?} instead of {expected:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn four_nodes_at_a_time_are_bit_by_bit_one_at_a_time(
        seed in any::<u64>(), nodes in prop_oneof![1..14u32, 40..80u32], layers in 0..4usize,
        is_local8 in any::<bool>(), spoiled in any::<bool>(),
    ) {
        let encoding = if is_local8 { LocalEncoding::Local8 } else { LocalEncoding::Local32 };
        check(seed, nodes, layers, encoding, spoiled);
    }
}

#[test]
fn all_kinds_of_nodes_are_side_by_side() {
    let shape = RigShape {
        nodes: 2000,
        depth_max: 9,
        clips: 1,
        frames: 6,
        unit: 0.3,
        extremes: true,
        encoding: LocalEncoding::Local8,
    };
    // How many of four nodes turn, stand still and are matrices.
    let kinds = |records: &[LocalRecord]| {
        let mut kinds = [0; 3];
        for record in records {
            kinds[match record.rotation_source() {
                LocalSource::Slot(_) => 0,
                LocalSource::Constant(_) => 1,
                LocalSource::Matrix(_) => 2,
            }] += 1;
        }
        kinds
    };
    let fours: Vec<_> = Rig::random(7, &shape).clips[0].records.chunks_exact(4).map(kinds).collect();
    for wanted in [[4, 0, 0], [0, 4, 0], [3, 1, 0], [3, 0, 1], [2, 1, 1]] {
        assert!(fours.contains(&wanted), "{wanted:?} in {fours:?}");
    }
}
