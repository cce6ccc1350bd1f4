//! What an accessor is used for, and which types glTF allows for that.

use ::gltf::json::accessor::{ComponentType, Type};

/// A use of an accessor's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// `POSITION`.
    Positions,
    /// `NORMAL`.
    Normals,
    /// `TANGENT`.
    Tangents,
    /// `TEXCOORD_n`.
    TexCoords,
    /// `JOINTS_n`.
    Joints,
    /// `WEIGHTS_n`.
    Weights,
    /// `POSITION` of a morph target.
    MorphPositions,
    /// `NORMAL` of a morph target.
    MorphNormals,
    /// `indices`.
    Indices,
    /// `inverseBindMatrices`.
    InverseBinds,
    /// `input` of an animation sampler.
    KeyTimes,
    /// `output` for a translation or scale.
    KeyVectors,
    /// `output` for a rotation.
    KeyRotations,
    /// `output` for a rotation with CUBICSPLINE: tangents between the values.
    KeyRotationsCubic,
    /// `output` for morph weights.
    KeyWeights,
}

impl Use {
    /// glTF 2.0 sections 3.6.2.2, 3.7.2.1, 3.7.3.1 and 3.11; with `quantized`, `KHR_mesh_quantization` too.
    pub(super) fn allows(
        self,
        element: Type,
        component: ComponentType,
        normalized: bool,
        quantized: bool,
    ) -> bool {
        use ComponentType::{F32, I8, I16, U8, U16, U32};
        // `normalized` says nothing about floats; some exporters set it.
        let float = component == F32;
        let signed = matches!(component, I8 | I16);
        let unsigned = matches!(component, U8 | U16);
        let signed_normalized = signed && normalized;
        let unsigned_normalized = unsigned && normalized;
        match self {
            Self::Positions => element == Type::Vec3 && (float || quantized && (signed || unsigned)),
            Self::Normals | Self::MorphNormals => {
                element == Type::Vec3 && (float || quantized && signed_normalized)
            }
            Self::Tangents => element == Type::Vec4 && (float || quantized && signed_normalized),
            Self::TexCoords => {
                element == Type::Vec2 && (float || unsigned_normalized || quantized && (signed || unsigned))
            }
            Self::MorphPositions => element == Type::Vec3 && (float || quantized && signed),
            Self::Joints => element == Type::Vec4 && unsigned && !normalized,
            Self::Weights => element == Type::Vec4 && (float || unsigned_normalized),
            Self::Indices => element == Type::Scalar && matches!(component, U8 | U16 | U32) && !normalized,
            Self::InverseBinds => element == Type::Mat4 && float,
            Self::KeyTimes => element == Type::Scalar && float,
            Self::KeyVectors => element == Type::Vec3 && float,
            Self::KeyRotations | Self::KeyRotationsCubic => {
                element == Type::Vec4 && (float || signed_normalized || unsigned_normalized)
            }
            Self::KeyWeights => {
                element == Type::Scalar && (float || signed_normalized || unsigned_normalized)
            }
        }
    }

    /// The allowed types, in words.
    pub(super) const fn allowed(self, quantized: bool) -> &'static str {
        match (self, quantized) {
            (Self::Positions, true) => "VEC3 of f32, or of 8-bit or 16-bit integers",
            (Self::Normals | Self::MorphNormals, true) => "VEC3 of f32, or of normalized i8 or i16",
            (Self::Tangents, true) => "VEC4 of f32, or of normalized i8 or i16",
            (Self::TexCoords, true) => "VEC2 of f32, or of 8-bit or 16-bit integers",
            (Self::MorphPositions, true) => "VEC3 of f32, or of i8 or i16",
            (Self::Positions | Self::Normals | Self::MorphPositions | Self::MorphNormals, false) => {
                "VEC3 of f32 (integers need KHR_mesh_quantization)"
            }
            (Self::Tangents, false) => "VEC4 of f32 (integers need KHR_mesh_quantization)",
            (Self::TexCoords, false) => "VEC2 of f32, or of normalized u8 or u16",
            (Self::Joints, _) => "VEC4 of u8 or u16, not normalized",
            (Self::Weights, _) => "VEC4 of f32, or of normalized u8 or u16",
            (Self::Indices, _) => "SCALAR of u8, u16 or u32, not normalized",
            (Self::InverseBinds, _) => "MAT4 of f32",
            (Self::KeyTimes, _) => "SCALAR of f32",
            (Self::KeyVectors, _) => "VEC3 of f32",
            (Self::KeyRotations | Self::KeyRotationsCubic, _) => {
                "VEC4 of f32, or of normalized i8, u8, i16 or u16"
            }
            (Self::KeyWeights, _) => "SCALAR of f32, or of normalized i8, u8, i16 or u16",
        }
    }
}

/// A type in words: `VEC3 of normalized i16`.
pub(super) fn describe(element: Type, component: ComponentType, normalized: bool) -> String {
    let component = match component {
        ComponentType::I8 => "i8",
        ComponentType::U8 => "u8",
        ComponentType::I16 => "i16",
        ComponentType::U16 => "u16",
        ComponentType::U32 => "u32",
        ComponentType::F32 => "f32",
    };
    let element = match element {
        Type::Scalar => "SCALAR",
        Type::Vec2 => "VEC2",
        Type::Vec3 => "VEC3",
        Type::Vec4 => "VEC4",
        Type::Mat2 => "MAT2",
        Type::Mat3 => "MAT3",
        Type::Mat4 => "MAT4",
    };
    format!("{element} of {}{component}", if normalized { "normalized " } else { "" })
}
