//! What a sample consists of before it becomes a file.

use anim_core::glam::DVec3;

use super::animation::Clip;
use super::mesh_builder::Mesh;
use super::pose::Skeleton;

/// A whole sample.
pub(super) struct Model {
    pub(super) name: &'static str,
    pub(super) skeleton: Skeleton,
    /// The skinned mesh, one primitive for each part.
    pub(super) parts: Vec<Part>,
    /// Nodes that are not joints, below a joint.
    pub(super) attached: Vec<Attached>,
    pub(super) materials: Vec<Material>,
    /// The base-colour texture of all materials that say so, as a PNG file.
    pub(super) texture_png: Option<Vec<u8>>,
    pub(super) clips: Vec<Clip>,
}

/// Triangles with one material.
pub(super) struct Part {
    /// Which of the model's materials.
    pub(super) material: usize,
    pub(super) mesh: Mesh,
}

/// A node below a joint: a rigid mesh, or nothing but a place.
pub(super) struct Attached {
    pub(super) name: &'static str,
    pub(super) joint: &'static str,
    /// Metres from the joint.
    pub(super) offset: DVec3,
    pub(super) part: Option<Part>,
}

/// How a part looks.
pub(super) struct Material {
    pub(super) name: &'static str,
    /// Linear red, green, blue, 0 to 1; multiplied with the texture.
    pub(super) base_colour: [f64; 3],
    pub(super) textured: bool,
    /// 0 is a mirror, 1 is chalk.
    pub(super) roughness: f64,
}
