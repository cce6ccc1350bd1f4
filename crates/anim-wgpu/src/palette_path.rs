//! The default path: cull and compact, attach, fill palettes, draw indirectly.

use crate::attach::{AttachInputs, AttachPass};
use crate::attachments::Attachments;
use crate::crowd_model::CrowdModel;
use crate::cull::{
    CULL_INSTANCES, CullBuffers, CullGroups, CullInputs, CullPass, DISPATCH_BYTES, buffer_bytes,
    dispatches_base,
};
use crate::device_fit::binding_limit;
use crate::draw::{
    Bound, DrawCommon, DrawInfo, Lit, ModelGroups, draw_info, draw_layout, draw_uniform, model_groups,
};
use crate::error::GpuError;
use crate::gpu_buffer::Growing;
use crate::gpu_types::{AnimDraw, AttachUniform, FrameUniform, UNIFORM_STRIDE};
use crate::instances::{InstanceBuffers, Instances};
use crate::palette::{PaletteChunk, PaletteGroups, PalettePass, chunk_slots};
use crate::plan::{FramePlan, PlanModel, PlanPart};
use crate::shader_source::{BoneSource, PalettePrecision};
use crate::timer::PassTimer;

/// Everything of the default path.
#[derive(Debug)]
pub(crate) struct PalettePath {
    pub(crate) instances: InstanceBuffers,
    cull: CullPass,
    pub(crate) buffers: CullBuffers,
    models: Vec<PathModel>,
    precision: PalettePrecision,
    pub(crate) plan: FramePlan,
    /// What the plan was made for.
    planned: Option<Vec<PlanModel>>,
    planned_views: u32,
    planned_capacity: u32,
    planned_mirrored: bool,
    common: DrawCommon,
    attach_ranges: Growing,
    attach_records: Growing,
    attach_list: Vec<(usize, u32)>,
    groups: Option<Groups>,
    /// A buffer became another one since the groups were made: the next frame needs new ones, this one can still be drawn.
    groups_are_old: bool,
    /// The last frame had instances, so there is something to draw.
    prepared: bool,
}

/// A model's passes and palettes.
#[derive(Debug)]
struct PathModel {
    palette: PalettePass,
    attach: Option<AttachPass>,
    chunks: Vec<PaletteChunk>,
    palette_layout: wgpu::BindGroupLayout,
    /// For instances beyond the palettes; none where there can be none.
    pages_layout: Option<wgpu::BindGroupLayout>,
}

/// Bind groups, made anew when a buffer became another one.
#[derive(Debug)]
struct Groups {
    cull: CullGroups,
    palettes: Vec<PaletteGroups>,
    attach: Vec<Option<wgpu::BindGroup>>,
    plain: Vec<ModelGroups>,
    lit: Vec<ModelGroups>,
}

impl PalettePath {
    /// Compiles the passes for these models.
    pub(crate) fn new(device: &wgpu::Device, models: &[CrowdModel], precision: PalettePrecision) -> Self {
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let path_model = |of: &CrowdModel| PathModel {
            palette: PalettePass::new(device, &of.model.pages, precision),
            attach: (!of.model.attachments.is_empty()).then(|| AttachPass::new(device, &of.model.pages)),
            chunks: Vec::new(),
            palette_layout: draw_layout(device, BoneSource::Palette(precision)),
            pages_layout: of
                .model
                .vertex_pages()
                .map(|pages| draw_layout(device, BoneSource::Pages(pages.storage()))),
        };
        Self {
            instances: InstanceBuffers::new(device),
            cull: CullPass::new(device),
            buffers: CullBuffers::new(device),
            models: models.iter().map(path_model).collect(),
            precision,
            plan: FramePlan::default(),
            planned: None,
            planned_views: 0,
            planned_capacity: 0,
            planned_mirrored: false,
            common: DrawCommon::new(device),
            attach_ranges: Growing::new(device, "anim attach ranges", uniform),
            attach_records: Growing::new(device, "anim attach records", storage),
            attach_list: Vec::new(),
            groups: None,
            groups_are_old: false,
            prepared: false,
        }
    }

    /// Layout of the draw bind group of a model; `None` for attributes, which this path does not use.
    pub(crate) fn layout(&self, model: usize, bones: BoneSource) -> Option<&wgpu::BindGroupLayout> {
        let of = self.models.get(model)?;
        match bones {
            BoneSource::Palette(_) => Some(&of.palette_layout),
            BoneSource::Pages(_) => of.pages_layout.as_ref(),
            BoneSource::Attributes => None,
        }
    }

