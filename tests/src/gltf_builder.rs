//! Small glTF files written in code, for tests whose answers can be computed by hand.

use serde_json::{Value, json};

/// A glTF document under construction: one embedded buffer, one scene.
#[derive(Clone, Debug)]
pub struct GltfBuilder {
    /// The document; tests may change it before [`GltfBuilder::bytes`].
    pub root: Value,
    buffer: Vec<u8>,
}

/// One curve of a clip: node, path, interpolation, key times, values.
pub type Curve<'a> = (usize, &'a str, &'a str, &'a [f32], &'a [f32]);

/// Joints and weights, one entry a vertex.
pub type InfluenceSet<'a> = (&'a [[u16; 4]], &'a [[f32; 4]]);

impl Default for GltfBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl GltfBuilder {
    /// An empty document.
    #[must_use]
    pub fn new() -> Self {
        let root = json!({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}],
            "nodes": [], "meshes": [], "skins": [], "animations": [], "materials": [],
            "accessors": [], "bufferViews": [], "buffers": [],
        });
        Self { root, buffer: Vec::new() }
    }

    /// Adds a node and returns its number. `parent` is a number returned before; without one it is a scene root.
    pub fn node(&mut self, parent: Option<usize>, node: Value) -> usize {
        let number = push(&mut self.root["nodes"], node);
        match parent {
            Some(parent) => {
                let parent = &mut self.root["nodes"][parent];
                if parent["children"].is_null() {
                    parent["children"] = json!([]);
                }
                push(&mut parent["children"], json!(number));
            }
            None => {
                push(&mut self.root["scenes"][0]["nodes"], json!(number));
            }
        }
        number
    }

    /// Adds an accessor of floats; `kind` is SCALAR, VEC2, VEC3, VEC4 or MAT4.
    pub fn floats(&mut self, kind: &str, values: &[f32]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let count = values.len() / components(kind);
        let mut accessor = json!({"componentType": 5126, "type": kind, "count": count});
        if kind == "SCALAR" || kind == "VEC3" {
            let n = components(kind);
            let bound = |pick: fn(f32, f32) -> f32, start: f32| -> Vec<f32> {
                (0..n).map(|c| values.iter().skip(c).step_by(n).copied().fold(start, pick)).collect()
            };
            accessor["min"] = json!(bound(f32::min, f32::MAX));
            accessor["max"] = json!(bound(f32::max, f32::MIN));
        }
        self.accessor(accessor, &bytes)
    }

    /// Adds an accessor of `u16`.
    pub fn shorts(&mut self, kind: &str, values: &[u16]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let count = values.len() / components(kind);
        self.accessor(json!({"componentType": 5123, "type": kind, "count": count}), &bytes)
    }

    /// Adds an accessor over bytes of its own.
    pub fn accessor(&mut self, mut accessor: Value, bytes: &[u8]) -> usize {
        let offset = self.buffer.len();
        self.buffer.extend_from_slice(bytes);
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let view = json!({"buffer": 0, "byteOffset": offset, "byteLength": bytes.len()});
        accessor["bufferView"] = json!(push(&mut self.root["bufferViews"], view));
        push(&mut self.root["accessors"], accessor)
    }

    /// Adds a mesh of one primitive without indices. `skin` gives joints and weights, one set a pair.
    pub fn mesh(&mut self, positions: &[[f32; 3]], skin: &[InfluenceSet<'_>]) -> usize {
        let position = self.floats("VEC3", positions.as_flattened());
        let mut attributes = json!({"POSITION": position});
        for (set, (joints, weights)) in skin.iter().enumerate() {
            attributes[format!("JOINTS_{set}")] = json!(self.shorts("VEC4", joints.as_flattened()));
            attributes[format!("WEIGHTS_{set}")] = json!(self.floats("VEC4", weights.as_flattened()));
        }
        push(&mut self.root["meshes"], json!({"primitives": [{"attributes": attributes}]}))
    }

    /// Adds a skin; without matrices it has no `inverseBindMatrices`.
    pub fn skin(&mut self, joints: &[usize], bone_from_bind: Option<&[[f32; 16]]>) -> usize {
        let mut skin = json!({"joints": joints});
        if let Some(matrices) = bone_from_bind {
            skin["inverseBindMatrices"] = json!(self.floats("MAT4", matrices.as_flattened()));
        }
        push(&mut self.root["skins"], skin)
    }

    /// Adds a clip.
    pub fn clip(&mut self, name: &str, curves: &[Curve<'_>]) -> usize {
        let (mut channels, mut samplers) = (Vec::new(), Vec::new());
        for (node, path, interpolation, times, values) in curves {
            let kind = match *path {
                "rotation" => "VEC4",
                "weights" => "SCALAR",
                _ => "VEC3",
            };
            channels.push(json!({"sampler": samplers.len(), "target": {"node": node, "path": path}}));
            samplers.push(json!({
                "input": self.floats("SCALAR", times),
                "output": self.floats(kind, values),
                "interpolation": interpolation,
            }));
        }
        let clip = json!({"name": name, "channels": channels, "samplers": samplers});
        push(&mut self.root["animations"], clip)
    }

    /// The document as a binary glTF.
    ///
    /// # Panics
    ///
    /// Never: the document is JSON.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut root = self.root.clone();
        for list in ["meshes", "skins", "animations", "materials", "accessors", "bufferViews"] {
            if root[list].as_array().is_some_and(Vec::is_empty) {
                root.as_object_mut().expect("an object").remove(list);
            }
        }
        let mut json = |buffer: &[u8]| {
            root["buffers"] = json!([{"byteLength": buffer.len()}]);
            serde_json::to_vec(&root).expect("JSON")
        };
        let mut text = json(&self.buffer);
        text.resize(text.len().next_multiple_of(4), b' ');
        let length = 12 + 8 + text.len() + 8 + self.buffer.len();
        let word = |n: usize| u32::try_from(n).expect("a small file").to_le_bytes();
        let mut out = b"glTF".to_vec();
        out.extend(word(2).into_iter().chain(word(length)));
        out.extend(word(text.len()).into_iter().chain(*b"JSON").chain(text));
        out.extend(word(self.buffer.len()).into_iter().chain(*b"BIN\0").chain(self.buffer.iter().copied()));
        out
    }
}

/// A translation as a column-major matrix.
#[must_use]
pub fn translation_matrix(t: [f32; 3]) -> [f32; 16] {
    let mut m = [0.0; 16];
    (m[0], m[5], m[10], m[15]) = (1.0, 1.0, 1.0, 1.0);
    (m[12], m[13], m[14]) = (t[0], t[1], t[2]);
    m
}

fn push(list: &mut Value, item: Value) -> usize {
    let list = list.as_array_mut().expect("a list");
    list.push(item);
    list.len() - 1
}

fn components(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "MAT4" => 16,
        _ => 4,
    }
}
