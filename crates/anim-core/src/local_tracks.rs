//! Reading local tracks on the CPU: one node's local transform in one clip, between two frames.

use glam::{Quat, Vec3, Vec4};

use crate::local_encoding::{
    LocalEncoding, unpack_ranged, unpack_rotation, unpack_rotation32, unpack_value32,
};
use crate::local_pose::{LocalTransform, lerp_value, nlerp_corrected};
use crate::local_record::{LocalRecord, LocalSource};
use crate::matrix_rows::Rows;
use crate::texel::{TrackLayout, texel_number};

/// The local track of one clip, and what it needs of the file.
///
/// Numbers in the tables are validated before they come here: slots are below the elements of a frame and pool indices
/// inside the pool. Bytes of a page are not: whatever they are, nothing panics, and what would lie outside the page reads
/// as zeros.
///
/// # Frame table
///
/// Frames of equal bytes are stored once. A track with a header starts with a table: for each frame the number of the
/// stored frame that shows it, as `u32`, packed (two in a texel of 8 bytes, four in one of 16). Without a header, frame
/// `f` is stored frame `f`.
#[derive(Clone, Copy, Debug)]
pub struct LocalTrackView<'a> {
    /// The page that holds the track: its little-endian texels.
    pub texels: &'a [u8],
    /// Where the track lies in the page. An element is one texel.
    pub layout: TrackLayout,
    /// The clip's record of every node of the file.
    pub records: &'a [LocalRecord],
    /// The file's constant pool.
    pub pool: &'a [[f32; 4]],
    /// How the elements are stored.
    pub encoding: LocalEncoding,
}

/// A place between two frames of a track: the same for all nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalMoment {
    /// Texel of element 0 in the frame before.
    pub texel_a: u32,
    /// Texel of element 0 in the frame after.
    pub texel_b: u32,
    /// Share of the frame after, in `[0, 1]`, after the interpolation rule (`blend_of`).
    pub t: f32,
}

/// Texels of a frame table for this number of frames.
#[must_use]
pub const fn frame_table_texels(frames: u32, encoding: LocalEncoding) -> u32 {
    match encoding {
        LocalEncoding::Local8 => frames.div_ceil(2),
        LocalEncoding::Local32 => frames.div_ceil(4),
    }
}

