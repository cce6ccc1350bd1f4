//! What one draw is, for programs that bring their own pipelines, and the buffers and bind groups that it needs.

use wgpu::ShaderStages;

use crate::bindings::{self as b, block, entry, layout, read, uniform, uniform_at};
use crate::crowd_model::CrowdModel;
use crate::cull::CullBuffers;
use crate::gpu_buffer::{Growing, create};
use crate::gpu_types::{AnimDraw, FrameUniform};
use crate::instances::InstanceBuffers;
use crate::materials::{MaterialGpu, Materials};
use crate::mesh::ModelMesh;
use crate::model::Model;
use crate::shader_source::BoneSource;
use crate::shadow_map::ShadowMap;
use crate::upload::FilePages;
use crate::upload::{PageStorage, decode_layout};

/// One draw of a crowd: choose a pipeline for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawInfo {
    /// Model that is drawn.
    pub model: u32,
    /// Part of it.
    pub part: u32,
    /// Where the vertex shader finds bones: the pipeline's module has to be made for it.
    pub bones: BoneSource,
    /// Its instances are mirrored: their front faces are clockwise.
    pub mirrored: bool,
    /// Drawn from both sides.
    pub double_sided: bool,
    /// It has holes: an alpha mask.
    pub masked: bool,
}

/// Whether a pass reads the shadow map, or may be drawing to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lit {
    Yes,
    No,
}

/// Describes a draw of a model's part.
#[expect(clippy::cast_possible_truncation, reason = "counts of parts and models")]
pub(crate) fn draw_info(
    of: &CrowdModel,
    model: usize,
    part: usize,
    bones: BoneSource,
    mirrored: bool,
) -> DrawInfo {
    let mesh_part = &of.model.mesh.parts[part];
    DrawInfo {
        model: model as u32,
        part: part as u32,
        bones,
        mirrored,
        double_sided: mesh_part.double_sided,
        masked: of.model.materials.entries[mesh_part.material].cutoff.is_some(),
    }
}

/// What shaders know of a draw of a model's part in a view, whatever the path. A part without material is black.
#[expect(clippy::cast_possible_truncation, reason = "a count of parts")]
pub(crate) fn draw_uniform(model: &Model, part: usize, view: u32) -> AnimDraw {
    let mesh = &model.mesh;
    let mesh_part = &mesh.parts[part];
    let material = model.materials.entries.get(mesh_part.material);
    AnimDraw {
        box_min: mesh.box_min,
        bones: model.pages.bones(),
        box_size: mesh.box_size,
        base_color: material.map_or([0.0; 4], |material| material.base_color),
        view,
        rigid: u32::from(mesh_part.rigid),
        alpha_cutoff: material.and_then(|material| material.cutoff).unwrap_or(0.0),
        part: part as u32,
        ..AnimDraw::default()
    }
}

/// What a render pass has bound, so that nothing is bound again.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    pipeline: Option<wgpu::RenderPipeline>,
    model: Option<usize>,
}

impl Bound {
    /// Sets the pipeline.
    pub(crate) fn pipeline(&mut self, pass: &mut wgpu::RenderPass<'_>, pipeline: wgpu::RenderPipeline) {
        if self.pipeline.as_ref() != Some(&pipeline) {
            pass.set_pipeline(&pipeline);
            self.pipeline = Some(pipeline);
        }
    }

    /// Sets the vertices of a model.
    pub(crate) fn mesh(&mut self, pass: &mut wgpu::RenderPass<'_>, model: usize, mesh: &ModelMesh) {
        if self.model != Some(model) {
            pass.set_vertex_buffer(0, mesh.pose.slice(..));
            pass.set_vertex_buffer(1, mesh.surface.slice(..));
            pass.set_index_buffer(mesh.indices.slice(..), wgpu::IndexFormat::Uint32);
            self.model = Some(model);
        }
    }
}

/// The layout of the crowd's one bind group.
pub(crate) fn draw_layout(device: &wgpu::Device, bones: BoneSource) -> wgpu::BindGroupLayout {
    let (vertex, both) = (ShaderStages::VERTEX, ShaderStages::VERTEX_FRAGMENT);
    let mut entries = vec![uniform(b::FRAME, both), uniform_at(b::DRAW, both)];
    if bones != BoneSource::Attributes {
        entries.extend([read(b::LISTS, vertex), read(b::WORLD, vertex), read(b::TRAITS, vertex)]);
    }
    match bones {
        BoneSource::Attributes => entries.push(b::pages(PageStorage::Texture, vertex)),
        BoneSource::Palette(_) => entries.push(read(b::PALETTE, vertex)),
        BoneSource::Pages(storage) => {
            entries.push(read(b::PLAYBACK, vertex));
            entries.extend(decode_layout(storage, vertex));
        }
    }
    entries.extend(surface_entries());
    layout(device, "anim draw", &entries)
}

