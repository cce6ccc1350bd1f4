//! Rules about files that no compiler checks.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::process::root;

/// Words that may stand in some files only, and the file or folder where they belong.
const CONTAINED: &[(&str, &str)] = &[
    ("bincode::", "crates/anim-format/src/metadata.rs"),
    ("gltf::json", "crates/anim-bake/src/gltf/"),
    ("memmap2::", "crates/anim-format/src/mmap.rs"),
];

/// Largest committed golden file: three pages of the smallest side, in half floats, are 96 KiB.
const GOLDEN_BYTES_MAX: u64 = 128 << 10;

/// Checks the first line of every source file, contained words, and the size of golden files.
pub(crate) fn run() -> Result<()> {
    let mut problems = Vec::new();
    let mut checked = 0;
    for file in files_below(&root()) {
        let shown = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        if file.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&file)?;
            if !text.starts_with("//!") {
                problems.push(format!("{shown}: the first line does not say what the file is for (`//!`)"));
            }
            for (word, home) in CONTAINED {
                if text.contains(word) && !shown.starts_with(home) && !shown.starts_with("xtask/") {
                    problems.push(format!("{shown}: {word} belongs in {home}"));
                }
            }
            checked += 1;
        }
        if shown.contains("/golden/") && file.metadata()?.len() > GOLDEN_BYTES_MAX {
            problems.push(format!("{shown}: golden files are at most {GOLDEN_BYTES_MAX} bytes"));
        }
    }
    if checked < 50 {
        problems.push(format!("only {checked} source files were found"));
    }
    if problems.is_empty() { Ok(()) } else { bail!("{}", problems.join("\n")) }
}

/// All files below a folder, sorted, without build output and version control.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                if name != "target" && name != ".git" {
                    folders.push(path);
                }
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
