//! `cargo xtask bake`: builds the command, bakes models, and draws a preview sheet of each.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process::{cargo, root, run as run_command};

/// Bakes the given models, or all samples, into a folder (default `target/baked`).
pub(crate) fn run(options: &[String]) -> Result<()> {
    let mut models: Vec<PathBuf> = Vec::new();
    let mut folder: Option<PathBuf> = None;
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "-o" | "--output" => folder = Some(options.next().context("-o needs a folder")?.into()),
            "-h" | "--help" => {
                println!(
                    "Usage: cargo xtask bake [MODEL...] [-o DIR]\n\nWithout models: everything in samples/, into target/baked/.\nFor all options of a bake: cargo run -p anim-cli -- bake --help"
                );
                return Ok(());
            }
            other if other.starts_with('-') => {
                bail!(
                    "unknown option {other}; for all options of a bake: cargo run -p anim-cli -- bake --help"
                )
            }
            model => models.push(model.into()),
        }
    }
    let own = models.is_empty();
    if own {
        models = samples()?;
    }
    let folder = folder.unwrap_or_else(|| root().join("target").join("baked"));
    std::fs::create_dir_all(&folder).with_context(|| format!("the folder {}", folder.display()))?;
    cargo(&["build", "--package", "anim-cli"])?;
    let anim = binary()?;
    let mut bake = Command::new(&anim);
    bake.arg("bake").args(&models).arg("-o").arg(&folder);
    if own {
        // What was baked here before is replaced, whoever made it.
        bake.arg("--force");
    }
    let baked = run_command(&mut bake);
    for model in &models {
        let name = model.file_stem().with_context(|| format!("{} has no name", model.display()))?;
        let file = folder.join(name).with_extension("animtex");
        if file.is_file() {
            run_command(
                Command::new(&anim).arg("preview").arg(&file).arg("-o").arg(file.with_extension("png")),
            )?;
        }
    }
    baked?;
    println!("\nNext:");
    println!("  look at the sheets           {}", folder.join("*.png").display());
    println!(
        "  see what a file holds        {} inspect {}",
        anim.display(),
        folder.join("biped.animtex").display()
    );
    println!("  bake your own model          cargo xtask bake PATH/TO/MODEL.glb -o DIR");
    Ok(())
}

fn samples() -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(root().join("samples"))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    found.retain(|path| path.extension().is_some_and(|e| e == "glb"));
    found.sort();
    Ok(found)
}

/// The command that was just built: beside this program.
fn binary() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let anim = own.with_file_name(format!("anim{}", std::env::consts::EXE_SUFFIX));
    if !anim.is_file() {
        bail!("{} was not built", anim.display());
    }
    Ok(anim)
}
