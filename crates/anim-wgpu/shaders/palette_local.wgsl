// The palette pass for local sets: for every visible instance, every node once: decode, interpolate, blend; then every bone
// up its ancestors, times its inverse bind matrix; store.
//
// A workgroup holds as many instances as fit: each has a power of two of threads, and each thread two to four of its nodes,
// so that what is the same for all nodes is computed a few times. Local matrices lie in workgroup memory, one barrier
// before the walk. Rows go through workgroup memory, too, so that neighbouring threads store to neighbouring addresses.

const WORKGROUP: u32 = 64u;
const STAGED_ROWS: u32 = 192u;

// Nodes of all instances of a workgroup, 128 or 256: the less memory, the more workgroups run at once. With 256, `staged`
// and `parents` it is the 16 KiB of a workgroup that every device has.
override LOCAL_NODES: u32 = 256u;

// Rows of parent_from_node, instance by instance.
var<workgroup> locals: array<vec4<f32>, LOCAL_NODES * 3u>;
var<workgroup> parents: array<u32, LOCAL_NODES>;

fn put_local(number: u32, rows: Rows) {
    locals[number * 3u] = rows.x;
    locals[number * 3u + 1u] = rows.y;
    locals[number * 3u + 2u] = rows.z;
}

fn local_of(number: u32) -> Rows {
    return Rows(locals[number * 3u], locals[number * 3u + 1u], locals[number * 3u + 2u]);
}

@compute @workgroup_size(64)
fn palette_main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let visible = visible_slots();
    let first_slot = (group.y * groups.x + group.x) * plan.in_group;
    let threads = 1u << plan.threads_log2;
    let slot = first_slot + (local >> plan.threads_log2);
    let lane = local & (threads - 1u);
    let first_node = (local >> plan.threads_log2) * plan.nodes;
    for (var node = local; node < plan.nodes; node += WORKGROUP) {
        parents[node] = parent_of(node);
    }
    var moments: array<LayerMoment, 3>;
    if slot < visible {
        moments = instance_moments(lists[plan.list_base + plan.first + slot], plan.bones, anim_frame.now_tick);
        for (var node = lane; node < plan.nodes; node += threads) {
            put_local(first_node + node, node_rows(moments, node));
        }
    }
    workgroupBarrier();
    for (var first_bone = 0u; first_bone < plan.bones; first_bone += threads) {
        let bone = first_bone + lane;
        if slot < visible && bone < plan.bones {
            let entry = bone_entry(bone);
            var node = tables[entry + 3u].x;
            if node == NONE {
                stage_rows(local, still_bone(moments, entry));
            } else {
                var rows = local_of(first_node + node);
                node = parents[node];
                while node != NONE {
                    rows = rows_mul(local_of(first_node + node), rows);
                    node = parents[node];
                }
                stage_rows(local, rows_mul(rows, table_rows(entry)));
            }
        }
        workgroupBarrier();
        store_staged(local, first_slot, first_bone, visible);
        workgroupBarrier();
    }
}
