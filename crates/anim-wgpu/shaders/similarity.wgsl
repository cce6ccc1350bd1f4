// Turning, moving and scaling evenly: the twin of similarity.rs in anim-core.

struct Similarity {
    // Its length is the square root of the scale; the zero quaternion shrinks everything to a point.
    rotation: vec4<f32>,
    translation: vec3<f32>,
}

// Of a sum whose scale is the same on all axes and not negative.
fn similarity_of(sum: LocalSum) -> Similarity {
    let rotation = refine_rotation(normalize_rotation(sum.rotation));
    return Similarity(rotation * sqrt(sum.scale.x), sum.translation);
}

// target_from_middle * middle_from_source.
fn similarity_mul(a: Similarity, b: Similarity) -> Similarity {
    return Similarity(
        vec4<f32>(
            b.rotation.xyz * a.rotation.w + a.rotation.xyz * b.rotation.w + cross(a.rotation.xyz, b.rotation.xyz),
            a.rotation.w * b.rotation.w - dot(a.rotation.xyz, b.rotation.xyz),
        ),
        a.translation + similarity_vector(a.rotation, b.translation),
    );
}

// A vector, turned and scaled.
fn similarity_vector(rotation: vec4<f32>, v: vec3<f32>) -> vec3<f32> {
    let axis = rotation.xyz;
    let along = axis * dot(axis, v) + cross(axis, v) * rotation.w;
    return v * (rotation.w * rotation.w - dot(axis, axis)) + along * 2.0;
}

// One row of its matrix, without the translation.
fn similarity_row(rotation: vec4<f32>, row: u32) -> vec3<f32> {
    let unit = vec3<f32>(select(0.0, 1.0, row == 0u), select(0.0, 1.0, row == 1u), select(0.0, 1.0, row == 2u));
    // The row of a matrix is its transpose times a unit vector: the inverse rotation.
    return similarity_vector(vec4<f32>(-rotation.xyz, rotation.w), unit);
}
