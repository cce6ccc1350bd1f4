//! URIs of buffers and images: data URIs in every spelling, and relative paths.

use base64::Engine;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// What a URI refers to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Uri {
    /// The bytes themselves.
    Data(Vec<u8>),
    /// A relative path, percent-decoded.
    External(String),
}

/// Base64 with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Reads a URI.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(super) fn read(uri: &str) -> Result<Uri, String> {
    if uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:")) {
        return data(uri.get(5..).unwrap_or_default()).map(Uri::Data);
    }
    if uri.is_empty() {
        return Err("it is empty".to_owned());
    }
    if let Some((scheme, _)) = uri.split_once(':')
        && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    {
        return Err(format!("it has the scheme {scheme:?}; only relative paths and data URIs are read"));
    }
    let path = percent_encoding::percent_decode_str(uri)
        .decode_utf8()
        .map_err(|_| "its percent-encoding is not UTF-8".to_owned())?;
    if path.starts_with(['/', '\\']) {
        return Err("it is an absolute path; only relative paths are read".to_owned());
    }
    Ok(Uri::External(path.into_owned()))
}

/// The part of a data URI behind `data:`: `[mime type][;parameter...][;base64],content`.
fn data(rest: &str) -> Result<Vec<u8>, String> {
    let (head, content) = rest.split_once(',').ok_or("a data URI without a comma")?;
    let content: std::borrow::Cow<'_, [u8]> = percent_encoding::percent_decode_str(content).into();
    if head.rsplit_once(';').is_some_and(|(_, last)| last.trim().eq_ignore_ascii_case("base64")) {
        BASE64.decode(&content).map_err(|error| format!("a data URI with invalid base64: {error}"))
    } else {
        Ok(content.into_owned())
    }
}

/// A URI for messages: short, and without the content of a data URI.
pub(super) fn shortened(uri: &str) -> String {
    const SHOWN_MAX: usize = 80;
    let head = match uri.split_once(',') {
        Some((head, _)) if head.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("data:")) => head,
        _ => uri,
    };
    let short: String = head.chars().take(SHOWN_MAX).collect();
    if short.len() < uri.len() { format!("{short}...") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_spellings_of_a_data_uri_give_the_same_bytes() {
        let cases = [
            "data:application/octet-stream;base64,AQID",
            "data:application/gltf-buffer;base64,AQID",
            "data:;base64,AQID",
            "data:base64,%01%02%03",
            "data:,%01%02%03",
            "DATA:text/plain;charset=utf-8;BASE64,AQID",
            "data:;base64,AQ%49D",
        ];
        for uri in cases {
            assert_eq!(read(uri), Ok(Uri::Data(vec![1, 2, 3])), "{uri}");
        }
    }

    #[test]
    fn base64_is_read_with_and_without_padding() {
        for uri in ["data:;base64,AQ==", "data:;base64,AQ", "data:;base64,AQ%3D%3D"] {
            assert_eq!(read(uri), Ok(Uri::Data(vec![1])), "{uri}");
        }
        assert!(read("data:;base64,A!").is_err());
        assert!(read("data:;base64").is_err());
    }

    #[test]
    fn relative_paths_are_percent_decoded() {
        let cases = [
            ("a.bin", "a.bin"),
            ("my%20model.bin", "my model.bin"),
            ("my model.bin", "my model.bin"),
            ("../t%C3%A9x/%E9%AA%A8.bin", "../téx/骨.bin"),
            ("a/b:c.bin", "a/b:c.bin"),
        ];
        for (uri, path) in cases {
            assert_eq!(read(uri), Ok(Uri::External(path.to_owned())), "{uri}");
        }
    }

    #[test]
    fn absolute_paths_and_schemes_are_refused() {
        for uri in [
            "http://a/b.bin",
            "file:///a.bin",
            "C:\\a.bin",
            "/etc/passwd",
            "\\\\host\\a",
            "%2Fetc",
            "",
            "%FF",
        ] {
            assert!(read(uri).is_err(), "{uri}");
        }
    }
}
