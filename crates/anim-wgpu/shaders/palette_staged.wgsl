// How palettes are stored.

// Stores what the threads have staged, a bone each from `first_bone` on: neighbours to neighbouring addresses.
fn store_staged(local: u32, first_slot: u32, first_bone: u32, visible: u32) {
    let threads = 1u << plan.threads_log2;
    for (var i = local; i < STAGED_ROWS; i += WORKGROUP) {
        let thread = i / 3u;
        let to_slot = first_slot + (thread >> plan.threads_log2);
        let to_bone = first_bone + (thread & (threads - 1u));
        if to_slot < visible && to_bone < plan.bones {
            store_row((to_slot * plan.bones + to_bone) * 3u + i % 3u, i);
        }
    }
}
