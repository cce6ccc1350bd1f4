//! Which pages of a file a crowd uploads: those that are asked for, or rows where local tracks cannot be played.

use anim_format::AnimFile;
use anim_format::model::Content;

use crate::crowd::ModelSource;
use crate::device_fit::holds_local;
use crate::error::GpuError;
use crate::expand_rows::{expand_rows, rows_set};
use crate::model::{LoadedPages, Model};
use crate::path_choice::PathUsed;
use crate::upload::FilePages;

/// Uploads a model. `textures` reads pages from texture arrays even where storage buffers would do.
///
/// Local tracks play from a storage buffer on the palette path. Elsewhere, and beyond the palettes, rows play instead:
/// the file's own, if it has some, or rows that are sampled now.
pub(crate) fn load_model(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    source: &ModelSource<'_>,
    used: PathUsed,
    textures: bool,
) -> Result<Model, GpuError> {
    let (file, number) = (source.file, source.page_set);
    let upload = |file: &AnimFile<'_>, number: u32| match textures {
        true => FilePages::upload_as_texture(device, queue, file, number),
        false => FilePages::upload(device, queue, file, number),
    };
    let set = file.page_sets.get(number as usize);
    let Some(set) = set.filter(|set| set.content == Content::Local) else {
        let pages = upload(file, number)?;
        let loaded = LoadedPages { pages, pages_file: file, rows: None, notes: Vec::new() };
        return Model::new(device, queue, file, loaded);
    };
    let is_playable = used == PathUsed::Palette && holds_local(set, &device.limits(), textures);
    if is_playable && source.max_visible == u32::MAX {
        let pages = upload(file, number)?;
        let loaded = LoadedPages { pages, pages_file: file, rows: None, notes: Vec::new() };
        return Model::new(device, queue, file, loaded);
    }
    let expanded = match rows_set(file) {
        Some(_) => None,
        None => Some(expand_rows(file, source.expanded_bytes_max)?),
    };
    let (rows_file, rows_number, note) = match (&expanded, rows_set(file)) {
        (Some(expanded), _) => (&expanded.file, 0, expanded.note.clone()),
        (None, own) => {
            let own = own.unwrap_or_default();
            (
                file,
                own,
                format!("the rows of page set {own} play where the local tracks of page set {number} cannot"),
            )
        }
    };
    let rows = upload(rows_file, rows_number)?;
    let notes = vec![note];
    let loaded = match is_playable {
        true => LoadedPages { pages: upload(file, number)?, pages_file: file, rows: Some(rows), notes },
        false => LoadedPages { pages: rows, pages_file: rows_file, rows: None, notes },
    };
    Model::new(device, queue, file, loaded)
}
