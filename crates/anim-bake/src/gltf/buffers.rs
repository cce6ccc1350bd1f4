//! Buffers and buffer views: bytes, with every range checked.

use std::collections::HashMap;
use std::sync::Arc;

use ::gltf::json;
use serde_json::{Map, Value};

use super::Resolver;
use super::document::{Document, entry, in_table};
use super::extensions::{MESHOPT, unsupported};
use super::problems::{Problems, Reported};
use super::uri::{self, Uri};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// The bytes of a file's buffers and the views onto them.
#[derive(Debug)]
pub(super) struct Buffers<'a> {
    /// `None` where an error has been recorded.
    buffers: Vec<Option<Bytes<'a>>>,
    views: Vec<Option<View>>,
    /// External buffers in order of first use.
    external: Vec<Arc<[u8]>>,
}

#[derive(Clone, Debug)]
enum Bytes<'a> {
    Model(&'a [u8]),
    Shared { bytes: Arc<[u8]>, length: usize },
}

impl Bytes<'_> {
    fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Model(bytes) => bytes,
            Bytes::Shared { bytes, length } => bytes.get(..*length).unwrap_or_default(),
        }
    }
}

/// A range of a buffer, checked against it.
#[derive(Clone, Copy, Debug)]
struct View {
    buffer: usize,
    start: usize,
    end: usize,
    stride: Option<usize>,
}

impl<'a> Buffers<'a> {
    /// Reads every buffer and checks every view.
    pub(super) fn read(
        document: &Document<'_>,
        binary: Option<&'a [u8]>,
        resolver: &Resolver<'_>,
        problems: &mut Problems,
    ) -> Self {
        let mut buffers = Self { buffers: Vec::new(), views: Vec::new(), external: Vec::new() };
        let mut by_path = HashMap::new();
        for (number, raw) in document.buffers.iter().enumerate() {
            let path = format!("buffers[{number}]");
            let bytes = entry::<json::Buffer>(raw, &path, problems).and_then(|buffer| {
                buffers.read_buffer(
                    &buffer,
                    &path,
                    binary.filter(|_| number == 0),
                    resolver,
                    &mut by_path,
                    problems,
                )
            });
            buffers.buffers.push(bytes.ok());
        }
        for (number, raw) in document.buffer_views.iter().enumerate() {
            let path = format!("bufferViews[{number}]");
            let view = entry::<json::buffer::View>(raw, &path, problems)
                .and_then(|view| buffers.check_view(&view, &path, problems));
            buffers.views.push(view.ok());
        }
        buffers
    }

    /// The bytes of a view and its byte stride.
    ///
    /// # Errors
    ///
    /// There is no such view (recorded now), or it is broken (recorded before).
    pub(super) fn view(
        &self,
        number: usize,
        path: impl FnOnce() -> String,
        problems: &mut Problems,
    ) -> Result<(&[u8], Option<usize>), Reported> {
        let number = in_table(number, self.views.len(), "bufferViews", path, problems)?;
        let view = self.views.get(number).copied().flatten().ok_or(Reported)?;
        let buffer = self.buffers.get(view.buffer).and_then(Option::as_ref).ok_or(Reported)?;
        Ok((buffer.as_slice().get(view.start..view.end).ok_or(Reported)?, view.stride))
    }

    /// External buffers in order of first use.
    pub(super) fn external(&self) -> &[Arc<[u8]>] {
        &self.external
    }

