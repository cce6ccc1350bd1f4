// What every visible instance of a chunk plays at the tick of the frame, four entries each: how much each layer covers, and
// their masks; then a layer each.

fn moments_of_slot(covers: vec4<u32>, layers: array<vec4<u32>, 3>) -> array<LayerMoment, 3> {
    return array<LayerMoment, 3>(
        moment_of(layers[0], covers.x, covers.w & 0xffu),
        moment_of(layers[1], covers.y, (covers.w >> 8u) & 0xffu),
        moment_of(layers[2], covers.z, (covers.w >> 16u) & 0xffu),
    );
}

fn moment_of(layer: vec4<u32>, covers: u32, mask: u32) -> LayerMoment {
    return LayerMoment(layer.x, layer.y, bitcast<f32>(layer.z), bitcast<f32>(covers), layer.w, mask);
}

fn stored_moment(moment: LayerMoment) -> vec4<u32> {
    return vec4<u32>(moment.texel_a, moment.texel_b, bitcast<u32>(moment.share), moment.records);
}
