// A ghostly rim of light. Everything that starts with anim_ comes from anim's module, which stands before this text.

@group(0) @binding(0) var<uniform> eye: vec4<f32>;

struct Ghost {
    @builtin(position) clip_position: vec4<f32>,
    @location(0) world_position: vec3<f32>,
    @location(1) world_normal: vec3<f32>,
    @location(2) share: f32,
}

@vertex
fn ghost_vertex(input: VertexInput, @builtin(instance_index) instance_index: u32) -> Ghost {
    let vertex = anim_skin(bind_vertex(input), instance_index);
    let share = f32(anim_user_data(vertex.place)) / 100.0;
    return Ghost(anim_shown_position(vertex), vertex.world_position, vertex.world_normal, share);
}

@fragment
fn ghost_fragment(ghost: Ghost) -> @location(0) vec4<f32> {
    let normal = normalize(ghost.world_normal);
    let to_eye = normalize(eye.xyz - ghost.world_position);
    let rim = pow(1.0 - max(dot(normal, to_eye), 0.0), 3.0);
    let solid = vec3<f32>(0.5, 0.4, 0.3) * (0.35 + 0.65 * max(normal.y, 0.0));
    let glow = vec3<f32>(0.1, 0.7, 0.9) * (0.15 + rim * 2.0);
    return vec4<f32>(mix(solid, glow, ghost.share), 1.0);
}
