//! The ready pipelines: colour, depth prepass, shadow maps.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::bindings::shader;
use crate::crowd::Crowd;
use crate::draw::{DrawInfo, Lit};
use crate::error::GpuError;
use crate::mesh::{instance_layout, pose_layout, surface_layout};
use crate::shader_source::{BoneSource, color_shader, depth_shader};
use crate::shadow_map::SHADOW_FORMAT;

/// What a pass of the program draws to, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// Format of the colour attachment; `None` for depth prepasses and shadow maps, which write depth only.
    pub color: Option<wgpu::TextureFormat>,
    /// Format of the depth attachment, if there is one.
    pub depth: Option<wgpu::TextureFormat>,
    /// Which depth wins. `Less`, or `Greater` for reversed depth; `Equal` or `LessEqual` after a depth prepass.
    pub depth_compare: wgpu::CompareFunction,
    /// Whether depth is written.
    pub depth_write: bool,
    /// Depth bias: for shadow maps.
    pub depth_bias: wgpu::DepthBiasState,
    /// Samples a pixel.
    pub sample_count: u32,
}

impl Default for Target {
    /// sRGB colour, 32-bit depth, the nearest wins, one sample.
    fn default() -> Self {
        Self {
            color: Some(wgpu::TextureFormat::Rgba8UnormSrgb),
            depth: Some(wgpu::TextureFormat::Depth32Float),
            depth_compare: wgpu::CompareFunction::Less,
            depth_write: true,
            depth_bias: wgpu::DepthBiasState::default(),
            sample_count: 1,
        }
    }
}

impl Target {
    /// The layers of a [`crate::ShadowMap`].
    #[must_use]
    pub fn shadow_map() -> Self {
        Self {
            color: None,
            depth: Some(SHADOW_FORMAT),
            depth_bias: wgpu::DepthBiasState { constant: 2, slope_scale: 2.0, clamp: 0.0 },
            ..Self::default()
        }
    }

    /// Whether it belongs to a depth prepass or to the colour pass after one: depth alone without a bias, or colour where
    /// equal depths may pass. Then the ready pipelines compute positions alike to the last bit, which is slower.
    #[must_use]
    pub fn has_prepass(&self) -> bool {
        use wgpu::CompareFunction::{Equal, GreaterEqual, LessEqual};
        match self.color {
            Some(_) => matches!(self.depth_compare, Equal | LessEqual | GreaterEqual),
            None => self.depth_bias == wgpu::DepthBiasState::default(),
        }
    }

    /// What keeps a device with these features from having such a pass.
    fn check(&self, features: wgpu::Features) -> Result<(), String> {
        if self.color.is_none() && self.depth.is_none() {
            return Err("it has neither colour nor depth".into());
        }
        if let Some(format) = self.color {
            let is_float = matches!(
                format.sample_type(None, Some(features)),
                Some(wgpu::TextureSampleType::Float { .. })
            );
            if !is_float {
                return Err(format!("{format:?} holds no colours"));
            }
        }
        if let Some(format) = self.depth
            && !format.has_depth_aspect()
        {
            return Err(format!("{format:?} holds no depth"));
        }
        for format in [self.color, self.depth].into_iter().flatten() {
            if !features.contains(format.required_features()) {
                return Err(format!("{format:?} needs the feature {:?}", format.required_features()));
            }
            let of_format = format.guaranteed_format_features(features);
            if !of_format.allowed_usages.contains(wgpu::TextureUsages::RENDER_ATTACHMENT) {
                return Err(format!("{format:?} cannot be drawn to"));
            }
            if !of_format.flags.sample_count_supported(self.sample_count) {
                return Err(format!("{format:?} has no {} samples a pixel", self.sample_count));
            }
        }
        Ok(())
    }
}

/// Ready pipelines of a crowd for one kind of pass. Variants are compiled when they are first drawn.
#[derive(Debug)]
pub struct CrowdPipelines {
    device: wgpu::Device,
    target: Target,
    models: Vec<ModelPipelines>,
}

#[derive(Debug)]
struct ModelPipelines {
    wide: bool,
    group: u32,
    /// Pipeline layouts by the bones that the crowd's path has.
    layouts: Vec<(BoneSource, wgpu::PipelineLayout)>,
    modules: Mutex<HashMap<BoneSource, wgpu::ShaderModule>>,
    variants: Mutex<HashMap<Variant, wgpu::RenderPipeline>>,
}

/// Bones, mirrored, double-sided, masked.
type Variant = (BoneSource, bool, bool, bool);

