//! The horse's base-colour picture and where each part of the body finds its colours.

use super::super::mesh_builder::UvRect;
use super::super::paint::{Area, Picture, uv_rect};

const SIZE_TEXELS: usize = 64;

pub(super) const TRUNK: Area = [0, 0, 32, 16];
pub(super) const NECK: Area = [32, 0, 16, 16];
pub(super) const HEAD: Area = [0, 16, 32, 24];
pub(super) const FORE_LEG: Area = [32, 16, 8, 48];
pub(super) const HIND_LEG: Area = [40, 16, 8, 48];
pub(super) const HAIR: Area = [48, 0, 16, 32];
pub(super) const HOOF: Area = [48, 32, 16, 8];
pub(super) const EYE: Area = [48, 40, 8, 8];
pub(super) const EAR: Area = [56, 40, 8, 8];
pub(super) const NOSTRIL: Area = [48, 48, 8, 8];

const COAT: [u8; 3] = [136, 76, 38];
const COAT_TOP: [u8; 3] = [112, 60, 30];
const COAT_BELLY: [u8; 3] = [150, 90, 48];
const BLACK: [u8; 3] = [34, 26, 24];
const WHITE: [u8; 3] = [232, 224, 212];

/// The texture coordinates of one of the areas above.
pub(super) fn uv(area: Area) -> UvRect {
    uv_rect(area, 64.0)
}

pub(super) fn png() -> anyhow::Result<Vec<u8>> {
    let mut picture = Picture::new(SIZE_TEXELS);
    picture.fill([0, 0, SIZE_TEXELS, SIZE_TEXELS], COAT);
    // Round the trunk: belly at both edges, back in the middle.
    let [left, top, width, height] = TRUNK;
    for column in 0..width / 2 {
        let colour = blend(COAT_BELLY, COAT_TOP, column * 2, width - 2);
        picture.fill([left + column, top, 1, height], colour);
        picture.fill([left + width - 1 - column, top, 1, height], colour);
    }
    // Round the neck: throat at both edges, crest in the middle.
    let [left, top, width, height] = NECK;
    for column in 0..width / 2 {
        let colour = blend(COAT, COAT_TOP, column * 2, width - 2);
        picture.fill([left + column, top, 1, height], colour);
        picture.fill([left + width - 1 - column, top, 1, height], colour);
    }

    // The head: rows go from the muzzle at the top to the poll at the bottom, the forehead is the middle column.
    let [left, top, width, height] = HEAD;
    picture.fade([left, top, width, 6], BLACK, [86, 52, 32]);
    picture.fade([left, top + 6, width, 5], [86, 52, 32], COAT);
    let middle = left + width / 2;
    picture.fill([middle - 1, top + 4, 2, height - 9], WHITE);
    picture.fill([middle - 2, top + 12, 4, 5], WHITE);

    // The legs: rows go from the hoof at the top to the body at the bottom. A bay horse has black legs.
    for ([left, top, width, height], black_rows, fade_rows) in [(FORE_LEG, 17, 8), (HIND_LEG, 19, 8)] {
        picture.fill([left, top, width, black_rows], BLACK);
        picture.fade([left, top + black_rows, width, fade_rows], BLACK, COAT);
        picture.fill([left, top + black_rows + fade_rows, width, height - black_rows - fade_rows], COAT);
    }
    // Two white socks.
    let [left, top, width, _] = HIND_LEG;
    picture.fill([left, top, width, 9], WHITE);
    picture.fade([left, top + 8, width, 3], WHITE, BLACK);

    picture.fill(HAIR, BLACK);
    let [left, top, width, height] = HAIR;
    for strand in (1..width).step_by(3) {
        picture.fill([left + strand, top, 1, height], [58, 44, 38]);
    }
    picture.fade(HOOF, [92, 80, 68], [60, 50, 44]);
    picture.fill(EYE, [16, 12, 12]);
    picture.fill([EYE[0] + 4, EYE[1] + 1, 1, 1], WHITE);
    picture.fade(EAR, BLACK, COAT_TOP);
    picture.fill(NOSTRIL, [12, 8, 8]);
    picture.png()
}

fn blend(from: [u8; 3], to: [u8; 3], share: usize, whole: usize) -> [u8; 3] {
    let mix = |a: u8, b: u8| {
        let sum = usize::from(a) * (whole - share) + usize::from(b) * share;
        u8::try_from(sum / whole).unwrap_or(u8::MAX)
    };
    [mix(from[0], to[0]), mix(from[1], to[1]), mix(from[2], to[2])]
}
