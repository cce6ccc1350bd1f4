// Texture per vertex: every vertex reads both frames of every bone that moves it from a texture.
//
// A matrix is three texels next to each other, 1,024 matrices a row, so that its place costs a mask and a shift. A layer
// is what the program chose for the instance: matrix numbers of bone 0 in two frames, then the bits of the second frame's
// share and of the layer's weight.

@group(0) @binding(1) var matrices: texture_2d<f32>;

fn matrix_of(number: u32) -> BenchRows {
    let place = vec2<u32>((number & 1023u) * 3u, number >> 10u);
    return BenchRows(
        textureLoad(matrices, place, 0),
        textureLoad(matrices, place + vec2<u32>(1u, 0u), 0),
        textureLoad(matrices, place + vec2<u32>(2u, 0u), 0),
    );
}

fn add_bone(sum: BenchRows, layer: vec4<u32>, bone: u32, weight: f32) -> BenchRows {
    let share = bitcast<f32>(layer.z);
    let with_a = add_scaled(sum, matrix_of(layer.x + bone), weight * (1.0 - share));
    return add_scaled(with_a, matrix_of(layer.y + bone), weight * share);
}

fn add_layer(sum: BenchRows, layer: vec4<u32>, vertex: AnimBindVertex) -> BenchRows {
    let weights = vertex.weights * bitcast<f32>(layer.w);
    let a = add_bone(sum, layer, vertex.bones.x, weights.x);
    let b = add_bone(a, layer, vertex.bones.y, weights.y);
    let c = add_bone(b, layer, vertex.bones.z, weights.z);
    return add_bone(c, layer, vertex.bones.w, weights.w);
}

@vertex
fn bench_vertex(
    @location(0) packed: vec4<u32>,
    instance: BenchInstance,
    @location(7) layer: vec4<u32>,
) -> BenchVarying {
    let vertex = unpack_vertex(packed, scene.box_min, scene.box_size);
    return skinned(vertex, add_layer(NO_ROWS, layer, vertex), instance);
}

@vertex
fn bench_vertex_fading(
    @location(0) packed: vec4<u32>,
    instance: BenchInstance,
    @location(7) layer: vec4<u32>,
    @location(8) below: vec4<u32>,
) -> BenchVarying {
    let vertex = unpack_vertex(packed, scene.box_min, scene.box_size);
    return skinned(vertex, add_layer(add_layer(NO_ROWS, layer, vertex), below, vertex), instance);
}
