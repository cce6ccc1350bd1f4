//! Meshes: vertex attributes, triangles and morph targets of every primitive.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::gltf::json;
use ::gltf::json::mesh::Semantic;
use ::gltf::json::validation::Checked;

use super::accessor::Reader;
use super::attributes::{Attributes, read_influences, read_targets, read_uvs};
use super::document::{Document, entry, in_table};
use super::extensions::{self, DRACO};
use super::materials::UvChoice;
use super::problems::{Problems, Reported};
use super::triangles;
use super::usage::Use;
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::{MorphTarget, SourceMesh, SourcePrimitive};

/// A mesh, and what the JSON says about it that nodes need.
#[derive(Debug)]
pub(super) struct Mesh {
    pub(super) mesh: SourceMesh,
    /// `mesh.weights`.
    pub(super) weights: Option<Vec<f32>>,
    /// Morph targets of each of its primitives.
    pub(super) target_count: usize,
    /// Nothing of it is broken.
    pub(super) sound: bool,
}

/// Reads every mesh; a broken one is a placeholder.
pub(super) fn read(
    document: &Document<'_>,
    uv_choices: &[UvChoice],
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Vec<Mesh> {
    let mut meshes = Vec::new();
    for (number, raw) in document.meshes.iter().enumerate() {
        let path = format!("meshes[{number}]");
        let mesh = entry::<json::Mesh>(raw, &path, problems);
        meshes.push(match mesh {
            Ok(mesh) => read_mesh(mesh, &path, uv_choices, reader, problems),
            Err(Reported) => Mesh {
                mesh: SourceMesh { name: None, primitives: Vec::new() },
                weights: None,
                target_count: 0,
                sound: false,
            },
        });
    }
    meshes
}

fn read_mesh(
    mesh: json::Mesh,
    path: &str,
    uv_choices: &[UvChoice],
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Mesh {
    let target_count = |primitive: &json::mesh::Primitive| primitive.targets.as_ref().map_or(0, Vec::len);
    let first_count = mesh.primitives.first().map_or(0, target_count);
    let mut sound = true;
    let mut primitives = Vec::with_capacity(mesh.primitives.len());
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        let path = format!("{path}.primitives[{number}]");
        let count = target_count(primitive);
        if count != first_count {
            sound = false;
            problems.push(
                Diagnostic::error(
                    ids::MORPH_TARGET_COUNT,
                    format!("{path}.targets"),
                    "the primitives of a mesh have different numbers of morph targets",
                )
                .expected_found(format!("{first_count}, as in the first primitive"), count),
            );
        }
        match read_primitive(primitive, &path, uv_choices, reader, problems) {
            Ok(primitive) => primitives.push(primitive),
            Err(Reported) => {
                sound = false;
                primitives.push(without_positions(primitive));
            }
        }
    }
    if let Some(weights) = &mesh.weights {
        let path = format!("{path}.weights");
        sound &= check_weights(weights, first_count, &path, problems).is_ok();
    }
    let mesh_out = SourceMesh { name: mesh.name, primitives };
    Mesh { mesh: mesh_out, weights: mesh.weights, target_count: first_count, sound }
}

/// One finite weight for each morph target.
pub(super) fn check_weights(
    weights: &[f32],
    target_count: usize,
    path: &str,
    problems: &mut Problems,
) -> Result<(), Reported> {
    if weights.len() != target_count {
        return Err(problems.push(
            Diagnostic::error(
                ids::MORPH_WEIGHT_COUNT,
                path,
                "the number of weights is not the number of morph targets",
            )
            .expected_found(target_count, weights.len()),
        ));
    }
    match weights.iter().position(|weight| !weight.is_finite()) {
        None => Ok(()),
        Some(at) => {
            Err(problems.error(ids::NUMBER_NOT_FINITE, format!("{path}[{at}]"), "a number is too large"))
        }
    }
}

/// A primitive without vertices, which keeps the numbers of the others.
fn without_positions(primitive: &json::mesh::Primitive) -> SourcePrimitive {
    let targets = primitive.targets.as_ref().map_or(0, Vec::len);
    SourcePrimitive {
        triangles: Arc::default(),
        not_triangles: matches!(primitive.mode, Checked::Valid(mode) if triangles::is_not_triangles(mode)),
        positions: Arc::default(),
        normals: None,
        tangents: None,
        uvs: None,
        has_colors: false,
        influence_sets: Vec::new(),
        morph_targets: (0..targets).map(|_| MorphTarget { positions: None, normals: None }).collect(),
        material: primitive.material.map(|material| material.value()),
    }
}

fn read_primitive(
    primitive: &json::mesh::Primitive,
    path: &str,
    uv_choices: &[UvChoice],
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Result<SourcePrimitive, Reported> {
    let material = match primitive.material.map(|material| material.value()) {
        None => Ok(None),
        Some(material) => {
            let path = || format!("{path}.material");
            in_table(material, uv_choices.len(), "materials", path, problems).map(Some)
        }
    };
    let mode = match primitive.mode {
        Checked::Valid(mode) => Ok(mode),
        Checked::Invalid => Err(problems.push(
            Diagnostic::error(ids::PRIMITIVE_MODE, format!("{path}.mode"), "a mode that glTF does not have")
                .expected_found("0 to 6", "another number"),
        )),
    };
    let by_name: BTreeMap<Semantic, usize> = primitive
        .attributes
        .iter()
        .filter_map(|(semantic, accessor)| match semantic {
            Checked::Valid(semantic) => Some((semantic.clone(), accessor.value())),
            Checked::Invalid => None,
        })
        .collect();
    let Some(positions) = by_name.get(&Semantic::Positions).copied() else {
        problems.push(
            Diagnostic::warning(
                ids::PRIMITIVE_WITHOUT_POSITIONS,
                format!("{path}.attributes"),
                "the primitive has no positions; nothing of it is drawn",
            )
            .expected_found("POSITION", "none"),
        );
        return Ok(SourcePrimitive { material: material?, ..without_positions(primitive) });
    };
    refuse_draco_without_data(primitive, &by_name, path, reader, problems)?;
    let position_path = format!("{path}.attributes.POSITION");
    let positions = reader.vec3s(positions, Use::Positions, &position_path, problems)?;
    let vertex_count = positions.len();
    let mut attributes = Attributes { by_name, vertex_count, path, reader };

    // Each `?` stands behind all the reads, so that every problem of the primitive is found.
    let normals = attributes.vec3s(&Semantic::Normals, Use::Normals, problems);
    let tangents = attributes.vec4s(&Semantic::Tangents, Use::Tangents, problems);
    let choice = material.ok().flatten().and_then(|material| uv_choices.get(material)).copied();
    let uvs = read_uvs(&mut attributes, choice.unwrap_or_default(), problems);
    let influence_sets = read_influences(&mut attributes, problems);
    let has_colors = attributes.by_name.keys().any(|semantic| matches!(semantic, Semantic::Colors(_)));
    if has_colors {
        let path = format!("{path}.attributes.COLOR_0");
        problems.push(
            Diagnostic::warning(ids::VERTEX_COLORS_LOST, path, "vertex colours are not baked")
                .expected_found("colours in a base-colour texture", "COLOR_0")
                .help("put them into a texture if the model needs them"),
        );
    }
    let reader = attributes.reader;
    let morph_targets = read_targets(primitive, vertex_count, path, reader, problems);
    let indices = primitive.indices.map(|indices| indices.value());
    let triangles =
        mode.and_then(|mode| triangles::read(mode, indices, vertex_count, path, reader, problems));
    Ok(SourcePrimitive {
        triangles: triangles?,
        not_triangles: triangles::is_not_triangles(mode?),
        positions,
        normals: normals?,
        tangents: tangents?,
        uvs: uvs?,
        has_colors,
        influence_sets: influence_sets?,
        morph_targets: morph_targets?,
        material: material?,
    })
}

/// A primitive that Draco compresses may bring its data uncompressed too; if it does not, its accessors have no view,
/// which would read as zeros.
fn refuse_draco_without_data(
    primitive: &json::mesh::Primitive,
    by_name: &BTreeMap<Semantic, usize>,
    path: &str,
    reader: &Reader<'_>,
    problems: &mut Problems,
) -> Result<(), Reported> {
    let compressed = primitive.extensions.as_ref().is_some_and(|known| known.others.contains_key(DRACO));
    if !compressed {
        return Ok(());
    }
    let indices = primitive.indices.map(|indices| indices.value());
    for accessor in by_name.values().copied().chain(indices) {
        if reader.accessor(accessor, path, problems)?.view.is_none() {
            return Err(problems.push(
                extensions::unsupported(format!("{path}.extensions.{DRACO}"), DRACO).expected_found(
                    "uncompressed data beside the compressed data",
                    "an accessor without a bufferView",
                ),
            ));
        }
    }
    Ok(())
}
