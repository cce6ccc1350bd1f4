//! Version 1 to the model. What is checked here is structure: lengths, ranges and numbers of enumerations.

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use super::numbers::Numbered;
use super::strings::Names;
use super::surface_to_model::{images, materials, mesh, parts};
use super::tables::{Field, Ranges, Tables};
use super::{
    AttachmentRecord, BoneRecord, BoundsRecord, ClipRecord, ExtentRecord, HashRecord, LocalRecordRecord,
    MINOR, MaskRecord, NONE, NodeRecord, PageSetRecord, TrackRecord,
};
use crate::error::FormatError;
use crate::metadata;
use crate::model::{
    AnimFile, Attachment, Bone, Bounds, Clip, Content, Extent, LocalRecord, Mask, Node, PageSet, SourceHash,
    Track,
};
use crate::section::{Section, describe};
use crate::section_kind as kind;
use crate::wire::{U32, get_floats};

pub(in crate::versions) fn to_model<'a>(
    sections: &[Section<'a>],
    minor: u16,
) -> Result<AnimFile<'a>, FormatError> {
    let tables = Tables { sections, exact: minor == MINOR };
    let mut names = Names::new(tables.bytes(kind::STRINGS))?;
    let page_sets = page_sets(&tables)?;
    let file = AnimFile {
        extent: extent(&tables)?,
        // Names are stored in this order.
        clips: clips(&tables, &page_sets, &mut names)?,
        nodes: nodes(&tables, &mut names)?,
        attachments: attachments(&tables, &mut names)?,
        parts: parts(&tables, &mut names)?,
        materials: materials(&tables, &mut names)?,
        images: images(&tables, &mut names)?,
        masks: masks(&tables, &mut names)?,
        page_sets,
        bones: bones(&tables)?,
        constant_pool: tables.records(kind::CONSTANT_POOL)?.map(get_floats).collect(),
        local_records: tables.records(kind::LOCAL_RECORDS)?.map(local_record).collect(),
        mesh: mesh(&tables)?,
        hashes: hashes(&tables)?,
        metadata: tables.find(kind::METADATA).map(|section| metadata::decode(section.bytes)).transpose()?,
    };
    if tables.exact {
        names.finish()?;
    }
    Ok(file)
}

fn extent(tables: &Tables<'_, '_>) -> Result<Extent, FormatError> {
    let mut records = tables.records::<ExtentRecord>(kind::EXTENT)?;
    let (Some(record), None) = (records.next(), records.next()) else {
        return Err(missing_or_wrong_count(tables, kind::EXTENT));
    };
    tables.reserved("extent", &[record.reserved_ball_node, record.reserved_ball_radius_metres])?;
    Ok(Extent {
        rest_box_min: get_floats(record.rest_box_min),
        rest_box_max: get_floats(record.rest_box_max),
        model_size_metres: record.model_size_metres.get(),
        vertex_box_min: get_floats(record.vertex_box_min),
        vertex_box_max: get_floats(record.vertex_box_max),
        fade_overshoot_metres: record.fade_overshoot_metres.get(),
    })
}

