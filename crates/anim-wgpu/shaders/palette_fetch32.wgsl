// Reads a palette of f32 rows in a vertex shader.

@group(0) @binding(5) var<storage, read> palette: array<vec4<f32>>;

fn palette_row(row: u32) -> vec4<f32> {
    return palette[row];
}
