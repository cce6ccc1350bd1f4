//! The source itself at any time, in `f64`: the truth that bakes are made from and measured against.

use anim_core::glam::{DAffine3, DMat3, DVec3};
use anim_core::trs::Trs;

use crate::curve::{rotation_at, values_at, vector_at};
use crate::source::{Channel, KeyInterpolation, Property, SourceAsset, SourceClip, SourcePrimitive};

/// A primitive under a mesh node of the chosen scene: a mesh under 84 nodes gives 84.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshInstance {
    /// The mesh node.
    pub node: usize,
    /// Its mesh.
    pub mesh: usize,
    /// Primitive of that mesh.
    pub primitive: usize,
}

/// Vertices of one mesh instance at one time, in model space.
#[derive(Clone, Debug)]
pub struct PosedVertices {
    /// Positions in metres.
    pub positions: Vec<[f64; 3]>,
    /// Unit normals, if the source has them.
    pub normals: Option<Vec<[f64; 3]>>,
}

/// Every mesh instance of the chosen scene, in node and primitive order.
#[must_use]
pub fn mesh_instances(asset: &SourceAsset) -> Vec<MeshInstance> {
    let mut instances = Vec::new();
    for (node, source) in asset.nodes.iter().enumerate().filter(|(_, node)| node.in_scene) {
        if let Some(mesh) = source.mesh {
            let primitives = 0..asset.meshes[mesh].primitives.len();
            instances.extend(primitives.map(|primitive| MeshInstance { node, mesh, primitive }));
        }
    }
    instances
}

/// A clip's channels by node, ready to be evaluated many times.
#[derive(Clone, Debug)]
pub struct ClipCurves<'a> {
    asset: &'a SourceAsset,
    nodes: Vec<NodeCurves<'a>>,
}

#[derive(Clone, Debug)]
struct NodeCurves<'a> {
    node: usize,
    /// Any channel moves or places the node.
    poses: bool,
    /// What no channel below says.
    rest: Trs,
    translation: Option<&'a Channel>,
    rotation: Option<&'a Channel>,
    scale: Option<&'a Channel>,
    weights: Option<&'a Channel>,
}

impl<'a> ClipCurves<'a> {
    /// Sorts a clip's channels by node. `None` is the rest pose.
    #[must_use]
    pub fn new(asset: &'a SourceAsset, clip: Option<&'a SourceClip>) -> Self {
        let mut nodes: Vec<NodeCurves<'a>> = Vec::new();
        let mut slot_of_node = vec![usize::MAX; asset.nodes.len()];
        for channel in clip.iter().flat_map(|clip| &clip.channels) {
            if slot_of_node[channel.node] == usize::MAX {
                slot_of_node[channel.node] = nodes.len();
                nodes.push(NodeCurves {
                    node: channel.node,
                    poses: false,
                    rest: asset.nodes[channel.node].rest.unwrap_or(Trs::IDENTITY),
                    translation: None,
                    rotation: None,
                    scale: None,
                    weights: None,
                });
            }
            let curves = &mut nodes[slot_of_node[channel.node]];
            match channel.property {
                Property::Translation => match still(channel) {
                    Some(value) => curves.rest.translation = value,
                    None => curves.translation = Some(channel),
                },
                Property::Rotation => curves.rotation = Some(channel),
                Property::Scale => match still(channel) {
                    Some(value) => curves.rest.scale = value,
                    None => curves.scale = Some(channel),
                },
                Property::Weights => curves.weights = Some(channel),
            }
            curves.poses |= channel.property != Property::Weights;
        }
        Self { asset, nodes }
    }

    /// `parent_from_node` of every node at a time, in seconds of the source.
    ///
    /// `step_seconds` is the time at which STEP channels are read: the same, or later where a frame stands for the
    /// interval around it.
    pub fn local_poses(&self, seconds: f64, step_seconds: f64, parent_from_node: &mut [DAffine3]) {
        for (local, node) in parent_from_node.iter_mut().zip(&self.asset.nodes) {
            *local = node.parent_from_node;
        }
        for curves in &self.nodes {
            if !curves.poses {
                continue;
            }
            let time = |channel: &Channel| match channel.interpolation {
                KeyInterpolation::Step => step_seconds,
                _ => seconds,
            };
            let mut pose = curves.rest;
            if let Some(channel) = curves.translation {
                pose.translation = vector_at(channel, time(channel));
            }
            if let Some(channel) = curves.rotation {
                pose.rotation = rotation_at(channel, time(channel));
            }
            if let Some(channel) = curves.scale {
                pose.scale = vector_at(channel, time(channel));
            }
            parent_from_node[curves.node] = pose.to_affine();
        }
    }

    /// `model_from_node` of every node at a time, in seconds of the source.
    #[must_use]
    pub fn model_poses(&self, seconds: f64) -> Vec<DAffine3> {
        let mut local = vec![DAffine3::IDENTITY; self.asset.nodes.len()];
        self.local_poses(seconds, seconds, &mut local);
        let mut model = local.clone();
        compose(self.asset, &local, &mut model);
        model
    }

    /// Morph weights of a mesh node at a time: the clip's, else the node's.
    #[must_use]
    pub fn morph_weights(&self, node: usize, seconds: f64) -> Vec<f64> {
        let channel = self.nodes.iter().find(|curves| curves.node == node).and_then(|curves| curves.weights);
        match channel {
            Some(channel) => {
                let mut weights = vec![0.0; channel.components];
                values_at(channel, seconds, &mut weights);
                weights
            }
            None => self.asset.nodes[node].weights.iter().map(|w| f64::from(*w)).collect(),
        }
    }
}