fn clips<'a>(
    tables: &Tables<'_, 'a>,
    page_sets: &[PageSet<'a>],
    names: &mut Names<'a>,
) -> Result<Vec<Clip<'a>>, FormatError> {
    let track_records: Vec<TrackRecord> = tables.records(kind::TRACKS)?.collect();
    let words: Vec<U32> = tables.records(kind::HELD_FRAMES)?.collect();
    let mut track_ranges = Ranges::new(&track_records);
    let mut word_ranges = Ranges::new(&words);
    let clips = tables.read_each(kind::CLIPS, |number, record: ClipRecord| {
        let place = |field| Field { table: "clips", number, field };
        let (events, root_motion) = (record.reserved_events, record.reserved_root_motion);
        let reserved = [events.first, events.count, root_motion.first, root_motion.count, record.reserved];
        tables.reserved(place("events"), &reserved)?;
        let mut tracks = Vec::new();
        for (track, record) in track_ranges.take(record.tracks, place("tracks"))?.iter().enumerate() {
            tracks.push(read_track(
                tables,
                page_sets,
                record,
                &mut word_ranges,
                &format!("clips[{number}].tracks[{track}]"),
            )?);
        }
        let rate = record.source_rate_hz.get();
        Ok(Clip {
            name: names.take(record.name, place("name"))?,
            duration_seconds: record.duration_seconds.get(),
            start_seconds: record.start_seconds.get(),
            source_rate_hz: (rate != 0.0).then_some(rate),
            mode: Numbered::from_number(record.mode.get(), place("mode"))?,
            bounds: bounds(record.bounds),
            loop_gap_metres: record.loop_gap_metres.get(),
            tracks,
        })
    })?;
    track_ranges.finish("tracks")?;
    word_ranges.finish("held frames")?;
    Ok(clips)
}

fn read_track(
    tables: &Tables<'_, '_>,
    page_sets: &[PageSet<'_>],
    record: &TrackRecord,
    words: &mut Ranges<'_, U32>,
    place: &str,
) -> Result<Track, FormatError> {
    tables.reserved(place, &record.reserved)?;
    let set = page_sets.get(record.page_set.get() as usize);
    let is_local = set.is_some_and(|set| set.content == Content::Local);
    // 0 stands for "no record" and for "every frame is stored" where the field has no meaning; any other number there
    // is kept, and found by `validate`.
    let first_record = Some(record.first_record.get()).filter(|first| is_local || *first != 0);
    let every_frame_is_stored = record.header_texels.get() == 0 && record.stored_frames.get() == 0;
    let stored_frames = if every_frame_is_stored { record.frames } else { record.stored_frames };
    Ok(Track {
        page_set: record.page_set.get(),
        page: record.page.get(),
        first_texel: record.first_texel.get(),
        header_texels: record.header_texels.get(),
        frames: record.frames.get(),
        intervals: record.intervals.get(),
        stored_frames: stored_frames.get(),
        elements_per_frame: record.elements_per_frame.get(),
        texels_per_element: record.texels_per_element.get(),
        first_record,
        interpolation: Numbered::from_number(
            record.interpolation.get(),
            format_args!("{place}.interpolation"),
        )?,
        held_frames: words
            .take(record.held_frames, format_args!("{place}.held_frames"))?
            .iter()
            .map(|word| word.get())
            .collect(),
    })
}

fn nodes<'a>(tables: &Tables<'_, 'a>, names: &mut Names<'a>) -> Result<Vec<Node<'a>>, FormatError> {
    tables.read_each(kind::NODES, |number, record: NodeRecord| {
        Ok(Node {
            name: names.take(record.name, format_args!("nodes[{number}].name"))?,
            parent: optional(record.parent),
            depth: record.depth.get(),
            source_node: record.source_node.get(),
            rest_translation: get_floats(record.rest_translation),
            rest_rotation: get_floats(record.rest_rotation),
            rest_scale: get_floats(record.rest_scale),
            rest_matrix_in_pool: optional(record.rest_matrix_in_pool),
        })
    })
}

fn bones(tables: &Tables<'_, '_>) -> Result<Vec<Bone>, FormatError> {
    tables.read_each(kind::BONES, |number, record: BoneRecord| {
        tables.reserved(format_args!("bones[{number}]"), &record.reserved)?;
        Ok(Bone { node: optional(record.node), bone_from_bind: record.bone_from_bind.map(get_floats) })
    })
}

fn local_record(record: LocalRecordRecord) -> LocalRecord {
    LocalRecord {
        rotation: record.rotation.get(),
        translation: record.translation.get(),
        scale: record.scale.get(),
        ranges: record.ranges.get(),
    }
}

