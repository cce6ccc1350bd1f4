//! What a bake costs: nanoseconds a bone and frame against a plain glam loop in the same run, and whole bakes.
//!
//! Models: the samples, and those of a corpus beside the workspace where there is one.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::print_stderr, reason = "a bench talks to the person who started it")]

use std::hint::black_box;
use std::path::{Path, PathBuf};

use anim_bake::gltf::{Import, import};
use anim_bake::source::{Channel, KeyInterpolation, Property, SourceAsset};
use anim_bake::{BakeSettings, bake_import, bake_rows};
use anim_core::glam::{Mat4, Quat, Vec3};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn rows(c: &mut Criterion) {
    for (name, import) in models() {
        let asset = &import.asset;
        let baked = bake_import(&import, &BakeSettings::default()).expect("a model that bakes");
        let frames: u64 = baked.file.clips.iter().map(|clip| u64::from(clip.tracks[0].frames)).sum();
        let bone_frames = frames * baked.file.bones.len() as u64;
        let mut group = c.benchmark_group(format!("rows/{name}"));
        // An element is a bone in a frame: its reciprocal is the time of one.
        group.throughput(Throughput::Elements(bone_frames));
        let one_thread = rayon_pool();
        group.bench_function("anim-bake", |b| {
            one_thread.install(|| {
                b.iter(|| bake_rows(black_box(asset), &BakeSettings::default()).expect("it baked"))
            });
        });
        group.bench_function("plain glam loop", |b| b.iter(|| plain_glam(black_box(asset), &baked.file)));
        group.finish();
    }
}

fn whole_bakes(c: &mut Criterion) {
    let mut group = c.benchmark_group("whole bake");
    group.sample_size(10);
    for (name, import) in models() {
        group.bench_function(&name, |b| {
            b.iter(|| {
                let baked = bake_import(black_box(&import), &BakeSettings::default()).expect("it bakes");
                anim_format::write(&baked.file, anim_format::Version::V1).expect("valid")
            });
        });
    }
    group.finish();
}

/// What somebody writes first: `f32`, one pose at a time, a binary search a channel and frame, matrices of four rows.
fn plain_glam(asset: &SourceAsset, file: &anim_format::AnimFile<'_>) -> Vec<half::f16> {
    let mut texels = Vec::new();
    let nodes = &asset.nodes;
    for (clip, source) in file.clips.iter().zip(&asset.clips) {
        for frame in 0..clip.tracks[0].frames {
            let time = clip.duration_seconds * frame as f32 / clip.tracks[0].intervals.max(1) as f32;
            let mut pose: Vec<(Vec3, Quat, Vec3)> = nodes
                .iter()
                .map(|node| {
                    let rest = node.rest.unwrap_or(anim_core::trs::Trs::IDENTITY);
                    (rest.translation.as_vec3(), rest.rotation.as_quat(), rest.scale.as_vec3())
                })
                .collect();
            for channel in &source.channels {
                let (a, b, s) = keys(channel, time);
                let at = |key: usize| &channel.values[key * channel.components..];
                let vector = |key: usize| Vec3::from_slice(at(key));
                let node = &mut pose[channel.node];
                match channel.property {
                    Property::Translation => node.0 = vector(a).lerp(vector(b), s),
                    Property::Scale => node.2 = vector(a).lerp(vector(b), s),
                    Property::Rotation => {
                        node.1 = Quat::from_slice(at(a)).slerp(Quat::from_slice(at(b)), s).normalize();
                    }
                    Property::Weights => {}
                }
            }
            let mut model = vec![Mat4::IDENTITY; nodes.len()];
            for &node in &asset.topological_order {
                let (t, r, s) = pose[node];
                let local = Mat4::from_scale_rotation_translation(s, r, t);
                model[node] = nodes[node].parent.map_or(local, |parent| model[parent] * local);
            }
            for bone in &file.bones {
                let [x, y, z] = bone.bone_from_bind;
                let bind = Mat4::from_cols_array_2d(&[x, y, z, [0.0, 0.0, 0.0, 1.0]]).transpose();
                let node =
                    bone.node.map_or(Mat4::IDENTITY, |n| model[file.nodes[n as usize].source_node as usize]);
                let rows = (node * bind).transpose().to_cols_array();
                texels.extend(rows[..12].iter().map(|v| half::f16::from_f32(*v)));
            }
        }
    }
    texels
}

fn keys(channel: &Channel, time: f32) -> (usize, usize, f32) {
    let times = &channel.times_seconds;
    let after = times.partition_point(|t| *t <= time);
    if after == 0 || after == times.len() {
        let key = if after == 0 { 0 } else { times.len() - 1 };
        return (key, key, 0.0);
    }
    if channel.interpolation == KeyInterpolation::Step {
        return (after - 1, after - 1, 0.0);
    }
    (after - 1, after, (time - times[after - 1]) / (times[after] - times[after - 1]))
}

fn rayon_pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one thread")
}

fn models() -> Vec<(String, Import)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths: Vec<PathBuf> =
        ["bird", "biped", "horse"].iter().map(|name| root.join(format!("samples/{name}.glb"))).collect();
    let corpus = root.join("../shared/corpus");
    if corpus.is_dir() {
        paths.extend(["Fox.glb", "Knight.glb"].iter().map(|name| corpus.join(name)));
    } else {
        eprintln!("no corpus beside the workspace: only the samples are measured");
    }
    paths
        .into_iter()
        .map(|path| {
            let bytes = std::fs::read(&path).expect("a model");
            let folder = path.parent().expect("a folder").to_owned();
            let import =
                import(&bytes, &move |uri: &str| std::fs::read(folder.join(uri)), None).expect("a model");
            (path.file_stem().expect("a name").to_string_lossy().into_owned(), import)
        })
        .collect()
}

criterion_group!(benches, rows, whole_bakes);
criterion_main!(benches);
