// The palette pass for local sets of more nodes than workgroup memory holds: every bone decodes its ancestors itself.

const WORKGROUP: u32 = 64u;
const STAGED_ROWS: u32 = 192u;

@compute @workgroup_size(64)
fn palette_main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let visible = visible_slots();
    let slot = group.y * groups.x + group.x;
    var moments: array<LayerMoment, 3>;
    if slot < visible {
        moments = instance_moments(lists[plan.list_base + plan.first + slot], plan.bones, anim_frame.now_tick);
    }
    for (var first_bone = 0u; first_bone < plan.bones; first_bone += WORKGROUP) {
        let bone = first_bone + local;
        if slot < visible && bone < plan.bones {
            stage_rows(local, blend_moments(moments, bone));
        }
        workgroupBarrier();
        for (var i = local; i < STAGED_ROWS; i += WORKGROUP) {
            let to_bone = first_bone + i / 3u;
            if slot < visible && to_bone < plan.bones {
                store_row((slot * plan.bones + to_bone) * 3u + i % 3u, i);
            }
        }
        workgroupBarrier();
    }
}
