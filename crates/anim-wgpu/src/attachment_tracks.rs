//! The bone of an attachment point in every frame of every clip, kept on the CPU: its matrix for game code is computed
//! from the same numbers, in the same order, as on the GPU.

use anim_core::clip_time::{FramePair, Interpolation, blend_of};
use anim_core::clock::frame_of;
use anim_core::glam::{DAffine3, DVec3};
use anim_core::layers::{GpuLayer, LAYERS_MAX, layers_at};
use anim_core::matrix_rows::affine_from_rows;
use anim_core::skin_reference::mix_rows;
use anim_format::AnimFile;
use anim_format::model::Rows;
use anim_format::playback::{fetch_bone_rows, is_held, rows_track};

use crate::model::largest_scale;

/// One bone in all frames.
#[derive(Clone, Debug)]
pub(crate) struct AttachmentTracks {
    clips: Vec<ClipFrames>,
}

#[derive(Clone, Debug)]
struct ClipFrames {
    frames: Vec<Rows>,
    interpolation: Interpolation,
    held: Vec<bool>,
}

impl AttachmentTracks {
    /// Reads the bone out of a file.
    pub(crate) fn new(file: &AnimFile<'_>, bone: u32) -> Self {
        let clips = file
            .clips
            .iter()
            .map(|clip| match rows_track(file, clip) {
                Some((track, set)) => ClipFrames {
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
        Self { clips }
    }

    /// The bone's skinning matrix while these layers play, at a tick.
    pub(crate) fn rows(&self, layers: &[GpuLayer; LAYERS_MAX], now_tick: u64) -> Rows {
        let mut sum = [[0.0; 4]; 3];
        for moment in layers_at(layers, now_tick).iter().rev().filter(|moment| moment.weight > 0.0) {
            let Some(clip) = self.clips.get(moment.clip as usize) else { continue };
            let Some(intervals) = clip.frames.len().checked_sub(1) else { continue };
            #[expect(clippy::cast_possible_truncation, reason = "frames of a file are u32")]
            let (frame, blend) = frame_of(moment.position, intervals as u32);
            let next = (frame as usize + 1).min(intervals);
            #[expect(clippy::cast_possible_truncation, reason = "frames of a file are u32")]
            let pair = FramePair { a: frame, b: next as u32, blend };
            let blend = blend_of(pair, clip.interpolation, clip.held[frame as usize]);
            let rows = mix_rows(&clip.frames[frame as usize], &clip.frames[next], blend);
            for (sum, value) in sum.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
                *sum += value * moment.weight;
            }
        }
        sum
    }

    /// Ball around a point of the bone in all frames of a clip (centre, radius in metres) and the largest stretch there.
    /// Between frames and in fades the point is on a line between such places, so the ball holds there too.
    pub(crate) fn reach(&self, clip: u32, bind_from_point: &DAffine3) -> Option<(DVec3, f64, f64)> {
        let frames = &self.clips.get(clip as usize)?.frames;
        let places = || frames.iter().map(|rows| affine_from_rows(rows) * *bind_from_point);
        let first = places().next()?;
        let (mut low, mut high) = (first.translation, first.translation);
        let mut scale = 0.0f64;
        for place in places() {
            low = low.min(place.translation);
            high = high.max(place.translation);
            scale = scale.max(largest_scale(&place));
        }
        Some(((low + high) * 0.5, (high - low).length() * 0.5, scale))
    }
}
