//! Vertex positions that other engines compute for the models of the corpus.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::models::shared_folder;

/// What other engines say about one model.
#[derive(Clone, Debug)]
pub struct Golden {
    /// Path of the model.
    pub model: PathBuf,
    /// Diagonal of the box around everything in the rest pose.
    pub model_size: f64,
    /// Allowed difference of a direct evaluation, as a share of the model's size.
    pub tolerance: f64,
    /// Primitives that are sampled.
    pub primitives: Vec<GoldenPrimitive>,
    /// Clips that are sampled.
    pub clips: Vec<GoldenClip>,
}

/// A primitive under a node, and which of its vertices are listed.
#[derive(Clone, Debug)]
pub struct GoldenPrimitive {
    /// Node number.
    pub node: usize,
    /// Mesh number.
    pub mesh: usize,
    /// Primitive number.
    pub primitive: usize,
    /// `skinned`, `rigid`, `morph`, `skinned+morph`.
    pub kind: String,
    /// Accessor indices.
    pub vertices: Vec<u32>,
}

/// A clip at several times.
#[derive(Clone, Debug)]
pub struct GoldenClip {
    /// Clip number; `None` for the rest pose of a model without clips.
    pub index: Option<usize>,
    /// Time of the last key.
    pub duration_seconds: f64,
    /// Samples.
    pub samples: Vec<GoldenSample>,
}

/// All primitives at one time.
#[derive(Clone, Debug)]
pub struct GoldenSample {
    /// Time from the clip's start.
    pub time_seconds: f64,
    /// Positions and normals of each primitive; `None` where the engines do not agree with the specification.
    pub primitives: Vec<Option<GoldenVertices>>,
}

/// Positions and normals, one entry a listed vertex.
#[derive(Clone, Debug)]
pub struct GoldenVertices {
    /// Positions.
    pub positions: Vec<[f64; 3]>,
    /// Unit normals, where the source has them.
    pub normals: Option<Vec<[f64; 3]>>,
}

/// All golden files whose model can be imported: not malformed, not compressed.
///
/// # Panics
///
/// If a golden file is there and not as described.
#[must_use]
pub fn all() -> Vec<Golden> {
    let (Some(goldens), Some(corpus)) = (shared_folder("golden"), shared_folder("corpus")) else {
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(goldens)
        .expect("the golden folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    files.sort();
    files.iter().filter_map(|file| read(file, &corpus)).collect()
}

/// Distance between two points.
#[must_use]
pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) + (a[2] - b[2]).powi(2)).sqrt()
}

fn read(file: &Path, corpus: &Path) -> Option<Golden> {
    let text = std::fs::read_to_string(file).expect("a readable file");
    let root: Value = serde_json::from_str(&text).expect("JSON");
    let name = file.file_stem().expect("a name").to_string_lossy();
    let model = &*name.replace("__", "/");
    let path = corpus.join(model);
    if model.starts_with("malformed/") || crate::models::is_refused(&path) || !root["clips"].is_array() {
        return None;
    }
    let tolerance = match model {
        "SimpleSkin.gltf" | "quirks/rotation-not-unit.gltf" => 1.2e-4,
        "derived/Wolf.gltfpack.glb" | "quirks/rotation-i16.gltf" => 3e-5,
        _ => 1e-5,
    };
    Some(Golden {
        model: path,
        model_size: number(&root["modelSize"]),
        tolerance,
        primitives: list(&root["primitives"]).map(primitive).collect(),
        clips: list(&root["clips"]).map(clip).collect(),
    })
}

fn primitive(value: &Value) -> GoldenPrimitive {
    GoldenPrimitive {
        node: index(&value["node"]),
        mesh: index(&value["mesh"]),
        primitive: index(&value["primitive"]),
        kind: value["kind"].as_str().expect("kind").to_owned(),
        vertices: list(&value["vertices"]).map(|v| u32::try_from(index(v)).expect("a vertex")).collect(),
    }
}

fn clip(value: &Value) -> GoldenClip {
    GoldenClip {
        index: value["index"].as_u64().map(|i| usize::try_from(i).expect("a clip")),
        duration_seconds: number(&value["duration"]),
        samples: list(&value["samples"])
            .map(|sample| GoldenSample {
                time_seconds: number(&sample["time"]),
                primitives: list(&sample["primitives"]).map(vertices).collect(),
            })
            .collect(),
    }
}

fn vertices(value: &Value) -> Option<GoldenVertices> {
    if value["contested"].as_bool() == Some(true) {
        return None;
    }
    let triples = |value: &Value| -> Vec<[f64; 3]> {
        let flat: Vec<f64> = list(value).map(number).collect();
        flat.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect()
    };
    let normals = value["n"].is_array().then(|| triples(&value["n"]));
    Some(GoldenVertices { positions: triples(&value["p"]), normals })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list").iter()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn index(value: &Value) -> usize {
    usize::try_from(value.as_u64().expect("an index")).expect("an index")
}
