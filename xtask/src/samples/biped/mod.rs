//! A person with a sword: a textured character with clips of every kind, a rigid part and an attachment point.

use anim_core::glam::DVec3;

use super::model::{Attached, Material, Model, Part};
use super::pose::Skeleton;

mod body;
mod head;
mod motion;
mod skin_texture;
mod walking;

pub(super) fn model() -> anyhow::Result<Model> {
    let skeleton = skeleton();
    let offset = DVec3::new(-0.085, -0.012, 0.012);
    Ok(Model {
        name: "biped",
        parts: vec![Part { material: 0, mesh: body::mesh(&skeleton) }],
        attached: vec![
            Attached { name: "socket_hand_r", joint: "hand_r", offset, part: None },
            Attached {
                name: "sword",
                joint: "hand_r",
                offset,
                part: Some(Part { material: 1, mesh: body::sword() }),
            },
        ],
        materials: vec![
            Material { name: "person", base_colour: [1.0; 3], textured: true, roughness: 0.85 },
            Material { name: "sword", base_colour: [1.0; 3], textured: true, roughness: 0.35 },
        ],
        texture_png: Some(skin_texture::png()?),
        clips: motion::clips(&skeleton),
        skeleton,
    })
}

/// A person of 1.8 m in a T-pose, facing +Z, so that the left hand is at +X.
fn skeleton() -> Skeleton {
    Skeleton::new(&[
        ("hips", "", [0.0, 0.97, 0.0]),
        ("spine", "hips", [0.0, 1.09, -0.005]),
        ("chest", "spine", [0.0, 1.26, -0.01]),
        ("neck", "chest", [0.0, 1.49, -0.015]),
        ("head", "neck", [0.0, 1.57, 0.0]),
        ("shoulder_l", "chest", [0.04, 1.44, -0.01]),
        ("upper_arm_l", "shoulder_l", [0.185, 1.43, -0.015]),
        ("forearm_l", "upper_arm_l", [0.455, 1.43, -0.02]),
        ("hand_l", "forearm_l", [0.705, 1.43, -0.01]),
        ("thigh_l", "hips", [0.092, 0.92, 0.0]),
        ("shin_l", "thigh_l", [0.098, 0.50, 0.012]),
        ("foot_l", "shin_l", [0.100, 0.09, -0.025]),
        ("toes_l", "foot_l", [0.104, 0.025, 0.105]),
    ])
}
