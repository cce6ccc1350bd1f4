//! One clip as a local track: the texels of what moves, and where each node finds its rotation, translation and scale.

use std::collections::BTreeMap;

use anim_core::glam::{Quat, Vec3, Vec4};
use anim_core::local_encoding::{
    LocalEncoding, is_storable, pack_rotation, range_of, unpack_rotation, write_rotation, write_value,
};
use anim_core::local_pose::FLIP_BELOW;
use anim_core::local_tracks::frame_table_texels;

use crate::clip_plan::ClipPlan;
use crate::diagnostics::Diagnostic;
use crate::geometry::index;
use crate::ids;
use crate::local_rest::{LocalRest, RestNode};
use crate::local_sample::{Samples, sample_axis_lengths, sample_rotation, sample_value};
use crate::source::{Channel, Property, SourceAsset};

/// A clip, encoded, and not yet in a page.
pub(crate) struct LocalClip {
    /// One entry a node of the file.
    pub(crate) nodes: Vec<LocalNode>,
    /// Rotations, translations and scales that move.
    pub(crate) elements_per_frame: u32,
    /// Frames of the clip.
    pub(crate) frames: u32,
    /// Frames in `texels`: all, or fewer with a frame table.
    pub(crate) stored_frames: u32,
    /// Texels of the frame table at the start of `texels`; 0 without one.
    pub(crate) header_texels: u32,
    /// The track's bytes.
    pub(crate) texels: Vec<u8>,
}

/// Where the local transform of a node comes from.
#[derive(Clone, Copy)]
pub(crate) enum LocalNode {
    /// From three rows in the constant pool.
    Matrix(u32),
    /// From rotation, translation and scale.
    Parts([LocalPart; 3]),
}

/// Where one of the three comes from.
#[derive(Clone, Copy)]
pub(crate) enum LocalPart {
    /// It stands still.
    Constant([f32; 4]),
    /// It moves: number of its element in a frame, and its range, if the encoding has one for it.
    Slot(u32, Option<[f32; 4]>),
}

/// What moves, before it has a slot.
enum Moving {
    Rotation(Vec<Quat>),
    Value(Vec<Vec3>, Vec4),
}

/// Samples and encodes a clip.
pub(crate) fn encode_clip(
    asset: &SourceAsset,
    rest: &LocalRest,
    clip: &ClipPlan,
    encoding: LocalEncoding,
) -> Result<LocalClip, Diagnostic> {
    let channels = channels_by_node(asset, clip);
    let mut nodes = Vec::with_capacity(rest.nodes.len());
    // For rotations, translations and scales: what moves, by node.
    let mut moving: [Vec<(usize, Moving)>; 3] = Default::default();
    for (number, node) in rest.nodes.iter().enumerate() {
        if let Some(first_entry) = node.matrix_in_pool {
            nodes.push(LocalNode::Matrix(first_entry));
            continue;
        }
        let [rotation, translation, scale] = channels[node.source];
        let mut sampled = [
            rotation.map(|c| sample_rotation(c, clip, node.rotation, rest.tolerance)),
            translation.map(|c| sample_value(c, clip, node.translation, rest.tolerance, node.reach)),
            scale.map(|c| sample_value(c, clip, node.scale, rest.tolerance, 0.0)),
        ];
        let at_rest = [node.rotation, node.translation, node.scale];
        if let Some(lengths) = rotation.and_then(|channel| sample_axis_lengths(channel, clip)) {
            let scale = sampled[2].take().unwrap_or(Samples::Still(node.scale));
            sampled[2] = Some(scale.stretched(&lengths));
        }
        let mut parts = [LocalPart::Constant([0.0; 4]); 3];
        for (kind, samples) in sampled.into_iter().enumerate() {
            let samples = samples.unwrap_or(Samples::Still(at_rest[kind]));
            match samples {
                Samples::Still(value) => {
                    let value = constant(value, kind).map_err(|found| refusal(asset, clip, node, found))?;
                    parts[kind] = LocalPart::Constant(value);
                }
                Samples::Moving(values) if kind == 0 => {
                    let mut rotations: Vec<Quat> =
                        values.iter().map(|q| Quat::from_array(q.map(narrow))).collect();
                    if encoding == LocalEncoding::Local8 {
                        turn_half_turns(&mut rotations);
                    }
                    moving[kind].push((number, Moving::Rotation(rotations)));
                }
                Samples::Moving(values) => {
                    let values: Vec<Vec3> =
                        values.iter().map(|v| Vec3::new(narrow(v[0]), narrow(v[1]), narrow(v[2]))).collect();
                    let range = range_of(&values).ok_or_else(|| {
                        let bad = values.iter().find(|value| !is_storable(**value)).copied();
                        refusal(asset, clip, node, bad.unwrap_or_default())
                    })?;
                    moving[kind].push((number, Moving::Value(values, range)));
                }
            }
        }
        nodes.push(LocalNode::Parts(parts));
    }
    let mut slots = Vec::new();
    for (kind, moving) in moving.into_iter().enumerate() {
        for (number, moving) in moving {
            let range = match (&moving, encoding) {
                (Moving::Value(_, range), LocalEncoding::Local8) => Some(range.to_array()),
                _ => None,
            };
            if let LocalNode::Parts(parts) = &mut nodes[number] {
                parts[kind] = LocalPart::Slot(index(slots.len()), range);
            }
            slots.push(moving);
        }
    }
    let (stored_frames, header_texels, texels) = store_frames(&slots, clip.frames(), encoding);
    let (frames, elements_per_frame) = (clip.frames(), index(slots.len()));
    Ok(LocalClip { nodes, elements_per_frame, frames, stored_frames, header_texels, texels })
}

