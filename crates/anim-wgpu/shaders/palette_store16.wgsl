// Palettes in half floats: two words a row.

@group(0) @binding(5) var<storage, read_write> palette: array<vec2<u32>>;

fn store_row(number: u32, row: vec4<f32>) {
    palette[number] = vec2<u32>(pack2x16float(row.xy), pack2x16float(row.zw));
}
