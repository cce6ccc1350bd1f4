//! Version 1 to the model: parts, materials, images and the mesh.

use alloc::borrow::Cow;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::numbers::{ALPHA_BLEND, ALPHA_MASK, ALPHA_OPAQUE, Numbered};
use super::strings::Names;
use super::tables::{Field, Ranges, Tables};
use super::to_model::{bounds, missing_or_wrong_count, optional};
use super::{ImageRecord, LodRecord, MaterialRecord, PartRecord, VertexAttributeRecord};
use crate::error::FormatError;
use crate::model::{Alpha, Image, Lod, Material, Mesh, Part, PartFlags, Sampler, VertexAttribute};
use crate::section::describe;
use crate::section_kind as kind;
use crate::wire::{U32, get_floats};

pub(super) fn parts<'a>(
    tables: &Tables<'_, 'a>,
    names: &mut Names<'a>,
) -> Result<Vec<Part<'a>>, FormatError> {
    let lod_records: Vec<LodRecord> = tables.records(kind::LODS)?.collect();
    let mut lod_ranges = Ranges::new(&lod_records);
    let parts = tables.read_each(kind::PARTS, |number, record: PartRecord| {
        let place = |field| Field { table: "parts", number, field };
        tables.reserved(place("reserved"), &record.reserved)?;
        let lods = lod_ranges.take(record.lods, place("lods"))?;
        lods.iter().try_for_each(|lod| tables.reserved(place("lods"), &[lod.reserved]))?;
        let [rigid, normals_computed, double_sided, morphs_lost, not_triangles] =
            flags(tables, record.flags, place("flags"))?;
        Ok(Part {
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
        })
    })?;
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

pub(super) fn materials<'a>(
    tables: &Tables<'_, 'a>,
    names: &mut Names<'a>,
) -> Result<Vec<Material<'a>>, FormatError> {
    tables.read_each(kind::MATERIALS, |number, record: MaterialRecord| {
        let place = |field| Field { table: "materials", number, field };
        let [a, b, c] = record.reserved;
        tables.reserved(place("reserved"), &[record.reserved_uv_set, a, b, c])?;
        let [double_sided, mag_nearest, min_nearest] = flags(tables, record.flags, place("flags"))?;
        Ok(Material {
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
        })
    })
}

fn alpha(tables: &Tables<'_, '_>, record: &MaterialRecord, place: Field) -> Result<Alpha, FormatError> {
    let cutoff = record.alpha_cutoff.get();
    let alpha = match record.alpha_mode.get() {
        ALPHA_OPAQUE => Alpha::Opaque,
        ALPHA_MASK => return Ok(Alpha::Mask { cutoff }),
        ALPHA_BLEND => Alpha::Blend,
        found => {
            return Err(FormatError::UnknownNumber { place: place.to_string(), found, largest: ALPHA_BLEND });
        }
    };
    tables.reserved(format_args!("{place} without a mask: alpha_cutoff"), &[cutoff.to_bits().into()])?;
    Ok(alpha)
}

pub(super) fn images<'a>(
    tables: &Tables<'_, 'a>,
    names: &mut Names<'a>,
) -> Result<Vec<Image<'a>>, FormatError> {
    let all_bytes = tables.bytes(kind::IMAGE_BYTES);
    let mut next: usize = 0;
    let images = tables.read_each(kind::IMAGES, |number, record: ImageRecord| {
        let place = |field| Field { table: "images", number, field };
        tables.reserved(place("reserved"), &[record.reserved])?;
        let (first, count) = (record.offset_bytes.get(), record.length_bytes.get());
        let end = usize::try_from(count).ok().and_then(|count| next.checked_add(count));
        let bytes = end.and_then(|end| all_bytes.get(next..end)).filter(|_| first == next as u64);
        let bytes = bytes.ok_or_else(|| FormatError::BadRange {
            place: place("bytes").to_string(),
            first,
            count,
            expected_first: next as u64,
            limit: all_bytes.len() as u64,
        })?;
        next += bytes.len();
        Ok(Image {
            name: names.take(record.name, place("name"))?,
            format: Numbered::from_number(record.format.get(), place("format"))?,
            bytes: Cow::Borrowed(bytes),
        })
    })?;
    if next != all_bytes.len() {
        return Err(FormatError::Mismatch {
            place: "bytes of the image section that belong to an image".into(),
            found: next as u64,
            expected: all_bytes.len() as u64,
        });
    }
    Ok(images)
}

pub(super) fn mesh<'a>(tables: &Tables<'_, 'a>) -> Result<Option<Mesh<'a>>, FormatError> {
    let attributes = tables.read_each(kind::VERTEX_ATTRIBUTES, |number, record: VertexAttributeRecord| {
        let place = format_args!("vertex_attributes[{number}].semantic");
        Ok(VertexAttribute {
            semantic: Numbered::from_number(record.semantic.get(), place)?,
            offset_bytes: record.offset_bytes.get(),
        })
    })?;
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
    Ok(Some(Mesh {
        stride_bytes: vertices.info.record_bytes,
        attributes,
        vertices: Cow::Borrowed(vertices.bytes),
        indices: Cow::Borrowed(indices.bytes),
    }))
}

/// The flags with a meaning, bit 0 first; the other bits are reserved.
fn flags<const N: usize>(
    tables: &Tables<'_, '_>,
    stored: U32,
    place: Field,
) -> Result<[bool; N], FormatError> {
    let bits = stored.get();
    tables.reserved(place, &[(bits >> N).into()])?;
    Ok(core::array::from_fn(|bit| bits >> bit & 1 == 1))
}
