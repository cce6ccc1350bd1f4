//! Numbers that no table of a file states: how full its pages are, and where its bytes go.

use std::collections::BTreeMap;

use anim_format::SectionInfo;
use anim_format::model::{AnimFile, Clip};

/// How full the pages of a set are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fill {
    pub(super) used_texels: u64,
    pub(super) texels: u64,
}

impl Fill {
    /// In `[0, 1]`.
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    pub(super) fn share(self) -> f64 {
        if self.texels == 0 { 0.0 } else { self.used_texels as f64 / self.texels as f64 }
    }
}

/// How full the pages of set number `set` are.
pub(super) fn fill(file: &AnimFile<'_>, set: usize) -> Fill {
    let shape = &file.page_sets[set];
    let tracks = file.clips.iter().flat_map(|clip| &clip.tracks);
    Fill {
        used_texels: tracks
            .filter(|track| track.page_set as usize == set)
            .map(|track| ((track.page, track.first_texel), track_texels(track)))
            // Equal clips share their texels.
            .collect::<BTreeMap<_, _>>()
            .into_values()
            .sum(),
        texels: u64::from(shape.width) * u64::from(shape.height) * shape.pages.len() as u64,
    }
}

/// Texels of a clip in all page sets.
pub(super) fn clip_texels(clip: &Clip<'_>) -> u64 {
    clip.tracks.iter().map(track_texels).sum()
}

/// Texels of a clip in a page set, with its table of frames.
pub(super) fn track_texels(track: &anim_format::model::Track) -> u64 {
    u64::from(track.header_texels)
        + u64::from(track.stored_frames)
            * u64::from(track.elements_per_frame)
            * u64::from(track.texels_per_element)
}

/// Bytes by kind of section, in file order.
pub(super) fn bytes_by_section(sections: &[SectionInfo]) -> Vec<(&'static str, u64)> {
    let mut bytes: Vec<(&'static str, u64)> = Vec::new();
    for section in sections {
        match bytes.iter_mut().find(|(name, _)| *name == section.kind_name) {
            Some((_, sum)) => *sum += section.length_bytes,
            None => bytes.push((section.kind_name, section.length_bytes)),
        }
    }
    bytes
}
