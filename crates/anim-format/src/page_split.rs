//! Which clip lies on which page: from sizes alone, before anything is sampled.

use alloc::vec::Vec;

use anim_core::limits::{
    PAGE_BYTES_MAX, PAGE_WIDTH_MAX, PAGE_WIDTH_MIN, PAGES_PER_SET_MAX, TEXTURE_SIZE_RANGE,
};

/// Where the clips of a page set go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagePlan {
    /// Width of every page in texels.
    pub width: u32,
    /// Height of every page in texels: the rows of the fullest page, at least 1.
    pub height: u32,
    /// Pages; 0 without clips, at most 255.
    pub page_count: u32,
    /// One entry a clip, in the order in which they were given.
    pub placements: Vec<Placement>,
}

/// Where a clip goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The page.
    pub page: u32,
    /// First texel in the page.
    pub first_texel: u32,
}

/// Why clips cannot be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageSplitError {
    /// A clip is larger than a page.
    #[error(
        "clip {clip} needs {texels_needed} texels, and a page holds {texels_per_page} ({width} x {height_max}): \
         {remedy}"
    )]
    ClipTooLarge {
        /// The clip's number in the list.
        clip: usize,
        /// Texels that it needs.
        texels_needed: u64,
        /// Texels that a page holds.
        texels_per_page: u64,
        /// Width of a page.
        width: u32,
        /// Rows that a page may have.
        height_max: u32,
        /// What would make it fit.
        remedy: Remedy,
    },
    /// The clips need more pages than a page set has.
    #[error(
        "the clips need {texels_needed} texels, which is more than {pages_max} pages of {texels_per_page}: {remedy}"
    )]
    TooManyPages {
        /// Texels that all clips need together.
        texels_needed: u64,
        /// Texels that a page holds.
        texels_per_page: u64,
        /// Pages of a set.
        pages_max: u32,
        /// What would make it fit.
        remedy: Remedy,
    },
    /// The limit itself is not allowed.
    #[error("a largest texture size of {found} texels, expected {min} to {max}")]
    TextureSize {
        /// The limit given.
        found: u32,
        /// Smallest limit.
        min: u32,
        /// Largest limit.
        max: u32,
    },
}

impl PageSplitError {
    /// A name for programs, which never changes.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::ClipTooLarge { .. } => "clip-too-large",
            Self::TooManyPages { .. } => "too-many-pages",
            Self::TextureSize { .. } => "texture-size",
        }
    }
}

/// What would make clips fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The smallest texture size with which the same clips can be placed, if there is one.
    pub texture_size: Option<u32>,
    /// Half as many bytes a texel would be enough.
    pub smaller_texels: bool,
}

impl core::fmt::Display for Remedy {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        if let Some(size) = self.texture_size {
            write!(f, "--max-texture-size {size} makes it fit, or ")?;
        }
        if self.smaller_texels {
            write!(f, "--encoding affine16 (local8 for local tracks) makes it fit, or ")?;
        }
        write!(f, "use a lower --rate, or split the clip")
    }
}

/// Places clips on pages.
///
/// Width is the smallest power of two whose square holds all texels, at least 64, at most 4096 and at most
/// `max_texture_size` (the largest power of two inside it). A page has at most `max_texture_size` rows and 128 MiB.
/// Clips are placed first-fit twice, in the given order and longest first (ties by number); the result with fewer pages
/// is kept, then the one that is less high, then the first.
///
/// `texels_per_clip` holds the texels of each clip, `texel_bytes` is 1 or more.
///
/// # Errors
///
/// A clip that no page can hold, clips that need more than 255 pages, and a `max_texture_size` outside 64 to 16384.
pub fn split_pages(
    texels_per_clip: &[u64],
    texel_bytes: u32,
    max_texture_size: u32,
) -> Result<PagePlan, PageSplitError> {
    let (min, max) = (*TEXTURE_SIZE_RANGE.start(), *TEXTURE_SIZE_RANGE.end());
    if !TEXTURE_SIZE_RANGE.contains(&max_texture_size) {
        return Err(PageSplitError::TextureSize { found: max_texture_size, min, max });
    }
    match place(texels_per_clip, texel_bytes, max_texture_size) {
        Ok(plan) => Ok(plan),
        Err(unplaced) => Err(explain(unplaced, texels_per_clip, texel_bytes, max_texture_size)),
    }
}

/// The largest shape that pages may take.
#[derive(Clone, Copy)]
struct PageShape {
    width: u32,
    height_max: u32,
}