impl CrowdPipelines {
    /// Pipelines for drawing `crowd` to `target`: the colour pass if it has a colour attachment, else depth only.
    ///
    /// # Errors
    ///
    /// If no pass of the device can have this target: no attachment at all, a format that cannot be drawn to or holds no
    /// colour or depth, a number of samples that a format does not have.
    pub fn new(device: &wgpu::Device, crowd: &Crowd, target: &Target) -> Result<Self, GpuError> {
        target.check(device.features()).map_err(|problem| GpuError::NoSuchTarget { problem })?;
        let group = crowd.settings.bind_group;
        let models = (0..)
            .zip(&crowd.models)
            .map(|(number, of)| {
                let pipeline_layout = |layout: &wgpu::BindGroupLayout| {
                    let mut groups = vec![None; group as usize];
                    groups.push(Some(layout));
                    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                        label: Some("anim draw"),
                        bind_group_layouts: &groups,
                        immediate_size: 0,
                    })
                };
                let palette = BoneSource::Palette(crowd.settings.precision);
                let pages = of.model.vertex_pages().map(|pages| BoneSource::Pages(pages.storage()));
                let layouts = [Some(palette), pages, Some(BoneSource::Attributes)]
                    .into_iter()
                    .flatten()
                    .filter_map(|bones| Some((bones, pipeline_layout(crowd.path.layout(number, bones)?))));
                ModelPipelines {
                    wide: of.model.mesh.wide,
                    group,
                    layouts: layouts.collect(),
                    modules: Mutex::default(),
                    variants: Mutex::default(),
                }
            })
            .collect();
        Ok(Self { device: device.clone(), target: *target, models })
    }

    /// The pipeline of a draw of `crowd`; none if it would not fit.
    fn pipeline(&self, crowd: &Crowd, draw: &DrawInfo) -> Option<wgpu::RenderPipeline> {
        let model = self.models.get(draw.model as usize)?;
        let wide = crowd.has_wide_vertices(draw.model);
        if (model.group, model.wide) != (crowd.settings.bind_group, wide) {
            return None;
        }
        // Colour pipelines do not differ by mask: the cutoff is data.
        let masked = draw.masked && self.target.color.is_none();
        let variant = (draw.bones, draw.mirrored, draw.double_sided, masked);
        let mut variants = model.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pipeline) = variants.get(&variant) {
            return Some(pipeline.clone());
        }
        let pipeline = self.compile(model, variant)?;
        variants.insert(variant, pipeline.clone());
        Some(pipeline)
    }

    fn compile(&self, model: &ModelPipelines, variant: Variant) -> Option<wgpu::RenderPipeline> {
        let (bones, mirrored, double_sided, masked) = variant;
        let (_, layout) = model.layouts.iter().find(|(source, _)| *source == bones)?;
        let mut modules = model.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let module = modules.entry(bones).or_insert_with(|| {
            let invariant = self.target.has_prepass();
            let source = match self.target.color {
                Some(_) => color_shader(bones, model.wide, model.group, invariant),
                None => depth_shader(bones, model.wide, model.group, invariant),
            };
            shader(&self.device, "anim draw", source)
        });
        let with_surface = self.target.color.is_some() || masked;
        let (vertex_entry, fragment_entry) = match (self.target.color, masked) {
            (Some(_), _) => ("color_vertex", Some("color_fragment")),
            (None, true) => ("masked_vertex", Some("masked_fragment")),
            (None, false) => ("depth_vertex", None),
        };
        let targets = [self.target.color.map(wgpu::ColorTargetState::from)];
        let targets: &[Option<wgpu::ColorTargetState>] =
            if self.target.color.is_some() { &targets } else { &[] };
        let buffers = [
            Some(pose_layout(model.wide)),
            with_surface.then(surface_layout),
            (bones == BoneSource::Attributes).then(instance_layout),
        ];
        let used = buffers.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let options = wgpu::PipelineCompilationOptions::default();
        Some(self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some("anim draw"),
            layout: Some(layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(vertex_entry),
                compilation_options: options.clone(),
                buffers: &buffers[..used],
            },
            primitive: wgpu::PrimitiveState {
                front_face: if mirrored { wgpu::FrontFace::Cw } else { wgpu::FrontFace::Ccw },
                cull_mode: (!double_sided).then_some(wgpu::Face::Back),
                ..wgpu::PrimitiveState::default()
            },
            depth_stencil: self.target.depth.map(|format| wgpu::DepthStencilState {
                format,
                depth_write_enabled: Some(self.target.depth_write),
                depth_compare: Some(self.target.depth_compare),
                stencil: wgpu::StencilState::default(),
                bias: self.target.depth_bias,
            }),
            multisample: wgpu::MultisampleState { count: self.target.sample_count, ..Default::default() },
            fragment: fragment_entry.map(|entry| wgpu::FragmentState {
                module,
                entry_point: Some(entry),
                compilation_options: options,
                targets,
            }),
            multiview_mask: None,
            cache: None,
        }))
    }
}

