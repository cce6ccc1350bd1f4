//! Our own typed accessor reader: data by use, each read once, checked, and bounded in memory.

use std::collections::HashMap;
use std::sync::Arc;

use anim_core::glam::DAffine3;

use super::buffers::Buffers;
use super::data_checks::{
    affine_matrices, key_rotations, key_times, not_negative, unit_tangents, unit_vectors,
};
use super::document::{Document, in_table};
use super::elements::{Floats, Source, joint_numbers, read_all, vertex_number};
use super::extensions;
use super::layout::{Accessor, read_accessors};
use super::problems::{Problems, Reported};
use super::usage::{Use, describe};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// Memory for decoded data: a fixed part, so that tiny files may hold view-less accessors, and a part in proportion to
/// the input. A byte of input decodes to at most eight (a `u8` index of a strip to three `u32`, shared data aside).
const BUDGET_FIXED_BYTES: u64 = 64 << 20;
const BUDGET_PER_INPUT_BYTE: u64 = 16;

/// Reads accessors.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    buffers: &'a Buffers<'a>,
    accessors: Vec<Option<Accessor>>,
    quantized: bool,
    budget_bytes: u64,
    cache: HashMap<(usize, Use), Option<Decoded>>,
    largest_index: HashMap<usize, u32>,
}

/// Data of one accessor for one use.
#[derive(Clone, Debug)]
enum Decoded {
    Floats(Arc<[f32]>),
    Vec2s(Arc<[[f32; 2]]>),
    Vec3s(Arc<[[f32; 3]]>),
    Vec4s(Arc<[[f32; 4]]>),
    Joints(Arc<[[u16; 4]]>),
    Indices(Arc<[u32]>),
    Affines(Arc<[DAffine3]>),
}

