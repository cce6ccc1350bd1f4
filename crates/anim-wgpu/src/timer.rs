//! Where the compute passes write their times.

/// Four timestamps of a query set: start and end of culling (with attachments), start and end of the palette pass.
#[derive(Clone, Copy, Debug)]
pub struct PassTimer<'q> {
    /// A timestamp query set of the device.
    pub queries: &'q wgpu::QuerySet,
    /// The first of the four queries.
    pub first: u32,
}

impl<'q> PassTimer<'q> {
    pub(crate) fn writes(&self, pass: u32) -> wgpu::ComputePassTimestampWrites<'q> {
        wgpu::ComputePassTimestampWrites {
            query_set: self.queries,
            beginning_of_pass_write_index: Some(self.first + pass * 2),
            end_of_pass_write_index: Some(self.first + pass * 2 + 1),
        }
    }
}
