//! Buffers that grow, and the one way in which this crate makes them.

/// A buffer of at least 256 bytes: a binding cannot be smaller than one entry of what a shader reads.
pub(crate) fn create(
    device: &wgpu::Device,
    label: &str,
    bytes: u64,
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.max(256).next_multiple_of(4),
        usage,
        mapped_at_creation: false,
    })
}

/// A buffer that is made anew, larger, when it is too small. What it held is lost.
#[derive(Debug)]
pub(crate) struct Growing {
    buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl Growing {
    /// An empty one.
    pub(crate) fn new(device: &wgpu::Device, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        Self { buffer: create(device, label, 0, usage), label, usage }
    }

    /// The buffer of now.
    pub(crate) fn get(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Makes room; `true` if the buffer is another one now.
    pub(crate) fn ensure(&mut self, device: &wgpu::Device, bytes: u64) -> bool {
        if bytes <= self.buffer.size() {
            return false;
        }
        self.buffer = create(device, self.label, bytes, self.usage);
        true
    }

    /// As [`Self::ensure`], and what it held is copied.
    pub(crate) fn ensure_kept(
        &mut self,
        device: &wgpu::Device,
        encoder: &mut wgpu::CommandEncoder,
        bytes: u64,
    ) -> bool {
        if bytes <= self.buffer.size() {
            return false;
        }
        let larger = create(device, self.label, bytes, self.usage);
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &larger, 0, self.buffer.size());
        self.buffer = larger;
        true
    }
}
