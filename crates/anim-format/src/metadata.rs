//! The metadata section: what a player can do without. The only use of `bincode` in the project.
//!
//! bincode 2.0.1 is the last version that works, so it stays in this file. The structs here are what is stored: fixed
//! widths only, and strings that borrow the input, because an owned string would be allocated at whatever length
//! damaged bytes claim. Frozen together with the records of version 1.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::error::FormatError;
use crate::model::{Accuracy, ErrorFigures, Metadata, Worst};

/// Largest metadata section.
pub(crate) const METADATA_BYTES_MAX: usize = 16 << 20;

/// Decodes the section, all of it.
pub(crate) fn decode(bytes: &[u8]) -> Result<Metadata, FormatError> {
    let damaged = |reason: String| FormatError::BadMetadata { reason };
    let config = bincode::config::legacy().with_limit::<METADATA_BYTES_MAX>();
    let (wire, consumed): (WireMetadata<'_>, usize) = bincode::serde::borrow_decode_from_slice(bytes, config)
        .map_err(|error| damaged(error.to_string()))?;
    if consumed != bytes.len() {
        return Err(damaged(alloc::format!("{consumed} bytes used, expected {}", bytes.len())));
    }
    Ok(wire.into())
}

/// Encodes the section.
pub(crate) fn encode(metadata: &Metadata) -> Result<Vec<u8>, FormatError> {
    let bytes = bincode::serde::encode_to_vec(WireMetadata::from(metadata), bincode::config::legacy())
        .map_err(|error| FormatError::BadMetadata { reason: error.to_string() })?;
    if bytes.len() > METADATA_BYTES_MAX {
        return Err(FormatError::TooLarge {
            what: "the metadata (bytes)",
            found: bytes.len() as u64,
            max: METADATA_BYTES_MAX as u64,
        });
    }
    Ok(bytes)
}

#[derive(Serialize, Deserialize)]
struct WireMetadata<'a> {
    generator: &'a str,
    #[serde(borrow)]
    source_names: Vec<&'a str>,
    settings: Vec<(&'a str, &'a str)>,
    accuracy: Vec<WireAccuracy>,
}

#[derive(Serialize, Deserialize)]
struct WireAccuracy {
    model_size_metres: f64,
    playback: WireErrorFigures,
    clips: Vec<WireErrorFigures>,
    left_out_max_metres: f64,
    left_out_intervals: u32,
    largest_shift_seconds: f64,
    influence_loss_max_metres: f64,
    influence_loss_vertices: u32,
    morph_loss_max_metres: f64,
    packing_max_metres: f64,
    packing_normal_max_degrees: f64,
    total_max_metres: f64,
    exhaustive: bool,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct WireErrorFigures {
    max_metres: f64,
    p999_metres: f64,
    mean_metres: f64,
    rms_metres: f64,
    normal_max_degrees: f64,
    worst: Option<WireWorst>,
    samples: u64,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct WireWorst {
    clip: u32,
    bone: u32,
    part: u32,
    vertex: u32,
    time_seconds: f64,
}

impl From<WireMetadata<'_>> for Metadata {
    fn from(wire: WireMetadata<'_>) -> Self {
        let owned = |(name, value): (&str, &str)| (name.into(), value.into());
        Self {
            generator: wire.generator.into(),
            source_names: wire.source_names.into_iter().map(String::from).collect(),
            settings: wire.settings.into_iter().map(owned).collect(),
            accuracy: wire.accuracy.into_iter().map(Accuracy::from).collect(),
        }
    }
}

impl<'a> From<&'a Metadata> for WireMetadata<'a> {
    fn from(model: &'a Metadata) -> Self {
        let borrowed = |(name, value): &'a (String, String)| (name.as_str(), value.as_str());
        Self {
            generator: &model.generator,
            source_names: model.source_names.iter().map(String::as_str).collect(),
            settings: model.settings.iter().map(borrowed).collect(),
            accuracy: model.accuracy.iter().map(WireAccuracy::from).collect(),
        }
    }
}

/// Both conversions between a struct of the model and its stored twin. Leaving out a field does not compile.
macro_rules! twins {
    ($model:ident, $wire:ident, { $($same:ident,)* }, { $($other:ident: $to_model:expr, $to_wire:expr;)* }) => {
        impl From<$wire> for $model {
            fn from(wire: $wire) -> Self {
                Self { $($same: wire.$same,)* $($other: ($to_model)(wire.$other),)* }
            }
        }

        impl From<&$model> for $wire {
            fn from(model: &$model) -> Self {
                Self { $($same: model.$same,)* $($other: ($to_wire)(&model.$other),)* }
            }
        }
    };
}

twins!(Accuracy, WireAccuracy, {
    model_size_metres, left_out_max_metres, left_out_intervals, largest_shift_seconds, influence_loss_max_metres,
    influence_loss_vertices, morph_loss_max_metres, packing_max_metres, packing_normal_max_degrees,
    total_max_metres, exhaustive,
}, {
    playback: ErrorFigures::from, WireErrorFigures::from;
    clips: |wire: Vec<WireErrorFigures>| wire.into_iter().map(ErrorFigures::from).collect(),
        |model: &Vec<ErrorFigures>| model.iter().map(WireErrorFigures::from).collect();
});

twins!(ErrorFigures, WireErrorFigures, {
    max_metres, p999_metres, mean_metres, rms_metres, normal_max_degrees, samples,
}, {
    worst: |wire: Option<WireWorst>| wire.map(Worst::from),
        |model: &Option<Worst>| model.as_ref().map(WireWorst::from);
});

twins!(Worst, WireWorst, { clip, bone, part, vertex, time_seconds, }, {});
