//! Which clip lies on which page.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]

use anim_format::page_split::Remedy;
use anim_format::{PagePlan, PageSplitError, Placement, split_pages};
use proptest::prelude::*;

const MIB: u64 = 1 << 20;

/// (width, height, pages) of a plan, and each clip's (page, first texel).
fn check(texels: &[u64], texel_bytes: u32, limit: u32, shape: (u32, u32, u32), places: &[(u32, u32)]) {
    let plan = split_pages(texels, texel_bytes, limit).unwrap();
    assert_eq!((plan.width, plan.height, plan.page_count), shape, "{texels:?}");
    let found: Vec<(u32, u32)> = plan.placements.iter().map(|p| (p.page, p.first_texel)).collect();
    assert_eq!(found, places, "{texels:?}");
}

#[test]
fn a_set_that_ends_one_texel_below_at_and_above_a_page_boundary() {
    // Pages of 64 x 64 texels.
    check(&[4000, 95], 8, 64, (64, 64, 1), &[(0, 0), (0, 4000)]);
    check(&[4000, 96], 8, 64, (64, 64, 1), &[(0, 0), (0, 4000)]);
    check(&[4000, 97], 8, 64, (64, 63, 2), &[(0, 0), (1, 0)]);
    check(&[4096], 8, 64, (64, 64, 1), &[(0, 0)]);
    check(&[4095, 1, 1], 8, 64, (64, 64, 2), &[(0, 0), (0, 4095), (1, 0)]);
}

#[test]
fn a_set_at_a_square_boundary_takes_the_next_width_only_above_it() {
    check(&[64 * 64], 8, 4096, (64, 64, 1), &[(0, 0)]);
    check(&[64 * 64 + 1], 8, 4096, (128, 33, 1), &[(0, 0)]);
    check(&[64 * 64 - 1], 8, 4096, (64, 64, 1), &[(0, 0)]);
}

#[test]
fn the_last_page_is_as_small_as_its_clips_when_it_is_the_only_one() {
    check(&[1], 8, 4096, (64, 1, 1), &[(0, 0)]);
    check(&[0], 8, 4096, (64, 1, 1), &[(0, 0)]);
    check(&[], 8, 4096, (64, 1, 0), &[]);
    check(&[64, 1], 16, 4096, (64, 2, 1), &[(0, 0), (0, 64)]);
}

#[test]
fn longest_first_is_kept_where_it_needs_fewer_pages_or_less_height() {
    // In the given order 1000 and 2000 share a page, and 3096 and 2096 need one each.
    check(&[1000, 2000, 3096, 2096], 8, 64, (64, 64, 2), &[(0, 3096), (1, 2096), (0, 0), (1, 0)]);
    // As many pages either way: 3 rows less in the order given here.
    check(&[3000, 2000, 1500], 8, 64, (64, 55, 2), &[(0, 0), (1, 0), (1, 2000)]);
    // Nothing to choose: the given order.
    check(&[1000, 2000], 8, 64, (64, 47, 1), &[(0, 0), (0, 1000)]);
}

#[test]
fn a_page_is_at_most_128_mib() {
    let row = 4096;
    // 16 bytes a texel: 2048 rows of 4096. 8 bytes: 4096 rows.
    let one_page = 2048 * row;
    check(&[one_page], 16, 4096, (4096, 2048, 1), &[(0, 0)]);
    check(&[one_page, 1], 16, 16_384, (4096, 2048, 2), &[(0, 0), (1, 0)]);
    check(&[2 * one_page], 8, 4096, (4096, 4096, 1), &[(0, 0)]);
    let error = split_pages(&[1, one_page + 1], 16, 16_384).unwrap_err();
    assert_eq!(
        error,
        PageSplitError::ClipTooLarge {
            clip: 1,
            texels_needed: one_page + 1,
            texels_per_page: 128 * MIB / 16,
            width: 4096,
            height_max: 2048,
            remedy: Remedy { texture_size: None, smaller_texels: true },
        }
    );
    assert_eq!(
        error.to_string(),
        "clip 1 needs 8388609 texels, and a page holds 8388608 (4096 x 2048): --encoding affine16 (local8 \
         for local tracks) makes it fit, or \
         use a lower --rate, or split the clip"
    );
}

