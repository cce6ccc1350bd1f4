//! Triangle lists: indices checked, strips and fans taken apart, missing indices counted up.

use std::sync::Arc;

use ::gltf::json::accessor::ComponentType;
use ::gltf::json::mesh::Mode;

use super::accessor::Reader;
use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// The primitive is made of points or lines.
pub(super) const fn is_not_triangles(mode: Mode) -> bool {
    matches!(mode, Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip)
}

/// The triangle list of a primitive with `vertex_count` vertices. Points and lines have none, but their indices are
/// checked too.
pub(super) fn read(
    mode: Mode,
    indices: Option<usize>,
    vertex_count: usize,
    path: &str,
    reader: &mut Reader<'_>,
    problems: &mut Problems,
) -> Result<Arc<[u32]>, Reported> {
    let indices = match indices {
        Some(accessor) => {
            let path = format!("{path}.indices");
            let (indices, largest) = reader.indices(accessor, &path, problems)?;
            let component = reader.accessor(accessor, &path, problems)?.component;
            check(&indices, largest, component, vertex_count, &path, problems)?;
            Some(indices)
        }
        None => None,
    };
    let count = indices.as_ref().map_or(vertex_count, |indices| indices.len());
    if is_not_triangles(mode) {
        return Ok(Arc::default());
    }
    let triangles = match mode {
        Mode::TriangleStrip | Mode::TriangleFan => count.saturating_sub(2),
        _ => count / 3,
    };
    let dropped = match mode {
        Mode::TriangleStrip | Mode::TriangleFan => count < 3,
        _ => count % 3 != 0,
    };
    if dropped {
        problems.push(
            Diagnostic::warning(
                ids::TRIANGLE_INCOMPLETE,
                path,
                "the last triangle is not complete and is dropped",
            )
            .expected_found("whole triangles", format!("{count} indices")),
        );
    }
    if let (Mode::Triangles, Some(indices), false) = (mode, &indices, dropped) {
        return Ok(Arc::clone(indices));
    }
    reader.take(12 * triangles as u64, path, problems)?;
    let vertex = |corner: usize| match &indices {
        Some(indices) => indices.get(corner).copied().unwrap_or_default(),
        None => u32::try_from(corner).unwrap_or(u32::MAX),
    };
    // glTF 2.0 section 3.7.2.1.
    let corners = |i: usize| match mode {
        Mode::TriangleStrip => [i, i + 1 + i % 2, i + 2 - i % 2],
        Mode::TriangleFan => [i + 1, i + 2, 0],
        _ => [3 * i, 3 * i + 1, 3 * i + 2],
    };
    let list: Vec<u32> = (0..triangles).flat_map(|i| corners(i).map(vertex)).collect();
    Ok(list.into())
}

fn check(
    indices: &[u32],
    largest: u32,
    component: ComponentType,
    vertex_count: usize,
    path: &str,
    problems: &mut Problems,
) -> Result<(), Reported> {
    let restart = match component {
        ComponentType::U8 => u32::from(u8::MAX),
        ComponentType::U16 => u32::from(u16::MAX),
        _ => u32::MAX,
    };
    if largest == restart {
        let at = indices.iter().position(|index| *index == restart).unwrap_or_default();
        return Err(problems.push(
            Diagnostic::error(
                ids::PRIMITIVE_RESTART,
                path,
                format!("index {at} is {restart}, the largest value of its type, which glTF does not allow"),
            )
            .expected_found(format!("numbers below {vertex_count}"), restart),
        ));
    }
    let past = |index: u32| index as usize >= vertex_count;
    if past(largest) {
        let at = indices.iter().position(|index| past(*index)).unwrap_or_default();
        return Err(problems.push(
            Diagnostic::error(
                ids::VERTEX_INDEX_OUT_OF_RANGE,
                path,
                format!("index {at} names a vertex that does not exist"),
            )
            .expected_found(format!("a number below {vertex_count}"), indices[at]),
        ));
    }
    Ok(())
}
