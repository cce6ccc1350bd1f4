// A vertex of the bind pose out of its packed words: the twin of vertex_words.rs and vertex_packing.rs in anim-core, with
// the same operations in the same order.

struct AnimBindVertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    bones: vec4<u32>,
    weights: vec4<f32>,
}

fn unpack_position(packed: vec3<u32>, box_min: vec3<f32>, box_size: vec3<f32>) -> vec3<f32> {
    return box_min + vec3<f32>(packed) / 65535.0 * box_size;
}

fn sign_not_zero(v: f32) -> f32 {
    return select(1.0, -1.0, v < 0.0);
}

// The unit normal of a point of the octahedron, two snorm8 as integers.
fn unpack_normal(packed: vec2<i32>) -> vec3<f32> {
    let p = max(vec2<f32>(packed) / 127.0, vec2<f32>(-1.0));
    let z = 1.0 - abs(p.x) - abs(p.y);
    let fold = max(-z, 0.0);
    let v = vec3<f32>(p.x - fold * sign_not_zero(p.x), p.y - fold * sign_not_zero(p.y), z);
    return v / sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// The fourth weight is what the others leave of 1.
fn unpack_weights(packed: u32) -> vec4<f32> {
    let stored = vec3<u32>(packed & 1023u, (packed >> 10u) & 1023u, (packed >> 20u) & 1023u);
    let w = vec3<f32>(stored) / 1023.0;
    return vec4<f32>(w, max(1.0 - w.x - w.y - w.z, 0.0));
}

fn unpack_place(packed: vec4<u32>, box_min: vec3<f32>, box_size: vec3<f32>) -> vec3<f32> {
    let position = vec3<u32>(packed.x & 0xffffu, packed.x >> 16u, packed.y & 0xffffu);
    return unpack_position(position, box_min, box_size);
}

// Bytes 2 and 3 of word 1, with their signs.
fn unpack_direction(packed: vec4<u32>) -> vec3<f32> {
    return unpack_normal(vec2<i32>(bitcast<i32>(packed.y << 8u) >> 24u, bitcast<i32>(packed.y) >> 24u));
}

fn unpack_vertex(packed: vec4<u32>, box_min: vec3<f32>, box_size: vec3<f32>) -> AnimBindVertex {
    let b = packed.z;
    return AnimBindVertex(
        unpack_place(packed, box_min, box_size),
        unpack_direction(packed),
        vec4<u32>(b & 0xffu, (b >> 8u) & 0xffu, (b >> 16u) & 0xffu, b >> 24u),
        unpack_weights(packed.w),
    );
}

// The form for more than 256 bones.
fn unpack_vertex_wide(
    packed: vec4<u32>,
    weights: u32,
    box_min: vec3<f32>,
    box_size: vec3<f32>,
) -> AnimBindVertex {
    return AnimBindVertex(
        unpack_place(packed, box_min, box_size),
        unpack_direction(packed),
        vec4<u32>(packed.z & 0xffffu, packed.z >> 16u, packed.w & 0xffffu, packed.w >> 16u),
        unpack_weights(weights),
    );
}
