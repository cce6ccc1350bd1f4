// Where a draw finds its instances, and what they carry.

@group(0) @binding(4) var<storage, read> lists: array<u32>;
@group(0) @binding(6) var<storage, read> world: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> traits: array<InstanceTraits>;

// What `list` of AnimDraw is for everything visible of the model, in order, and for a range of a list.
const LIST_IS_ALL: u32 = 0xffffffffu;
const LIST_IN_TABLE: u32 = 0xfffffffeu;

// Place, among all visible instances, of an instance of this draw.
fn anim_place(instance_index: u32) -> u32 {
    if anim_draw.list == LIST_IS_ALL {
        return anim_draw.first_place + instance_index;
    }
    var list = anim_draw.list;
    if list == LIST_IN_TABLE {
        list = lists[anim_draw.number];
    }
    return lists[list + instance_index];
}

// Number of the instance: what its handle's index says.
fn anim_instance(place: u32) -> u32 {
    return lists[anim_frame.table + place];
}

fn anim_world_from_model(place: u32) -> Rows {
    return Rows(world[place * 3u], world[place * 3u + 1u], world[place * 3u + 2u]);
}

// The instance's own colour, linear.
fn anim_color(place: u32) -> vec4<f32> {
    return unpack4x8unorm(traits[anim_instance(place)].color);
}

// The number that the program gave the instance.
fn anim_user_data(place: u32) -> u32 {
    return traits[anim_instance(place)].user_data;
}

// Whether the instance does not show the part that is drawn. Lists usually hold only those that do.
fn anim_part_is_hidden(place: u32) -> bool {
    return anim_draw.checks_part == 1u && !shows_part(traits[anim_instance(place)], anim_draw.part);
}
