// Bones from the palette that the palette pass has filled.

fn anim_bone_rows(place: u32, bone: u32) -> Rows {
    let row = ((place - anim_draw.first_place) * anim_draw.bones + bone) * 3u;
    return Rows(palette_row(row), palette_row(row + 1u), palette_row(row + 2u));
}
