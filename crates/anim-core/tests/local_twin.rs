//! The `f32` twin of the palette pass against the same formulas in `f64`, written here a second time: random rigs, layers
//! and masks, from the same bytes and from numbers that were never quantised.

#![allow(clippy::cast_possible_truncation, reason = "halves of random bits, and small numbers")]

mod local_rig;

use anim_core::glam::{DAffine3, DMat3, DQuat, DVec3, DVec4};
use anim_core::hierarchy::{bone_rows, model_from_node, model_pose};
use anim_core::layer_blend::LocalLayer;
use anim_core::local_encoding::LocalEncoding;
use anim_core::local_record::LocalSource;
use anim_core::matrix_rows::{IDENTITY_ROWS, Rows, affine_from_rows, rows_from_affine};
use anim_core::pose::NO_PARENT;
use anim_core::trs::Trs;
use local_rig::{LocalTruth, Random, Rig, RigShape};

/// A layer as the reference sees it.
struct Played {
    clip: u32,
    frames: (u32, u32),
    t: f32,
    covers: f32,
    mask: Option<Vec<u32>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Source {
    /// The clip's bytes.
    Bytes,
    /// The numbers from which they were written.
    Truth,
}

fn play(random: &mut Random, rig: &Rig, shape: &RigShape) -> Vec<Played> {
    let layers = 1 + random.below(3);
    (0..layers)
        .map(|_| {
            let frame = random.below(shape.frames - 1);
            let special = [0.0, 1.0, 0.5][random.below(3) as usize];
            let mut share = || if random.chance(80) { (random.number() * 0.5 + 0.5) as f32 } else { special };
            let (t, covers) = (share(), share());
            let mask = (random.chance(50))
                .then(|| (0..rig.parents.len().div_ceil(32)).map(|_| random.bits() as u32).collect());
            Played { clip: random.below(shape.clips), frames: (frame, frame + 1), t, covers, mask }
        })
        .collect()
}

fn layers<'a>(rig: &'a Rig, played: &'a [Played]) -> Vec<LocalLayer<'a>> {
    let layer = |played: &'a Played| {
        let tracks = rig.view(played.clip);
        let moment = tracks.moment(played.frames.0, played.frames.1, played.t);
        LocalLayer { tracks, moment, covers: played.covers, mask: played.mask.as_deref() }
    };
    played.iter().map(layer).collect()
}

// ---- The reference. ----

fn stored(rig: &Rig, clip: u32, node: usize, frame: u32) -> LocalTruth {
    let clip = &rig.clips[clip as usize];
    let (record, bytes) = (&clip.records[node], rig.encoding.texel_bytes());
    let word = |texel: usize, number: usize| -> u32 {
        let start = texel * bytes + number * 4;
        u32::from_le_bytes(clip.texels[start..start + 4].try_into().expect("four bytes"))
    };
    let first = clip.layout.first_texel as usize;
    let frame = if clip.layout.header_texels == 0 {
        frame
    } else {
        word(first + (frame as usize * 4) / bytes, (frame as usize * 4) % bytes / 4)
    };
    let frame_start =
        first + clip.layout.header_texels as usize + (frame * clip.layout.elements_per_frame) as usize;
    let entry = |index: u32| DVec4::from_array(rig.pool[index as usize].map(f64::from));
    let element = |slot: u32, range: Option<DVec4>| {
        let texel = frame_start + slot as usize;
        if rig.encoding == LocalEncoding::Local32 {
            return DVec4::from_array([0, 1, 2, 3].map(|i| f64::from(f32::from_bits(word(texel, i)))));
        }
        let bits = u64::from(word(texel, 0)) | u64::from(word(texel, 1)) << 32;
        let number = |first: u32, count: u32| (bits >> first & ((1 << count) - 1)) as f64;
        if let Some(range) = range {
            let stored = DVec3::new(number(0, 21), number(21, 21), number(42, 21));
            return (range.truncate() + stored / 2_097_151.0 * range.w).extend(0.0);
        }
        let small = [number(0, 20), number(20, 20), number(40, 20)]
            .map(|q| (q - 524_287.0) / 524_287.0 * 0.5f64.sqrt());
        let mut all = small.to_vec();
        let largest = (1.0 - small.iter().map(|v| v * v).sum::<f64>()).max(0.0).sqrt();
        all.insert(number(60, 2) as usize, largest);
        DVec4::from_slice(&all) * (1.0 - 2.0 * number(62, 1))
    };
    let part = |source, range: Option<u32>| match source {
        LocalSource::Slot(slot) => element(slot, range.map(entry)),
        LocalSource::Constant(index) | LocalSource::Matrix(index) => entry(index),
    };
    if let LocalSource::Matrix(index) = record.rotation_source() {
        let rows: Rows = [0, 1, 2].map(|row| rig.pool[index as usize + row]);
        return LocalTruth::Matrix(affine_from_rows(&rows));
    }
    LocalTruth::Transform(Trs {
        rotation: DQuat::from_vec4(part(record.rotation_source(), None)).normalize(),
        translation: part(record.translation_source(), Some(record.translation_range())).truncate(),
        scale: part(record.scale_source(), Some(record.scale_range())).truncate(),
    })
}

