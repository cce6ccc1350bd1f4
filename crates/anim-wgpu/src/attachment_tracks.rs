//! The bone of an attachment point in every frame of every clip, kept on the CPU: its matrix for game code is computed
//! from the same numbers as on the GPU.

use anim_core::clip_time::{Interpolation, blend_of};
use anim_core::clock::frame_pair_of;
use anim_core::glam::{DAffine3, DVec3};
use anim_core::layers::{GpuLayer, LAYERS_MAX, layers_at};
use anim_core::matrix_rows::affine_from_rows;
use anim_core::skin_reference::mix_rows;
use anim_format::AnimFile;
use anim_format::model::Rows;
use anim_format::playback::{fetch_bone_rows, is_held};

use crate::attachment_local::LocalBone;
use crate::model::largest_scale;

/// One bone in all frames: its rows, or local tracks that it is computed from.
#[derive(Clone, Debug)]
pub(crate) enum AttachmentTracks {
    Rows(Vec<ClipFrames>),
    Local(LocalBone),
}

/// Ball around a point in all frames of a clip, and between frames and in fades: of rows the point is then on a line
/// between such places, and of local tracks the ball is one for all clips that always holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub(crate) center: DVec3,
    pub(crate) radius_metres: f64,
    /// Bound of how much the point stretches what hangs on it.
    pub(crate) scale: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct ClipFrames {
    frames: Vec<Rows>,
    interpolation: Interpolation,
    held: Vec<bool>,
}

impl AttachmentTracks {
    /// Reads the bone out of a page set of rows.
    pub(crate) fn of_rows(file: &AnimFile<'_>, page_set: u32, bone: u32) -> Self {
        let set = &file.page_sets[page_set as usize];
        let clips = file
            .clips
            .iter()
            .map(|clip| match clip.tracks.iter().find(|track| track.page_set == page_set) {
                Some(track) => ClipFrames {
                    frames: (0..track.frames)
                        .map(|frame| fetch_bone_rows(set, track, frame, bone as usize))
                        .collect(),
                    interpolation: track.interpolation,
                    held: (0..track.frames).map(|frame| is_held(track, frame)).collect(),
                },
                None => {
                    ClipFrames { frames: Vec::new(), interpolation: Interpolation::Step, held: Vec::new() }
                }
            })
            .collect();
        Self::Rows(clips)
    }

    /// The bone's skinning matrix while these layers play, at a tick.
    pub(crate) fn rows(&self, layers: &[GpuLayer; LAYERS_MAX], now_tick: u64) -> Rows {
        let clips = match self {
            Self::Rows(clips) => clips,
            Self::Local(bone) => return bone.rows(layers, now_tick),
        };
        let mut sum = [[0.0; 4]; 3];
        for moment in layers_at(layers, now_tick).iter().rev().filter(|moment| moment.weight > 0.0) {
            let Some(clip) = clips.get(moment.clip as usize) else { continue };
            let Some(intervals) = clip.frames.len().checked_sub(1) else { continue };
            #[expect(clippy::cast_possible_truncation, reason = "frames of a file are u32")]
            let pair = frame_pair_of(moment.position, intervals as u32);
            let (a, b) = (pair.a as usize, pair.b as usize);
            let blend = blend_of(pair, clip.interpolation, clip.held[a]);
            let rows = mix_rows(&clip.frames[a], &clip.frames[b], blend);
            for (sum, value) in sum.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
                *sum += value * moment.weight;
            }
        }
        sum
    }

    /// Whether the bone mirrors what it moves, in the first frame that there is.
    pub(crate) fn mirrors(&self) -> bool {
        let clips = match self {
            Self::Rows(clips) => clips,
            Self::Local(bone) => return bone.mirrors(),
        };
        let first = clips.iter().find_map(|clip| clip.frames.first());
        first.is_some_and(|rows| affine_from_rows(rows).matrix3.determinant() < 0.0)
    }

    /// Where a point of the bone comes in each clip; `None` for a clip without frames.
    pub(crate) fn reaches(&self, clip_count: usize, bind_from_point: &DAffine3) -> Vec<Option<Reach>> {
        match self {
            Self::Rows(clips) => clips.iter().map(|clip| clip.reach(bind_from_point)).collect(),
            Self::Local(bone) => vec![bone.reach(bind_from_point); clip_count],
        }
    }
}

impl ClipFrames {
    fn reach(&self, bind_from_point: &DAffine3) -> Option<Reach> {
        let places = || self.frames.iter().map(|rows| affine_from_rows(rows) * *bind_from_point);
        let first = places().next()?;
        let (mut low, mut high) = (first.translation, first.translation);
        let mut scale = 0.0f64;
        for place in places() {
            low = low.min(place.translation);
            high = high.max(place.translation);
            scale = scale.max(largest_scale(&place));
        }
        Some(Reach { center: (low + high) * 0.5, radius_metres: (high - low).length() * 0.5, scale })
    }
}
