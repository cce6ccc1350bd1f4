// The 16-byte vertex as a vertex shader gets it.

struct VertexInput {
    @location(0) packed: vec4<u32>,
}

fn bind_vertex(input: VertexInput) -> AnimBindVertex {
    return unpack_vertex(input.packed, anim_draw.box_min, anim_draw.box_size);
}
