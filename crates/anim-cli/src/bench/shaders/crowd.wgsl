// The vertex shader of a program that draws a crowd with the module of anim-wgpu.

@vertex
fn bench_vertex(input: VertexInput, @builtin(instance_index) instance_index: u32) -> BenchVarying {
    let vertex = anim_skin(bind_vertex(input), instance_index);
    return BenchVarying(
        anim_shown_position(vertex),
        vertex.world_normal,
        anim_color(vertex.place).rgb,
    );
}
