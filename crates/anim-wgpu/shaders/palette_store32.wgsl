// Palettes in f32: one vec4 a row.

@group(0) @binding(5) var<storage, read_write> palette: array<vec4<f32>>;

fn store_row(number: u32, row: vec4<f32>) {
    palette[number] = row;
}
