//! One clip at a rate and in an encoding: how exact it would be, and how large, without baking the others.

use std::borrow::Cow;

use anim_core::local_record::LocalRecord;
use anim_format::model::{AnimFile, Encoding, ErrorFigures};

use super::clip::{StopAbove, measure_clip};
use super::sample::VertexSample;
use super::{Subject, figures};
use crate::bake::{Prepared, Skeleton, add_tracks, prepare};
use crate::budget::SetPlan;
use crate::clip_plan::ClipPlan;
use crate::diagnostics::BakeError;
use crate::settings::BakeSettings;
use crate::source::SourceAsset;

/// Tries rates and encodings on the clips of a bake.
pub struct Trials<'a> {
    asset: &'a SourceAsset,
    max_texture_size: u32,
    prepared: Cow<'a, Prepared>,
    sample: VertexSample,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Distances of the clip's vertices from the source; leaves out the intervals next to a jump.
    pub playback: ErrorFigures,
    /// Largest distance inside those.
    pub left_out_max_metres: f64,
    /// Frames of the clip.
    pub frames: u32,
    /// Bytes of its texels, and of its own records and constants.
    pub bytes: u64,
}

impl<'a> Trials<'a> {
    /// Prepares what all trials share: clips, bones and vertices of a bake with these settings.
    ///
    /// # Errors
    ///
    /// Every problem of the settings, the clips and the sizes.
    pub fn new(asset: &'a SourceAsset, settings: &BakeSettings) -> Result<Self, BakeError> {
        let prepared = prepare(asset, settings, &mut Vec::new())?;
        Ok(Self::with(asset, settings, Cow::Owned(prepared)))
    }

    /// The same of a bake that is prepared already.
    pub(crate) fn of(asset: &'a SourceAsset, settings: &BakeSettings, prepared: &'a Prepared) -> Self {
        Self::with(asset, settings, Cow::Borrowed(prepared))
    }

    pub(super) fn with(asset: &'a SourceAsset, settings: &BakeSettings, prepared: Cow<'a, Prepared>) -> Self {
        let Prepared { clips, table, geometry, file, .. } = &*prepared;
        let subject = Subject { asset, file, geometry, bones: table.bones(), clips, page_set: 0 };
        let sample = VertexSample::new(&subject, settings.exhaustive);
        Self { asset, max_texture_size: settings.max_texture_size, prepared, sample }
    }

    /// Names of the clips, in the order of their numbers.
    pub fn clip_names(&self) -> impl Iterator<Item = &str> {
        self.prepared.clips.iter().map(|clip| &*clip.name)
    }

    /// Bakes one clip by itself and measures it. `rate_hz` is above 0; `None` is the clip's rate in the settings.
    ///
    /// The result does not depend on earlier trials.
    ///
    /// # Errors
    ///
    /// A clip that does not fit, or a value that the encoding cannot hold.
    ///
    /// # Panics
    ///
    /// If there is no such clip.
    pub fn measure(&self, clip: usize, rate_hz: Option<f64>, encoding: Encoding) -> Result<Trial, BakeError> {
        let plan = match rate_hz {
            Some(rate_hz) => self.prepared.clips[clip].at_rate(self.asset, rate_hz)?,
            None => self.prepared.clips[clip].clone(),
        };
        self.measure_plan(&plan, encoding, None)
    }

    /// A clip with so many intervals; 0 and its own number are as it is.
    pub(crate) fn plan(&self, clip: usize, intervals: u32) -> Result<ClipPlan, BakeError> {
        let own = &self.prepared.clips[clip];
        if intervals == own.intervals {
            return Ok(own.clone());
        }
        Ok(own.at_rate(self.asset, f64::from(intervals) / f64::from(own.duration_seconds))?)
    }

    /// Bakes and measures one clip, until something is above what is given: then the figures are of what was seen so far.
    pub(crate) fn measure_plan(
        &self,
        plan: &ClipPlan,
        encoding: Encoding,
        stop: Option<StopAbove>,
    ) -> Result<Trial, BakeError> {
        let Prepared { table, rest_pose, geometry, file, .. } = &*self.prepared;
        let plans = SetPlan { encoding, clips: vec![plan.clone()] };
        let mut alone: AnimFile<'static> = file.clone();
        let skeleton = Skeleton { asset: self.asset, table, rest_pose };
        add_tracks(&mut alone, skeleton, std::slice::from_ref(&plans), self.max_texture_size)?;
        let subject = Subject {
            asset: self.asset,
            file: &alone,
            geometry,
            bones: table.bones(),
            clips: &plans.clips,
            page_set: 0,
        };
        let found = measure_clip(&subject, 0, &self.sample, false, stop);
        let track = &alone.clips[0].tracks[0];
        let texels = u64::from(track.header_texels)
            + u64::from(track.stored_frames)
                * u64::from(track.elements_per_frame)
                * u64::from(track.texels_per_element);
        let entries = alone.constant_pool.len() - file.constant_pool.len() + alone.local_records.len();
        Ok(Trial {
            playback: figures(&found),
            left_out_max_metres: found.left_out_max,
            frames: track.frames,
            bytes: texels * u64::from(alone.page_sets[0].texel_format.bytes())
                + (entries * size_of::<LocalRecord>()) as u64,
        })
    }
}