/// Images and samplers of the fragment stage.
pub(crate) fn surface_entries() -> [wgpu::BindGroupLayoutEntry; 4] {
    let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::FRAGMENT,
        ty,
        count: None,
    };
    let texture = |sample_type, view_dimension| wgpu::BindingType::Texture {
        sample_type,
        view_dimension,
        multisampled: false,
    };
    [
        entry(
            b::IMAGE,
            texture(wgpu::TextureSampleType::Float { filterable: true }, wgpu::TextureViewDimension::D2),
        ),
        entry(b::IMAGE_SAMPLER, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
        entry(b::SHADOW_MAP, texture(wgpu::TextureSampleType::Depth, wgpu::TextureViewDimension::D2Array)),
        entry(b::SHADOW_SAMPLER, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison)),
    ]
}

/// What the draws of either path read besides a model's own buffers.
#[derive(Debug)]
pub(crate) struct DrawCommon {
    pub(crate) frame: wgpu::Buffer,
    /// What is the same for one draw: a block each.
    pub(crate) draws: Growing,
    shadow_sampler: wgpu::Sampler,
    no_shadow: ShadowMap,
    /// The shadow map that the colour pass reads.
    pub(crate) shadow: Option<wgpu::TextureView>,
}

impl DrawCommon {
    /// No draws yet, and no shadow map.
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        Self {
            frame: create(device, "anim frame", size_of::<FrameUniform>() as u64, uniform),
            draws: Growing::new(device, "anim draws", uniform),
            shadow_sampler: shadow_sampler(device),
            no_shadow: ShadowMap::new(device, 1, 1),
            shadow: None,
        }
    }

    /// Entries of the frame and of the draw.
    pub(crate) fn uniforms(&self) -> [wgpu::BindGroupEntry<'_>; 2] {
        [
            entry(b::FRAME, block(&self.frame, size_of::<FrameUniform>() as u64)),
            entry(b::DRAW, block(self.draws.get(), size_of::<AnimDraw>() as u64)),
        ]
    }

    fn shadow_view(&self, lit: Lit) -> &wgpu::TextureView {
        match (lit, &self.shadow) {
            (Lit::Yes, Some(view)) => view,
            _ => self.no_shadow.array(),
        }
    }

    /// Entries of the fragment stage.
    pub(crate) fn surface<'e>(
        &'e self,
        material: &'e MaterialGpu,
        lit: Lit,
    ) -> [wgpu::BindGroupEntry<'e>; 4] {
        [
            entry(b::IMAGE, wgpu::BindingResource::TextureView(&material.view)),
            entry(b::IMAGE_SAMPLER, wgpu::BindingResource::Sampler(&material.sampler)),
            entry(b::SHADOW_MAP, wgpu::BindingResource::TextureView(self.shadow_view(lit))),
            entry(b::SHADOW_SAMPLER, wgpu::BindingResource::Sampler(&self.shadow_sampler)),
        ]
    }
}

/// Bind groups of one model's draws: by chunk (the last is the pages') and material.
#[derive(Debug, Default)]
pub(crate) struct ModelGroups {
    pub(crate) chunks: Vec<Vec<wgpu::BindGroup>>,
    pub(crate) pages: Vec<wgpu::BindGroup>,
}

/// Binds everything that a model's draws read.
#[expect(clippy::too_many_arguments, reason = "each is one set of buffers")]
pub(crate) fn model_groups(
    device: &wgpu::Device,
    common: &DrawCommon,
    palette_layout: &wgpu::BindGroupLayout,
    pages_layout: Option<&wgpu::BindGroupLayout>,
    model: &Model,
    buffers: &CullBuffers,
    instances: &InstanceBuffers,
    palettes: impl Iterator<Item = wgpu::Buffer>,
    lit: Lit,
) -> ModelGroups {
    let uniforms = common.uniforms();
    let shared = [
        entry(b::LISTS, buffers.lists.get().as_entire_binding()),
        entry(b::WORLD, buffers.world.get().as_entire_binding()),
        entry(b::TRAITS, instances.traits.get().as_entire_binding()),
    ];
    let bind = |layout: &wgpu::BindGroupLayout,
                bones: &[wgpu::BindGroupEntry<'_>],
                material: &MaterialGpu| {
        let surface = common.surface(material, lit);
        let entries: Vec<_> = uniforms.iter().chain(&shared).chain(bones).chain(&surface).cloned().collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("anim draw"),
            layout,
            entries: &entries,
        })
    };
    let materials: &Materials = &model.materials;
    let chunks = palettes
        .map(|palette| {
            let bones = [entry(b::PALETTE, palette.as_entire_binding())];
            materials.entries.iter().map(|material| bind(palette_layout, &bones, material)).collect()
        })
        .collect();
    let mut bones = vec![entry(b::PLAYBACK, instances.playback.get().as_entire_binding())];
    bones.extend(model.vertex_pages().into_iter().flat_map(FilePages::decode_entries));
    let of_pages = |layout| materials.entries.iter().map(|material| bind(layout, &bones, material)).collect();
    let pages = pages_layout.map_or_else(Vec::new, of_pages);
    ModelGroups { chunks, pages }
}

/// The sampler that compares depths, linear between texels.
fn shadow_sampler(device: &wgpu::Device) -> wgpu::Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("anim shadow sampler"),
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        compare: Some(wgpu::CompareFunction::LessEqual),
        ..wgpu::SamplerDescriptor::default()
    })
}
