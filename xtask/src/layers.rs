//! Which crate may use which: checked against `cargo metadata`, so that an arrow cannot turn by accident.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::process::cargo_command;

/// Each crate of the workspace and the crates of the workspace that it may use.
const ALLOWED: &[(&str, &[&str])] = &[
    ("anim-core", &[]),
    ("anim-format", &["anim-core"]),
    ("anim-bake", &["anim-core", "anim-format"]),
    ("anim-wgpu", &["anim-core", "anim-format"]),
    ("anim-cli", &["anim-core", "anim-format", "anim-bake", "anim-wgpu"]),
    ("anim-tests", &["anim-core", "anim-format", "anim-bake", "anim-wgpu", "anim-cli"]),
    ("xtask", &["anim-core"]),
];

/// Dependencies that only some crates may have.
const CONTAINED: &[(&str, &[&str])] = &[
    ("bincode", &["anim-format"]),
    ("gltf", &["anim-bake", "xtask"]),
    ("rayon", &["anim-bake", "anim-cli", "anim-tests"]),
    ("wgpu", &["anim-wgpu", "anim-cli", "anim-tests"]),
    ("pollster", &["anim-wgpu", "anim-cli", "anim-tests"]),
    ("clap", &["anim-cli"]),
    ("glam", &["anim-core"]),
];

/// Checks the workspace's dependencies.
pub(crate) fn run() -> Result<()> {
    let output = cargo_command().args(["metadata", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("the output of cargo metadata")?;
    let packages = metadata["packages"].as_array().context("packages")?;
    let members: BTreeSet<&str> = metadata["workspace_members"]
        .as_array()
        .context("members")?
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut problems = Vec::new();
    for package in packages.iter().filter(|p| p["id"].as_str().is_some_and(|id| members.contains(id))) {
        let name = package["name"].as_str().context("name")?;
        let Some(may_use) = allowed.get(name) else {
            problems.push(format!("{name} is not in the list of crates (xtask/src/layers.rs)"));
            continue;
        };
        for dependency in package["dependencies"].as_array().context("dependencies")? {
            let used = dependency["name"].as_str().context("name")?;
            if allowed.contains_key(used) && !may_use.contains(&used) {
                problems.push(format!("{name} uses {used}, which is above it or beside it"));
            }
            if let Some((_, homes)) = CONTAINED.iter().find(|(contained, _)| *contained == used)
                && !homes.contains(&name)
            {
                problems.push(format!("{name} uses {used}, which belongs to {} only", homes.join(", ")));
            }
        }
    }
    let glams = packages.iter().filter(|p| p["name"] == "glam").count();
    if glams != 1 {
        problems.push(format!("{glams} versions of glam in the tree, expected one"));
    }
    if problems.is_empty() { Ok(()) } else { bail!("{}", problems.join("\n")) }
}
