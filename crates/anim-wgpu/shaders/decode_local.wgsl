// One node of one instance from the pages of a local set: decode, interpolate, blend; and one bone, up the hierarchy.

// What is not in pages, in entries of 16 bytes: see local_tables.rs.
@group(0) @binding(11) var<storage, read> tables: array<vec4<u32>>;

const LOCAL_ANIMATED: u32 = 0x80000000u;
const LOCAL_MATRIX: u32 = 0x40000000u;
// In the tables, for a scale of one.
const LOCAL_UNIT: u32 = 0xffffffffu;

// Entry 0 says where parents, bones, held frames and masks start; entry 1 how many entries a mask has. Clips follow.
fn parent_of(node: u32) -> u32 {
    return table_word(tables[0].x, node);
}

// A row of a bone's inverse bind matrix. The bones are in the tables from `first` on.
fn bind_row(first: u32, bones: u32, bone: u32, row: u32) -> vec4<f32> {
    return table_numbers(first + bones * row + bone);
}

fn bind_rows(first: u32, bones: u32, bone: u32) -> Rows {
    return Rows(bind_row(first, bones, bone, 0u), bind_row(first, bones, bone, 1u), bind_row(first, bones, bone, 2u));
}

// NONE for what never moves.
fn node_of_bone(first: u32, bones: u32, bone: u32) -> u32 {
    return table_word(first + bones * 3u, bone);
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
    // Number of its mask from 1 on, or 0.
    mask: u32,
}

// How much of what is below it a layer covers in a node: nothing where its mask leaves the node out.
fn node_covers(moment: LayerMoment, node: u32) -> f32 {
    if moment.mask == 0u {
        return moment.covers;
    }
    let mask = tables[0].w + (moment.mask - 1u) * tables[1].x;
    let is_masked_in = ((table_word(mask, node / 32u) >> (node & 31u)) & 1u) == 1u;
    return select(0.0, moment.covers, is_masked_in);
}

// What lies between two frames of a slot.
fn moving_value(slot: u32, range: vec4<f32>, moment: LayerMoment) -> vec3<f32> {
    let a = fetch_value(moment.texel_a + slot, range);
    let b = fetch_value(moment.texel_b + slot, range);
    return a * (1.0 - moment.share) + b * moment.share;
}

// `inline_numbers` holds the numbers, if they stand still, or their range.
fn local_translation(word: u32, inline_numbers: vec4<f32>, moment: LayerMoment) -> vec3<f32> {
    if (word & LOCAL_ANIMATED) == 0u {
        return inline_numbers.xyz;
    }
    return moving_value(word & ~LOCAL_ANIMATED, inline_numbers, moment);
}

fn local_scale(word: u32, range: u32, moment: LayerMoment) -> vec3<f32> {
    if word == LOCAL_UNIT {
        return vec3<f32>(1.0);
    }
    if (word & LOCAL_ANIMATED) == 0u {
        return table_numbers(word).xyz;
    }
    return moving_value(word & ~LOCAL_ANIMATED, table_numbers(range), moment);
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

fn add_layer(sum: LocalSum, moment: LayerMoment, node: u32, nodes: u32, weight: f32) -> LocalSum {
    if weight == 0.0 {
        return sum;
    }
    let record = tables[moment.records + node];
    let inline_numbers = table_numbers(moment.records + nodes + node);
    if (record.x & (LOCAL_ANIMATED | LOCAL_MATRIX)) == LOCAL_MATRIX {
        var with_matrix = sum;
        if sum.matrix == 0u {
            with_matrix.matrix = record.x & ~LOCAL_MATRIX;
        }
        return with_matrix;
    }
    let transform = LocalTransform(
        local_translation(record.y, inline_numbers, moment),
        local_rotation(record.x, moment),
        local_scale(record.z, record.w, moment),
    );
    return add_local(sum, transform, weight);
}

// All layers of one of so many nodes.
fn node_sum(moments: array<LayerMoment, 3>, node: u32, nodes: u32) -> LocalSum {
    let top = node_covers(moments[2], node);
    let middle = node_covers(moments[1], node);
    let base = (1.0 - top) * (1.0 - middle) * moments[0].covers;
    var sum = LocalSum(vec3<f32>(), 0.0, vec4<f32>(), vec3<f32>(), 0u);
    sum = add_layer(sum, moments[0], node, nodes, base);
    sum = add_layer(sum, moments[1], node, nodes, (1.0 - top) * middle);
    return add_layer(sum, moments[2], node, nodes, top);
}

// Rows of parent_from_node.
fn node_rows(moments: array<LayerMoment, 3>, node: u32, nodes: u32) -> Rows {
    let sum = node_sum(moments, node, nodes);
    if sum.matrix != 0u {
        return table_rows(sum.matrix);
    }
    return local_rows(sum);
}

// What never moves shows its rows as they are, and nothing while no layer is in use: by this factor.
fn shown_share(moments: array<LayerMoment, 3>) -> f32 {
    return select(0.0, 1.0, moments[0].covers + moments[1].covers + moments[2].covers > 0.0);
}

// One bone: its node, then its ancestors, one after the other, then its inverse bind matrix.
fn blend_moments(moments: array<LayerMoment, 3>, bone: u32) -> Rows {
    let first = tables[0].y;
    let nodes = tables[1].y;
    let bones = tables[1].z;
    let bind = bind_rows(first, bones, bone);
    var node = node_of_bone(first, bones, bone);
    if node == NONE {
        let shown = shown_share(moments);
        return Rows(bind.x * shown, bind.y * shown, bind.z * shown);
    }
    var rows = node_rows(moments, node, nodes);
    node = parent_of(node);
    while node != NONE {
        rows = rows_mul(node_rows(moments, node, nodes), rows);
        node = parent_of(node);
    }
    return rows_mul(rows, bind);
}
