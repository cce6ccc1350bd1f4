// What is around characters: a sky, grid lines, and a ground that shadows fall on.

struct Decor {
    clip_from_world: mat4x4<f32>,
    // Linear colours of the picture's upper edge and of the horizon.
    top: vec4<f32>,
    bottom: vec4<f32>,
    // Colour and opacity of lines, or the ground's colour.
    color: vec4<f32>,
    // Towards the sun, and how far points are moved along the normal before they are looked up in the shadow map.
    to_sun_and_bias: vec4<f32>,
    // Colour of the sun, then where the horizon is: 0 the upper edge, 1 the lower one.
    sun_color_and_horizon: vec4<f32>,
    ambient_color: vec4<f32>,
    // Where the camera is, and the distance at which the ground has become haze.
    eye_and_haze: vec4<f32>,
    clip_from_world_of_sun: array<mat4x4<f32>, 3>,
}

@group(0) @binding(0) var<uniform> decor: Decor;
@group(0) @binding(1) var shadow_map: texture_depth_2d_array;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

struct BackdropVarying {
    @builtin(position) clip_position: vec4<f32>,
    @location(0) share: f32,
}

@vertex
fn backdrop_vertex(@builtin(vertex_index) index: u32) -> BackdropVarying {
    let corner = vec2<f32>(f32((index << 1u) & 2u), f32(index & 2u));
    return BackdropVarying(vec4<f32>(corner.x * 2.0 - 1.0, 1.0 - corner.y * 2.0, 1.0, 1.0), corner.y);
}

@fragment
fn backdrop_fragment(backdrop: BackdropVarying) -> @location(0) vec4<f32> {
    return vec4<f32>(mix(decor.top.rgb, decor.bottom.rgb, min(backdrop.share / decor.sun_color_and_horizon.w, 1.0)), 1.0);
}

@vertex
fn line_vertex(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return decor.clip_from_world * vec4<f32>(position, 1.0);
}

@fragment
fn line_fragment() -> @location(0) vec4<f32> {
    return decor.color;
}

struct GroundVarying {
    @builtin(position) clip_position: vec4<f32>,
    @location(0) world_position: vec3<f32>,
}

@vertex
fn ground_vertex(@location(0) position: vec3<f32>) -> GroundVarying {
    return GroundVarying(decor.clip_from_world * vec4<f32>(position, 1.0), position);
}

// As `sun_reaching` of the crowd's own colour pass.
fn sun_reaching(world_position: vec3<f32>) -> f32 {
    let texel = 1.0 / vec2<f32>(textureDimensions(shadow_map));
    let point = vec4<f32>(world_position + vec3<f32>(0.0, decor.to_sun_and_bias.w, 0.0), 1.0);
    for (var cascade = 0u; cascade < 3u; cascade += 1u) {
        let clip = decor.clip_from_world_of_sun[cascade] * point;
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
fn ground_fragment(ground: GroundVarying) -> @location(0) vec4<f32> {
    let facing = max(decor.to_sun_and_bias.y, 0.0);
    let lit = sun_reaching(ground.world_position);
    let light = decor.ambient_color.rgb + decor.sun_color_and_horizon.rgb * facing * lit;
    let away = distance(ground.world_position, decor.eye_and_haze.xyz) / decor.eye_and_haze.w;
    let haze = clamp(away * away, 0.0, 1.0);
    return vec4<f32>(mix(decor.color.rgb * light, decor.bottom.rgb, haze), 1.0);
}
