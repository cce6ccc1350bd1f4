//! The bake, step by step.

use anim_core::glam::DAffine3;
use anim_format::model::{
    AnimFile, Bounds, Content, Encoding, Extent, HashOf, Metadata, PageSet, SourceHash,
};

use crate::Baked;
use crate::assemble::{
    clip_tables, extent, local_tables, material_tables, mesh_bytes, part_tables, rows_tables, skeleton_tables,
};
use crate::attachments::{AttachmentPoint, find_attachments};
use crate::bones::{BoneTable, collect_bones};
use crate::bounds::{clip_bounds, join};
use crate::budget::{Chosen, ErrorLimit, SetPlan, choose};
use crate::clip_plan::{ClipPlan, plan_clips};
use crate::diagnostics::{BakeError, Diagnostic};
use crate::evaluate::{ClipCurves, MeshInstance, mesh_instances};
use crate::fade_reach::fade_overshoot;
use crate::geometry::{Geometry, build_geometry};
use crate::gltf::Import;
use crate::hashes::{settings_hash, settings_list, topology_hash};
use crate::ids;
use crate::local_tracks::bake_local;
use crate::masks::find_masks;
use crate::measure::{Subject, measure_subject};
use crate::mirror::flip_mirrored_triangles;
use crate::packed_vertex::PackedVertex;
use crate::pages::bake_pages;
use crate::settings::{BakeSettings, content_of, default_encoding, encoding_name};
use crate::source::SourceAsset;
use crate::warnings::warn_about_result;

/// Bakes an imported model.
///
/// # Errors
///
/// Every problem of the settings, the clips and the sizes.
pub fn bake_import(import: &Import, settings: &BakeSettings) -> Result<Baked, BakeError> {
    let asset = &import.asset;
    let mut warnings = import.warnings.clone();
    let prepared = prepare(asset, settings, &mut warnings)?;
    let Chosen { sets, choices } = choose(asset, settings, &prepared, &mut warnings)?;
    let Prepared { instances, table, rest_pose, mut geometry, mut file, .. } = prepared;

    // Poses to texels, and what these do with the vertices.
    let skeleton = Skeleton { asset, table: &table, rest_pose: &rest_pose };
    add_tracks(&mut file, skeleton, &sets, settings.max_texture_size)?;
    let mixed = flip_mirrored_triangles(&file, &mut geometry);
    let part_bounds = add_bounds(&mut file, &geometry, &table);
    check_reach(&file)?;
    part_tables(&mut file, asset, &geometry, &part_bounds, &mixed, settings.mesh);
    if settings.mesh {
        material_tables(&mut file, asset, &geometry, settings.images);
        file.mesh = Some(mesh_bytes(&geometry));
    } else {
        material_tables(&mut file, asset, &geometry, false);
    }

    // How exact it is, and what it was made from.
    let measure_set = |(page_set, set): (u32, &SetPlan)| {
        let (geometry, bones) = (&geometry, table.bones());
        let subject = Subject { asset, file: &file, geometry, bones, clips: &set.clips, page_set };
        measure_subject(&subject, settings.exhaustive)
    };
    let accuracy = (0..).zip(&sets).map(measure_set).collect();
    let settings_used = settings_list(settings);
    file.hashes = vec![
        SourceHash { of: HashOf::Source, sha256: import.source_sha256 },
        SourceHash { of: HashOf::Settings, sha256: settings_hash(&settings_used) },
        SourceHash { of: HashOf::Topology, sha256: topology_hash(asset, &instances) },
    ];
    file.metadata = Some(Metadata {
        generator: concat!("anim-bake ", env!("CARGO_PKG_VERSION")).into(),
        source_names: Some(settings.source_name.clone())
            .filter(|name| !name.is_empty())
            .into_iter()
            .collect(),
        settings: settings_used,
        accuracy,
    });
    warn_about_result(asset, &file, &geometry, &mut warnings);
    Ok(Baked { file, warnings, choices })
}