    /// The palettes of a model, one buffer a chunk.
    pub(crate) fn palettes(&self, model: usize) -> impl Iterator<Item = &wgpu::Buffer> {
        self.models
            .get(model)
            .into_iter()
            .flat_map(|model| model.chunks.iter().map(|chunk| chunk.palette.get()))
    }

    /// Sets or takes away the shadow map that the colour pass reads.
    pub(crate) fn set_shadow_map(&mut self, shadow: Option<wgpu::TextureView>) {
        self.common.shadow = shadow;
        self.groups_are_old = true;
    }

    /// Makes room for instances and uploads what changed; the bytes that were written.
    pub(crate) fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        instances: &mut Instances,
    ) -> u64 {
        let moves = !instances.motions.is_empty();
        if self.instances.reserve(device, queue, instances.numbers(), moves) {
            self.groups_are_old = true;
        }
        self.instances.upload(queue, instances)
    }

    /// Makes room for more instances than there are.
    pub(crate) fn reserve(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, count: u32, moves: bool) {
        if self.instances.reserve(device, queue, count, moves) {
            self.groups_are_old = true;
        }
    }

    /// Plans the frame, if its shape changed, and writes what the passes need to know; the bytes that were written.
    #[expect(clippy::too_many_arguments, reason = "the parts of a crowd")]
    pub(crate) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        models: &[CrowdModel],
        instances: &Instances,
        attachments: &mut Attachments,
        frame: &mut FrameUniform,
        has_mirrored: bool,
    ) -> Result<u64, GpuError> {
        self.prepared = instances.alive() > 0;
        if !self.prepared {
            return Ok(0);
        }
        let mut bytes = self.plan_frame(device, queue, models, frame.view_count, has_mirrored)?;
        if let Some((records, ranges)) = attachments.take_changes(instances) {
            bytes += self.write_attachments(device, queue, models, &records, &ranges);
        }
        frame.instances = instances.numbers();
        frame.groups = frame.instances.div_ceil(CULL_INSTANCES);
        frame.capacity = self.instances.capacity;
        frame.table = self.plan.table;
        queue.write_buffer(&self.common.frame, 0, bytemuck::bytes_of(frame));
        if self.groups.is_none() || self.groups_are_old {
            self.groups = Some(self.make_groups(device, models));
            self.groups_are_old = false;
        }
        Ok(bytes + size_of::<FrameUniform>() as u64)
    }

    /// Records all compute passes.
    pub(crate) fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        instances: u32,
        timer: Option<PassTimer<'_>>,
    ) {
        let (Some(groups), true) = (&self.groups, self.prepared) else { return };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("anim cull"),
            timestamp_writes: timer.as_ref().map(|timer| timer.writes(0)),
        });
        self.cull.record(&mut pass, &groups.cull, &self.plan, instances);
        for (range, &(model, count)) in self.attach_list.iter().enumerate() {
            if let (Some(attach), Some(group)) = (&self.models[model].attach, &groups.attach[model]) {
                attach.record(&mut pass, group, range, count);
            }
        }
        drop(pass);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("anim palette"),
            timestamp_writes: timer.as_ref().map(|timer| timer.writes(1)),
        });
        let arguments = self.buffers.arguments.get();
        let offset = |number| u64::from(dispatches_base(&self.plan)) * 4 + number as u64 * DISPATCH_BYTES;
        let chunks = || self.plan.chunks.iter().zip(&groups.palettes).enumerate();
        for (number, (&(model, _), groups)) in chunks() {
            self.models[model].palette.record_moments(&mut pass, groups, number, arguments, offset(number));
        }
        for (number, (&(model, _), groups)) in chunks() {
            self.models[model].palette.record(&mut pass, groups, number, arguments, offset(number));
        }
    }

    /// Records the draws of a view with the pipelines that `choose` gives; those for which it gives none are left out.
    #[expect(clippy::cast_possible_truncation, reason = "counts of draws and parts")]
    pub(crate) fn draw(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        models: &[CrowdModel],
        group_number: u32,
        view: u32,
        lit: Lit,
        mut choose: impl FnMut(&DrawInfo) -> Option<wgpu::RenderPipeline>,
    ) {
        let (Some(groups), true) = (&self.groups, self.prepared) else { return };
        let mut bound = Bound::default();
        for number in self.plan.draws_of(view) {
            let draw = &self.plan.draws[number];
            let of = &models[draw.model];
            let bones = match (draw.chunk, of.model.vertex_pages()) {
                (Some(_), _) => BoneSource::Palette(self.precision),
                (None, Some(pages)) => BoneSource::Pages(pages.storage()),
                // Without pages all have palettes.
                (None, None) => continue,
            };
            let info = draw_info(of, draw.model, draw.part, bones, draw.mirrored);
            let Some(pipeline) = choose(&info) else { continue };
            bound.pipeline(pass, pipeline);
            let mesh = &of.model.mesh;
            bound.mesh(pass, draw.model, mesh);
            let of_model = match lit {
                Lit::Yes => &groups.lit[draw.model],
                Lit::No => &groups.plain[draw.model],
            };
            let material = mesh.parts[draw.part].material;
            let group = match draw.chunk {
                Some(chunk) => &of_model.chunks[chunk][material],
                None => &of_model.pages[material],
            };
            pass.set_bind_group(group_number, group, &[number as u32 * UNIFORM_STRIDE as u32]);
            pass.draw_indexed_indirect(self.buffers.arguments.get(), number as u64 * 20);
        }
    }

    /// Bytes of GPU memory of instances, lists and palettes; not of pages, vertices and images.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let i = &self.instances;
        let b = &self.buffers;
        let buffers = [
            &i.transforms,
            &i.playback,
            &i.culls,
            &i.traits,
            &i.motions,
            &b.lists,
            &b.world,
            &b.decisions,
            &b.counts,
            &b.arguments,
            &b.draw_plans,
            &b.palette_plans,
        ];
        let palettes = self.models.iter().flat_map(|model| &model.chunks);
        let palettes: u64 = palettes.map(PaletteChunk::bytes).sum();
        palettes + buffers.into_iter().map(|buffer| buffer.get().size()).sum::<u64>()
    }

    fn plan_frame(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        models: &[CrowdModel],
        views: u32,
        has_mirrored: bool,
    ) -> Result<u64, GpuError> {
        let is_planned = self
            .planned
            .as_ref()
            .is_some_and(|planned| planned.iter().zip(models).all(|(planned, model)| model.fits(planned)));
        let capacity = self.instances.capacity;
        if is_planned
            && views == self.planned_views
            && has_mirrored == self.planned_mirrored
            && capacity == self.planned_capacity
        {
            return Ok(0);
        }
        let limits = device.limits();
        let shapes: Vec<PlanModel> =
            models.iter().map(|model| plan_model(model, self.precision, &limits)).collect();
        let limit_bytes = binding_limit(&limits);
        let plan = FramePlan::new(&shapes, views, has_mirrored, limit_bytes / 4);
        let needed = buffer_bytes(&plan, capacity);
        let draws_bytes = plan.draws.len() as u64 * UNIFORM_STRIDE;
        let needed_bytes = needed.lists.max(needed.world).max(needed.counts).max(draws_bytes);
        if needed_bytes > limit_bytes {
            return Err(GpuError::ListsTooLarge { views, needed_bytes, limit_bytes });
        }
        self.plan = plan;
        self.buffers.ensure(device, &self.plan, capacity);
        for (model, shape) in self.models.iter_mut().zip(&shapes) {
            let PathModel { palette, chunks, .. } = model;
            chunks.resize_with(shape.chunk_count(), || palette.chunk(device));
            let slot_bytes = u64::from(shape.bones) * self.precision.bone_bytes();
            let mut left = shape.slots;
            for chunk in &mut model.chunks {
                let slots = left.min(shape.chunk_slots);
                chunk.ensure(device, slots, slot_bytes);
                left -= slots;
            }
        }
        self.cull.write_plan(device, queue, &self.plan, &self.buffers);
        let bytes = self.write_draws(device, queue, models);
        self.planned = Some(shapes);
        self.planned_views = views;
        self.planned_capacity = capacity;
        self.planned_mirrored = has_mirrored;
        self.groups_are_old = true;
        Ok(bytes)
    }

    #[expect(clippy::cast_possible_truncation, reason = "counts of draws and parts")]
    fn write_draws(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, models: &[CrowdModel]) -> u64 {
        self.common.draws.ensure(device, self.plan.draws.len() as u64 * UNIFORM_STRIDE);
        let mut bytes = vec![0u8; self.plan.draws.len() * UNIFORM_STRIDE as usize];
        for (number, draw) in self.plan.draws.iter().enumerate() {
            let uniform = AnimDraw {
                number: number as u32,
                first_place: draw.first_place,
                checks_part: u32::from(draw.checks_part),
                list: self.plan.list_of(number),
                ..draw_uniform(&models[draw.model].model, draw.part, draw.view)
            };
            bytes[number * UNIFORM_STRIDE as usize..][..size_of::<AnimDraw>()]
                .copy_from_slice(bytemuck::bytes_of(&uniform));
        }
        queue.write_buffer(self.common.draws.get(), 0, &bytes);
        bytes.len() as u64
    }

    fn write_attachments(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        models: &[CrowdModel],
        records: &[crate::gpu_types::AttachRecord],
        ranges: &[crate::attachments::AttachRange],
    ) -> u64 {
        let mut changed = self.attach_records.ensure(device, size_of_val(records) as u64);
        changed |= self.attach_ranges.ensure(device, ranges.len().max(1) as u64 * UNIFORM_STRIDE);
        if changed {
            self.groups_are_old = true;
        }
        queue.write_buffer(self.attach_records.get(), 0, bytemuck::cast_slice(records));
        self.attach_list.clear();
        for (number, range) in (0..).zip(ranges) {
            let bones = models[range.parent_model].model.pages.bones();
            let uniform = AttachUniform { first: range.first, count: range.count, bones, padding: 0 };
            queue.write_buffer(
                self.attach_ranges.get(),
                number * UNIFORM_STRIDE,
                bytemuck::bytes_of(&uniform),
            );
            self.attach_list.push((range.parent_model, range.count));
        }
        size_of_val(records) as u64 + 16 * ranges.len() as u64
    }

    fn make_groups(&self, device: &wgpu::Device, models: &[CrowdModel]) -> Groups {
        let inputs = CullInputs {
            frame: &self.common.frame,
            transforms: self.instances.transforms.get(),
            motions: self.instances.motions.get(),
            culls: self.instances.culls.get(),
            traits: self.instances.traits.get(),
        };
        let of_models = |lit| {
            self.models
                .iter()
                .zip(models)
                .map(|(path, of)| {
                    let palettes = path.chunks.iter().map(|chunk| chunk.palette.get().clone());
                    let layouts = (&path.palette_layout, path.pages_layout.as_ref());
                    let (buffers, instances) = (&self.buffers, &self.instances);
                    let (model, common) = (&of.model, &self.common);
                    model_groups(
                        device, common, layouts.0, layouts.1, model, buffers, instances, palettes, lit,
                    )
                })
                .collect()
        };
        let attach_inputs = AttachInputs {
            frame: &self.common.frame,
            ranges: self.attach_ranges.get(),
            records: self.attach_records.get(),
            transforms: self.instances.transforms.get(),
            playback: self.instances.playback.get(),
        };
        let playback = self.instances.playback.get();
        Groups {
            cull: self.cull.groups(device, inputs, &self.buffers),
            palettes: self
                .plan
                .chunks
                .iter()
                .map(|&(model, chunk)| {
                    let (path, pages) = (&self.models[model], &models[model].model.pages);
                    let (frame, chunk) = (&self.common.frame, &path.chunks[chunk]);
                    path.palette.groups(device, frame, playback, pages, &self.buffers, chunk)
                })
                .collect(),
            attach: self
                .models
                .iter()
                .zip(models)
                .map(|(path, of)| {
                    let pages = &of.model.pages;
                    path.attach
                        .as_ref()
                        .map(|attach| attach.group(device, attach_inputs, pages, &self.buffers))
                })
                .collect(),
            plain: of_models(Lit::No),
            lit: of_models(Lit::Yes),
        }
    }
}

/// A model in the words of the plan.
fn plan_model(of: &CrowdModel, precision: PalettePrecision, limits: &wgpu::Limits) -> PlanModel {
    let (bones, nodes) = (of.model.pages.bones(), of.model.pages.nodes());
    let hierarchy = of.model.pages.hierarchy();
    let slots = of.max_visible.min(of.capacity);
    let parts = of.model.mesh.parts.iter().enumerate().map(|(number, part)| PlanPart {
        first_index: part.first_index,
        index_count: part.index_count,
        is_hidden_by_some: of.is_hidden_by_some(number),
    });
    PlanModel {
        capacity: of.capacity,
        bones,
        nodes,
        rounds: hierarchy.rounds,
        rounds_entry: hierarchy.rounds_entry,
        bones_entry: hierarchy.bones_entry,
        chunk_slots: chunk_slots(bones, nodes, precision, limits).min(slots).max(1),
        slots,
        parts: parts.collect(),
    }
}
