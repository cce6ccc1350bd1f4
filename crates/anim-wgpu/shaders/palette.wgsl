// The palette pass: for every visible instance, every bone once: decode, interpolate, blend all layers, store. Also for
// local sets of more nodes than workgroup memory holds, whose bones decode their ancestors themselves.
//
// A workgroup holds as many instances as fit: each has a power of two of threads, and each thread a few of its bones, so
// that what is the same for all bones (the layers' clips, frames and shares) is computed a few times and not for every bone.
// Rows go through workgroup memory, so that neighbouring threads store to neighbouring addresses.

const WORKGROUP: u32 = 128u;
const STAGED_ROWS: u32 = 384u;

var<workgroup> staged: array<vec4<f32>, STAGED_ROWS>;

fn stage_rows(local: u32, rows: Rows) {
    staged[local * 3u] = rows.x;
    staged[local * 3u + 1u] = rows.y;
    staged[local * 3u + 2u] = rows.z;
}

// Stores what the threads have staged, a bone each from `first_bone` on: neighbours to neighbouring addresses.
fn store_staged(local: u32, first_slot: u32, first_bone: u32, visible: u32) {
    let threads = 1u << plan.threads_log2;
    for (var i = local; i < STAGED_ROWS; i += WORKGROUP) {
        let thread = i / 3u;
        let to_slot = first_slot + (thread >> plan.threads_log2);
        let to_bone = first_bone + (thread & (threads - 1u));
        if to_slot < visible && to_bone < plan.bones {
            store_row((to_slot * plan.bones + to_bone) * 3u + i % 3u, staged[i]);
        }
    }
}

@compute @workgroup_size(128)
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
    var moments: array<LayerMoment, 3>;
    if slot < visible {
        let instance = lists[plan.list_base + plan.first + slot];
        moments = instance_moments(instance, plan.bones, anim_frame.now_tick);
    }
    for (var first_bone = 0u; first_bone < plan.bones; first_bone += threads) {
        let bone = first_bone + lane;
        if slot < visible && bone < plan.bones {
            stage_rows(local, blend_moments(moments, bone));
        }
        workgroupBarrier();
        store_staged(local, first_slot, first_bone, visible);
        workgroupBarrier();
    }
}
