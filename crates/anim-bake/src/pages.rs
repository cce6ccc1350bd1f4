//! Clips to pages: planned on sizes alone, then filled in parallel.

use std::borrow::Cow;

use anim_core::limits::ROWS_PER_BONE;
use anim_core::texel::track_texels;
use anim_format::model::{Content, Encoding, PageSet};
use anim_format::page_split::{PageSplitError, split_pages};
use anim_format::playback::rows_encoding;

use crate::assemble::texel_format;
use crate::bone_texture::bake_clip;
use crate::bones::BoneTable;
use crate::clip_plan::ClipPlan;
use crate::diagnostics::Diagnostic;
use crate::geometry::index;
use crate::ids;
use crate::parallel;
use crate::source::SourceAsset;

/// Largest sum of all pages of one bake: what a program can be expected to hold in memory at once.
pub(crate) const PAGES_BYTES_MAX: u64 = 2 << 30;

/// The rows page set, and page and first texel of each clip in it.
pub(crate) struct BakedPages {
    pub(crate) set: PageSet<'static>,
    pub(crate) places: Vec<(u32, u32)>,
}

/// Plans and fills the rows page set. Nothing is sampled or allocated before all sizes are known to fit.
pub(crate) fn bake_pages(
    asset: &SourceAsset,
    table: &BoneTable,
    clips: &[ClipPlan],
    stored: Encoding,
    max_texture_size: u32,
) -> Result<BakedPages, Vec<Diagnostic>> {
    let encoding = rows_encoding(stored).expect("the settings were checked: rows");
    let bones = index(table.bones().len());
    let texels: Vec<u64> = clips
        .iter()
        .map(|clip| u64::try_from(track_texels(0, clip.frames(), bones, ROWS_PER_BONE)).unwrap_or(u64::MAX))
        .collect();
    let plan = split_pages(&texels, index(encoding.texel_bytes()), max_texture_size).map_err(|problem| {
        let plans: Vec<&ClipPlan> = clips.iter().collect();
        let what = |clip: usize| format!("{} frames x {bones} bones x 3", plans[clip].frames());
        vec![split_problem(&problem, &plans, what)]
    })?;
    let page_bytes = u64::from(plan.width) * u64::from(plan.height) * encoding.texel_bytes() as u64;
    let total_bytes = page_bytes * u64::from(plan.page_count);
    if total_bytes > PAGES_BYTES_MAX {
        return Err(vec![too_large(total_bytes)]);
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 128 MiB")]
    let mut pages: Vec<Vec<u8>> = (0..plan.page_count).map(|_| vec![0; page_bytes as usize]).collect();
    let places: Vec<(u32, u32)> = plan.placements.iter().map(|p| (p.page, p.first_texel)).collect();
    let pieces = carve(&mut pages, &places, &texels, encoding.texel_bytes());
    let results = parallel::map(pieces, |(clip, texels)| {
        bake_clip(asset, table.bones(), &clips[clip], encoding, texels).map_err(|problem| (clip, problem))
    });
    let mut problems: Vec<(usize, Diagnostic)> = results.into_iter().filter_map(Result::err).collect();
    if !problems.is_empty() {
        problems.sort_by_key(|(clip, _)| *clip);
        return Err(problems.into_iter().map(|(_, problem)| problem).collect());
    }
    let set = PageSet {
        content: Content::Rows,
        encoding: stored,
        texel_format: texel_format(stored),
        width: plan.width,
        height: plan.height,
        pages: pages.into_iter().map(Cow::Owned).collect(),
    };
    Ok(BakedPages { set, places })
}

/// The bytes of each clip, cut out of the pages so that all can be filled at once.
fn carve<'p>(
    pages: &'p mut [Vec<u8>],
    places: &[(u32, u32)],
    texels: &[u64],
    texel_bytes: usize,
) -> Vec<(usize, &'p mut [u8])> {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|clip| places[*clip]);
    let mut order = order.into_iter().peekable();
    let mut pieces = Vec::with_capacity(places.len());
    for (number, page) in pages.iter_mut().enumerate() {
        let mut rest: &mut [u8] = page;
        let mut start = 0;
        while let Some(clip) = order.next_if(|clip| places[*clip].0 as usize == number) {
            let first = places[clip].1 as usize * texel_bytes;
            let length = usize::try_from(texels[clip]).expect("a clip fits its page") * texel_bytes;
            let (_, from_clip) = rest.split_at_mut(first - start);
            let (piece, after) = from_clip.split_at_mut(length);
            pieces.push((clip, piece));
            (rest, start) = (after, first + length);
        }
    }
    pieces
}

/// The problem of a bake whose pages would be larger than [`PAGES_BYTES_MAX`].
pub(crate) fn too_large(total_bytes: u64) -> Diagnostic {
    Diagnostic::error(ids::BAKE_TOO_LARGE, "animations", "the baked pages are too large")
        .expected_found(format!("at most {PAGES_BYTES_MAX} bytes"), format!("{total_bytes} bytes"))
        .help("lower --rate, choose clips with --clip, or spread them over several files")
}

/// Why clips cannot be placed. `needs` says what the texels of a clip are made of.
pub(crate) fn split_problem(
    problem: &PageSplitError,
    clips: &[&ClipPlan],
    needs: impl Fn(usize) -> String,
) -> Diagnostic {
    match *problem {
        PageSplitError::ClipTooLarge { clip, texels_needed, texels_per_page, .. } => {
            let plan = clips[clip];
            let path = plan.source.map(|source| format!("animations[{source}]")).unwrap_or_default();
            Diagnostic::error(ids::CLIP_DOES_NOT_FIT, path, "the clip does not fit into one page")
                .in_clip(&plan.name)
                .expected_found(
                    format!("at most {texels_per_page} texels"),
                    format!("{texels_needed} texels: {}", needs(clip)),
                )
                .help(
                    "lower --rate, raise --max-texture-size, choose a smaller --encoding, or split the clip",
                )
        }
        ref other => Diagnostic::error(ids::TOO_MANY_PAGES, "animations", other.to_string())
            .help("raise --max-texture-size, lower --rate, choose clips with --clip, or bake several files"),
    }
}
