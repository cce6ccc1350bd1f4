// Bones straight from the pages, for visible instances beyond `max_visible`.

fn anim_bone_rows(place: u32, bone: u32) -> Rows {
    return blend_layers(anim_instance(place), bone, anim_draw.bones, anim_frame.now_tick);
}

// What is the same for all bones is worked out once.
fn anim_blend(bones: vec4<u32>, weights: vec4<f32>, place: u32) -> Rows {
    let moments = instance_moments(anim_instance(place), anim_draw.bones, anim_frame.now_tick);
    return blend_four(
        blend_moments(moments, bones.x),
        blend_moments(moments, bones.y),
        blend_moments(moments, bones.z),
        blend_moments(moments, bones.w),
        weights,
    );
}
