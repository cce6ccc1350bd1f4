//! Vertex attributes and morph targets of one primitive, all with equally many elements.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::gltf::json;
use ::gltf::json::mesh::Semantic;

use super::accessor::Reader;
use super::materials::UvChoice;
use super::problems::{Problems, Reported};
use super::usage::Use;
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::{InfluenceSet, MorphTarget};

/// Reads the attributes of one primitive and checks that they have equally many elements.
pub(super) struct Attributes<'r, 'a, 'p> {
    pub(super) by_name: BTreeMap<Semantic, usize>,
    pub(super) vertex_count: usize,
    pub(super) path: &'p str,
    pub(super) reader: &'r mut Reader<'a>,
}

macro_rules! optional_attribute {
    ($name:ident, $getter:ident, $element:ty) => {
        pub(super) fn $name(
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

pub(super) fn read_uvs(
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

pub(super) fn read_influences(
    attributes: &mut Attributes<'_, '_, '_>,
    problems: &mut Problems,
) -> Result<Vec<InfluenceSet>, Reported> {
    let sets: BTreeSet<u32> = attributes
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

pub(super) fn read_targets(
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
