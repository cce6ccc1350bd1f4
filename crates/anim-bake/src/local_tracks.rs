//! The local page set of a bake: clips encoded in parallel, then records, constants and places in clip order.

use std::borrow::Cow;
use std::collections::BTreeMap;

use anim_core::glam::DAffine3;
use anim_core::limits::PAGE_BYTES_MAX;
use anim_core::local_record::{LocalRecord, LocalSource};
use anim_format::model::{AnimFile, Content, Encoding, PageSet};
use anim_format::page_split::split_pages;
use anim_format::playback::local_encoding;

use crate::assemble::texel_format;
use crate::clip_plan::ClipPlan;
use crate::diagnostics::Diagnostic;
use crate::geometry::index;
use crate::ids;
use crate::local_clip::{LocalClip, LocalNode, LocalPart, encode_clip};
use crate::local_pool::ConstantPool;
use crate::local_rest::LocalRest;
use crate::local_sample::can_move;
use crate::pages::{PAGES_BYTES_MAX, split_problem, too_large};
use crate::parallel;
use crate::source::{Property, SourceAsset};

/// The local page set, and where each clip's track is in it.
pub(crate) struct BakedLocal {
    pub(crate) set: PageSet<'static>,
    pub(crate) tracks: Vec<LocalPlace>,
}

/// The numbers of a local track.
#[derive(Clone, Copy)]
pub(crate) struct LocalPlace {
    pub(crate) page: u32,
    pub(crate) first_texel: u32,
    pub(crate) header_texels: u32,
    pub(crate) stored_frames: u32,
    pub(crate) elements_per_frame: u32,
    pub(crate) first_record: u32,
}

