//! Where the elements of an accessor lie: strides, offsets and sparse patches, every range checked before any read.

use ::gltf::json;
use ::gltf::json::accessor::{ComponentType, Type};
use ::gltf::json::validation::Checked;

use super::buffers::Buffers;
use super::document::{Document, entry};
use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// What the JSON says about an accessor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accessor {
    pub(super) view: Option<usize>,
    pub(super) count: u64,
    pub(super) component: ComponentType,
    pub(super) element: Type,
    pub(super) normalized: bool,
    offset: u64,
    sparse: Option<Sparse>,
}

#[derive(Clone, Copy, Debug)]
struct Sparse {
    count: u64,
    indices: (usize, u64, ComponentType),
    values: (usize, u64),
}

/// Elements at equal distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'b> {
    bytes: &'b [u8],
    stride: usize,
    size: usize,
}

/// An accessor whose ranges are all checked.
#[derive(Debug)]
pub(super) struct Layout<'b> {
    /// Number of elements.
    pub(super) count: usize,
    /// The elements; `None` means zeros (glTF 2.0 section 3.6.2.3).
    pub(super) base: Option<Elements<'b>>,
    patches: Option<Patches<'b>>,
}

/// Elements that replace others.
#[derive(Debug)]
struct Patches<'b> {
    count: usize,
    indices: Elements<'b>,
    values: Elements<'b>,
}

impl<'b> Layout<'b> {
    /// Elements that replace others: their numbers, increasing and below `count`, and one element for each. Costs time
    /// and memory in proportion to `count`.
    pub(super) fn patches(
        &self,
        path: &str,
        problems: &mut Problems,
    ) -> Result<Option<(Vec<usize>, Elements<'b>)>, Reported> {
        let Some(patches) = &self.patches else { return Ok(None) };
        let mut numbers: Vec<usize> = Vec::with_capacity(patches.count);
        for entry in 0..patches.count {
            let number = little_endian(patches.indices.get(entry));
            let increasing = numbers.last().is_none_or(|last| *last < number);
            if number >= self.count || !increasing {
                return Err(problems.push(
                    Diagnostic::error(
                        ids::ACCESSOR_SPARSE,
                        format!("{path}.sparse.indices"),
                        format!("sparse index {entry} is out of range or not increasing"),
                    )
                    .expected_found(format!("increasing numbers below {}", self.count), number),
                ));
            }
            numbers.push(number);
        }
        Ok(Some((numbers, patches.values)))
    }
}

impl<'b> Elements<'b> {
    /// The bytes of an element; empty past the end.
    pub(super) fn get(&self, number: usize) -> &'b [u8] {
        let start = number.saturating_mul(self.stride);
        self.bytes.get(start..start.saturating_add(self.size)).unwrap_or_default()
    }
}

/// Reads the accessors of the document; `None` where an error has been recorded.
pub(super) fn read_accessors(document: &Document<'_>, problems: &mut Problems) -> Vec<Option<Accessor>> {
    let mut accessors = Vec::new();
    for (number, raw) in document.accessors.iter().enumerate() {
        let path = format!("accessors[{number}]");
        let accessor = entry::<json::Accessor>(raw, &path, problems)
            .and_then(|accessor| read_accessor(&accessor, &path, problems));
        accessors.push(accessor.ok());
    }
    accessors
}

fn read_accessor(
    accessor: &json::Accessor,
    path: &str,
    problems: &mut Problems,
) -> Result<Accessor, Reported> {
    let Checked::Valid(component) = accessor.component_type else {
        return Err(unknown_type(
            format!("{path}.componentType"),
            "5120, 5121, 5122, 5123, 5125 or 5126",
            problems,
        ));
    };
    let Checked::Valid(element) = accessor.type_ else {
        return Err(unknown_type(
            format!("{path}.type"),
            "SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4",
            problems,
        ));
    };
    let sparse = match &accessor.sparse {
        None => None,
        Some(sparse) => {
            let Checked::Valid(index) = sparse.indices.component_type else {
                let path = format!("{path}.sparse.indices.componentType");
                return Err(unknown_type(path, "5121, 5123 or 5125", problems));
            };
            Some(Sparse {
                count: sparse.count.0,
                indices: (sparse.indices.buffer_view.value(), sparse.indices.byte_offset.0, index.0),
                values: (sparse.values.buffer_view.value(), sparse.values.byte_offset.0),
            })
        }
    };
    if accessor.count.0 == 0 {
        return Err(problems.push(
            Diagnostic::error(ids::ACCESSOR_EMPTY, format!("{path}.count"), "the accessor has no elements")
                .expected_found("at least 1", 0),
        ));
    }
    Ok(Accessor {
        view: accessor.buffer_view.map(|view| view.value()),
        offset: accessor.byte_offset.map_or(0, |offset| offset.0),
        count: accessor.count.0,
        component: component.0,
        element,
        normalized: accessor.normalized,
        sparse,
    })
}

