// What the instances of a draw carry on the direct path: vertex attributes, one set an instance, and no lists.
//
// `bind_vertex` puts the attributes of the vertex's instance where the functions below find them, so call it first.

// A DirectInstance of direct_instance.rs.
struct AnimAttributes {
    world_from_model: Rows,
    layers: array<vec4<u32>, 3>,
    color: vec4<f32>,
    // The program's own number, the instance's number, and room.
    user_data: vec4<u32>,
}

var<private> anim_attributes: AnimAttributes;

// Number of the instance among those of this draw.
fn anim_place(instance_index: u32) -> u32 {
    return instance_index;
}

// Number of the instance: what its handle's index says.
fn anim_instance(place: u32) -> u32 {
    return anim_attributes.user_data.y;
}

fn anim_world_from_model(place: u32) -> Rows {
    return anim_attributes.world_from_model;
}

// The instance's own colour, linear.
fn anim_color(place: u32) -> vec4<f32> {
    return anim_attributes.color;
}

// The number that the program gave the instance.
fn anim_user_data(place: u32) -> u32 {
    return anim_attributes.user_data.x;
}

// Whether the instance does not show the part that is drawn: never, because the CPU draws only those that do.
fn anim_part_is_hidden(place: u32) -> bool {
    return false;
}
