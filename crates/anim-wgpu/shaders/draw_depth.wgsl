// Depth prepass and shadow maps: positions only, and alpha where a part has holes.

@group(0) @binding(8) var base_color_image: texture_2d<f32>;
@group(0) @binding(9) var base_color_sampler: sampler;

@vertex
fn depth_vertex(input: VertexInput, @builtin(instance_index) instance_index: u32) -> DepthVarying {
    return DepthVarying(anim_shown_position(anim_pose(bind_vertex(input), anim_place(instance_index))));
}

@vertex
fn masked_vertex(
    input: VertexInput,
    @location(2) uv: vec2<f32>,
    @builtin(instance_index) instance_index: u32,
) -> MaskedVarying {
    let vertex = anim_pose(bind_vertex(input), anim_place(instance_index));
    return MaskedVarying(anim_shown_position(vertex), uv, anim_draw.base_color.a * anim_color(vertex.place).a);
}

@fragment
fn masked_fragment(surface: MaskedVarying) {
    let alpha = textureSample(base_color_image, base_color_sampler, surface.uv).a * surface.alpha;
    if alpha < anim_draw.alpha_cutoff {
        discard;
    }
}
