//! Fades of local tracks against a blend of the source itself in local space, as glTF engines do it; and fades of rows
//! against the same truth.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "small counts"
)]
#![allow(clippy::print_stdout, reason = "the figures of each model, with --nocapture")]

use anim_bake::evaluate::{ClipCurves, MeshInstance, compose, posed_vertices as source_vertices};
use anim_bake::source::SourceAsset;
use anim_bake::{BakeSettings, bake_import};
use anim_core::glam::{DAffine3, DQuat, DVec3};
use anim_core::hierarchy::{bone_rows, model_pose};
use anim_core::layer_blend::LocalLayer;
use anim_core::pose::NO_PARENT;
use anim_core::skin_reference::mix_rows;
use anim_core::trs::Trs;
use anim_format::AnimFile;
use anim_format::model::{Encoding, Interpolation, Rows};
use anim_format::playback::{local_track, local_view, palette_at, posed_vertices};
use anim_tests::models;
use anim_tests::random_layers::Random;
use anim_tests::rigs::share;

/// Fades of a model.
const FADES: u32 = 12;
/// Models with more clips take long to bake, and their fades are no others.
const CLIPS_MAX: usize = 25;
/// Vertices of a part that are compared.
const VERTICES: u32 = 150;

/// A moment of a clip: the frame before it, the share of the next one, and its time.
struct Place {
    clip: usize,
    frame: u32,
    share: f32,
    seconds: f64,
}

/// A place in a clip that neither steps nor jumps; `None` if there is no such clip.
fn place(file: &AnimFile<'_>, random: &mut Random) -> Option<Place> {
    let smooth = |clip: usize| {
        let (track, _) = local_track(file, &file.clips[clip])?;
        let moves =
            track.interpolation == Interpolation::Linear && track.held_frames.iter().all(|word| *word == 0);
        (moves && track.intervals > 0).then_some(track.intervals)
    };
    let clips: Vec<(usize, u32)> =
        (0..file.clips.len()).filter_map(|clip| Some((clip, smooth(clip)?))).collect();
    let (clip, intervals) = *clips.get(random.below(clips.len().max(1) as u32) as usize)?;
    let frame = random.below(intervals);
    let share = share(random) as f32;
    let interval = f64::from(file.clips[clip].duration_seconds) / f64::from(intervals);
    Some(Place { clip, frame, share, seconds: (f64::from(frame) + f64::from(share)) * interval })
}

/// The source's nodes between two clips, each blended in its own space; `None` where that is not well-defined: where two
/// rotations are so far apart that which way round is a matter of rounding, and for what is no rotation.
fn source_blend(
    asset: &SourceAsset,
    clips: [usize; 2],
    seconds: [f64; 2],
    weight: f64,
) -> Option<Vec<DAffine3>> {
    let locals = [0, 1].map(|side| {
        let mut locals = vec![DAffine3::IDENTITY; asset.nodes.len()];
        let curves = ClipCurves::new(asset, Some(&asset.clips[clips[side]]));
        curves.local_poses(seconds[side], seconds[side], &mut locals);
        locals
    });
    let mut blended = locals[0].clone();
    for (node, blended) in blended.iter_mut().enumerate() {
        let (a, b) = (Trs::from_affine(&locals[0][node]), Trs::from_affine(&locals[1][node]));
        let (Some(a), Some(b)) = (a, b) else {
            // A sheared node stands still. Keys that are no unit quaternions shear, too, and what a blend of those is, is
            // not said anywhere.
            if locals[0][node] == locals[1][node] {
                continue;
            }
            return None;
        };
        let dot = a.rotation.dot(b.rotation);
        if dot.abs() < 1e-3 {
            return None;
        }
        let rotation: DQuat = a.rotation * (1.0 - weight) + b.rotation * (weight * dot.signum());
        *blended = Trs {
            translation: a.translation.lerp(b.translation, weight),
            rotation: rotation.normalize(),
            scale: a.scale.lerp(b.scale, weight),
        }
        .to_affine();
    }
    let mut model = blended.clone();
    compose(asset, &blended, &mut model);
    Some(model)
}

/// The palette of a file of local tracks between two places.
fn local_blend(file: &AnimFile<'_>, places: [&Place; 2], weight: f32) -> Vec<Rows> {
    let parents: Vec<u32> = file.nodes.iter().map(|node| node.parent.unwrap_or(NO_PARENT)).collect();
    let layers = places.map(|place| {
        let (track, set) = local_track(file, &file.clips[place.clip]).expect("local tracks");
        let tracks = local_view(file, track, set);
        let moment = tracks.moment(place.frame, place.frame + 1, place.share);
        LocalLayer { tracks, moment, covers: weight, mask: None }
    });
    let mut nodes = vec![[[0.0; 4]; 3]; file.nodes.len()];
    model_pose(&parents, &layers, &mut nodes);
    let bone = |bone: &anim_format::model::Bone| match bone.node {
        Some(node) => bone_rows(&nodes[node as usize], &bone.bone_from_bind),
        None => bone.bone_from_bind,
    };
    file.bones.iter().map(bone).collect()
}

