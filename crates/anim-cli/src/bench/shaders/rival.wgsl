// What all other ways to draw the same crowd share: the same packed vertex, an instance's transform as attributes, and
// the same arithmetic for positions and normals as anim-wgpu's.

struct BenchScene {
    clip_from_world: mat4x4<f32>,
    box_min: vec3<f32>,
    bones: u32,
    box_size: vec3<f32>,
    padding: u32,
}

@group(0) @binding(0) var<uniform> scene: BenchScene;

// Rows of world_from_model.
struct BenchInstance {
    @location(4) x: vec4<f32>,
    @location(5) y: vec4<f32>,
    @location(6) z: vec4<f32>,
}

struct BenchRows {
    x: vec4<f32>,
    y: vec4<f32>,
    z: vec4<f32>,
}

const NO_ROWS: BenchRows = BenchRows(vec4<f32>(), vec4<f32>(), vec4<f32>());

fn add_scaled(sum: BenchRows, rows: BenchRows, weight: f32) -> BenchRows {
    return BenchRows(sum.x + rows.x * weight, sum.y + rows.y * weight, sum.z + rows.z * weight);
}

fn point(rows: BenchRows, p: vec3<f32>) -> vec3<f32> {
    let q = vec4<f32>(p, 1.0);
    return vec3<f32>(dot(rows.x, q), dot(rows.y, q), dot(rows.z, q));
}

fn normal_or(v: vec3<f32>, fallback: vec3<f32>) -> vec3<f32> {
    let largest = max(abs(v.x), max(abs(v.y), abs(v.z)));
    if !(largest > 0.0) {
        return fallback;
    }
    return normalize(v / largest);
}

fn cofactor_normal(rows: BenchRows, n: vec3<f32>) -> vec3<f32> {
    let xs = cross(rows.y.xyz, rows.z.xyz);
    let ys = cross(rows.z.xyz, rows.x.xyz);
    let zs = cross(rows.x.xyz, rows.y.xyz);
    let flip = select(1.0, -1.0, dot(rows.x.xyz, xs) < 0.0);
    return vec3<f32>(dot(xs, n), dot(ys, n), dot(zs, n)) * flip;
}

// A vertex that is in model space, in the world and in the picture.
fn placed(position: vec3<f32>, normal: vec3<f32>, instance: BenchInstance) -> BenchVarying {
    let world_from_model = BenchRows(instance.x, instance.y, instance.z);
    let world = point(world_from_model, position);
    return BenchVarying(
        scene.clip_from_world * vec4<f32>(world, 1.0),
        normal_or(cofactor_normal(world_from_model, normal), normal),
        vec3<f32>(0.8),
    );
}

// A vertex of the bind pose moved by the blended rows of its bones.
fn skinned(vertex: AnimBindVertex, rows: BenchRows, instance: BenchInstance) -> BenchVarying {
    let turned = vec3<f32>(
        dot(rows.x.xyz, vertex.normal),
        dot(rows.y.xyz, vertex.normal),
        dot(rows.z.xyz, vertex.normal),
    );
    return placed(point(rows, vertex.position), normal_or(turned, vertex.normal), instance);
}
