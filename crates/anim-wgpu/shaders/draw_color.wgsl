// The ready colour pass: base colour, the instance's colour, one sun with soft shadows. Writes linear colour.

@group(0) @binding(8) var base_color_image: texture_2d<f32>;
@group(0) @binding(9) var base_color_sampler: sampler;
@group(0) @binding(14) var shadow_map: texture_depth_2d_array;
@group(0) @binding(15) var shadow_sampler: sampler_comparison;

@vertex
fn color_vertex(
    input: VertexInput,
    @location(2) uv: vec2<f32>,
    @builtin(instance_index) instance_index: u32,
) -> ColorVarying {
    let place = anim_place(instance_index);
    let vertex = anim_pose(bind_vertex(input), place);
    return ColorVarying(
        anim_shown_position(vertex),
        vertex.world_position,
        vertex.world_normal,
        uv,
        anim_draw.base_color * anim_color(place),
    );
}

// Share of the sun that reaches a point: nine compared samples of the first shadow view that holds it.
fn sun_reaching(world_position: vec3<f32>, world_normal: vec3<f32>) -> f32 {
    let texel = 1.0 / vec2<f32>(textureDimensions(shadow_map));
    let point = vec4<f32>(world_position + world_normal * anim_frame.shadow_bias_metres, 1.0);
    for (var cascade = 0u; cascade < anim_frame.shadow_count; cascade += 1u) {
        let clip = anim_frame.clip_from_world[anim_frame.shadow_first + cascade] * point;
        let spot = clip.xyz / clip.w;
        let uv = vec2<f32>(spot.x, -spot.y) * 0.5 + 0.5;
        let inner = abs(spot.xy) + texel * 4.0;
        if max(inner.x, inner.y) < 1.0 && spot.z > 0.0 && spot.z < 1.0 {
            var lit = 0.0;
            for (var i = 0; i < 9; i += 1) {
                let offset = vec2<f32>(f32(i % 3 - 1), f32(i / 3 - 1)) * texel;
                lit += textureSampleCompareLevel(shadow_map, shadow_sampler, uv + offset, cascade, spot.z);
            }
            return lit / 9.0;
        }
    }
    return 1.0;
}

@fragment
fn color_fragment(surface: ColorVarying, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let color = textureSample(base_color_image, base_color_sampler, surface.uv) * surface.color;
    if color.a < anim_draw.alpha_cutoff {
        discard;
    }
    let normal = normalize(surface.world_normal) * select(-1.0, 1.0, front);
    let facing = max(dot(normal, anim_frame.sun_direction), 0.0);
    var light = anim_frame.ambient_color;
    if facing > 0.0 {
        light += anim_frame.sun_color * facing * sun_reaching(surface.world_position, normal);
    }
    return vec4<f32>(color.rgb * light, 1.0);
}
