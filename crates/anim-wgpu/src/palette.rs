//! Records the palette pass: every bone of every visible instance is decoded, interpolated and blended once.

use wgpu::ShaderStages;

use crate::bindings::{self, block, entry, layout, read, uniform, uniform_at, write};
use crate::cull::{CullBuffers, DISPATCH_BYTES};
use crate::device_fit::binding_limit;
use crate::gpu_buffer::Growing;
use crate::gpu_types::{FrameUniform, PalettePlan, UNIFORM_STRIDE};
use crate::shader_source::{NodePoses, PalettePrecision, local_palette_shader, moments_shader};
use crate::upload::FilePages;

/// Workgroups of one dimension of a dispatch: above WebGPU's default limit nothing runs.
const GROUPS_MAX: u64 = 65_535;

impl PalettePrecision {
    /// Bytes of a bone: three rows.
    #[must_use]
    pub const fn bone_bytes(self) -> u64 {
        match self {
            Self::Full => 48,
            Self::Half => 24,
        }
    }
}

/// Bytes of what an instance plays, for local sets.
const MOMENTS_BYTES: u64 = 64;

/// Instances of `bones` bones whose palettes, and what they play, fit one buffer of the device.
pub(crate) fn chunk_slots(bones: u32, nodes: u32, precision: PalettePrecision, limits: &wgpu::Limits) -> u32 {
    let palette_bytes = u64::from(bones.max(1)) * precision.bone_bytes();
    let slots = binding_limit(limits) / palette_bytes.max(if nodes > 0 { MOMENTS_BYTES } else { 0 });
    u32::try_from(slots).unwrap_or(u32::MAX)
}

/// Nodes of a local set that workgroup memory holds; with more, every bone decodes its ancestors itself.
pub const LOCAL_NODES_MAX: u32 = 256;

/// How the threads of a workgroup share instances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaletteThreads {
    /// Threads of an instance, as a power of two.
    pub(crate) threads_log2: u32,
    /// Instances of a workgroup.
    pub(crate) in_group: u32,
}

impl PaletteThreads {
    /// For local tracks: one thread for two nodes, of 64. For rows (`nodes` is 0), and with more nodes: about one thread for four bones, of 128.
    pub(crate) fn of(bones: u32, nodes: u32) -> Self {
        let log2 = |threads: u32| threads.max(1).next_power_of_two().trailing_zeros();
        match nodes {
            1..=LOCAL_NODES_MAX => {
                // A step of `palette_local.wgsl` has three threads for a node.
                let threads_log2 = log2(nodes.div_ceil(2)).clamp(2, 6);
                Self { threads_log2, in_group: 64 >> threads_log2 }
            }
            _ => {
                let threads_log2 = log2(bones.div_ceil(4)).min(7);
                Self { threads_log2, in_group: 128 >> threads_log2 }
            }
        }
    }
}

/// The palette pass of one model.
#[derive(Debug)]
pub(crate) struct PalettePass {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
    /// Before it, in a local set: what every instance plays.
    moments: Option<MomentsPass>,
}

/// The bind groups of a chunk.
#[derive(Debug)]
pub(crate) struct PaletteGroups {
    palette: wgpu::BindGroup,
    moments: Option<wgpu::BindGroup>,
}

/// The buffers of a chunk.
#[derive(Debug)]
pub(crate) struct PaletteChunk {
    pub(crate) palette: Growing,
    /// What every instance plays, in a local set.
    moments: Option<Growing>,
}

impl PaletteChunk {
    /// Makes room for the palettes of so many instances.
    pub(crate) fn ensure(&mut self, device: &wgpu::Device, slots: u32, palette_bytes: u64) {
        self.palette.ensure(device, u64::from(slots) * palette_bytes);
        if let Some(moments) = &mut self.moments {
            moments.ensure(device, u64::from(slots) * MOMENTS_BYTES);
        }
    }

    /// Bytes of GPU memory.
    pub(crate) fn bytes(&self) -> u64 {
        self.palette.get().size() + self.moments.as_ref().map_or(0, |moments| moments.get().size())
    }
}