/// The value of a translation or a scale whose keys are all the same. Splines move between such keys.
fn still(channel: &Channel) -> Option<DVec3> {
    if channel.interpolation == KeyInterpolation::CubicSpline {
        return None;
    }
    let (first, others) = channel.values.split_first_chunk::<3>()?;
    others.chunks_exact(3).all(|value| value == first).then(|| vec3(*first))
}

/// Multiplies local transforms down the hierarchy: all ancestors count.
pub fn compose(asset: &SourceAsset, parent_from_node: &[DAffine3], model_from_node: &mut [DAffine3]) {
    for &node in &asset.topological_order {
        model_from_node[node] = match asset.nodes[node].parent {
            Some(parent) => model_from_node[parent] * parent_from_node[node],
            None => parent_from_node[node],
        };
    }
}

/// Positions and normals of a mesh instance, straight from the source: morph targets first, then skin or node
/// (glTF 2.0 sections 3.7.2.2 and 3.7.3).
///
/// `vertices` chooses accessor indices, all below the vertex count; `None` takes every vertex. Weights are divided by
/// their sum; a vertex whose weights are all zero follows its first joint.
#[must_use]
pub fn posed_vertices(
    asset: &SourceAsset,
    instance: MeshInstance,
    model_from_node: &[DAffine3],
    morph_weights: &[f64],
    vertices: Option<&[u32]>,
) -> PosedVertices {
    let primitive = &asset.meshes[instance.mesh].primitives[instance.primitive];
    let skin = asset.nodes[instance.node].skin.filter(|_| !primitive.influence_sets.is_empty());
    let joint_matrices: Vec<DAffine3> = match skin {
        Some(skin) => {
            let skin = &asset.skins[skin];
            let pairs = skin.joints.iter().zip(&skin.bone_from_bind);
            pairs.map(|(&joint, bone_from_bind)| model_from_node[joint] * *bone_from_bind).collect()
        }
        None => Vec::new(),
    };
    let rigid = model_from_node[instance.node];
    let all: Vec<u32>;
    let chosen = match vertices {
        Some(chosen) => chosen,
        None => {
            all = (0..u32::try_from(primitive.positions.len()).expect("an accessor count")).collect();
            &all
        }
    };
    let mut positions = Vec::with_capacity(chosen.len());
    let mut normals = primitive.normals.as_ref().map(|_| Vec::with_capacity(chosen.len()));
    for &vertex in chosen {
        let vertex = vertex as usize;
        let matrix = match skin {
            Some(_) => blend(primitive, vertex, &joint_matrices),
            None => rigid,
        };
        positions
            .push(matrix.transform_point3(morphed_position(primitive, vertex, morph_weights)).to_array());
        if let Some(normals) = &mut normals {
            let normal = morphed_normal(primitive, vertex, morph_weights);
            let turned =
                if skin.is_some() { matrix.matrix3 * normal } else { cofactor(&matrix.matrix3) * normal };
            normals.push(turned.try_normalize().unwrap_or(normal).to_array());
        }
    }
    PosedVertices { positions, normals }
}

/// The cofactor matrix times the determinant's sign: what normals of a rigid part follow. It is the inverse transpose
/// up to a positive factor, and exists for singular matrices too.
#[must_use]
pub fn cofactor(matrix: &DMat3) -> DMat3 {
    let (a, b, c) = (matrix.x_axis, matrix.y_axis, matrix.z_axis);
    let sign = if matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
    DMat3::from_cols(b.cross(c) * sign, c.cross(a) * sign, a.cross(b) * sign)
}

/// Position in bind space after morph targets.
pub(crate) fn morphed_position(primitive: &SourcePrimitive, vertex: usize, weights: &[f64]) -> DVec3 {
    let mut position = vec3(primitive.positions[vertex]);
    for (target, weight) in primitive.morph_targets.iter().zip(weights) {
        if let Some(displacements) = &target.positions {
            position += vec3(displacements[vertex]) * *weight;
        }
    }
    position
}

fn morphed_normal(primitive: &SourcePrimitive, vertex: usize, weights: &[f64]) -> DVec3 {
    let mut normal = primitive.normals.as_ref().map_or(DVec3::ZERO, |normals| vec3(normals[vertex]));
    for (target, weight) in primitive.morph_targets.iter().zip(weights) {
        if let Some(displacements) = &target.normals {
            normal += vec3(displacements[vertex]) * *weight;
        }
    }
    normal
}

fn blend(primitive: &SourcePrimitive, vertex: usize, joint_matrices: &[DAffine3]) -> DAffine3 {
    let sum: f64 = primitive.influence_sets.iter().flat_map(|set| set.weights[vertex]).map(f64::from).sum();
    if sum <= 0.0 {
        return joint_matrices[usize::from(primitive.influence_sets[0].joints[vertex][0])];
    }
    let mut matrix = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
    for set in &primitive.influence_sets {
        for (joint, weight) in set.joints[vertex].iter().zip(set.weights[vertex]) {
            if weight > 0.0 {
                let (joint, weight) = (&joint_matrices[usize::from(*joint)], f64::from(weight) / sum);
                matrix.matrix3 += joint.matrix3 * weight;
                matrix.translation += joint.translation * weight;
            }
        }
    }
    matrix
}

pub(crate) fn vec3(v: [f32; 3]) -> DVec3 {
    DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}
