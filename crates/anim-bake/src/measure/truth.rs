//! The source's own matrices at any time of a clip.

use anim_core::bind::model_from_bind;
use anim_core::glam::{DAffine3, DVec3};
use anim_core::matrix_rows::{Rows, affine_from_rows};

use crate::bone_texture::PoseSampler;
use crate::bones::SourceBone;
use crate::clip_plan::ClipPlan;
use crate::evaluate::ClipCurves;
use crate::jumps::ON_FRAME_INTERVALS;
use crate::source::SourceAsset;

/// `model_from_bind` of every bone, as the source has it.
pub(super) struct Truth<'a> {
    pub(super) curves: ClipCurves<'a>,
    /// At the time that was asked for last.
    pub(super) model_from_bind: Vec<DAffine3>,
    sampler: PoseSampler<'a>,
    bones: &'a [SourceBone],
    binds: Vec<DAffine3>,
}

impl<'a> Truth<'a> {
    /// Of the source clip of a plan.
    pub(super) fn new(asset: &'a SourceAsset, bones: &'a [SourceBone], plan: &ClipPlan) -> Self {
        Self {
            curves: ClipCurves::new(asset, plan.source.map(|source| &asset.clips[source])),
            model_from_bind: vec![DAffine3::IDENTITY; bones.len()],
            sampler: PoseSampler::new(asset),
            bones,
            binds: bones.iter().map(|bone| affine_from_rows(&bone.bone_from_bind)).collect(),
        }
    }

    /// At a time of the clip. A STEP key that rounding puts just behind a frame is on it, in the source as in playback: see
    /// [`anim_core::clip_time::blend_of`].
    pub(super) fn go_to(&mut self, plan: &ClipPlan, seconds: f64) {
        let source_seconds = f64::from(plan.start_seconds) + seconds;
        let on_frame_seconds = match plan.intervals {
            0 => 0.0,
            intervals => ON_FRAME_INTERVALS * (f64::from(plan.duration_seconds) / f64::from(intervals)),
        };
        self.sample(source_seconds, source_seconds + on_frame_seconds);
    }

    /// At a time of the source.
    pub(super) fn sample(&mut self, source_seconds: f64, step_seconds: f64) {
        let model_from_node = self.sampler.pose(&self.curves, source_seconds, step_seconds);
        for ((out, bone), bind) in self.model_from_bind.iter_mut().zip(self.bones).zip(&self.binds) {
            if let Some(node) = bone.node {
                *out = model_from_bind(&model_from_node[node], bind);
            }
        }
    }
}

/// Played minus true.
pub(super) fn difference(played: &Rows, truth: &DAffine3) -> DAffine3 {
    let played = affine_from_rows(played);
    DAffine3 { matrix3: played.matrix3 - truth.matrix3, translation: played.translation - truth.translation }
}

/// The weighted sum of a point through four matrices.
pub(super) fn weighted(matrices: &[DAffine3], bones: [u16; 4], weights: [f32; 4], point: DVec3) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for (bone, weight) in bones.iter().zip(weights) {
        if weight > 0.0 {
            sum += matrices[usize::from(*bone)].transform_point3(point) * f64::from(weight);
        }
    }
    sum
}
