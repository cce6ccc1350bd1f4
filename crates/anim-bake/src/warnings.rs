//! What the author of a model should know about its bake.

use anim_format::model::{Accuracy, AnimFile, ClipMode};

use crate::diagnostics::Diagnostic;
use crate::geometry::Geometry;
use crate::ids;
use crate::patterns::list_of;
use crate::settings::encoding_name;
use crate::source::SourceAsset;

/// A loop whose ends are further apart than this share of the model's size visibly jumps.
const LOOP_GAP_SHARE: f64 = 0.005;

/// Playback that is further from the source than this share of the model's size is seen by anybody.
const INEXACT_SHARE: f64 = 0.05;

/// Adds the warnings that need the finished bake.
pub(crate) fn warn_about_result(
    asset: &SourceAsset,
    file: &AnimFile<'_>,
    geometry: &Geometry,
    warnings: &mut Vec<Diagnostic>,
) {
    // Losses and jumps are the same in every page set.
    let reports = file.metadata.as_ref().map(|metadata| &metadata.accuracy);
    let Some((accuracy, reports)) = reports.and_then(|reports| Some((reports.first()?, reports))) else {
        return;
    };
    let share = |metres: f64| 100.0 * metres / accuracy.model_size_metres.max(f64::MIN_POSITIVE);
    for part in &file.parts {
        let path = format!("meshes[{}].primitives[{}]", part.source_mesh, part.source_primitive);
        if part.flags.double_sided {
            warnings.push(
                Diagnostic::warning(
                    ids::PART_MIRRORS_SOMETIMES,
                    &path,
                    format!(
                        "part {:?} is mirrored in some frames or by some of its bones and not by others",
                        part.name
                    ),
                )
                .expected_found("always or never", "both")
                .help("it is drawn from both sides"),
            );
        }
        if part.flags.not_triangles {
            warnings.push(
                Diagnostic::warning(ids::PRIMITIVE_NOT_DRAWN, &path, "the primitive is points or lines")
                    .expected_found("triangles", "points or lines")
                    .help("its vertices are kept, and it is not drawn"),
            );
        }
    }
    warn_about_morphs(asset, geometry, accuracy.morph_loss_max_metres, warnings);
    if !geometry.dropped.is_empty() {
        let loss = accuracy.influence_loss_max_metres;
        warnings.push(
            Diagnostic::warning(
                ids::INFLUENCES_DROPPED,
                "meshes",
                format!("{} vertices have more influences than are kept", geometry.dropped.len()),
            )
            .expected_found(
                "as many as --max-influences",
                "more; the largest are kept and divided by their sum",
            )
            .help(format!(
                "the largest distance that this makes is {loss:.6} m, {:.4} % of the model's size",
                share(loss)
            )),
        );
    }
    if geometry.weightless > 0 {
        warnings.push(
            Diagnostic::warning(
                ids::WEIGHTLESS_VERTICES,
                "meshes",
                format!("{} vertices of skinned meshes have no weight at all", geometry.weightless),
            )
            .expected_found("a weight above 0", "none")
            .help("each follows the first joint that it names, as other engines do"),
        );
    }
    warn_about_loops(file, warnings);
    let inexact = |report: &&Accuracy| report.playback.max_metres > INEXACT_SHARE * report.model_size_metres;
    for (accuracy, set) in reports.iter().zip(&file.page_sets).filter(|(report, _)| inexact(report)) {
        let Some(worst) = accuracy.playback.worst else { continue };
        let clip = &file.clips[worst.clip as usize].name;
        warnings.push(
            Diagnostic::warning(
                ids::PLAYBACK_INEXACT,
                "animations",
                format!("playback of {} is far from the source between frames", encoding_name(set.encoding)),
            )
            .in_clip(clip.to_string())
            .expected_found(
                format!("at most {} % of the model's size", INEXACT_SHARE * 100.0),
                format!("{:.2} % at {:.4} s", share(accuracy.playback.max_metres), worst.time_seconds),
            )
            .help("raise --rate: twice the rate makes it about four times smaller"),
        );
    }
    if accuracy.left_out_intervals > 0 {
        warnings.push(
            Diagnostic::warning(
                ids::JUMPS_MOVED,
                "animations",
                format!("{} intervals between frames hold a jump (STEP keys)", accuracy.left_out_intervals),
            )
            .expected_found("jumps at frames", "jumps between them")
            .help(format!(
                "each jump is at the nearest frame, at most {:.4} s away, and the error figures leave these intervals out",
                accuracy.largest_shift_seconds
            )),
        );
    }
}

fn warn_about_morphs(
    asset: &SourceAsset,
    geometry: &Geometry,
    loss_metres: f64,
    warnings: &mut Vec<Diagnostic>,
) {
    let mut meshes: Vec<usize> = Vec::new();
    for part in &geometry.parts {
        let primitive = &asset.meshes[part.instance.mesh].primitives[part.instance.primitive];
        if !primitive.morph_targets.is_empty() && !meshes.contains(&part.instance.mesh) {
            meshes.push(part.instance.mesh);
        }
    }
    for mesh in meshes {
        let name = asset.meshes[mesh].name.clone().unwrap_or_default();
        warnings.push(
            Diagnostic::warning(
                ids::MORPH_TARGETS_LOST,
                format!("meshes[{mesh}]"),
                format!("morph targets of mesh {name:?} are not in a bone bake"),
            )
            .expected_found("movement by bones", "movement by morph targets")
            .help(format!(
                "the mesh keeps its weights at rest; over all meshes and clips this makes at most {loss_metres:.6} m"
            )),
        );
    }
}

fn warn_about_loops(file: &AnimFile<'_>, warnings: &mut Vec<Diagnostic>) {
    let size = f64::from(file.extent.model_size_metres);
    let jumps = |clip: &&anim_format::model::Clip<'_>| {
        clip.mode == ClipMode::Loop && f64::from(clip.loop_gap_metres) > LOOP_GAP_SHARE * size
    };
    let clips: Vec<String> = file.clips.iter().filter(jumps).map(|clip| clip.name.to_string()).collect();
    let gaps = file.clips.iter().filter(jumps).map(|clip| clip.loop_gap_metres);
    let largest = gaps.fold(0.0f32, f32::max);
    if !clips.is_empty() {
        warnings.push(
            Diagnostic::warning(
                ids::LOOP_GAP,
                "animations",
                match clips.len() {
                    1 => "a looping clip does not end in the pose in which it starts".to_owned(),
                    n => format!("{n} looping clips do not end in the pose in which they start"),
                },
            )
            .expected_found(
                format!("a gap of at most {} % of the model's size", LOOP_GAP_SHARE * 100.0),
                format!("up to {largest:.4} m in {}", list_of(&clips)),
            )
            .help("name clips that end with --once, or close the loops in the source"),
        );
    }
}
