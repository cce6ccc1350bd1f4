// Skinning from palettes, for programs that fill them in their own way.

@group(0) @binding(1) var<storage, read> palette: array<vec4<f32>>;

fn bone_of(first: u32, bone: u32) -> BenchRows {
    let row = (first + bone) * 3u;
    return BenchRows(palette[row], palette[row + 1u], palette[row + 2u]);
}

@vertex
fn bench_vertex(
    @location(0) packed: vec4<u32>,
    instance: BenchInstance,
    @builtin(instance_index) number: u32,
) -> BenchVarying {
    let vertex = unpack_vertex(packed, scene.box_min, scene.box_size);
    let first = number * scene.bones;
    let a = add_scaled(NO_ROWS, bone_of(first, vertex.bones.x), vertex.weights.x);
    let b = add_scaled(a, bone_of(first, vertex.bones.y), vertex.weights.y);
    let c = add_scaled(b, bone_of(first, vertex.bones.z), vertex.weights.z);
    return skinned(vertex, add_scaled(c, bone_of(first, vertex.bones.w), vertex.weights.w), instance);
}
