//! Records the culling passes and the pass that writes indirect arguments.

use wgpu::ShaderStages;

use crate::bindings::{self, block, compute_pipeline, entry, layout, read, uniform, uniform_at, write};
use crate::gpu_buffer::{Growing, create};
use crate::gpu_types::{ArgumentsUniform, BINS_OF_A_ROUND, CullBin, CullRound, FrameUniform, UNIFORM_STRIDE};
use crate::palette::dispatch_size;
use crate::plan::FramePlan;
use crate::shader_source::{arguments_shader, cull_shader};

/// Instances of a workgroup.
pub(crate) const CULL_INSTANCES: u32 = 256;

/// Bytes of the dispatch arguments of a chunk of palettes: of the palettes, then of the moments.
pub(crate) const DISPATCH_BYTES: u64 = 24;

const BINS_BYTES: u64 = (BINS_OF_A_ROUND * size_of::<CullBin>()) as u64;

/// Buffers that the culling passes fill and later passes read.
#[derive(Debug)]
pub(crate) struct CullBuffers {
    pub(crate) lists: Growing,
    pub(crate) world: Growing,
    pub(crate) decisions: Growing,
    pub(crate) counts: Growing,
    pub(crate) arguments: Growing,
    pub(crate) draw_plans: Growing,
    pub(crate) palette_plans: Growing,
}

impl CullBuffers {
    /// Empty ones.
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        use wgpu::BufferUsages as Usage;
        let new = |label, usage| Growing::new(device, label, Usage::STORAGE | usage);
        Self {
            lists: new("anim lists", Usage::COPY_SRC | Usage::COPY_DST),
            world: new("anim world", Usage::COPY_SRC),
            decisions: new("anim decisions", Usage::COPY_SRC),
            counts: new("anim counts", Usage::COPY_SRC),
            arguments: new("anim arguments", Usage::INDIRECT | Usage::COPY_SRC | Usage::COPY_DST),
            draw_plans: new("anim draw plans", Usage::COPY_DST),
            palette_plans: new("anim palette plans", Usage::COPY_DST | Usage::UNIFORM),
        }
    }

    /// Makes room for a plan and `capacity` instances.
    pub(crate) fn ensure(&mut self, device: &wgpu::Device, plan: &FramePlan, capacity: u32) {
        let sizes = buffer_bytes(plan, capacity);
        self.lists.ensure(device, sizes.lists);
        self.world.ensure(device, sizes.world);
        self.decisions.ensure(device, sizes.decisions);
        self.counts.ensure(device, sizes.counts);
        self.arguments.ensure(device, sizes.arguments);
        self.draw_plans.ensure(device, size_of_val(&plan.draw_plans[..]) as u64);
        self.palette_plans.ensure(device, plan.palettes.len() as u64 * UNIFORM_STRIDE);
    }
}

/// Bytes that the passes' buffers need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CullBytes {
    pub(crate) lists: u64,
    pub(crate) world: u64,
    pub(crate) decisions: u64,
    pub(crate) counts: u64,
    pub(crate) arguments: u64,
}

/// What a plan needs for `capacity` instances.
pub(crate) fn buffer_bytes(plan: &FramePlan, capacity: u32) -> CullBytes {
    let groups = u64::from(capacity.div_ceil(CULL_INSTANCES));
    let bins = plan.bins.len() as u64;
    CullBytes {
        lists: plan.list_words * 4,
        world: plan.places() * 48,
        // Two words an instance, and one bit.
        decisions: u64::from(capacity) * 8 + groups * 32,
        counts: (bins + bins * groups) * 4,
        arguments: plan.draws.len() as u64 * 20 + plan.palettes.len() as u64 * DISPATCH_BYTES,
    }
}

/// The pipelines of the culling passes.
#[derive(Debug)]
pub(crate) struct CullPass {
    layout: wgpu::BindGroupLayout,
    count: wgpu::ComputePipeline,
    scan: wgpu::ComputePipeline,
    scatter: wgpu::ComputePipeline,
    arguments_layout: wgpu::BindGroupLayout,
    arguments: wgpu::ComputePipeline,
    rounds: Growing,
    bins: Growing,
    arguments_uniform: wgpu::Buffer,
}

/// Buffers of the instances that culling reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CullInputs<'b> {
    pub(crate) frame: &'b wgpu::Buffer,
    pub(crate) transforms: &'b wgpu::Buffer,
    pub(crate) motions: &'b wgpu::Buffer,
    pub(crate) culls: &'b wgpu::Buffer,
    pub(crate) traits: &'b wgpu::Buffer,
}