    fn read_buffer(
        &mut self,
        buffer: &json::Buffer,
        path: &str,
        binary: Option<&'a [u8]>,
        resolver: &Resolver<'_>,
        by_path: &mut HashMap<String, Arc<[u8]>>,
        problems: &mut Problems,
    ) -> Result<Bytes<'a>, Reported> {
        let Some(uri) = &buffer.uri else {
            let Some(binary) = binary else {
                return Err(problems.push(without_data(buffer, path)));
            };
            let length = stated_length(buffer, binary.len(), path, "the binary chunk", problems)?;
            return Ok(Bytes::Model(binary.get(..length).unwrap_or_default()));
        };
        let shown = uri::shortened(uri);
        let bytes = match uri::read(uri) {
            Err(why) => {
                return Err(problems.push(
                    Diagnostic::error(
                        ids::URI_UNSUPPORTED,
                        format!("{path}.uri"),
                        format!("cannot read this uri: {why}"),
                    )
                    .expected_found("a relative path or a data URI", shown),
                ));
            }
            Ok(Uri::Data(bytes)) => Arc::from(bytes),
            Ok(Uri::External(relative)) => match by_path.get(&relative) {
                Some(bytes) => Arc::clone(bytes),
                None => {
                    let bytes: Arc<[u8]> = resolver(&relative).map(Arc::from).map_err(|error| {
                        problems.push(
                            Diagnostic::error(
                                ids::BUFFER_UNREADABLE,
                                format!("{path}.uri"),
                                format!("the external buffer {relative:?} cannot be read: {error}"),
                            )
                            .help("put the file beside the .gltf, or export as .glb"),
                        )
                    })?;
                    self.external.push(Arc::clone(&bytes));
                    by_path.insert(relative, Arc::clone(&bytes));
                    bytes
                }
            },
        };
        let length = stated_length(buffer, bytes.len(), path, &shown, problems)?;
        Ok(Bytes::Shared { bytes, length })
    }

    fn check_view(
        &self,
        view: &json::buffer::View,
        path: &str,
        problems: &mut Problems,
    ) -> Result<View, Reported> {
        let buffer = view.buffer.value();
        in_table(buffer, self.buffers.len(), "buffers", || format!("{path}.buffer"), problems)?;
        let available = self.buffers.get(buffer).and_then(Option::as_ref).ok_or(Reported)?.as_slice().len();
        let start = view.byte_offset.map_or(0, |offset| offset.0);
        let end = start.checked_add(view.byte_length.0).filter(|end| *end <= available as u64);
        let range = end.and_then(|end| Some((usize::try_from(start).ok()?, usize::try_from(end).ok()?)));
        let Some((start, end)) = range else {
            return Err(problems.push(
                Diagnostic::error(
                    ids::VIEW_OUT_OF_BUFFER,
                    format!("{path}.byteLength"),
                    format!("the view ends past buffers[{buffer}]"),
                )
                .expected_found(
                    format!("at most {available} bytes"),
                    format!("byteOffset {start} + byteLength {}", view.byte_length.0),
                ),
            ));
        };
        Ok(View {
            buffer,
            start,
            end,
            stride: view.byte_stride.map(|stride| stride.0).filter(|stride| *stride > 0),
        })
    }
}

/// The stated length of a buffer, if its data is as long; longer data is fine.
fn stated_length(
    buffer: &json::Buffer,
    available: usize,
    path: &str,
    source: &str,
    problems: &mut Problems,
) -> Result<usize, Reported> {
    let stated = buffer.byte_length.0;
    usize::try_from(stated).ok().filter(|length| *length <= available).ok_or_else(|| {
        problems.push(
            Diagnostic::error(
                ids::BUFFER_TOO_SHORT,
                format!("{path}.byteLength"),
                format!("the buffer holds fewer bytes than it states ({source})"),
            )
            .expected_found(format!("{stated} bytes"), format!("{available} bytes"))
            .help("copy or export the file again"),
        )
    })
}

fn without_data(buffer: &json::Buffer, path: &str) -> Diagnostic {
    let others: Option<&Map<String, Value>> = buffer.extensions.as_ref().map(|extensions| &extensions.others);
    for name in MESHOPT {
        if others.is_some_and(|others| others.contains_key(name)) {
            return unsupported(format!("{path}.extensions.{name}"), name)
                .expected_found("uncompressed data beside the compressed data", "a buffer without a uri");
        }
    }
    Diagnostic::error(ids::BUFFER_WITHOUT_DATA, path, "the buffer has no data")
        .expected_found("a uri, or the binary chunk of a GLB", "neither")
}