/// Rotation, translation and scale channels of each source node.
fn channels_by_node<'a>(asset: &'a SourceAsset, clip: &ClipPlan) -> Vec<[Option<&'a Channel>; 3]> {
    let mut channels = vec![[None; 3]; asset.nodes.len()];
    for channel in clip.source.iter().flat_map(|source| &asset.clips[*source].channels) {
        let kind = match channel.property {
            Property::Rotation => 0,
            Property::Translation => 1,
            Property::Scale => 2,
            Property::Weights => continue,
        };
        channels[channel.node][kind] = Some(channel);
    }
    channels
}

/// What the pool holds of a constant: rotations with the number of the largest magnitude positive, no negative zeros.
pub(crate) fn constant(value: [f64; 4], kind: usize) -> Result<[f32; 4], Vec3> {
    let mut value = value.map(narrow);
    if kind == 0 {
        let largest =
            value.iter().fold(0.0f32, |largest, v| if v.abs() > largest.abs() { *v } else { largest });
        if largest < 0.0 {
            value = value.map(|v| -v);
        }
    } else {
        let value = Vec3::new(value[0], value[1], value[2]);
        if !is_storable(value) {
            return Err(value);
        }
    }
    Ok(value.map(|v| v + 0.0))
}

/// A dot product of two rotations that no rounding of `Local8` can bring to [`FLIP_BELOW`] with the other sign.
const CLEARLY_NEARER: f32 = 4e-5;

/// `Local8` drops the signs of rotations, and players take the shorter arc. A turn of 180 degrees from one frame to the
/// next has no shorter arc: where players would turn the other way than the source, the later rotation is moved by less
/// than 2e-4 radians, so that the way is clear.
fn turn_half_turns(rotations: &mut [Quat]) {
    let stored = |q: Quat| unpack_rotation(pack_rotation(q));
    for frame in 1..rotations.len() {
        let (a, b) = (rotations[frame - 1], rotations[frame]);
        let (a_stored, b_stored) = (stored(a), stored(b));
        let is_flipped = a_stored.dot(b_stored) < FLIP_BELOW;
        let signs_differ = (a_stored.dot(a) < 0.0) != (b_stored.dot(b) < 0.0);
        if is_flipped != signs_differ {
            let share = CLEARLY_NEARER - a.dot(b);
            rotations[frame] = Quat::from_vec4(Vec4::from(b) + Vec4::from(a) * share).normalize();
        }
    }
}

/// Stored frames, texels of the frame table, and all texels. Equal frames are stored once where that saves bytes.
fn store_frames(slots: &[Moving], frames: u32, encoding: LocalEncoding) -> (u32, u32, Vec<u8>) {
    if slots.is_empty() {
        return (frames, 0, Vec::new());
    }
    let frame_bytes = slots.len() * encoding.texel_bytes();
    let mut texels = vec![0; frame_bytes * frames as usize];
    for (frame, elements) in texels.chunks_exact_mut(frame_bytes).enumerate() {
        for (moving, texel) in slots.iter().zip(elements.chunks_exact_mut(encoding.texel_bytes())) {
            match moving {
                Moving::Rotation(rotations) => write_rotation(rotations[frame], encoding, texel),
                Moving::Value(values, range) => write_value(values[frame], *range, encoding, texel),
            }
        }
    }
    let mut number_of: BTreeMap<&[u8], u32> = BTreeMap::new();
    let mut first_frames = Vec::new();
    let mut table = Vec::with_capacity(frames as usize);
    for (frame, elements) in texels.chunks_exact(frame_bytes).enumerate() {
        let number = *number_of.entry(elements).or_insert_with(|| {
            first_frames.push(frame);
            index(first_frames.len() - 1)
        });
        table.push(number);
    }
    let header_texels = frame_table_texels(frames, encoding);
    let header_bytes = header_texels as usize * encoding.texel_bytes();
    if header_bytes + first_frames.len() * frame_bytes >= texels.len() {
        return (frames, 0, texels);
    }
    let mut stored: Vec<u8> = table.iter().flat_map(|number| number.to_le_bytes()).collect();
    stored.resize(header_bytes, 0);
    for frame in &first_frames {
        stored.extend_from_slice(&texels[frame * frame_bytes..(frame + 1) * frame_bytes]);
    }
    (index(first_frames.len()), header_texels, stored)
}

fn refusal(asset: &SourceAsset, clip: &ClipPlan, node: &RestNode, found: Vec3) -> Diagnostic {
    Diagnostic::error(
        ids::VALUE_NOT_ENCODABLE,
        "",
        "the clip has a translation or a scale that cannot be stored",
    )
    .in_clip(&clip.name)
    .at_bone(crate::assemble::node_label(asset, Some(node.source)))
    .expected_found("at most 1e38 in magnitude", format!("{}, {}, {}", found.x, found.y, found.z))
    .help("check the model's scales and key values")
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what storing is")]
fn narrow(v: f64) -> f32 {
    v as f32
}
