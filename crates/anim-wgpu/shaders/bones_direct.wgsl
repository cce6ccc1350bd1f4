// Bones from the frames and weights that the CPU has chosen for the instance.

fn anim_bone_rows(place: u32, bone: u32) -> Rows {
    return direct_bone_rows(anim_attributes.layers, bone);
}
