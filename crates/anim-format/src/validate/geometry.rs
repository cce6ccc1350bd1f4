//! Vertices and indices: every index, every bone number, every position and weight.
//!
//! One pass over the vertices and one over the indices of all levels of detail, which share no index: linear in the
//! bytes of the file. A player, on the CPU or on the GPU, then never reads outside a palette or a vertex stream.

use alloc::format;

use super::Problems;
use super::place::Place;
use crate::error::FormatError;
use crate::model::{AnimFile, Mesh, Part, VertexSemantic};

/// Longest vertex: the default `max_vertex_buffer_array_stride` of WebGPU.
const STRIDE_BYTES_MAX: u32 = 2048;

pub(super) fn check(file: &AnimFile<'_>, problems: &mut Problems) {
    let Some(mesh) = &file.mesh else { return };
    let problems_before = problems.list.len();
    check_layout(mesh, problems);
    if problems.list.len() > problems_before {
        return;
    }
    check_vertices(file, mesh, problems);

    let vertex_count = mesh.vertices.len() as u64 / u64::from(mesh.stride_bytes);
    let index_count = mesh.indices.len() as u64 / 4;
    let lods = file.parts.iter().flat_map(|part| &part.lods);
    let used_count: u64 = lods.map(|lod| u64::from(lod.index_count)).sum();
    problems.in_range(
        "indices of all lods",
        used_count <= index_count,
        f64_of(used_count),
        "at most the indices of the file: lods share none",
    );
    if used_count > index_count {
        return;
    }
    for (number, part) in file.parts.iter().enumerate() {
        let place = Place { table: "parts", number, name: &part.name };
        check_part(mesh, part, place, vertex_count, index_count, problems);
    }
}

/// Attributes in ascending offset, none twice, inside the vertex, aligned as a GPU asks for.
fn check_layout(mesh: &Mesh<'_>, problems: &mut Problems) {
    let stride = mesh.stride_bytes;
    problems.in_range(
        "mesh.stride_bytes",
        stride.is_multiple_of(4) && (4..=STRIDE_BYTES_MAX).contains(&stride),
        stride.into(),
        "a multiple of 4 from 4 to 2048",
    );
    let partial = (mesh.vertices.len() as u64).checked_rem(stride.into()).unwrap_or(0);
    problems.equal("mesh.vertices (bytes after the last vertex)", partial, 0);
    problems.equal("mesh.indices (bytes after the last index)", mesh.indices.len() as u64 % 4, 0);

    let mut end = 0;
    for (number, attribute) in mesh.attributes.iter().enumerate() {
        let offset = u64::from(attribute.offset_bytes);
        let place = format_args!("vertex_attributes[{number}].offset_bytes");
        problems.in_range(
            place,
            offset.is_multiple_of(4) && offset >= end,
            attribute.offset_bytes.into(),
            "a multiple of 4, after the attribute before it",
        );
        end = offset + u64::from(attribute.semantic.bytes());
        let inside = end <= u64::from(stride);
        problems.in_range(place, inside, attribute.offset_bytes.into(), "inside the vertex");
        let before = mesh.attributes[..number].iter().any(|other| other.semantic == attribute.semantic);
        problems.expect(!before, || FormatError::Repeated {
            place: format!("vertex attribute {:?}", attribute.semantic),
        });
        if before {
            return;
        }
    }
    let needed = [VertexSemantic::Position, VertexSemantic::Bones, VertexSemantic::Weights];
    for (semantic, missing) in needed.into_iter().zip(["Position", "Bones", "Weights"]) {
        let found = offset_of(mesh, semantic).is_some();
        problems.expect(found, || FormatError::AttributeMissing { place: "the mesh", missing });
    }
}

fn check_vertices(file: &AnimFile<'_>, mesh: &Mesh<'_>, problems: &mut Problems) {
    let offsets = (
        offset_of(mesh, VertexSemantic::Position),
        offset_of(mesh, VertexSemantic::Bones),
        offset_of(mesh, VertexSemantic::Weights),
    );
    let (Some(position), Some(bones), Some(weights)) = offsets else { return };
    let bone_count = file.bones.len() as u64;
    let mut outside = (0, None);
    let mut not_finite = [("position", 0, None), ("weights", 0, None)];
    for (vertex, bytes) in (0..).zip(mesh.vertices.chunks_exact(mesh.stride_bytes as usize)) {
        let found = shorts(bytes, bones).find(|bone| u64::from(*bone) >= bone_count);
        if let Some(found) = found {
            outside.0 += 1;
            outside.1.get_or_insert((vertex, found));
        }
        let finite =
            [floats(bytes, position, 3).all(f32::is_finite), floats(bytes, weights, 4).all(f32::is_finite)];
        for ((_, count, first), finite) in not_finite.iter_mut().zip(finite) {
            if !finite {
                *count += 1;
                first.get_or_insert(vertex);
            }
        }
    }
    if let (count, Some((vertex, found))) = outside {
        problems.add(FormatError::VertexBoneOutside { vertex, found, bone_count, count });
    }
    for (attribute, count, first) in not_finite {
        if let Some(vertex) = first {
            problems.add(FormatError::VertexNotFinite { vertex, attribute, count });
        }
    }
}

/// The part's vertices are inside the stream, its lods inside the index list, its indices inside its vertices.
fn check_part(
    mesh: &Mesh<'_>,
    part: &Part<'_>,
    place: Place<'_>,
    vertex_count: u64,
    index_count: u64,
    problems: &mut Problems,
) {
    let first = u64::from(part.first_vertex);
    let end = first + u64::from(part.vertex_count);
    if end > vertex_count {
        problems.add(FormatError::BadRange {
            place: format!("{place}.vertex_count"),
            first,
            count: part.vertex_count.into(),
            expected_first: first,
            limit: vertex_count,
        });
        return;
    }
    for (number, lod) in part.lods.iter().enumerate() {
        let place = format!("{place}.lods[{number}]");
        let first_index = u64::from(lod.first_index);
        if first_index + u64::from(lod.index_count) > index_count {
            problems.add(FormatError::BadRange {
                place,
                first: first_index,
                count: lod.index_count.into(),
                expected_first: first_index,
                limit: index_count,
            });
            continue;
        }
        let indices = mesh.indices.chunks_exact(4).skip(lod.first_index as usize);
        let indices = indices.take(lod.index_count as usize).map(index_of);
        let outside = |(_, index): &(u64, u32)| !(first..end).contains(&u64::from(*index));
        let mut bad = (0..).zip(indices).filter(outside);
        if let Some((index, found)) = bad.next() {
            let count = 1 + bad.count() as u64;
            problems.add(FormatError::IndexOutside { place, index, found, first, end, count });
        }
    }
}

fn offset_of(mesh: &Mesh<'_>, semantic: VertexSemantic) -> Option<usize> {
    let attribute = mesh.attributes.iter().find(|attribute| attribute.semantic == semantic)?;
    Some(attribute.offset_bytes as usize)
}

fn floats(vertex: &[u8], offset: usize, count: usize) -> impl Iterator<Item = f32> {
    vertex[offset..offset + 4 * count].chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
}

fn shorts(vertex: &[u8], offset: usize) -> impl Iterator<Item = u16> {
    vertex[offset..offset + 8].chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]]))
}

fn index_of(bytes: &[u8]) -> u32 {
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[expect(clippy::cast_precision_loss, reason = "a count in a message")]
const fn f64_of(count: u64) -> f64 {
    count as f64
}