impl PalettePass {
    /// Compiles the pass for the model's pages.
    pub(crate) fn new(device: &wgpu::Device, pages: &FilePages, precision: PalettePrecision) -> Self {
        use bindings as b;
        let compute = ShaderStages::COMPUTE;
        let is_in_groups = (1..=LOCAL_NODES_MAX).contains(&pages.nodes());
        let played = match is_in_groups {
            true => vec![read(b::MOMENTS, compute)],
            false => vec![read(b::LISTS, compute), read(b::PLAYBACK, compute)],
        };
        let layout = layout(
            device,
            "anim palette",
            &[
                &[
                    uniform(b::FRAME, compute),
                    uniform_at(b::PLAN, compute),
                    read(b::COUNTS, compute),
                    write(b::PALETTE),
                ][..],
                &played,
                &pages.decode_layout(compute),
            ]
            .concat(),
        );
        let poses = match (is_in_groups, pages.hierarchy().is_similar) {
            (true, true) => NodePoses::Similar,
            (true, false) => NodePoses::Rows,
            (false, _) => NodePoses::Many,
        };
        let source = local_palette_shader(pages.storage(), precision, poses);
        let module = bindings::shader(device, "anim palette", source);
        let threads = PaletteThreads::of(pages.bones(), pages.nodes());
        let nodes = f64::from(threads.in_group * pages.nodes());
        let constants: &[(&str, f64)] = match pages.nodes() {
            1..=LOCAL_NODES_MAX => &[("LOCAL_NODES", nodes)],
            _ => &[],
        };
        let pipeline = bindings::compute_pipeline_with(
            device,
            "anim palette",
            &layout,
            &module,
            "palette_main",
            constants,
        );
        let moments = is_in_groups.then(|| MomentsPass::new(device, pages));
        Self { layout, pipeline, moments }
    }

    /// Buffers for one chunk, without room.
    pub(crate) fn chunk(&self, device: &wgpu::Device) -> PaletteChunk {
        use wgpu::BufferUsages as Usage;
        let new = |label| Growing::new(device, label, Usage::STORAGE | Usage::COPY_SRC);
        PaletteChunk {
            palette: new("anim palettes"),
            moments: self.moments.is_some().then(|| new("anim moments")),
        }
    }

    /// Binds the buffers of one chunk.
    pub(crate) fn groups(
        &self,
        device: &wgpu::Device,
        frame: &wgpu::Buffer,
        playback: &wgpu::Buffer,
        pages: &FilePages,
        buffers: &CullBuffers,
        chunk: &PaletteChunk,
    ) -> PaletteGroups {
        use bindings as b;
        let common = [
            entry(b::FRAME, block(frame, size_of::<FrameUniform>() as u64)),
            entry(b::PLAN, block(buffers.palette_plans.get(), size_of::<PalettePlan>() as u64)),
            entry(b::COUNTS, buffers.counts.get().as_entire_binding()),
        ];
        let played = [
            entry(b::LISTS, buffers.lists.get().as_entire_binding()),
            entry(b::PLAYBACK, playback.as_entire_binding()),
        ];
        let moments =
            chunk.moments.as_ref().map(|buffer| [entry(b::MOMENTS, buffer.get().as_entire_binding())]);
        let decode = pages.decode_entries();
        let bind = |label: &str, layout: &wgpu::BindGroupLayout, entries: &[&[wgpu::BindGroupEntry<'_>]]| {
            let descriptor =
                wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries.concat() };
            device.create_bind_group(&descriptor)
        };
        let palette = [entry(b::PALETTE, chunk.palette.get().as_entire_binding())];
        let played_or_moments = moments.as_ref().map_or(&played[..], |moments| moments);
        PaletteGroups {
            palette: bind("anim palette", &self.layout, &[&common, &palette, played_or_moments, &decode]),
            moments: self.moments.as_ref().zip(moments.as_ref()).map(|(pass, moments)| {
                bind("anim moments", &pass.layout, &[&common, &played, moments, &decode])
            }),
        }
    }

