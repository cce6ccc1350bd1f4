//! `cargo xtask bless`: the only writer of golden files and generated documents.

use anyhow::{Result, bail};

use crate::process::cargo_with;

/// What is written, and the test that writes it when `ANIM_BLESS` is set.
const WRITERS: &[(&str, &[&str])] = &[
    ("golden files of the format", &["test", "--package", "anim-format", "--test", "golden_files"]),
    ("golden pictures", &["test", "--package", "anim-tests", "--test", "pictures"]),
    ("docs/CLI.md", &["test", "--package", "anim-cli", "--test", "docs"]),
];

/// Writes samples, golden files and generated documents anew, then says how to see what changed.
pub(crate) fn run(options: &[String]) -> Result<()> {
    if let Some(option) = options.first() {
        bail!("`cargo xtask bless` takes no options, found {option}");
    }
    crate::samples::run(&[])?;
    for (what, arguments) in WRITERS {
        println!("=== {what}");
        cargo_with(arguments, &[("ANIM_BLESS", "1")])?;
    }
    println!("\nLook at what changed before you commit it: git diff --stat");
    Ok(())
}
