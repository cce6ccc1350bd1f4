//! A model as its source describes it: hierarchy, skins, meshes, curves. No glTF types, no bytes.
//!
//! All numbers of other tables are valid: the importer refuses a file in which one is not. Vertex data and keys are
//! shared, since many primitives or channels may read one accessor.

use std::sync::Arc;

use anim_core::glam::DAffine3;
use anim_core::trs::Trs;
use anim_format::model::{Alpha, ImageFormat, Sampler};

/// A whole model. Nodes, meshes, skins, clips and materials keep the source's numbers.
#[derive(Clone, Debug, Default)]
pub struct SourceAsset {
    /// Every node of the file.
    pub nodes: Vec<SourceNode>,
    /// Node numbers, parents before children, covering every node once.
    pub topological_order: Vec<usize>,
    /// Skins.
    pub skins: Vec<SourceSkin>,
    /// Meshes.
    pub meshes: Vec<SourceMesh>,
    /// Clips.
    pub clips: Vec<SourceClip>,
    /// Materials.
    pub materials: Vec<SourceMaterial>,
    /// Images; only those that a material uses as base colour have bytes.
    pub images: Vec<SourceImage>,
}

/// A transform of the hierarchy.
#[derive(Clone, Debug)]
pub struct SourceNode {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Parent.
    pub parent: Option<usize>,
    /// Rest transform, exactly as the source states it.
    pub parent_from_node: DAffine3,
    /// The same as translation, rotation, scale; `None` where no such transform exists (a sheared matrix).
    pub rest: Option<Trs>,
    /// Mesh that the node carries.
    pub mesh: Option<usize>,
    /// Skin of that mesh.
    pub skin: Option<usize>,
    /// Morph weights of the node: `node.weights`, else `mesh.weights`, else zeros; one for each morph target.
    pub weights: Vec<f32>,
    /// The node belongs to the chosen scene.
    pub in_scene: bool,
}

/// Joints of a skin.
#[derive(Clone, Debug)]
pub struct SourceSkin {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Nodes of the joints.
    pub joints: Vec<usize>,
    /// Inverse bind matrix of each joint; identity where the file has none (glTF 2.0 section 3.7.3.1).
    pub bone_from_bind: Vec<DAffine3>,
}

/// A mesh.
#[derive(Clone, Debug)]
pub struct SourceMesh {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Primitives.
    pub primitives: Vec<SourcePrimitive>,
}

/// A primitive: all vertex arrays have one entry a vertex.
#[derive(Clone, Debug)]
pub struct SourcePrimitive {
    /// Triangle list, three indices a triangle, each below the vertex count. Strips, fans and missing indices are
    /// already resolved. Empty for points and lines.
    pub triangles: Arc<[u32]>,
    /// The source's primitive is points or lines.
    pub not_triangles: bool,
    /// Positions in metres.
    pub positions: Arc<[[f32; 3]]>,
    /// Unit normals, if the source has them.
    pub normals: Option<Arc<[[f32; 3]]>>,
    /// Tangents with handedness, if the source has them.
    pub tangents: Option<Arc<[[f32; 4]]>>,
    /// Texture coordinates for the base-colour image, its set chosen and its transform applied.
    pub uvs: Option<Arc<[[f32; 2]]>>,
    /// The source has vertex colours.
    pub has_colors: bool,
    /// Sets of four influences: `JOINTS_n` and `WEIGHTS_n` as stored. Joint numbers are below the joint count of every
    /// skin that uses the mesh wherever their weight is not zero.
    pub influence_sets: Vec<InfluenceSet>,
    /// Morph targets.
    pub morph_targets: Vec<MorphTarget>,
    /// Material, if it names one.
    pub material: Option<usize>,
}

/// Four influences a vertex.
#[derive(Clone, Debug)]
pub struct InfluenceSet {
    /// Positions in `skin.joints`.
    pub joints: Arc<[[u16; 4]]>,
    /// Weights as stored; not negative, finite.
    pub weights: Arc<[[f32; 4]]>,
}

/// Displacements of a morph target.
#[derive(Clone, Debug)]
pub struct MorphTarget {
    /// Of positions, in metres.
    pub positions: Option<Arc<[[f32; 3]]>>,
    /// Of normals.
    pub normals: Option<Arc<[[f32; 3]]>>,
}

/// A clip as its curves.
#[derive(Clone, Debug)]
pub struct SourceClip {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Channels in file order; no two have the same node and property.
    pub channels: Vec<Channel>,
}

/// A curve that drives one property of one node.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The node.
    pub node: usize,
    /// What it drives.
    pub property: Property,
    /// How its keys are combined.
    pub interpolation: KeyInterpolation,
    /// Times of the keys in seconds: at least one, finite, not negative, strictly increasing.
    pub times_seconds: Arc<[f32]>,
    /// Values, `components` floats a key; with [`KeyInterpolation::CubicSpline`] three times that: in-tangent, value,
    /// out-tangent. Rotations are x, y, z, w as stored (not normalised).
    pub values: Arc<[f32]>,
    /// Floats of a value: 3 for translation and scale, 4 for rotation, the number of morph targets for weights.
    pub components: usize,
}

/// What a channel drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Translation in metres.
    Translation,
    /// Rotation.
    Rotation,
    /// Scale.
    Scale,
    /// Morph weights.
    Weights,
}

/// How keys are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyInterpolation {
    /// The earlier key is held.
    Step,
    /// Linearly; rotations along the shorter arc.
    Linear,
    /// By a cubic Hermite spline with the stored tangents.
    CubicSpline,
}

/// How a surface looks.
#[derive(Clone, Debug)]
pub struct SourceMaterial {
    /// Name, if it has one.
    pub name: Option<String>,
    /// Base colour factor, linear, red, green, blue, alpha.
    pub base_color: [f32; 4],
    /// Image of the base-colour texture.
    pub image: Option<usize>,
    /// How that image is read.
    pub sampler: Sampler,
    /// What alpha means.
    pub alpha: Alpha,
    /// Drawn from both sides.
    pub double_sided: bool,
}

/// An image.
#[derive(Clone, Debug)]
pub struct SourceImage {
    /// Name or URI; may be empty.
    pub name: String,
    /// Its original bytes with their format; `None` if it is unused, missing or of another format (a warning says so).
    pub content: Option<(ImageFormat, Arc<[u8]>)>,
}

impl SourceClip {
    /// Time of the last key of any channel, in seconds; 0 without channels.
    #[must_use]
    pub fn end_seconds(&self) -> f32 {
        self.channels.iter().filter_map(|c| c.times_seconds.last().copied()).fold(0.0, f32::max)
    }

    /// Time of the first key of any channel, in seconds; 0 without channels.
    #[must_use]
    pub fn start_seconds(&self) -> f32 {
        let first = self
            .channels
            .iter()
            .filter_map(|c| c.times_seconds.first().copied())
            .fold(f32::INFINITY, f32::min);
        if first.is_finite() { first } else { 0.0 }
    }
}
