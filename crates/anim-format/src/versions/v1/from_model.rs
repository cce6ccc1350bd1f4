//! The model to version 1. The file has been validated.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use bytemuck::Pod;

use super::numbers::{ALPHA_BLEND, ALPHA_MASK, ALPHA_OPAQUE, Numbered};
use super::strings::{NameWriter, stored_u32};
use super::{
    AttachmentRecord, BoneRecord, BoundsRecord, ClipRecord, ExtentRecord, HashRecord, ImageRecord,
    LocalRecordRecord, LodRecord, MaskRecord, MaterialRecord, NONE, NodeRecord, PageSetRecord, PartRecord,
    Range, TrackRecord, VertexAttributeRecord,
};
use crate::error::FormatError;
use crate::metadata;
use crate::model::{Alpha, AnimFile, Bounds, Extent, Mesh};
use crate::section_kind as kind;
use crate::wire::{F32, U32, put_floats};
use crate::write::NewSection;

pub(in crate::versions) fn from_model<'f>(
    file: &'f AnimFile<'_>,
) -> Result<Vec<NewSection<'f>>, FormatError> {
    let mut names = NameWriter::default();
    let mut sections = Vec::new();
    table(&mut sections, kind::EXTENT, &[extent(&file.extent)])?;
    clips(&mut sections, file, &mut names)?;
    page_sets(&mut sections, file)?;
    nodes(&mut sections, file, &mut names)?;
    bones(&mut sections, file)?;
    let pool: Vec<[F32; 4]> = file.constant_pool.iter().copied().map(put_floats).collect();
    table(&mut sections, kind::CONSTANT_POOL, &pool)?;
    local_records(&mut sections, file)?;
    attachments(&mut sections, file, &mut names)?;
    parts(&mut sections, file, &mut names)?;
    materials(&mut sections, file, &mut names)?;
    images(&mut sections, file, &mut names)?;
    masks(&mut sections, file, &mut names)?;
    hashes(&mut sections, file)?;
    if let Some(metadata) = &file.metadata {
        let bytes = Cow::Owned(metadata::encode(metadata)?);
        sections.push(NewSection { critical: false, ..NewSection::raw(kind::METADATA, bytes) });
    }
    if let Some(mesh) = &file.mesh {
        geometry(&mut sections, mesh)?;
    }
    pages(&mut sections, file)?;
    if !names.text.is_empty() {
        sections.push(NewSection::raw(kind::STRINGS, Cow::Owned(names.text.into_bytes())));
    }
    sections.sort_by_key(|section| (section.kind, section.owner, section.number));
    Ok(sections)
}

/// Adds a table, unless it is empty.
fn table<T: Pod>(sections: &mut Vec<NewSection<'_>>, kind: u32, records: &[T]) -> Result<(), FormatError> {
    if records.is_empty() {
        return Ok(());
    }
    let name = kind::section_kind_name(kind).unwrap_or_default();
    sections.push(NewSection {
        record_bytes: stored_u32(name, size_of::<T>())?,
        record_count: stored_u32(name, records.len())?,
        ..NewSection::raw(kind, Cow::Owned(bytemuck::cast_slice(records).to_vec()))
    });
    Ok(())
}

/// The range that `count` more records after `first` take.
fn range(what: &'static str, first: usize, count: usize) -> Result<Range, FormatError> {
    Ok(Range { first: stored_u32(what, first)?.into(), count: stored_u32(what, count)?.into() })
}

fn extent(extent: &Extent) -> ExtentRecord {
    ExtentRecord {
        rest_box_min: put_floats(extent.rest_box_min),
        rest_box_max: put_floats(extent.rest_box_max),
        model_size_metres: extent.model_size_metres.into(),
        vertex_box_min: put_floats(extent.vertex_box_min),
        vertex_box_max: put_floats(extent.vertex_box_max),
        fade_overshoot_metres: extent.fade_overshoot_metres.into(),
        reserved_ball_node: 0.into(),
        reserved_ball_radius_metres: 0.into(),
    }
}

