//! `cargo xtask bake`: builds the command, bakes models, and draws a preview sheet of each.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use anyhow::{Context, Result, bail};

use crate::process::{cargo, root};

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
    bake.args(["bake", "--no-hints"]).args(&models).arg("-o").arg(&folder);
    if own {
        // What was baked here before is replaced, whoever made it.
        bake.arg("--force");
    }
    let all_baked = status(&mut bake)?.success();
    let mut bakes: Vec<PathBuf> = Vec::new();
    let mut all_drawn = true;
    for model in &models {
        let file = bake_of(model, &folder)?;
        if file.is_file() {
            let sheet = file.with_extension("png");
            all_drawn &=
                status(Command::new(&anim).arg("preview").arg(&file).arg("-o").arg(sheet))?.success();
            bakes.push(file);
        }
    }
    if let Some(first) = bakes.first() {
        println!("\nNext:");
        println!("  look at the sheets           {}", format_args!("{}/*.png", quoted(&folder)));
        println!("  see what a file holds        {} inspect {}", quoted(&anim), quoted(first));
        if own {
            println!("  bake your own model          cargo xtask bake PATH/TO/MODEL.glb -o DIR");
        }
    }
    match (all_baked, all_drawn) {
        (false, _) => bail!("not every model was baked: the messages above say why"),
        (true, false) => bail!("not every sheet was drawn: the messages above say why"),
        (true, true) => Ok(()),
    }
}

/// Where `anim bake` puts a model: its whole name but the last extension counts (`fox.v2.glb`).
fn bake_of(model: &Path, folder: &Path) -> Result<PathBuf> {
    let mut name = model.file_stem().with_context(|| format!("{} has no name", model.display()))?.to_owned();
    name.push(".animtex");
    Ok(folder.join(name))
}

fn status(command: &mut Command) -> Result<ExitStatus> {
    command.status().with_context(|| format!("{command:?} could not be started"))
}

/// A path as it can be pasted into a shell.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "._-/+:\\".contains(c);
    if path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_inner_dots() {
        let bake = bake_of(Path::new("models/fox.v2.glb"), Path::new("out")).unwrap();
        assert_eq!(bake, Path::new("out/fox.v2.animtex"));
        assert_eq!(bake.with_extension("png"), Path::new("out/fox.v2.png"));
        assert_eq!(quoted(Path::new("my models/a.glb")), "'my models/a.glb'");
    }
}
