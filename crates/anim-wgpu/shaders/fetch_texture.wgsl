// Texels of a page set of any float format, read from a texture array: on devices without storage buffers, and for sets
// larger than a binding.

@group(0) @binding(12) var pages: texture_2d_array<f32>;

// Where texels are: a layer, and a number in it that may lie in the layer after it.
struct TexelPlace {
    layer: u32,
    texel: u32,
}

// Divisions are slow, so find the place of a frame and count from there.
fn place_of_texel(number: u32) -> TexelPlace {
    let size = textureDimensions(pages);
    let layer = number / (size.x * size.y);
    return TexelPlace(layer, number - layer * size.x * size.y);
}

// Widths are powers of two, and a frame lies in two layers at most.
fn fetch_at(place: TexelPlace) -> vec4<f32> {
    let size = textureDimensions(pages);
    let is_beyond = place.texel >= size.x * size.y;
    let texel = place.texel - select(0u, size.x * size.y, is_beyond);
    let width_log2 = u32(log2(f32(size.x)) + 0.5);
    let position = vec2<u32>(texel & (size.x - 1u), texel >> width_log2);
    return textureLoad(pages, position, place.layer + u32(is_beyond), 0);
}

fn fetch_texel(number: u32) -> vec4<f32> {
    return fetch_at(place_of_texel(number));
}
