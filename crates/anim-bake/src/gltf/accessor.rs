//! Our own typed accessor reader: data by use, each read once, checked, and bounded in memory.

use std::collections::HashMap;
use std::sync::Arc;

use ::gltf::json::accessor::ComponentType;
use anim_core::glam::{DAffine3, DMat3, DVec3};

use super::buffers::Buffers;
use super::document::{Document, in_table};
use super::extensions;
use super::layout::{Accessor, Elements, read_accessors};
use super::problems::{Problems, Reported};
use super::usage::{Use, describe};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// How far the fourth row of an affine matrix may be from `0 0 0 1`: rounding of products in `f32`.
pub(super) const AFFINE_TOLERANCE: f64 = 1e-5;

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
        indices, Indices, u32
    }
    getter! {
        /// Affine matrices.
        affines, Affines, DAffine3
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

/// Elements and what replaces some of them.
struct Source<'b> {
    count: usize,
    base: Option<Elements<'b>>,
    patches: Option<(Vec<usize>, Elements<'b>)>,
}

/// Every element through `convert`, sparse patches applied. An accessor without a view is zeros.
fn read_all<T: Clone>(source: &Source<'_>, convert: impl Fn(&[u8]) -> T) -> Vec<T> {
    let mut all = match &source.base {
        Some(base) => (0..source.count).map(|number| convert(base.get(number))).collect(),
        None => vec![convert(&[0; 64]); source.count],
    };
    if let Some((numbers, values)) = &source.patches {
        for (entry, number) in numbers.iter().enumerate() {
            if let Some(element) = all.get_mut(*number) {
                *element = convert(values.get(entry));
            }
        }
    }
    all
}

/// Bytes `N * number ..` of an element; zeros past its end, which the checked layout rules out.
fn component<const N: usize>(element: &[u8], number: usize) -> [u8; N] {
    element.get(N * number..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

fn joint_numbers(kind: ComponentType) -> impl Fn(&[u8]) -> [u16; 4] {
    move |element| {
        std::array::from_fn(|number| match kind {
            ComponentType::U8 => u16::from(u8::from_le_bytes(component(element, number))),
            _ => u16::from_le_bytes(component(element, number)),
        })
    }
}

fn vertex_number(kind: ComponentType) -> impl Fn(&[u8]) -> u32 {
    move |element| match kind {
        ComponentType::U8 => u32::from(u8::from_le_bytes(component(element, 0))),
        ComponentType::U16 => u32::from(u16::from_le_bytes(component(element, 0))),
        _ => u32::from_le_bytes(component(element, 0)),
    }
}

/// Reads floating-point vectors.
struct Floats<'b> {
    elements: &'b Source<'b>,
    component: ComponentType,
    normalized: bool,
    place: &'b str,
}

impl Floats<'_> {
    /// glTF 2.0 section 3.11: normalised integers are divided by their largest value, and never below -1.
    fn vectors<const N: usize>(&self, problems: &mut Problems) -> Result<Vec<[f32; N]>, Reported> {
        let scaled =
            |value: f32, largest: f32| if self.normalized { (value / largest).max(-1.0) } else { value };
        let all: Vec<[f32; N]> = match self.component {
            ComponentType::F32 => self.with(|e, i| f32::from_le_bytes(component(e, i))),
            ComponentType::U8 => {
                self.with(|e, i| scaled(f32::from(u8::from_le_bytes(component(e, i))), 255.0))
            }
            ComponentType::I8 => {
                self.with(|e, i| scaled(f32::from(i8::from_le_bytes(component(e, i))), 127.0))
            }
            ComponentType::U16 => {
                self.with(|e, i| scaled(f32::from(u16::from_le_bytes(component(e, i))), 65535.0))
            }
            ComponentType::I16 => {
                self.with(|e, i| scaled(f32::from(i16::from_le_bytes(component(e, i))), 32767.0))
            }
            // No use allows it; the table in `usage.rs` has been asked.
            ComponentType::U32 => return Err(Reported),
        };
        let broken = |element: &[f32; N]| !element.iter().all(|value| value.is_finite());
        if let Some(first) = all.iter().position(broken) {
            let total = all.iter().filter(|element| broken(element)).count();
            return Err(problems.push(
                Diagnostic::error(
                    ids::ACCESSOR_NOT_FINITE,
                    self.place,
                    format!("element {first} holds a NaN or an infinite number"),
                )
                .expected_found("finite numbers", format!("{total} such elements of {}", all.len())),
            ));
        }
        Ok(all)
    }

    /// The same, one component after another.
    fn flat<const N: usize>(&self, problems: &mut Problems) -> Result<Vec<f32>, Reported> {
        Ok(self.vectors::<N>(problems)?.into_flattened())
    }

    fn with<const N: usize>(&self, read: impl Fn(&[u8], usize) -> f32) -> Vec<[f32; N]> {
        read_all(self.elements, |element| std::array::from_fn(|number| read(element, number)))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a unit vector in f64 rounds to f32")]
fn unit(vector: [f32; 3]) -> [f32; 3] {
    let wide = DVec3::from(vector.map(f64::from));
    let length = wide.length();
    // A zero vector has no direction: it stays zero, and whoever shades with it sees that.
    if length > 0.0 { (wide / length).to_array().map(|value| value as f32) } else { vector }
}

fn unit_vectors(mut vectors: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    vectors.iter_mut().for_each(|vector| *vector = unit(*vector));
    vectors
}

fn unit_tangents(mut tangents: Vec<[f32; 4]>) -> Vec<[f32; 4]> {
    for [x, y, z, handedness] in &mut tangents {
        [*x, *y, *z] = unit([*x, *y, *z]);
        *handedness = if *handedness < 0.0 { -1.0 } else { 1.0 };
    }
    tangents
}

fn not_negative(
    weights: Vec<[f32; 4]>,
    place: &str,
    problems: &mut Problems,
) -> Result<Vec<[f32; 4]>, Reported> {
    let Some(first) = weights.iter().position(|weights| weights.iter().any(|weight| *weight < 0.0)) else {
        return Ok(weights);
    };
    Err(problems.push(
        Diagnostic::error(ids::WEIGHT_NEGATIVE, place, format!("vertex {first} has a negative weight"))
            .expected_found(
                "weights of at least 0",
                format!("{:?}", weights.get(first).copied().unwrap_or_default()),
            ),
    ))
}

fn affine_matrices(
    matrices: &[[f32; 16]],
    place: &str,
    problems: &mut Problems,
) -> Result<Vec<DAffine3>, Reported> {
    let mut affines = Vec::with_capacity(matrices.len());
    for (number, matrix) in matrices.iter().enumerate() {
        affines.push(affine(matrix).ok_or_else(|| {
            problems.push(not_affine(
                place,
                format!("the fourth row of matrix {number} is not 0 0 0 1"),
                matrix,
            ))
        })?);
    }
    Ok(affines)
}

/// An affine matrix from 16 column-major numbers; `None` if its fourth row is not `0 0 0 1`.
pub(super) fn affine(m: &[f32; 16]) -> Option<DAffine3> {
    let m = m.map(f64::from);
    let row = [m[3], m[7], m[11], m[15] - 1.0];
    if !row.iter().all(|value| value.abs() <= AFFINE_TOLERANCE) {
        return None;
    }
    Some(DAffine3 {
        matrix3: DMat3::from_cols_array(&[m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]]),
        translation: DVec3::new(m[12], m[13], m[14]),
    })
}

/// The error about a matrix whose fourth row is not `0 0 0 1`.
pub(super) fn not_affine(path: impl Into<String>, what: impl Into<String>, m: &[f32; 16]) -> Diagnostic {
    Diagnostic::error(ids::MATRIX_NOT_AFFINE, path, what)
        .expected_found("0 0 0 1", format!("{} {} {} {}", m[3], m[7], m[11], m[15]))
}

/// Key times are not negative and strictly increasing (glTF 2.0 section 3.11).
fn key_times(times: Vec<f32>, place: &str, problems: &mut Problems) -> Result<Vec<f32>, Reported> {
    let mut result = Ok(());
    if let Some(first) = times.iter().position(|time| *time < 0.0) {
        let total = times.iter().filter(|time| **time < 0.0).count();
        result = Err(problems.push(
            Diagnostic::error(ids::KEY_TIME_NEGATIVE, place, format!("the time of key {first} is negative"))
                .expected_found("0 or later", format!("{} ({total} such keys)", times[first])),
        ));
    }
    let falls = |pair: &[f32]| matches!(pair, [a, b] if a >= b);
    if let Some(first) = times.windows(2).position(falls) {
        let total = times.windows(2).filter(|pair| falls(pair)).count();
        let (before, at) = (times[first], times[first + 1]);
        result = Err(problems.push(
            Diagnostic::error(
                ids::KEY_TIME_NOT_INCREASING,
                place,
                format!("key {} is not later than the key before it", first + 1),
            )
            .expected_found(format!("a time after {before}"), format!("{at} ({total} such keys)")),
        ));
    }
    result.map(|()| times)
}

/// Rotations of length zero mean nothing; they become "no rotation", with a warning. Every `step`-th vector of four is
/// a value: with CUBICSPLINE tangents lie on both sides of it.
fn key_rotations(mut rotations: Vec<f32>, step: usize, place: &str, problems: &mut Problems) -> Vec<f32> {
    let mut first = None;
    let mut total = 0;
    for (number, rotation) in rotations.chunks_exact_mut(4).enumerate().skip(step / 2).step_by(step) {
        if rotation.iter().all(|value| *value == 0.0) {
            rotation.copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
            first.get_or_insert(number);
            total += 1;
        }
    }
    if let Some(first) = first {
        problems.push(
            Diagnostic::warning(
                ids::KEY_ROTATION_ZERO,
                place,
                format!("element {first} is a rotation of length zero; it is read as no rotation"),
            )
            .expected_found("unit quaternions", format!("{total} of length zero")),
        );
    }
    rotations
}
