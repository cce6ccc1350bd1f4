//! Bytes of an accessor to numbers.

use ::gltf::json::accessor::ComponentType;

use super::layout::Elements;
use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// Elements and what replaces some of them.
pub(super) struct Source<'b> {
    pub(super) count: usize,
    pub(super) base: Option<Elements<'b>>,
    pub(super) patches: Option<(Vec<usize>, Elements<'b>)>,
}

/// Every element through `convert`, sparse patches applied. An accessor without a view is zeros.
pub(super) fn read_all<T: Clone>(source: &Source<'_>, convert: impl Fn(&[u8]) -> T) -> Vec<T> {
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

pub(super) fn joint_numbers(kind: ComponentType) -> impl Fn(&[u8]) -> [u16; 4] {
    move |element| {
        std::array::from_fn(|number| match kind {
            ComponentType::U8 => u16::from(u8::from_le_bytes(component(element, number))),
            _ => u16::from_le_bytes(component(element, number)),
        })
    }
}

pub(super) fn vertex_number(kind: ComponentType) -> impl Fn(&[u8]) -> u32 {
    move |element| match kind {
        ComponentType::U8 => u32::from(u8::from_le_bytes(component(element, 0))),
        ComponentType::U16 => u32::from(u16::from_le_bytes(component(element, 0))),
        _ => u32::from_le_bytes(component(element, 0)),
    }
}

/// Reads floating-point vectors.
pub(super) struct Floats<'b> {
    pub(super) elements: &'b Source<'b>,
    pub(super) component: ComponentType,
    pub(super) normalized: bool,
    pub(super) place: &'b str,
}

impl Floats<'_> {
    /// glTF 2.0 section 3.11: normalised integers are divided by their largest value, and never below -1.
    pub(super) fn vectors<const N: usize>(&self, problems: &mut Problems) -> Result<Vec<[f32; N]>, Reported> {
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
    pub(super) fn flat<const N: usize>(&self, problems: &mut Problems) -> Result<Vec<f32>, Reported> {
        Ok(self.vectors::<N>(problems)?.into_flattened())
    }

    fn with<const N: usize>(&self, read: impl Fn(&[u8], usize) -> f32) -> Vec<[f32; N]> {
        read_all(self.elements, |element| std::array::from_fn(|number| read(element, number)))
    }
}
