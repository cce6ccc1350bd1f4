//! Reading local tracks, four nodes at a time: the twin of `local_tracks`' `node_transform_at`.

use glam::Vec4;

use super::unpack::{unpack_ranged, unpack_rotations};
use super::{FourTransforms, LANES, Rotations, nlerp_corrected, select, transpose};
use crate::local_encoding::LocalEncoding;
use crate::local_record::{LocalRecord, LocalSource};
use crate::local_tracks::{LocalMoment, LocalTrackView};

/// The local transforms of four nodes, by their records, and which of them are constant matrices: theirs are without
/// meaning.
#[inline(always)]
pub(super) fn four_transforms(
    tracks: &LocalTrackView<'_>,
    records: &[LocalRecord; LANES],
    moment: &LocalMoment,
) -> (FourTransforms, [bool; LANES]) {
    let mut translations = [Vec4::ZERO; LANES];
    let mut scales = [Vec4::ZERO; LANES];
    let mut is_matrix = [false; LANES];
    for (lane, record) in records.iter().enumerate() {
        if let LocalSource::Matrix(_) = record.rotation_source() {
            is_matrix[lane] = true;
            continue;
        }
        translations[lane] = value(tracks, record.translation_source(), record.translation_range(), moment);
        scales[lane] = value(tracks, record.scale_source(), record.scale_range(), moment);
    }
    (FourTransforms { translations, rotations: rotations(tracks, records, moment), scales }, is_matrix)
}

#[inline(always)]
fn rotations(tracks: &LocalTrackView<'_>, records: &[LocalRecord; LANES], moment: &LocalMoment) -> Rotations {
    let [a, b, c, d] = records;
    let slots = [slot_of(a), slot_of(b), slot_of(c), slot_of(d)];
    if slots == [None; LANES] {
        return constants(tracks, records);
    }
    let moving = nlerp_corrected(
        &rotations_at(tracks, &slots, moment.texel_a),
        &rotations_at(tracks, &slots, moment.texel_b),
        moment.t,
    );
    let moves = [slots[0].is_some(), slots[1].is_some(), slots[2].is_some(), slots[3].is_some()];
    if moves == [true; LANES] {
        return moving;
    }
    let one_if = |moves| f32::from(u8::from(moves));
    let moves = Vec4::new(one_if(moves[0]), one_if(moves[1]), one_if(moves[2]), one_if(moves[3]));
    select(moves.cmpgt(Vec4::ZERO), moving, constants(tracks, records))
}

#[inline(always)]
fn slot_of(record: &LocalRecord) -> Option<u32> {
    match record.rotation_source() {
        LocalSource::Slot(slot) => Some(slot),
        _ => None,
    }
}

/// The rotations that stand still; the others are without meaning.
#[inline(always)]
fn constants(tracks: &LocalTrackView<'_>, records: &[LocalRecord; LANES]) -> Rotations {
    let mut constants = [Vec4::W; LANES];
    for (constant, record) in constants.iter_mut().zip(records) {
        if let LocalSource::Constant(entry) = record.rotation_source() {
            *constant = Vec4::from_array(tracks.pool[entry as usize]);
        }
    }
    transpose(constants)
}

/// The rotations of a frame; those without a slot are without meaning.
#[inline(always)]
fn rotations_at(tracks: &LocalTrackView<'_>, slots: &[Option<u32>; LANES], frame: u32) -> Rotations {
    match tracks.encoding {
        LocalEncoding::Local8 => {
            let [a, b] = [words(tracks, slots[0], frame), words(tracks, slots[1], frame)];
            let [c, d] = [words(tracks, slots[2], frame), words(tracks, slots[3], frame)];
            unpack_rotations([a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]])
        }
        LocalEncoding::Local32 => {
            let mut rotations = [Vec4::W; LANES];
            for (rotation, slot) in rotations.iter_mut().zip(slots) {
                *rotation = tracks.rotation_at(frame.wrapping_add(slot.unwrap_or(0))).into();
            }
            transpose(rotations)
        }
    }
}

#[inline(always)]
fn words(tracks: &LocalTrackView<'_>, slot: Option<u32>, frame: u32) -> [u32; 2] {
    tracks.words8(frame.wrapping_add(slot.unwrap_or(0)))
}

/// A translation or a scale; the fourth number is without meaning.
#[inline(always)]
fn value(tracks: &LocalTrackView<'_>, source: LocalSource, range: u32, moment: &LocalMoment) -> Vec4 {
    match source {
        LocalSource::Slot(slot) => {
            let (texel_a, texel_b) = (moment.texel_a.wrapping_add(slot), moment.texel_b.wrapping_add(slot));
            let (a, b) = match tracks.encoding {
                LocalEncoding::Local8 => {
                    let range = Vec4::from_array(tracks.pool[range as usize]);
                    let a = unpack_ranged(tracks.words8(texel_a), range);
                    (a, unpack_ranged(tracks.words8(texel_b), range))
                }
                LocalEncoding::Local32 => {
                    (tracks.value32_at(texel_a).extend(0.0), tracks.value32_at(texel_b).extend(0.0))
                }
            };
            a * (1.0 - moment.t) + b * moment.t
        }
        LocalSource::Constant(entry) | LocalSource::Matrix(entry) => {
            Vec4::from_array(tracks.pool[entry as usize])
        }
    }
}
