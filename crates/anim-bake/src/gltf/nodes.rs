//! The node table: transforms, parents, an order, and which nodes belong to the chosen scene.

use ::gltf::json;
use anim_core::glam::{DAffine3, DQuat, DVec3};
use anim_core::trs::Trs;

use super::data_checks::{affine, not_affine};
use super::document::{Document, entry, in_table};
use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::SourceNode;

/// Nodes, and what the JSON says about them that other tables have to check.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    /// Every node; a broken one is a placeholder.
    pub(super) nodes: Vec<SourceNode>,
    /// Parents before children.
    pub(super) order: Vec<usize>,
    /// `node.weights`.
    pub(super) weights: Vec<Option<Vec<f32>>>,
    /// The transform was given as a matrix.
    pub(super) has_matrix: Vec<bool>,
}

/// Reads every node and links them.
pub(super) fn read(document: &Document<'_>, problems: &mut Problems) -> Nodes {
    let mut nodes = Nodes::default();
    let mut children = Vec::new();
    for (number, raw) in document.nodes.iter().enumerate() {
        let path = format!("nodes[{number}]");
        let node = entry::<json::Node>(raw, &path, problems).ok().unwrap_or_default();
        let (parent_from_node, rest) = match transform(&node, &path, problems) {
            Ok(transform) => transform,
            Err(Reported) => (Trs::IDENTITY.to_affine(), Some(Trs::IDENTITY)),
        };
        let mut table = |index: Option<usize>, length: usize, table: &str, field: &str| {
            index
                .and_then(|index| in_table(index, length, table, || format!("{path}.{field}"), problems).ok())
        };
        let mesh = table(node.mesh.map(|mesh| mesh.value()), document.meshes.len(), "meshes", "mesh");
        let skin = table(node.skin.map(|skin| skin.value()), document.skins.len(), "skins", "skin");
        nodes.has_matrix.push(node.matrix.is_some());
        nodes.weights.push(node.weights);
        nodes.nodes.push(SourceNode {
            name: node.name,
            parent: None,
            parent_from_node,
            rest,
            mesh,
            // A skin without a mesh deforms nothing.
            skin: skin.filter(|_| mesh.is_some()),
            weights: Vec::new(),
            in_scene: false,
        });
        children.push(node.children.unwrap_or_default());
    }
    let parent_slot = link(&mut nodes.nodes, &children, problems);
    nodes.order = order(&nodes.nodes, &children, &parent_slot);
    report_cycles(&nodes, &parent_slot, problems);
    nodes
}

type Transform = (DAffine3, Option<Trs>);

fn transform(node: &json::Node, path: &str, problems: &mut Problems) -> Result<Transform, Reported> {
    let numbers = [
        ("matrix", node.matrix.as_ref().map(|m| &m[..])),
        ("translation", node.translation.as_ref().map(|t| &t[..])),
        ("rotation", node.rotation.as_ref().map(|r| &r.0[..])),
        ("scale", node.scale.as_ref().map(|s| &s[..])),
        ("weights", node.weights.as_deref()),
    ];
    for (field, numbers) in numbers {
        if let Some(at) = numbers.and_then(|numbers| numbers.iter().position(|number| !number.is_finite())) {
            return Err(problems.push(
                Diagnostic::error(
                    ids::NUMBER_NOT_FINITE,
                    format!("{path}.{field}[{at}]"),
                    "a number is too large",
                )
                .expected_found("a number that fits 32-bit floating point", "a larger one"),
            ));
        }
    }
    if let Some(matrix) = &node.matrix {
        if node.translation.is_some() || node.rotation.is_some() || node.scale.is_some() {
            let what = "the node has a matrix and also a translation, rotation or scale";
            return Err(problems.push(
                Diagnostic::error(ids::NODE_MATRIX_AND_TRS, format!("{path}.matrix"), what)
                    .expected_found("one of the two", "both"),
            ));
        }
        let affine = affine(matrix).ok_or_else(|| {
            problems.push(not_affine(format!("{path}.matrix"), "the fourth row is not 0 0 0 1", matrix))
        })?;
        return Ok((affine, Trs::from_affine(&affine)));
    }
    let rotation = node.rotation.unwrap_or_default().0.map(f64::from);
    let mut rotation = DQuat::from_array(rotation);
    // Rotations that are not quite of unit length are taken as they are, like keys: see `slerp` in anim-core.
    if !(rotation.length_squared() > 0.0) {
        rotation = DQuat::IDENTITY;
        let what = "the rotation has length zero; it is read as no rotation";
        problems.push(
            Diagnostic::warning(ids::ROTATION_ZERO, format!("{path}.rotation"), what)
                .expected_found("a unit quaternion", "0 0 0 0"),
        );
    }
    let trs = Trs {
        translation: DVec3::from(node.translation.unwrap_or_default().map(f64::from)),
        rotation,
        scale: DVec3::from(node.scale.unwrap_or([1.0; 3]).map(f64::from)),
    };
    Ok((trs.to_affine(), Some(trs)))
}