fn clips(
    sections: &mut Vec<NewSection<'_>>,
    file: &AnimFile<'_>,
    names: &mut NameWriter,
) -> Result<(), FormatError> {
    let (mut clips, mut tracks, mut words) = (Vec::new(), Vec::new(), Vec::<U32>::new());
    for clip in &file.clips {
        clips.push(ClipRecord {
            name: names.put(&clip.name)?,
            duration_seconds: clip.duration_seconds.into(),
            start_seconds: clip.start_seconds.into(),
            source_rate_hz: clip.source_rate_hz.unwrap_or(0.0).into(),
            mode: clip.mode.number().into(),
            bounds: bounds(&clip.bounds),
            loop_gap_metres: clip.loop_gap_metres.into(),
            tracks: range("tracks", tracks.len(), clip.tracks.len())?,
            reserved_events: Range { first: 0.into(), count: 0.into() },
            reserved_root_motion: Range { first: 0.into(), count: 0.into() },
            reserved: 0.into(),
        });
        for track in &clip.tracks {
            tracks.push(TrackRecord {
                page_set: track.page_set.into(),
                page: track.page.into(),
                first_texel: track.first_texel.into(),
                header_texels: track.header_texels.into(),
                frames: track.frames.into(),
                intervals: track.intervals.into(),
                elements_per_frame: track.elements_per_frame.into(),
                texels_per_element: track.texels_per_element.into(),
                interpolation: track.interpolation.number().into(),
                held_frames: range("held frames", words.len(), track.held_frames.len())?,
                first_record: track.first_record.unwrap_or(0).into(),
                stored_frames: if track.header_texels == 0 { 0 } else { track.stored_frames }.into(),
                reserved: [0.into(); 3],
            });
            words.extend(track.held_frames.iter().map(|word| U32::from(*word)));
        }
    }
    table(sections, kind::CLIPS, &clips)?;
    table(sections, kind::TRACKS, &tracks)?;
    table(sections, kind::HELD_FRAMES, &words)
}

fn page_sets(sections: &mut Vec<NewSection<'_>>, file: &AnimFile<'_>) -> Result<(), FormatError> {
    let mut records = Vec::new();
    for set in &file.page_sets {
        records.push(PageSetRecord {
            content: set.content.number().into(),
            encoding: set.encoding.number().into(),
            texel_format: set.texel_format.number().into(),
            width: set.width.into(),
            height: set.height.into(),
            page_count: stored_u32("pages", set.pages.len())?.into(),
            reserved: [0.into(); 2],
        });
    }
    table(sections, kind::PAGE_SETS, &records)
}

fn nodes(
    sections: &mut Vec<NewSection<'_>>,
    file: &AnimFile<'_>,
    names: &mut NameWriter,
) -> Result<(), FormatError> {
    let mut records = Vec::new();
    for node in &file.nodes {
        records.push(NodeRecord {
            name: names.put(&node.name)?,
            parent: node.parent.unwrap_or(NONE).into(),
            depth: node.depth.into(),
            source_node: node.source_node.into(),
            rest_matrix_in_pool: node.rest_matrix_in_pool.unwrap_or(NONE).into(),
            rest_translation: put_floats(node.rest_translation),
            rest_rotation: put_floats(node.rest_rotation),
            rest_scale: put_floats(node.rest_scale),
        });
    }
    table(sections, kind::NODES, &records)
}

fn bones(sections: &mut Vec<NewSection<'_>>, file: &AnimFile<'_>) -> Result<(), FormatError> {
    let records: Vec<BoneRecord> = file
        .bones
        .iter()
        .map(|bone| BoneRecord {
            node: bone.node.unwrap_or(NONE).into(),
            reserved: [0.into(); 3],
            bone_from_bind: bone.bone_from_bind.map(put_floats),
        })
        .collect();
    table(sections, kind::BONES, &records)
}

