//! The numbers of version 1's enumerations, both directions.

use alloc::string::ToString;

use core::fmt::Display;

use crate::error::FormatError;
use crate::model::{
    ClipMode, Content, Encoding, HashOf, ImageFormat, Interpolation, TexelFormat, VertexSemantic, Wrap,
};

/// An enumeration, and what its numbers stand for.
pub(super) trait Numbered: Copy + PartialEq + 'static {
    /// Meaning of number 0, 1, 2 and so on. `Err` is a reserved number.
    const NUMBERS: &'static [Result<Self, &'static str>];

    fn from_number(number: u32, place: impl Display) -> Result<Self, FormatError> {
        match Self::NUMBERS.get(number as usize) {
            Some(Ok(value)) => Ok(*value),
            Some(Err(meaning)) => {
                Err(FormatError::NeedsNewerReader { place: place.to_string(), found: number, meaning })
            }
            None => Err(FormatError::UnknownNumber {
                place: place.to_string(),
                found: number,
                largest: count(Self::NUMBERS.len()) - 1,
            }),
        }
    }

    fn number(self) -> u32 {
        let position = Self::NUMBERS.iter().position(|known| *known == Ok(self));
        count(position.expect("every value of the model is in its table"))
    }
}

impl Numbered for ClipMode {
    const NUMBERS: &'static [Result<Self, &'static str>] =
        &[Ok(Self::Loop), Ok(Self::Once), Ok(Self::PingPong)];
}

impl Numbered for Interpolation {
    const NUMBERS: &'static [Result<Self, &'static str>] = &[Ok(Self::Linear), Ok(Self::Step)];
}

impl Numbered for Content {
    const NUMBERS: &'static [Result<Self, &'static str>] =
        &[Ok(Self::Local), Ok(Self::Rows), Ok(Self::Vertices), Ok(Self::Normals)];
}

impl Numbered for Encoding {
    const NUMBERS: &'static [Result<Self, &'static str>] = &[
        Ok(Self::Local8),
        Ok(Self::Local32),
        Ok(Self::Affine32),
        Ok(Self::Affine16),
        Ok(Self::Position32),
        Ok(Self::Position16),
        Ok(Self::Normal16),
    ];
}

impl Numbered for TexelFormat {
    const NUMBERS: &'static [Result<Self, &'static str>] =
        &[Ok(Self::Rg32Uint), Ok(Self::Rgba32Float), Ok(Self::Rgba16Float), Ok(Self::Rgba16Uint)];
}

impl Numbered for Wrap {
    const NUMBERS: &'static [Result<Self, &'static str>] =
        &[Ok(Self::Repeat), Ok(Self::Mirror), Ok(Self::Clamp)];
}

impl Numbered for ImageFormat {
    const NUMBERS: &'static [Result<Self, &'static str>] = &[Ok(Self::Png), Ok(Self::Jpeg)];
}

impl Numbered for HashOf {
    const NUMBERS: &'static [Result<Self, &'static str>] =
        &[Ok(Self::Source), Ok(Self::ClipFile), Ok(Self::Settings), Ok(Self::Topology)];
}

impl Numbered for VertexSemantic {
    const NUMBERS: &'static [Result<Self, &'static str>] = &[
        Ok(Self::Position),
        Ok(Self::Normal),
        Ok(Self::Tangent),
        Ok(Self::Uv),
        Ok(Self::Color),
        Ok(Self::Bones),
        Ok(Self::Weights),
    ];
}

/// Numbers of [`crate::model::Alpha`], which carries a cutoff and so is no plain enumeration.
pub(super) const ALPHA_OPAQUE: u32 = 0;
pub(super) const ALPHA_MASK: u32 = 1;
pub(super) const ALPHA_BLEND: u32 = 2;

#[expect(clippy::cast_possible_truncation, reason = "positions in the tables above")]
const fn count(position: usize) -> u32 {
    position as u32
}