impl Crowd {
    /// Records the draws of a view with ready pipelines. `view` is the number of a view that was given to
    /// [`Crowd::record`]; other numbers draw nothing. The pass has to have the formats that the pipelines were made for.
    /// Pipelines of another crowd serve where they fit: with the same bind group, path and kind of vertices and palettes.
    /// What they do not fit is not drawn.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &CrowdPipelines, view: u32) {
        let lit = if pipelines.target.color.is_some() { Lit::Yes } else { Lit::No };
        self.draw_lit(pass, view, lit, |draw| pipelines.pipeline(self, draw));
    }

    /// Records the draws of a view with the program's own pipelines: `choose` gives one for each draw, or none to leave it
    /// out. Vertex buffer 0 is the pose stream and 1 the surface stream ([`crate::pose_layout`],
    /// [`crate::surface_layout`]), on the direct path 2 the instances ([`crate::instance_layout`]); the bind group is the
    /// crowd's, with the shadow map in it.
    pub fn draw_with(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        view: u32,
        choose: impl FnMut(&DrawInfo) -> Option<wgpu::RenderPipeline>,
    ) {
        self.draw_lit(pass, view, Lit::Yes, choose);
    }

    /// As [`Self::draw_with`], for passes that draw to the shadow map: it is not bound, and shaders find a map of one texel in
    /// its place.
    pub fn draw_to_shadow_with(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        view: u32,
        choose: impl FnMut(&DrawInfo) -> Option<wgpu::RenderPipeline>,
    ) {
        self.draw_lit(pass, view, Lit::No, choose);
    }

    /// Layout of the crowd's bind group for a model's draws from these bones; `None` if there is no such model, or the
    /// crowd's path ([`Crowd::path`]) has no such bones.
    #[must_use]
    pub fn bind_group_layout(&self, model: u32, bones: BoneSource) -> Option<&wgpu::BindGroupLayout> {
        self.path.layout(model as usize, bones)
    }

    /// Whether a model's vertices are the wide form, with more than 256 bones.
    #[must_use]
    pub fn has_wide_vertices(&self, model: u32) -> bool {
        self.models.get(model as usize).is_some_and(|of| of.model.mesh.wide)
    }

    /// Vertices of a model's mesh; 0 if there is no such model.
    #[must_use]
    pub fn vertex_count(&self, model: u32) -> u32 {
        self.models.get(model as usize).map_or(0, |of| of.model.mesh.vertex_count)
    }

    /// Sets the shadow map that the colour pass reads, or none. [`crate::Lighting`] says which views it holds.
    pub fn set_shadow_map(&mut self, map: Option<&crate::ShadowMap>) {
        self.path.set_shadow_map(map.map(|map| map.array().clone()));
    }

    fn draw_lit(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        view: u32,
        lit: Lit,
        choose: impl FnMut(&DrawInfo) -> Option<wgpu::RenderPipeline>,
    ) {
        self.path.draw(pass, &self.models, self.settings.bind_group, view, lit, choose);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passes_that_have_to_agree_compute_the_slow_way() {
        let color = |depth_compare| Target { depth_compare, ..Target::default() }.has_prepass();
        assert!(!color(wgpu::CompareFunction::Less) && !color(wgpu::CompareFunction::Greater));
        assert!(color(wgpu::CompareFunction::Equal) && color(wgpu::CompareFunction::GreaterEqual));
        assert!(Target { color: None, ..Target::default() }.has_prepass());
        assert!(!Target::shadow_map().has_prepass());
    }

    #[test]
    fn what_no_pass_can_have_is_refused_with_the_reason() {
        use wgpu::TextureFormat as Format;
        let none = wgpu::Features::empty();
        let refused = |target: Target| target.check(none).expect_err("no such pass");
        let is = Target::default();
        assert_eq!(refused(Target { color: None, depth: None, ..is }), "it has neither colour nor depth");
        for (target, reason) in [
            (Target { color: Some(Format::Rgba8Uint), ..is }, "Rgba8Uint holds no colours"),
            (Target { color: Some(Format::Depth32Float), ..is }, "Depth32Float holds no colours"),
            (Target { color: Some(Format::Rgba8Snorm), ..is }, "Rgba8Snorm cannot be drawn to"),
            (Target { color: Some(Format::Bc1RgbaUnorm), ..is }, "Bc1RgbaUnorm needs the feature"),
            (Target { depth: Some(Format::Rgba8Unorm), ..is }, "Rgba8Unorm holds no depth"),
            (Target { depth: Some(Format::Stencil8), ..is }, "Stencil8 holds no depth"),
            (Target { sample_count: 3, ..is }, "Rgba8UnormSrgb has no 3 samples a pixel"),
            (Target { sample_count: 0, ..is }, "Rgba8UnormSrgb has no 0 samples a pixel"),
        ] {
            assert!(refused(target).starts_with(reason), "{} and not {reason}", refused(target));
        }
        for target in
            [is, Target::shadow_map(), Target { sample_count: 4, ..is }, Target { color: None, ..is }]
        {
            assert_eq!(target.check(none), Ok(()));
        }
    }
}
