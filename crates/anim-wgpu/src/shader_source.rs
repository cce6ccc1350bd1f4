//! For each shader the ordered list of whole files that it is joined from. There is no preprocessor.

use crate::upload::PageStorage;

const CLIP_TIME: &str = include_str!("../shaders/clip_time.wgsl");
const LAYERS: &str = include_str!("../shaders/layers.wgsl");
const PALETTE: &str = include_str!("../shaders/palette.wgsl");
const FETCH_AFFINE32: &str = include_str!("../shaders/fetch_affine32.wgsl");
const FETCH_AFFINE16: &str = include_str!("../shaders/fetch_affine16.wgsl");
const FETCH_TEXTURE: &str = include_str!("../shaders/fetch_texture.wgsl");
const VERTEX_UNPACK: &str = include_str!("../shaders/vertex_unpack.wgsl");

/// `unpack_vertex` and `unpack_vertex_wide`, as WGSL: a vertex out of [`crate::VertexStreams::pose`].
#[must_use]
pub fn vertex_unpack_shader() -> &'static str {
    VERTEX_UNPACK
}

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
