// Reads a palette of half-float rows in a vertex shader; `unpack2x16float` needs no feature.

@group(0) @binding(5) var<storage, read> palette: array<vec2<u32>>;

fn palette_row(row: u32) -> vec4<f32> {
    let words = palette[row];
    return vec4<f32>(unpack2x16float(words.x), unpack2x16float(words.y));
}
