// Arguments of the indirect dispatches and draws, from the lengths of the lists.

// One indexed draw: a part in a view, for the instances whose place is in one range (a chunk of palettes).
struct DrawPlan {
    bin: u32,
    list_base: u32,
    first_index: u32,
    index_count: u32,
    first_place: u32,
    end_place: u32,
    padding_a: u32,
    padding_b: u32,
}

struct ArgumentsUniform {
    draws: u32,
    palettes: u32,
    // First word of the dispatch arguments in `arguments`.
    dispatches_base: u32,
    padding: u32,
}

const GROUPS_MAX: u32 = 65535u;
const PALETTE_WORKGROUP: u32 = 128u;

@group(0) @binding(3) var<uniform> plan: ArgumentsUniform;
@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
@group(0) @binding(20) var<storage, read> counts: array<u32>;
@group(0) @binding(21) var<storage, read_write> arguments: array<u32>;
@group(0) @binding(22) var<storage, read> draws: array<DrawPlan>;
// As PalettePlan of palette.wgsl, at the stride of a dynamic uniform offset: bin, list, first, slots, bones.
@group(0) @binding(23) var<storage, read> palettes: array<array<u32, 64>>;

// First entry of a list, which is in ascending order, that is not below a place.
fn lower_bound(list_base: u32, length: u32, place: u32) -> u32 {
    var low = 0u;
    var high = length;
    while low < high {
        let middle = (low + high) / 2u;
        if lists[list_base + middle] < place {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

@compute @workgroup_size(64)
fn arguments_main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x;
    if number < plan.draws {
        let draw = draws[number];
        let length = counts[draw.bin];
        let first = lower_bound(draw.list_base, length, draw.first_place);
        let end = lower_bound(draw.list_base, length, draw.end_place);
        lists[number] = draw.list_base + first;
        let at = number * 5u;
        arguments[at] = draw.index_count;
        arguments[at + 1u] = end - first;
        arguments[at + 2u] = draw.first_index;
        arguments[at + 3u] = 0u;
        arguments[at + 4u] = 0u;
        return;
    }
    let chunk = number - plan.draws;
    if chunk < plan.palettes {
        let first = palettes[chunk][2];
        let visible = min(max(counts[palettes[chunk][0]], first) - first, palettes[chunk][3]);
        let groups = (visible * palettes[chunk][4] + PALETTE_WORKGROUP - 1u) / PALETTE_WORKGROUP;
        let high = max((groups + GROUPS_MAX - 1u) / GROUPS_MAX, 1u);
        let at = plan.dispatches_base + chunk * 3u;
        arguments[at] = (groups + high - 1u) / high;
        arguments[at + 1u] = high;
        arguments[at + 2u] = 1u;
    }
}
