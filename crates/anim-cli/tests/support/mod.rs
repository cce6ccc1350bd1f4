//! What the tests of the program share: a folder with a small model, and a way to run the program.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine as _;
use serde_json::{Value, json};

/// A folder of its own for each test.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// What a run of the program gave.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    /// A folder that holds `bar.gltf`.
    pub(crate) fn new() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap() };
        sandbox.write("bar.gltf", bar().to_string().as_bytes());
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Names in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `anim` in the folder.
    pub(crate) fn anim(&self, args: &[&str]) -> Run {
        Run::of(Command::new(env!("CARGO_BIN_EXE_anim")).args(args).current_dir(self.folder.path()))
    }

    /// Runs a script in the folder; `$ANIM` is the program.
    pub(crate) fn bash(&self, script: &str) -> Run {
        let mut command = Command::new("bash");
        command.args(["-c", script]).env("ANIM", env!("CARGO_BIN_EXE_anim"));
        Run::of(command.current_dir(self.folder.path()))
    }

    /// Bakes `bar.gltf` into `bar.animtex`.
    pub(crate) fn baked() -> Self {
        let sandbox = Self::new();
        sandbox.anim(&["bake", "bar.gltf"]).expect(0);
        sandbox
    }
}

impl Run {
    fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        Self {
            code: status.code().unwrap_or(-1),
            stdout: String::from_utf8(stdout).unwrap(),
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }

    /// The run, if it ended with this code.
    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        let Self { code: found, stdout, stderr } = &self;
        assert_eq!(*found, code, "\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self
    }

    /// Standard output as JSON of a schema.
    #[track_caller]
    pub(crate) fn json(&self, schema: &str) -> Value {
        let document: Value = serde_json::from_str(&self.stdout).expect("JSON on standard output");
        assert_eq!(document["schema"], schema);
        document
    }
}

/// A bar of two bones, 2 m tall, that bends by 90 degrees in a second ("bend") or holds still for two clips whose names
/// are hard: one is a number, one is not ASCII.
pub(crate) fn bar() -> Value {
    let mut bytes = Vec::new();
    let mut views = Vec::new();
    let mut accessors = Vec::new();
    let mut add = |component: u32, kind: &str, count: usize, data: &[u8], bounds: Option<(Value, Value)>| {
        while bytes.len() % 4 != 0 {
            bytes.push(0);
        }
        views.push(json!({ "buffer": 0, "byteOffset": bytes.len(), "byteLength": data.len() }));
        bytes.extend_from_slice(data);
        let mut accessor = json!({
            "bufferView": views.len() - 1, "componentType": component, "count": count, "type": kind,
        });
        if let Some((min, max)) = bounds {
            accessor["min"] = min;
            accessor["max"] = max;
        }
        accessors.push(accessor);
        accessors.len() - 1
    };
    let floats = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };

    let mut positions = Vec::new();
    let mut joints = Vec::new();
    let mut weights = Vec::new();
    for (y, upper) in [(0.0, 0.0), (1.0, 0.5), (2.0, 1.0)] {
        for (x, z) in [(-0.2, 0.2), (0.2, 0.2), (0.2, -0.2), (-0.2, -0.2)] {
            positions.extend([x, y, z]);
            joints.extend([0u8, 1, 0, 0]);
            weights.extend([1.0 - upper, upper, 0.0, 0.0]);
        }
    }
    let mut indices: Vec<u8> = Vec::new();
    for ring in [0, 4] {
        for side in 0..4 {
            let (a, b) = (ring + side, ring + (side + 1) % 4);
            indices.extend([a, b, b + 4, a, b + 4, a + 4]);
        }
    }
    let position =
        add(5126, "VEC3", 12, &floats(&positions), Some((json!([-0.2, 0.0, -0.2]), json!([0.2, 2.0, 0.2]))));
    let joint = add(5121, "VEC4", 12, &joints, None);
    let weight = add(5126, "VEC4", 12, &floats(&weights), None);
    let index = add(5121, "SCALAR", 48, &indices, None);
    let inverse_bind =
        |y: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -y, 0.0, 1.0];
    let binds: Vec<f32> = [inverse_bind(0.0), inverse_bind(1.0)].concat();
    let bind = add(5126, "MAT4", 2, &floats(&binds), None);
    let time = add(5126, "SCALAR", 2, &floats(&[0.0, 1.0]), Some((json!([0.0]), json!([1.0]))));
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let bend = add(5126, "VEC4", 2, &floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, half, half]), None);
    let still = add(5126, "VEC4", 2, &floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), None);
    let clip = |name: &str, output: usize| {
        json!({
            "name": name,
            "samplers": [{ "input": time, "output": output }],
            "channels": [{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }],
        })
    };
    let animations = [clip("bend", bend), clip("0", still), clip("走る", still)];
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 2] }],
        "nodes": [
            { "name": "root", "children": [1] },
            { "name": "tip", "translation": [0.0, 1.0, 0.0] },
            { "name": "bar", "mesh": 0, "skin": 0 },
        ],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": position, "JOINTS_0": joint, "WEIGHTS_0": weight },
            "indices": index,
        }] }],
        "skins": [{ "joints": [0, 1], "inverseBindMatrices": bind }],
        "animations": animations,
        "buffers": [{ "byteLength": bytes.len(), "uri": format!("data:application/octet-stream;base64,{data}") }],
        "bufferViews": views,
        "accessors": accessors,
    })
}

/// Whether a path is there.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
