//! Something whose frames are measured.

use anim_wgpu::View;

use super::stage::{Stage, Triangles};
use crate::gpu::frame_timer::FrameTimer;

/// One frame of a subject.
pub(crate) struct Frame<'f, 's> {
    pub(crate) stage: &'f Stage<'s>,
    pub(crate) encoder: wgpu::CommandEncoder,
    pub(crate) view: &'f View,
    /// Time of the crowd's clock.
    pub(crate) seconds: f64,
    /// Frames before this one.
    pub(crate) number: u32,
    pub(crate) timer: &'f mut FrameTimer,
}

/// A way to draw a crowd.
pub(crate) trait Subject {
    /// Updates, uploads and records one frame; the bytes that were uploaded.
    fn frame(&mut self, frame: &mut Frame<'_, '_>) -> Result<u64, String>;

    /// Bytes of GPU memory for instances, lists and palettes; not for matrices of frames, vertices and textures of colour.
    fn memory_bytes(&self) -> u64;

    /// Bytes of a vertex that are read.
    fn vertex_bytes(&self) -> u64;

    /// Where its clock starts.
    fn start_seconds(&self) -> f64 {
        1.0
    }

    /// The view for a kind of triangles; `None` if the case is not measured with it.
    fn view(&self, stage: &Stage<'_>, triangles: Triangles) -> Option<View> {
        Some(stage.view(triangles))
    }
}
