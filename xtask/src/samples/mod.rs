//! `cargo xtask samples`: the animated sample models, written from code.
//!
//! The same bytes come out on every machine: all arithmetic is plain `f64` with `libm` for sine and cosine, and
//! nothing depends on time, paths or the order of a hash table.

use std::path::PathBuf;

use anyhow::{Context, bail};

mod animation;
mod biped;
mod bird;
mod gait;
mod glb_writer;
mod gltf_json;
mod horse;
mod mesh_builder;
mod model;
mod paint;
mod pose;
mod shapes;
#[cfg(test)]
mod tests;

/// One sample file: its name in `samples/` and the function that makes its bytes.
struct Sample {
    file_name: &'static str,
    bytes: fn() -> anyhow::Result<Vec<u8>>,
}

const SAMPLES: [Sample; 3] = [
    Sample { file_name: "bird.glb", bytes: || glb_writer::write(&bird::model()) },
    Sample { file_name: "biped.glb", bytes: || glb_writer::write(&biped::model()?) },
    Sample { file_name: "horse.glb", bytes: || glb_writer::write(&horse::model()?) },
];

/// Writes every sample, or with `--check` compares every sample with the file that is there.
///
/// Errors: an unknown option, a file that cannot be read or written, and with `--check` any file that differs.
pub(crate) fn run(options: &[String]) -> anyhow::Result<()> {
    let check = match options {
        [] => false,
        [option] if option == "--check" => true,
        _ => bail!("usage: cargo xtask samples [--check]"),
    };
    let mut differing = Vec::new();
    for sample in &SAMPLES {
        let bytes = (sample.bytes)()?;
        let path = folder().join(sample.file_name);
        let same = std::fs::read(&path).is_ok_and(|committed| committed == bytes);
        let state = match (same, check) {
            (true, _) => "unchanged",
            (false, true) => {
                differing.push(sample.file_name);
                "differs"
            }
            (false, false) => {
                std::fs::write(&path, &bytes).with_context(|| format!("cannot write {}", path.display()))?;
                "written"
            }
        };
        println!("samples/{:<10} {:>7} bytes  {state}", sample.file_name, bytes.len());
    }
    if !differing.is_empty() {
        bail!("{} differ from what the code writes; run `cargo xtask samples`", differing.join(", "));
    }
    Ok(())
}

/// The folder `samples/` at the root of the repository.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../samples")
}
