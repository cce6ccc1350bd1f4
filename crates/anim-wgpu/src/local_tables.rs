//! What the palette pass needs of a file with local tracks besides its pages, in one storage buffer: clips, parents, bones,
//! held frames, masks, constants and records. One, because a shader stage has eight.

use std::collections::BTreeMap;

use anim_core::local_record::{LOCAL_ANIMATED, LOCAL_MATRIX, LocalRecord};
use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::AnimFile;
use anim_format::model::{Interpolation, PageSet};

use crate::hierarchy::Hierarchy;

/// An entry: 16 bytes.
pub(crate) type Entry = [u32; 4];

const NONE: u32 = u32::MAX;

/// Instead of a scale of one.
const UNIT: u32 = u32::MAX;

/// Entries before those of the clips.
const HEADER: usize = 2;

/// The tables of page set `number`, as `decode_local.wgsl` reads them.
///
/// Entry 0 holds the first entries of the parents (words), the bones (the first rows of all, the second, the third, then
/// their nodes as words), the held frames (words) and the masks (words, each mask from an entry of its own); entry 1 the
/// entries of a mask, and how many nodes and bones there are. After the bones come the rounds of the [`Hierarchy`] (words),
/// which learns where both are. Two entries a clip follow:
/// first texel of the stored frames, intervals, 1 for steps, first held word; then elements of a frame, entry of the first
/// record, first texel of the frame table. A clip's records are two entries a node: all first ones, then all second ones;
/// their indices of constants are entries here.
///
/// A clip that the set does not carry shows the rest pose of the first clip that it does; without any, nothing.
pub(crate) fn local_tables(
    file: &AnimFile<'_>,
    set: &PageSet<'_>,
    number: u32,
    hierarchy: &mut Hierarchy,
) -> Vec<Entry> {
    let mut tables = vec![[0; 4]; HEADER + file.clips.len() * 2];
    let parents: Vec<u32> = file.nodes.iter().map(|node| node.parent.unwrap_or(NONE)).collect();
    let parents_base = push_words(&mut tables, &parents);
    hierarchy.bones_entry = len(&tables);
    for row in 0..3 {
        tables.extend(file.bones.iter().map(|bone| {
            let rows = if bone.node.is_some() { &bone.bone_from_bind } else { &IDENTITY_ROWS };
            rows[row].map(f32::to_bits)
        }));
    }
    let bone_nodes: Vec<u32> = file.bones.iter().map(|bone| bone.node.unwrap_or(NONE)).collect();
    push_words(&mut tables, &bone_nodes);
    hierarchy.rounds_entry = push_words(&mut tables, &hierarchy.words);
    let pool_base = len(&tables);
    tables.extend(file.constant_pool.iter().map(|entry| entry.map(f32::to_bits)));
    let mut held: Vec<u32> = Vec::new();
    let mut records_at: BTreeMap<u32, u32> = BTreeMap::new();
    let mut not_carried = Vec::new();
    for (clip_number, clip) in file.clips.iter().enumerate() {
        let at = HEADER + clip_number * 2;
        let Some(track) = clip.tracks.iter().find(|track| track.page_set == number) else {
            not_carried.push(at);
            continue;
        };
        let table = u64::from(track.page) * set.page_texels() + u64::from(track.first_texel);
        let first = table + u64::from(track.header_texels);
        let held_word = if track.held_frames.is_empty() { NONE } else { word(held.len() as u64) };
        held.extend(&track.held_frames);
        let step = u32::from(track.interpolation == Interpolation::Step);
        let first_record = track.first_record.unwrap_or(0);
        let records = *records_at.entry(first_record).or_insert_with(|| {
            let base = len(&tables);
            push_records(&mut tables, file, first_record, pool_base);
            base
        });
        let frame_table = if track.header_texels > 0 { word(table) } else { NONE };
        tables[at] = [word(first), track.intervals, step, held_word];
        tables[at + 1] = [track.elements_per_frame, records, frame_table, 0];
    }
    let records = records_at.values().next().copied().unwrap_or(0);
    for at in not_carried {
        (tables[at], tables[at + 1]) = ([0, 0, 1, NONE], [0, records, NONE, 0]);
    }
    let held_base = push_words(&mut tables, &held);
    let masks_base = len(&tables);
    for mask in &file.masks {
        push_words(&mut tables, &mask.words);
    }
    tables[0] = [parents_base, hierarchy.bones_entry, held_base, masks_base];
    tables[1] = [
        word(file.nodes.len().div_ceil(128) as u64),
        word(file.nodes.len() as u64),
        word(file.bones.len() as u64),
        0,
    ];
    tables
}

/// Appends the records of a clip: the first entries of all nodes, then the second ones, so that neighbouring threads load
/// neighbouring entries.
fn push_records(tables: &mut Vec<Entry>, file: &AnimFile<'_>, first_record: u32, pool_base: u32) {
    let records = file.local_records.iter().skip(first_record as usize).take(file.nodes.len());
    let entries: Vec<[Entry; 2]> =
        records.map(|record| entries_of(record, &file.constant_pool, pool_base)).collect();
    for half in 0..2 {
        tables.extend(entries.iter().map(|entry| entry[half]));
    }
}

/// A record as shaders read it: where rotation, translation and scale come from, and the range of the scale, as entries;
/// then the numbers of a translation that stands still, or its range, so that no load waits for another one.
fn entries_of(record: &LocalRecord, pool: &[[f32; 4]], pool_base: u32) -> [Entry; 2] {
    let is_moving = |word: u32| word & LOCAL_ANIMATED != 0;
    let place = |word: u32| if is_moving(word) { word } else { word + pool_base };
    let numbers = |place: u32| pool.get(place as usize).copied().unwrap_or_default();
    if record.rotation & (LOCAL_ANIMATED | LOCAL_MATRIX) == LOCAL_MATRIX {
        return [[record.rotation + pool_base, 0, 0, 0], [0; 4]];
    }
    let is_one = !is_moving(record.scale) && numbers(record.scale)[..3] == [1.0; 3];
    let scale = if is_one { UNIT } else { place(record.scale) };
    // The range of the scale is the one after the translation's, if that moves.
    let scale_range = record.ranges + u32::from(is_moving(record.translation)) + pool_base;
    let translation = if is_moving(record.translation) { record.ranges } else { record.translation };
    [
        [place(record.rotation), place(record.translation), scale, scale_range],
        numbers(translation).map(f32::to_bits),
    ]
}

/// Appends words from an entry of their own on, and says which.
fn push_words(tables: &mut Vec<Entry>, words: &[u32]) -> u32 {
    let base = len(tables);
    tables.extend(words.chunks(4).map(|chunk| {
        let mut entry = [0; 4];
        entry[..chunk.len()].copy_from_slice(chunk);
        entry
    }));
    base
}

fn len(tables: &[Entry]) -> u32 {
    word(tables.len() as u64)
}

fn word(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
