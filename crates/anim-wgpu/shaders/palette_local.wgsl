// The palette pass for local sets: for every visible instance, every node once: decode, interpolate, blend; then down the
// hierarchy, times the inverse bind matrices; store. For nodes with any scale: palette_similar.wgsl is faster where it can.
//
// In a step a thread has one row of one node: a row of a product needs one row of its left side.

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
    var rows = 0u;
    var moments: array<LayerMoment, 3>;
    if thread.is_visible {
        nodes = plan.nodes;
        rows = plan.bones * 3u;
        moments = read_moments(thread.slot);
    }
    for (var node = thread.lane; node < nodes; node += thread.threads) {
        let pose = node_rows(moments, node);
        poses[thread.first_pose + node] = array<vec4<f32>, 3>(pose.x, pose.y, pose.z);
    }
    workgroupBarrier();
    let in_step = thread.lane / 3u;
    let row = thread.lane - in_step * 3u;
    for (var step = 0u; step < plan.steps; step += 1u) {
        let node = step_start(step) + in_step;
        let is_here = node < min(step_start(step + 1u), nodes);
        var product: vec4<f32>;
        if is_here {
            let above = poses[thread.first_pose + parent_of(node)][row];
            let own = poses[thread.first_pose + node];
            product = rows_mul_row(above, Rows(own[0], own[1], own[2]));
        }
        workgroupBarrier();
        if is_here {
            poses[thread.first_pose + node][row] = product;
        }
        workgroupBarrier();
    }
    let first_row = thread.slot * plan.bones * 3u;
    for (var number = thread.lane; number < rows; number += thread.threads) {
        let bone = number / 3u;
        let bone_row = number - bone * 3u;
        let node = node_of_bone(bone);
        if node == NONE {
            store_row(first_row + number, bind_row(bone, bone_row) * shown_share(moments));
        } else {
            let pose = poses[thread.first_pose + node][bone_row];
            store_row(first_row + number, rows_mul_row(pose, bind_rows(bone)));
        }
    }
}
