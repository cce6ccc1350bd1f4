//! The JSON of a glTF: its tables as text, each entry turned into the `gltf` crate's type when it is needed.
//!
//! Entry by entry, so that one bad entry does not hide the others, that each error has its path, and that a file of a
//! million channels is never in memory as a million JSON trees.

use ::gltf::json;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// The tables of a glTF that a bake reads.
#[derive(Debug, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    asset: Option<&'a RawValue>,
    #[serde(borrow)]
    scene: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) extensions_used: Vec<String>,
    #[serde(default)]
    pub(super) extensions_required: Vec<String>,
    #[serde(borrow, default)]
    pub(super) scenes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) nodes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) meshes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) skins: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) animations: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) materials: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) textures: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) samplers: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) images: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) accessors: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) buffer_views: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) buffers: Vec<&'a RawValue>,
}

/// Reads the tables.
///
/// # Errors
///
/// The text is not JSON, or a table is not a list.
pub(super) fn read<'a>(json: &'a str, problems: &mut Problems) -> Result<Document<'a>, Reported> {
    let mut text = serde_json::Deserializer::from_str(json);
    let document =
        serde_path_to_error::deserialize(&mut text).map_err(|error| problems.push(at_path("", &error)))?;
    text.end().map_err(|error| {
        problems.error(ids::JSON_INVALID, "", format!("the JSON text goes on after its end: {error}"))
    })?;
    Ok(document)
}

impl Document<'_> {
    /// Checks that the file says it is glTF 2.
    pub(super) fn check_version(&self, problems: &mut Problems) {
        let Some(raw) = self.asset else {
            problems.push(
                Diagnostic::error(
                    ids::ASSET_VERSION,
                    "asset",
                    "the file does not say which glTF version it is",
                )
                .expected_found("asset.version \"2.0\"", "no asset"),
            );
            return;
        };
        let Ok(asset) = entry::<json::Asset>(raw, "asset", problems) else { return };
        let mut check = |field: &str, version: &str, supported: bool| {
            if !supported {
                problems.push(
                    Diagnostic::error(ids::ASSET_VERSION, field, "a glTF version that is not supported")
                        .expected_found("2.0", format!("{version:?}"))
                        .help("export the model as glTF 2.0"),
                );
            }
        };
        check("asset.version", &asset.version, version(&asset.version).is_some_and(|(major, _)| major == 2));
        if let Some(minimum) = &asset.min_version {
            check("asset.minVersion", minimum, version(minimum) == Some((2, 0)));
        }
    }

    /// The default scene, if the file names one.
    pub(super) fn default_scene(&self, problems: &mut Problems) -> Result<Option<usize>, Reported> {
        let Some(raw) = self.scene else { return Ok(None) };
        Ok(Some(entry::<json::Index<json::Scene>>(raw, "scene", problems)?.value()))
    }
}

fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Turns the text of an entry into its type.
pub(super) fn entry<T: DeserializeOwned>(
    raw: &RawValue,
    path: &str,
    problems: &mut Problems,
) -> Result<T, Reported> {
    // Nearly every entry of nearly every file: no tree in between.
    if let Ok(entry) = serde_json::from_str(raw.get()) {
        return Ok(entry);
    }
    // What a thousand broken entries have in common is not found by looking at a million more.
    problems.room()?;
    typed(value(raw, path, problems)?, path, problems)
}

/// Turns the text of an entry into a JSON tree, with what the crate cannot read put right.
pub(super) fn value(raw: &RawValue, path: &str, problems: &mut Problems) -> Result<Value, Reported> {
    // A tree nested deeper than 128 levels is an error of `serde_json`.
    let mut value = serde_json::from_str(raw.get())
        .map_err(|error| problems.error(ids::JSON_INVALID, path, format!("invalid JSON: {error}")))?;
    put_right(&mut value);
    Ok(value)
}

/// Turns a JSON tree into its type.
pub(super) fn typed<T: DeserializeOwned>(
    value: Value,
    path: &str,
    problems: &mut Problems,
) -> Result<T, Reported> {
    serde_path_to_error::deserialize(value).map_err(|error| problems.push(at_path(path, &error)))
}

/// Reads an entry that keeps its own entries as text.
pub(super) fn borrowed<'a, T: serde::Deserialize<'a>>(
    raw: &'a RawValue,
    path: &str,
    problems: &mut Problems,
) -> Result<T, Reported> {
    serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(raw.get()))
        .map_err(|error| problems.push(at_path(path, &error)))
}

fn at_path(path: &str, error: &serde_path_to_error::Error<serde_json::Error>) -> Diagnostic {
    // The path ends in `?` where the text breaks off before the name of a property.
    let inner = error.path().to_string();
    let path = match (path, inner.trim_end_matches('?').trim_end_matches('.')) {
        (path, "") => path.to_owned(),
        ("", inner) => inner.to_owned(),
        (path, inner) if inner.starts_with('[') => format!("{path}{inner}"),
        (path, inner) => format!("{path}.{inner}"),
    };
    Diagnostic::error(ids::JSON_INVALID, path, error.inner().to_string())
}

/// Whole numbers may be written `2.0` or `2e0` (glTF 2.0 section 2.7.1); `extras` are nobody's business here.
fn put_right(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            if let Some(whole) = number.as_f64().and_then(whole_number) {
                *number = whole;
            }
        }
        Value::Array(list) => list.iter_mut().for_each(put_right),
        Value::Object(fields) => {
            fields.remove("extras");
            fields.values_mut().for_each(put_right);
        }
        _ => {}
    }
}

#[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53 convert exactly")]
fn whole_number(number: f64) -> Option<serde_json::Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.trunc() != number || number.abs() >= EXACT || (number == 0.0 && number.is_sign_negative()) {
        return None;
    }
    Some(serde_json::Number::from(number as i64))
}

/// Checks a number of another table.
pub(super) fn in_table(
    index: usize,
    length: usize,
    table: &str,
    path: impl FnOnce() -> String,
    problems: &mut Problems,
) -> Result<usize, Reported> {
    if index < length {
        return Ok(index);
    }
    let expected = match length {
        0 => format!("no number: the file has no {table}"),
        _ => format!("a number below {length}"),
    };
    Err(problems.push(
        Diagnostic::error(ids::INDEX_OUT_OF_RANGE, path(), format!("{table}[{index}] does not exist"))
            .expected_found(expected, index),
    ))
}
