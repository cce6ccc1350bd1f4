// Culling and compaction: which instances does each view see, as lists in instance order, without atomics on memory.
//
// Three passes over workgroups of 256 instances: count the members of each list (bin), turn the counts into offsets
// (cull_scan.wgsl), scatter. A workgroup keeps its members as bits, so that the rank of each is a few population counts.

struct CullBin {
    // View, or NO_VIEW for "any of them".
    view: u32,
    model: u32,
    // Part that the instance has to show, or NO_PART.
    part: u32,
    // 0: any, 1: not mirrored, 2: mirrored.
    mirror: u32,
    list_base: u32,
    padding_a: u32,
    padding_b: u32,
    padding_c: u32,
}

const NO_VIEW: u32 = 0xffffffffu;
const NO_PART: u32 = 0xffffffffu;
const NOT_VISIBLE: u32 = 0xffffffffu;
const DECISION_VIEWS: u32 = 0xffffu;
const DECISION_MIRRORED: u32 = 0x10000u;
const CULL_WORKGROUP: u32 = 256u;

@group(0) @binding(4) var<storage, read_write> lists: array<u32>;
@group(0) @binding(6) var<storage, read_write> world: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> traits: array<InstanceTraits>;
@group(0) @binding(17) var<storage, read> motions: array<InstanceMotion>;
@group(0) @binding(18) var<storage, read> culls: array<InstanceCull>;
// `capacity` decisions, then `capacity` places in the lists, then one bit an instance: seen by any view.
@group(0) @binding(19) var<storage, read_write> decisions: array<u32>;
// Lengths of the lists, then for each list the counts, later offsets, of every workgroup.
@group(0) @binding(20) var<storage, read_write> counts: array<u32>;
@group(0) @binding(24) var<uniform> bins: array<CullBin, 256>;

var<workgroup> members: array<atomic<u32>, 2048>;

// Where an instance without parent is now.
fn moved_transform(instance: u32, flags: u32) -> Rows {
    var rows = stored_transform(instance);
    if (flags & INSTANCE_MOVING) != 0u {
        let motion = motions[instance];
        let ticks = ticks_between(motion.start_tick, anim_frame.now_tick);
        let seconds = f32(ticks.y) * 65536.0 + f32(ticks.x) * (1.0 / 65536.0);
        let way = motion.velocity * seconds;
        rows.x.w += way.x;
        rows.y.w += way.y;
        rows.z.w += way.z;
    }
    return rows;
}

// Whether a ball that a matrix turns into an ellipsoid is wholly outside one of six planes. The twin of
// `sphere_is_outside` in anim-core, with the same slack for rounding.
fn sphere_is_outside(view: u32, rows: Rows, sphere: vec4<f32>) -> bool {
    let center = rows_point(rows, sphere.xyz);
    for (var i = 0u; i < 6u; i += 1u) {
        let plane = anim_frame.planes[view * 6u + i];
        let distance = dot(plane.xyz, center) + plane.w;
        let along = rows.x.xyz * plane.x + rows.y.xyz * plane.y + rows.z.xyz * plane.z;
        let size = dot(abs(plane.xyz), abs(center)) + abs(plane.w);
        if distance < -(sphere.w * length(along) + size * CULL_SLACK) {
            return true;
        }
    }
    return false;
}

const CULL_SLACK: f32 = 4e-6;

fn decide(instance: u32) -> u32 {
    var root = instance;
    var own = culls[instance];
    var mirrored = false;
    for (var depth = 0u; depth <= ATTACH_DEPTH_MAX; depth += 1u) {
        if (own.model_and_flags & (INSTANCE_ALIVE | INSTANCE_HIDDEN)) != INSTANCE_ALIVE {
            return 0u;
        }
        if own.parent == NO_PARENT {
            break;
        }
        mirrored = mirrored != (rows_determinant(stored_transform(root)) < 0.0);
        mirrored = mirrored != ((own.model_and_flags & INSTANCE_POINT_MIRRORS) != 0u);
        root = own.parent;
        own = culls[root];
    }
    let rows = moved_transform(root, own.model_and_flags);
    mirrored = mirrored != (rows_determinant(rows) < 0.0);
    var decision = select(0u, DECISION_MIRRORED, mirrored);
    for (var view = 0u; view < anim_frame.view_count; view += 1u) {
        if !sphere_is_outside(view, rows, own.sphere) {
            decision |= 1u << view;
        }
    }
    return decision;
}

