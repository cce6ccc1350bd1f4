//! The CPU player: the numbers that a GPU gets from the same file, in `f32` and in the same order of operations.

use alloc::vec::Vec;

use anim_core::clip_time::{FramePair, blend_of, frame_pair};
use anim_core::clock::frame_pair_of;
use anim_core::encoding::{RowsEncoding, decode_rows};
use anim_core::glam::DAffine3;
use anim_core::layers::{GpuLayer, LAYERS_MAX, layers_at};
use anim_core::matrix_rows::{IDENTITY_ROWS, affine_from_rows, rows_from_affine};
use anim_core::pose::{NO_PARENT, compose_model_poses};
use anim_core::skin_reference::{NormalRule, blend_influences, mix_rows, skin_normal, skin_position};
use anim_core::texel::{TrackLayout, texel_number};
use anim_core::trs::Trs;

use crate::model::{AnimFile, Clip, Content, Encoding, Node, PageSet, Part, Rows, Track};
use crate::vertices::VertexReader;

mod local;
mod vertices;

pub use local::{LocalPlayer, LocalPose, PlaybackError, local_encoding, local_track, local_view};
pub use vertices::{vertex_encoding, vertex_track, vertices_at, vertices_of_layers};

/// Skinning matrices of all bones at a time of a clip, one entry a bone, into `palette`: from the clip's local track, or
/// from its rows if it has none.
///
/// `time_seconds` is inside the clip: values outside `[0, duration]` are clamped to it, whatever the clip's mode (see
/// [`anim_core::clip_time::clip_time`] for the mode). A local track is played with memory that is allocated for the call;
/// [`LocalPlayer`] needs none.
///
/// # Panics
///
/// If `clip` has no track that makes matrices (see [`has_palette`]), `palette` is not as long as the file's bone table, or the file was changed after
/// it was validated.
pub fn palette_at(file: &AnimFile<'_>, clip: &Clip<'_>, time_seconds: f64, palette: &mut [Rows]) {
    let (track, _) = any_track(file, clip);
    palette_of_track(file, clip, track, time_seconds, palette);
}

/// [`palette_at`] from one of the clip's tracks.
///
/// # Panics
///
/// As [`palette_at`].
pub fn palette_of_track(
    file: &AnimFile<'_>,
    clip: &Clip<'_>,
    track: &Track,
    time_seconds: f64,
    palette: &mut [Rows],
) {
    assert_eq!(palette.len(), file.bones.len());
    let set = &file.page_sets[track.page_set as usize];
    if set.content == Content::Local {
        let player = LocalPlayer::new(file);
        fill(file, &player.at_track(clip, track, set, time_seconds), palette);
        return;
    }
    let pair = frame_pair(time_seconds, f64::from(clip.duration_seconds), track.intervals);
    let blend = blend_in(track, pair);
    for (bone, rows) in palette.iter_mut().enumerate() {
        let a = fetch_bone_rows(set, track, pair.a, bone);
        let b = fetch_bone_rows(set, track, pair.b, bone);
        *rows = mix_rows(&a, &b, blend);
    }
}

/// Skinning matrices of all bones of an instance that plays these layers, at a tick of the clock: the CPU twin of the
/// palette pass. One entry a bone, into `palette`.
///
/// Local tracks are blended if the clips of all layers have one, under the masks of the layers; else rows, which have none:
/// there a layer with a mask moves all bones.
///
/// # Panics
///
/// If an active layer names a clip that the file lacks, or a mask, and there are no rows to play instead; if the clips of
/// the layers have no content in common, or `palette` is not as long as the file's bone table.
pub fn palette_of_layers(
    file: &AnimFile<'_>,
    layers: &[GpuLayer; LAYERS_MAX],
    now_tick: u64,
    palette: &mut [Rows],
) {
    assert_eq!(palette.len(), file.bones.len());
    let player = LocalPlayer::new(file);
    match player.of_layers(layers, now_tick) {
        Ok(pose) if pose.plays() => fill(file, &pose, palette),
        _ => rows_of_layers(file, layers, now_tick, palette),
    }
}