fn between(a: Trs, b: Trs, t: f64) -> Trs {
    let signed = a.rotation.dot(b.rotation);
    let d = signed.abs();
    let u = t - 0.5;
    let k = (1.0904 + d * (-3.2452 + d * (3.55645 - d * 1.43519))) * u * u
        + 0.848013
        + d * (-1.06021 + d * 0.215638);
    let bent = t + t * u * (t - 1.0) * k;
    // An exact half turn goes the way of its stored signs.
    let b_rotation = if signed < -1e-5 { -b.rotation } else { b.rotation };
    Trs {
        rotation: (a.rotation * (1.0 - bent) + b_rotation * bent).normalize(),
        translation: a.translation.lerp(b.translation, t),
        scale: a.scale.lerp(b.scale, t),
    }
}

fn blended(rig: &Rig, played: &[Played], node: usize, source: Source) -> DAffine3 {
    // The stack of this node: without the layers that are masked out.
    let stack: Vec<&Played> = played
        .iter()
        .enumerate()
        .filter(|(number, layer)| {
            *number == 0 || layer.mask.as_ref().is_none_or(|mask| mask[node / 32] >> (node % 32) & 1 == 1)
        })
        .map(|(_, layer)| layer)
        .collect();
    let (mut rotation, mut translation, mut scale) =
        (DQuat::from_vec4(DVec4::ZERO), DVec3::ZERO, DVec3::ZERO);
    let mut total = 0.0;
    for (number, layer) in stack.iter().enumerate() {
        let cover = |number: usize| if number == 0 { 1.0 } else { f64::from(stack[number].covers) };
        let weight =
            cover(number) * (number + 1..stack.len()).map(|above| 1.0 - cover(above)).product::<f64>();
        let at = |frame| match source {
            Source::Bytes => stored(rig, layer.clip, node, frame),
            Source::Truth => rig.clips[layer.clip as usize].poses[frame as usize][node],
        };
        match (at(layer.frames.0), at(layer.frames.1)) {
            (LocalTruth::Matrix(matrix), _) => return matrix,
            (LocalTruth::Transform(a), LocalTruth::Transform(b)) => {
                let pose = between(a, b, f64::from(layer.t));
                let sign = if rotation.dot(pose.rotation) < -1e-5 * total { -1.0 } else { 1.0 };
                total += weight;
                rotation += pose.rotation * (weight * sign);
                translation += pose.translation * weight;
                scale += pose.scale * weight;
            }
            _ => panic!("a node that is a matrix in one frame only"),
        }
    }
    Trs { rotation: rotation.normalize(), translation, scale }.to_affine()
}

fn reference(rig: &Rig, played: &[Played], source: Source) -> Vec<DAffine3> {
    let mut pose: Vec<DAffine3> = Vec::new();
    for (node, &parent) in rig.parents.iter().enumerate() {
        let local = blended(rig, played, node, source);
        pose.push(if parent == NO_PARENT { local } else { pose[parent as usize] * local });
    }
    pose
}

// ---- The comparison. ----

/// Model size, and the largest distance between vertices around each node moved by one and the other. The origin is part
/// of the model: a rig that is far smaller than its distance from it is as exact as that distance allows.
fn compare(exact: &[DAffine3], found: &[Rows], unit: f64) -> (f64, f64) {
    let around = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_ONE].map(|point| point * unit * 0.3);
    let (mut min, mut max, mut error) = (DVec3::ZERO, DVec3::ZERO, 0.0f64);
    for (exact, found) in exact.iter().zip(found) {
        assert!(found.as_flattened().iter().all(|number| number.is_finite()), "{found:?}");
        let found = affine_from_rows(found);
        for point in around {
            let position = exact.transform_point3(point);
            (min, max) = (min.min(position), max.max(position));
            error = error.max(position.distance(found.transform_point3(point)));
        }
    }
    ((max - min).length(), error)
}

struct Worst {
    all_nodes: f64,
    one_node: f64,
}

/// The largest errors, of model size, over many rigs and plays.
fn worst(encoding: LocalEncoding, source: Source, extremes: bool) -> Worst {
    let mut worst = Worst { all_nodes: 0.0, one_node: 0.0 };
    for seed in 0..120 {
        let mut random = Random(seed * 77 + 5);
        let shape = RigShape {
            nodes: 1 + random.below(300),
            depth_max: 1 + random.below(20),
            clips: 1 + random.below(4),
            frames: 2 + random.below(5),
            unit: [0.3, 30.0, 1e-3][random.below(3) as usize],
            extremes,
            encoding,
        };
        let rig = Rig::random(seed, &shape);
        for _ in 0..4 {
            let played = play(&mut random, &rig, &shape);
            let layers = layers(&rig, &played);
            let exact = reference(&rig, &played, source);
            let mut pose = vec![IDENTITY_ROWS; rig.parents.len()];
            model_pose(&rig.parents, &layers, &mut pose);
            let (size, error) = compare(&exact, &pose, shape.unit);
            worst.all_nodes = worst.all_nodes.max(error / size);
            for node in [0, shape.nodes / 2, shape.nodes - 1] {
                let one = model_from_node(&rig.parents, &layers, node);
                let (_, error) = compare(&exact[node as usize..][..1], &[one], shape.unit);
                worst.one_node = worst.one_node.max(error / size);
            }
        }
    }
    worst
}

