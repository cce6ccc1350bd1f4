// Who a thread of a palette pass for local sets works for.
//
// A workgroup holds as many instances as fit: each has a power of two of threads. First a thread has a few whole nodes; then
// in each round one node that takes up an ancestor; at last one row of a bone after the other, so that neighbouring threads
// store to neighbouring addresses.

const WORKGROUP: u32 = 64u;

// Nodes of all instances of a workgroup: the less memory it takes, the more workgroups run at once.
override LOCAL_NODES: u32 = 256u;

@group(0) @binding(27) var<storage, read> slot_moments: array<vec4<u32>>;

struct SlotThread {
    slot: u32,
    // Number of the thread among those of its instance, and how many there are.
    lane: u32,
    threads: u32,
    // Place of the instance's first node in workgroup memory.
    first_pose: u32,
    is_visible: bool,
}

fn slot_thread(group: u32, local: u32) -> SlotThread {
    let of_group = local >> plan.threads_log2;
    let threads = 1u << plan.threads_log2;
    let slot = group * plan.in_group + of_group;
    return SlotThread(slot, local & (threads - 1u), threads, of_group * plan.nodes, slot < visible_slots());
}

fn read_moments(slot: u32) -> array<LayerMoment, 3> {
    let first = slot_moments[slot * 4u];
    var layers: array<vec4<u32>, 3>;
    if first.x != 0u {
        layers[0] = slot_moments[slot * 4u + 1u];
    }
    if first.y != 0u {
        layers[1] = slot_moments[slot * 4u + 2u];
    }
    if first.z != 0u {
        layers[2] = slot_moments[slot * 4u + 3u];
    }
    return array<LayerMoment, 3>(
        moment_of(layers[0], first.x, first.w & 0xffu),
        moment_of(layers[1], first.y, (first.w >> 8u) & 0xffu),
        moment_of(layers[2], first.z, first.w >> 16u),
    );
}

// What a thread does in a round: a node, and in the upper half the ancestor that it takes up; or NONE. See hierarchy.rs.
fn round_of(thread: SlotThread, round: u32) -> u32 {
    return table_word(plan.rounds_entry, round * thread.threads + thread.lane);
}
