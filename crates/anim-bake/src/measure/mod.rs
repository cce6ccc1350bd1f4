//! How far playback of a file is from its source: the accuracy contract.

mod clip;
mod losses;
mod moment;
mod normals;
mod of_file;
mod profile;
mod sample;
mod trade_off;
mod trial;
mod truth;

pub(crate) use clip::StopAbove;
pub use profile::{ErrorMoment, ErrorProfile, Profiles};
pub use trade_off::{TradeOff, TradePoint, TradeRate, trade_off};
pub use trial::{Trial, Trials};

use std::fmt::Display;

use anim_core::error_metric::{ErrorHistogram, angle_degrees};
use anim_core::vertex_packing::{pack_normal, unpack_normal};
use anim_format::model::{Accuracy, AnimFile, ErrorFigures, HashOf};

use crate::bones::{BoneTable, SourceBone};
use crate::clip_plan::{ClipPlan, replan_clips};
use crate::diagnostics::{BakeError, Diagnostic};
use crate::evaluate::{ClipCurves, mesh_instances};
use crate::geometry::{Geometry, build_geometry, index};
use crate::hashes::topology_hash;
use crate::ids;
use crate::parallel;
use crate::source::SourceAsset;

use clip::{ClipMeasure, measure_clip};
use sample::VertexSample;

/// Clips whose figures are in memory at once: a quarter of a megabyte each.
const CLIPS_AT_ONCE: usize = 256;

/// A page set of a file, and the source it was made from in the file's own terms.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) asset: &'a SourceAsset,
    pub(crate) file: &'a AnimFile<'a>,
    pub(crate) geometry: &'a Geometry,
    pub(crate) bones: &'a [SourceBone],
    pub(crate) clips: &'a [ClipPlan],
    pub(crate) page_set: u32,
}

/// Measures a file against its source: one report for each page set, in order.
///
/// `exhaustive` measures every vertex at 16 times an interval; otherwise a sample of the vertices at a few times, and
/// every vertex where the sample is worst.
///
/// # Errors
///
/// If the file was not made from this source: a clip, a bone, or the vertex order and topology differs.
pub fn measure(
    asset: &SourceAsset,
    file: &AnimFile<'_>,
    exhaustive: bool,
) -> Result<Vec<Accuracy>, BakeError> {
    let (table, geometry) = geometry_of_file(asset, file)?;
    let measure_set = |page_set: u32| {
        let clips = plans_of_file(asset, file, page_set)?;
        let bones = table.bones();
        let subject = Subject { asset, file, geometry: &geometry, bones, clips: &clips, page_set };
        Ok(measure_subject(&subject, exhaustive))
    };
    (0..index(file.page_sets.len())).map(measure_set).collect()
}

/// The plans that a page set of a file was baked from.
fn plans_of_file(
    asset: &SourceAsset,
    file: &AnimFile<'_>,
    page_set: u32,
) -> Result<Vec<ClipPlan>, BakeError> {
    replan_clips(asset, file, page_set).map_err(|name| {
        let expected = format!("a clip named {name:?}");
        other_source("the source lacks a clip of the file", expected, "none")
    })
}

/// Bones and vertices of a file, made again from its source.
fn geometry_of_file(asset: &SourceAsset, file: &AnimFile<'_>) -> Result<(BoneTable, Geometry), BakeError> {
    if !file.page_sets.iter().all(|set| set.content.makes_matrices()) {
        let what = "the file holds vertices, which are not measured yet";
        return Err(Diagnostic::error(ids::VERTICES_NOT_MEASURED, "", what)
            .expected_found("page sets of local tracks and of rows", "one of vertices")
            .help("check it without --source")
            .into());
    }
    let instances = mesh_instances(asset);
    let topology = topology_hash(asset, &instances);
    if let Some(stored) = file.hashes.iter().find(|hash| hash.of == HashOf::Topology)
        && stored.sha256 != topology
    {
        let expected = "the vertex order and topology that the file was baked from";
        return Err(other_source("the source's meshes are not those of the file", expected, "another"));
    }
    let mut bones = Vec::with_capacity(file.bones.len());
    for bone in &file.bones {
        let node = match bone.node {
            Some(node) => {
                let number = file.nodes[node as usize].source_node;
                let node = number as usize;
                if node >= asset.nodes.len() {
                    let found = format!("{} nodes", asset.nodes.len());
                    let expected = format!("node {number}");
                    return Err(other_source("the source lacks a node of the file", expected, found));
                }
                Some(node)
            }
            None => None,
        };
        bones.push(SourceBone { node, bone_from_bind: bone.bone_from_bind });
    }
    let table = BoneTable::from_bones(bones);
    let rest = ClipCurves::new(asset, None).model_poses(0.0);
    let kept = kept_influences(file);
    let geometry = build_geometry(asset, &instances, &table, &rest, kept).ok_or_else(|| {
        other_source("the source's skins are not those of the file", "the file's bones", "others")
    })?;
    Ok((table, geometry))
}

