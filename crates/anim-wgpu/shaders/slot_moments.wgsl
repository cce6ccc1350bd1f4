// What every visible instance of a chunk plays at the tick of the frame, four entries each: how much each layer covers, and
// the numbers of their masks, a byte each; then a layer each.

fn stored_moment(moment: LayerMoment) -> vec4<u32> {
    return vec4<u32>(moment.texel_a, moment.texel_b, bitcast<u32>(moment.share), moment.records);
}

fn moment_of(layer: vec4<u32>, covers: u32, mask: u32) -> LayerMoment {
    return LayerMoment(layer.x, layer.y, bitcast<f32>(layer.z), bitcast<f32>(covers), layer.w, mask);
}
