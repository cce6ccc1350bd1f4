// A program's own compute pass that moves every instance: each one walks a small circle.

struct BenchMove {
    seconds: f32,
    instances: u32,
    columns: u32,
    spacing: f32,
}

@group(0) @binding(0) var<uniform> motion: BenchMove;
@group(0) @binding(1) var<storage, read_write> transforms: array<vec4<f32>>;

@compute @workgroup_size(64)
fn move_main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = (group.y * groups.x + group.x) * 64u + local;
    if number >= motion.instances {
        return;
    }
    let angle = motion.seconds + f32(number % 64u) * 0.1;
    let s = sin(angle);
    let c = cos(angle);
    let place = vec2<f32>(f32(number % motion.columns), f32(number / motion.columns)) * motion.spacing;
    transforms[number * 3u] = vec4<f32>(c, 0.0, s, place.x + s * 0.1);
    transforms[number * 3u + 1u] = vec4<f32>(0.0, 1.0, 0.0, 0.0);
    transforms[number * 3u + 2u] = vec4<f32>(-s, 0.0, c, place.y + c * 0.1);
}
