// Bones from the frames and weights that the CPU has chosen for the instance.

fn anim_bone_rows(place: u32, bone: u32) -> Rows {
    return direct_bone_rows(anim_attributes.layers, bone);
}

fn anim_blend(bones: vec4<u32>, weights: vec4<f32>, place: u32) -> Rows {
    return direct_blend(anim_attributes.layers, bones, weights);
}