impl PageShape {
    fn new(all_texels: u64, texel_bytes: u32, max_texture_size: u32) -> Self {
        let size_max = PAGE_WIDTH_MAX.min(max_texture_size);
        let mut width = PAGE_WIDTH_MIN;
        while width * 2 <= size_max && u64::from(width) * u64::from(width) < all_texels {
            width *= 2;
        }
        let row_bytes = u64::from(width) * u64::from(texel_bytes.max(1));
        let height_max = u64::from(max_texture_size).min(PAGE_BYTES_MAX / row_bytes);
        Self { width, height_max: u32::try_from(height_max).unwrap_or(max_texture_size) }
    }

    fn texels(self) -> u64 {
        u64::from(self.width) * u64::from(self.height_max)
    }
}

/// Why there is no plan.
enum Unplaced {
    Clip(usize),
    Pages,
}

fn place(texels_per_clip: &[u64], texel_bytes: u32, max_texture_size: u32) -> Result<PagePlan, Unplaced> {
    let shape = PageShape::new(sum(texels_per_clip), texel_bytes, max_texture_size);
    if let Some(clip) = texels_per_clip.iter().position(|texels| *texels > shape.texels()) {
        return Err(Unplaced::Clip(clip));
    }
    let given: Vec<usize> = (0..texels_per_clip.len()).collect();
    let mut longest = given.clone();
    longest.sort_by_key(|clip| (core::cmp::Reverse(texels_per_clip[*clip]), *clip));
    let plans = [given, longest].map(|order| first_fit(texels_per_clip, &order, shape));
    // `min_by_key` keeps the first of equals.
    let best = plans.into_iter().flatten().min_by_key(|plan| (plan.page_count, plan.height));
    best.ok_or(Unplaced::Pages)
}

/// Places clips in an order, each on the first page that has room; `None` if the pages do not suffice.
fn first_fit(texels_per_clip: &[u64], order: &[usize], shape: PageShape) -> Option<PagePlan> {
    let mut placements = alloc::vec![Placement::default(); texels_per_clip.len()];
    let mut used: Vec<u64> = Vec::new();
    for &clip in order {
        let texels = texels_per_clip[clip];
        let page = match used.iter().position(|used| used + texels <= shape.texels()) {
            Some(page) => page,
            None if used.len() < PAGES_PER_SET_MAX as usize => {
                used.push(0);
                used.len() - 1
            }
            None => return None,
        };
        // Both fit: pages are at most 255, and a page has at most 2^26 texels.
        let (page_number, first_texel) = (u32::try_from(page).ok()?, u32::try_from(used[page]).ok()?);
        placements[clip] = Placement { page: page_number, first_texel };
        used[page] += texels;
    }
    let fullest = used.iter().copied().max().unwrap_or(0);
    let height = u32::try_from(fullest.div_ceil(shape.width.into()).max(1)).ok()?;
    Some(PagePlan { width: shape.width, height, page_count: u32::try_from(used.len()).ok()?, placements })
}

fn explain(unplaced: Unplaced, texels_per_clip: &[u64], texel_bytes: u32, size: u32) -> PageSplitError {
    let shape = PageShape::new(sum(texels_per_clip), texel_bytes, size);
    let larger = [128, 256, 512, 1024, 2048, 4096, 8192, *TEXTURE_SIZE_RANGE.end()];
    let remedy = Remedy {
        texture_size: larger
            .into_iter()
            .find(|larger| *larger > size && place(texels_per_clip, texel_bytes, *larger).is_ok()),
        smaller_texels: texel_bytes > 8 && place(texels_per_clip, texel_bytes / 2, size).is_ok(),
    };
    match unplaced {
        Unplaced::Clip(clip) => PageSplitError::ClipTooLarge {
            clip,
            texels_needed: texels_per_clip[clip],
            texels_per_page: shape.texels(),
            width: shape.width,
            height_max: shape.height_max,
            remedy,
        },
        Unplaced::Pages => PageSplitError::TooManyPages {
            texels_needed: sum(texels_per_clip),
            texels_per_page: shape.texels(),
            pages_max: PAGES_PER_SET_MAX,
            remedy,
        },
    }
}

fn sum(texels_per_clip: &[u64]) -> u64 {
    texels_per_clip.iter().fold(0, |sum, texels| sum.saturating_add(*texels))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_is_the_smallest_power_of_two_whose_square_holds_all() {
        let table = [
            (0, 4096, 64),
            (64 * 64, 4096, 64),
            (64 * 64 + 1, 4096, 128),
            (1024 * 1024, 4096, 1024),
            (1024 * 1024 + 1, 4096, 2048),
            (4096 * 4096 + 1, 16_384, 4096),
            (1024 * 1024, 512, 512),
            (1024 * 1024, 1000, 512),
            (1024 * 1024, 64, 64),
        ];
        for (texels, limit, expected) in table {
            assert_eq!(PageShape::new(texels, 8, limit).width, expected, "{texels} texels, limit {limit}");
        }
    }
}
