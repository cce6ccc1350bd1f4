// Texels of an Affine32 page set, read from a storage buffer: one vec4 a texel.

@group(0) @binding(12) var<storage, read> pages: array<vec4<f32>>;

fn fetch_texel(number: u32) -> vec4<f32> {
    return pages[number];
}