/// Sets parents; the result is, for each node, its place in its parent's list of children.
fn link(
    nodes: &mut [SourceNode],
    children: &[Vec<json::Index<json::Node>>],
    problems: &mut Problems,
) -> Vec<usize> {
    let mut parent_slot = vec![0; nodes.len()];
    for (parent, list) in children.iter().enumerate() {
        for (slot, child) in list.iter().enumerate() {
            let path = || format!("nodes[{parent}].children[{slot}]");
            let Ok(child) = in_table(child.value(), nodes.len(), "nodes", path, problems) else { continue };
            if let Some(other) = nodes[child].parent {
                problems.push(
                    Diagnostic::error(
                        ids::NODE_TWO_PARENTS,
                        path(),
                        format!("nodes[{child}] has two parents"),
                    )
                    .expected_found("one parent", format!("nodes[{other}] and nodes[{parent}]")),
                );
                continue;
            }
            nodes[child].parent = Some(parent);
            parent_slot[child] = slot;
        }
    }
    parent_slot
}

/// Parents before children, breadth first. Nodes of a cycle are not reached and come last.
fn order(
    nodes: &[SourceNode],
    children: &[Vec<json::Index<json::Node>>],
    parent_slot: &[usize],
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..nodes.len()).filter(|node| nodes[*node].parent.is_none()).collect();
    let mut next = 0;
    while let Some(&parent) = order.get(next) {
        next += 1;
        for (slot, child) in children[parent].iter().enumerate() {
            let child = child.value();
            // A child that is listed twice is linked once.
            if nodes.get(child).is_some_and(|node| node.parent == Some(parent)) && parent_slot[child] == slot
            {
                order.push(child);
            }
        }
    }
    order
}

/// Every node that no root reaches lies in a cycle or below one: an error for each cycle.
fn report_cycles(nodes: &Nodes, parent_slot: &[usize], problems: &mut Problems) {
    // 0: not seen; otherwise the walk that saw the node.
    let mut seen_in = vec![0_usize; nodes.nodes.len()];
    for node in &nodes.order {
        seen_in[*node] = 1;
    }
    for start in 0..nodes.nodes.len() {
        let walk = start + 2;
        let mut at = start;
        while seen_in[at] == 0 {
            seen_in[at] = walk;
            // A node that no root reaches has a parent.
            at = nodes.nodes[at].parent.unwrap_or(at);
        }
        if seen_in[at] == walk {
            let parent = nodes.nodes[at].parent.unwrap_or(at);
            problems.push(
                Diagnostic::error(
                    ids::NODE_CYCLE,
                    format!("nodes[{parent}].children[{}]", parent_slot[at]),
                    format!("nodes[{at}] is its own ancestor"),
                )
                .expected_found("a tree", "a cycle"),
            );
        }
    }
}
