// The palette pass for local sets whose nodes turn, move and scale evenly, which is nearly all of them: as
// palette_local.wgsl, with 32 bytes of workgroup memory for a node instead of 48, and one thread for a node in a round.

// parent_from_node, then model_from_node; instance by instance.
var<workgroup> poses: array<array<vec4<f32>, 2>, LOCAL_NODES>;

fn put_pose(number: u32, pose: Similarity) {
    poses[number] = array<vec4<f32>, 2>(pose.rotation, vec4<f32>(pose.translation, 0.0));
}

fn pose_of(number: u32) -> Similarity {
    let pose = poses[number];
    return Similarity(pose[0], pose[1].xyz);
}

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
        put_pose(thread.first_pose + node, similarity_of(node_sum(moments, node, plan.nodes)));
    }
    workgroupBarrier();
    for (var round = 0u; round < plan.rounds; round += 1u) {
        let takes = round_of(thread, round);
        let node = thread.first_pose + (takes & 0xffffu);
        let is_busy = takes != NONE && thread.is_visible;
        var product: Similarity;
        if is_busy {
            product = similarity_mul(pose_of(thread.first_pose + (takes >> 16u)), pose_of(node));
        }
        workgroupBarrier();
        if is_busy {
            put_pose(node, product);
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
            let turned = similarity_row(poses[thread.first_pose + node][0], row);
            let pose = vec4<f32>(turned, poses[thread.first_pose + node][1][row]);
            store_row(first_row + bone * 3u, rows_mul_row(pose, bind_rows(plan.bones_entry, plan.bones, bone)));
        }
    }
}
