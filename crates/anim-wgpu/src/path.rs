//! The two ways in which a crowd is drawn, behind one face.

use crate::crowd_model::CrowdModel;
use crate::direct_path::DirectPath;
use crate::draw::{DrawInfo, Lit};
use crate::instances::Instances;
use crate::palette_path::PalettePath;
use crate::path_choice::PathUsed;
use crate::shader_source::BoneSource;

/// The path that a crowd takes.
#[derive(Debug)]
pub(crate) enum Path {
    Palette(Box<PalettePath>),
    Direct(Box<DirectPath>),
}

impl Path {
    /// Which one it is.
    pub(crate) fn used(&self) -> PathUsed {
        match self {
            Self::Palette(_) => PathUsed::Palette,
            Self::Direct(_) => PathUsed::Direct,
        }
    }

    /// Layout of the draw bind group of a model; `None` if the path has no such bones.
    pub(crate) fn layout(&self, model: usize, bones: BoneSource) -> Option<&wgpu::BindGroupLayout> {
        match self {
            Self::Palette(path) => path.layout(model, bones),
            Self::Direct(path) => (bones == BoneSource::Attributes).then(|| path.layout()),
        }
    }

    /// Sets or takes away the shadow map that the colour pass reads.
    pub(crate) fn set_shadow_map(&mut self, shadow: Option<wgpu::TextureView>) {
        match self {
            Self::Palette(path) => path.set_shadow_map(shadow),
            Self::Direct(path) => path.set_shadow_map(shadow),
        }
    }

    /// Uploads what changed of the instances; the bytes that were written. The direct path uploads when it draws.
    pub(crate) fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        instances: &mut Instances,
    ) -> u64 {
        match self {
            Self::Palette(path) => path.upload(device, queue, instances),
            Self::Direct(_) => 0,
        }
    }

    /// Makes room for more instances than there are.
    pub(crate) fn reserve(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, count: u32, moves: bool) {
        match self {
            Self::Palette(path) => path.reserve(device, queue, count, moves),
            Self::Direct(path) => path.reserve(device, count),
        }
    }

    /// Records the draws of a view with the pipelines that `choose` gives; those for which it gives none are left out.
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        models: &[CrowdModel],
        group_number: u32,
        view: u32,
        lit: Lit,
        choose: impl FnMut(&DrawInfo) -> Option<wgpu::RenderPipeline>,
    ) {
        match self {
            Self::Palette(path) => path.draw(pass, models, group_number, view, lit, choose),
            Self::Direct(path) => path.draw(pass, models, group_number, view, lit, choose),
        }
    }

    /// Bytes of GPU memory that it holds.
    pub(crate) fn memory_bytes(&self) -> u64 {
        match self {
            Self::Palette(path) => path.memory_bytes(),
            Self::Direct(path) => path.memory_bytes(),
        }
    }
}
