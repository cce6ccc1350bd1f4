// Arguments of the indirect dispatches and draws, from the lengths of the lists.

// One indexed draw: a part in a view, for the instances whose place is in one range (a chunk of palettes).
struct DrawPlan {
    bin: u32,
    list_base: u32,
    first_index: u32,
    index_count: u32,
    first_place: u32,
    end_place: u32,
    // 1: all that is visible of the model, in order.
    takes_all: u32,
    padding: u32,
}

struct ArgumentsUniform {
    draws: u32,
    palettes: u32,
    // First word of the dispatch arguments in `arguments`.
    dispatches_base: u32,
    // 1: every draw takes a whole list, so the lengths are enough.
    whole_lists: u32,
}

const GROUPS_MAX: u32 = 65535u;

@group(0) @binding(26) var<uniform> plan: ArgumentsUniform;
@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
@group(0) @binding(20) var<storage, read_write> counts: array<u32>;
@group(0) @binding(21) var<storage, read_write> arguments: array<u32>;
@group(0) @binding(22) var<storage, read> draws: array<DrawPlan>;
// As PalettePlan of palette_plan.wgsl, at the stride of a dynamic uniform offset: bin, list, first, slots, bones,
// threads_log2, in_group.
@group(0) @binding(23) var<storage, read> palettes: array<array<u32, 64>>;

// First entry of a draw's list that is not below a place.
fn entry_of(draw: DrawPlan, length: u32, place: u32) -> u32 {
    if draw.takes_all == 1u {
        return min(place - (draw.list_base - anim_frame.table), length);
    }
    return lower_bound(draw.list_base, length, place);
}

// First entry of a list of places, which is in ascending order, that is not below a place.
fn lower_bound(list_base: u32, length: u32, place: u32) -> u32 {
    // Most draws take a whole list: no search, which is a long chain of loads.
    if length == 0u || lists[list_base] >= place {
        return 0u;
    }
    if lists[list_base + length - 1u] < place {
        return length;
    }
    var low = 1u;
    var high = length - 1u;
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

// `first` and `end` are entries of the draw's list.
fn write_draw(number: u32, first: u32, end: u32) {
    let draw = draws[number];
    lists[number] = draw.list_base + first;
    let at = number * 5u;
    arguments[at] = draw.index_count;
    arguments[at + 1u] = end - first;
    arguments[at + 2u] = draw.first_index;
    arguments[at + 3u] = 0u;
    arguments[at + 4u] = 0u;
}

// `length` is that of the model's list.
fn write_dispatch(chunk: u32, length: u32) {
    let first = palettes[chunk][2];
    let visible = min(max(length, first) - first, palettes[chunk][3]);
    let in_group = palettes[chunk][6];
    let at = plan.dispatches_base + chunk * 6u;
    write_groups(at, (visible + in_group - 1u) / in_group);
    // What the instances of local sets play: a thread each.
    write_groups(at + 3u, (visible + 63u) / 64u);
}

// In two dimensions above the limit of one: rows of 32,768.
fn write_groups(at: u32, groups: u32) {
    arguments[at] = select(32768u, groups, groups <= GROUPS_MAX);
    arguments[at + 1u] = select((groups + 32767u) / 32768u, 1u, groups <= GROUPS_MAX);
    arguments[at + 2u] = 1u;
}

// After the scatter, when draws take ranges of lists.
@compute @workgroup_size(64)
fn arguments_main(@builtin(global_invocation_id) id: vec3<u32>) {
    let number = id.x;
    if number < plan.draws {
        let draw = draws[number];
        let length = counts[draw.bin];
        let first = entry_of(draw, length, draw.first_place);
        let end = entry_of(draw, length, draw.end_place);
        write_draw(number, first, end);
        return;
    }
    let chunk = number - plan.draws;
    if chunk < plan.palettes {
        write_dispatch(chunk, counts[palettes[chunk][0]]);
    }
}
