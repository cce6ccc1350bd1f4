// Bones from the palette that the palette pass has filled.

fn anim_bone_rows(place: u32, bone: u32) -> Rows {
    let row = ((place - anim_draw.first_place) * anim_draw.bones + bone) * 3u;
    return Rows(palette_row(row), palette_row(row + 1u), palette_row(row + 2u));
}

fn anim_blend(bones: vec4<u32>, weights: vec4<f32>, place: u32) -> Rows {
    return blend_four(
        anim_bone_rows(place, bones.x),
        anim_bone_rows(place, bones.y),
        anim_bone_rows(place, bones.z),
        anim_bone_rows(place, bones.w),
        weights,
    );
}
