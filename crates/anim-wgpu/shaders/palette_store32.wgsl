// Palettes in f32: one vec4 a row.

@group(0) @binding(5) var<storage, read_write> palette: array<vec4<f32>>;

var<workgroup> staged: array<vec4<f32>, STAGED_ROWS>;

fn stage_rows(local: u32, rows: Rows) {
    staged[local * 3u] = rows.x;
    staged[local * 3u + 1u] = rows.y;
    staged[local * 3u + 2u] = rows.z;
}

fn store_row(row: u32, from_staged: u32) {
    palette[row] = staged[from_staged];
}
