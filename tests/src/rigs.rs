//! Small random characters: a tree of joints, a few skinned triangles, rigid parts, clips that move everything.

use anim_bake::{BakeSettings, bake_import};
use anim_core::glam::{DAffine3, DMat3, DQuat, DVec3};
use anim_core::matrix_rows::rows_from_affine;
use anim_format::AnimFile;
use anim_format::model::Rows;
use serde_json::json;

use crate::gltf_builder::{Curve, GltfBuilder, InfluenceSet};
use crate::models;
use crate::random_layers::Random;

/// What a random character has.
#[derive(Clone, Copy, Debug)]
pub struct Rig {
    /// Joints of its skin.
    pub joints: u32,
    /// Triangles of every skinned part.
    pub triangles: u32,
    /// Skinned parts.
    pub parts: u32,
    /// Rigid parts, each below a joint with scales of its own.
    pub rigid_parts: u32,
    /// Clips.
    pub clips: u32,
    /// Joints and parts are squashed and stretched differently along their axes, and in motion.
    pub scales: bool,
    /// The first joint mirrors.
    pub mirrors: bool,
    /// Joints hang on one of the two before them, not on any.
    pub deep: bool,
}

impl Default for Rig {
    fn default() -> Self {
        Self {
            joints: 7,
            triangles: 4,
            parts: 1,
            rigid_parts: 1,
            clips: 4,
            scales: true,
            mirrors: false,
            deep: false,
        }
    }
}

/// Bakes a random character.
///
/// # Panics
///
/// If it cannot be baked.
#[must_use]
pub fn random_file(rig: &Rig, random: &mut Random, settings: &BakeSettings) -> AnimFile<'static> {
    baked(&random_rig(rig, random), settings)
}

/// Bakes what a builder has.
///
/// # Panics
///
/// If it cannot be baked.
#[must_use]
pub fn baked(builder: &GltfBuilder, settings: &BakeSettings) -> AnimFile<'static> {
    let nothing_beside = |uri: &str| Err(std::io::Error::other(uri.to_owned()));
    let import = anim_bake::gltf::import(&builder.bytes(), &nothing_beside, None).expect("a valid model");
    bake_import(&import, settings).expect("a model that bakes").file
}

/// Bakes one of the project's samples.
///
/// # Panics
///
/// If there is no such sample.
#[must_use]
pub fn sample(name: &str, settings: &BakeSettings) -> AnimFile<'static> {
    let path = models::workspace_root().join("samples").join(format!("{name}.glb"));
    bake_import(&models::import(&path), settings).expect("a sample").file
}

/// A random character as a document.
#[must_use]
pub fn random_rig(rig: &Rig, random: &mut Random) -> GltfBuilder {
    let mut g = GltfBuilder::new();
    let mut joints: Vec<usize> = Vec::new();
    for number in 0..rig.joints {
        let near = if rig.deep { number.saturating_sub(2) } else { 0 };
        let parent = (number > 0).then(|| joints[(near + random.below((number - near).min(1000))) as usize]);
        let scale = match rig {
            Rig { scales: true, .. } => scale(random),
            Rig { mirrors: true, .. } if number == 0 => [-1.0, 1.0, 1.0],
            _ => [1.0; 3],
        };
        let node = json!({
            "name": format!("joint_{number}"), "translation": vector(random, 0.4).to_array(),
            "rotation": rotation(random).to_array(), "scale": scale,
        });
        joints.push(g.node(parent, node));
    }
    let skin = g.skin(&joints, None);
    for part in 0..rig.parts {
        let corners = (rig.triangles * 3) as usize;
        let positions: Vec<[f32; 3]> = (0..corners).map(|_| point(random, 1.0)).collect();
        let bones: Vec<[u16; 4]> = (0..corners).map(|_| distinct(random, rig.joints)).collect();
        let weights: Vec<[f32; 4]> = (0..corners).map(|_| weights(random)).collect();
        let mesh = with_normals(&mut g, &positions, Some((&bones, &weights)), random);
        g.node(None, json!({"name": format!("part_{part}"), "mesh": mesh, "skin": skin}));
    }
    for part in 0..rig.rigid_parts {
        let positions: Vec<[f32; 3]> = (0..6).map(|_| point(random, 0.5)).collect();
        let mesh = with_normals(&mut g, &positions, None, random);
        let joint = joints[random.below(rig.joints) as usize];
        let node = json!({
            "name": format!("rigid_{part}"), "mesh": mesh, "translation": vector(random, 0.3).to_array(),
            "rotation": rotation(random).to_array(), "scale": if rig.scales { [0.5, 2.0, 1.25] } else { [1.0; 3] },
        });
        g.node(Some(joint), node);
    }
    for clip in 0..rig.clips {
        add_clip(&mut g, rig, clip, &joints, random);
    }
    g
}

