// Texels of an Affine16 page set, read from a storage buffer: four half floats in two words a texel.

@group(0) @binding(12) var<storage, read> pages: array<vec2<u32>>;

fn fetch_texel(number: u32) -> vec4<f32> {
    let words = pages[number];
    return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
}
