//! Poses to bone-matrix texels: one pass from the curves of a clip to the bytes of its frames.

use anim_core::bind::model_from_bind;
use anim_core::encoding::{RowsEncoding, encode_rows};
use anim_core::glam::DAffine3;
use anim_core::matrix_rows::{IDENTITY_ROWS, affine_from_rows, rows_from_affine};

use crate::bones::SourceBone;
use crate::clip_plan::ClipPlan;
use crate::diagnostics::Diagnostic;
use crate::evaluate::{ClipCurves, compose};
use crate::ids;
use crate::source::SourceAsset;

/// Fills `texels` with all frames of a clip: `frames x bones x 3` texels, frame slowest, row fastest.
pub(crate) fn bake_clip(
    asset: &SourceAsset,
    bones: &[SourceBone],
    clip: &ClipPlan,
    encoding: RowsEncoding,
    texels: &mut [u8],
) -> Result<(), Diagnostic> {
    let curves = ClipCurves::new(asset, clip.source.map(|source| &asset.clips[source]));
    let mut sampler = PoseSampler::new(asset);
    let binds: Vec<DAffine3> = bones.iter().map(|bone| affine_from_rows(&bone.bone_from_bind)).collect();
    let frame_bytes = bones.len() * encoding.bone_bytes();
    assert_eq!(texels.len(), clip.frames() as usize * frame_bytes);
    for (frame, texels) in (0..clip.frames()).zip(texels.chunks_exact_mut(frame_bytes)) {
        let model_from_node = sampler.frame_pose(&curves, clip, frame);
        for ((bone, bind), texels) in
            bones.iter().zip(&binds).zip(texels.chunks_exact_mut(encoding.bone_bytes()))
        {
            let rows = match bone.node {
                Some(node) => rows_from_affine(&model_from_bind(&model_from_node[node], bind)),
                None => IDENTITY_ROWS,
            };
            encode_rows(&rows, encoding, texels).map_err(|refused| {
                let what =
                    format!("frame {frame} of the clip has a bone matrix that the encoding cannot hold");
                Diagnostic::error(ids::VALUE_NOT_ENCODABLE, "", what)
                    .in_clip(&clip.name)
                    .at_bone(crate::assemble::node_label(asset, bone.node))
                    .expected_found(format!("at most {} in magnitude", refused.largest), refused.value)
                    .help(match encoding {
                        RowsEncoding::Affine16 => "bake with --encoding affine32, or scale the model down",
                        RowsEncoding::Affine32 => "check the model's scales and key values",
                    })
            })?;
        }
    }
    Ok(())
}

/// Model poses at frames and at any time, without an allocation a frame.
pub(crate) struct PoseSampler<'a> {
    asset: &'a SourceAsset,
    local: Vec<DAffine3>,
    model: Vec<DAffine3>,
}

impl<'a> PoseSampler<'a> {
    pub(crate) fn new(asset: &'a SourceAsset) -> Self {
        let count = asset.nodes.len();
        Self { asset, local: vec![DAffine3::IDENTITY; count], model: vec![DAffine3::IDENTITY; count] }
    }

    /// `model_from_node` that frame `frame` stores.
    pub(crate) fn frame_pose(&mut self, curves: &ClipCurves<'_>, clip: &ClipPlan, frame: u32) -> &[DAffine3] {
        let (seconds, step_seconds) = clip.frame_seconds(frame);
        self.pose(curves, seconds, step_seconds)
    }

    /// `model_from_node` of every source node at a time of the source.
    pub(crate) fn pose(&mut self, curves: &ClipCurves<'_>, seconds: f64, step_seconds: f64) -> &[DAffine3] {
        curves.local_poses(seconds, step_seconds, &mut self.local);
        compose(self.asset, &self.local, &mut self.model);
        &self.model
    }
}
