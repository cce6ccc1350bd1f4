//! Nodes, bones and attachments.

use anim_core::bind::bone_from_bind_of_pose;
use anim_core::limits::BONES_MAX;
use anim_core::matrix_rows::affine_from_rows;

use super::Problems;
use super::place::Place;
use crate::error::FormatError;
use crate::model::{AnimFile, Attachment, Mask, Node};

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    let extent = &file.extent;
    problems.sorted_box("extent.rest", extent.rest_box_min, extent.rest_box_max);
    problems.sorted_box("extent.vertex", extent.vertex_box_min, extent.vertex_box_max);
    problems.not_negative("extent.model_size_metres", extent.model_size_metres);
    problems.not_negative("extent.fade_overshoot_metres", extent.fade_overshoot_metres);

    let mut previous_depth = 0;
    for (number, node) in file.nodes.iter().enumerate() {
        let place = Place { table: "nodes", number, name: &node.name };
        check_node(file, number, node, place, problems);
        problems.in_range(
            format_args!("{place}.depth"),
            node.depth >= previous_depth,
            node.depth.into(),
            "at least the depth of the node before it",
        );
        previous_depth = node.depth;
    }
    check_bones(file, problems);
    problems.unique_names("attachments", file.attachments.iter().map(|attachment| &*attachment.name));
    for (number, attachment) in file.attachments.iter().enumerate() {
        let place = Place { table: "attachments", number, name: &attachment.name };
        check_attachment(file, attachment, place, problems);
    }
    problems.unique_names("masks", file.masks.iter().map(|mask| &*mask.name));
    for (number, mask) in file.masks.iter().enumerate() {
        let place = Place { table: "masks", number, name: &mask.name };
        check_mask(file, mask, place, problems);
    }
}

fn check_node(
    file: &AnimFile<'_>,
    number: usize,
    node: &Node<'_>,
    place: Place<'_>,
    problems: &mut Problems,
) {
    // Above a parent that does not come first the depth means nothing.
    match node.parent {
        None => problems.equal(format_args!("{place}.depth"), node.depth.into(), 0),
        Some(parent) => match file.nodes[..number].get(parent as usize) {
            Some(above) => {
                let expected = u64::from(above.depth) + 1;
                problems.equal(format_args!("{place}.depth"), node.depth.into(), expected);
            }
            None => problems.add(FormatError::ParentNotBefore {
                place: alloc::format!("{place}.parent"),
                found: parent,
                node: u32::try_from(number).unwrap_or(u32::MAX),
            }),
        },
    }
    problems.finite(format_args!("{place}.rest_translation"), &node.rest_translation);
    problems.finite(format_args!("{place}.rest_scale"), &node.rest_scale);
    let length: f64 = node.rest_rotation.map(|n| f64::from(n) * f64::from(n)).iter().sum();
    problems.in_range(
        format_args!("{place}.rest_rotation (squared length)"),
        (0.98..=1.02).contains(&length),
        length,
        "1, as of a unit quaternion",
    );
    if let Some(entry) = node.rest_matrix_in_pool {
        let last = u64::from(entry) + 2;
        let count = file.constant_pool.len();
        if problems.number(format_args!("{place}.rest_matrix_in_pool + 2"), last, count) {
            let rows = &file.constant_pool[entry as usize..][..3];
            problems.finite(format_args!("{place}.rest_matrix_in_pool"), rows.as_flattened());
        }
    }
}

fn check_bones(file: &AnimFile<'_>, problems: &mut Problems) {
    problems.in_range(
        "bones",
        file.bones.len() <= BONES_MAX,
        u32::try_from(file.bones.len()).unwrap_or(u32::MAX).into(),
        "at most 65536",
    );
    let mut has_static_bone = false;
    for (number, bone) in file.bones.iter().enumerate() {
        let place = Place { table: "bones", number, name: "" };
        match bone.node {
            Some(node) => {
                problems.number(format_args!("{place}.node"), node.into(), file.nodes.len());
            }
            None => {
                problems.expect(!has_static_bone, || FormatError::Repeated {
                    place: "a bone without a node".into(),
                });
                has_static_bone = true;
            }
        }
        problems.finite(format_args!("{place}.bone_from_bind"), bone.bone_from_bind.as_flattened());
    }
}

/// One bit for each node and zero bits after the last.
fn check_mask(file: &AnimFile<'_>, mask: &Mask<'_>, place: Place<'_>, problems: &mut Problems) {
    let node_count = file.nodes.len();
    let expected = node_count.div_ceil(32);
    problems.equal(format_args!("{place}.words (count)"), mask.words.len() as u64, expected as u64);
    let used_bits = node_count % 32;
    let last = mask.words.get(expected.saturating_sub(1)).filter(|_| used_bits != 0);
    if let Some(beyond) = last.map(|last| last >> used_bits).filter(|beyond| *beyond != 0) {
        problems.equal(format_args!("{place}.words (bits after the last node)"), beyond.into(), 0);
    }
}

fn check_attachment(
    file: &AnimFile<'_>,
    attachment: &Attachment<'_>,
    place: Place<'_>,
    problems: &mut Problems,
) {
    let matrix = attachment.node_from_attachment.as_flattened();
    problems.finite(format_args!("{place}.node_from_attachment"), matrix);
    problems.number(format_args!("{place}.node"), attachment.node.into(), file.nodes.len());
    if !problems.number(format_args!("{place}.bone"), attachment.bone.into(), file.bones.len()) {
        return;
    }
    let bone = &file.bones[attachment.bone as usize];
    problems.expect(bone.node == Some(attachment.node), || FormatError::BoneOfOtherNode {
        place: alloc::format!("{place}.bone"),
        bone: attachment.bone,
        node: attachment.node,
    });
    let inverse = bone_from_bind_of_pose(&affine_from_rows(&bone.bone_from_bind));
    problems.expect(inverse.is_some(), || FormatError::BoneNotInvertible {
        place: alloc::format!("{place}.bone"),
        bone: attachment.bone,
    });
}
