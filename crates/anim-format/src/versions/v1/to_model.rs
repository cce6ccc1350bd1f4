//! Version 1 to the model. What is checked here is structure: lengths, ranges and numbers of enumerations.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Display;

use super::numbers::{ALPHA_BLEND, ALPHA_MASK, ALPHA_OPAQUE, Numbered};
use super::strings::Names;
use super::tables::{Ranges, Tables};
use super::{
    AttachmentRecord, BoneRecord, BoundsRecord, ClipRecord, ExtentRecord, HashRecord, ImageRecord, LodRecord,
    MATERIAL_FLAGS, MINOR, MaterialRecord, NONE, NodeRecord, PART_FLAGS, PageSetRecord, PartRecord,
    TrackRecord, VertexAttributeRecord,
};
use crate::error::FormatError;
use crate::metadata;
use crate::model::{
    Alpha, AnimFile, Attachment, Bone, Bounds, Clip, Extent, Image, Lod, Material, Mesh, Node, PageSet, Part,
    PartFlags, Sampler, SourceHash, Track, VertexAttribute,
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
    let file = AnimFile {
        extent: extent(&tables)?,
        // Names are stored in this order.
        clips: clips(&tables, &mut names)?,
        nodes: nodes(&tables, &mut names)?,
        attachments: attachments(&tables, &mut names)?,
        parts: parts(&tables, &mut names)?,
        materials: materials(&tables, &mut names)?,
        images: images(&tables, &mut names)?,
        page_sets: page_sets(&tables)?,
        bones: bones(&tables)?,
        constant_pool: tables.records(kind::CONSTANT_POOL)?.into_iter().map(get_floats).collect(),
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
    let records: Vec<ExtentRecord> = tables.records(kind::EXTENT)?;
    let [record] = records[..] else { return Err(missing_or_wrong_count(tables, kind::EXTENT)) };
    let reserved = [
        record.reserved_fade_overshoot_metres,
        record.reserved_ball_node,
        record.reserved_ball_radius_metres,
    ];
    tables.reserved("extent", &reserved)?;
    Ok(Extent {
        rest_box_min: get_floats(record.rest_box_min),
        rest_box_max: get_floats(record.rest_box_max),
        model_size_metres: record.model_size_metres.get(),
        vertex_box_min: get_floats(record.vertex_box_min),
        vertex_box_max: get_floats(record.vertex_box_max),
    })
}

fn clips<'a>(tables: &Tables<'_, 'a>, names: &mut Names<'a>) -> Result<Vec<Clip<'a>>, FormatError> {
    let track_records: Vec<TrackRecord> = tables.records(kind::TRACKS)?;
    let words: Vec<U32> = tables.records(kind::HELD_FRAMES)?;
    let mut track_ranges = Ranges::new(&track_records);
    let mut word_ranges = Ranges::new(&words);
    let mut clips = Vec::new();
    for (number, record) in tables.records::<ClipRecord>(kind::CLIPS)?.into_iter().enumerate() {
        let place = |field: &str| format!("clips[{number}].{field}");
        let (events, root_motion) = (record.reserved_events, record.reserved_root_motion);
        let reserved = [events.first, events.count, root_motion.first, root_motion.count, record.reserved];
        tables.reserved(place("events"), &reserved)?;
        let mut tracks = Vec::new();
        for (track, record) in track_ranges.take(record.tracks, place("tracks"))?.iter().enumerate() {
            tracks.push(read_track(
                tables,
                record,
                &mut word_ranges,
                &format!("clips[{number}].tracks[{track}]"),
            )?);
        }
        let rate = record.source_rate_hz.get();
        clips.push(Clip {
            name: names.take(record.name, place("name"))?,
            duration_seconds: record.duration_seconds.get(),
            start_seconds: record.start_seconds.get(),
            source_rate_hz: (rate != 0.0).then_some(rate),
            mode: Numbered::from_number(record.mode.get(), place("mode"))?,
            bounds: bounds(record.bounds),
            loop_gap_metres: record.loop_gap_metres.get(),
            tracks,
        });
    }
    track_ranges.finish("tracks")?;
    word_ranges.finish("held frames")?;
    Ok(clips)
}

