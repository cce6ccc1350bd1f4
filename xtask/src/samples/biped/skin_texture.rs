//! The person's base-colour picture and where each part of the body finds its colours.

use super::super::mesh_builder::UvRect;
use super::super::paint::{Area, Picture, uv_rect};

const SIZE_TEXELS: usize = 128;

pub(super) const HEAD: Area = [0, 0, 96, 64];
pub(super) const SHIRT: Area = [0, 64, 48, 48];
pub(super) const TROUSERS: Area = [48, 64, 40, 48];
pub(super) const SKIN: Area = [88, 64, 20, 32];
pub(super) const BELT: Area = [108, 64, 20, 16];
pub(super) const SLEEVE: Area = [88, 96, 20, 16];
pub(super) const BUCKLE: Area = [108, 80, 20, 16];
pub(super) const BOOT: Area = [96, 0, 32, 32];
pub(super) const HAIR: Area = [96, 32, 32, 32];
pub(super) const SOLE: Area = [96, 112, 32, 16];
pub(super) const BLADE: Area = [0, 112, 32, 16];
pub(super) const GRIP: Area = [32, 112, 32, 16];
pub(super) const GUARD: Area = [64, 112, 32, 16];

const SKIN_COLOUR: [u8; 3] = [222, 171, 134];
const SKIN_SHADE: [u8; 3] = [201, 145, 110];
const HAIR_COLOUR: [u8; 3] = [72, 44, 26];

/// The texture coordinates of one of the areas above.
pub(super) fn uv(area: Area) -> UvRect {
    uv_rect(area, 128.0)
}

pub(super) fn png() -> anyhow::Result<Vec<u8>> {
    let mut picture = Picture::new(SIZE_TEXELS);
    picture.fill([0, 0, SIZE_TEXELS, SIZE_TEXELS], SKIN_COLOUR);
    face(&mut picture);

    picture.fade(SHIRT, [58, 112, 158], [44, 88, 132]);
    let [left, top, width, height] = SHIRT;
    // A placket down the front, with buttons; the front is the middle column.
    picture.fill([left + width / 2 - 1, top, 2, height], [36, 72, 112]);
    for button in 0..6 {
        picture.fill([left + width / 2, top + 5 + button * 8, 1, 2], [226, 214, 180]);
    }
    picture.fade(SLEEVE, [44, 88, 132], [58, 112, 158]);
    picture.fade(TROUSERS, [98, 84, 64], [82, 69, 52]);
    let [left, top, width, height] = TROUSERS;
    // Seams at both sides.
    for seam in [width / 4, width * 3 / 4] {
        picture.fill([left + seam, top, 1, height], [68, 56, 42]);
    }
    picture.fade(SKIN, SKIN_COLOUR, SKIN_SHADE);
    picture.fill(BELT, [52, 34, 22]);
    picture.fill(BUCKLE, [214, 178, 84]);
    picture.fade(BOOT, [74, 48, 32], [52, 33, 22]);
    let [left, top, width, _] = BOOT;
    picture.fill([left, top, width, 3], [104, 72, 48]);
    picture.fill(SOLE, [30, 26, 24]);
    picture.fade(HAIR, HAIR_COLOUR, [58, 34, 20]);
    let [left, top, width, height] = HAIR;
    for strand in (1..width).step_by(4) {
        picture.fill([left + strand, top, 1, height], [92, 58, 34]);
    }
    picture.fill(BLADE, [196, 202, 210]);
    picture.fade(GRIP, [90, 52, 30], [70, 40, 24]);
    let [left, top, width, height] = GRIP;
    for wrap in (0..height).step_by(4) {
        picture.fill([left, top + wrap, width, 1], [48, 28, 18]);
    }
    picture.fill(GUARD, [206, 164, 70]);
    picture.png()
}

/// The front is the middle of the area, the chin near its bottom.
fn face(picture: &mut Picture) {
    let [left, top, width, height] = HEAD;
    let middle = left + width / 2;
    picture.fill(HEAD, SKIN_COLOUR);
    // The neck and the underside of the chin lie in shade.
    picture.fade([left, top + height - 9, width, 9], SKIN_COLOUR, SKIN_SHADE);
    // The sides and the back of the head, under the hair.
    picture.fill([left, top, 20, height - 22], HAIR_COLOUR);
    picture.fill([left + width - 20, top, 20, height - 22], HAIR_COLOUR);
    picture.fill([left, top, width, 12], HAIR_COLOUR);
    for (eye_left, brow_left) in [(middle - 10, middle - 11), (middle + 4, middle + 3)] {
        let eye_top = top + 28;
        picture.fill([brow_left, eye_top - 5, 8, 2], HAIR_COLOUR);
        picture.fill([eye_left, eye_top - 1, 6, 1], [150, 104, 78]);
        picture.fill([eye_left, eye_top, 6, 3], [244, 242, 236]);
        picture.fill([eye_left + 2, eye_top, 2, 3], [46, 84, 112]);
        picture.fill([eye_left + 2, eye_top + 1, 2, 1], [18, 20, 26]);
        picture.fill([eye_left + 1, eye_top + 3, 4, 1], SKIN_SHADE);
    }
    picture.fill([middle - 15, top + 38, 6, 3], [226, 160, 128]);
    picture.fill([middle + 9, top + 38, 6, 3], [226, 160, 128]);
    picture.fill([middle - 5, top + 46, 10, 1], [156, 82, 72]);
    picture.fill([middle - 4, top + 47, 8, 2], [188, 108, 94]);
}
