//! Times of the passes of one frame, by timestamp queries.

use super::Gpu;

/// Passes of a frame that are timed.
pub(crate) const PASSES: u32 = 4;

/// A pass that is timed. Culling and palettes are next to each other, as `anim_wgpu::PassTimer` writes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    /// The program's own compute pass that moves instances.
    Move = 0,
    /// Culling, compaction and attachments.
    Cull = 1,
    /// Palettes.
    Palette = 2,
    /// The render pass.
    Draw = 3,
}

/// Bytes between the places that pairs of queries are resolved to.
const STRIDE: u64 = wgpu::QUERY_RESOLVE_BUFFER_ALIGNMENT;
/// The same in numbers of a timestamp.
const STRIDE_WORDS: usize = 32;

const _: () = assert!(STRIDE == 8 * STRIDE_WORDS as u64);

/// Queries of one frame, and where their results go.
#[derive(Debug)]
pub(crate) struct FrameTimer {
    queries: Option<wgpu::QuerySet>,
    resolved: wgpu::Buffer,
    mapped: wgpu::Buffer,
    period_ns: f64,
    used: [bool; PASSES as usize],
}

impl FrameTimer {
    /// Queries for one frame at a time; none if the device has none.
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let buffer = |usage| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("bench times"),
                size: u64::from(PASSES) * STRIDE,
                usage,
                mapped_at_creation: false,
            })
        };
        let queries = gpu.timestamps.then(|| {
            gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("bench times"),
                ty: wgpu::QueryType::Timestamp,
                count: PASSES * 2,
            })
        });
        Self {
            queries,
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            mapped: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
            period_ns: f64::from(gpu.queue.get_timestamp_period()),
            used: [false; PASSES as usize],
        }
    }

    /// Forgets the frame before.
    pub(crate) fn start(&mut self) {
        self.used = [false; PASSES as usize];
    }

    /// What a crowd's compute passes write.
    pub(crate) fn crowd(&mut self) -> Option<anim_wgpu::PassTimer<'_>> {
        let queries = self.queries.as_ref()?;
        self.used[Pass::Cull as usize] = true;
        self.used[Pass::Palette as usize] = true;
        Some(anim_wgpu::PassTimer { queries, first: Pass::Cull as u32 * 2 })
    }

    /// What a render pass writes.
    pub(crate) fn render(&mut self) -> Option<wgpu::RenderPassTimestampWrites<'_>> {
        let queries = self.queries.as_ref()?;
        self.used[Pass::Draw as usize] = true;
        let first = Pass::Draw as u32 * 2;
        Some(wgpu::RenderPassTimestampWrites {
            query_set: queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// What a compute pass writes.
    pub(crate) fn compute(&mut self, pass: Pass) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let queries = self.queries.as_ref()?;
        self.used[pass as usize] = true;
        let first = pass as u32 * 2;
        Some(wgpu::ComputePassTimestampWrites {
            query_set: queries,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        })
    }

    /// Commands that bring the results of the frame to where the CPU reads them.
    pub(crate) fn resolve(&self, device: &wgpu::Device) -> Option<wgpu::CommandBuffer> {
        let queries = self.queries.as_ref()?;
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        // Only what was written: the results of other queries would never come.
        for pass in (0u32..).zip(self.used).filter(|(_, used)| *used).map(|(pass, _)| pass) {
            let place = u64::from(pass) * STRIDE;
            encoder.resolve_query_set(queries, pass * 2..pass * 2 + 2, &self.resolved, place);
        }
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.mapped, 0, self.mapped.size());
        Some(encoder.finish())
    }

    /// Asks for the results; they are there after the device has been waited for.
    pub(crate) fn ask(&self) {
        if self.queries.is_some() {
            // Whether it worked is seen when they are read.
            self.mapped.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        }
    }

    /// Milliseconds of each pass; `None` for those that the frame did not have, and without timestamps.
    pub(crate) fn read(&self) -> Result<[Option<f64>; PASSES as usize], String> {
        let mut times = [None; PASSES as usize];
        if self.queries.is_none() {
            return Ok(times);
        }
        {
            let mapped = self.mapped.slice(..).get_mapped_range().map_err(|error| error.to_string())?;
            let words: Vec<u64> = bytemuck::pod_collect_to_vec(&mapped[..]);
            for (pass, time) in times.iter_mut().enumerate().filter(|(pass, _)| self.used[*pass]) {
                let (begin, end) = (words[pass * STRIDE_WORDS], words[pass * STRIDE_WORDS + 1]);
                #[expect(clippy::cast_precision_loss, reason = "a short time")]
                let ticks = end.saturating_sub(begin) as f64;
                *time = Some(ticks * self.period_ns * 1e-6);
            }
        }
        self.mapped.unmap();
        Ok(times)
    }
}
