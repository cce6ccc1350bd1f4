// The palette pass: for every visible instance, every bone once: decode, interpolate, blend all layers, store.
//
// One thread a bone of a visible instance. Rows go through workgroup memory, so that neighbouring threads store to
// neighbouring addresses.

// One chunk of one model's palettes.
struct PalettePlan {
    // Number of the model's list of visible instances: counts[bin] is its length.
    bin: u32,
    // Where that list starts in `lists`.
    list_base: u32,
    // Visible number of the chunk's first slot, and its slots.
    first: u32,
    slots: u32,
    bones: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

const WORKGROUP: u32 = 128u;

@group(0) @binding(2) var<uniform> plan: PalettePlan;
@group(0) @binding(4) var<storage, read> lists: array<u32>;
@group(0) @binding(20) var<storage, read> counts: array<u32>;

@compute @workgroup_size(128)
fn palette_main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let listed = counts[plan.bin];
    let visible = min(max(listed, plan.first) - plan.first, plan.slots);
    let first = (group.y * groups.x + group.x) * WORKGROUP;
    let total = visible * plan.bones;
    let index = first + local;
    if index < total {
        let instance = lists[plan.list_base + plan.first + index / plan.bones];
        let rows = blend_layers(instance, index % plan.bones, plan.bones, anim_frame.now_tick);
        stage_rows(local, rows);
    }
    workgroupBarrier();
    for (var i = local; i < 3u * WORKGROUP; i += WORKGROUP) {
        if first * 3u + i < total * 3u {
            store_row(first * 3u + i, i);
        }
    }
}
