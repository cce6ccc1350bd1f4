// The lists that one round of the culling passes fills.

struct CullRound {
    first_bin: u32,
    bins: u32,
    // Lists 0 to models - 1 of the frame hold the instances of a model that any view sees.
    models: u32,
    // Lists of the whole frame: the counts by workgroup start here in `counts`.
    counts_base: u32,
}

@group(0) @binding(3) var<uniform> round: CullRound;