fn check(encoding: LocalEncoding, source: Source, extremes: bool, bound: f64) {
    let found = worst(encoding, source, extremes);
    let largest = found.all_nodes.max(found.one_node);
    assert!(
        largest <= bound && largest > bound / 4.0,
        "{encoding:?}: all nodes {:e}, one node {:e}, stated {bound:e}",
        found.all_nodes,
        found.one_node
    );
}

#[test]
fn the_twin_is_the_formula_up_to_rounding() {
    for encoding in [LocalEncoding::Local32, LocalEncoding::Local8] {
        check(encoding, Source::Bytes, false, 1.2e-6);
    }
}

#[test]
fn the_twin_is_the_formula_for_half_turns_and_scales_of_nothing_too() {
    for encoding in [LocalEncoding::Local32, LocalEncoding::Local8] {
        check(encoding, Source::Bytes, true, 1.2e-6);
    }
}

#[test]
fn playback_of_unquantised_tracks_is_within_what_the_encoding_loses() {
    check(LocalEncoding::Local32, Source::Truth, false, 1.2e-6);
    check(LocalEncoding::Local8, Source::Truth, false, 4e-6);
}

#[test]
fn a_bone_is_its_node_times_its_inverse_bind_matrix() {
    let shape = RigShape {
        nodes: 40,
        depth_max: 9,
        clips: 1,
        frames: 3,
        unit: 0.3,
        extremes: false,
        encoding: LocalEncoding::Local32,
    };
    let rig = Rig::random(3, &shape);
    let played = [Played { clip: 0, frames: (0, 1), t: 0.4, covers: 1.0, mask: None }];
    let exact = reference(&rig, &played, Source::Bytes);
    let mut pose = vec![IDENTITY_ROWS; 40];
    model_pose(&rig.parents, &layers(&rig, &played), &mut pose);
    let mut random = Random(9);
    for (exact, rows) in exact.iter().zip(&pose) {
        let matrix3 = DMat3::from_quat(random.rotation());
        let bone_from_bind = rows_from_affine(&DAffine3 { matrix3, translation: random.vector() });
        let bone = affine_from_rows(&bone_rows(rows, &bone_from_bind));
        let product = *exact * affine_from_rows(&bone_from_bind);
        assert!(bone.abs_diff_eq(product, 2e-5), "{bone:?} {product:?}");
    }
}

#[test]
fn a_masked_layer_fades_in_and_out_without_a_jump_and_moves_its_nodes_only() {
    for seed in 0..20 {
        let shape = RigShape {
            nodes: 60,
            depth_max: 12,
            clips: 3,
            frames: 3,
            unit: 0.3,
            extremes: false,
            encoding: LocalEncoding::Local8,
        };
        let rig = Rig::random(seed, &shape);
        let mut random = Random(seed);
        let mask: Vec<u32> = (0..2).map(|_| random.bits() as u32).collect();
        let played = |covers: f32, layers: usize| -> Vec<Played> {
            let base = Played { clip: 0, frames: (0, 1), t: 0.3, covers: 0.0, mask: Some(vec![0]) };
            let middle = Played { clip: 1, frames: (1, 2), t: 0.7, covers: 0.4, mask: None };
            let top = Played { clip: 2, frames: (0, 1), t: 0.5, covers, mask: Some(mask.clone()) };
            [base, middle, top].into_iter().take(layers).collect()
        };
        let locals = |played: &[Played]| -> Vec<Rows> {
            let layers = layers(&rig, played);
            (0..60).map(|node| anim_core::layer_blend::blend_node(&layers, node)).collect()
        };
        let below = locals(&played(0.0, 2));
        let mut before = below.clone();
        for step in (0..=400).chain((0..400).rev()) {
            let here = locals(&played(step as f32 / 400.0, 3));
            for node in 0..60 {
                let change = |from: &Rows| {
                    from.as_flattened()
                        .iter()
                        .zip(here[node].as_flattened())
                        .fold(0.0f32, |most, (a, b)| most.max((a - b).abs()))
                };
                let moves = mask[node / 32] >> (node % 32) & 1 == 1;
                assert!(
                    change(&before[node]) < if moves { 0.05 } else { 0.0 } + 1e-7,
                    "{seed} {node} {step}"
                );
                assert!(moves || here[node] == below[node]);
            }
            before = here;
        }
        assert_eq!(before, below);
    }
}
