//! Where models are: the project's own samples, and a corpus of real files where it is at hand.

use std::path::{Path, PathBuf};

/// The root of the workspace.
///
/// # Panics
///
/// Never: the crate lies one folder below it.
#[must_use]
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies below the workspace").to_owned()
}

/// A folder of the corpus that lies beside the workspace in `shared/`, or `None` after saying so on standard error.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that checks less has to say so")]
pub fn shared_folder(name: &str) -> Option<PathBuf> {
    let folder = workspace_root().join("..").join("shared").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "NOT CHECKED: there is no folder ../shared/{name} beside the workspace; only the samples are tested"
    );
    None
}

/// The models that the project owns.
///
/// # Panics
///
/// If the samples are missing.
#[must_use]
pub fn samples() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(workspace_root().join("samples"))
        .expect("the samples folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "glb"))
        .collect();
    found.sort();
    assert!(found.len() >= 3, "{} sample models, expected at least 3", found.len());
    found
}

/// Every model of the corpus (`.glb` and `.gltf`, without `malformed/`), sorted; empty where there is no corpus.
#[must_use]
pub fn corpus() -> Vec<PathBuf> {
    let Some(root) = shared_folder("corpus") else { return Vec::new() };
    let mut models = Vec::new();
    collect(&root, &mut models);
    models.retain(|path| !path.components().any(|c| c.as_os_str() == "malformed"));
    models.sort();
    models
}

/// Whether this version refuses a corpus model by name: compressed meshes.
#[must_use]
pub fn is_refused(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.contains("draco") || name.contains("meshopt")
}

fn collect(folder: &Path, models: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, models);
        } else if path.extension().is_some_and(|e| e == "glb" || e == "gltf") {
            models.push(path);
        }
    }
}

/// Reads files that a model names, relative to the model's folder.
pub fn resolver_beside(model: &Path) -> impl Fn(&str) -> std::io::Result<Vec<u8>> + Sync + use<> {
    let folder = model.parent().unwrap_or(Path::new(".")).to_owned();
    move |uri: &str| std::fs::read(folder.join(uri))
}

/// Imports a model from disk.
///
/// # Panics
///
/// If it cannot be read or imported.
#[must_use]
pub fn import(model: &Path) -> anim_bake::gltf::Import {
    let bytes = std::fs::read(model).unwrap_or_else(|e| panic!("{}: {e}", model.display()));
    anim_bake::gltf::import(&bytes, &resolver_beside(model), None)
        .unwrap_or_else(|e| panic!("{}: {e}", model.display()))
}
