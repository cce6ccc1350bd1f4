//! The texels of vertex pages: one vertex in one frame, and how vertices of two frames and of several layers are mixed.

use crate::vertex_packing::{pack_normal, pack_position, unpack_normal, unpack_position};

/// Bytes of a texel of [`VertexEncoding::Position16`], of a texel of normals, and of each of the three texels of a box.
const SMALL_TEXEL_BYTES: usize = 8;

/// Texels that the box of one part takes in the header of a track of [`VertexEncoding::Position16`].
pub const BOX_TEXELS: u32 = 3;
/// Bytes of these.
pub const BOX_BYTES: usize = BOX_TEXELS as usize * SMALL_TEXEL_BYTES;

/// How vertices are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VertexEncoding {
    /// Position x, y, z as `f32`, and 0: 16 bytes. Normals are in a page set of their own.
    Position32,
    /// Position as `unorm16` x 3 in the part's box, and the normal on the octahedron, two `snorm8`: 8 bytes.
    Position16,
}

impl VertexEncoding {
    /// Bytes of a vertex in a frame.
    #[must_use]
    pub const fn texel_bytes(self) -> usize {
        match self {
            Self::Position32 => 16,
            Self::Position16 => SMALL_TEXEL_BYTES,
        }
    }

    /// Texels before the first frame of a track: the boxes of all parts.
    #[must_use]
    pub const fn header_texels(self, parts: u32) -> u32 {
        match self {
            Self::Position32 => 0,
            Self::Position16 => parts.saturating_mul(BOX_TEXELS),
        }
    }
}

/// Box around all that the vertices of a part do in a clip, in metres. Both corners are finite, and `low` is nowhere above
/// `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartBox {
    /// The lowest corner.
    pub low: [f32; 3],
    /// The highest corner.
    pub high: [f32; 3],
}

impl PartBox {
    /// Writes both corners, little-endian, into [`BOX_BYTES`] bytes.
    ///
    /// # Panics
    ///
    /// If there are fewer bytes.
    pub fn write(&self, bytes: &mut [u8]) {
        for (value, out) in self.low.iter().chain(&self.high).zip(bytes[..BOX_BYTES].chunks_exact_mut(4)) {
            out.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// Reads what [`PartBox::write`] wrote.
    ///
    /// # Panics
    ///
    /// If there are fewer than [`BOX_BYTES`] bytes.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let numbers = f32s::<6>(bytes);
        let [a, b, c, d, e, f] = numbers;
        Self { low: [a, b, c], high: [d, e, f] }
    }

    /// At most how far a position inside the box is from what [`VertexEncoding::Position16`] keeps of it, in metres: half
    /// the diagonal of a step, and the rounding of `f32`.
    #[must_use]
    pub fn rounding_metres(&self) -> f32 {
        let of_axis = |axis: usize| {
            let (low, high) = (self.low[axis], self.high[axis]);
            (high - low) / 65_535.0 * 0.5 + (low.abs().max(high.abs()) + (high - low)) * 2e-7
        };
        let [x, y, z] = [0, 1, 2].map(of_axis);
        libm::sqrtf(x * x + y * y + z * z)
    }
}

/// A vertex in model space: its position in metres, and a normal of unit length or the sum of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PageVertex {
    /// The position.
    pub position: [f32; 3],
    /// The normal.
    pub normal: [f32; 3],
}

impl PageVertex {
    /// A vertex between two frames; `blend` is the share of the later one, and 0 gives the earlier one to the bit.
    #[must_use]
    pub fn mix(a: &Self, b: &Self, blend: f32) -> Self {
        let keep = 1.0 - blend;
        let mix = |a: [f32; 3], b: [f32; 3]| core::array::from_fn(|i| a[i] * keep + b[i] * blend);
        Self { position: mix(a.position, b.position), normal: mix(a.normal, b.normal) }
    }

    /// Adds a layer's vertex with its weight; the weights of all layers sum to 1.
    pub fn add(&mut self, layer: &Self, weight: f32) {
        for i in 0..3 {
            self.position[i] += layer.position[i] * weight;
            self.normal[i] += layer.normal[i] * weight;
        }
    }

    /// The vertex with a normal of unit length: +Z, where several normals have left none.
    #[must_use]
    pub fn finished(&self) -> Self {
        let [x, y, z] = self.normal;
        let length = libm::sqrtf(x * x + y * y + z * z);
        let normal = if length > 1e-20 { self.normal.map(|v| v / length) } else { [0.0, 0.0, 1.0] };
        Self { position: self.position, normal }
    }
}

/// Writes a vertex as [`VertexEncoding::Position16`], into 8 bytes. A position outside the box is clamped to it.
///
/// # Panics
///
/// If there are fewer bytes.
pub fn write_position16(vertex: &PageVertex, part: &PartBox, bytes: &mut [u8]) {
    let position = pack_position(vertex.position, part.low, part.high);
    let [x, y] = pack_normal(vertex.normal).map(i8::cast_unsigned);
    let words = [position[0], position[1], position[2], u16::from_le_bytes([x, y])];
    for (word, out) in words.iter().zip(bytes[..SMALL_TEXEL_BYTES].chunks_exact_mut(2)) {
        out.copy_from_slice(&word.to_le_bytes());
    }
}