fn masks<'a>(tables: &Tables<'_, 'a>, names: &mut Names<'a>) -> Result<Vec<Mask<'a>>, FormatError> {
    let words: Vec<U32> = tables.records(kind::MASK_WORDS)?.collect();
    let mut word_ranges = Ranges::new(&words);
    let masks = tables.read_each(kind::MASKS, |number, record: MaskRecord| {
        let words = word_ranges.take(record.words, format_args!("masks[{number}].words"))?;
        Ok(Mask {
            name: names.take(record.name, format_args!("masks[{number}].name"))?,
            words: words.iter().map(|word| word.get()).collect(),
        })
    })?;
    word_ranges.finish("mask words")?;
    Ok(masks)
}

fn attachments<'a>(
    tables: &Tables<'_, 'a>,
    names: &mut Names<'a>,
) -> Result<Vec<Attachment<'a>>, FormatError> {
    tables.read_each(kind::ATTACHMENTS, |number, record: AttachmentRecord| {
        Ok(Attachment {
            name: names.take(record.name, format_args!("attachments[{number}].name"))?,
            node: record.node.get(),
            node_from_attachment: record.node_from_attachment.map(get_floats),
            bone: record.bone.get(),
        })
    })
}

fn page_sets<'a>(tables: &Tables<'_, 'a>) -> Result<Vec<PageSet<'a>>, FormatError> {
    let mut pages_left = tables.pages().iter();
    let page_sets = tables.read_each(kind::PAGE_SETS, |number, record: PageSetRecord| {
        let place = |field| Field { table: "page_sets", number, field };
        tables.reserved(place("reserved"), &record.reserved)?;
        let content = Numbered::from_number(record.content.get(), place("content"))?;
        let encoding = Numbered::from_number(record.encoding.get(), place("encoding"))?;
        let texel_format = Numbered::from_number(record.texel_format.get(), place("texel_format"))?;
        let mut pages = Vec::new();
        for page in 0..record.page_count.get() {
            let found = pages_left.next();
            let is_next =
                |section: &&Section<'_>| section.info.owner as usize == number && section.info.number == page;
            let section = found.filter(is_next).ok_or_else(|| FormatError::SectionMissing {
                what: format!("page {page} of page set {number}"),
            })?;
            pages.push(Cow::Borrowed(section.bytes));
        }
        Ok(PageSet {
            content,
            encoding,
            texel_format,
            width: record.width.get(),
            height: record.height.get(),
            pages,
        })
    })?;
    match pages_left.next() {
        Some(section) => Err(FormatError::SectionUnexpected { what: describe(&section.info) }),
        None => Ok(page_sets),
    }
}

fn hashes(tables: &Tables<'_, '_>) -> Result<Vec<SourceHash>, FormatError> {
    tables.read_each(kind::HASHES, |number, record: HashRecord| {
        tables.reserved(format_args!("hashes[{number}].reserved"), &[record.reserved])?;
        Ok(SourceHash {
            of: Numbered::from_number(record.of.get(), format_args!("hashes[{number}].of"))?,
            sha256: record.sha256,
        })
    })
}

pub(super) fn bounds(record: BoundsRecord) -> Bounds {
    Bounds {
        box_min: get_floats(record.box_min),
        box_max: get_floats(record.box_max),
        sphere_center: get_floats(record.sphere_center),
        sphere_radius: record.sphere_radius.get(),
    }
}

pub(super) fn optional(number: U32) -> Option<u32> {
    (number.get() != NONE).then_some(number.get())
}

pub(super) fn missing_or_wrong_count(tables: &Tables<'_, '_>, kind: u32) -> FormatError {
    let name = kind::section_kind_name(kind).unwrap_or_default();
    match tables.find(kind) {
        Some(section) => FormatError::Mismatch {
            place: format!("record count of the section \"{name}\""),
            found: section.info.record_count.into(),
            expected: 1,
        },
        None => FormatError::SectionMissing { what: format!("the section \"{name}\"") },
    }
}
