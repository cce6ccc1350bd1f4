//! The path for devices without compute or storage buffers: the CPU culls, and vertex shaders read the pages.

use crate::bindings::{self as b, entry};
use crate::crowd_model::CrowdModel;
use crate::direct_frame::DirectFrame;
use crate::direct_instance::DirectInstance;
use crate::draw::{Bound, DrawCommon, DrawInfo, Lit, draw_info, draw_layout, draw_uniform};
use crate::error::GpuError;
use crate::gpu_buffer::Growing;
use crate::gpu_types::{AnimDraw, FrameUniform, UNIFORM_STRIDE};
use crate::scene::Scene;
use crate::shader_source::BoneSource;

const INSTANCE_BYTES: u64 = size_of::<DirectInstance>() as u64;

/// Everything of the direct path.
#[derive(Debug)]
pub(crate) struct DirectPath {
    layout: wgpu::BindGroupLayout,
    pub(crate) culled: DirectFrame,
    /// The attributes of all runs of a frame.
    instances: Growing,
    /// Its draws are a block for each view and part, for as many views as were drawn yet.
    common: DrawCommon,
    draws_views: usize,
    /// Number of the first part of each model among the parts of all, and of the end.
    first_parts: Vec<usize>,
    groups: Option<Groups>,
}

/// Bind groups by model and material, made anew when a buffer or the shadow map became another one.
#[derive(Debug)]
struct Groups {
    plain: Vec<Vec<wgpu::BindGroup>>,
    lit: Vec<Vec<wgpu::BindGroup>>,
}

impl DirectPath {
    /// Makes what these models need.
    pub(crate) fn new(device: &wgpu::Device, models: &[CrowdModel]) -> Self {
        let vertex = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        let mut first_parts = vec![0];
        first_parts.extend(models.iter().scan(0, |parts, of| {
            *parts += of.model.mesh.parts.len();
            Some(*parts)
        }));
        Self {
            layout: draw_layout(device, BoneSource::Attributes),
            culled: DirectFrame::default(),
            instances: Growing::new(device, "anim instances", vertex),
            common: DrawCommon::new(device),
            draws_views: 0,
            first_parts,
            groups: None,
        }
    }

    /// Layout of the draw bind group, of every model.
    pub(crate) fn layout(&self) -> &wgpu::BindGroupLayout {
        &self.layout
    }

    /// Sets or takes away the shadow map that the colour pass reads.
    pub(crate) fn set_shadow_map(&mut self, shadow: Option<wgpu::TextureView>) {
        self.common.shadow = shadow;
        self.groups = None;
    }

    /// Makes room for instances, each seen by one view.
    pub(crate) fn reserve(&mut self, device: &wgpu::Device, count: u32) {
        self.instances.ensure(device, u64::from(count) * INSTANCE_BYTES);
    }