fn read_track(
    tables: &Tables<'_, '_>,
    record: &TrackRecord,
    words: &mut Ranges<'_, U32>,
    place: &str,
) -> Result<Track, FormatError> {
    let [a, b, c] = record.reserved;
    let local = record.reserved_local_tracks;
    tables.reserved(place, &[local.first, local.count, a, b, c])?;
    Ok(Track {
        page_set: record.page_set.get(),
        page: record.page.get(),
        first_texel: record.first_texel.get(),
        header_texels: record.header_texels.get(),
        frames: record.frames.get(),
        intervals: record.intervals.get(),
        elements_per_frame: record.elements_per_frame.get(),
        texels_per_element: record.texels_per_element.get(),
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
    let records: Vec<NodeRecord> = tables.records(kind::NODES)?;
    let node = |(number, record): (usize, NodeRecord)| {
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
    };
    records.into_iter().enumerate().map(node).collect()
}

fn bones(tables: &Tables<'_, '_>) -> Result<Vec<Bone>, FormatError> {
    let records: Vec<BoneRecord> = tables.records(kind::BONES)?;
    let bone = |(number, record): (usize, BoneRecord)| {
        tables.reserved(format_args!("bones[{number}]"), &record.reserved)?;
        Ok(Bone { node: optional(record.node), bone_from_bind: record.bone_from_bind.map(get_floats) })
    };
    records.into_iter().enumerate().map(bone).collect()
}

fn attachments<'a>(
    tables: &Tables<'_, 'a>,
    names: &mut Names<'a>,
) -> Result<Vec<Attachment<'a>>, FormatError> {
    let records: Vec<AttachmentRecord> = tables.records(kind::ATTACHMENTS)?;
    let attachment = |(number, record): (usize, AttachmentRecord)| {
        Ok(Attachment {
            name: names.take(record.name, format_args!("attachments[{number}].name"))?,
            node: record.node.get(),
            node_from_attachment: record.node_from_attachment.map(get_floats),
            bone: record.bone.get(),
        })
    };
    records.into_iter().enumerate().map(attachment).collect()
}

fn page_sets<'a>(tables: &Tables<'_, 'a>) -> Result<Vec<PageSet<'a>>, FormatError> {
    let mut pages_left = tables.pages().iter();
    let mut page_sets = Vec::new();
    for (number, record) in tables.records::<PageSetRecord>(kind::PAGE_SETS)?.into_iter().enumerate() {
        let place = |field: &str| format!("page_sets[{number}].{field}");
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
        page_sets.push(PageSet {
            content,
            encoding,
            texel_format,
            width: record.width.get(),
            height: record.height.get(),
            pages,
        });
    }
    match pages_left.next() {
        Some(section) => Err(FormatError::SectionUnexpected { what: describe(&section.info) }),
        None => Ok(page_sets),
    }
}

fn parts<'a>(tables: &Tables<'_, 'a>, names: &mut Names<'a>) -> Result<Vec<Part<'a>>, FormatError> {
    let lod_records: Vec<LodRecord> = tables.records(kind::LODS)?;
    let mut lod_ranges = Ranges::new(&lod_records);
    let mut parts = Vec::new();
    for (number, record) in tables.records::<PartRecord>(kind::PARTS)?.into_iter().enumerate() {
        let place = |field: &str| format!("parts[{number}].{field}");
        tables.reserved(place("reserved"), &record.reserved)?;
        let lods = lod_ranges.take(record.lods, place("lods"))?;
        lods.iter().try_for_each(|lod| tables.reserved(place("lods"), &[lod.reserved]))?;
        let [rigid, normals_computed, double_sided, morphs_lost, not_triangles] =
            flags(tables, record.flags, PART_FLAGS, place("flags"))?;
        parts.push(Part {
            name: names.take(record.name, place("name"))?,
            material: record.material.get(),
            lods: lods.iter().map(read_lod).collect(),
            bounds: bounds(record.bounds),
            source_node: record.source_node.get(),
            source_mesh: record.source_mesh.get(),
            source_primitive: record.source_primitive.get(),
            first_vertex: record.first_vertex.get(),
            vertex_count: record.vertex_count.get(),
            source_vertex_count: record.source_vertex_count.get(),
            flags: PartFlags { rigid, normals_computed, double_sided, morphs_lost, not_triangles },
        });
    }
    lod_ranges.finish("lods")?;
    Ok(parts)
}

fn read_lod(record: &LodRecord) -> Lod {
    Lod {
        first_index: record.first_index.get(),
        index_count: record.index_count.get(),
        threshold: record.threshold.get(),
    }
}

fn materials<'a>(tables: &Tables<'_, 'a>, names: &mut Names<'a>) -> Result<Vec<Material<'a>>, FormatError> {
    let mut materials = Vec::new();
    for (number, record) in tables.records::<MaterialRecord>(kind::MATERIALS)?.into_iter().enumerate() {
        let place = |field: &str| format!("materials[{number}].{field}");
        let [a, b, c] = record.reserved;
        tables.reserved(place("reserved"), &[record.reserved_uv_set, a, b, c])?;
        let [double_sided, mag_nearest, min_nearest] =
            flags(tables, record.flags, MATERIAL_FLAGS, place("flags"))?;
        materials.push(Material {
            name: names.take(record.name, place("name"))?,
            base_color: get_floats(record.base_color),
            image: optional(record.image),
            sampler: Sampler {
                wrap_u: Numbered::from_number(record.wrap_u.get(), place("wrap_u"))?,
                wrap_v: Numbered::from_number(record.wrap_v.get(), place("wrap_v"))?,
                mag_nearest,
                min_nearest,
            },
            alpha: alpha(tables, &record, place("alpha_mode"))?,
            double_sided,
        });
    }
    Ok(materials)
}

