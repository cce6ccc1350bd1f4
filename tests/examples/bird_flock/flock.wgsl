// Steers each bird round a moving point: towards it, along with its neighbours by number, away from the ground.

struct Bird {
    position: vec4<f32>,
    velocity: vec4<f32>,
}

// Seconds since the start, seconds a step.
@group(0) @binding(0) var<uniform> time: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> birds: array<Bird>;
// Three rows an instance: what anim draws.
@group(0) @binding(2) var<storage, read_write> transforms: array<vec4<f32>>;

fn noise(seed: u32) -> f32 {
    let a = (seed ^ 61u) ^ (seed >> 16u);
    let b = a * 9u;
    let c = (b ^ (b >> 4u)) * 668265261u;
    return f32((c ^ (c >> 15u)) & 0xffffu) / 65535.0;
}

@compute @workgroup_size(64)
fn steer(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= arrayLength(&birds) {
        return;
    }
    var bird = birds[i];
    if bird.position.w == 0.0 {
        // Born in a long cloud.
        let angle = noise(i) * 6.2832;
        let away = 4.0 + 16.0 * noise(i * 3u + 1u);
        bird.position = vec4<f32>(cos(angle) * away * 1.6, 11.0 + 6.0 * (noise(i * 7u + 2u) - 0.5), sin(angle) * away, 1.0);
        bird.velocity = vec4<f32>(-sin(angle) * 8.0, 0.0, cos(angle) * 8.0, 0.0);
    }
    let home = vec3<f32>(sin(time.x * 0.7) * 6.0, 11.0 + sin(time.x) * 2.0, cos(time.x * 0.7) * 4.0);
    let towards = home - bird.position.xyz;
    // A whirl round home, at a distance of its own.
    let wanted = 6.0 + 12.0 * noise(i * 3u + 1u);
    let flat_way = vec3<f32>(towards.x, 0.0, towards.z);
    let pull = flat_way * (length(flat_way) - wanted) * 0.08;
    let lift = vec3<f32>(0.0, towards.y * 0.4 + 3.0 * (noise(i * 11u) - 0.5), 0.0);
    var velocity = bird.velocity.xyz + (pull + lift) * time.y;
    let along = normalize(cross(flat_way, vec3<f32>(0.0, -1.0, 0.0)) + vec3<f32>(0.0, 1e-4, 0.0));
    velocity = mix(velocity, along * 8.0 + vec3<f32>(0.0, velocity.y, 0.0), 0.05);
    bird.velocity = vec4<f32>(velocity, 0.0);
    bird.position = vec4<f32>(bird.position.xyz + velocity * time.y, 1.0);
    birds[i] = bird;

    // Looks where it flies (models look along +Z), banked into the turn.
    let forward = normalize(velocity);
    let up_hint = normalize(vec3<f32>(0.0, 1.0, 0.0) + normalize(flat_way) * 0.35);
    let right = normalize(cross(up_hint, forward));
    let up = cross(forward, right);
    transforms[i * 3u] = vec4<f32>(right.x, up.x, forward.x, bird.position.x);
    transforms[i * 3u + 1u] = vec4<f32>(right.y, up.y, forward.y, bird.position.y);
    transforms[i * 3u + 2u] = vec4<f32>(right.z, up.z, forward.z, bird.position.z);
}