fn is_member(bin: CullBin, decision: u32, instance: u32, cull: InstanceCull) -> bool {
    let wanted = select(1u << (bin.view & 15u), DECISION_VIEWS, bin.view == NO_VIEW);
    var shown = (decision & wanted) != 0u && bin.model == (cull.model_and_flags & INSTANCE_MODEL_MASK);
    if shown && bin.part != NO_PART {
        shown = shows_part(traits[instance], bin.part);
    }
    if bin.mirror != 0u {
        shown = shown && (bin.mirror == 2u) == ((decision & DECISION_MIRRORED) != 0u);
    }
    return shown;
}

// Sets this instance's bit in every list that it is a member of.
fn gather_members(instance: u32, local: u32, decision: u32) {
    for (var word = local; word < round.bins * 8u; word += CULL_WORKGROUP) {
        atomicStore(&members[word], 0u);
    }
    workgroupBarrier();
    if (decision & DECISION_VIEWS) != 0u {
        let cull = culls[instance];
        for (var bin = 0u; bin < round.bins; bin += 1u) {
            if is_member(bins[bin], decision, instance, cull) {
                atomicOr(&members[bin * 8u + local / 32u], 1u << (local % 32u));
            }
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(256)
fn cull_count(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = group.y * groups.x + group.x;
    let instance = number * CULL_WORKGROUP + local;
    var decision = 0u;
    if instance < anim_frame.instances {
        decision = decide(instance);
        decisions[instance] = decision;
    }
    gather_members(instance, local, decision);
    if number < anim_frame.groups {
        if local < round.bins {
            var count = 0u;
            for (var word = 0u; word < 8u; word += 1u) {
                count += countOneBits(atomicLoad(&members[local * 8u + word]));
            }
            counts[round.counts_base + (round.first_bin + local) * anim_frame.groups + number] = count;
        }
        if round.first_bin < round.models && local < 8u {
            let at = anim_frame.capacity * 2u + number * 8u + local;
            var seen = 0u;
            if round.first_bin > 0u {
                seen = decisions[at];
            }
            for (var model = 0u; model < min(round.models - round.first_bin, round.bins); model += 1u) {
                seen |= atomicLoad(&members[model * 8u + local]);
            }
            decisions[at] = seen;
        }
    }
}

// Members of a list in the workgroup that come before this one.
fn rank_of(bin: u32, local: u32) -> u32 {
    var rank = 0u;
    for (var word = 0u; word < local / 32u; word += 1u) {
        rank += countOneBits(atomicLoad(&members[bin * 8u + word]));
    }
    let below = (1u << (local % 32u)) - 1u;
    return rank + countOneBits(atomicLoad(&members[bin * 8u + local / 32u]) & below);
}

fn is_set(bin: u32, local: u32) -> bool {
    return ((atomicLoad(&members[bin * 8u + local / 32u]) >> (local % 32u)) & 1u) == 1u;
}

@compute @workgroup_size(256)
fn cull_scatter(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let number = group.y * groups.x + group.x;
    let instance = number * CULL_WORKGROUP + local;
    var decision = 0u;
    if instance < anim_frame.instances {
        decision = decisions[instance];
    }
    gather_members(instance, local, decision);
    if instance >= anim_frame.instances {
        return;
    }
    // The place in the model's own list: what all other lists name the instance by.
    var place = NOT_VISIBLE;
    if round.first_bin > 0u {
        place = decisions[anim_frame.capacity + instance];
    }
    for (var bin = 0u; bin < round.bins; bin += 1u) {
        if !is_set(bin, local) {
            continue;
        }
        let offset = counts[round.counts_base + (round.first_bin + bin) * anim_frame.groups + number];
        let entry = bins[bin].list_base + offset + rank_of(bin, local);
        if round.first_bin + bin < round.models {
            lists[entry] = instance;
            place = entry - anim_frame.table;
            let cull = culls[instance];
            if cull.parent == NO_PARENT {
                let rows = moved_transform(instance, cull.model_and_flags);
                world[place * 3u] = rows.x;
                world[place * 3u + 1u] = rows.y;
                world[place * 3u + 2u] = rows.z;
            }
        } else {
            lists[entry] = place;
        }
    }
    if round.first_bin < round.models {
        decisions[anim_frame.capacity + instance] = place;
    }
}
