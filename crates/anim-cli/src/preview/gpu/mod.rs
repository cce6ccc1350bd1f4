//! Pictures that anim-wgpu draws, without a window.

mod cells;
mod crowd;
mod decor;

use crate::diagnostics::{Failure, Problem};

pub(super) use cells::draw_cells;
pub(super) use crowd::{CrowdPicture, draw_crowd};

/// Samples a pixel.
pub(crate) const SAMPLES: u32 = 4;

/// What failed on the GPU, as the user sees it.
fn failed(file: &str, what: impl Into<String>) -> Failure {
    Problem::error("gpu-failed", file, what)
        .help(
            "draw fewer instances or a smaller picture, or leave out --gpu: the CPU draws contact sheets too",
        )
        .into()
}

/// anim-wgpu draws triangles; what else a file may hold is not for it.
fn check_has_triangles(name: &str, file: &anim_format::AnimFile<'_>) -> Result<(), Failure> {
    let has = file.parts.iter().any(|part| part.lods.iter().any(|lod| lod.index_count > 0));
    if file.mesh.is_some() && has && !file.clips.is_empty() {
        return Ok(());
    }
    Err(Problem::error(
        "preview-gpu-without-mesh",
        name,
        "there are no triangles or no clips to draw on the GPU",
    )
    .expected_found("a mesh of triangles and at least one clip", "bones, points or a pose alone")
    .help("leave out --gpu: the CPU draws those too")
    .into())
}