/// The bind groups of the passes, made when a buffer changes.
#[derive(Debug)]
pub(crate) struct CullGroups {
    cull: wgpu::BindGroup,
    arguments: wgpu::BindGroup,
}

impl CullPass {
    /// Compiles the passes.
    pub(crate) fn new(device: &wgpu::Device) -> Self {
        use bindings as b;
        let compute = ShaderStages::COMPUTE;
        let cull_layout = layout(
            device,
            "anim cull",
            &[
                uniform(b::FRAME, compute),
                uniform_at(b::ROUND, compute),
                uniform_at(b::BINS, compute),
                write(b::LISTS),
                write(b::WORLD),
                read(b::TRAITS, compute),
                read(b::TRANSFORMS, compute),
                read(b::MOTIONS, compute),
                read(b::CULLS, compute),
                write(b::DECISIONS),
                write(b::COUNTS),
            ],
        );
        let module = bindings::shader(device, "anim cull", cull_shader());
        let pipeline =
            |entry_point: &str| compute_pipeline(device, entry_point, &cull_layout, &module, entry_point);
        let (count, scatter) = (pipeline("cull_count"), pipeline("cull_scatter"));
        let arguments_layout = layout(
            device,
            "anim arguments",
            &[
                uniform(b::FRAME, compute),
                uniform_at(b::ROUND, compute),
                uniform(b::ARGUMENTS_PLAN, compute),
                write(b::LISTS),
                write(b::COUNTS),
                write(b::ARGUMENTS),
                read(b::DRAW_PLANS, compute),
                read(b::PALETTE_PLANS, compute),
            ],
        );
        let module = bindings::shader(device, "anim arguments", arguments_shader());
        let pipeline = |entry_point: &str| {
            compute_pipeline(device, entry_point, &arguments_layout, &module, entry_point)
        };
        let (scan, arguments) = (pipeline("cull_scan"), pipeline("arguments_main"));
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        Self {
            layout: cull_layout,
            count,
            scan,
            scatter,
            arguments_layout,
            arguments,
            rounds: Growing::new(device, "anim cull rounds", usage),
            bins: Growing::new(device, "anim cull bins", usage),
            arguments_uniform: create(device, "anim arguments plan", 16, usage),
        }
    }

    /// Uploads a plan.
    #[expect(clippy::cast_possible_truncation, reason = "counts of lists and draws")]
    pub(crate) fn write_plan(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        plan: &FramePlan,
        buffers: &CullBuffers,
    ) {
        let rounds = rounds_of(plan);
        self.rounds.ensure(device, u64::from(rounds) * UNIFORM_STRIDE);
        self.bins.ensure(device, u64::from(rounds) * BINS_BYTES);
        for (number, chunk) in (0..).zip(plan.bins.chunks(BINS_OF_A_ROUND)) {
            let round = CullRound {
                first_bin: number * BINS_OF_A_ROUND as u32,
                bins: chunk.len() as u32,
                models: plan.models,
                counts_base: plan.bins.len() as u32,
            };
            queue.write_buffer(
                self.rounds.get(),
                u64::from(number) * UNIFORM_STRIDE,
                bytemuck::bytes_of(&round),
            );
            queue.write_buffer(self.bins.get(), u64::from(number) * BINS_BYTES, bytemuck::cast_slice(chunk));
        }
        queue.write_buffer(buffers.draw_plans.get(), 0, bytemuck::cast_slice(&plan.draw_plans));
        // Where draws take whole lists, only their instances are left for the GPU to write.
        let table: Vec<u32> = plan.draw_plans.iter().map(|draw| draw.list_base).collect();
        queue.write_buffer(buffers.lists.get(), 0, bytemuck::cast_slice(&table));
        let arguments: Vec<[u32; 5]> =
            plan.draw_plans.iter().map(|draw| [draw.index_count, 0, draw.first_index, 0, 0]).collect();
        queue.write_buffer(buffers.arguments.get(), 0, bytemuck::cast_slice(&arguments));
        for (number, palette) in (0..).zip(&plan.palettes) {
            let offset = number * UNIFORM_STRIDE;
            queue.write_buffer(buffers.palette_plans.get(), offset, bytemuck::bytes_of(palette));
        }
        let uniform = ArgumentsUniform {
            draws: plan.draws.len() as u32,
            palettes: plan.palettes.len() as u32,
            dispatches_base: dispatches_base(plan),
            whole_lists: u32::from(plan.takes_whole_lists),
        };
        queue.write_buffer(&self.arguments_uniform, 0, bytemuck::bytes_of(&uniform));
    }