/// What is there before anything is sampled.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub(crate) clips: Vec<ClipPlan>,
    pub(crate) instances: Vec<MeshInstance>,
    pub(crate) table: BoneTable,
    /// `model_from_node` of every source node at rest.
    pub(crate) rest_pose: Vec<DAffine3>,
    pub(crate) geometry: Geometry,
    /// Extent, nodes, bones, attachment points and masks.
    pub(crate) file: AnimFile<'static>,
}

/// Plans clips, attachment points and bones, and puts the vertices together.
pub(crate) fn prepare(
    asset: &SourceAsset,
    settings: &BakeSettings,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Prepared, BakeError> {
    check_settings(settings)?;
    let (clips, attachments) = plan(asset, settings, warnings)?;
    let instances = mesh_instances(asset);
    let attachment_nodes: Vec<usize> = attachments.iter().map(|point| point.node).collect();
    let table = collect_bones(asset, &instances, &clips, &attachment_nodes);
    check_counts(&table, &instances, warnings)?;
    let mut file = empty_file();
    skeleton_tables(&mut file, asset, &table, &attachments);
    file.masks = find_masks(&file, settings, warnings).map_err(BakeError::Problems)?;
    let rest_pose = ClipCurves::new(asset, None).model_poses(0.0);
    let geometry = build_geometry(asset, &instances, &table, &rest_pose, settings.max_influences)
        .ok_or_else(too_many_vertices)?;
    file.extent = extent(asset, &instances, &table, &rest_pose, &geometry);
    Ok(Prepared { clips, instances, table, rest_pose, geometry, file })
}

/// What all clips are sampled on.
#[derive(Clone, Copy)]
pub(crate) struct Skeleton<'a> {
    pub(crate) asset: &'a SourceAsset,
    pub(crate) table: &'a BoneTable,
    pub(crate) rest_pose: &'a [DAffine3],
}

/// Adds clips, and a page set for each encoding, to a file with extent, nodes and bones.
pub(crate) fn add_tracks(
    file: &mut AnimFile<'static>,
    skeleton: Skeleton<'_>,
    sets: &[SetPlan],
    max_texture_size: u32,
) -> Result<(), BakeError> {
    let Skeleton { asset, table, rest_pose } = skeleton;
    if let Some(first) = sets.first() {
        clip_tables(file, &first.clips);
    }
    for SetPlan { encoding, clips } in sets {
        let encoding = *encoding;
        if content_of(encoding) == Content::Local {
            let local = bake_local(asset, file, clips, rest_pose, encoding, max_texture_size)
                .map_err(BakeError::Problems)?;
            local_tables(file, clips, local);
        } else {
            let pages =
                bake_pages(asset, table, clips, encoding, max_texture_size).map_err(BakeError::Problems)?;
            rows_tables(file, clips, pages);
        }
    }
    Ok(())
}

/// Only the texels of rows: samples every clip, walks the hierarchy, applies the inverse bind matrices and packs the rows.
///
/// For programs with a file format of their own, and for benches of just this work. The encoding is that of the rows in
/// `settings`, or the usual one where there is none.
///
/// # Errors
///
/// Every problem of the settings, the clips and the sizes.
pub fn bake_rows(asset: &SourceAsset, settings: &BakeSettings) -> Result<PageSet<'static>, BakeError> {
    check_settings(settings)?;
    let mut warnings = Vec::new();
    let (clips, attachments) = plan(asset, settings, &mut warnings)?;
    let attachment_nodes: Vec<usize> = attachments.iter().map(|point| point.node).collect();
    let instances = mesh_instances(asset);
    let table = collect_bones(asset, &instances, &clips, &attachment_nodes);
    check_counts(&table, &instances, &mut warnings)?;
    let rows = |encoding: &Encoding| content_of(*encoding) == Content::Rows;
    let encoding =
        settings.encodings.iter().copied().find(rows).unwrap_or_else(|| default_encoding(Content::Rows));
    bake_pages(asset, &table, &clips, encoding, settings.max_texture_size)
        .map(|pages| pages.set)
        .map_err(BakeError::Problems)
}

