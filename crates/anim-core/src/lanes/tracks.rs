//! Reading local tracks, four nodes at a time: the twin of `local_tracks`' `node_transform_at`.

use glam::Vec4;

use super::unpack::{unpack_ranged, unpack_rotations};
use super::{FourTransforms, LANES, Rotations, nlerp_corrected, select, transpose};
use crate::local_encoding::LocalEncoding;
use crate::local_record::{LOCAL_ANIMATED, LocalRecord, LocalSource};
use crate::local_tracks::{LocalMoment, LocalTrackView};

/// The local transforms of four nodes, by their records, and which of them are constant matrices: theirs are without
/// meaning.
#[inline(always)]
pub(super) fn four_transforms(
    tracks: &LocalTrackView<'_>,
    records: &[LocalRecord; LANES],
    moment: &LocalMoment,
) -> (FourTransforms, [bool; LANES]) {
    let rotations = rotations(tracks, records, moment);
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
    (FourTransforms { translations, rotations, scales }, is_matrix)
}

#[inline(always)]
fn rotations(tracks: &LocalTrackView<'_>, records: &[LocalRecord; LANES], moment: &LocalMoment) -> Rotations {
    let [a, b, c, d] = [records[0].rotation, records[1].rotation, records[2].rotation, records[3].rotation];
    if (a | b | c | d) & LOCAL_ANIMATED == 0 {
        return constants(tracks, records);
    }
    // A node that stands still reads any texel, and what it reads is not looked at.
    let slots = [a & !LOCAL_ANIMATED, b & !LOCAL_ANIMATED, c & !LOCAL_ANIMATED, d & !LOCAL_ANIMATED];
    let moving = nlerp_corrected(
        &rotations_at(tracks, slots, moment.texel_a),
        &rotations_at(tracks, slots, moment.texel_b),
        moment.t,
    );
    if a & b & c & d & LOCAL_ANIMATED != 0 {
        return moving;
    }
    let moves = Vec4::new(minus_one_if(a), minus_one_if(b), minus_one_if(c), minus_one_if(d));
    select(moves.cmplt(Vec4::ZERO), moving, constants(tracks, records))
}

/// -1 where a rotation's word is that of a slot, 1 where it is not.
#[inline(always)]
fn minus_one_if(animated: u32) -> f32 {
    f32::from_bits(1f32.to_bits() | animated & LOCAL_ANIMATED)
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

#[inline(always)]
fn rotations_at(tracks: &LocalTrackView<'_>, slots: [u32; LANES], frame: u32) -> Rotations {
    let [a, b, c, d] = slots;
    match tracks.encoding {
        LocalEncoding::Local8 => {
            let [a, b] = [tracks.words8(frame.wrapping_add(a)), tracks.words8(frame.wrapping_add(b))];
            let [c, d] = [tracks.words8(frame.wrapping_add(c)), tracks.words8(frame.wrapping_add(d))];
            unpack_rotations([a[0], b[0], c[0], d[0]], [a[1], b[1], c[1], d[1]])
        }
        LocalEncoding::Local32 => {
            let [a, b] =
                [tracks.rotation_at(frame.wrapping_add(a)), tracks.rotation_at(frame.wrapping_add(b))];
            let [c, d] =
                [tracks.rotation_at(frame.wrapping_add(c)), tracks.rotation_at(frame.wrapping_add(d))];
            transpose([a.into(), b.into(), c.into(), d.into()])
        }
    }
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
