// Elements of local tracks in f32, four words: the twin of local_encoding.rs in anim-core.

@group(0) @binding(12) var<storage, read> pages: array<vec4<u32>>;

const LOCAL_VALUE_MAX: f32 = 1e38;

// The numbers of these bits; 0 for what is not finite, which a shader can only tell by the exponent.
fn finite_numbers(bits: vec4<u32>) -> vec4<f32> {
    let is_finite = (bits & vec4<u32>(0x7f800000u)) != vec4<u32>(0x7f800000u);
    return bitcast<vec4<f32>>(select(vec4<u32>(), bits, is_finite));
}

fn fetch_rotation(texel: u32) -> vec4<f32> {
    return clamp(finite_numbers(pages[texel]), vec4<f32>(-1.0), vec4<f32>(1.0));
}

// The range is not needed here.
fn fetch_value(texel: u32, range: vec4<f32>) -> vec3<f32> {
    return clamp(finite_numbers(pages[texel]).xyz, vec3<f32>(-LOCAL_VALUE_MAX), vec3<f32>(LOCAL_VALUE_MAX));
}

// Entry of a frame table, which starts at a texel.
fn fetch_frame(table: u32, frame: u32) -> u32 {
    return pages[table + frame / 4u][frame & 3u];
}
