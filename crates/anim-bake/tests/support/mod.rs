//! Inputs for tests: a small glTF builder, the corpus, and one way to import.
#![allow(dead_code, reason = "every test file is a crate of its own and uses its part of this")]

use std::path::{Path, PathBuf};

use anim_bake::diagnostics::{BakeError, Diagnostic};
use anim_bake::gltf::{Import, import};
use serde_json::{Value, json};

/// Builds a glTF in memory: a JSON tree and one buffer.
#[derive(Clone, Debug)]
pub(crate) struct Gltf {
    /// The document; tests change it as they like.
    pub(crate) json: Value,
    /// Content of buffer 0.
    pub(crate) buffer: Vec<u8>,
}

impl Gltf {
    /// A document with nothing in it.
    pub(crate) fn new() -> Self {
        Self { json: json!({ "asset": { "version": "2.0" } }), buffer: Vec::new() }
    }

    /// Appends an entry to a table; its number.
    pub(crate) fn push(&mut self, table: &str, entry: Value) -> usize {
        let root = self.json.as_object_mut().expect("an object");
        let list = root.entry(table).or_insert_with(|| json!([])).as_array_mut().expect("a list");
        list.push(entry);
        list.len() - 1
    }

    /// Appends bytes as a buffer view of their own; its number.
    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        while !self.buffer.len().is_multiple_of(4) {
            self.buffer.push(0);
        }
        let start = self.buffer.len();
        self.buffer.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": start, "byteLength": bytes.len() }))
    }

    /// An accessor over bytes of its own; its number.
    pub(crate) fn accessor(&mut self, bytes: &[u8], component: u32, element: &str, count: usize) -> usize {
        let view = self.view(bytes);
        self.push(
            "accessors",
            json!({ "bufferView": view, "componentType": component, "type": element, "count": count }),
        )
    }

    /// An accessor of `f32`; its number. `element` is `SCALAR`, `VEC3` and so on.
    pub(crate) fn floats(&mut self, element: &str, values: &[f32]) -> usize {
        let width = match element {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => panic!("{element}"),
        };
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(&bytes, 5126, element, values.len() / width)
    }

    /// An accessor of `u8`.
    pub(crate) fn bytes(&mut self, element: &str, count: usize, values: &[u8]) -> usize {
        self.accessor(values, 5121, element, count)
    }

    /// An accessor of `u16`.
    pub(crate) fn shorts(&mut self, element: &str, count: usize, values: &[u16]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.accessor(&bytes, 5123, element, count)
    }

    /// A document with one triangle on joints: nodes 0 (root joint), 1 (tip joint) and 2 (mesh 0, skin 0), all roots
    /// of the scene but the tip; one clip that turns the tip. Accessors: 0 POSITION, 1 JOINTS_0, 2 WEIGHTS_0,
    /// 3 inverse bind matrices, 4 key times, 5 key rotations.
    pub(crate) fn skinned_triangle() -> Self {
        let mut gltf = Self::new();
        gltf.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        gltf.bytes("VEC4", 3, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]);
        gltf.floats("VEC4", &[1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let mut identity = [0.0; 16];
        for corner in [0, 5, 10, 15] {
            identity[corner] = 1.0;
        }
        gltf.floats("MAT4", &[identity, identity].concat());
        gltf.floats("SCALAR", &[0.0, 1.0]);
        gltf.floats("VEC4", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
        gltf.push("nodes", json!({ "name": "root", "children": [1] }));
        gltf.push("nodes", json!({ "name": "tip", "translation": [0.0, 1.0, 0.0] }));
        gltf.push("nodes", json!({ "name": "body", "mesh": 0, "skin": 0 }));
        gltf.push("scenes", json!({ "nodes": [0, 2] }));
        gltf.push("skins", json!({ "joints": [0, 1], "inverseBindMatrices": 3 }));
        gltf.push(
            "meshes",
            json!({ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 } }] }),
        );
        gltf.push(
            "animations",
            json!({
                "name": "turn",
                "samplers": [{ "input": 4, "output": 5 }],
                "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
            }),
        );
        gltf
    }

    /// The property at a JSON pointer, made if it is not there (only its last step).
    pub(crate) fn set(&mut self, pointer: &str, value: Value) -> &mut Self {
        let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
        match self.json.pointer_mut(parent).unwrap_or_else(|| panic!("no {parent}")) {
            Value::Object(fields) => {
                fields.insert(key.to_owned(), value);
            }
            Value::Array(list) => list[key.parse::<usize>().expect("a number")] = value,
            other => panic!("{parent} is {other}"),
        }
        self
    }

    /// As a GLB.
    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.buffer.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{ "byteLength": self.buffer.len() }]);
        }
        glb(&serde_json::to_vec(&json).expect("JSON"), Some(&self.buffer))
    }

    /// As a `.gltf` whose buffer is the external file `data.bin`.
    pub(crate) fn gltf(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.buffer.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{ "byteLength": self.buffer.len(), "uri": "data.bin" }]);
        }
        serde_json::to_vec(&json).expect("JSON")
    }

    /// Imports it as a GLB.
    pub(crate) fn import(&self) -> Result<Import, BakeError> {
        import_bytes(&self.glb())
    }

    /// Imports it as a GLB and expects errors: their `(id, path)`.
    pub(crate) fn errors(&self) -> Vec<(&'static str, String)> {
        errors(self.import())
    }

    /// Imports it as a GLB and expects success: the `(id, path)` of its warnings.
    pub(crate) fn warnings(&self) -> Vec<(&'static str, String)> {
        pairs(&self.import().unwrap_or_else(|error| panic!("{error}")).warnings)
    }
}

