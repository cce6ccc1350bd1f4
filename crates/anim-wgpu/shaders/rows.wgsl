// Three rows of an affine matrix; row r is (m[r][0], m[r][1], m[r][2], translation[r]).

struct Rows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}
