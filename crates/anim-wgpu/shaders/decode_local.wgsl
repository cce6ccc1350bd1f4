// One node of one instance from the pages of a local set: decode, interpolate, blend; and one bone, up the hierarchy.

// What is not in pages, in entries of 16 bytes: see local_tables.rs.
@group(0) @binding(11) var<storage, read> tables: array<vec4<u32>>;

const LOCAL_ANIMATED: u32 = 0x80000000u;
const LOCAL_MATRIX: u32 = 0x40000000u;

// Entry 0 says where parents, bones, held frames and masks start; entry 1 how many entries a mask has. Clips follow.
fn parent_of(node: u32) -> u32 {
    return table_word(tables[0].x, node);
}

fn bone_entry(bone: u32) -> u32 {
    return tables[0].y + bone * 4u;
}

// Word of a table of words.
fn table_word(first_entry: u32, number: u32) -> u32 {
    return tables[first_entry + number / 4u][number & 3u];
}

fn table_numbers(entry: u32) -> vec4<f32> {
    return bitcast<vec4<f32>>(tables[entry]);
}

fn table_rows(entry: u32) -> Rows {
    return Rows(table_numbers(entry), table_numbers(entry + 1u), table_numbers(entry + 2u));
}

// A layer at the tick of the frame: the same for all nodes of an instance.
struct LayerMoment {
    // Texels of element 0 in the frames before and after the clip's position, and the share of the later one.
    texel_a: u32,
    texel_b: u32,
    share: f32,
    // How much of the layers below it it covers; 0 for a layer that is not seen.
    covers: f32,
    // Entry of the clip's record of node 0.
    records: u32,
    // Entry of its mask, or NONE.
    mask: u32,
}

fn layer_moment(layer: GpuLayer, covers: f32, is_base: bool, now_tick: vec2<u32>) -> LayerMoment {
    let clip = 2u + (layer.clip_and_flags & LAYER_CLIP_MASK) * 2u;
    // First texel, intervals, step, first held word; then elements, records, frame table.
    let track = tables[clip];
    let place = frame_of(layer_position(layer, now_tick), track.y);
    var holds = track.z != 0u;
    if track.w != NONE {
        holds = holds || ((table_word(tables[0].z, track.w + place.frame / 32u) >> (place.frame % 32u)) & 1u) == 1u;
    }
    let more = tables[clip + 1u];
    var frames = vec2<u32>(place.frame, min(place.frame + 1u, track.y));
    if more.z != NONE {
        frames = vec2<u32>(fetch_frame(more.z, frames.x), fetch_frame(more.z, frames.y));
    }
    var mask = NONE;
    let mask_number = (layer.clip_and_flags >> LAYER_MASK_SHIFT) & 0xffu;
    if mask_number > 0u && !is_base {
        mask = tables[0].w + (mask_number - 1u) * tables[1].x;
    }
    let texels = track.x + frames * more.x;
    return LayerMoment(texels.x, texels.y, share_of(place.blend, holds), covers, more.y, mask);
}

// All layers of an instance. The lowest in use is the base: it is what is left when nothing covers.
fn instance_moments(instance: u32, bones: u32, now_tick: vec2<u32>) -> array<LayerMoment, 3> {
    var moments: array<LayerMoment, 3>;
    var has_base = false;
    for (var number = 0u; number < LAYERS_MAX; number += 1u) {
        moments[number] = LayerMoment(0u, 0u, 0.0, 0.0, 0u, NONE);
        let layer = playback[instance].layers[number];
        if !layer_is_active(layer) {
            continue;
        }
        var covers = 1.0;
        if has_base {
            covers = layer_covers(layer, now_tick);
        }
        if covers > 0.0 {
            moments[number] = layer_moment(layer, covers, !has_base, now_tick);
        }
        has_base = true;
    }
    return moments;
}

