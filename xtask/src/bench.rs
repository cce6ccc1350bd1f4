//! `cargo xtask bench`: the criterion benches, then ratios between figures of the same run.

use anyhow::Result;

use crate::process::cargo;

/// Runs all benches; further options go to criterion (a filter, `--quick`).
pub(crate) fn run(options: &[String]) -> Result<()> {
    let mut arguments = vec!["bench", "--package", "anim-bake", "--bench", "bake", "--"];
    arguments.extend(options.iter().map(String::as_str));
    cargo(&arguments)
}
