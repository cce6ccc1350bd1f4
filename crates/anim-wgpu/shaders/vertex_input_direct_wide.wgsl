// The 24-byte vertex of files with more than 256 bones on the direct path, with what its instance carries.

struct VertexInput {
    @location(0) packed: vec4<u32>,
    @location(1) weights: vec2<u32>,
    @location(4) world_x: vec4<f32>,
    @location(5) world_y: vec4<f32>,
    @location(6) world_z: vec4<f32>,
    @location(7) layer_0: vec4<u32>,
    @location(8) layer_1: vec4<u32>,
    @location(9) layer_2: vec4<u32>,
    @location(10) instance_color: vec4<f32>,
    @location(11) user_data: vec4<u32>,
}

fn bind_vertex(input: VertexInput) -> AnimBindVertex {
    anim_attributes = AnimAttributes(
        Rows(input.world_x, input.world_y, input.world_z),
        array<vec4<u32>, 3>(input.layer_0, input.layer_1, input.layer_2),
        input.instance_color,
        input.user_data,
    );
    return unpack_vertex_wide(input.packed, input.weights.x, anim_draw.box_min, anim_draw.box_size);
}