/// A GLB of a JSON text and, if given, a binary chunk.
pub(crate) fn glb(json: &[u8], binary: Option<&[u8]>) -> Vec<u8> {
    let mut chunks = Vec::new();
    for (kind, content, pad) in [(b"JSON", Some(json), b' '), (b"BIN\0", binary, 0)] {
        let Some(content) = content else { continue };
        let length = content.len().next_multiple_of(4);
        chunks.extend_from_slice(&u32::try_from(length).expect("short").to_le_bytes());
        chunks.extend_from_slice(kind);
        chunks.extend_from_slice(content);
        chunks.resize(chunks.len() + length - content.len(), pad);
    }
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend_from_slice(&u32::try_from(chunks.len() + 12).expect("short").to_le_bytes());
    file.extend_from_slice(&chunks);
    file
}

/// Imports bytes that need no other file.
pub(crate) fn import_bytes(bytes: &[u8]) -> Result<Import, BakeError> {
    import(bytes, &no_files, None)
}

/// A resolver for models that need no other file.
pub(crate) fn no_files(path: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::Error::new(std::io::ErrorKind::NotFound, format!("{path} is not there")))
}

/// Imports a file with the files beside it.
pub(crate) fn import_file(path: &Path) -> Result<Import, BakeError> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let folder = path.parent().expect("a folder").to_owned();
    import(&bytes, &move |relative: &str| std::fs::read(folder.join(relative)), None)
}

/// The `(id, path)` of the errors of an import that must fail.
pub(crate) fn errors(result: Result<Import, BakeError>) -> Vec<(&'static str, String)> {
    let error = result.map(|import| import.warnings).expect_err("an error");
    let errors: Vec<Diagnostic> = error
        .diagnostics()
        .iter()
        .filter(|problem| problem.severity == anim_bake::Severity::Error)
        .cloned()
        .collect();
    assert!(!errors.is_empty());
    pairs(&errors)
}

/// The `(id, path)` of diagnostics, each of which says what is wrong and what to do.
pub(crate) fn pairs(diagnostics: &[Diagnostic]) -> Vec<(&'static str, String)> {
    for problem in diagnostics {
        assert!(!problem.what.is_empty() && !problem.help.is_empty(), "{problem:?}");
    }
    diagnostics.iter().map(|problem| (problem.id, problem.path.clone())).collect()
}

/// The folder of real files beside the checkout; `None`, said loudly, where it is missing.
#[expect(clippy::print_stderr, reason = "a test that checked nothing must say so")]
pub(crate) fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("CORPUS NOT FOUND: {} is no folder; real files were not checked", folder.display());
    None
}