    /// Records what the palettes of one chunk need before them: number `plan` of the plans, whose dispatch arguments start
    /// at `arguments_offset`.
    pub(crate) fn record_moments(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        groups: &PaletteGroups,
        plan: usize,
        arguments: &wgpu::Buffer,
        arguments_offset: u64,
    ) {
        if let (Some(moments), Some(group)) = (&self.moments, &groups.moments) {
            pass.set_pipeline(&moments.pipeline);
            pass.set_bind_group(0, group, &[plan_offset(plan)]);
            pass.dispatch_workgroups_indirect(arguments, arguments_offset + DISPATCH_BYTES / 2);
        }
    }

    /// Records the palettes of one chunk.
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        groups: &PaletteGroups,
        plan: usize,
        arguments: &wgpu::Buffer,
        arguments_offset: u64,
    ) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &groups.palette, &[plan_offset(plan)]);
        pass.dispatch_workgroups_indirect(arguments, arguments_offset);
    }
}

/// The pass that says what every visible instance plays: which texels of which frames.
#[derive(Debug)]
struct MomentsPass {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
}

impl MomentsPass {
    fn new(device: &wgpu::Device, pages: &FilePages) -> Self {
        use bindings as b;
        let compute = ShaderStages::COMPUTE;
        let layout = layout(
            device,
            "anim moments",
            &[
                &[
                    uniform(b::FRAME, compute),
                    uniform_at(b::PLAN, compute),
                    read(b::COUNTS, compute),
                    read(b::LISTS, compute),
                    read(b::PLAYBACK, compute),
                    write(b::MOMENTS),
                ],
                &pages.decode_layout(compute)[..],
            ]
            .concat(),
        );
        let module = bindings::shader(device, "anim moments", moments_shader(pages.storage()));
        let pipeline = bindings::compute_pipeline(device, "anim moments", &layout, &module, "moments_main");
        Self { layout, pipeline }
    }
}

/// The place of a plan among the plans.
#[expect(clippy::cast_possible_truncation, reason = "a few chunks")]
const fn plan_offset(plan: usize) -> u32 {
    plan as u32 * UNIFORM_STRIDE as u32
}

/// Workgroups in two dimensions.
#[expect(clippy::cast_possible_truncation, reason = "x is at most GROUPS_MAX; instances fit 32 bits")]
pub(crate) fn dispatch_size(groups: u64) -> (u32, u32) {
    let y = groups.div_ceil(GROUPS_MAX).max(1);
    (groups.div_ceil(y) as u32, y as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_stay_within_one_dimension_and_cover_every_group() {
        for groups in [1, 2, 65_535, 65_536, 46_875, 3_906_250, 16_777_216] {
            let (x, y) = dispatch_size(groups);
            assert!(u64::from(x) <= GROUPS_MAX && u64::from(y) <= GROUPS_MAX);
            assert!(u64::from(x) * u64::from(y) >= groups);
        }
    }

    #[test]
    fn a_workgroup_holds_the_nodes_of_its_instances() {
        for nodes in 1..=LOCAL_NODES_MAX {
            let threads = PaletteThreads::of(nodes, nodes);
            let bytes = threads.in_group * nodes * 48;
            assert!(bytes <= 16 << 10, "{nodes}: {threads:?}: more than every device has");
            assert_eq!(threads.in_group << threads.threads_log2, 64);
        }
        assert_eq!(PaletteThreads::of(500, 257), PaletteThreads { threads_log2: 7, in_group: 1 });
        assert_eq!(PaletteThreads::of(60, 0), PaletteThreads { threads_log2: 4, in_group: 8 });
        assert_eq!(PaletteThreads::of(0, 0).in_group, 128);
    }

    #[test]
    fn default_limits_hold_what_the_documents_say() {
        let limits = wgpu::Limits::default();
        assert_eq!(chunk_slots(60, 0, PalettePrecision::Full, &limits), 46_603);
        assert_eq!(chunk_slots(60, 60, PalettePrecision::Half, &limits), 93_206);
        assert_eq!(chunk_slots(1, 1, PalettePrecision::Half, &limits), 2_097_152);
    }
}
