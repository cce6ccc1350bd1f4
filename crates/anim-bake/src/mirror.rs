//! Which triangles are inside out: bones whose matrices mirror.

use anim_core::matrix_rows::{IDENTITY_ROWS, determinant};
use anim_format::model::{AnimFile, Clip};
use anim_format::playback::palette_at_frame;

use crate::geometry::{Geometry, PartGeometry};
use crate::parallel;

/// How a bone turns surfaces over all frames of all clips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Handedness {
    keeps: bool,
    mirrors: bool,
}

/// Flips the winding of every triangle all of whose bones mirror in all frames. Returns for each part whether it
/// mirrors only sometimes, or in parts of one triangle only: such a part is drawn from both sides.
pub(crate) fn flip_mirrored_triangles(file: &AnimFile<'_>, geometry: &mut Geometry) -> Vec<bool> {
    let bones = bone_handedness(file);
    let Geometry { parts, triangles, bones: vertex_bones, weights, .. } = geometry;
    let mut part_is_mixed = Vec::with_capacity(parts.len());
    for PartGeometry { first_triangle, triangle_count, .. } in parts.iter() {
        let mut mixed = false;
        for triangle in &mut triangles[*first_triangle..first_triangle + triangle_count] {
            let mut all = Handedness::default();
            for vertex in triangle.map(|v| v as usize) {
                for (bone, weight) in vertex_bones[vertex].iter().zip(weights[vertex]) {
                    if weight > 0.0 {
                        let bone = bones[usize::from(*bone)];
                        all.keeps |= bone.keeps;
                        all.mirrors |= bone.mirrors;
                    }
                }
            }
            match (all.keeps, all.mirrors) {
                (true, true) => mixed = true,
                (false, true) => triangle.swap(1, 2),
                _ => {}
            }
        }
        part_is_mixed.push(mixed);
    }
    part_is_mixed
}

fn bone_handedness(file: &AnimFile<'_>) -> Vec<Handedness> {
    let of_clip = |clip: &Clip<'_>| {
        let mut bones = vec![Handedness::default(); file.bones.len()];
        let mut palette = vec![IDENTITY_ROWS; file.bones.len()];
        for frame in 0..clip.tracks.first().map_or(0, |track| track.frames) {
            palette_at_frame(file, clip, frame, &mut palette);
            for (rows, bone) in palette.iter().zip(&mut bones) {
                let determinant = determinant(rows);
                bone.keeps |= determinant > 0.0;
                bone.mirrors |= determinant < 0.0;
            }
        }
        bones
    };
    let mut bones = vec![Handedness::default(); file.bones.len()];
    for of_clip in parallel::map(file.clips.iter().collect(), of_clip) {
        for (all, of_clip) in bones.iter_mut().zip(of_clip) {
            all.keeps |= of_clip.keeps;
            all.mirrors |= of_clip.mirrors;
        }
    }
    bones
}
