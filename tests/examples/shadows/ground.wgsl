// A square of ground at height 0 with the shadows of the map's two cascades.

// Camera, near cascade, wide cascade.
@group(0) @binding(0) var<uniform> clip_from_world: array<mat4x4<f32>, 3>;
@group(0) @binding(1) var shadow_map: texture_depth_2d_array;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;

struct GroundVertex {
    @builtin(position) clip_position: vec4<f32>,
    @location(0) world_position: vec3<f32>,
}

@vertex
fn ground_vertex(@builtin(vertex_index) index: u32) -> GroundVertex {
    let corners = array<vec2<f32>, 6>(
        vec2<f32>(-1.0, -1.0), vec2<f32>(-1.0, 1.0), vec2<f32>(1.0, 1.0),
        vec2<f32>(-1.0, -1.0), vec2<f32>(1.0, 1.0), vec2<f32>(1.0, -1.0),
    );
    let world = vec3<f32>(corners[index].x * 40.0, 0.0, corners[index].y * 40.0);
    return GroundVertex(clip_from_world[0] * vec4<f32>(world, 1.0), world);
}

fn sun_reaching(world: vec3<f32>) -> f32 {
    let texel = 1.0 / vec2<f32>(textureDimensions(shadow_map));
    for (var cascade = 0u; cascade < 2u; cascade += 1u) {
        let spot = (clip_from_world[1u + cascade] * vec4<f32>(world, 1.0)).xyz;
        if max(abs(spot.x), abs(spot.y)) < 0.99 && spot.z > 0.0 && spot.z < 1.0 {
            var lit = 0.0;
            for (var i = 0; i < 9; i += 1) {
                let uv = vec2<f32>(spot.x, -spot.y) * 0.5 + 0.5 + vec2<f32>(f32(i % 3 - 1), f32(i / 3 - 1)) * texel;
                lit += textureSampleCompareLevel(shadow_map, shadow_sampler, uv, cascade, spot.z - 0.001);
            }
            return lit / 9.0;
        }
    }
    return 1.0;
}

@fragment
fn ground_fragment(surface: GroundVertex) -> @location(0) vec4<f32> {
    let tile = floor(surface.world_position.xz);
    let check = abs(tile.x + tile.y) % 2.0;
    let color = mix(vec3<f32>(0.20, 0.22, 0.17), vec3<f32>(0.24, 0.26, 0.20), check);
    let far = smoothstep(14.0, 36.0, length(surface.world_position.xz));
    let light = vec3<f32>(0.45, 0.5, 0.58) + vec3<f32>(1.0, 0.95, 0.85) * sun_reaching(surface.world_position);
    return vec4<f32>(mix(color * light, vec3<f32>(0.30, 0.42, 0.55), far), 1.0);
}
