// What every case has in common after its vertex shader: one interpolated normal and colour, one light.

struct BenchVarying {
    @builtin(position) clip_position: vec4<f32>,
    @location(0) normal: vec3<f32>,
    @location(1) color: vec3<f32>,
}

@fragment
fn bench_fragment(surface: BenchVarying) -> @location(0) vec4<f32> {
    let facing = max(dot(normalize(surface.normal), vec3<f32>(0.487950036, 0.78072006, 0.39036003)), 0.0);
    return vec4<f32>(surface.color * (0.35 + 0.65 * facing), 1.0);
}
