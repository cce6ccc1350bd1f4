//! Records the attachment pass: where instances that hang on others are.

use wgpu::ShaderStages;

use crate::bindings::{self, block, compute_pipeline, entry, layout, read, uniform, uniform_at, write};
use crate::cull::CullBuffers;
use crate::gpu_types::{AttachUniform, FrameUniform, UNIFORM_STRIDE};
use crate::palette::dispatch_size;
use crate::shader_source::attach_shader;
use crate::upload::FilePages;

/// Records of a workgroup.
const WORKGROUP: u32 = 64;

/// The attachment pass for children of one model's instances.
#[derive(Debug)]
pub(crate) struct AttachPass {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

/// Buffers of the crowd that the pass reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttachInputs<'b> {
    pub(crate) frame: &'b wgpu::Buffer,
    pub(crate) ranges: &'b wgpu::Buffer,
    pub(crate) records: &'b wgpu::Buffer,
    pub(crate) transforms: &'b wgpu::Buffer,
    pub(crate) playback: &'b wgpu::Buffer,
}

impl AttachPass {
    /// Compiles the pass for the parents' pages.
    pub(crate) fn new(device: &wgpu::Device, pages: &FilePages) -> Self {
        use bindings as b;
        let compute = ShaderStages::COMPUTE;
        let layout = layout(
            device,
            "anim attach",
            &[
                &[
                    uniform(b::FRAME, compute),
                    uniform_at(b::PLAN, compute),
                    write(b::WORLD),
                    read(b::PLAYBACK, compute),
                    read(b::TRANSFORMS, compute),
                    read(b::DECISIONS, compute),
                    read(b::RECORDS, compute),
                ],
                &pages.decode_layout(compute)[..],
            ]
            .concat(),
        );
        let module = bindings::shader(device, "anim attach", attach_shader(pages.storage()));
        let pipeline = compute_pipeline(device, "anim attach", &layout, &module, "attach_main");
        Self { layout, pipeline }
    }

    /// Binds the buffers.
    pub(crate) fn group(
        &self,
        device: &wgpu::Device,
        inputs: AttachInputs<'_>,
        pages: &FilePages,
        buffers: &CullBuffers,
    ) -> wgpu::BindGroup {
        use bindings as b;
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("anim attach"),
            layout: &self.layout,
            entries: &[
                &[
                    entry(b::FRAME, block(inputs.frame, size_of::<FrameUniform>() as u64)),
                    entry(b::PLAN, block(inputs.ranges, size_of::<AttachUniform>() as u64)),
                    entry(b::WORLD, buffers.world.get().as_entire_binding()),
                    entry(b::PLAYBACK, inputs.playback.as_entire_binding()),
                    entry(b::TRANSFORMS, inputs.transforms.as_entire_binding()),
                    entry(b::DECISIONS, buffers.decisions.get().as_entire_binding()),
                    entry(b::RECORDS, inputs.records.as_entire_binding()),
                ],
                &pages.decode_entries()[..],
            ]
            .concat(),
        })
    }

    /// Records one range of the records: number `range` of the ranges, with `count` records.
    #[expect(clippy::cast_possible_truncation, reason = "a few ranges")]
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group: &wgpu::BindGroup,
        range: usize,
        count: u32,
    ) {
        let (x, y) = dispatch_size(u64::from(count.div_ceil(WORKGROUP)));
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[range as u32 * UNIFORM_STRIDE as u32]);
        pass.dispatch_workgroups(x, y, 1);
    }
}
