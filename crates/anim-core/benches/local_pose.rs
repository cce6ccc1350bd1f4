//! What a pose costs on the CPU: nanoseconds a node of a whole pose, with its palette, and of one attachment.
#![allow(missing_docs, reason = "criterion's macros make public functions")]

#[path = "../tests/local_rig/mod.rs"]
#[allow(dead_code, reason = "the tests look at more of a rig")]
mod local_rig;

use std::hint::black_box;

use anim_core::hierarchy::{bone_rows, model_from_node, model_pose};
use anim_core::layer_blend::{LocalLayer, blend_node};
use anim_core::local_encoding::LocalEncoding;
use anim_core::local_pose::rows_mul;
use anim_core::matrix_rows::{IDENTITY_ROWS, Rows};
use anim_core::pose::NO_PARENT;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use local_rig::{Rig, RigShape};

const NODES: u32 = 60;
const FRAMES: u32 = 32;

fn poses(c: &mut Criterion) {
    for encoding in [LocalEncoding::Local8, LocalEncoding::Local32] {
        let shape = RigShape {
            nodes: NODES,
            depth_max: 12,
            clips: 3,
            frames: FRAMES,
            unit: 0.3,
            extremes: false,
            encoding,
        };
        let rig = Rig::random(2, &shape);
        let mask = [0x0f0f_f0f0, 0x00ff_ff00];
        let layers_at = |count: u32, frame: u32| -> Vec<LocalLayer<'_>> {
            (0..count)
                .map(|clip| {
                    let tracks = rig.view(clip);
                    let moment = tracks.moment(frame, frame + 1, 0.4);
                    LocalLayer { tracks, moment, covers: 0.5, mask: (clip == 2).then_some(&mask[..]) }
                })
                .collect()
        };
        let mut group = c.benchmark_group(format!("{encoding:?}"));
        for count in 1..=3 {
            // An element is a node: its reciprocal is the time of one.
            group.throughput(Throughput::Elements(u64::from(NODES)));
            let frames: Vec<_> = (0..FRAMES - 1).map(|frame| layers_at(count, frame)).collect();
            let mut next = (0..FRAMES as usize - 1).cycle();
            let mut pose = vec![IDENTITY_ROWS; NODES as usize];
            group.bench_function(format!("pose of {count} layers"), |b| {
                b.iter(|| {
                    let layers = &frames[next.next().expect("it cycles")];
                    model_pose(black_box(&rig.parents), black_box(layers), &mut pose);
                    pose[NODES as usize - 1][0][3]
                });
            });
            group.bench_function(format!("pose of {count} layers, one node at a time"), |b| {
                b.iter(|| {
                    let layers = &frames[next.next().expect("it cycles")];
                    one_at_a_time(black_box(&rig.parents), black_box(layers), &mut pose);
                    pose[NODES as usize - 1][0][3]
                });
            });
            let mut palette = pose.clone();
            group.bench_function(format!("pose and palette of {count} layers"), |b| {
                b.iter(|| {
                    let layers = &frames[next.next().expect("it cycles")];
                    model_pose(black_box(&rig.parents), black_box(layers), &mut pose);
                    for (bone, node) in palette.iter_mut().zip(&pose) {
                        *bone = bone_rows(node, black_box(&IDENTITY_ROWS));
                    }
                    palette[NODES as usize - 1][0][3]
                });
            });
            group.throughput(Throughput::Elements(1));
            let deepest = (0..NODES).max_by_key(|&node| depth(&rig.parents, node)).expect("nodes");
            let depth = depth(&rig.parents, deepest);
            group.bench_function(format!("attachment {depth} deep of {count} layers"), |b| {
                b.iter(|| {
                    let layers = &frames[next.next().expect("it cycles")];
                    model_from_node(black_box(&rig.parents), black_box(layers), black_box(deepest))
                });
            });
        }
        group.finish();
    }
}

/// What [`model_pose`] did before it took four nodes at a time.
fn one_at_a_time(parents: &[u32], layers: &[LocalLayer<'_>], pose: &mut [Rows]) {
    for (node, rows) in (0..).zip(pose.iter_mut()) {
        *rows = blend_node(layers, node);
    }
    for (node, &parent) in parents.iter().enumerate() {
        if parent != NO_PARENT {
            pose[node] = rows_mul(&pose[parent as usize], &pose[node]);
        }
    }
}

fn depth(parents: &[u32], node: u32) -> u32 {
    match parents[node as usize] {
        NO_PARENT => 1,
        parent => 1 + depth(parents, parent),
    }
}

criterion_group!(benches, poses);
criterion_main!(benches);
