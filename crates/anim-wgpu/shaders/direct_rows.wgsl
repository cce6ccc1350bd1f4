// The direct path: rows of one bone from texels and weights that the CPU has chosen, without compute or storage buffers.
//
// A layer is a DirectLayer of direct_instance.rs: first texels of two frames, then the bits of their weights.

fn add_frame(sum: Rows, frame_texel: u32, weight: f32, bone: u32) -> Rows {
    if weight == 0.0 {
        return sum;
    }
    let frame = place_of_texel(frame_texel);
    let texel = frame.texel + bone * 3u;
    return Rows(
        sum.x + fetch_at(TexelPlace(frame.layer, texel)) * weight,
        sum.y + fetch_at(TexelPlace(frame.layer, texel + 1u)) * weight,
        sum.z + fetch_at(TexelPlace(frame.layer, texel + 2u)) * weight,
    );
}

fn add_layer(sum: Rows, layer: vec4<u32>, bone: u32) -> Rows {
    let with_a = add_frame(sum, layer.x, bitcast<f32>(layer.z), bone);
    return add_frame(with_a, layer.y, bitcast<f32>(layer.w), bone);
}

// The top layer first, as the palette pass does.
fn direct_bone_rows(layers: array<vec4<u32>, 3>, bone: u32) -> Rows {
    let nothing = Rows(vec4<f32>(), vec4<f32>(), vec4<f32>());
    let top = add_layer(nothing, layers[2], bone);
    return add_layer(add_layer(top, layers[1], bone), layers[0], bone);
}