fn local_records(sections: &mut Vec<NewSection<'_>>, file: &AnimFile<'_>) -> Result<(), FormatError> {
    let records: Vec<LocalRecordRecord> = file
        .local_records
        .iter()
        .map(|record| LocalRecordRecord {
            rotation: record.rotation.into(),
            translation: record.translation.into(),
            scale: record.scale.into(),
            ranges: record.ranges.into(),
        })
        .collect();
    table(sections, kind::LOCAL_RECORDS, &records)
}

/// A player that ignores masks plays everything else right, so both tables are skippable.
fn masks(
    sections: &mut Vec<NewSection<'_>>,
    file: &AnimFile<'_>,
    names: &mut NameWriter,
) -> Result<(), FormatError> {
    let (mut records, mut words) = (Vec::new(), Vec::<U32>::new());
    for mask in &file.masks {
        records.push(MaskRecord {
            name: names.put(&mask.name)?,
            words: range("mask words", words.len(), mask.words.len())?,
        });
        words.extend(mask.words.iter().map(|word| U32::from(*word)));
    }
    let first = sections.len();
    table(sections, kind::MASKS, &records)?;
    table(sections, kind::MASK_WORDS, &words)?;
    sections[first..].iter_mut().for_each(|section| section.critical = false);
    Ok(())
}

fn attachments(
    sections: &mut Vec<NewSection<'_>>,
    file: &AnimFile<'_>,
    names: &mut NameWriter,
) -> Result<(), FormatError> {
    let mut records = Vec::new();
    for attachment in &file.attachments {
        records.push(AttachmentRecord {
            name: names.put(&attachment.name)?,
            node: attachment.node.into(),
            bone: attachment.bone.into(),
            node_from_attachment: attachment.node_from_attachment.map(put_floats),
        });
    }
    table(sections, kind::ATTACHMENTS, &records)
}

fn parts(
    sections: &mut Vec<NewSection<'_>>,
    file: &AnimFile<'_>,
    names: &mut NameWriter,
) -> Result<(), FormatError> {
    let (mut parts, mut lods) = (Vec::new(), Vec::new());
    for part in &file.parts {
        let f = part.flags;
        let flags = [f.rigid, f.normals_computed, f.double_sided, f.morphs_lost, f.not_triangles];
        parts.push(PartRecord {
            name: names.put(&part.name)?,
            material: part.material.into(),
            lods: range("lods", lods.len(), part.lods.len())?,
            bounds: bounds(&part.bounds),
            source_node: part.source_node.into(),
            source_mesh: part.source_mesh.into(),
            source_primitive: part.source_primitive.into(),
            first_vertex: part.first_vertex.into(),
            vertex_count: part.vertex_count.into(),
            source_vertex_count: part.source_vertex_count.into(),
            flags: bits(flags).into(),
            reserved: [0.into(); 2],
        });
        lods.extend(part.lods.iter().map(|lod| LodRecord {
            first_index: lod.first_index.into(),
            index_count: lod.index_count.into(),
            threshold: lod.threshold.into(),
            reserved: 0.into(),
        }));
    }
    table(sections, kind::PARTS, &parts)?;
    table(sections, kind::LODS, &lods)
}

fn materials(
    sections: &mut Vec<NewSection<'_>>,
    file: &AnimFile<'_>,
    names: &mut NameWriter,
) -> Result<(), FormatError> {
    let mut records = Vec::new();
    for material in &file.materials {
        let (alpha_mode, alpha_cutoff) = match material.alpha {
            Alpha::Opaque => (ALPHA_OPAQUE, 0.0),
            Alpha::Mask { cutoff } => (ALPHA_MASK, cutoff),
            Alpha::Blend => (ALPHA_BLEND, 0.0),
        };
        let sampler = material.sampler;
        records.push(MaterialRecord {
            name: names.put(&material.name)?,
            base_color: put_floats(material.base_color),
            image: material.image.unwrap_or(NONE).into(),
            reserved_uv_set: 0.into(),
            wrap_u: sampler.wrap_u.number().into(),
            wrap_v: sampler.wrap_v.number().into(),
            alpha_mode: alpha_mode.into(),
            alpha_cutoff: alpha_cutoff.into(),
            flags: bits([material.double_sided, sampler.mag_nearest, sampler.min_nearest]).into(),
            reserved: [0.into(); 3],
        });
    }
    table(sections, kind::MATERIALS, &records)
}

