// Texels of a page set of any float format, read from a texture array: for sets larger than a storage binding.

@group(0) @binding(12) var pages: texture_2d_array<f32>;

fn fetch_texel(number: u32) -> vec4<f32> {
    let size = textureDimensions(pages);
    let page = number / (size.x * size.y);
    let texel = number % (size.x * size.y);
    return textureLoad(pages, vec2<u32>(texel % size.x, texel / size.x), page, 0);
}
