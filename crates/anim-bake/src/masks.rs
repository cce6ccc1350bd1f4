//! Masks: named parts of the skeleton to which a layer may be limited.

use std::borrow::Cow;

use anim_core::limits::MASKS_MAX;
use anim_format::model::{AnimFile, Content, Mask};

use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::patterns::{Patterns, list_of};
use crate::settings::{BakeSettings, MaskSetting, content_of};

/// The masks of the settings, in their order, for a file whose nodes are known.
pub(crate) fn find_masks(
    file: &AnimFile<'_>,
    settings: &BakeSettings,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Vec<Mask<'static>>, Vec<Diagnostic>> {
    let mut problems = check_names(&settings.masks);
    let mut masks = Vec::with_capacity(settings.masks.len());
    for setting in &settings.masks {
        match find_mask(file, setting) {
            Ok(mask) => masks.push(mask),
            Err(found) => problems.extend(found),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    if !masks.is_empty() && !settings.encodings.iter().any(|encoding| content_of(*encoding) == Content::Local)
    {
        warnings.push(
            Diagnostic::warning(ids::MASK_WITHOUT_LOCAL_TRACKS, "", "masks are baked without local tracks")
                .expected_found(
                    "local tracks, whose layers have masks",
                    "rows, whose layers move the whole body",
                )
                .help("bake --content local, or local,rows"),
        );
    }
    Ok(masks)
}

fn check_names(masks: &[MaskSetting]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for (number, mask) in masks.iter().enumerate() {
        let name = &mask.name;
        if name.is_empty() || name.contains('=') {
            problems.push(
                Diagnostic::error(ids::MASK_NAME_INVALID, "", "a mask has a name that cannot be used")
                    .expected_found("a name without `=`", format!("{name:?}"))
                    .help("give it another name: --mask NAME=NODE"),
            );
        } else if masks[..number].iter().any(|other| other.name == *name) {
            problems.push(
                Diagnostic::error(ids::MASK_NAME_REPEATED, "", "two masks have one name")
                    .expected_found("a name of its own", format!("{name:?}"))
                    .help("list all nodes of a mask in one --mask NAME=NODE,NODE"),
            );
        }
    }
    if masks.len() > MASKS_MAX as usize {
        problems.push(
            Diagnostic::error(ids::TOO_MANY_MASKS, "", "there are more masks than a layer can name")
                .expected_found(format!("at most {MASKS_MAX}"), masks.len())
                .help("leave some out"),
        );
    }
    problems
}

/// The nearest node that is listed decides, from a node upwards: its own pattern, else its parent's, and so on.
fn find_mask(file: &AnimFile<'_>, setting: &MaskSetting) -> Result<Mask<'static>, Vec<Diagnostic>> {
    let MaskSetting { name, nodes } = setting;
    let (without, with): (Vec<&String>, Vec<&String>) = nodes.iter().partition(|node| node.starts_with('-'));
    let with: Vec<String> = with.into_iter().cloned().collect();
    let without: Vec<String> = without.into_iter().map(|node| node[1..].to_owned()).collect();
    let option = format!("--mask {name}");
    let compile =
        |list| Patterns::new(list, &option).map_err(|problem| vec![problem.help("name a node, or -NODE")]);
    let (with, without) = (compile(&with)?, compile(&without)?);
    let names: Vec<String> =
        file.nodes.iter().map(|node| node.name.to_string()).filter(|name| !name.is_empty()).collect();
    let named = || names.iter().map(String::as_str);
    let missing: Vec<Diagnostic> = [&with, &without]
        .into_iter()
        .flat_map(|patterns| patterns.unused(named()))
        .map(|pattern| {
            let what = format!("no baked node matches {pattern:?} of {option}");
            Diagnostic::error(ids::MASK_NODE_NOT_FOUND, "nodes", what)
                .expected_found(format!("one of {}", list_of(&names)), "none of them")
                .help("upper and lower case count; `anim inspect -v` lists the nodes that are baked")
        })
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    let mut words = vec![0u32; file.nodes.len().div_ceil(32)];
    let mut inside: Vec<bool> = Vec::with_capacity(file.nodes.len());
    for (number, node) in file.nodes.iter().enumerate() {
        let of_parent = node.parent.is_some_and(|parent| inside[parent as usize]);
        let is_inside = if node.name.is_empty() {
            of_parent
        } else {
            !without.matches(&node.name) && (of_parent || with.matches(&node.name))
        };
        inside.push(is_inside);
        words[number / 32] |= u32::from(is_inside) << (number % 32);
    }
    if !inside.contains(&true) {
        return Err(vec![
            Diagnostic::error(ids::MASK_EMPTY, "", format!("{option} holds no node"))
                .expected_found("at least one node", nodes.join(","))
                .help("name a node whose descendants it shall hold, and after it what to leave out as -NODE"),
        ]);
    }
    Ok(Mask { name: Cow::Owned(name.clone()), words })
}
