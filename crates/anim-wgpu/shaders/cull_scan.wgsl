// Counts of the workgroups become offsets, and their sum the length of the list. One workgroup a list.
//
// 4,096 counts at a time, four lanes of 1,024: one scan of vectors, since every step waits for the one before.

var<workgroup> partial: array<vec4<u32>, 256>;

fn load_counts(at: u32, end: u32) -> vec4<u32> {
    var found = vec4<u32>();
    if at < end {
        found.x = counts[at];
    }
    if at + 1u < end {
        found.y = counts[at + 1u];
    }
    if at + 2u < end {
        found.z = counts[at + 2u];
    }
    if at + 3u < end {
        found.w = counts[at + 3u];
    }
    return found;
}

fn store_offsets(at: u32, end: u32, start: u32, found: vec4<u32>) {
    if at < end {
        counts[at] = start;
    }
    if at + 1u < end {
        counts[at + 1u] = start + found.x;
    }
    if at + 2u < end {
        counts[at + 2u] = start + found.x + found.y;
    }
    if at + 3u < end {
        counts[at + 3u] = start + found.x + found.y + found.z;
    }
}

fn sum_of(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

@compute @workgroup_size(256)
fn cull_scan(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let bin = round.first_bin + group.x;
    let base = round.counts_base + bin * anim_frame.groups;
    let end = base + anim_frame.groups;
    var before = 0u;
    for (var tile = 0u; tile < anim_frame.groups; tile += 4096u) {
        let at = base + tile + local * 4u;
        let a = load_counts(at, end);
        let b = load_counts(at + 1024u, end);
        let c = load_counts(at + 2048u, end);
        let d = load_counts(at + 3072u, end);
        let sums = vec4<u32>(sum_of(a), sum_of(b), sum_of(c), sum_of(d));
        partial[local] = sums;
        workgroupBarrier();
        for (var reach = 1u; reach < 256u; reach *= 2u) {
            var below = vec4<u32>();
            if local >= reach {
                below = partial[local - reach];
            }
            workgroupBarrier();
            partial[local] += below;
            workgroupBarrier();
        }
        let totals = partial[255];
        let own = partial[local] - sums;
        store_offsets(at, end, before + own.x, a);
        before += totals.x;
        store_offsets(at + 1024u, end, before + own.y, b);
        before += totals.y;
        store_offsets(at + 2048u, end, before + own.z, c);
        before += totals.z;
        store_offsets(at + 3072u, end, before + own.w, d);
        before += totals.w;
        workgroupBarrier();
    }
    if local == 0u {
        counts[bin] = before;
    }
    if plan.whole_lists == 1u {
        // The CPU has written everything else of these draws.
        for (var number = local; number < plan.draws; number += 256u) {
            if draws[number].bin == bin {
                arguments[number * 5u + 1u] = before;
            }
        }
        if local < plan.palettes && palettes[local][0] == bin {
            write_dispatch(local, before);
        }
    }
}