/// Reads what [`write_position16`] wrote.
///
/// # Panics
///
/// If there are fewer than 8 bytes.
#[must_use]
pub fn read_position16(bytes: &[u8], part: &PartBox) -> PageVertex {
    let word = |i: usize| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]);
    let normal = word(3).to_le_bytes().map(u8::cast_signed);
    PageVertex {
        position: unpack_position([word(0), word(1), word(2)], part.low, part.high),
        normal: unpack_normal(normal),
    }
}

/// Writes a position as [`VertexEncoding::Position32`], into 16 bytes.
///
/// # Panics
///
/// If there are fewer bytes.
pub fn write_position32(position: [f32; 3], bytes: &mut [u8]) {
    let [x, y, z] = position;
    for (value, out) in [x, y, z, 0.0].iter().zip(bytes[..16].chunks_exact_mut(4)) {
        out.copy_from_slice(&value.to_le_bytes());
    }
}

/// Reads what [`write_position32`] wrote.
///
/// # Panics
///
/// If there are fewer than 12 bytes.
#[must_use]
pub fn read_position32(bytes: &[u8]) -> [f32; 3] {
    f32s(bytes)
}

/// Writes a normal of unit length as four `f16` (the fourth is 0), into 8 bytes.
///
/// # Panics
///
/// If there are fewer bytes.
pub fn write_normal16(normal: [f32; 3], bytes: &mut [u8]) {
    let [x, y, z] = normal.map(half::f16::from_f32);
    for (value, out) in [x, y, z, half::f16::ZERO].iter().zip(bytes[..8].chunks_exact_mut(2)) {
        out.copy_from_slice(&value.to_le_bytes());
    }
}

/// Reads what [`write_normal16`] wrote; its length is 1 but for rounding.
///
/// # Panics
///
/// If there are fewer than 6 bytes.
#[must_use]
pub fn read_normal16(bytes: &[u8]) -> [f32; 3] {
    core::array::from_fn(|i| half::f16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]).to_f32())
}

fn f32s<const N: usize>(bytes: &[u8]) -> [f32; N] {
    core::array::from_fn(|i| {
        f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_metric::angle_degrees;
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = [f32; 3]> {
        prop::array::uniform3(-1.0f32..1.0)
            .prop_filter("a direction", |v| v.iter().map(|v| v * v).sum::<f32>() > 1e-3)
            .prop_map(|v| {
                let length = v.iter().map(|v| v * v).sum::<f32>().sqrt();
                v.map(|v| v / length)
            })
    }

    proptest! {
        #[test]
        fn a_vertex_in_eight_bytes_is_within_its_bound(
            corner in prop::array::uniform3(-1e3f32..1e3), size in prop::array::uniform3(0.0f32..500.0),
            place in prop::array::uniform3(0.0f32..=1.0), normal in unit(),
        ) {
            let part = PartBox { low: corner, high: core::array::from_fn(|i| corner[i] + size[i]) };
            let position = core::array::from_fn(|i| {
                (corner[i] + size[i] * place[i]).clamp(part.low[i], part.high[i])
            });
            let mut bytes = [0; 8];
            write_position16(&PageVertex { position, normal }, &part, &mut bytes);
            let mut header = [0; BOX_BYTES];
            part.write(&mut header);
            let found = read_position16(&bytes, &PartBox::read(&header));
            let off = (0..3).map(|i| (found.position[i] - position[i]).powi(2)).sum::<f32>().sqrt();
            prop_assert!(off <= part.rounding_metres(), "{off} of {}", part.rounding_metres());
            let angle = angle_degrees(found.normal.map(f64::from), normal.map(f64::from));
            prop_assert!(angle < 1.0, "{angle} degrees");
        }

        #[test]
        fn the_reference_keeps_positions_to_the_bit(
            position in prop::array::uniform3(prop::num::f32::NORMAL), normal in unit(),
        ) {
            let mut bytes = [0; 16];
            write_position32(position, &mut bytes);
            prop_assert_eq!(read_position32(&bytes), position);
            prop_assert_eq!(&bytes[12..], [0; 4]);
            write_normal16(normal, &mut bytes[..8]);
            let angle = angle_degrees(read_normal16(&bytes).map(f64::from), normal.map(f64::from));
            prop_assert!(angle < 0.06, "{angle} degrees");
        }

        #[test]
        fn mixing_keeps_the_ends_and_unit_normals(a in unit(), b in unit(), blend in 0.0f32..1.0) {
            let vertex = |normal| PageVertex { position: normal, normal };
            prop_assert_eq!(PageVertex::mix(&vertex(a), &vertex(b), 0.0), vertex(a));
            let mut sum = PageVertex::default();
            sum.add(&PageVertex::mix(&vertex(a), &vertex(b), blend), 0.25);
            sum.add(&vertex(a), 0.75);
            let length = sum.finished().normal.iter().map(|v| v * v).sum::<f32>().sqrt();
            prop_assert!((length - 1.0).abs() < 1e-6, "{length}");
        }
    }

    #[test]
    fn normals_that_cancel_have_an_answer() {
        assert_eq!(PageVertex::default().finished().normal, [0.0, 0.0, 1.0]);
        assert_eq!(VertexEncoding::Position16.header_texels(7), 21);
        assert_eq!(VertexEncoding::Position32.header_texels(7), 0);
    }
}
