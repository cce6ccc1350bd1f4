//! What the palette pass reads of the pages for one instance and frame.

use anim_core::encoding::RowsEncoding;
use anim_core::local_record::LocalRecord;
use anim_format::AnimFile;
use serde_json::{Value, json};

use crate::text::{bytes, digits};

/// Bytes of an instance that plays one clip between two frames, the mean over all clips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PageBytes {
    /// Texels of two frames in the file's first page set.
    pub(crate) pages: f64,
    /// What says where they are: records, and the entries of the constant pool that these name.
    pub(crate) tables: f64,
    /// Texels of two frames of the same bones in `Affine16` rows.
    pub(crate) affine16: f64,
}

/// Bytes of an entry of the constant pool.
const POOL_ENTRY_BYTES: usize = 16;

impl PageBytes {
    /// `None` of a file without clips in its first page set.
    #[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
    pub(crate) fn of(file: &AnimFile<'_>) -> Option<Self> {
        let set = file.page_sets.first()?;
        let tracks = || file.clips.iter().flat_map(|clip| &clip.tracks).filter(|track| track.page_set == 0);
        let count = tracks().count();
        if count == 0 {
            return None;
        }
        let (mut pages, mut tables) = (0u64, 0usize);
        for track in tracks() {
            let texels = u64::from(track.elements_per_frame) * u64::from(track.texels_per_element);
            pages += 2 * texels * u64::from(set.texel_format.bytes());
            if let Some(first) = track.first_record {
                let records = &file.local_records[first as usize..first as usize + file.nodes.len()];
                tables += std::mem::size_of_val(records);
                tables += records.iter().map(pool_entries).sum::<usize>() * POOL_ENTRY_BYTES;
            }
        }
        let mean = |sum: f64| sum / count as f64;
        Some(Self {
            pages: mean(pages as f64),
            tables: mean(tables as f64),
            affine16: (2 * file.bones.len() * RowsEncoding::Affine16.bone_bytes()) as f64,
        })
    }

    /// A line for people.
    pub(crate) fn to_text(self) -> String {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bytes of one instance")]
        let whole = |value: f64| bytes(value.round() as u64);
        format!(
            "{} of pages an instance and frame, {} of affine16; {} of records and constants, which instances share",
            whole(self.pages),
            digits(self.pages / self.affine16),
            whole(self.tables),
        )
    }

    /// The same for programs.
    pub(crate) fn to_json(self) -> Value {
        json!({ "page_bytes": self.pages, "table_bytes": self.tables, "affine16_bytes": self.affine16 })
    }
}

/// Entries of the constant pool that a record names.
fn pool_entries(record: &LocalRecord) -> usize {
    use anim_core::local_record::LocalSource::{Constant, Matrix, Slot};
    let sources = match record.rotation_source() {
        Matrix(_) => return 3,
        rotation => [rotation, record.translation_source(), record.scale_source()],
    };
    let standing = sources.iter().filter(|source| matches!(source, Constant(_))).count();
    let ranged = sources[1..].iter().filter(|source| matches!(source, Slot(_))).count();
    standing + if record.ranges == 0 { 0 } else { ranged }
}

#[cfg(test)]
mod tests {
    use anim_format::model::Encoding;

    use super::super::rig::rig;
    use super::super::rig_local::with_local_tracks;
    use super::*;

    #[test]
    fn local_tracks_of_the_rig_read_two_fifths_of_its_rows() {
        let rows = rig(Encoding::Affine16);
        let of_rows = PageBytes::of(&rows).expect("clips");
        assert_eq!((of_rows.pages, of_rows.tables), (of_rows.affine16, 0.0));
        assert_eq!(of_rows.affine16, 60.0 * 48.0);
        let local = with_local_tracks(rig(Encoding::Affine32), Encoding::Local8);
        let local = PageBytes::of(&local).expect("clips");
        // A texel of 8 bytes for each rotation of 60 nodes in two frames, and for the few translations that move: rounding
        // of the rows.
        assert!((960.0..=0.4 * of_rows.affine16).contains(&local.pages), "{local:?}");
        assert!(local.tables >= 60.0 * (16.0 + 2.0 * 16.0), "{local:?}");
    }
}