fn add_clip(g: &mut GltfBuilder, rig: &Rig, clip: u32, joints: &[usize], random: &mut Random) {
    let duration = [0.8f32, 1.3, 0.25, 2.0][clip as usize % 4];
    let times: Vec<f32> = (0..5u8).map(|key| duration * f32::from(key) / 4.0).collect();
    let moving: Vec<usize> = joints.iter().copied().filter(|_| random.below(4) > 0).take(40).collect();
    let mut tracks: Vec<(usize, &str, Vec<f32>)> = Vec::new();
    for joint in moving {
        let start = rotation(random);
        // Rotations that go some way, so that neighbouring keys are never opposite; the last is the first.
        let turn = |random: &mut Random| (start * DQuat::IDENTITY.slerp(rotation(random), 0.3)).normalize();
        let keys = [start, turn(random), turn(random), turn(random), start];
        tracks.push((joint, "rotation", keys.iter().flat_map(|q| q.to_array().map(narrow)).collect()));
        let at = vector(random, 0.5);
        let keys = [at, vector(random, 0.5), vector(random, 0.7), vector(random, 0.5), at];
        tracks.push((joint, "translation", keys.iter().flat_map(|v| v.to_array().map(narrow)).collect()));
        if rig.scales {
            let at = scale(random);
            let keys = [at, scale(random), scale(random), scale(random), at];
            tracks.push((joint, "scale", keys.iter().flat_map(|v| v.map(narrow)).collect()));
        }
    }
    let curves: Vec<Curve<'_>> =
        tracks.iter().map(|(node, path, values)| (*node, *path, "LINEAR", &times[..], &values[..])).collect();
    g.clip(&format!("clip_{clip}"), &curves);
}

fn with_normals(
    g: &mut GltfBuilder,
    positions: &[[f32; 3]],
    skin: Option<InfluenceSet<'_>>,
    random: &mut Random,
) -> usize {
    let mesh = g.mesh(positions, skin.as_slice());
    let normals: Vec<[f32; 3]> = positions
        .iter()
        .map(|_| (vector(random, 1.0) + DVec3::new(0.0, 0.0, 1e-3)).normalize().to_array().map(narrow))
        .collect();
    let accessor = g.floats("VEC3", normals.as_flattened());
    g.root["meshes"][mesh]["primitives"][0]["attributes"]["NORMAL"] = json!(accessor);
    mesh
}

/// A number in `[0, 1]`.
pub fn share(random: &mut Random) -> f64 {
    f64::from(random.next()) / f64::from(u32::MAX)
}

/// A number between two.
pub fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * share(random)
}

/// A point of a cube of `2 * reach` a side.
pub fn vector(random: &mut Random, reach: f64) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| between(random, -reach, reach)))
}

/// Any rotation.
pub fn rotation(random: &mut Random) -> DQuat {
    let v = DQuat::from_array(std::array::from_fn(|_| between(random, -1.0, 1.0)));
    if v.length_squared() < 1e-4 { DQuat::IDENTITY } else { v.normalize() }
}

/// A matrix that turns, squashes, sometimes mirrors, and places.
#[must_use]
pub fn random_transform(reach: f64, scale: f64, random: &mut Random) -> Rows {
    let stretch = DVec3::from_array(std::array::from_fn(|_| scale * between(random, 0.3, 2.5)));
    let mirror = if random.below(4) == 0 { DVec3::new(-1.0, 1.0, 1.0) } else { DVec3::ONE };
    let shear = DMat3::from_quat(rotation(random))
        * DMat3::from_diagonal(stretch * mirror)
        * DMat3::from_quat(rotation(random));
    rows_from_affine(&DAffine3 { matrix3: shear, translation: vector(random, reach) })
}

fn scale(random: &mut Random) -> [f64; 3] {
    std::array::from_fn(|_| between(random, 0.6, 1.5))
}

fn point(random: &mut Random, reach: f64) -> [f32; 3] {
    vector(random, reach).to_array().map(narrow)
}

fn distinct(random: &mut Random, joints: u32) -> [u16; 4] {
    let first = random.below(joints);
    std::array::from_fn(|i| {
        let number = (first + u32::try_from(i).unwrap_or(0) * (joints / 4).max(1)) % joints;
        u16::try_from(number).unwrap_or(0)
    })
}

fn weights(random: &mut Random) -> [f32; 4] {
    let raw: [f64; 4] = std::array::from_fn(|_| share(random) + 0.01);
    let sum: f64 = raw.iter().sum();
    raw.map(|w| narrow(w / sum))
}

/// The nearest `f32`.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "test numbers are small")]
pub fn narrow(v: f64) -> f32 {
    v as f32
}
