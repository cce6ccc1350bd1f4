//! Images: the bytes of those that are a base colour. A model is baked without an image that cannot be had.

use std::collections::HashMap;
use std::sync::Arc;

use ::gltf::json;
use anim_format::model::ImageFormat;

use super::Resolver;
use super::accessor::Reader;
use super::buffers::Buffers;
use super::document::{Document, entry};
use super::problems::{Problems, Reported};
use super::uri::{self, Uri};
use crate::diagnostics::Diagnostic;
use crate::ids;
use crate::source::{SourceImage, SourceMaterial};

/// Reads every image; only those that a material names get bytes.
pub(super) fn read(
    document: &Document<'_>,
    materials: &[SourceMaterial],
    buffers: &Buffers<'_>,
    reader: &mut Reader<'_>,
    resolver: &Resolver<'_>,
    problems: &mut Problems,
) -> Vec<SourceImage> {
    let mut sources = Sources { buffers, reader, resolver, by_view: HashMap::new(), by_path: HashMap::new() };
    let mut used = vec![false; document.images.len()];
    for number in materials.iter().filter_map(|material| material.image) {
        if let Some(used) = used.get_mut(number) {
            *used = true;
        }
    }
    let mut images = Vec::new();
    for (number, raw) in document.images.iter().enumerate() {
        let path = format!("images[{number}]");
        let image = entry::<json::Image>(raw, &path, problems);
        let Ok(image) = image else {
            images.push(SourceImage { name: String::new(), content: None });
            continue;
        };
        let content = if used[number] { sources.content(&image, &path, problems).ok() } else { None };
        let uri_name = || image.uri.as_ref().filter(|uri| !uri.starts_with("data:")).cloned();
        let name = image.name.clone().or_else(uri_name).unwrap_or_default();
        images.push(SourceImage { name, content });
    }
    images
}

type Content = (ImageFormat, Arc<[u8]>);

/// Where images come from. Many may share one view or file: each is read once.
struct Sources<'a, 'r> {
    buffers: &'a Buffers<'a>,
    reader: &'a mut Reader<'r>,
    resolver: &'a Resolver<'a>,
    by_view: HashMap<usize, Arc<[u8]>>,
    by_path: HashMap<String, Arc<[u8]>>,
}

impl Sources<'_, '_> {
    fn content(
        &mut self,
        image: &json::Image,
        path: &str,
        problems: &mut Problems,
    ) -> Result<Content, Reported> {
        let bytes = match (&image.buffer_view, &image.uri) {
            (Some(view), _) => self.view(view.value(), path, problems)?,
            (None, None) => {
                return Err(missing(path, "the image has neither a uri nor a bufferView", problems));
            }
            (None, Some(uri)) => match uri::read(uri) {
                Ok(Uri::Data(bytes)) => bytes.into(),
                Ok(Uri::External(relative)) => self.external(relative, path, problems)?,
                Err(why) => {
                    let what = format!("cannot read the uri {:?}: {why}", uri::shortened(uri));
                    return Err(missing(path, what, problems));
                }
            },
        };
        let format = format_of(&bytes).map_err(|found| {
            problems.push(
                Diagnostic::warning(ids::IMAGE_FORMAT, path, "the image is neither PNG nor JPEG")
                    .expected_found("PNG or JPEG", found)
                    .help(WITHOUT),
            )
        })?;
        Ok((format, bytes))
    }

    fn view(&mut self, view: usize, path: &str, problems: &mut Problems) -> Result<Arc<[u8]>, Reported> {
        if let Some(bytes) = self.by_view.get(&view) {
            return Ok(Arc::clone(bytes));
        }
        let (bytes, _) = self.buffers.view(view, || format!("{path}.bufferView"), problems)?;
        self.reader.take(bytes.len() as u64, path, problems)?;
        let bytes: Arc<[u8]> = bytes.into();
        self.by_view.insert(view, Arc::clone(&bytes));
        Ok(bytes)
    }

    fn external(
        &mut self,
        relative: String,
        path: &str,
        problems: &mut Problems,
    ) -> Result<Arc<[u8]>, Reported> {
        if let Some(bytes) = self.by_path.get(&relative) {
            return Ok(Arc::clone(bytes));
        }
        let bytes: Arc<[u8]> = (self.resolver)(&relative).map(Arc::from).map_err(|error| {
            missing(path, format!("the image {relative:?} cannot be read: {error}"), problems)
        })?;
        self.by_path.insert(relative, Arc::clone(&bytes));
        Ok(bytes)
    }
}

const WITHOUT: &str = "the model is baked without this image; animation does not need it";

fn missing(path: &str, what: impl Into<String>, problems: &mut Problems) -> Reported {
    problems.push(Diagnostic::warning(ids::IMAGE_MISSING, path, what).help(WITHOUT))
}

/// By the bytes: `mimeType` and file endings are wrong in real files.
fn format_of(bytes: &[u8]) -> Result<ImageFormat, &'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Ok(ImageFormat::Png)
    } else if bytes.starts_with(b"\xFF\xD8\xFF") {
        Ok(ImageFormat::Jpeg)
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Err("WebP")
    } else if bytes.starts_with(b"\xABKTX 20\xBB") {
        Err("KTX2")
    } else if bytes.starts_with(b"DDS ") {
        Err("DDS")
    } else if bytes.get(4..12) == Some(b"ftypavif") {
        Err("AVIF")
    } else {
        Err("an unknown format")
    }
}
