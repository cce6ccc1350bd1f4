// Before the palette pass for local sets: what every visible instance plays, once and not once a node, as four entries a
// slot (see slot_moments.wgsl). A thread an instance: what costs here is a chain of loads, each of which waits for the one
// before it.

@group(0) @binding(27) var<storage, read_write> slot_moments: array<vec4<u32>>;

@compute @workgroup_size(64)
fn moments_main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let slot = (group.y * groups.x + group.x) * 64u + local;
    if slot >= visible_slots() {
        return;
    }
    let instance = lists[plan.list_base + plan.first + slot];
    let moments = instance_moments(instance, plan.bones, anim_frame.now_tick);
    let masks = moments[0].mask | (moments[1].mask << 8u) | (moments[2].mask << 16u);
    let covers = bitcast<vec3<u32>>(vec3<f32>(moments[0].covers, moments[1].covers, moments[2].covers));
    slot_moments[slot * 4u] = vec4<u32>(covers, masks);
    slot_moments[slot * 4u + 1u] = stored_moment(moments[0]);
    slot_moments[slot * 4u + 2u] = stored_moment(moments[1]);
    slot_moments[slot * 4u + 3u] = stored_moment(moments[2]);
}