impl LocalTrackView<'_> {
    /// The number of the stored frame that shows `frame`.
    #[must_use]
    pub fn stored_frame(&self, frame: u32) -> u32 {
        if self.layout.header_texels == 0 {
            return frame;
        }
        let table = (self.layout.first_texel as usize).saturating_mul(self.encoding.texel_bytes());
        let start = table.saturating_add(frame as usize * 4);
        match self.texels.get(start..start.saturating_add(4)) {
            Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        }
    }

    /// The place between two frames of the clip; `t` is the share of `frame_b`, in `[0, 1]`.
    #[must_use]
    pub fn moment(&self, frame_a: u32, frame_b: u32, t: f32) -> LocalMoment {
        let texel = |frame| texel_number(&self.layout, self.stored_frame(frame), 0, 0);
        LocalMoment { texel_a: texel(frame_a), texel_b: texel(frame_b), t }
    }

    /// The local transform of a node between two frames; `t` is the share of `frame_b`, in `[0, 1]`.
    ///
    /// `None` if the node is a constant matrix: see [`node_matrix`](Self::node_matrix).
    ///
    /// # Panics
    ///
    /// If the node has no record, or the record points outside the pool.
    #[must_use]
    pub fn node_transform(&self, node: u32, frame_a: u32, frame_b: u32, t: f32) -> Option<LocalTransform> {
        self.node_transform_at(node, &self.moment(frame_a, frame_b, t))
    }

    /// [`node_transform`](Self::node_transform) at a place that is worked out once for all nodes.
    ///
    /// What stands still is the pool's entry as it is, without interpolation.
    ///
    /// # Panics
    ///
    /// If the node has no record, or the record points outside the pool.
    #[must_use]
    #[inline(always)]
    pub fn node_transform_at(&self, node: u32, moment: &LocalMoment) -> Option<LocalTransform> {
        let record = &self.records[node as usize];
        let rotation = match record.rotation_source() {
            LocalSource::Slot(slot) => nlerp_corrected(
                self.rotation_at(moment.texel_a.wrapping_add(slot)),
                self.rotation_at(moment.texel_b.wrapping_add(slot)),
                moment.t,
            ),
            LocalSource::Constant(entry) => Quat::from_array(self.pool[entry as usize]),
            LocalSource::Matrix(_) => return None,
        };
        let translation = self.value(record.translation_source(), record.translation_range(), moment);
        let scale = self.value(record.scale_source(), record.scale_range(), moment);
        Some(LocalTransform { translation, rotation, scale })
    }

    /// The rows of `parent_from_node` of a node that is a constant matrix; `None` if it is not.
    ///
    /// # Panics
    ///
    /// If the node has no record, or the record points outside the pool.
    #[must_use]
    #[inline]
    pub fn node_matrix(&self, node: u32) -> Option<Rows> {
        match self.records[node as usize].rotation_source() {
            LocalSource::Matrix(entry) => {
                let first = entry as usize;
                Some([self.pool[first], self.pool[first + 1], self.pool[first + 2]])
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn value(&self, source: LocalSource, range: u32, moment: &LocalMoment) -> Vec3 {
        match source {
            LocalSource::Slot(slot) => {
                let texel_a = moment.texel_a.wrapping_add(slot);
                let texel_b = moment.texel_b.wrapping_add(slot);
                match self.encoding {
                    LocalEncoding::Local8 => {
                        let range = Vec4::from_array(self.pool[range as usize]);
                        let a = unpack_ranged(self.words8(texel_a), range);
                        lerp_value(a, unpack_ranged(self.words8(texel_b), range), moment.t)
                    }
                    LocalEncoding::Local32 => {
                        lerp_value(self.value32_at(texel_a), self.value32_at(texel_b), moment.t)
                    }
                }
            }
            LocalSource::Constant(entry) | LocalSource::Matrix(entry) => {
                let [x, y, z, _] = self.pool[entry as usize];
                Vec3::new(x, y, z)
            }
        }
    }

    #[inline(always)]
    pub(crate) fn rotation_at(&self, texel: u32) -> Quat {
        match self.encoding {
            LocalEncoding::Local8 => unpack_rotation(self.words8(texel)),
            LocalEncoding::Local32 => unpack_rotation32(self.words16(texel)),
        }
    }

    /// A translation or a scale of `Local32`.
    #[inline(always)]
    pub(crate) fn value32_at(&self, texel: u32) -> Vec3 {
        unpack_value32(self.words16(texel))
    }

    /// The bytes of a texel; zeros outside the page.
    #[inline(always)]
    fn texel<const BYTES: usize>(&self, texel: u32) -> [u8; BYTES] {
        self.texels.as_chunks().0.get(texel as usize).copied().unwrap_or([0; BYTES])
    }

    #[inline(always)]
    pub(crate) fn words8(&self, texel: u32) -> [u32; 2] {
        let [a, b, c, d, e, f, g, h] = self.texel(texel);
        [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])]
    }

    #[inline(always)]
    fn words16(&self, texel: u32) -> [u32; 4] {
        let bytes = self.texel::<16>(texel);
        let (words, _) = bytes.as_chunks();
        [0, 1, 2, 3].map(|word: usize| u32::from_le_bytes(words[word]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local_encoding::{write_rotation, write_value};
    use alloc::vec;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    const ENCODINGS: [LocalEncoding; 2] = [LocalEncoding::Local8, LocalEncoding::Local32];

    #[test]
    fn a_node_is_read_from_its_slots_constants_and_matrix() {
        let pool = [
            [0.0, 0.0, 0.0, 1.0],
            [1.0, 1.0, 1.0, 0.0],
            // Ranges of the translation and of the scale of node 1, the scale of node 2.
            [1.0, 2.0, 3.0, 4.0],
            [0.5, 0.5, 0.5, 1.5],
            [2.0, 3.0, 4.0, 0.0],
            // Rows of node 0.
            [1.0, 0.5, 0.0, 7.0],
            [0.0, 1.0, 0.0, 8.0],
            [0.0, 0.0, 1.0, 9.0],
        ];
        let (slot, constant) = (LocalSource::Slot, LocalSource::Constant);
        let records = [
            LocalRecord::matrix(5),
            LocalRecord::new(slot(0), slot(1), slot(3), 2),
            LocalRecord::new(constant(0), slot(2), constant(4), 2),
            LocalRecord::new(constant(0), constant(4), constant(1), 0),
        ];
        for encoding in ENCODINGS {
            let bytes = encoding.texel_bytes();
            // Two texels of something else, a table, stored frames 0 and 1; frame 1 is stored frame 0 again.
            let table: Vec<u8> = [0u32, 0, 1].iter().flat_map(|frame| frame.to_le_bytes()).collect();
            let header_texels = frame_table_texels(3, encoding);
            assert_eq!(header_texels as usize, table.len().div_ceil(bytes));
            let layout =
                TrackLayout { first_texel: 2, header_texels, elements_per_frame: 4, texels_per_element: 1 };
            let mut texels = vec![0xff; 2 * bytes];
            texels.extend(&table);
            texels.resize((2 + header_texels as usize) * bytes, 0);
            for frame in 0..2u8 {
                let x = f32::from(frame);
                let mut elements = vec![0; 4 * bytes];
                let mut places = elements.chunks_exact_mut(bytes);
                let mut place = || places.next().expect("four elements");
                write_rotation(Quat::from_rotation_y(x), encoding, place());
                let (range, scales) = (Vec4::from_array(pool[2]), Vec4::from_array(pool[3]));
                write_value(Vec3::new(1.0, 2.0, 3.0) + x * 4.0, range, encoding, place());
                write_value(Vec3::new(5.0, 6.0, 7.0) - x * 4.0, range, encoding, place());
                write_value(Vec3::splat(0.5 + x), scales, encoding, place());
                texels.extend(elements);
            }
            let view = LocalTrackView { texels: &texels, layout, records: &records, pool: &pool, encoding };
            assert_eq!([0, 1, 2].map(|frame| view.stored_frame(frame)), [0, 0, 1]);
            assert_eq!(view.node_transform(0, 0, 1, 0.5), None);
            assert_eq!(view.node_matrix(0), Some([pool[5], pool[6], pool[7]]));
            assert_eq!(view.node_matrix(1), None);
            let still = view.node_transform(1, 0, 1, 0.5).expect("a transform");
            assert!(still.rotation.abs_diff_eq(Quat::IDENTITY, 1e-6));
            assert!(still.translation.abs_diff_eq(Vec3::new(1.0, 2.0, 3.0), 1e-5));
            let moved = view.node_transform(1, 1, 2, 0.25).expect("a transform");
            assert!(moved.rotation.abs_diff_eq(Quat::from_rotation_y(0.25), 1e-4), "{moved:?}");
            assert!(moved.translation.abs_diff_eq(Vec3::new(2.0, 3.0, 4.0), 1e-5), "{moved:?}");
            assert!(moved.scale.abs_diff_eq(Vec3::splat(0.75), 1e-5), "{moved:?}");
            let other = view.node_transform(2, 2, 2, 0.0).expect("a transform");
            assert!(other.translation.abs_diff_eq(Vec3::new(1.0, 2.0, 3.0), 1e-5), "{other:?}");
            assert_eq!((other.rotation, other.scale), (Quat::IDENTITY, Vec3::new(2.0, 3.0, 4.0)));
            let constant = view.node_transform(3, 0, 2, 0.7).expect("a transform");
            assert_eq!(constant.translation, Vec3::new(2.0, 3.0, 4.0));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_of_a_page_give_finite_transforms(
            texels in prop::collection::vec(prop_oneof![any::<u8>(), Just(0xff), Just(0x7f)], 0..400),
            first_texel in prop_oneof![0..40u32, any::<u32>()], header_texels in prop_oneof![0..3u32, any::<u32>()],
            elements_per_frame in prop_oneof![1..9u32, any::<u32>()], words in prop::array::uniform3(any::<u32>()),
            frames in (any::<u32>(), 0..9u32), t in 0.0..=1.0f32, range in prop::array::uniform4(-1e38..1e38f32),
        ) {
            let pool = [range.map(|v| v * 0.5), range];
            let word = |word: u32| if word & 3 == 0 { word & 1 } else { 1 << 31 | word };
            let record = LocalRecord {
                rotation: word(words[0]), translation: word(words[1]), scale: word(words[2]), ranges: 0,
            };
            let layout = TrackLayout { first_texel, header_texels, elements_per_frame, texels_per_element: 1 };
            for encoding in ENCODINGS {
                let view = LocalTrackView { texels: &texels, layout, records: &[record], pool: &pool, encoding };
                let found = view.node_transform(0, frames.0, frames.1, t).expect("no matrix");
                prop_assert!(found.rotation.is_finite() && found.translation.is_finite() && found.scale.is_finite());
                let sum = crate::local_pose::add_local(&Default::default(), &found, 0.5);
                let rows = crate::local_pose::local_rows(&crate::local_pose::finish_local(&sum));
                prop_assert!(rows.as_flattened().iter().all(|number| number.is_finite()), "{:?}", rows);
            }
        }
    }
}
