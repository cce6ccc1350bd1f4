// The palette pass for local sets: for every visible instance, every node once: decode, interpolate, blend; then up the
// hierarchy, times the inverse bind matrices; store.
//
// A workgroup holds as many instances as fit: each has a power of two of threads, and each thread a few of its nodes. Nodes
// are sorted by depth, so that one group of nodes after the other becomes `model_from_node`: each walks up to the first
// ancestor of an earlier group. Rows go through workgroup memory, too, so that neighbouring threads store to neighbouring
// addresses.

const WORKGROUP: u32 = 64u;
const STAGED_ROWS: u32 = 192u;

// Nodes of all instances of a workgroup, 128 or 256: the less memory, the more workgroups run at once. With 256, `staged`
// and `parents` it is the 16 KiB of a workgroup that every device has.
override LOCAL_NODES: u32 = 256u;

@group(0) @binding(27) var<storage, read> slot_moments: array<vec4<u32>>;

// parent_from_node, then model_from_node; instance by instance.
var<workgroup> poses: array<Rows, LOCAL_NODES>;
var<workgroup> parents: array<u32, LOCAL_NODES>;

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
    let first_slot = (group.y * groups.x + group.x) * plan.in_group;
    let threads = 1u << plan.threads_log2;
    let slot = first_slot + (local >> plan.threads_log2);
    let lane = local & (threads - 1u);
    let first_pose = (local >> plan.threads_log2) * plan.nodes;
    for (var node = local; node < plan.nodes; node += WORKGROUP) {
        parents[node] = parent_of(node);
    }
    var nodes = 0u;
    var bones = 0u;
    var moments: array<LayerMoment, 3>;
    if slot < visible {
        nodes = plan.nodes;
        bones = plan.bones;
        moments = read_moments(slot);
    }
    for (var node = lane; node < nodes; node += threads) {
        poses[first_pose + node] = node_rows(moments, node);
    }
    workgroupBarrier();
    for (var first_node = 0u; first_node < plan.nodes; first_node += threads) {
        let node = first_node + lane;
        var rows: Rows;
        if node < nodes {
            rows = poses[first_pose + node];
            var above = parents[node];
            while above != NONE {
                rows = rows_mul(poses[first_pose + above], rows);
                if above < first_node {
                    break;
                }
                above = parents[above];
            }
        }
        workgroupBarrier();
        if node < nodes {
            poses[first_pose + node] = rows;
        }
        workgroupBarrier();
    }
    for (var first_bone = 0u; first_bone < plan.bones; first_bone += threads) {
        let bone = first_bone + lane;
        if bone < bones {
            let entry = bone_entry(bone);
            let node = tables[entry + 3u].x;
            if node == NONE {
                stage_rows(local, still_bone(moments, entry));
            } else {
                stage_rows(local, rows_mul(poses[first_pose + node], table_rows(entry)));
            }
        }
        workgroupBarrier();
        store_staged(local, first_slot, first_bone, visible);
        workgroupBarrier();
    }
}