macro_rules! getter {
    ($(#[$doc:meta])* $name:ident, $variant:ident, $element:ty) => {
        $(#[$doc])*
        pub(super) fn $name(
            &mut self,
            number: usize,
            use_: Use,
            path: &str,
            problems: &mut Problems,
        ) -> Result<Arc<[$element]>, Reported> {
            match self.decoded(number, use_, path, problems)? {
                Decoded::$variant(data) => Ok(data),
                _ => Err(problems.error(ids::ACCESSOR_TYPE, path, "the accessor has data of another kind")),
            }
        }
    };
}

impl<'a> Reader<'a> {
    /// A reader for the accessors of a document whose files have `input_bytes` in all.
    pub(super) fn new(
        document: &Document<'_>,
        buffers: &'a Buffers<'a>,
        input_bytes: u64,
        problems: &mut Problems,
    ) -> Self {
        Self {
            buffers,
            accessors: read_accessors(document, problems),
            quantized: extensions::declared(document, extensions::MESH_QUANTIZATION),
            budget_bytes: input_bytes
                .saturating_mul(BUDGET_PER_INPUT_BYTE)
                .saturating_add(BUDGET_FIXED_BYTES),
            cache: HashMap::new(),
            largest_index: HashMap::new(),
        }
    }

    getter! {
        /// Scalars, or the components of vectors one after another.
        floats, Floats, f32
    }
    getter! {
        /// Vectors of two.
        vec2s, Vec2s, [f32; 2]
    }
    getter! {
        /// Vectors of three.
        vec3s, Vec3s, [f32; 3]
    }
    getter! {
        /// Vectors of four.
        vec4s, Vec4s, [f32; 4]
    }
    getter! {
        /// Joint numbers.
        joints, Joints, [u16; 4]
    }
    getter! {
        /// Vertex numbers.
        index_list, Indices, u32
    }
    getter! {
        /// Affine matrices.
        affines, Affines, DAffine3
    }

    /// Vertex numbers and the largest of them, which is looked for once however many primitives share them.
    pub(super) fn indices(
        &mut self,
        number: usize,
        path: &str,
        problems: &mut Problems,
    ) -> Result<(Arc<[u32]>, u32), Reported> {
        let indices = self.index_list(number, Use::Indices, path, problems)?;
        let find = || indices.iter().copied().max().unwrap_or_default();
        let largest = *self.largest_index.entry(number).or_insert_with(find);
        Ok((indices, largest))
    }

    /// What the JSON says about an accessor; `path` is the property that names it.
    pub(super) fn accessor(
        &self,
        number: usize,
        path: &str,
        problems: &mut Problems,
    ) -> Result<Accessor, Reported> {
        in_table(number, self.accessors.len(), "accessors", || path.to_owned(), problems)?;
        self.accessors.get(number).copied().flatten().ok_or(Reported)
    }

    /// Takes memory from the budget.
    pub(super) fn take(&mut self, bytes: u64, path: &str, problems: &mut Problems) -> Result<(), Reported> {
        match self.budget_bytes.checked_sub(bytes) {
            Some(rest) => {
                self.budget_bytes = rest;
                Ok(())
            }
            None => Err(problems.push(
                Diagnostic::error(
                    ids::MEMORY_BUDGET,
                    path,
                    "reading this takes more memory than the file justifies",
                )
                .expected_found(
                    format!("at most {} bytes more", self.budget_bytes),
                    format!("{bytes} bytes"),
                ),
            )),
        }
    }

    fn decoded(
        &mut self,
        number: usize,
        use_: Use,
        path: &str,
        problems: &mut Problems,
    ) -> Result<Decoded, Reported> {
        if let Some(known) = self.cache.get(&(number, use_)) {
            return known.clone().ok_or(Reported);
        }
        let result = self.decode(number, use_, path, problems);
        self.cache.insert((number, use_), result.as_ref().ok().cloned());
        result
    }

    fn decode(
        &mut self,
        number: usize,
        use_: Use,
        path: &str,
        problems: &mut Problems,
    ) -> Result<Decoded, Reported> {
        let accessor = self.accessor(number, path, problems)?;
        let (element, component, normalized) = (accessor.element, accessor.component, accessor.normalized);
        if !use_.allows(element, component, normalized, self.quantized) {
            return Err(problems.push(
                Diagnostic::error(
                    ids::ACCESSOR_TYPE,
                    path,
                    format!("accessors[{number}] has the wrong type for this"),
                )
                .expected_found(use_.allowed(self.quantized), describe(element, component, normalized)),
            ));
        }
        let layout = accessor.layout(number, self.buffers, problems)?;
        let place = format!("accessors[{number}]");
        let element_bytes = match use_ {
            Use::Joints => 8,
            Use::InverseBinds => 96,
            _ => 4 * element.multiplicity() as u64,
        };
        self.take((layout.count as u64).saturating_mul(element_bytes), &place, problems)?;
        let patches = layout.patches(&place, problems)?;
        let elements = Source { count: layout.count, base: layout.base, patches };
        let read = Floats { elements: &elements, component, normalized, place: &place };
        Ok(match use_ {
            Use::Positions | Use::MorphPositions | Use::MorphNormals => {
                Decoded::Vec3s(read.vectors::<3>(problems)?.into())
            }
            Use::Normals => Decoded::Vec3s(unit_vectors(read.vectors(problems)?).into()),
            Use::Tangents => Decoded::Vec4s(unit_tangents(read.vectors(problems)?).into()),
            Use::TexCoords => Decoded::Vec2s(read.vectors::<2>(problems)?.into()),
            Use::Weights => Decoded::Vec4s(not_negative(read.vectors(problems)?, &place, problems)?.into()),
            Use::Joints => Decoded::Joints(read_all(&elements, joint_numbers(component)).into()),
            Use::Indices => Decoded::Indices(read_all(&elements, vertex_number(component)).into()),
            Use::InverseBinds => {
                Decoded::Affines(affine_matrices(&read.vectors(problems)?, &place, problems)?.into())
            }
            Use::KeyTimes => Decoded::Floats(key_times(read.flat::<1>(problems)?, &place, problems)?.into()),
            Use::KeyVectors => Decoded::Floats(read.flat::<3>(problems)?.into()),
            Use::KeyWeights => Decoded::Floats(read.flat::<1>(problems)?.into()),
            Use::KeyRotations => {
                Decoded::Floats(key_rotations(read.flat::<4>(problems)?, 1, &place, problems).into())
            }
            Use::KeyRotationsCubic => {
                Decoded::Floats(key_rotations(read.flat::<4>(problems)?, 3, &place, problems).into())
            }
        })
    }
}
