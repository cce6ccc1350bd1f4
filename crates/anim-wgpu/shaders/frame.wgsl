// What is the same for the whole frame: clock, views, sun. Written once a frame; nothing else is while a crowd plays.

struct AnimFrame {
    now_tick: vec2<u32>,
    view_count: u32,
    instances: u32,
    // Workgroups of 256 instances, and instances that the per-instance buffers hold.
    groups: u32,
    capacity: u32,
    // First entry of the lists; before it lies the table of draws.
    table: u32,
    shadow_first: u32,
    // Towards the sun.
    sun_direction: vec3<f32>,
    shadow_count: u32,
    sun_color: vec3<f32>,
    shadow_bias_metres: f32,
    ambient_color: vec3<f32>,
    shadow_texel: f32,
    clip_from_world: array<mat4x4<f32>, 16>,
    planes: array<vec4<f32>, 96>,
}

@group(0) @binding(0) var<uniform> anim_frame: AnimFrame;

// Instead of a number.
const NONE: u32 = 0xffffffffu;