fn alpha(tables: &Tables<'_, '_>, record: &MaterialRecord, place: String) -> Result<Alpha, FormatError> {
    let cutoff = record.alpha_cutoff.get();
    let alpha = match record.alpha_mode.get() {
        ALPHA_OPAQUE => Alpha::Opaque,
        ALPHA_MASK => return Ok(Alpha::Mask { cutoff }),
        ALPHA_BLEND => Alpha::Blend,
        found => return Err(FormatError::UnknownNumber { place, found, largest: ALPHA_BLEND }),
    };
    tables.reserved(format_args!("{place} without a mask: alpha_cutoff"), &[cutoff.to_bits().into()])?;
    Ok(alpha)
}

fn images<'a>(tables: &Tables<'_, 'a>, names: &mut Names<'a>) -> Result<Vec<Image<'a>>, FormatError> {
    let all_bytes = tables.bytes(kind::IMAGE_BYTES);
    let mut next: usize = 0;
    let mut images = Vec::new();
    for (number, record) in tables.records::<ImageRecord>(kind::IMAGES)?.into_iter().enumerate() {
        let place = |field: &str| format!("images[{number}].{field}");
        tables.reserved(place("reserved"), &[record.reserved])?;
        let (first, count) = (record.offset_bytes.get(), record.length_bytes.get());
        let end = usize::try_from(count).ok().and_then(|count| next.checked_add(count));
        let bytes = end.and_then(|end| all_bytes.get(next..end)).filter(|_| first == next as u64);
        let bytes = bytes.ok_or_else(|| FormatError::BadRange {
            place: place("bytes"),
            first,
            count,
            expected_first: next as u64,
            limit: all_bytes.len() as u64,
        })?;
        next += bytes.len();
        images.push(Image {
            name: names.take(record.name, place("name"))?,
            format: Numbered::from_number(record.format.get(), place("format"))?,
            bytes: Cow::Borrowed(bytes),
        });
    }
    if next != all_bytes.len() {
        return Err(FormatError::Mismatch {
            place: "bytes of the image section that belong to an image".into(),
            found: next as u64,
            expected: all_bytes.len() as u64,
        });
    }
    Ok(images)
}

fn mesh<'a>(tables: &Tables<'_, 'a>) -> Result<Option<Mesh<'a>>, FormatError> {
    let attributes: Vec<VertexAttributeRecord> = tables.records(kind::VERTEX_ATTRIBUTES)?;
    let Some(vertices) = tables.find(kind::VERTICES) else {
        let orphan = tables.find(kind::INDICES).or(tables.find(kind::VERTEX_ATTRIBUTES));
        return match orphan {
            Some(section) => Err(FormatError::SectionUnexpected { what: describe(&section.info) }),
            None => Ok(None),
        };
    };
    let Some(indices) = tables.find(kind::INDICES) else {
        return Err(missing_or_wrong_count(tables, kind::INDICES));
    };
    if indices.info.record_bytes != 4 {
        return Err(FormatError::RecordLength {
            what: describe(&indices.info),
            expected_bytes: 4,
            found_bytes: indices.info.record_bytes,
        });
    }
    let attribute = |(number, record): (usize, VertexAttributeRecord)| {
        let place = format_args!("vertex_attributes[{number}].semantic");
        Ok(VertexAttribute {
            semantic: Numbered::from_number(record.semantic.get(), place)?,
            offset_bytes: record.offset_bytes.get(),
        })
    };
    Ok(Some(Mesh {
        stride_bytes: vertices.info.record_bytes,
        attributes: attributes.into_iter().enumerate().map(attribute).collect::<Result<_, FormatError>>()?,
        vertices: Cow::Borrowed(vertices.bytes),
        indices: Cow::Borrowed(indices.bytes),
    }))
}

fn hashes(tables: &Tables<'_, '_>) -> Result<Vec<SourceHash>, FormatError> {
    let records: Vec<HashRecord> = tables.records(kind::HASHES)?;
    let hash = |(number, record): (usize, HashRecord)| {
        tables.reserved(format_args!("hashes[{number}].reserved"), &[record.reserved])?;
        Ok(SourceHash {
            of: Numbered::from_number(record.of.get(), format_args!("hashes[{number}].of"))?,
            sha256: record.sha256,
        })
    };
    records.into_iter().enumerate().map(hash).collect()
}

fn bounds(record: BoundsRecord) -> Bounds {
    Bounds {
        box_min: get_floats(record.box_min),
        box_max: get_floats(record.box_max),
        sphere_center: get_floats(record.sphere_center),
        sphere_radius: record.sphere_radius.get(),
    }
}

fn optional(number: U32) -> Option<u32> {
    (number.get() != NONE).then_some(number.get())
}

/// The flags with a meaning; the other bits are reserved.
fn flags<const N: usize>(
    tables: &Tables<'_, '_>,
    stored: U32,
    _meanings: [&str; N],
    place: impl Display,
) -> Result<[bool; N], FormatError> {
    let bits = stored.get();
    tables.reserved(place, &[(bits >> N).into()])?;
    Ok(core::array::from_fn(|bit| bits >> bit & 1 == 1))
}

fn missing_or_wrong_count(tables: &Tables<'_, '_>, kind: u32) -> FormatError {
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