fn other_source(what: &str, expected: impl Display, found: impl Display) -> BakeError {
    Diagnostic::error(ids::OTHER_SOURCE, "", what)
        .expected_found(expected, found)
        .help("verify against the model that the file was baked from, or bake again")
        .into()
}

/// Influences that the file's vertices keep, from its settings.
fn kept_influences(file: &AnimFile<'_>) -> usize {
    let settings = file.metadata.iter().flat_map(|metadata| &metadata.settings);
    let stored =
        settings.filter(|(name, _)| name == "max-influences").find_map(|(_, value)| value.parse().ok());
    stored.unwrap_or(anim_core::limits::INFLUENCES_MAX).clamp(1, anim_core::limits::INFLUENCES_MAX)
}

/// Measures all clips and adds them up, in clip order.
pub(crate) fn measure_subject(subject: &Subject<'_>, exhaustive: bool) -> Accuracy {
    let sample = VertexSample::new(subject, exhaustive);
    let numbers: Vec<usize> = (0..subject.clips.len()).collect();
    let mut accuracy = Accuracy {
        model_size_metres: f64::from(subject.file.extent.model_size_metres),
        influence_loss_vertices: index(subject.geometry.dropped.len()),
        packing_normal_max_degrees: packing_normal_degrees(subject.geometry),
        exhaustive,
        ..Accuracy::default()
    };
    let mut whole = ErrorHistogram::default();
    for clip in numbers.chunks(CLIPS_AT_ONCE).flat_map(|clips| {
        parallel::map(clips.to_vec(), |clip| measure_clip(subject, clip, &sample, exhaustive, None))
    }) {
        let figures = figures(&clip);
        whole.merge(&clip.histogram);
        let playback = &mut accuracy.playback;
        if playback.worst.is_none() || figures.max_metres > playback.max_metres {
            (playback.max_metres, playback.worst) = (figures.max_metres, figures.worst);
        }
        playback.normal_max_degrees = playback.normal_max_degrees.max(figures.normal_max_degrees);
        accuracy.clips.push(figures);
        accuracy.left_out_intervals += clip.left_out_intervals;
        accuracy.left_out_max_metres = accuracy.left_out_max_metres.max(clip.left_out_max);
        accuracy.largest_shift_seconds = accuracy.largest_shift_seconds.max(clip.largest_shift_seconds);
        accuracy.influence_loss_max_metres =
            accuracy.influence_loss_max_metres.max(clip.losses.influence_max);
        accuracy.morph_loss_max_metres = accuracy.morph_loss_max_metres.max(clip.losses.morph_max);
        accuracy.packing_max_metres = accuracy.packing_max_metres.max(clip.losses.packing_max);
    }
    let playback = &mut accuracy.playback;
    (playback.p999_metres, playback.mean_metres) = (whole.percentile(0.999), whole.mean());
    playback.rms_metres = whole.rms();
    playback.p999_metres = playback.p999_metres.min(playback.max_metres);
    playback.samples = whole.count();
    accuracy.total_max_metres = accuracy.playback.max_metres.max(accuracy.left_out_max_metres)
        + accuracy.influence_loss_max_metres
        + accuracy.morph_loss_max_metres
        + accuracy.packing_max_metres;
    accuracy
}

fn figures(clip: &ClipMeasure) -> ErrorFigures {
    let histogram = &clip.histogram;
    ErrorFigures {
        max_metres: clip.max,
        p999_metres: histogram.percentile(0.999).min(clip.max),
        mean_metres: histogram.mean(),
        rms_metres: histogram.rms(),
        normal_max_degrees: clip.normals.max_degrees,
        worst: clip.worst,
        samples: histogram.count(),
    }
}

/// Largest angle that packing a normal makes. Bones turn both alike, so the bind pose tells.
fn packing_normal_degrees(geometry: &Geometry) -> f64 {
    let angle = |normal: &[f32; 3]| {
        angle_degrees(normal.map(f64::from), unpack_normal(pack_normal(*normal)).map(f64::from))
    };
    geometry.normals.iter().map(angle).fold(0.0, f64::max)
}
