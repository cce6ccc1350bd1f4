// Palettes in half floats: two words a row.

@group(0) @binding(5) var<storage, read_write> palette: array<vec2<u32>>;

var<workgroup> staged: array<vec2<u32>, STAGED_ROWS>;

fn stage_rows(local: u32, rows: Rows) {
    staged[local * 3u] = half_row(rows.x);
    staged[local * 3u + 1u] = half_row(rows.y);
    staged[local * 3u + 2u] = half_row(rows.z);
}

fn half_row(row: vec4<f32>) -> vec2<u32> {
    return vec2<u32>(pack2x16float(row.xy), pack2x16float(row.zw));
}

fn store_row(row: u32, from_staged: u32) {
    palette[row] = staged[from_staged];
}
