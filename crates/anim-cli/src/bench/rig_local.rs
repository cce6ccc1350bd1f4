//! The same character as local tracks: the poses of its bones, told by a hierarchy as deep as a person's.

use anim_core::glam::{DAffine3, Vec3};
use anim_core::local_encoding::{LocalEncoding, range_of, write_rotation, write_value};
use anim_core::local_record::{LocalRecord, LocalSource};
use anim_core::matrix_rows::affine_from_rows;
use anim_format::AnimFile;
use anim_format::model::{Content, Encoding, Node, PageSet, TexelFormat, Track};
use anim_format::playback::{local_encoding, palette_at_frame, rest_model_poses};

const PAGE_WIDTH: u32 = 256;
/// Bones of a limb; the next limbs hang on its second bone. With 60 bones the deepest is 11 below the root.
const LIMB: usize = 6;
/// Translations that differ by less stand still: what rounding makes of a bone that keeps its length.
const STILL_METRES: f32 = 1e-5;

/// Puts a page set of local tracks in front of the rows of a file of moving bones.
#[expect(clippy::cast_possible_truncation, reason = "a small character")]
pub(crate) fn with_local_tracks(mut file: AnimFile<'static>, encoding: Encoding) -> AnimFile<'static> {
    let kind = local_encoding(encoding).unwrap_or(LocalEncoding::Local8);
    let order = order(file.bones.len());
    let mut pool = vec![[0.0, 0.0, 0.0, 1.0], [0.0; 4], [1.0, 1.0, 1.0, 0.0]];
    let mut texels: Vec<u8> = Vec::new();
    let mut records = Vec::new();
    let mut tracks = Vec::new();
    for clip in &file.clips {
        let rows = &clip.tracks[0];
        let frames: Vec<Vec<DAffine3>> =
            (0..rows.frames).map(|frame| locals(&file, clip, frame, &order)).collect();
        let first_texel = (texels.len() / kind.texel_bytes()) as u32;
        let first_record = records.len() as u32;
        let slots = clip_records(&frames, &mut pool, &mut records);
        for pose in &frames {
            push_frame(pose, &slots, kind, &pool, &mut texels);
        }
        tracks.push(Track {
            first_texel,
            elements_per_frame: slots.len() as u32,
            texels_per_element: 1,
            first_record: Some(first_record),
            page_set: 0,
            ..rows.clone()
        });
    }
    let width_bytes = PAGE_WIDTH as usize * kind.texel_bytes();
    texels.resize(texels.len().next_multiple_of(width_bytes), 0);
    let set = PageSet {
        content: Content::Local,
        encoding,
        texel_format: match kind {
            LocalEncoding::Local8 => TexelFormat::Rg32Uint,
            LocalEncoding::Local32 => TexelFormat::Rgba32Float,
        },
        width: PAGE_WIDTH,
        height: (texels.len() / width_bytes) as u32,
        pages: vec![texels.into()],
    };
    file.nodes = nodes(&file, &order);
    for (node, &(bone, _)) in (0..).zip(&order) {
        file.bones[bone].node = Some(node);
    }
    file.page_sets.insert(0, set);
    for (clip, local) in file.clips.iter_mut().zip(tracks) {
        clip.tracks.iter_mut().for_each(|track| track.page_set += 1);
        clip.tracks.insert(0, local);
    }
    (file.constant_pool, file.local_records) = (pool, records);
    file
}

/// The bone of each node and the node's parent: by depth, as files have them.
fn order(bones: usize) -> Vec<(usize, Option<usize>)> {
    let parent = |bone: usize| match (bone / LIMB, bone % LIMB) {
        (0, 0) => None,
        (limb, 0) => Some((limb - 1) / 2 * LIMB + 1),
        _ => Some(bone - 1),
    };
    let depth = |bone| std::iter::successors(parent(bone), |above| parent(*above)).count();
    let mut order: Vec<usize> = (0..bones).collect();
    order.sort_by_key(|bone| (depth(*bone), *bone));
    let node_of = |bone: usize| order.iter().position(|other| *other == bone);
    order.iter().map(|&bone| (bone, parent(bone).and_then(node_of))).collect()
}

fn nodes(file: &AnimFile<'_>, order: &[(usize, Option<usize>)]) -> Vec<Node<'static>> {
    let rest = rest_model_poses(file);
    let mut nodes: Vec<Node<'static>> = Vec::new();
    #[expect(clippy::cast_possible_truncation, reason = "a small character")]
    for &(bone, parent) in order {
        let above = parent.map_or(DAffine3::IDENTITY, |parent| rest[order[parent].0]);
        nodes.push(Node {
            name: format!("bone_{bone}").into(),
            parent: parent.map(|parent| parent as u32),
            depth: parent.map_or(0, |parent| nodes[parent].depth + 1),
            source_node: bone as u32,
            rest_translation: (above.inverse() * rest[bone]).translation.as_vec3().to_array(),
            rest_rotation: [0.0, 0.0, 0.0, 1.0],
            rest_scale: [1.0; 3],
            rest_matrix_in_pool: None,
        });
    }
    nodes
}

/// `parent_from_node` of all nodes in a frame, out of the rows.
fn locals(
    file: &AnimFile<'_>,
    clip: &anim_format::model::Clip<'_>,
    frame: u32,
    order: &[(usize, Option<usize>)],
) -> Vec<DAffine3> {
    let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
    palette_at_frame(file, clip, frame, &mut palette);
    let model: Vec<DAffine3> = palette
        .iter()
        .zip(&file.bones)
        .map(|(rows, bone)| affine_from_rows(rows) * affine_from_rows(&bone.bone_from_bind).inverse())
        .collect();
    order
        .iter()
        .map(|&(bone, parent)| {
            let above = parent.map_or(DAffine3::IDENTITY, |parent| model[order[parent].0]);
            above.inverse() * model[bone]
        })
        .collect()
}

/// What a slot of a frame holds: a node's rotation, or its translation in a range of the pool.
enum Slot {
    Rotation(usize),
    Translation(usize, usize),
}

/// Adds a clip's records and what stands still in it.
#[expect(clippy::cast_possible_truncation, reason = "a small character")]
fn clip_records(
    frames: &[Vec<DAffine3>],
    pool: &mut Vec<[f32; 4]>,
    records: &mut Vec<LocalRecord>,
) -> Vec<Slot> {
    let count = frames[0].len();
    let mut slots: Vec<Slot> = (0..count).map(Slot::Rotation).collect();
    for node in 0..count {
        let places: Vec<Vec3> = frames.iter().map(|pose| pose[node].translation.as_vec3()).collect();
        let range = range_of(&places).unwrap_or_default();
        let entry = pool.len() as u32;
        let rotation = LocalSource::Slot(node as u32);
        if range.w < STILL_METRES {
            pool.push(places[0].extend(0.0).to_array());
            records.push(LocalRecord::new(
                rotation,
                LocalSource::Constant(entry),
                LocalSource::Constant(2),
                0,
            ));
        } else {
            pool.push(range.to_array());
            let slot = LocalSource::Slot(slots.len() as u32);
            slots.push(Slot::Translation(node, entry as usize));
            records.push(LocalRecord::new(rotation, slot, LocalSource::Constant(2), entry));
        }
    }
    slots
}

fn push_frame(
    pose: &[DAffine3],
    slots: &[Slot],
    kind: LocalEncoding,
    pool: &[[f32; 4]],
    texels: &mut Vec<u8>,
) {
    for slot in slots {
        let start = texels.len();
        texels.resize(start + kind.texel_bytes(), 0);
        let texel = &mut texels[start..];
        match *slot {
            Slot::Rotation(node) => {
                let (_, rotation, _) = pose[node].to_scale_rotation_translation();
                write_rotation(rotation.as_quat(), kind, texel);
            }
            Slot::Translation(node, range) => {
                write_value(pose[node].translation.as_vec3(), pool[range].into(), kind, texel);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::rig;

    #[test]
    fn both_sets_show_the_same_poses() {
        for encoding in [Encoding::Local8, Encoding::Local32] {
            let rows = rig::rig(Encoding::Affine32);
            let both = with_local_tracks(rig::rig(Encoding::Affine32), encoding);
            assert_eq!(anim_format::validate(&both), []);
            assert_eq!(both.nodes.iter().map(|node| node.depth).max(), Some(11));
            let moving = both.clips[0].tracks[0].elements_per_frame;
            assert!((60..90).contains(&moving), "{moving} elements: bones keep their lengths");
            let (mut expected, mut found) = (vec![[[0.0; 4]; 3]; 60], vec![[[0.0; 4]; 3]; 60]);
            for (number, clip) in both.clips.iter().enumerate() {
                for frame in [0, 17, 60] {
                    palette_at_frame(&rows, &rows.clips[number], frame, &mut expected);
                    palette_at_frame(&both, clip, frame, &mut found);
                    for (a, b) in
                        expected.as_flattened().as_flattened().iter().zip(found.as_flattened().as_flattened())
                    {
                        assert!((a - b).abs() < 1e-4, "{encoding:?} {} {frame}: {a} {b}", clip.name);
                    }
                }
            }
        }
    }
}
