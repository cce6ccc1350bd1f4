//! Which nodes belong to the chosen scene.

use ::gltf::json;

use super::document::{Document, in_table, typed, value};
use super::nodes::Nodes;
use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// Marks the nodes of the chosen scene.
pub(super) fn choose(
    document: &Document<'_>,
    wanted: Option<&str>,
    nodes: &mut Nodes,
    problems: &mut Problems,
) {
    let mut scenes = Vec::new();
    for (number, raw) in document.scenes.iter().enumerate() {
        let path = format!("scenes[{number}]");
        // The crate wants `nodes`; a scene without nodes is legal and empty (glTF 2.0 section 5.26).
        let scene = value(raw, &path, problems).and_then(|mut scene| {
            if let Some(fields) = scene.as_object_mut() {
                fields.entry("nodes").or_insert_with(|| serde_json::Value::Array(Vec::new()));
            }
            typed::<json::Scene>(scene, &path, problems)
        });
        let Ok(scene) = scene else { return };
        scenes.push(scene);
    }
    let Ok(chosen) = chosen_scene(document, &scenes, wanted, problems) else { return };
    let roots: Vec<usize> = match chosen.and_then(|number| Some((number, scenes.get(number)?))) {
        None => (0..nodes.nodes.len()).filter(|node| nodes.nodes[*node].parent.is_none()).collect(),
        Some((number, scene)) => scene_roots(number, scene, nodes, problems),
    };
    for root in roots {
        nodes.nodes[root].in_scene = true;
    }
    for node in nodes.order.clone() {
        let below = nodes.nodes[node].parent.is_some_and(|parent| nodes.nodes[parent].in_scene);
        nodes.nodes[node].in_scene |= below;
    }
}

fn scene_roots(number: usize, scene: &json::Scene, nodes: &Nodes, problems: &mut Problems) -> Vec<usize> {
    let mut roots = Vec::new();
    for (slot, node) in scene.nodes.iter().enumerate() {
        let path = format!("scenes[{number}].nodes[{slot}]");
        let node = node.value();
        if in_table(node, nodes.nodes.len(), "nodes", || path.clone(), problems).is_err() {
            continue;
        }
        if let Some(parent) = nodes.nodes[node].parent {
            problems.push(
                Diagnostic::warning(
                    ids::SCENE_NODE_NOT_ROOT,
                    path,
                    format!("nodes[{node}] is not a root node; the transform of its parent counts"),
                )
                .expected_found("a node without a parent", format!("a child of nodes[{parent}]")),
            );
        }
        roots.push(node);
    }
    roots
}

/// The number of the scene to bake; `None` where the file has no scenes.
fn chosen_scene(
    document: &Document<'_>,
    scenes: &[json::Scene],
    wanted: Option<&str>,
    problems: &mut Problems,
) -> Result<Option<usize>, Reported> {
    let Some(wanted) = wanted else {
        return match document.default_scene(problems)? {
            Some(number) => {
                in_table(number, scenes.len(), "scenes", || "scene".to_owned(), problems).map(Some)
            }
            None => Ok((!scenes.is_empty()).then_some(0)),
        };
    };
    let by_number = wanted.parse().ok().filter(|number| *number < scenes.len());
    let by_name = || scenes.iter().position(|scene| scene.name.as_deref() == Some(wanted));
    by_number.or_else(by_name).map(Some).ok_or_else(|| {
        let shown = scenes.iter().take(20).enumerate().map(|(number, scene)| match &scene.name {
            Some(name) => format!("{number} {name:?}"),
            None => number.to_string(),
        });
        let shown: Vec<String> = shown.collect();
        problems.push(
            Diagnostic::error(ids::SCENE_NOT_FOUND, "scenes", format!("there is no scene {wanted:?}"))
                .expected_found(format!("one of {} scenes: {}", scenes.len(), shown.join(", ")), wanted)
                .help("give the number or the name of a scene, or leave the option out"),
        )
    })
}