#[test]
fn what_cannot_be_placed_says_what_would_help() {
    let clip_too_large = split_pages(&[5000], 8, 64).unwrap_err().to_string();
    assert_eq!(
        clip_too_large,
        "clip 0 needs 5000 texels, and a page holds 4096 (64 x 64): --max-texture-size 128 makes it fit, or use a \
         lower --rate, or split the clip"
    );
    let pages = split_pages(&[4096; 255], 8, 64).unwrap();
    assert_eq!((pages.page_count, pages.placements[254]), (255, Placement { page: 254, first_texel: 0 }));
    assert!(matches!(
        split_pages(&[4096; 256], 8, 64),
        Err(PageSplitError::TooManyPages { remedy: Remedy { texture_size: Some(128), .. }, .. })
    ));
    for size in [0, 63, 16_385, u32::MAX] {
        assert!(matches!(split_pages(&[1], 8, size), Err(PageSplitError::TextureSize { .. })), "{size}");
    }
    assert!(matches!(split_pages(&[u64::MAX, u64::MAX], 16, 4096), Err(PageSplitError::ClipTooLarge { .. })));
}

/// Pages of plain first-fit in the given order.
fn first_fit_pages(texels: &[u64], capacity: u64) -> u32 {
    let mut used: Vec<u64> = vec![];
    for texels in texels {
        match used.iter_mut().find(|used| **used + texels <= capacity) {
            Some(used) => *used += texels,
            None => used.push(*texels),
        }
    }
    used.len() as u32
}

fn check_plan(texels: &[u64], limit: u32, plan: &PagePlan) -> Result<(), TestCaseError> {
    let page_texels = u64::from(plan.width) * u64::from(plan.height);
    prop_assert_eq!(plan.placements.len(), texels.len());
    prop_assert!(plan.width.is_power_of_two() && plan.width >= 64 && plan.width <= limit.min(4096));
    prop_assert!(plan.height >= 1 && plan.height <= limit);
    let mut ranges: Vec<(u32, u64, u64)> = vec![];
    for (placement, texels) in plan.placements.iter().zip(texels) {
        let first = u64::from(placement.first_texel);
        prop_assert!(placement.page < plan.page_count, "every clip in one page");
        prop_assert!(first + texels <= page_texels, "nothing outside");
        ranges.push((placement.page, first, first + texels));
    }
    ranges.sort_unstable();
    for pair in ranges.windows(2) {
        prop_assert!(pair[0].0 < pair[1].0 || pair[0].2 <= pair[1].1, "no overlap: {pair:?}");
    }
    // No hole either: the texels of a page are used from the first on, and the fullest page gives the height.
    let fullest = ranges.iter().map(|(_, _, end)| *end).max().unwrap_or(0);
    prop_assert_eq!(u64::from(plan.height), fullest.div_ceil(plan.width.into()).max(1));
    for page in 0..plan.page_count {
        let on_page = ranges.iter().filter(|range| range.0 == page);
        let (texels, end) = on_page.fold((0, 0), |(sum, end), r| (sum + r.2 - r.1, end.max(r.2)));
        prop_assert_eq!(texels, end);
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_clip_is_in_one_page_without_overlap_and_in_no_more_pages_than_first_fit(
        texels in prop::collection::vec(prop_oneof![0..300u64, 1000..4097u64], 0..60),
        limit in 64..300u32, texel_bytes in prop::sample::select(vec![8u32, 16]),
    ) {
        let plan = split_pages(&texels, texel_bytes, limit).unwrap();
        check_plan(&texels, limit, &plan)?;
        let capacity = u64::from(plan.width) * u64::from(limit);
        prop_assert!(plan.page_count <= first_fit_pages(&texels, capacity));
    }
}
