//! What only several tables together can say: morph weights of nodes, skins of meshes, joints of vertices.

use std::collections::HashMap;
use std::sync::Arc;

use super::accessor::Reader;
use super::meshes::{Mesh, check_weights};
use super::nodes::Nodes;
use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::{InfluenceSet, SourceSkin};

/// Gives every node its morph weights: its own, else its mesh's, else zeros.
pub(super) fn morph_weights(
    nodes: &mut Nodes,
    meshes: &[Mesh],
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) {
    for (number, node) in nodes.nodes.iter_mut().enumerate() {
        let Some(mesh) = node.mesh.and_then(|mesh| meshes.get(mesh)) else { continue };
        let path = format!("nodes[{number}].weights");
        // Many nodes may carry one mesh with many targets.
        if reader.take(4 * mesh.target_count as u64, &path, problems).is_err() {
            return;
        }
        let own = nodes.weights.get_mut(number).and_then(Option::take);
        if let Some(own) = own {
            if mesh.sound && check_weights(&own, mesh.target_count, &path, problems).is_err() {
                continue;
            }
            node.weights = own;
        } else {
            node.weights = mesh.weights.clone().unwrap_or_else(|| vec![0.0; mesh.target_count]);
        }
    }
}

/// Checks every (mesh, skin) pair that a node makes.
pub(super) fn skins(
    nodes: &mut Nodes,
    meshes: &mut [Mesh],
    skins: &[SourceSkin],
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) {
    let mut smallest_skin: Vec<Option<usize>> = vec![None; meshes.len()];
    let mut in_scene = vec![false; skins.len()];
    let bare = |mesh: &Mesh| mesh.mesh.primitives.iter().filter(|p| p.influence_sets.is_empty()).count();
    let bare: Vec<usize> = meshes.iter().map(bare).collect();
    for (number, node) in nodes.nodes.iter_mut().enumerate() {
        let (Some(mesh), Some(skin)) = (node.mesh, node.skin) else { continue };
        let bare = bare[mesh];
        if bare > 0 && meshes[mesh].sound {
            problems.push(
                Diagnostic::warning(
                    ids::SKIN_WITHOUT_INFLUENCES,
                    format!("nodes[{number}].skin"),
                    format!("primitives of meshes[{mesh}] without JOINTS_0 and WEIGHTS_0 are read as rigid"),
                )
                .expected_found("joints and weights in every primitive", format!("{bare} without")),
            );
        }
        if bare == meshes[mesh].mesh.primitives.len() {
            node.skin = None;
            continue;
        }
        in_scene[skin] |= node.in_scene;
        let joints = skins[skin].joints.len();
        // A skin without joints is broken, which has been said.
        if joints > 0 {
            let smallest = smallest_skin[mesh].unwrap_or(skin);
            smallest_skin[mesh] = Some(if joints < skins[smallest].joints.len() { skin } else { smallest });
        }
    }
    for (number, skin) in skins.iter().enumerate() {
        let outside = |joint: &usize| !nodes.nodes[*joint].in_scene;
        if in_scene[number]
            && let Some(first) = skin.joints.iter().position(outside)
        {
            let total = skin.joints.iter().filter(|joint| outside(joint)).count();
            problems.push(
                Diagnostic::warning(
                    ids::SKIN_JOINT_OUTSIDE_SCENE,
                    format!("skins[{number}].joints[{first}]"),
                    "the joint is not in the scene of the mesh; it is evaluated all the same",
                )
                .expected_found("joints in the scene", format!("{total} outside it")),
            );
        }
    }
    let mut known = HashMap::new();
    for (number, (mesh, skin)) in meshes.iter_mut().zip(&smallest_skin).enumerate() {
        let Some(skin) = *skin else { continue };
        for (primitive, data) in mesh.mesh.primitives.iter_mut().enumerate() {
            for (set, influences) in data.influence_sets.iter_mut().enumerate() {
                let path = format!("meshes[{number}].primitives[{primitive}].attributes.JOINTS_{set}");
                let count = skins[skin].joints.len();
                // Many primitives may share one pair of accessors: each is looked at once.
                let pair = (influences.joints.as_ptr(), influences.weights.as_ptr(), count);
                let joints = known.entry(pair).or_insert_with(|| {
                    existing_joints(influences, (skin, count), &path, reader, problems).ok()
                });
                if let Some(joints) = joints {
                    influences.joints = Arc::clone(joints);
                }
            }
        }
    }
}

/// Joint numbers are below the skin's joint count; where the weight is zero a larger one means nothing and becomes 0.
fn existing_joints(
    influences: &InfluenceSet,
    (skin, count): (usize, usize),
    path: &str,
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Result<Arc<[[u16; 4]]>, Reported> {
    let past = |joint: u16| usize::from(joint) >= count;
    if !influences.joints.as_flattened().iter().any(|joint| past(*joint)) {
        return Ok(Arc::clone(&influences.joints));
    }
    for (vertex, (joints, weights)) in influences.joints.iter().zip(influences.weights.iter()).enumerate() {
        let wrong = joints.iter().zip(weights).find(|(joint, weight)| past(**joint) && **weight != 0.0);
        if let Some((joint, _)) = wrong {
            return Err(problems.push(
                Diagnostic::error(
                    ids::JOINT_OUT_OF_SKIN,
                    path,
                    format!("vertex {vertex} is bound to a joint that skins[{skin}] does not have"),
                )
                .expected_found(format!("a joint below {count}"), joint),
            ));
        }
    }
    reader.take(8 * influences.joints.len() as u64, path, problems)?;
    let cleared = |joints: &[u16; 4]| joints.map(|joint| if past(joint) { 0 } else { joint });
    Ok(influences.joints.iter().map(cleared).collect())
}
