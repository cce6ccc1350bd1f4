//! Meshes: vertex attributes, triangles and morph targets of every primitive.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::gltf::json;
use ::gltf::json::mesh::Semantic;
use ::gltf::json::validation::Checked;

use super::accessor::Reader;
use super::document::{Document, entry, in_table};
use super::extensions::{self, DRACO};
use super::materials::UvChoice;
use super::problems::{Problems, Reported};
use super::triangles;
use super::usage::Use;
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::{InfluenceSet, MorphTarget, SourceMesh, SourcePrimitive};

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

/// Reads the attributes of one primitive and checks that they have equally many elements.
struct Attributes<'r, 'a, 'p> {
    by_name: BTreeMap<Semantic, usize>,
    vertex_count: usize,
    path: &'p str,
    reader: &'r mut Reader<'a>,
}

macro_rules! optional_attribute {
    ($name:ident, $getter:ident, $element:ty) => {
        fn $name(
            &mut self,
            semantic: &Semantic,
            use_: Use,
            problems: &mut Problems,
        ) -> Result<Option<Arc<[$element]>>, Reported> {
            let Some(accessor) = self.by_name.get(semantic).copied() else { return Ok(None) };
            let path = format!("{}.attributes.{}", self.path, semantic.to_string());
            let data = self.reader.$getter(accessor, use_, &path, problems)?;
            same_count(data.len(), self.vertex_count, path, problems)?;
            Ok(Some(data))
        }
    };
}

impl Attributes<'_, '_, '_> {
    optional_attribute!(vec2s, vec2s, [f32; 2]);
    optional_attribute!(vec3s, vec3s, [f32; 3]);
    optional_attribute!(vec4s, vec4s, [f32; 4]);
    optional_attribute!(joints, joints, [u16; 4]);
}

fn same_count(found: usize, expected: usize, path: String, problems: &mut Problems) -> Result<(), Reported> {
    if found == expected {
        return Ok(());
    }
    Err(problems.push(
        Diagnostic::error(ids::ATTRIBUTE_COUNT, path, "the attribute has another count than POSITION")
            .expected_found(expected, found),
    ))
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
        problems.warning(ids::VERTEX_COLORS_LOST, path, "vertex colours are not baked");
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

fn read_uvs(
    attributes: &mut Attributes<'_, '_, '_>,
    choice: UvChoice,
    problems: &mut Problems,
) -> Result<Option<Arc<[[f32; 2]]>>, Reported> {
    let semantic = Semantic::TexCoords(choice.set);
    let Some(uvs) = attributes.vec2s(&semantic, Use::TexCoords, problems)? else {
        if choice.textured {
            problems.push(
                Diagnostic::warning(
                    ids::TEXCOORD_MISSING,
                    format!("{}.attributes", attributes.path),
                    "the material has a texture, and the primitive has no coordinates for it",
                )
                .expected_found(semantic.to_string(), "none"),
            );
        }
        return Ok(None);
    };
    let Some(transform) = choice.transform else { return Ok(Some(uvs)) };
    attributes.reader.take(8 * uvs.len() as u64, attributes.path, problems)?;
    Ok(Some(uvs.iter().map(|uv| transform.apply(*uv)).collect()))
}

fn read_influences(
    attributes: &mut Attributes<'_, '_, '_>,
    problems: &mut Problems,
) -> Result<Vec<InfluenceSet>, Reported> {
    let sets: std::collections::BTreeSet<u32> = attributes
        .by_name
        .keys()
        .filter_map(|semantic| match semantic {
            Semantic::Joints(set) | Semantic::Weights(set) => Some(*set),
            _ => None,
        })
        .collect();
    let mut influence_sets = Vec::new();
    let mut result = Ok(());
    for set in sets {
        let joints = attributes.joints(&Semantic::Joints(set), Use::Joints, problems);
        let weights = attributes.vec4s(&Semantic::Weights(set), Use::Weights, problems);
        match (joints, weights) {
            (Ok(Some(joints)), Ok(Some(weights))) => influence_sets.push(InfluenceSet { joints, weights }),
            (Err(Reported), _) | (_, Err(Reported)) => result = Err(Reported),
            (Ok(joints), Ok(_)) => {
                let (has, lacks) =
                    if joints.is_some() { ("JOINTS", "WEIGHTS") } else { ("WEIGHTS", "JOINTS") };
                result = Err(problems.push(
                    Diagnostic::error(
                        ids::INFLUENCES_UNPAIRED,
                        format!("{}.attributes.{has}_{set}", attributes.path),
                        format!("{has}_{set} without {lacks}_{set}"),
                    )
                    .expected_found("both", "one"),
                ));
            }
        }
    }
    result.map(|()| influence_sets)
}

fn read_targets(
    primitive: &json::mesh::Primitive,
    vertex_count: usize,
    path: &str,
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Result<Vec<MorphTarget>, Reported> {
    let mut targets = Vec::new();
    let mut result = Ok(());
    for (number, target) in primitive.targets.iter().flatten().enumerate() {
        let mut read = |accessor: Option<json::Index<json::Accessor>>, use_: Use, name: &str| {
            let Some(accessor) = accessor else { return Ok::<_, Reported>(None) };
            let path = format!("{path}.targets[{number}].{name}");
            let data = reader.vec3s(accessor.value(), use_, &path, problems)?;
            same_count(data.len(), vertex_count, path, problems)?;
            Ok(Some(data))
        };
        let positions = read(target.positions, Use::MorphPositions, "POSITION");
        let normals = read(target.normals, Use::MorphNormals, "NORMAL");
        match (positions, normals) {
            (Ok(positions), Ok(normals)) => targets.push(MorphTarget { positions, normals }),
            _ => result = Err(Reported),
        }
    }
    result.map(|()| targets)
}