/// Clips and attachment points, or every problem of both.
fn plan(
    asset: &SourceAsset,
    settings: &BakeSettings,
    warnings: &mut Vec<Diagnostic>,
) -> Result<(Vec<ClipPlan>, Vec<AttachmentPoint>), BakeError> {
    let clips = plan_clips(asset, settings, warnings);
    let attachments = find_attachments(asset, settings, warnings);
    match (clips, attachments) {
        (Ok(clips), Ok(attachments)) => Ok((clips, attachments)),
        (clips, attachments) => {
            let mut problems = clips.err().unwrap_or_default();
            problems.extend(attachments.err().unwrap_or_default());
            Err(BakeError::Problems(problems))
        }
    }
}

fn check_settings(settings: &BakeSettings) -> Result<(), BakeError> {
    let mut problems = Vec::new();
    let mut check = |fine: bool, option: &str, expected: &str, found: String| {
        if !fine {
            let what = format!("{option} is outside its range");
            let problem = Diagnostic::error(ids::SETTING_OUT_OF_RANGE, "", what);
            problems.push(problem.expected_found(expected, found).help("choose a value in the range"));
        }
    };
    for content in [Content::Local, Content::Rows] {
        let of_content: Vec<&str> = settings
            .encodings
            .iter()
            .filter(|encoding| content_of(**encoding) == content)
            .map(|encoding| encoding_name(*encoding))
            .collect();
        let expected = "at most one encoding of local tracks and one of rows";
        check(of_content.len() <= 1, "--encoding", expected, of_content.join(", "));
    }
    check(!settings.encodings.is_empty(), "--encoding", "at least one encoding", "none".into());
    if let Some(budget) = &settings.budget {
        if let Some(limit) = budget.max_error {
            let (ErrorLimit::OfModelSize(number) | ErrorLimit::Metres(number)) = limit;
            let expected = "more than 0, of model size or metres";
            check(number > 0.0 && number.is_finite(), "--max-error", expected, number.to_string());
        }
        if let Some(degrees) = budget.max_normal_degrees {
            let expected = "more than 0 and at most 180 degrees";
            check(degrees > 0.0 && degrees <= 180.0, "--max-normal-error", expected, degrees.to_string());
        }
        let none = budget.max_error.is_none() && budget.max_normal_degrees.is_none();
        check(!none, "budget", "a largest error or a largest normal error", "neither".into());
        check(
            settings.rate_hz.is_none(),
            "--rate",
            "none beside a budget, which chooses it",
            "a rate".into(),
        );
    }
    if let Some(rate) = settings.rate_hz {
        check(rate > 0.0 && rate <= 1000.0, "--rate", "more than 0 and at most 1000 Hz", rate.to_string());
    }
    let size = settings.max_texture_size;
    let range = anim_core::limits::TEXTURE_SIZE_RANGE;
    check(range.contains(&size), "--max-texture-size", "64 to 16384 texels", size.to_string());
    let kept = settings.max_influences;
    check((1..=4).contains(&kept), "--max-influences", "1 to 4", kept.to_string());
    if problems.is_empty() { Ok(()) } else { Err(BakeError::Problems(problems)) }
}

