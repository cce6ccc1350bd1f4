//! For each shader the ordered list of whole files that it is joined from. There is no preprocessor.

use crate::upload::PageStorage;

const CLIP_TIME: &str = include_str!("../shaders/clip_time.wgsl");
const LAYERS: &str = include_str!("../shaders/layers.wgsl");
const PALETTE: &str = include_str!("../shaders/palette.wgsl");
const ROWS: &str = include_str!("../shaders/rows.wgsl");
const DIRECT_ROWS: &str = include_str!("../shaders/direct_rows.wgsl");
const FETCH_AFFINE32: &str = include_str!("../shaders/fetch_affine32.wgsl");
const FETCH_AFFINE16: &str = include_str!("../shaders/fetch_affine16.wgsl");
const FETCH_TEXTURE: &str = include_str!("../shaders/fetch_texture.wgsl");

/// The palette pass for a kind of page storage, as WGSL.
#[must_use]
pub fn palette_shader(storage: PageStorage) -> String {
    let fetch = match storage {
        PageStorage::Buffer32 => FETCH_AFFINE32,
        PageStorage::Buffer16 => FETCH_AFFINE16,
        PageStorage::Texture => FETCH_TEXTURE,
    };
    [CLIP_TIME, LAYERS, fetch, PALETTE].join("\n")
}

/// The functions with which a vertex shader of the direct path gets the rows of a bone, as WGSL to be joined with it.
///
/// `direct_bone_rows(layers, bone)` takes the three layers of a [`crate::DirectInstance`]; the pages are a texture array
/// at group 0, binding 3.
#[must_use]
pub fn direct_rows_shader() -> String {
    [ROWS, FETCH_TEXTURE, DIRECT_ROWS].join("\n")
}
