//! The nodes of a file at rest, and how near to a constant a curve has to be to count as one.

use anim_core::glam::DAffine3;
use anim_core::local_encoding::{LocalEncoding, ROTATION_STEP};
use anim_core::rotation::normalize;
use anim_core::trs::Trs;
use anim_format::model::AnimFile;

use crate::clip_plan::ClipPlan;
use crate::local_clip::constant;
use crate::source::{Property, SourceAsset};

/// What all clips of a bake share.
pub(crate) struct LocalRest {
    /// The nodes of the file.
    pub(crate) nodes: Vec<RestNode>,
    /// Curves that stay this near to one value stand still: of rotations on each axis of the quaternion, of scales as a
    /// share of the scale, of translations as a share of the translation or of [`RestNode::reach`].
    pub(crate) tolerance: f64,
}

/// A node at rest.
pub(crate) struct RestNode {
    /// Its number in the source.
    pub(crate) source: usize,
    /// In all clips it is the matrix at this place of the constant pool.
    pub(crate) matrix_in_pool: Option<u32>,
    /// Unit quaternion.
    pub(crate) rotation: [f64; 4],
    /// In metres; the fourth number is 0.
    pub(crate) translation: [f64; 4],
    /// The fourth number is 0.
    pub(crate) scale: [f64; 4],
    /// The size of the model in units of the node's translation.
    pub(crate) reach: f64,
}

impl LocalRest {
    /// The nodes of a file whose node table is filled. `model_from_node` is the source's rest pose.
    pub(crate) fn new(
        asset: &SourceAsset,
        file: &AnimFile<'_>,
        clips: &[ClipPlan],
        model_from_node: &[DAffine3],
        encoding: LocalEncoding,
    ) -> Self {
        let mut driven = vec![false; asset.nodes.len()];
        for clip in clips.iter().filter_map(|clip| clip.source) {
            for channel in asset.clips[clip].channels.iter().filter(|c| c.property != Property::Weights) {
                driven[channel.node] = true;
            }
        }
        let tolerance = match encoding {
            // A third of a step of a rotation: half as far as rounding may put it anyway.
            LocalEncoding::Local8 => f64::from(ROTATION_STEP) / 3.0,
            LocalEncoding::Local32 => f64::from(f32::EPSILON),
        };
        let model_size = f64::from(file.extent.model_size_metres);
        let nodes = file.nodes.iter().map(|node| {
            let source = node.source_node as usize;
            // A node that any clip drives is rotation, translation and scale in all of them, so that they blend.
            let matrix_in_pool = node.rest_matrix_in_pool.filter(|_| !driven[source]);
            let rest = match node.rest_matrix_in_pool {
                Some(_) => asset.nodes[source].rest.unwrap_or(Trs::IDENTITY),
                None => Trs {
                    translation: node.rest_translation.map(f64::from).into(),
                    rotation: anim_core::glam::DQuat::from_array(node.rest_rotation.map(f64::from)),
                    scale: node.rest_scale.map(f64::from).into(),
                },
            };
            let parent_scale = match asset.nodes[source].parent {
                Some(parent) => {
                    let axes = model_from_node[parent].matrix3;
                    axes.x_axis.length().max(axes.y_axis.length()).max(axes.z_axis.length())
                }
                None => 1.0,
            };
            let [t, s] = [rest.translation, rest.scale];
            RestNode {
                source,
                matrix_in_pool,
                rotation: normalize(rest.rotation).to_array(),
                translation: [t.x, t.y, t.z, 0.0],
                scale: [s.x, s.y, s.z, 0.0],
                reach: if parent_scale > 1e-9 { model_size / parent_scale } else { 0.0 },
            }
        });
        Self { nodes: nodes.collect(), tolerance }
    }
}

impl RestNode {
    /// Its constants, as the pool holds them; what cannot be stored is left out.
    pub(crate) fn constants(&self) -> impl Iterator<Item = [f32; 4]> {
        let parts = [self.rotation, self.translation, self.scale];
        parts.into_iter().enumerate().filter_map(|(kind, value)| constant(value, kind).ok())
    }
}
