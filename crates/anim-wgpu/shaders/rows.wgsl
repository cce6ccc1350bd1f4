// Three rows of an affine matrix, as everywhere in this project.

struct Rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

fn rows_add_scaled(sum: Rows, rows: Rows, weight: f32) -> Rows {
    return Rows(sum.x + rows.x * weight, sum.y + rows.y * weight, sum.z + rows.z * weight);
}

// target_from_middle * middle_from_source.
fn rows_mul(a: Rows, b: Rows) -> Rows {
    return Rows(rows_mul_row(a.x, b), rows_mul_row(a.y, b), rows_mul_row(a.z, b));
}

fn rows_mul_row(row: vec4<f32>, b: Rows) -> vec4<f32> {
    return b.x * row.x + b.y * row.y + b.z * row.z + vec4<f32>(0.0, 0.0, 0.0, row.w);
}

fn rows_point(rows: Rows, p: vec3<f32>) -> vec3<f32> {
    let point = vec4<f32>(p, 1.0);
    return vec3<f32>(dot(rows.x, point), dot(rows.y, point), dot(rows.z, point));
}

fn rows_vector(rows: Rows, v: vec3<f32>) -> vec3<f32> {
    return vec3<f32>(dot(rows.x.xyz, v), dot(rows.y.xyz, v), dot(rows.z.xyz, v));
}

// Negative for a mirror.
fn rows_determinant(rows: Rows) -> f32 {
    return dot(rows.x.xyz, cross(rows.y.xyz, rows.z.xyz));
}

// The cofactor matrix times the determinant's sign, applied to a normal: right under any scale and mirror.
fn rows_cofactor_normal(rows: Rows, n: vec3<f32>) -> vec3<f32> {
    let xs = cross(rows.y.xyz, rows.z.xyz);
    let ys = cross(rows.z.xyz, rows.x.xyz);
    let zs = cross(rows.x.xyz, rows.y.xyz);
    let flip = select(1.0, -1.0, dot(rows.x.xyz, xs) < 0.0);
    return vec3<f32>(dot(xs, n), dot(ys, n), dot(zs, n)) * flip;
}

// Scaled by its largest component first where the square of a tiny or huge vector would be none; the fallback where
// nothing is left.
fn normalize_or(v: vec3<f32>, fallback: vec3<f32>) -> vec3<f32> {
    let square = dot(v, v);
    if square > 1e-30 && square < 1e30 {
        return v * inverseSqrt(square);
    }
    let largest = max(abs(v.x), max(abs(v.y), abs(v.z)));
    if !(largest > 0.0) {
        return fallback;
    }
    return normalize(v / largest);
}
