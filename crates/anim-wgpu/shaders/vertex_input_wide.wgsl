// The 24-byte vertex of files with more than 256 bones.

struct VertexInput {
    @location(0) packed: vec4<u32>,
    @location(1) weights: vec2<u32>,
}

fn bind_vertex(input: VertexInput) -> AnimBindVertex {
    return unpack_vertex_wide(input.packed, input.weights.x, anim_draw.box_min, anim_draw.box_size);
}
