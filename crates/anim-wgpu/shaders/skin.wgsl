// Skinning for vertex shaders: include these files in your own pipeline. `shader_source.rs` says in which order.
//
// A vertex shader calls `anim_skin` with its bind-pose vertex and the built-in `instance_index`; everything whose name
// starts with `anim_` or `Anim` is meant to be used.

// What is the same for one draw: a part of a model in a view.
struct AnimDraw {
    // The box that positions are packed in.
    box_min: vec3<f32>,
    bones: u32,
    box_size: vec3<f32>,
    // Number of the draw in the table at the start of the lists.
    number: u32,
    base_color: vec4<f32>,
    view: u32,
    // Place of the first palette of the bound chunk.
    first_place: u32,
    // 1: one bone moves the whole part, so its normals follow the cofactor matrix.
    rigid: u32,
    // Alpha below it is not drawn; 0 for opaque parts.
    alpha_cutoff: f32,
    part: u32,
    // 1: the list holds instances that do not show the part.
    checks_part: u32,
    // First entry of its list, or LIST_IS_ALL, or LIST_IN_TABLE.
    list: u32,
    padding: u32,
}

@group(0) @binding(1) var<uniform> anim_draw: AnimDraw;

// A skinned vertex of one instance.
struct AnimVertex {
    // Place of the instance among the visible ones: the argument of the functions below.
    place: u32,
    model_position: vec3<f32>,
    model_normal: vec3<f32>,
    world_position: vec3<f32>,
    world_normal: vec3<f32>,
}

// `anim_blend`, which each source of bones has: the weighted sum of four bones.
fn blend_four(a: Rows, b: Rows, c: Rows, d: Rows, weights: vec4<f32>) -> Rows {
    return Rows(
        a.x * weights.x + b.x * weights.y + c.x * weights.z + d.x * weights.w,
        a.y * weights.x + b.y * weights.y + c.y * weights.z + d.y * weights.w,
        a.z * weights.x + b.z * weights.y + c.z * weights.z + d.z * weights.w,
    );
}

// A normal of the bind pose in model space, of any length: the blended upper 3x3, or the cofactor matrix for rigid parts.
fn skin_direction(rows: Rows, normal: vec3<f32>, rigid: bool) -> vec3<f32> {
    if rigid {
        return rows_cofactor_normal(rows, normal);
    }
    return rows_vector(rows, normal);
}

fn anim_pose(vertex: AnimBindVertex, place: u32) -> AnimVertex {
    let rows = anim_blend(vertex.bones, vertex.weights, place);
    let world_from_model = anim_world_from_model(place);
    let position = rows_point(rows, vertex.position);
    let direction = skin_direction(rows, vertex.normal, anim_draw.rigid == 1u);
    return AnimVertex(
        place,
        position,
        normalize_or(direction, vertex.normal),
        rows_point(world_from_model, position),
        normalize_or(rows_cofactor_normal(world_from_model, direction), vertex.normal),
    );
}

// Clip position of a point in the world, in the view that is drawn.
fn anim_clip_position(world_position: vec3<f32>) -> vec4<f32> {
    return anim_frame.clip_from_world[anim_draw.view] * vec4<f32>(world_position, 1.0);
}

// The same, but no triangle at all where the instance does not show the part. A choice, not a branch: a branch around the
// whole vertex keeps the GPU from loading ahead.
fn anim_shown_position(vertex: AnimVertex) -> vec4<f32> {
    return select(anim_clip_position(vertex.world_position), vec4<f32>(), anim_part_is_hidden(vertex.place));
}

// The skinned vertex of an instance of this draw.
fn anim_skin(vertex: AnimBindVertex, instance_index: u32) -> AnimVertex {
    return anim_pose(vertex, anim_place(instance_index));
}
