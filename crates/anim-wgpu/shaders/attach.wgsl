// Attachments: where an instance that hangs on another one is, from its parent's own frames and fades.
//
// Parents come before children: one dispatch for each depth and parent model, in that order.

struct AttachRecord {
    child: u32,
    parent: u32,
    // Bone of the parent that the point follows.
    bone: u32,
    padding: u32,
    // Where the child's own point lies relative to that bone's bind pose.
    bind_from_child: array<vec4<f32>, 3>,
}

struct AttachUniform {
    first: u32,
    count: u32,
    bones: u32,
    padding: u32,
}

@group(0) @binding(2) var<uniform> attach: AttachUniform;
@group(0) @binding(6) var<storage, read_write> world: array<vec4<f32>>;
@group(0) @binding(19) var<storage, read> decisions: array<u32>;
@group(0) @binding(25) var<storage, read> records: array<AttachRecord>;

@compute @workgroup_size(64)
fn attach_main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let number = (group.y * groups.x + group.x) * 64u + local;
    if number >= attach.count {
        return;
    }
    let record = records[attach.first + number];
    let place = decisions[anim_frame.capacity + record.child];
    let above = decisions[anim_frame.capacity + record.parent];
    if place == NONE || above == NONE {
        return;
    }
    let world_from_parent = Rows(world[above * 3u], world[above * 3u + 1u], world[above * 3u + 2u]);
    let parent_from_bind = blend_layers(record.parent, record.bone, attach.bones, anim_frame.now_tick);
    let bind_from_child = Rows(record.bind_from_child[0], record.bind_from_child[1], record.bind_from_child[2]);
    let parent_from_point = rows_mul(parent_from_bind, bind_from_child);
    let rows = rows_mul(rows_mul(world_from_parent, parent_from_point), stored_transform(record.child));
    world[place * 3u] = rows.x;
    world[place * 3u + 1u] = rows.y;
    world[place * 3u + 2u] = rows.z;
}
