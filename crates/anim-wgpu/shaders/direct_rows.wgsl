// The direct path: blended rows of a vertex from texels and weights that the CPU has chosen, without compute or storage
// buffers.
//
// A layer is a DirectLayer of direct_instance.rs: first texels of two frames, then the bits of their weights. All loads of
// a layer stand together, without a branch between them, so that the GPU waits for all of them at once.

fn add_bone(sum: Rows, frame: TexelPlace, bone: u32, weight: f32) -> Rows {
    let texel = frame.texel + bone * 3u;
    return Rows(
        sum.x + fetch_at(TexelPlace(frame.layer, texel)) * weight,
        sum.y + fetch_at(TexelPlace(frame.layer, texel + 1u)) * weight,
        sum.z + fetch_at(TexelPlace(frame.layer, texel + 2u)) * weight,
    );
}

fn add_frame(sum: Rows, texel: u32, bones: vec4<u32>, weights: vec4<f32>) -> Rows {
    let frame = place_of_texel(texel);
    let x = add_bone(sum, frame, bones.x, weights.x);
    let y = add_bone(x, frame, bones.y, weights.y);
    let z = add_bone(y, frame, bones.z, weights.z);
    return add_bone(z, frame, bones.w, weights.w);
}

fn add_layer(sum: Rows, layer: vec4<u32>, bones: vec4<u32>, weights: vec4<f32>) -> Rows {
    let shares = bitcast<vec2<f32>>(layer.zw);
    if shares.x + shares.y == 0.0 {
        return sum;
    }
    let with_a = add_frame(sum, layer.x, bones, weights * shares.x);
    return add_frame(with_a, layer.y, bones, weights * shares.y);
}

// The top layer first, as the palette pass does.
fn direct_blend(layers: array<vec4<u32>, 3>, bones: vec4<u32>, weights: vec4<f32>) -> Rows {
    let nothing = Rows(vec4<f32>(), vec4<f32>(), vec4<f32>());
    let top = add_layer(nothing, layers[2], bones, weights);
    return add_layer(add_layer(top, layers[1], bones, weights), layers[0], bones, weights);
}

fn direct_bone_rows(layers: array<vec4<u32>, 3>, bone: u32) -> Rows {
    return direct_blend(layers, vec4<u32>(bone), vec4<f32>(1.0, 0.0, 0.0, 0.0));
}
