//! A bay horse: `walk` and `gallop`.

use super::model::{Material, Model, Part};
use super::pose::Skeleton;

mod body;
mod coat_texture;
mod hair;
mod limbs;
mod motion;

pub(super) fn model() -> anyhow::Result<Model> {
    let skeleton = skeleton();
    Ok(Model {
        name: "horse",
        parts: vec![Part { material: 0, mesh: body::mesh(&skeleton) }],
        attached: Vec::new(),
        materials: vec![Material { name: "horse", base_colour: [1.0; 3], textured: true, roughness: 0.75 }],
        texture_png: Some(coat_texture::png()?),
        clips: motion::clips(&skeleton),
        skeleton,
    })
}

/// A horse of 1.58 m at the withers, facing +Z, so that its left side is at +X.
fn skeleton() -> Skeleton {
    Skeleton::new(&[
        ("pelvis", "", [0.0, 1.32, -0.48]),
        ("loin", "pelvis", [0.0, 1.38, -0.20]),
        ("chest", "loin", [0.0, 1.36, 0.15]),
        ("neck_1", "chest", [0.0, 1.36, 0.56]),
        ("neck_2", "neck_1", [0.0, 1.60, 0.78]),
        ("neck_3", "neck_2", [0.0, 1.80, 0.92]),
        ("head", "neck_3", [0.0, 1.95, 1.02]),
        ("ear_l", "head", [0.050, 2.03, 1.00]),
        ("tail_1", "pelvis", [0.0, 1.40, -0.80]),
        ("tail_2", "tail_1", [0.0, 1.28, -0.93]),
        ("tail_3", "tail_2", [0.0, 1.05, -0.98]),
        ("tail_4", "tail_3", [0.0, 0.82, -0.99]),
        ("fore_arm_l", "chest", [0.150, 1.14, 0.61]),
        ("fore_elbow_l", "fore_arm_l", [0.150, 0.93, 0.45]),
        ("fore_cannon_l", "fore_elbow_l", [0.145, 0.50, 0.49]),
        ("fore_hoof_l", "fore_cannon_l", [0.140, 0.16, 0.475]),
        ("hind_thigh_l", "pelvis", [0.130, 1.27, -0.50]),
        ("hind_gaskin_l", "hind_thigh_l", [0.160, 0.95, -0.33]),
        ("hind_cannon_l", "hind_gaskin_l", [0.140, 0.57, -0.65]),
        ("hind_hoof_l", "hind_cannon_l", [0.135, 0.17, -0.61]),
    ])
}