    /// Works out the frame and uploads what its draws read; the bytes that were written.
    pub(crate) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        scene: &Scene<'_>,
        frame: &FrameUniform,
    ) -> Result<u64, GpuError> {
        let views = frame.view_count as usize;
        self.culled.fill(scene, &frame.planes[..views]);
        let instances: &[u8] = bytemuck::cast_slice(&self.culled.instances);
        let needed_bytes = instances.len() as u64;
        let limit_bytes = device.limits().max_buffer_size;
        if needed_bytes > limit_bytes {
            self.culled.clear_draws();
            return Err(GpuError::ListsTooLarge { views: frame.view_count, needed_bytes, limit_bytes });
        }
        if needed_bytes > self.instances.get().size() {
            // Room to grow, so that it is seldom made anew.
            self.instances.ensure(device, needed_bytes.next_power_of_two().min(limit_bytes));
        }
        queue.write_buffer(self.instances.get(), 0, instances);
        queue.write_buffer(&self.common.frame, 0, bytemuck::bytes_of(frame));
        let draws_bytes = self.write_draws(device, queue, scene.models, views);
        if self.groups.is_none() {
            self.groups = Some(self.make_groups(device, scene.models));
        }
        Ok(needed_bytes + size_of::<FrameUniform>() as u64 + draws_bytes)
    }

    /// Records the draws of a view with the pipelines that `choose` gives; those for which it gives none are left out.
    #[expect(clippy::cast_possible_truncation, reason = "counts of parts, and what fits a buffer")]
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        models: &[CrowdModel],
        group_number: u32,
        view: u32,
        lit: Lit,
        mut choose: impl FnMut(&DrawInfo) -> Option<wgpu::RenderPipeline>,
    ) {
        let Some(groups) = &self.groups else { return };
        let groups = match lit {
            Lit::Yes => &groups.lit,
            Lit::No => &groups.plain,
        };
        let mut bound = Bound::default();
        for draw in self.culled.draws_of(view) {
            let of = &models[draw.model];
            let info = draw_info(of, draw.model, draw.part, BoneSource::Attributes, draw.mirrored);
            let Some(pipeline) = choose(&info) else { continue };
            bound.pipeline(pass, pipeline);
            bound.mesh(pass, draw.model, &of.model.mesh);
            // Where instances start is said by the slice: WebGL2 has no first instance.
            let (first, end) = (draw.run.start as u64 * INSTANCE_BYTES, draw.run.end as u64 * INSTANCE_BYTES);
            pass.set_vertex_buffer(2, self.instances.get().slice(first..end));
            let part = &of.model.mesh.parts[draw.part];
            let block = self.block(view as usize, draw.model, draw.part) as u32 * UNIFORM_STRIDE as u32;
            pass.set_bind_group(group_number, &groups[draw.model][part.material], &[block]);
            let indices = part.first_index..part.first_index + part.index_count;
            pass.draw_indexed(indices, 0, 0..draw.run.len() as u32);
        }
    }

    /// Bytes of GPU memory of instances and what draws read; not of pages, vertices and images.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.instances.get().size() + self.common.draws.get().size() + self.common.frame.size()
    }

    /// Number of the block of a draw.
    fn block(&self, view: usize, model: usize, part: usize) -> usize {
        let parts = self.first_parts.last().copied().unwrap_or_default();
        view * parts + self.first_parts[model] + part
    }

    /// Writes the blocks of views that had none yet; the bytes that were written.
    #[expect(clippy::cast_possible_truncation, reason = "views are few")]
    fn write_draws(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        models: &[CrowdModel],
        views: usize,
    ) -> u64 {
        if views <= self.draws_views {
            return 0;
        }
        let mut bytes = vec![0; self.block(views, 0, 0) * UNIFORM_STRIDE as usize];
        for view in 0..views {
            for (number, of) in models.iter().enumerate() {
                for part in 0..of.model.mesh.parts.len() {
                    let start = self.block(view, number, part) * UNIFORM_STRIDE as usize;
                    bytes[start..start + size_of::<AnimDraw>()]
                        .copy_from_slice(bytemuck::bytes_of(&draw_uniform(&of.model, part, view as u32)));
                }
            }
        }
        if self.common.draws.ensure(device, bytes.len() as u64) {
            self.groups = None;
        }
        queue.write_buffer(self.common.draws.get(), 0, &bytes);
        self.draws_views = views;
        bytes.len() as u64
    }

    fn make_groups(&self, device: &wgpu::Device, models: &[CrowdModel]) -> Groups {
        let uniforms = self.common.uniforms();
        let of_model = |of: &CrowdModel, lit| {
            let pages = [entry(b::PAGES, of.model.pages.pages_binding())];
            let bind = |material| {
                let surface = self.common.surface(material, lit);
                let entries: Vec<_> = uniforms.iter().chain(&pages).chain(&surface).cloned().collect();
                device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("anim draw"),
                    layout: &self.layout,
                    entries: &entries,
                })
            };
            of.model.materials.entries.iter().map(bind).collect()
        };
        Groups {
            plain: models.iter().map(|of| of_model(of, Lit::No)).collect(),
            lit: models.iter().map(|of| of_model(of, Lit::Yes)).collect(),
        }
    }
}
