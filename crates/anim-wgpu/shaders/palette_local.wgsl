// The palette pass for local sets: for every visible instance, every node once: decode, interpolate, blend; then up the
// hierarchy, times the inverse bind matrices; store. For nodes with any scale: palette_similar.wgsl is faster where it can.
//
// In a round a thread has one row of one node: a row of a product needs one row of its left side.

// parent_from_node, then model_from_node; instance by instance.
var<workgroup> poses: array<array<vec4<f32>, 3>, LOCAL_NODES>;

@compute @workgroup_size(64)
fn palette_main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let thread = slot_thread(group.y * groups.x + group.x, local);
    var nodes = 0u;
    var bones = 0u;
    var moments: array<LayerMoment, 3>;
    if thread.is_visible {
        nodes = plan.nodes;
        bones = plan.bones;
        moments = read_moments(thread.slot);
    }
    for (var node = thread.lane; node < nodes; node += thread.threads) {
        let pose = node_rows(moments, node, plan.nodes);
        poses[thread.first_pose + node] = array<vec4<f32>, 3>(pose.x, pose.y, pose.z);
    }
    workgroupBarrier();
    for (var round = 0u; round < plan.rounds; round += 1u) {
        let takes = round_of(thread, round);
        let node = thread.first_pose + (takes & 0xffffu);
        let row = thread.lane % 3u;
        let is_busy = takes != NONE && thread.is_visible;
        var product: vec4<f32>;
        if is_busy {
            let own = poses[node];
            let above = poses[thread.first_pose + (takes >> 16u)][row];
            product = rows_mul_row(above, Rows(own[0], own[1], own[2]));
        }
        workgroupBarrier();
        if is_busy {
            poses[node][row] = product;
        }
        workgroupBarrier();
    }
    let in_turn = thread.threads / 3u;
    let row = thread.lane % 3u;
    var bone = thread.lane / 3u;
    if bone == in_turn {
        return;
    }
    let first_row = thread.slot * plan.bones * 3u + row;
    for (; bone < bones; bone += in_turn) {
        let node = node_of_bone(plan.bones_entry, plan.bones, bone);
        if node == NONE {
            let still = bind_row(plan.bones_entry, plan.bones, bone, row);
            store_row(first_row + bone * 3u, still * shown_share(moments));
        } else {
            let pose = poses[thread.first_pose + node][row];
            store_row(first_row + bone * 3u, rows_mul_row(pose, bind_rows(plan.bones_entry, plan.bones, bone)));
        }
    }
}