/// Bakes the local page set; adds local records and constants to the file, whose node table is filled.
///
/// How much a clip takes at most is worked out from its keys before anything is sampled or allocated.
pub(crate) fn bake_local(
    asset: &SourceAsset,
    file: &mut AnimFile<'static>,
    clips: &[ClipPlan],
    rest_pose: &[DAffine3],
    encoding: Encoding,
    max_texture_size: u32,
) -> Result<BakedLocal, Vec<Diagnostic>> {
    let local = local_encoding(encoding).expect("the settings were checked: local tracks");
    check_sizes(asset, file, clips, local.texel_bytes())?;
    let rest = LocalRest::new(asset, file, clips, rest_pose, local);
    let results = parallel::map(clips.iter().collect(), |clip| encode_clip(asset, &rest, clip, local));
    let mut encoded = Vec::with_capacity(clips.len());
    let mut problems = Vec::new();
    for result in results {
        match result {
            Ok(clip) => encoded.push(clip),
            Err(problem) => problems.push(problem),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }

    let first_records = add_records(file, &rest, &encoded);
    let owners = owners(&encoded);
    let own: Vec<usize> = (0..encoded.len()).filter(|clip| owners[*clip] == Some(*clip)).collect();
    let texels: Vec<u64> =
        own.iter().map(|clip| (encoded[*clip].texels.len() / local.texel_bytes()) as u64).collect();
    let plan = split_pages(&texels, index(local.texel_bytes()), max_texture_size).map_err(|problem| {
        let names: Vec<&ClipPlan> = own.iter().map(|clip| &clips[*clip]).collect();
        let what = |clip: usize| {
            let (frames, elements) = (names[clip].frames(), encoded[own[clip]].elements_per_frame);
            format!("{frames} frames x {elements} moving rotations, translations and scales")
        };
        vec![split_problem(&problem, &names, what)]
    })?;
    let page_bytes = u64::from(plan.width) * u64::from(plan.height) * local.texel_bytes() as u64;
    let page_count = plan.page_count.max(1);
    if page_bytes * u64::from(page_count) > PAGES_BYTES_MAX {
        return Err(vec![too_large(page_bytes * u64::from(page_count))]);
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 128 MiB")]
    let mut pages: Vec<Vec<u8>> = (0..page_count).map(|_| vec![0; page_bytes as usize]).collect();
    let mut places = vec![(0, 0); encoded.len()];
    for (clip, place) in own.iter().zip(&plan.placements) {
        places[*clip] = (place.page, place.first_texel);
        let start = place.first_texel as usize * local.texel_bytes();
        let texels = &encoded[*clip].texels;
        pages[place.page as usize][start..start + texels.len()].copy_from_slice(texels);
    }
    let tracks = encoded.iter().enumerate().map(|(number, clip)| {
        let (page, first_texel) = owners[number].map_or((0, 0), |owner| places[owner]);
        LocalPlace {
            page,
            first_texel,
            header_texels: clip.header_texels,
            stored_frames: clip.stored_frames,
            elements_per_frame: clip.elements_per_frame,
            first_record: first_records[number],
        }
    });
    let tracks = tracks.collect();
    let set = PageSet {
        content: Content::Local,
        encoding,
        texel_format: texel_format(encoding),
        width: plan.width,
        height: plan.height,
        pages: pages.into_iter().map(Cow::Owned).collect(),
    };
    Ok(BakedLocal { set, tracks })
}

/// Refuses clips that could take more than a page, and bakes that could take more than [`PAGES_BYTES_MAX`].
fn check_sizes(
    asset: &SourceAsset,
    file: &AnimFile<'_>,
    clips: &[ClipPlan],
    texel_bytes: usize,
) -> Result<(), Vec<Diagnostic>> {
    let mut is_in_file = vec![false; asset.nodes.len()];
    file.nodes.iter().for_each(|node| is_in_file[node.source_node as usize] = true);
    let mut total_bytes = (clips.len() * file.nodes.len()) as u64 * size_of::<LocalRecord>() as u64;
    let mut problems = Vec::new();
    for clip in clips {
        let channels = clip.source.iter().flat_map(|source| &asset.clips[*source].channels);
        let moving = channels.filter(|channel| {
            channel.property != Property::Weights && is_in_file[channel.node] && can_move(channel)
        });
        // A clip in which nothing moves is played frame by frame all the same, when it is measured.
        let elements = moving.count().max(1) as u64;
        let bytes = u64::from(clip.frames()) * elements * texel_bytes as u64;
        total_bytes = total_bytes.saturating_add(bytes);
        if bytes > PAGE_BYTES_MAX {
            let path = clip.source.map(|source| format!("animations[{source}]")).unwrap_or_default();
            problems.push(
                Diagnostic::error(ids::CLIP_DOES_NOT_FIT, path, "the clip does not fit into one page")
                    .in_clip(&clip.name)
                    .expected_found(
                        format!("at most {} texels", PAGE_BYTES_MAX / texel_bytes as u64),
                        format!(
                            "{} frames x {elements} moving rotations, translations and scales",
                            clip.frames()
                        ),
                    )
                    .help("lower --rate, choose --encoding local8, or split the clip"),
            );
        }
    }
    if problems.is_empty() && total_bytes > PAGES_BYTES_MAX {
        problems.push(too_large(total_bytes));
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Adds constants and records in clip order, the rest pose first; returns the first record of each clip. Clips whose
/// records are equal share them.
fn add_records(file: &mut AnimFile<'static>, rest: &LocalRest, clips: &[LocalClip]) -> Vec<u32> {
    let mut pool = ConstantPool::starting_with(std::mem::take(&mut file.constant_pool));
    for node in rest.nodes.iter().filter(|node| node.matrix_in_pool.is_none()) {
        for part in node.constants() {
            pool.place_of(&[part]);
        }
    }
    let mut first_of: BTreeMap<Vec<[u32; 4]>, u32> = BTreeMap::new();
    let mut first_records = Vec::with_capacity(clips.len());
    for clip in clips {
        let records: Vec<LocalRecord> = clip.nodes.iter().map(|node| record(node, &mut pool)).collect();
        let key = records.iter().map(|r| [r.rotation, r.translation, r.scale, r.ranges]).collect();
        let next = index(file.local_records.len());
        let first = *first_of.entry(key).or_insert(next);
        if first == next {
            file.local_records.extend(records);
        }
        first_records.push(first);
    }
    file.constant_pool = pool.into_entries();
    first_records
}

fn record(node: &LocalNode, pool: &mut ConstantPool) -> LocalRecord {
    let parts = match node {
        LocalNode::Matrix(first_entry) => return LocalRecord::matrix(*first_entry),
        LocalNode::Parts(parts) => parts,
    };
    let [rotation, translation, scale] = parts.map(|part| match part {
        LocalPart::Constant(value) => LocalSource::Constant(pool.place_of(&[value])),
        LocalPart::Slot(slot, _) => LocalSource::Slot(slot),
    });
    let ranges: Vec<[f32; 4]> = parts[1..]
        .iter()
        .filter_map(|part| match part {
            LocalPart::Slot(_, range) => *range,
            LocalPart::Constant(_) => None,
        })
        .collect();
    let ranges = if ranges.is_empty() { 0 } else { pool.place_of(&ranges) };
    LocalRecord::new(rotation, translation, scale, ranges)
}

/// For each clip the first one that has the same texels; `None` for a clip without texels.
fn owners(clips: &[LocalClip]) -> Vec<Option<usize>> {
    let mut first_of: BTreeMap<(&[u8], u32, u32, u32, u32), usize> = BTreeMap::new();
    let mut owners = Vec::with_capacity(clips.len());
    for (number, clip) in clips.iter().enumerate() {
        let LocalClip { texels, header_texels, frames, stored_frames, elements_per_frame, .. } = clip;
        let key = (&**texels, *header_texels, *frames, *stored_frames, *elements_per_frame);
        owners.push((!texels.is_empty()).then(|| *first_of.entry(key).or_insert(number)));
    }
    owners
}
