//! Where the rotation, translation and scale of one node are found in one clip.

use bytemuck::{Pod, Zeroable};

/// The rest of the word is a slot: the number of an element inside the frame.
pub const LOCAL_ANIMATED: u32 = 1 << 31;
/// In the rotation word: the rest is the index of three pool entries, the rows of `parent_from_node`.
pub const LOCAL_MATRIX: u32 = 1 << 30;

/// Where one of the three parts of a local transform is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalSource {
    /// It moves: the number of its element inside the frame.
    Slot(u32),
    /// It stands still: the index of its entry in the constant pool.
    Constant(u32),
    /// Of a rotation only: the node is a constant matrix, and this is the index of its first row in the constant pool.
    Matrix(u32),
}

/// Where the local transform of one node is found in one clip: 16 bytes.
///
/// A frame is its animated rotations, then its animated translations, then its animated scales, one texel each; a slot
/// counts from the first of the rotations. A pool entry is four numbers: x, y, z, w of a rotation of unit length,
/// x, y, z, 0 of a translation or a scale, the minimum and the extent of a range, or a row of a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct LocalRecord {
    /// [`LOCAL_ANIMATED`] and a slot, or [`LOCAL_MATRIX`] and a pool index (translation and scale are then 0 and without
    /// meaning), or a pool index.
    pub rotation: u32,
    /// [`LOCAL_ANIMATED`] and a slot, or a pool index.
    pub translation: u32,
    /// [`LOCAL_ANIMATED`] and a slot, or a pool index.
    pub scale: u32,
    /// Pool index of the range of the animated translation. That of the animated scale is the entry after it, or this one
    /// if the translation stands still. 0 if neither moves, and in encodings without ranges.
    pub ranges: u32,
}

impl LocalRecord {
    /// A node with a rotation, a translation and a scale.
    ///
    /// `ranges` is the pool index of the first range, 0 if neither translation nor scale moves.
    ///
    /// # Panics
    ///
    /// If a number reaches [`LOCAL_MATRIX`], or a source is a matrix.
    #[must_use]
    pub fn new(rotation: LocalSource, translation: LocalSource, scale: LocalSource, ranges: u32) -> Self {
        Self { rotation: word(rotation), translation: word(translation), scale: word(scale), ranges }
    }

    /// A node that is a constant matrix, whose rows are three pool entries from `first_entry` on.
    ///
    /// # Panics
    ///
    /// If the number reaches [`LOCAL_MATRIX`].
    #[must_use]
    pub fn matrix(first_entry: u32) -> Self {
        assert!(first_entry < LOCAL_MATRIX);
        Self { rotation: LOCAL_MATRIX | first_entry, translation: 0, scale: 0, ranges: 0 }
    }

    /// Where the rotation is, or the matrix that the node is.
    #[must_use]
    pub const fn rotation_source(&self) -> LocalSource {
        match self.rotation & (LOCAL_ANIMATED | LOCAL_MATRIX) {
            LOCAL_MATRIX => LocalSource::Matrix(self.rotation & !LOCAL_MATRIX),
            _ => source(self.rotation),
        }
    }

    /// Where the translation is; without meaning for a node that is a matrix.
    #[must_use]
    pub const fn translation_source(&self) -> LocalSource {
        source(self.translation)
    }

    /// Where the scale is; without meaning for a node that is a matrix.
    #[must_use]
    pub const fn scale_source(&self) -> LocalSource {
        source(self.scale)
    }

    /// Pool index of the range of the animated translation.
    #[must_use]
    pub const fn translation_range(&self) -> u32 {
        self.ranges
    }

    /// Pool index of the range of the animated scale. Wraps like the shader.
    #[must_use]
    pub const fn scale_range(&self) -> u32 {
        self.ranges.wrapping_add(self.translation >> 31)
    }
}

const fn source(word: u32) -> LocalSource {
    if word & LOCAL_ANIMATED != 0 {
        LocalSource::Slot(word & !LOCAL_ANIMATED)
    } else {
        LocalSource::Constant(word)
    }
}

fn word(source: LocalSource) -> u32 {
    let (number, flag) = match source {
        LocalSource::Slot(slot) => (slot, LOCAL_ANIMATED),
        LocalSource::Constant(entry) => (entry, 0),
        LocalSource::Matrix(_) => panic!("a matrix is a whole record: LocalRecord::matrix"),
    };
    assert!(number < LOCAL_MATRIX);
    number | flag
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCES: [LocalSource; 4] = [
        LocalSource::Slot(0),
        LocalSource::Slot(LOCAL_MATRIX - 1),
        LocalSource::Constant(0),
        LocalSource::Constant(LOCAL_MATRIX - 1),
    ];

    #[test]
    fn sources_come_back_from_their_words() {
        for rotation in SOURCES {
            for translation in SOURCES {
                for scale in SOURCES {
                    let record = LocalRecord::new(rotation, translation, scale, 9);
                    assert_eq!(record.rotation_source(), rotation);
                    assert_eq!(record.translation_source(), translation);
                    assert_eq!(record.scale_source(), scale);
                    let moves = matches!(translation, LocalSource::Slot(_));
                    assert_eq!((record.translation_range(), record.scale_range()), (9, 9 + u32::from(moves)));
                }
            }
        }
        assert_eq!(LocalRecord::matrix(12).rotation_source(), LocalSource::Matrix(12));
        assert_eq!(size_of::<LocalRecord>(), 16);
    }

    #[test]
    fn an_animated_rotation_with_a_second_flag_is_a_slot_out_of_reach() {
        let record = LocalRecord { rotation: LOCAL_ANIMATED | LOCAL_MATRIX | 5, ..LocalRecord::default() };
        assert_eq!(record.rotation_source(), LocalSource::Slot(LOCAL_MATRIX | 5));
    }

    #[test]
    #[should_panic(expected = "a matrix is a whole record")]
    fn a_matrix_is_no_translation() {
        let constant = LocalSource::Constant(0);
        let _ = LocalRecord::new(constant, LocalSource::Matrix(0), constant, 0);
    }
}