/// The same of a file of rows.
fn rows_blend(file: &AnimFile<'_>, places: [&Place; 2], weight: f32) -> Vec<Rows> {
    let palettes = places.map(|place| {
        let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
        palette_at(file, &file.clips[place.clip], place.seconds, &mut palette);
        palette
    });
    palettes[0].iter().zip(&palettes[1]).map(|(a, b)| mix_rows(a, b, weight)).collect()
}

/// The largest distance of the vertices of a palette from the source's, in metres.
fn largest_distance(file: &AnimFile<'_>, asset: &SourceAsset, model: &[DAffine3], palette: &[Rows]) -> f64 {
    let mut largest = 0.0f64;
    for part in &file.parts {
        let count = part.source_vertex_count;
        let (node, mesh, primitive) =
            (part.source_node as usize, part.source_mesh as usize, part.source_primitive as usize);
        let vertices: Vec<u32> = (0..count).step_by(count.div_ceil(VERTICES).max(1) as usize).collect();
        let weights: Vec<f64> = asset.nodes[node].weights.iter().map(|w| f64::from(*w)).collect();
        let instance = MeshInstance { node, mesh, primitive };
        let truth = source_vertices(asset, instance, model, &weights, Some(&vertices));
        for (vertex, truth) in vertices.iter().zip(&truth.positions) {
            let found = posed_vertices(file, part, palette, *vertex..*vertex + 1);
            let distance = DVec3::from_array(found[0].position.map(f64::from)) - DVec3::from_array(*truth);
            largest = largest.max(distance.length());
        }
    }
    largest
}

fn line(name: &str, mut shares: Vec<f64>) -> String {
    shares.sort_by(f64::total_cmp);
    let at = |share: f64| shares[((shares.len() - 1) as f64 * share) as usize] * 100.0;
    format!("| {name} | {:.4} % | {:.4} % | {:.4} % |", at(0.5), at(0.9), at(1.0))
}

#[test]
fn fades_of_local_tracks_are_those_of_the_source() {
    let mut random = Random(9);
    let (mut all_local, mut all_rows) = (Vec::new(), Vec::new());
    let mut paths = models::samples();
    paths.extend(models::corpus().into_iter().filter(|path| !models::is_refused(path)));
    println!("| model | median | 90th percentile | largest |");
    for path in paths {
        let import = models::import(&path);
        let asset = &import.asset;
        if !(2..=CLIPS_MAX).contains(&asset.clips.len()) {
            continue;
        }
        let bake = |encoding| {
            let settings =
                BakeSettings { encodings: vec![encoding], images: false, ..BakeSettings::default() };
            bake_import(&import, &settings).expect("a model that bakes").file
        };
        let (local, rows) = (bake(Encoding::Local8), bake(Encoding::Affine32));
        let accuracy = &local.metadata.as_ref().expect("metadata").accuracy[0];
        let size = accuracy.model_size_metres;
        if accuracy.playback.samples == 0 || size <= 0.0 {
            continue;
        }
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let (mut of_local, mut of_rows) = (Vec::new(), Vec::new());
        for _ in 0..FADES {
            let (Some(a), Some(b)) = (place(&local, &mut random), place(&local, &mut random)) else { break };
            let weight = share(&mut random) as f32;
            let seconds = [&a, &b].map(|p| p.seconds + f64::from(local.clips[p.clip].start_seconds));
            let blended = source_blend(asset, [a.clip, b.clip], seconds, f64::from(weight));
            let Some(model) = blended else { continue };
            let places = [&a, &b];
            let found = largest_distance(&local, asset, &model, &local_blend(&local, places, weight));
            // What each clip is off by, and what does not come from fading.
            let clips = [&a, &b].map(|place| accuracy.clips[place.clip].max_metres);
            let losses = accuracy.influence_loss_max_metres + accuracy.morph_loss_max_metres;
            let allowed = 1.5 * (clips[0] + clips[1]) + losses + 2e-5 * size;
            let (from, to) = (&local.clips[a.clip].name, &local.clips[b.clip].name);
            assert!(
                found <= allowed,
                "{name} {from} to {to} at {weight}: {found} m, allowed {allowed} of {size}"
            );
            of_local.push(found / size);
            of_rows.push(largest_distance(&rows, asset, &model, &rows_blend(&rows, places, weight)) / size);
        }
        if !of_local.is_empty() {
            println!(
                "{}\n{}",
                line(&format!("{name}, local"), of_local.clone()),
                line(&format!("{name}, rows"), of_rows.clone())
            );
            all_local.extend(of_local);
            all_rows.extend(of_rows);
        }
    }
    assert!(all_local.len() >= 20, "{} fades", all_local.len());
    println!("{}\n{}", line("all, local", all_local), line("all, rows", all_rows));
}