/// [`palette_of_layers`] from rows.
///
/// # Panics
///
/// If an active layer names a clip that the file lacks or that has no rows track, or `palette` is not as long as the
/// file's bone table.
pub fn rows_of_layers(
    file: &AnimFile<'_>,
    layers: &[GpuLayer; LAYERS_MAX],
    now_tick: u64,
    palette: &mut [Rows],
) {
    assert_eq!(palette.len(), file.bones.len());
    palette.fill([[0.0; 4]; 3]);
    // The top layer first, as the shader does.
    for moment in layers_at(layers, now_tick).iter().rev().filter(|moment| moment.weight > 0.0) {
        let (track, set) = rows_track(file, &file.clips[moment.clip as usize]).expect("a rows track");
        let pair = frame_pair_of(moment.position, track.intervals);
        let blend = blend_in(track, pair);
        for (bone, sum) in palette.iter_mut().enumerate() {
            let a = fetch_bone_rows(set, track, pair.a, bone);
            let b = fetch_bone_rows(set, track, pair.b, bone);
            let rows = mix_rows(&a, &b, blend);
            for (sum, value) in sum.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
                *sum += value * moment.weight;
            }
        }
    }
}

/// Skinning matrices of all bones in one frame of a clip, one entry a bone, into `palette`: from its local track, or from
/// its rows if it has none.
///
/// # Panics
///
/// As [`palette_at`], and if the clip has no such frame.
pub fn palette_at_frame(file: &AnimFile<'_>, clip: &Clip<'_>, frame: u32, palette: &mut [Rows]) {
    let (track, set) = any_track(file, clip);
    assert!(frame < track.frames, "frame {frame} of {}", track.frames);
    assert_eq!(palette.len(), file.bones.len());
    if set.content == Content::Local {
        let player = LocalPlayer::new(file);
        fill(file, &player.at_frame(clip, frame).expect("the frame was checked"), palette);
        return;
    }
    for (bone, rows) in palette.iter_mut().enumerate() {
        *rows = fetch_bone_rows(set, track, frame, bone);
    }
}

/// Whether a clip has a track that makes matrices, local or of rows: [`palette_at`] plays no other.
#[must_use]
pub fn has_palette(file: &AnimFile<'_>, clip: &Clip<'_>) -> bool {
    clip.tracks.iter().any(|track| file.page_sets[track.page_set as usize].content.makes_matrices())
}

/// The track that a clip is played from: the local one, or the one of rows.
fn any_track<'f, 'a>(file: &'f AnimFile<'a>, clip: &'f Clip<'a>) -> (&'f Track, &'f PageSet<'a>) {
    local_track(file, clip).or_else(|| rows_track(file, clip)).expect("a track")
}

fn fill(file: &AnimFile<'_>, pose: &LocalPose<'_>, palette: &mut [Rows]) {
    let mut model_from_nodes = alloc::vec![[[0.0; 4]; 3]; file.nodes.len()];
    pose.palette(&mut model_from_nodes, palette).expect("the lengths are those of the file");
}

/// Positions and normals of a part's vertices, in model space, given the palette of the moment.
///
/// One entry for each of `vertices` (numbers inside the part, below its vertex count). Empty if the file was baked
/// without its mesh.
///
/// # Panics
///
/// If a vertex is outside the part or `palette` is shorter than the bone table.
#[must_use]
pub fn posed_vertices(
    file: &AnimFile<'_>,
    part: &Part<'_>,
    palette: &[Rows],
    vertices: impl IntoIterator<Item = u32>,
) -> Vec<PosedVertex> {
    let Some(mesh) = &file.mesh else { return Vec::new() };
    let reader = VertexReader::new(mesh);
    let rule = normal_rule(part);
    let pose = |vertex: u32| {
        assert!(vertex < part.vertex_count, "vertex {vertex} of a part with {}", part.vertex_count);
        let index = (part.first_vertex + vertex) as usize;
        let rows = blend_influences(palette, reader.bones(index), reader.weights(index));
        PosedVertex {
            position: skin_position(&rows, reader.position(index)),
            normal: skin_normal(&rows, reader.normal(index), rule),
        }
    };
    vertices.into_iter().map(pose).collect()
}

/// A vertex in model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PosedVertex {
    /// Position in metres.
    pub position: [f32; 3],
    /// Unit normal.
    pub normal: [f32; 3],
}

/// How normals of a part follow its bones.
#[must_use]
pub const fn normal_rule(part: &Part<'_>) -> NormalRule {
    if part.flags.rigid { NormalRule::Cofactor } else { NormalRule::Blended }
}

/// Rows of one bone in one stored frame.
///
/// # Panics
///
/// If frame or bone are outside the track, or the set does not hold rows.
#[must_use]
pub fn fetch_bone_rows(set: &PageSet<'_>, track: &Track, frame: u32, bone: usize) -> Rows {
    let encoding = rows_encoding(set.encoding).expect("a rows page set");
    #[expect(clippy::cast_possible_truncation, reason = "a bone number fits u16")]
    let texel = texel_number(&layout(track), frame, bone as u32, 0) as usize;
    let start = texel * encoding.texel_bytes();
    decode_rows(&set.pages[track.page as usize][start..start + encoding.bone_bytes()], encoding)
}