    /// Binds buffers; again after one of them became another.
    pub(crate) fn groups(
        &self,
        device: &wgpu::Device,
        inputs: CullInputs<'_>,
        buffers: &CullBuffers,
    ) -> CullGroups {
        use bindings as b;
        let cull = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("anim cull"),
            layout: &self.layout,
            entries: &[
                entry(b::FRAME, block(inputs.frame, size_of::<FrameUniform>() as u64)),
                entry(b::ROUND, block(self.rounds.get(), 16)),
                entry(b::BINS, block(self.bins.get(), BINS_BYTES)),
                entry(b::LISTS, buffers.lists.get().as_entire_binding()),
                entry(b::WORLD, buffers.world.get().as_entire_binding()),
                entry(b::TRAITS, inputs.traits.as_entire_binding()),
                entry(b::TRANSFORMS, inputs.transforms.as_entire_binding()),
                entry(b::MOTIONS, inputs.motions.as_entire_binding()),
                entry(b::CULLS, inputs.culls.as_entire_binding()),
                entry(b::DECISIONS, buffers.decisions.get().as_entire_binding()),
                entry(b::COUNTS, buffers.counts.get().as_entire_binding()),
            ],
        });
        let arguments = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("anim arguments"),
            layout: &self.arguments_layout,
            entries: &[
                entry(b::FRAME, block(inputs.frame, size_of::<FrameUniform>() as u64)),
                entry(b::ROUND, block(self.rounds.get(), 16)),
                entry(b::ARGUMENTS_PLAN, self.arguments_uniform.as_entire_binding()),
                entry(b::LISTS, buffers.lists.get().as_entire_binding()),
                entry(b::COUNTS, buffers.counts.get().as_entire_binding()),
                entry(b::ARGUMENTS, buffers.arguments.get().as_entire_binding()),
                entry(b::DRAW_PLANS, buffers.draw_plans.get().as_entire_binding()),
                entry(b::PALETTE_PLANS, buffers.palette_plans.get().as_entire_binding()),
            ],
        });
        CullGroups { cull, arguments }
    }

    /// Records all of it for `instances` instances.
    #[expect(clippy::cast_possible_truncation, reason = "counts of lists and draws")]
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        groups: &CullGroups,
        plan: &FramePlan,
        instances: u32,
    ) {
        let (x, y) = dispatch_size(u64::from(instances.div_ceil(CULL_INSTANCES)));
        for round in 0..rounds_of(plan) {
            let round_offset = round * UNIFORM_STRIDE as u32;
            let offsets = [round_offset, round * BINS_BYTES as u32];
            pass.set_bind_group(0, &groups.cull, &offsets);
            pass.set_pipeline(&self.count);
            pass.dispatch_workgroups(x, y, 1);
            let bins = plan.bins.len() - round as usize * BINS_OF_A_ROUND;
            pass.set_bind_group(0, &groups.arguments, &[round_offset]);
            pass.set_pipeline(&self.scan);
            pass.dispatch_workgroups(bins.min(BINS_OF_A_ROUND) as u32, 1, 1);
            pass.set_bind_group(0, &groups.cull, &offsets);
            pass.set_pipeline(&self.scatter);
            pass.dispatch_workgroups(x, y, 1);
        }
        if plan.takes_whole_lists {
            return;
        }
        pass.set_bind_group(0, &groups.arguments, &[0]);
        pass.set_pipeline(&self.arguments);
        let threads = plan.draws.len() + plan.palettes.len();
        pass.dispatch_workgroups(threads.div_ceil(64) as u32, 1, 1);
    }
}

/// First word of the dispatch arguments in the arguments.
#[expect(clippy::cast_possible_truncation, reason = "a count of draws")]
pub(crate) fn dispatches_base(plan: &FramePlan) -> u32 {
    plan.draws.len() as u32 * 5
}

#[expect(clippy::cast_possible_truncation, reason = "a count of lists")]
fn rounds_of(plan: &FramePlan) -> u32 {
    plan.bins.len().div_ceil(BINS_OF_A_ROUND) as u32
}