fn check_counts(
    table: &BoneTable,
    instances: &[MeshInstance],
    warnings: &mut Vec<Diagnostic>,
) -> Result<(), BakeError> {
    let bones = table.bones().len();
    if bones == 0 {
        let what = "the scene has no mesh, no skin and no attachment point";
        return Err(Diagnostic::error(ids::NOTHING_TO_BAKE, "scenes", what)
            .expected_found("at least one of them", "none")
            .help("choose another scene with --scene, or name a node with --attach")
            .into());
    }
    if bones > anim_core::limits::BONES_MAX {
        return Err(Diagnostic::error(ids::TOO_MANY_BONES, "skins", "the model has too many bones")
            .expected_found(format!("at most {}", anim_core::limits::BONES_MAX), bones)
            .help("a bone is a distinct pair of joint and inverse bind matrix; split the model")
            .into());
    }
    if instances.is_empty() {
        warnings.push(
            Diagnostic::warning(ids::NO_MESH, "scenes", "the scene has no mesh: nothing will be drawn")
                .expected_found("a node with a mesh", "none")
                .help("the joints of all skins are baked, and accuracy is not measured"),
        );
    }
    Ok(())
}

fn too_many_vertices() -> BakeError {
    Diagnostic::error(ids::TOO_MANY_VERTICES, "meshes", "the scene has too many vertices")
        .expected_found("at most 4,194,304, counted once for each node that shows a mesh", "more")
        .help("simplify the meshes or bake fewer nodes")
        .into()
}

/// Finite numbers of a source can meet in a sum or a product that `f32` cannot hold.
fn check_reach(file: &AnimFile<'_>) -> Result<(), BakeError> {
    let too_far = |what: &str, found: f32| {
        Diagnostic::error(ids::VALUE_NOT_ENCODABLE, "meshes", what)
            .expected_found("sizes of which 32-bit floating point can hold the square", found)
            .help("check the model's positions, scales and key values")
    };
    let mut problems = Vec::new();
    if !file.extent.fade_overshoot_metres.is_finite() {
        let what = "vertices can be further away than can be stored while clips blend";
        problems.push(too_far(what, file.extent.fade_overshoot_metres));
    }
    if !file.extent.model_size_metres.is_finite() {
        problems.push(too_far("the model in its rest pose is larger than can be stored", f32::INFINITY));
    }
    for clip in &file.clips {
        let Bounds { box_min, box_max, sphere_center, sphere_radius } = clip.bounds;
        let numbers =
            [&box_min[..], &box_max[..], &sphere_center[..], &[sphere_radius, clip.loop_gap_metres]];
        if let Some(found) = numbers.into_iter().flatten().find(|number| !number.is_finite()) {
            let what = "vertices of the clip are further away than can be stored";
            problems.push(too_far(what, *found).in_clip(&*clip.name));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(BakeError::Problems(problems)) }
}

/// Bounds and loop gap of every clip; returns the bounds of every part over all clips.
fn add_bounds(file: &mut AnimFile<'static>, geometry: &Geometry, table: &BoneTable) -> Vec<Option<Bounds>> {
    let joints;
    let measured = if geometry.positions.is_empty() {
        joints = Geometry::of_joints(table);
        &joints
    } else {
        geometry
    };
    let packed = PackedVertex::all(measured, &file.extent, !geometry.positions.is_empty());
    let bounds = clip_bounds(file, measured, &packed);
    let mut of_parts = vec![None; geometry.parts.len()];
    for (clip, bounds) in file.clips.iter_mut().zip(bounds) {
        clip.bounds = bounds.whole.unwrap_or_default();
        clip.loop_gap_metres = bounds.loop_gap_metres;
        for (of_part, here) in of_parts.iter_mut().zip(bounds.parts) {
            *of_part = join(*of_part, here);
        }
    }
    file.extent.fade_overshoot_metres = fade_overshoot(file, measured, &packed);
    of_parts
}

/// A file without anything in it.
pub(crate) fn empty_file() -> AnimFile<'static> {
    AnimFile {
        extent: Extent::default(),
        nodes: Vec::new(),
        bones: Vec::new(),
        clips: Vec::new(),
        page_sets: Vec::new(),
        constant_pool: Vec::new(),
        local_records: Vec::new(),
        masks: Vec::new(),
        attachments: Vec::new(),
        parts: Vec::new(),
        materials: Vec::new(),
        images: Vec::new(),
        mesh: None,
        hashes: Vec::new(),
        metadata: None,
    }
}
