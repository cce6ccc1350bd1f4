//! A GPU for tests: any adapter, the software one included. None is a failure, never a silent pass.

/// A device with WebGPU's default limits, and its queue. Validation errors panic with their text.
///
/// # Panics
///
/// If there is no adapter: the message says how to get one.
#[must_use]
pub fn device() -> (wgpu::Device, wgpu::Queue) {
    device_with_limits(wgpu::Limits::default())
}

/// The same with other limits.
///
/// # Panics
///
/// If there is no adapter, or it does not have these limits.
#[must_use]
pub fn device_with_limits(required_limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::debugging();
    let instance = wgpu::Instance::new(descriptor);
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
        .unwrap_or_else(|error| {
            panic!(
                "no GPU adapter ({error}); a software one does: `cargo xtask test` installs it on Debian-like machines \
                 where it may, else `sudo apt-get install mesa-vulkan-drivers`"
            )
        });
    let device = wgpu::DeviceDescriptor { required_limits, ..wgpu::DeviceDescriptor::default() };
    pollster::block_on(adapter.request_device(&device)).expect("a device with these limits")
}

/// A storage buffer that holds these values.
///
/// # Panics
///
/// Never.
#[must_use]
pub fn storage_buffer<T: bytemuck::NoUninit>(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    values: &[T],
) -> wgpu::Buffer {
    let bytes: &[u8] = bytemuck::cast_slice(values);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("test input"),
        size: (bytes.len() as u64).max(16),
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// Reads a buffer back after everything submitted so far has run.
///
/// # Panics
///
/// If the buffer cannot be mapped.
#[must_use]
pub fn read_back<T: bytemuck::Pod>(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    buffer: &wgpu::Buffer,
) -> Vec<T> {
    let copy = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: buffer.size(),
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
    queue.submit([encoder.finish()]);
    copy.slice(..).map_async(wgpu::MapMode::Read, |result| result.expect("a buffer that can be mapped"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("a device that answers");
    let mapped = copy.slice(..).get_mapped_range().expect("a mapped buffer");
    bytemuck::pod_collect_to_vec::<u8, T>(&mapped)
}
