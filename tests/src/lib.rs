//! What the tests of several crates share: where the models are, and what is known about them.

pub mod gltf_builder;
pub mod golden;
pub mod models;