/// The rows track of a clip and its page set, if it has one.
#[must_use]
pub fn rows_track<'f, 'a>(
    file: &'f AnimFile<'a>,
    clip: &'f Clip<'a>,
) -> Option<(&'f Track, &'f PageSet<'a>)> {
    track_of(file, clip, Content::Rows)
}

/// The first track of a clip with this content, and its page set.
fn track_of<'f, 'a>(
    file: &'f AnimFile<'a>,
    clip: &'f Clip<'a>,
    content: Content,
) -> Option<(&'f Track, &'f PageSet<'a>)> {
    clip.tracks.iter().find_map(|track| {
        let set = &file.page_sets[track.page_set as usize];
        (set.content == content).then_some((track, set))
    })
}

/// Where a track's texels are, in the words of `anim-core`.
const fn layout(track: &Track) -> TrackLayout {
    TrackLayout {
        first_texel: track.first_texel,
        header_texels: track.header_texels,
        elements_per_frame: track.elements_per_frame,
        texels_per_element: track.texels_per_element,
    }
}

/// The share of a pair's later frame that a track shows.
fn blend_in(track: &Track, pair: FramePair) -> f32 {
    blend_of(pair, track.interpolation, is_held(track, pair.a))
}

/// Whether the interval that starts at `frame` holds that frame.
#[must_use]
pub fn is_held(track: &Track, frame: u32) -> bool {
    track.held_frames.get(frame as usize / 32).is_some_and(|word| word >> (frame % 32) & 1 == 1)
}

/// Skinning matrices of all bones in the rest pose, one entry a bone.
#[must_use]
pub fn rest_palette(file: &AnimFile<'_>) -> Vec<Rows> {
    let model_from_node = rest_model_poses(file);
    file.bones
        .iter()
        .map(|bone| match bone.node {
            Some(node) => {
                rows_from_affine(&(model_from_node[node as usize] * affine_from_rows(&bone.bone_from_bind)))
            }
            None => IDENTITY_ROWS,
        })
        .collect()
}

/// `model_from_node` of every node in the rest pose.
#[must_use]
pub fn rest_model_poses(file: &AnimFile<'_>) -> Vec<DAffine3> {
    let parents: Vec<u32> = file.nodes.iter().map(|node| node.parent.unwrap_or(NO_PARENT)).collect();
    let locals: Vec<DAffine3> = file.nodes.iter().map(|node| rest_local(file, node)).collect();
    let mut model_from_node = alloc::vec![DAffine3::IDENTITY; locals.len()];
    compose_model_poses(&parents, &locals, &mut model_from_node);
    model_from_node
}

/// `model_from_attachment` given the palette of the moment; `None` if there is no such attachment.
#[must_use]
pub fn attachment_matrix(file: &AnimFile<'_>, attachment: usize, palette: &[Rows]) -> Option<Rows> {
    let attachment = file.attachments.get(attachment)?;
    let bone = &file.bones[attachment.bone as usize];
    let model_from_bind = affine_from_rows(palette.get(attachment.bone as usize)?);
    let model_from_node = model_from_bind * affine_from_rows(&bone.bone_from_bind).inverse();
    Some(rows_from_affine(&(model_from_node * affine_from_rows(&attachment.node_from_attachment))))
}

/// The encoding of a rows page set in the words of `anim-core`; `None` for one of other contents.
#[must_use]
pub const fn rows_encoding(encoding: Encoding) -> Option<RowsEncoding> {
    match encoding {
        Encoding::Affine32 => Some(RowsEncoding::Affine32),
        Encoding::Affine16 => Some(RowsEncoding::Affine16),
        _ => None,
    }
}

fn rest_local(file: &AnimFile<'_>, node: &Node<'_>) -> DAffine3 {
    if let Some(entry) = node.rest_matrix_in_pool {
        let entry = entry as usize;
        let pool = &file.constant_pool;
        return affine_from_rows(&[pool[entry], pool[entry + 1], pool[entry + 2]]);
    }
    Trs {
        translation: node.rest_translation.map(f64::from).into(),
        rotation: anim_core::glam::DQuat::from_array(node.rest_rotation.map(f64::from)),
        scale: node.rest_scale.map(f64::from).into(),
    }
    .to_affine()
}
