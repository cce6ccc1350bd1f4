//! Frame tables: which frames of a local track are stored.

use crate::model::{PageSet, TexelFormat, Track};

/// Texels of a table for so many frames.
#[must_use]
pub const fn table_texels(format: TexelFormat, frames: u32) -> u32 {
    frames.div_ceil(format.bytes() / 4)
}

/// The stored frame of each frame of a track.
#[derive(Clone, Copy, Debug)]
pub struct FrameTable<'f> {
    /// `None`: every frame is stored.
    entries: Option<&'f [u8]>,
}

impl<'f> FrameTable<'f> {
    /// The table of a track; `None` if it is not inside its page.
    #[must_use]
    pub fn new(set: &'f PageSet<'_>, track: &Track) -> Option<Self> {
        if track.header_texels == 0 {
            return Some(Self { entries: None });
        }
        let start = (track.first_texel as usize).checked_mul(set.texel_format.bytes() as usize)?;
        let end = start.checked_add((track.frames as usize).checked_mul(4)?)?;
        let page = set.pages.get(track.page as usize)?;
        Some(Self { entries: Some(page.get(start..end)?) })
    }

    /// Number of the stored frame that is `frame`, which is below the track's frames.
    #[must_use]
    pub fn stored_frame(&self, frame: u32) -> u32 {
        let Some(entries) = self.entries else { return frame };
        let at = frame as usize * 4;
        u32::from_le_bytes([entries[at], entries[at + 1], entries[at + 2], entries[at + 3]])
    }
}
