//! A vertex of the bind pose in the words that a player uploads: the twin of `vertex_unpack.wgsl`.
//!
//! Word 0 is position x and y, word 1 position z and the two bytes of the normal, word 2 four bone numbers of 8 bits, word
//! 3 the weights. The wide form is for more than 256 bones: words 2 and 3 are four bone numbers of 16 bits, and the
//! weights are beside them.

use crate::vertex_packing::{
    order_influences, pack_normal, pack_position, pack_weights, unpack_normal, unpack_position,
    unpack_weights,
};

/// Most bones whose numbers fit the narrow form.
pub const NARROW_BONES_MAX: usize = 256;

/// A vertex of the bind pose, before packing or after unpacking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BindVertex {
    /// Position in metres.
    pub position: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
    /// Bone numbers.
    pub bones: [u16; 4],
    /// Weights of the bones; they sum to 1.
    pub weights: [f32; 4],
}

/// Packs a vertex of a file with at most [`NARROW_BONES_MAX`] bones. Higher bone numbers lose their upper bits.
#[must_use]
pub fn pack_vertex(vertex: &BindVertex, box_min: [f32; 3], box_max: [f32; 3]) -> [u32; 4] {
    let [x_y, z_normal] = pack_place(vertex, box_min, box_max);
    let (bones, weights) = order_influences(vertex.bones, vertex.weights);
    let [a, b, c, d] = bones.map(|bone| u32::from(bone) & 0xff);
    [x_y, z_normal, a | b << 8 | c << 16 | d << 24, pack_weights(weights)]
}

/// Packs a vertex with bone numbers of 16 bits: four words, and the weights.
#[must_use]
pub fn pack_vertex_wide(vertex: &BindVertex, box_min: [f32; 3], box_max: [f32; 3]) -> ([u32; 4], u32) {
    let [x_y, z_normal] = pack_place(vertex, box_min, box_max);
    let (bones, weights) = order_influences(vertex.bones, vertex.weights);
    let [a, b, c, d] = bones.map(u32::from);
    ([x_y, z_normal, a | b << 16, c | d << 16], pack_weights(weights))
}

/// The vertex that the four words of [`pack_vertex`] stand for.
#[must_use]
pub fn unpack_vertex(packed: [u32; 4], box_min: [f32; 3], box_max: [f32; 3]) -> BindVertex {
    let (position, normal) = unpack_place(packed, box_min, box_max);
    let bones = packed[2].to_le_bytes().map(u16::from);
    BindVertex { position, normal, bones, weights: unpack_weights(packed[3]) }
}

/// The vertex that the words of [`pack_vertex_wide`] stand for.
#[must_use]
pub fn unpack_vertex_wide(
    packed: [u32; 4],
    weights: u32,
    box_min: [f32; 3],
    box_max: [f32; 3],
) -> BindVertex {
    let (position, normal) = unpack_place(packed, box_min, box_max);
    let ([a, b], [c, d]) = (halves(packed[2]), halves(packed[3]));
    BindVertex { position, normal, bones: [a, b, c, d], weights: unpack_weights(weights) }
}

fn pack_place(vertex: &BindVertex, box_min: [f32; 3], box_max: [f32; 3]) -> [u32; 2] {
    let [x, y, z] = pack_position(vertex.position, box_min, box_max).map(u32::from);
    let [u, v] = pack_normal(vertex.normal).map(|v| u32::from(v.to_le_bytes()[0]));
    [x | y << 16, z | u << 16 | v << 24]
}

fn unpack_place(packed: [u32; 4], box_min: [f32; 3], box_max: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    let ([x, y], [z, _]) = (halves(packed[0]), halves(packed[1]));
    let [_, _, u, v] = packed[1].to_le_bytes();
    let normal = [u, v].map(|byte| i8::from_le_bytes([byte]));
    (unpack_position([x, y, z], box_min, box_max), unpack_normal(normal))
}

fn halves(word: u32) -> [u16; 2] {
    let [a, b, c, d] = word.to_le_bytes();
    [u16::from_le_bytes([a, b]), u16::from_le_bytes([c, d])]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOW: [f32; 3] = [-1.0, 0.0, 2.0];
    const HIGH: [f32; 3] = [1.0, 5.0, 2.5];

    fn vertices() -> impl Strategy<Value = BindVertex> {
        let position = (-1.0..1.0f32, 0.0..5.0f32, 2.0..2.5f32);
        let normal = prop::array::uniform3(-1.0..1.0f32);
        let weights = prop::array::uniform4(0.0..1.0f32);
        (position, normal, prop::array::uniform4(0..1000u16), weights).prop_map(|(p, n, bones, w)| {
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt().max(1e-3);
            let sum = w.iter().sum::<f32>().max(1e-3);
            BindVertex {
                position: [p.0, p.1, p.2],
                normal: n.map(|v| v / length),
                bones,
                weights: w.map(|v| v / sum),
            }
        })
    }

    proptest! {
        #[test]
        fn both_forms_keep_what_each_of_their_fields_keeps(vertex in vertices()) {
            let (bones, weights) = order_influences(vertex.bones, vertex.weights);
            let expected = BindVertex {
                position: unpack_position(pack_position(vertex.position, LOW, HIGH), LOW, HIGH),
                normal: unpack_normal(pack_normal(vertex.normal)),
                bones,
                weights: unpack_weights(pack_weights(weights)),
            };
            let (packed, packed_weights) = pack_vertex_wide(&vertex, LOW, HIGH);
            prop_assert_eq!(unpack_vertex_wide(packed, packed_weights, LOW, HIGH), expected);
            let narrow = unpack_vertex(pack_vertex(&vertex, LOW, HIGH), LOW, HIGH);
            prop_assert_eq!(narrow, BindVertex { bones: bones.map(|bone| bone % 256), ..expected });
        }
    }

    #[test]
    fn every_field_has_its_own_bits() {
        let ones = BindVertex {
            position: HIGH,
            normal: [-1.0, 0.0, 0.0],
            bones: [1, 2, 3, 4],
            weights: [0.0, 0.0, 0.0, 1.0],
        };
        assert_eq!(pack_vertex(&ones, LOW, HIGH), [0xffff_ffff, 0x0081_ffff, 0x0403_0201, 0]);
        let wide = BindVertex { bones: [0x101, 0x202, 0x303, 0x404], ..ones };
        assert_eq!(pack_vertex_wide(&wide, LOW, HIGH).0[2..], [0x0202_0101, 0x0404_0303]);
    }
}