fn images(
    sections: &mut Vec<NewSection<'_>>,
    file: &AnimFile<'_>,
    names: &mut NameWriter,
) -> Result<(), FormatError> {
    let (mut records, mut all_bytes) = (Vec::new(), Vec::new());
    for image in &file.images {
        records.push(ImageRecord {
            name: names.put(&image.name)?,
            format: image.format.number().into(),
            reserved: 0.into(),
            offset_bytes: (all_bytes.len() as u64).into(),
            length_bytes: (image.bytes.len() as u64).into(),
        });
        all_bytes.extend_from_slice(&image.bytes);
    }
    table(sections, kind::IMAGES, &records)?;
    if !all_bytes.is_empty() {
        sections.push(NewSection::raw(kind::IMAGE_BYTES, Cow::Owned(all_bytes)));
    }
    Ok(())
}

fn hashes(sections: &mut Vec<NewSection<'_>>, file: &AnimFile<'_>) -> Result<(), FormatError> {
    let records: Vec<HashRecord> = file
        .hashes
        .iter()
        .map(|hash| HashRecord { of: hash.of.number().into(), reserved: 0.into(), sha256: hash.sha256 })
        .collect();
    let first = sections.len();
    table(sections, kind::HASHES, &records)?;
    sections[first..].iter_mut().for_each(|section| section.critical = false);
    Ok(())
}

fn geometry<'f>(sections: &mut Vec<NewSection<'f>>, mesh: &'f Mesh<'_>) -> Result<(), FormatError> {
    let attributes: Vec<VertexAttributeRecord> = mesh
        .attributes
        .iter()
        .map(|attribute| VertexAttributeRecord {
            semantic: attribute.semantic.number().into(),
            offset_bytes: attribute.offset_bytes.into(),
        })
        .collect();
    table(sections, kind::VERTEX_ATTRIBUTES, &attributes)?;
    // Both sections are written even if they are empty: they say that there is a mesh.
    sections.push(NewSection {
        record_bytes: mesh.stride_bytes,
        record_count: stored_u32("vertices", mesh.vertices.len() / mesh.stride_bytes.max(1) as usize)?,
        ..NewSection::raw(kind::VERTICES, Cow::Borrowed(&mesh.vertices))
    });
    sections.push(NewSection {
        record_bytes: 4,
        record_count: stored_u32("indices", mesh.indices.len() / 4)?,
        ..NewSection::raw(kind::INDICES, Cow::Borrowed(&mesh.indices))
    });
    Ok(())
}

fn pages<'f>(sections: &mut Vec<NewSection<'f>>, file: &'f AnimFile<'_>) -> Result<(), FormatError> {
    for (owner, set) in file.page_sets.iter().enumerate() {
        for (number, page) in set.pages.iter().enumerate() {
            sections.push(NewSection {
                owner: stored_u32("page sets", owner)?,
                number: stored_u32("pages", number)?,
                ..NewSection::raw(kind::PAGE, Cow::Borrowed(page))
            });
        }
    }
    Ok(())
}

fn bounds(bounds: &Bounds) -> BoundsRecord {
    BoundsRecord {
        box_min: put_floats(bounds.box_min),
        box_max: put_floats(bounds.box_max),
        sphere_center: put_floats(bounds.sphere_center),
        sphere_radius: bounds.sphere_radius.into(),
    }
}

/// Flags as bits, the first as bit 0.
fn bits<const N: usize>(flags: [bool; N]) -> u32 {
    flags.iter().rev().fold(0, |bits, flag| bits << 1 | u32::from(*flag))
}
