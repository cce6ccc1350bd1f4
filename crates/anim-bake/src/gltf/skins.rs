//! Skins: joints and inverse bind matrices.

use std::collections::HashSet;

use ::gltf::json;
use anim_core::glam::DAffine3;
use anim_core::limits::BONES_MAX;

use super::accessor::Reader;
use super::document::{Document, entry, in_table};
use super::problems::{Problems, Reported};
use super::usage::Use;
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::SourceSkin;

/// Reads every skin; a broken one is a placeholder.
pub(super) fn read(
    document: &Document<'_>,
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Vec<SourceSkin> {
    let mut skins = Vec::new();
    for (number, raw) in document.skins.iter().enumerate() {
        let path = format!("skins[{number}]");
        let skin = entry::<json::Skin>(raw, &path, problems)
            .and_then(|skin| read_skin(skin, &path, document.nodes.len(), reader, problems));
        skins.push(skin.unwrap_or_else(|Reported| SourceSkin {
            name: None,
            joints: Vec::new(),
            bone_from_bind: Vec::new(),
        }));
    }
    skins
}

fn read_skin(
    skin: json::Skin,
    path: &str,
    node_count: usize,
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Result<SourceSkin, Reported> {
    let count = skin.joints.len();
    if count == 0 {
        return Err(problems.push(
            Diagnostic::error(ids::SKIN_EMPTY, format!("{path}.joints"), "the skin has no joints")
                .expected_found("at least 1", 0),
        ));
    }
    if count > BONES_MAX {
        return Err(problems.push(
            Diagnostic::error(
                ids::SKIN_TOO_MANY_JOINTS,
                format!("{path}.joints"),
                "the skin has too many joints",
            )
            .expected_found(format!("at most {BONES_MAX}"), count),
        ));
    }
    let mut seen = HashSet::new();
    let mut joints = Vec::with_capacity(count);
    for (slot, joint) in skin.joints.iter().enumerate() {
        let path = || format!("{path}.joints[{slot}]");
        let Ok(joint) = in_table(joint.value(), node_count, "nodes", path, problems) else { continue };
        if !seen.insert(joint) {
            problems.push(
                Diagnostic::warning(
                    ids::SKIN_DUPLICATE_JOINT,
                    path(),
                    format!("nodes[{joint}] is a joint of this skin twice"),
                )
                .expected_found("distinct joints", joint),
            );
        }
        joints.push(joint);
    }
    let all_joints_exist = joints.len() == count;
    let bone_from_bind = match skin.inverse_bind_matrices {
        // glTF 2.0 section 3.7.3.1: identity where the property is missing.
        None => {
            reader.take(96 * count as u64, path, problems)?;
            vec![DAffine3::IDENTITY; count]
        }
        Some(accessor) => {
            let path = format!("{path}.inverseBindMatrices");
            let accessor = accessor.value();
            let found = reader.accessor(accessor, &path, problems)?.count;
            let enough = found >= count as u64;
            if !enough {
                problems.push(
                    Diagnostic::error(
                        ids::SKIN_INVERSE_BIND_COUNT,
                        &path,
                        format!("accessors[{accessor}] has fewer matrices than the skin has joints"),
                    )
                    .expected_found(format!("at least {count}"), found),
                );
            }
            let matrices = reader.affines(accessor, Use::InverseBinds, &path, problems)?;
            reader.take(96 * count as u64, &path, problems)?;
            // More than there are joints is legal: skins may share one accessor.
            matrices.get(..count).map(<[DAffine3]>::to_vec).ok_or(Reported)?
        }
    };
    if !all_joints_exist {
        return Err(Reported);
    }
    Ok(SourceSkin { name: skin.name, joints, bone_from_bind })
}
