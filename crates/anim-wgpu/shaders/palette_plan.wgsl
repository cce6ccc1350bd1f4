// What the palette passes have in common: which chunk is filled, and for whom.

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
    // Threads of an instance: two to this power, at most a workgroup.
    threads_log2: u32,
    // Instances of a workgroup.
    in_group: u32,
    // Nodes, in a local set.
    nodes: u32,
    // Rounds in which they go up the hierarchy, and where those and the bones start in the tables.
    rounds: u32,
    rounds_entry: u32,
    bones_entry: u32,
    padding: u32,
}

@group(0) @binding(2) var<uniform> plan: PalettePlan;
@group(0) @binding(4) var<storage, read> lists: array<u32>;
@group(0) @binding(20) var<storage, read> counts: array<u32>;

// Visible instances of the chunk.
fn visible_slots() -> u32 {
    return min(max(counts[plan.bin], plan.first) - plan.first, plan.slots);
}
