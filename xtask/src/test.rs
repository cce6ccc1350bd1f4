//! `cargo xtask test`: everything that proves the project, in order of cheapness.

use anyhow::{Result, bail};

use crate::process::cargo;
use crate::{layers, tidy};

/// One step: what it is called, and how it is done.
type Step = (&'static str, fn() -> Result<()>);

const STEPS: &[Step] = &[
    ("formatting", || cargo(&["fmt", "--all", "--check"])),
    ("tidy: first lines, contained dependencies", tidy::run),
    ("layers: which crate may use which", layers::run),
    ("clippy", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])
    }),
    ("anim-core and anim-format without std", || {
        cargo(&["check", "--package", "anim-core", "--package", "anim-format", "--no-default-features"])
    }),
    ("anim-bake on one thread", || cargo(&["check", "--package", "anim-bake", "--no-default-features"])),
    ("anim-cli without its GPU part", || cargo(&["check", "--package", "anim-cli", "--no-default-features"])),
    ("documentation", || {
        crate::process::cargo_with(
            &["doc", "--workspace", "--no-deps", "--all-features"],
            &[("RUSTDOCFLAGS", "--deny warnings")],
        )
    }),
    ("a GPU adapter for the tests", crate::gpu_adapter::ensure),
    ("tests", || cargo(&["test", "--workspace", "--all-features", "--no-fail-fast"])),
    ("packages: what would be published is whole", || {
        cargo(&[
            "package",
            "--workspace",
            "--exclude",
            "xtask",
            "--exclude",
            "anim-tests",
            "--no-verify",
            "--allow-dirty",
            "--quiet",
        ])
    }),
];

/// Runs every step, also after one has failed, and says at the end which did.
pub(crate) fn run(options: &[String]) -> Result<()> {
    if let Some(option) = options.first() {
        bail!("`cargo xtask test` takes no options, found {option}");
    }
    let unchecked = missing();
    for line in &unchecked {
        println!("NOT CHECKED: {line}");
    }
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        println!("\n=== {name}");
        let start = std::time::Instant::now();
        if let Err(error) = step() {
            println!("error: {name}: {error:#}");
            failed.push(*name);
        }
        println!("=== {name}: {:.1} s", start.elapsed().as_secs_f64());
    }
    for line in &unchecked {
        println!("\nNOT CHECKED: {line}");
    }
    if failed.is_empty() {
        println!("\nAll {} steps passed.", STEPS.len());
        return Ok(());
    }
    bail!("{} of {} steps failed: {}", failed.len(), STEPS.len(), failed.join("; "))
}

/// What some tests need and this machine lacks. The tests themselves say so too, but a passing test's output is not
/// shown.
fn missing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    let shared = crate::process::root().join("..").join("shared");
    if !shared.join("corpus").is_dir() || !shared.join("golden").is_dir() {
        missing.push(
            "there is no ../shared/corpus and ../shared/golden: only the samples and built models are tested",
        );
    }
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        missing.push("python3 cannot be started: the second reader is not run");
    }
    missing
}
