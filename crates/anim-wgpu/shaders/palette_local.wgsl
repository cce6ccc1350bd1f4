// The palette pass for local sets: for every visible instance, every node once: decode, interpolate, blend; then down the
// hierarchy, times the inverse bind matrices; store.
//
// A workgroup holds as many instances as fit: each has a power of two of threads. First a thread has a few whole nodes;
// then, where few nodes of one depth are ready at a time, a thread has one row of one node, and at last one row of a bone:
// a row of a product needs one row of its left side. So neighbouring threads store to neighbouring addresses, too.

const WORKGROUP: u32 = 64u;

// Nodes of all instances of a workgroup, 128 or 256: the less memory, the more workgroups run at once. With 256 it is less
// than the 16 KiB of a workgroup that every device has.
override LOCAL_NODES: u32 = 256u;

@group(0) @binding(27) var<storage, read> slot_moments: array<vec4<u32>>;

// parent_from_node, then model_from_node; instance by instance.
var<workgroup> poses: array<array<vec4<f32>, 3>, LOCAL_NODES>;
// Parent of a node, and in the upper half the end of the nodes that are ready together with it.
var<workgroup> steps: array<u32, LOCAL_NODES>;

fn read_moments(slot: u32) -> array<LayerMoment, 3> {
    let covers = slot_moments[slot * 4u];
    var layers: array<vec4<u32>, 3>;
    if covers.x != 0u {
        layers[0] = slot_moments[slot * 4u + 1u];
    }
    if covers.y != 0u {
        layers[1] = slot_moments[slot * 4u + 2u];
    }
    if covers.z != 0u {
        layers[2] = slot_moments[slot * 4u + 3u];
    }
    return moments_of_slot(covers, layers);
}

@compute @workgroup_size(64)
fn palette_main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let visible = visible_slots();
    let threads = 1u << plan.threads_log2;
    let of_group = local >> plan.threads_log2;
    let slot = (group.y * groups.x + group.x) * plan.in_group + of_group;
    let lane = local & (threads - 1u);
    let first_pose = of_group * plan.nodes;
    for (var node = local; node < plan.nodes; node += WORKGROUP) {
        steps[node] = step_of(node);
    }
    var nodes = 0u;
    var rows = 0u;
    var moments: array<LayerMoment, 3>;
    if slot < visible {
        nodes = plan.nodes;
        rows = plan.bones * 3u;
        moments = read_moments(slot);
    }
    for (var node = lane; node < nodes; node += threads) {
        let pose = node_rows(moments, node);
        poses[first_pose + node] = array<vec4<f32>, 3>(pose.x, pose.y, pose.z);
    }
    workgroupBarrier();
    let in_step = lane / 3u;
    let row = lane - in_step * 3u;
    var first_node = plan.roots;
    for (var step = 0u; step < plan.steps; step += 1u) {
        let end_node = steps[min(first_node, LOCAL_NODES - 1u)] >> 16u;
        let node = first_node + in_step;
        let is_here = node < min(end_node, nodes);
        var product: vec4<f32>;
        if is_here {
            let above = poses[first_pose + (steps[node] & 0xffffu)][row];
            let own = poses[first_pose + node];
            product = rows_mul_row(above, Rows(own[0], own[1], own[2]));
        }
        workgroupBarrier();
        if is_here {
            poses[first_pose + node][row] = product;
        }
        workgroupBarrier();
        first_node = end_node;
    }
    let first_row = slot * plan.bones * 3u;
    for (var number = lane; number < rows; number += threads) {
        let bone = number / 3u;
        let bone_row = number - bone * 3u;
        let node = node_of_bone(bone);
        if node == NONE {
            store_row(first_row + number, bind_row(bone, bone_row) * shown_share(moments));
        } else {
            store_row(first_row + number, rows_mul_row(poses[first_pose + node][bone_row], bind_rows(bone)));
        }
    }
}
