// The palette pass for local sets whose nodes turn, move and scale evenly, which is nearly all of them: as
// palette_local.wgsl, with 28 bytes of workgroup memory for a node instead of 48.

// parent_from_node, then model_from_node; instance by instance.
var<workgroup> rotations: array<vec4<f32>, LOCAL_NODES>;
var<workgroup> translations: array<array<f32, 3>, LOCAL_NODES>;

fn put_pose(number: u32, pose: Similarity) {
    rotations[number] = pose.rotation;
    translations[number] = array<f32, 3>(pose.translation.x, pose.translation.y, pose.translation.z);
}

fn pose_of(number: u32) -> Similarity {
    let translation = translations[number];
    return Similarity(rotations[number], vec3<f32>(translation[0], translation[1], translation[2]));
}

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
        put_pose(thread.first_pose + node, similarity_of(node_sum(moments, node)));
    }
    workgroupBarrier();
    for (var step = 0u; step < plan.steps; step += 1u) {
        let node = step_start(step) + thread.lane;
        if node < min(step_start(step + 1u), nodes) {
            let above = pose_of(thread.first_pose + parent_of(node));
            put_pose(thread.first_pose + node, similarity_mul(above, pose_of(thread.first_pose + node)));
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
            let turned = similarity_row(rotations[thread.first_pose + node], bone_row);
            let pose = vec4<f32>(turned, translations[thread.first_pose + node][bone_row]);
            store_row(first_row + number, rows_mul_row(pose, bind_rows(bone)));
        }
    }
}
