// Local transforms between frames, over layers, and as rows: the twin of local_pose.rs in anim-core.

struct LocalTransform {
    translation: vec3<f32>,
    rotation: vec4<f32>,
    scale: vec3<f32>,
}

struct LocalSum {
    translation: vec3<f32>,
    weight: f32,
    rotation: vec4<f32>,
    scale: vec3<f32>,
    // 0, or the entry of the first of three rows: the node is a matrix.
    matrix: u32,
}

// Rotations whose dot product is below this are taken as the long way round.
const FLIP_BELOW: f32 = -1e-5;

fn normalize_rotation(rotation: vec4<f32>) -> vec4<f32> {
    let square = dot(rotation, rotation);
    return select(vec4<f32>(0.0, 0.0, 0.0, 1.0), rotation * inverseSqrt(square), square > 1e-20);
}

// Source: A. Kapoulkine, "Approximating slerp".
fn nlerp_corrected(a: vec4<f32>, b: vec4<f32>, t: f32) -> vec4<f32> {
    let signed = dot(a, b);
    let d = abs(signed);
    let u = t - 0.5;
    let k = (1.0904 + d * (-3.2452 + d * (3.55645 - d * 1.43519))) * u * u
        + (0.848013 + d * (-1.06021 + d * 0.215638));
    let share = t + t * u * (t - 1.0) * k;
    let signed_share = select(share, -share, signed < FLIP_BELOW);
    return normalize_rotation(a * (1.0 - share) + b * signed_share);
}

// Layers come from the base upwards.
fn add_local(sum: LocalSum, transform: LocalTransform, weight: f32) -> LocalSum {
    let is_far = dot(sum.rotation, transform.rotation) < FLIP_BELOW * sum.weight;
    return LocalSum(
        sum.translation + transform.translation * weight,
        sum.weight + weight,
        sum.rotation + transform.rotation * select(weight, -weight, is_far),
        sum.scale + transform.scale * weight,
        sum.matrix,
    );
}

// One step of Newton's method towards unit length: errors of the length add up along the hierarchy.
fn refine_rotation(rotation: vec4<f32>) -> vec4<f32> {
    return rotation * (1.5 - 0.5 * dot(rotation, rotation));
}

// Rows of parent_from_node of what a sum stands for.
fn local_rows(sum: LocalSum) -> Rows {
    let q = refine_rotation(normalize_rotation(sum.rotation));
    let s = vec4<f32>(sum.scale, 1.0);
    let t = sum.translation;
    let q2 = q.xyz + q.xyz;
    let xx = q.x * q2.x;
    let xy = q.x * q2.y;
    let xz = q.x * q2.z;
    let yy = q.y * q2.y;
    let yz = q.y * q2.z;
    let zz = q.z * q2.z;
    let wx = q.w * q2.x;
    let wy = q.w * q2.y;
    let wz = q.w * q2.z;
    return Rows(
        vec4<f32>(1.0 - (yy + zz), xy - wz, xz + wy, t.x) * s,
        vec4<f32>(xy + wz, 1.0 - (xx + zz), yz - wx, t.y) * s,
        vec4<f32>(xz - wy, yz + wx, 1.0 - (xx + yy), t.z) * s,
    );
}
