//! How the rows of a bone become texels, and back.

use half::f16;

use crate::matrix_rows::Rows;

/// How the elements of a rows page set are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsEncoding {
    /// Three `rgba32float` texels a bone: 48 bytes, exact.
    Affine32,
    /// Three `rgba16float` texels a bone: 24 bytes; each number keeps 11 significant bits.
    Affine16,
}

impl RowsEncoding {
    /// Bytes of one texel (one row).
    #[must_use]
    pub const fn texel_bytes(self) -> usize {
        match self {
            Self::Affine32 => 16,
            Self::Affine16 => 8,
        }
    }

    /// Bytes of one bone in one frame.
    #[must_use]
    pub const fn bone_bytes(self) -> usize {
        3 * self.texel_bytes()
    }
}

/// A number that the encoding cannot hold: it would become infinite or it is not a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unencodable {
    /// The number.
    pub value: f32,
    /// Largest magnitude that the encoding holds.
    pub largest: f32,
}

/// Writes the rows of one bone as little-endian texels.
///
/// # Errors
///
/// [`Unencodable`] with the first number that does not fit; `out` is then partly written.
///
/// # Panics
///
/// If `out` is not [`RowsEncoding::bone_bytes`] long.
pub fn encode_rows(rows: &Rows, encoding: RowsEncoding, out: &mut [u8]) -> Result<(), Unencodable> {
    assert_eq!(out.len(), encoding.bone_bytes());
    let values = rows.as_flattened();
    match encoding {
        RowsEncoding::Affine32 => {
            for (value, bytes) in values.iter().zip(out.chunks_exact_mut(4)) {
                if !value.is_finite() {
                    return Err(Unencodable { value: *value, largest: f32::MAX });
                }
                bytes.copy_from_slice(&value.to_le_bytes());
            }
        }
        RowsEncoding::Affine16 => {
            for (value, bytes) in values.iter().zip(out.chunks_exact_mut(2)) {
                let half = f16::from_f32_const(*value);
                if !half.is_finite() {
                    return Err(Unencodable { value: *value, largest: f16::MAX.to_f32_const() });
                }
                bytes.copy_from_slice(&half.to_le_bytes());
            }
        }
    }
    Ok(())
}

/// Reads the rows of one bone back from its texels.
///
/// # Panics
///
/// If `texels` is not [`RowsEncoding::bone_bytes`] long.
#[must_use]
pub fn decode_rows(texels: &[u8], encoding: RowsEncoding) -> Rows {
    assert_eq!(texels.len(), encoding.bone_bytes());
    let mut rows: Rows = [[0.0; 4]; 3];
    let values = rows.as_flattened_mut();
    match encoding {
        RowsEncoding::Affine32 => {
            for (value, bytes) in values.iter_mut().zip(texels.chunks_exact(4)) {
                *value = f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
        RowsEncoding::Affine16 => {
            for (value, bytes) in values.iter_mut().zip(texels.chunks_exact(2)) {
                *value = f16::from_le_bytes([bytes[0], bytes[1]]).to_f32_const();
            }
        }
    }
    rows
}

/// Largest difference that storing `value` can make: half a step of the encoding's number format.
#[must_use]
pub fn encoding_bound(value: f32, encoding: RowsEncoding) -> f32 {
    match encoding {
        RowsEncoding::Affine32 => 0.0,
        // 11 significant bits: half a unit in the last place is 2^-11 of the value, and 2^-25 below the normal range.
        RowsEncoding::Affine16 => (value.abs() / 2048.0).max(f32::EPSILON / 4.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decoding_an_encoded_bone_is_within_the_stated_bound(
            rows in prop::array::uniform3(prop::array::uniform4(prop_oneof![-65000.0..65000.0f32, -1e-4..1e-4f32])),
        ) {
            for encoding in [RowsEncoding::Affine32, RowsEncoding::Affine16] {
                let mut texels = alloc::vec![0; encoding.bone_bytes()];
                encode_rows(&rows, encoding, &mut texels).unwrap();
                let decoded = decode_rows(&texels, encoding);
                for (before, after) in rows.as_flattened().iter().zip(decoded.as_flattened()) {
                    prop_assert!((before - after).abs() <= encoding_bound(*before, encoding), "{before} {after}");
                }
            }
        }
    }

    #[test]
    fn what_would_become_infinite_is_refused() {
        let mut rows = crate::matrix_rows::IDENTITY_ROWS;
        rows[1][3] = 70_000.0;
        let refused = encode_rows(&rows, RowsEncoding::Affine16, &mut [0; 24]);
        assert_eq!(refused, Err(Unencodable { value: 70_000.0, largest: 65_504.0 }));
        assert_eq!(encode_rows(&rows, RowsEncoding::Affine32, &mut [0; 48]), Ok(()));
        rows[0][0] = f32::NAN;
        assert!(encode_rows(&rows, RowsEncoding::Affine32, &mut [0; 48]).is_err());
        assert!(encode_rows(&rows, RowsEncoding::Affine16, &mut [0; 24]).is_err());
    }
}
