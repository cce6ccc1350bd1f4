// Bones straight from the pages, for visible instances beyond `max_visible`.

fn anim_bone_rows(place: u32, bone: u32) -> Rows {
    return blend_layers(anim_instance(place), bone, anim_draw.bones, anim_frame.now_tick);
}