// How much of what is below it a layer covers in a node: nothing where its mask leaves the node out.
fn node_covers(moment: LayerMoment, node: u32) -> f32 {
    if moment.mask == NONE {
        return moment.covers;
    }
    let is_masked_in = ((table_word(moment.mask, node / 32u) >> (node & 31u)) & 1u) == 1u;
    return select(0.0, moment.covers, is_masked_in);
}

fn local_value(word: u32, range: u32, moment: LayerMoment) -> vec3<f32> {
    if (word & LOCAL_ANIMATED) == 0u {
        return table_numbers(word).xyz;
    }
    let slot = word & ~LOCAL_ANIMATED;
    let in_range = table_numbers(range);
    let a = fetch_value(moment.texel_a + slot, in_range);
    let b = fetch_value(moment.texel_b + slot, in_range);
    return a * (1.0 - moment.share) + b * moment.share;
}

fn local_rotation(word: u32, moment: LayerMoment) -> vec4<f32> {
    if (word & LOCAL_ANIMATED) == 0u {
        return table_numbers(word);
    }
    let slot = word & ~LOCAL_ANIMATED;
    return nlerp_corrected(
        fetch_rotation(moment.texel_a + slot),
        fetch_rotation(moment.texel_b + slot),
        moment.share,
    );
}

fn add_layer(sum: LocalSum, moment: LayerMoment, node: u32, weight: f32) -> LocalSum {
    if weight == 0.0 {
        return sum;
    }
    let record = tables[moment.records + node];
    if (record.x & (LOCAL_ANIMATED | LOCAL_MATRIX)) == LOCAL_MATRIX {
        var with_matrix = sum;
        if sum.matrix == 0u {
            with_matrix.matrix = record.x & ~LOCAL_MATRIX;
        }
        return with_matrix;
    }
    let transform = LocalTransform(
        local_value(record.y, record.w, moment),
        local_rotation(record.x, moment),
        // Its range is the one after the translation's, if that moves.
        local_value(record.z, record.w + (record.y >> 31u), moment),
    );
    return add_local(sum, transform, weight);
}

// Rows of parent_from_node.
fn node_rows(moments: array<LayerMoment, 3>, node: u32) -> Rows {
    let top = node_covers(moments[2], node);
    let middle = node_covers(moments[1], node);
    let base = (1.0 - top) * (1.0 - middle) * moments[0].covers;
    var sum = LocalSum(vec3<f32>(), 0.0, vec4<f32>(), vec3<f32>(), 0u);
    sum = add_layer(sum, moments[0], node, base);
    sum = add_layer(sum, moments[1], node, (1.0 - top) * middle);
    sum = add_layer(sum, moments[2], node, top);
    if sum.matrix != 0u {
        return table_rows(sum.matrix);
    }
    return local_rows(sum);
}

// What never moves: its rows as they are, or nothing while no layer is in use.
fn still_bone(moments: array<LayerMoment, 3>, entry: u32) -> Rows {
    let shown = select(0.0, 1.0, moments[0].covers + moments[1].covers + moments[2].covers > 0.0);
    let rows = table_rows(entry);
    return Rows(rows.x * shown, rows.y * shown, rows.z * shown);
}

// One bone: its node, then its ancestors, one after the other, then its inverse bind matrix.
fn blend_moments(moments: array<LayerMoment, 3>, bone: u32) -> Rows {
    let entry = bone_entry(bone);
    var node = tables[entry + 3u].x;
    if node == NONE {
        return still_bone(moments, entry);
    }
    var rows = node_rows(moments, node);
    node = parent_of(node);
    while node != NONE {
        rows = rows_mul(node_rows(moments, node), rows);
        node = parent_of(node);
    }
    return rows_mul(rows, table_rows(entry));
}

// One bone of one instance.
fn blend_layers(instance: u32, bone: u32, bones: u32, now_tick: vec2<u32>) -> Rows {
    return blend_moments(instance_moments(instance, bones, now_tick), bone);
}
