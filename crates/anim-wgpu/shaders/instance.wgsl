// What the culling and attachment passes know of an instance.

struct InstanceCull {
    // Ball around everything it may show, in model space: centre and radius in metres.
    sphere: vec4<f32>,
    // The instance that it is attached to, or NO_PARENT.
    parent: u32,
    // Model in the low 16 bits, then the flags below.
    model_and_flags: u32,
    padding_a: u32,
    padding_b: u32,
}

// Constant velocity since a tick.
struct InstanceMotion {
    velocity: vec3<f32>,
    padding: u32,
    start_tick: vec2<u32>,
    padding_b: vec2<u32>,
}

const INSTANCE_ALIVE: u32 = 0x80000000u;
const INSTANCE_HIDDEN: u32 = 0x40000000u;
const INSTANCE_MOVING: u32 = 0x20000000u;
const INSTANCE_POINT_MIRRORS: u32 = 0x10000000u;
const INSTANCE_MODEL_MASK: u32 = 0xffffu;
const NO_PARENT: u32 = 0xffffffffu;
const ATTACH_DEPTH_MAX: u32 = 4u;

@group(0) @binding(16) var<storage, read> transforms: array<vec4<f32>>;

fn stored_transform(instance: u32) -> Rows {
    return Rows(transforms[instance * 3u], transforms[instance * 3u + 1u], transforms[instance * 3u + 2u]);
}
