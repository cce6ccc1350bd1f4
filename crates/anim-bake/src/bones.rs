//! The bone and node tables: which matrices a frame has, and which transforms they need.

use std::collections::BTreeMap;

use anim_core::bind::bone_from_bind_of_pose;
use anim_core::matrix_rows::{IDENTITY_ROWS, Rows, affine_from_rows, rows_from_affine};

use crate::clip_plan::ClipPlan;
use crate::evaluate::MeshInstance;
use crate::source::{Property, SourceAsset};

/// What identifies a bone: its source node (`None` for the static bone) and the bits of its inverse bind matrix.
type BoneKey = (Option<usize>, [u32; 12]);

/// Bones in file order, with the way to find one.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoneTable {
    bones: Vec<SourceBone>,
    by_key: BTreeMap<BoneKey, u32>,
}

/// A bone in terms of the source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SourceBone {
    /// Source node; `None` for the bone of everything that never moves.
    pub(crate) node: Option<usize>,
    pub(crate) bone_from_bind: Rows,
}

impl BoneTable {
    /// The table of a file: bones with their source nodes, in order.
    pub(crate) fn from_bones(bones: impl IntoIterator<Item = SourceBone>) -> Self {
        let mut table = Self::default();
        for bone in bones {
            #[expect(clippy::cast_possible_truncation, reason = "bone numbers of a file fit u16")]
            let number = table.bones.len() as u32;
            table.by_key.entry((bone.node, bits(&bone.bone_from_bind))).or_insert(number);
            table.bones.push(bone);
        }
        table
    }

    pub(crate) fn bones(&self) -> &[SourceBone] {
        &self.bones
    }

    /// The bone of a joint with an inverse bind matrix, if the table has it.
    pub(crate) fn find(&self, node: Option<usize>, bone_from_bind: &Rows) -> Option<u32> {
        self.by_key.get(&(node, bits(bone_from_bind))).copied()
    }

    /// The bone of an unskinned mesh node: its own if it moves, else the static one.
    pub(crate) fn find_rigid(&self, node: usize) -> Option<(u32, bool)> {
        let own = self.find(Some(node), &IDENTITY_ROWS).map(|bone| (bone, true));
        own.or_else(|| self.find(None, &IDENTITY_ROWS).map(|bone| (bone, false)))
    }

    fn insert(&mut self, node: Option<usize>, bone_from_bind: Rows) {
        if self.find(node, &bone_from_bind).is_none() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "counts of accessors and nodes are far below u32"
            )]
            let number = self.bones.len() as u32;
            self.by_key.insert((node, bits(&bone_from_bind)), number);
            self.bones.push(SourceBone { node, bone_from_bind });
        }
    }
}

/// Collects the bones of a model: joints of the skins that its meshes use (of all skins, if it has no mesh), moving
/// unskinned mesh nodes, one static bone for all others, and attachment points that no bone serves.
pub(crate) fn collect_bones(
    asset: &SourceAsset,
    instances: &[MeshInstance],
    clips: &[ClipPlan],
    attachment_nodes: &[usize],
) -> BoneTable {
    let mut table = BoneTable::default();
    let moving = moving_nodes(asset, clips);
    let mut skins: Vec<usize> = Vec::new();
    for instance in instances {
        if let Some(skin) = skin_of(asset, *instance)
            && !skins.contains(&skin)
        {
            skins.push(skin);
        }
    }
    if instances.is_empty() {
        skins = (0..asset.skins.len()).collect();
    }
    for skin in skins {
        let skin = &asset.skins[skin];
        for (joint, bone_from_bind) in skin.joints.iter().zip(&skin.bone_from_bind) {
            table.insert(Some(*joint), rows_from_affine(bone_from_bind));
        }
    }
    for instance in instances {
        if skin_of(asset, *instance).is_none() {
            let node = moving[instance.node].then_some(instance.node);
            table.insert(node, IDENTITY_ROWS);
        }
    }
    for &node in attachment_nodes {
        if attachment_bone(&table, node).is_none() {
            table.insert(Some(node), IDENTITY_ROWS);
        }
    }
    table
}

/// The skin that moves a mesh instance: the node's, if the primitive has influences.
pub(crate) fn skin_of(asset: &SourceAsset, instance: MeshInstance) -> Option<usize> {
    let primitive = &asset.meshes[instance.mesh].primitives[instance.primitive];
    asset.nodes[instance.node].skin.filter(|_| !primitive.influence_sets.is_empty())
}

/// The first bone of the node whose inverse bind matrix can be inverted.
pub(crate) fn attachment_bone(table: &BoneTable, node: usize) -> Option<u32> {
    let serves = |bone: &&u32| {
        let rows = &table.bones[**bone as usize].bone_from_bind;
        bone_from_bind_of_pose(&affine_from_rows(rows)).is_some()
    };
    let of_node = (Some(node), [0; 12])..=(Some(node), [u32::MAX; 12]);
    table.by_key.range(of_node).map(|(_, bone)| bone).filter(serves).min().copied()
}

/// Source nodes that the file needs: all ancestors of all bones and attachment points, parents first, equal depths
/// adjacent, equal ones in source order. Each with its depth.
pub(crate) fn node_closure(
    asset: &SourceAsset,
    table: &BoneTable,
    attachment_nodes: &[usize],
) -> Vec<(usize, u32)> {
    let mut depth = vec![0u32; asset.nodes.len()];
    for &node in &asset.topological_order {
        if let Some(parent) = asset.nodes[node].parent {
            depth[node] = depth[parent] + 1;
        }
    }
    let mut needed = vec![false; asset.nodes.len()];
    for node in table.bones.iter().filter_map(|bone| bone.node).chain(attachment_nodes.iter().copied()) {
        let mut at = Some(node);
        while let Some(node) = at.filter(|node| !needed[*node]) {
            needed[node] = true;
            at = asset.nodes[node].parent;
        }
    }
    let mut nodes: Vec<(usize, u32)> =
        (0..asset.nodes.len()).filter(|node| needed[*node]).map(|node| (node, depth[node])).collect();
    nodes.sort_by_key(|(node, depth)| (*depth, *node));
    nodes
}

/// For each node whether a baked clip drives it or any of its ancestors.
fn moving_nodes(asset: &SourceAsset, clips: &[ClipPlan]) -> Vec<bool> {
    let mut moving = vec![false; asset.nodes.len()];
    for clip in clips.iter().filter_map(|clip| clip.source) {
        for channel in &asset.clips[clip].channels {
            moving[channel.node] |= channel.property != Property::Weights;
        }
    }
    for &node in &asset.topological_order {
        if let Some(parent) = asset.nodes[node].parent {
            moving[node] |= moving[parent];
        }
    }
    moving
}

fn bits(rows: &Rows) -> [u32; 12] {
    let flat = rows.as_flattened();
    std::array::from_fn(|i| flat[i].to_bits())
}
