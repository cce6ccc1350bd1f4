//! Named nodes that other things can be attached to.

use std::collections::BTreeSet;

use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::names::Numbering;
use crate::patterns::{Patterns, list_of};
use crate::settings::BakeSettings;
use crate::source::SourceAsset;

/// Nodes with such a name are attachment points without being asked for, whatever the case of the letters.
pub const ATTACHMENT_PREFIXES: [&str; 2] = ["socket_", "attach_"];

/// An attachment point: its name in the file, unique, and its source node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttachmentPoint {
    pub(crate) name: String,
    pub(crate) node: usize,
}

/// Attachment points of a model: those that the settings name, and those that are named as such, in node order.
pub(crate) fn find_attachments(
    asset: &SourceAsset,
    settings: &BakeSettings,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<AttachmentPoint>, Vec<Diagnostic>> {
    let patterns = Patterns::new(&settings.attach, "--attach").map_err(|problem| vec![problem])?;
    let mut points: Vec<AttachmentPoint> = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut numbering = Numbering::default();
    for (node, source) in asset.nodes.iter().enumerate() {
        let Some(name) = source.name.as_deref().filter(|name| !name.is_empty()) else { continue };
        let by_convention = source.in_scene && has_prefix(name);
        if !by_convention && !patterns.matches(name) {
            continue;
        }
        let free = if taken.contains(name) {
            let numbered = numbering.free(name, |name| !taken.contains(name));
            warnings.push(
                Diagnostic::warning(
                    ids::ATTACHMENT_NAME_REPEATED,
                    format!("nodes[{node}].name"),
                    "an earlier attachment point has the same name",
                )
                .expected_found("a name of its own", format!("{name:?}"))
                .help(format!("it is called {numbered:?} in the file")),
            );
            numbered
        } else {
            name.to_owned()
        };
        taken.insert(free.clone());
        points.push(AttachmentPoint { name: free, node });
    }
    let names: Vec<String> = asset.nodes.iter().filter_map(|node| node.name.clone()).collect();
    let missing = patterns.unused(names.iter().map(String::as_str));
    if missing.is_empty() {
        return Ok(points);
    }
    let complain = |pattern: &str| {
        Diagnostic::error(ids::ATTACHMENT_NOT_FOUND, "nodes", format!("no node matches --attach {pattern:?}"))
            .expected_found(format!("one of {}", list_of(&names)), "none of them")
            .help("upper and lower case count; `anim inspect -v` lists the nodes that are baked")
    };
    Err(missing.into_iter().map(complain).collect())
}

fn has_prefix(name: &str) -> bool {
    ATTACHMENT_PREFIXES
        .iter()
        .any(|prefix| name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix)))
}
