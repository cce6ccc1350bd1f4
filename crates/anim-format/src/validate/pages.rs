//! Page sets: formats that belong together, sizes inside the limits, pages of exactly their size.

use anim_core::limits::{
    PAGE_BYTES_MAX, PAGE_WIDTH_MAX, PAGE_WIDTH_MIN, PAGES_PER_SET_MAX, TEXTURE_SIZE_RANGE,
};

use super::Problems;
use super::place::Place;
use crate::error::FormatError;
use crate::model::{AnimFile, Content, Encoding, PageSet, TexelFormat};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    for (number, set) in file.page_sets.iter().enumerate() {
        check_set(set, Place { table: "page_sets", number, name: "" }, problems);
    }
}

fn check_set(set: &PageSet<'_>, place: Place<'_>, problems: &mut Problems) {
    let together = matches!(
        (set.content, set.encoding, set.texel_format),
        (Content::Rows, Encoding::Affine32, TexelFormat::Rgba32Float)
            | (Content::Rows, Encoding::Affine16, TexelFormat::Rgba16Float)
            | (Content::Local, Encoding::Local8, TexelFormat::Rg32Uint)
            | (Content::Local, Encoding::Local32, TexelFormat::Rgba32Float)
            | (Content::Vertices, Encoding::Position32, TexelFormat::Rgba32Float)
            | (Content::Vertices, Encoding::Position16, TexelFormat::Rgba16Uint)
            | (Content::Normals, Encoding::Normal16, TexelFormat::Rgba16Float)
    );
    problems.expect(together, || FormatError::PageSetMixed { place: alloc::format!("{place}") });
    problems.in_range(
        format_args!("{place}.width"),
        set.width.is_power_of_two() && (PAGE_WIDTH_MIN..=PAGE_WIDTH_MAX).contains(&set.width),
        set.width.into(),
        "a power of two from 64 to 4096",
    );
    problems.in_range(
        format_args!("{place}.height"),
        (1..=*TEXTURE_SIZE_RANGE.end()).contains(&set.height),
        set.height.into(),
        "1 to 16384",
    );
    let page_count = set.pages.len();
    problems.in_range(
        format_args!("{place}.pages"),
        (1..=PAGES_PER_SET_MAX as usize).contains(&page_count),
        u32::try_from(page_count).unwrap_or(u32::MAX).into(),
        "1 to 255 pages",
    );
    let page_bytes = set.page_texels().saturating_mul(set.texel_format.bytes().into());
    problems.in_range(
        format_args!("{place} (bytes of a page)"),
        page_bytes <= PAGE_BYTES_MAX,
        for_message(page_bytes),
        "at most 128 MiB",
    );
    for (page, bytes) in set.pages.iter().enumerate() {
        problems.equal(format_args!("{place}.pages[{page}] (bytes)"), bytes.len() as u64, page_bytes);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a size in a message")]
const fn for_message(bytes: u64) -> f64 {
    bytes as f64
}