fn unknown_type(path: String, expected: &str, problems: &mut Problems) -> Reported {
    problems.push(
        Diagnostic::error(ids::ACCESSOR_UNKNOWN_TYPE, path, "a type that glTF does not have")
            .expected_found(expected, "another value"),
    )
}

impl Accessor {
    /// Checks every range of accessor `number`.
    pub(super) fn layout<'b>(
        &self,
        number: usize,
        buffers: &'b Buffers<'_>,
        problems: &mut Problems,
    ) -> Result<Layout<'b>, Reported> {
        let path = format!("accessors[{number}]");
        let size = self.component.size() * self.element.multiplicity();
        let base = match self.view {
            None => None,
            Some(view) => {
                let (bytes, stride) = buffers.view(view, || format!("{path}.bufferView"), problems)?;
                let stride = stride.unwrap_or(size);
                if stride < size {
                    return Err(problems.push(
                        Diagnostic::error(
                            ids::ACCESSOR_STRIDE,
                            format!("bufferViews[{view}].byteStride"),
                            format!("the stride is smaller than an element of {path}"),
                        )
                        .expected_found(format!("at least {size}"), stride),
                    ));
                }
                let place = Place { bytes, view, offset: self.offset, stride, size };
                Some(place.elements(self.count, &path, problems)?)
            }
        };
        let too_many = |problems: &mut Problems| {
            problems.error(ids::MEMORY_BUDGET, format!("{path}.count"), "more elements than memory can hold")
        };
        let count = usize::try_from(self.count).map_err(|_| too_many(problems))?;
        let patches = match self.sparse {
            None => None,
            Some(sparse) => Some(sparse.layout(self.count, size, &path, buffers, problems)?),
        };
        Ok(Layout { count, base, patches })
    }
}

impl Sparse {
    fn layout<'b>(
        self,
        count: u64,
        size: usize,
        path: &str,
        buffers: &'b Buffers<'_>,
        problems: &mut Problems,
    ) -> Result<Patches<'b>, Reported> {
        if self.count > count {
            return Err(problems.push(
                Diagnostic::error(
                    ids::ACCESSOR_SPARSE,
                    format!("{path}.sparse.count"),
                    "more sparse elements than elements",
                )
                .expected_found(format!("at most {count}"), self.count),
            ));
        }
        let (view, offset, component) = self.indices;
        let (bytes, _) = buffers.view(view, || format!("{path}.sparse.indices.bufferView"), problems)?;
        let width = component.size();
        let place = Place { bytes, view, offset, stride: width, size: width };
        let indices = place.elements(self.count, &format!("{path}.sparse"), problems)?;
        let (view, offset) = self.values;
        let (bytes, _) = buffers.view(view, || format!("{path}.sparse.values.bufferView"), problems)?;
        let values = Place { bytes, view, offset, stride: size, size };
        let values = values.elements(self.count, &format!("{path}.sparse"), problems)?;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        Ok(Patches { count, indices, values })
    }
}

fn little_endian(bytes: &[u8]) -> usize {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
}

/// A run of elements in a view that is still to be checked.
struct Place<'b> {
    bytes: &'b [u8],
    view: usize,
    offset: u64,
    stride: usize,
    size: usize,
}

impl<'b> Place<'b> {
    fn elements(self, count: u64, path: &str, problems: &mut Problems) -> Result<Elements<'b>, Reported> {
        let available = self.bytes.len() as u64;
        let needed = match count.checked_sub(1) {
            None => Some(0),
            Some(last) => last
                .checked_mul(self.stride as u64)
                .and_then(|bytes| bytes.checked_add(self.size as u64))
                .and_then(|bytes| bytes.checked_add(self.offset)),
        };
        let start = usize::try_from(self.offset).ok();
        if let Some(start) = start.filter(|_| needed.is_some_and(|needed| needed <= available)) {
            let bytes = self.bytes.get(start..).unwrap_or_default();
            return Ok(Elements { bytes, stride: self.stride, size: self.size });
        }
        let fitting = available.checked_sub(self.offset).and_then(|room| room.checked_sub(self.size as u64));
        let fitting = fitting.map_or(0, |room| room / self.stride as u64 + 1);
        Err(problems.push(
            Diagnostic::error(
                ids::ACCESSOR_OUT_OF_VIEW,
                format!("{path}.count"),
                format!("the accessor ends past bufferViews[{}]", self.view),
            )
            .expected_found(
                format!(
                    "at most {fitting} elements of {} bytes every {} bytes from byte {} in {available} bytes",
                    self.size, self.stride, self.offset
                ),
                format!("{count} elements"),
            ),
        ))
    }
}
