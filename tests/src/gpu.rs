//! A GPU for tests: any adapter, the software one included. None is a failure, never a silent pass.

use std::mem::ManuallyDrop;

/// A device with WebGPU's default limits, and its queue: the same for everything that a thread asks for, since drivers give
/// only so many. Validation errors panic with their text.
///
/// # Panics
///
/// If there is no adapter: the message says how to get one.
#[must_use]
pub fn device() -> (wgpu::Device, wgpu::Queue) {
    thread_local! {
        // Never dropped: a driver may need thread-local state of its own for that, which is gone when this is.
        static DEVICE: ManuallyDrop<(wgpu::Device, wgpu::Queue)> =
            ManuallyDrop::new(device_with_limits(wgpu::Limits::default()));
    }
    DEVICE.with(|device| (**device).clone())
}

/// The same with other limits.
///
/// # Panics
///
/// If there is no adapter, or it does not have these limits.
#[must_use]
pub fn device_with_limits(required_limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    device_on(wgpu::Backends::PRIMARY, required_limits).unwrap_or_else(|error| {
        panic!(
            "no GPU adapter ({error}); a software one does: `cargo xtask test` installs it on Debian-like machines \
             where it may, else `sudo apt-get install mesa-vulkan-drivers`"
        )
    })
}

/// The same on a backend of these; an error if there is no adapter.
///
/// # Errors
///
/// If none of these backends has an adapter.
///
/// # Panics
///
/// If there is an adapter without these limits.
pub fn device_on(
    backends: wgpu::Backends,
    required_limits: wgpu::Limits,
) -> Result<(wgpu::Device, wgpu::Queue), wgpu::RequestAdapterError> {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::debugging();
    descriptor.backends = backends;
    let instance = wgpu::Instance::new(descriptor);
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))?;
    let device = wgpu::DeviceDescriptor { required_limits, ..wgpu::DeviceDescriptor::default() };
    Ok(pollster::block_on(adapter.request_device(&device)).expect("a device with these limits"))
}

/// A device of wgpu's OpenGL backend, which is what browsers without WebGPU get; `None` after saying so on standard
/// error if the machine has no OpenGL ES.
///
/// # Panics
///
/// If there is an adapter without these limits.
#[must_use]
#[expect(clippy::print_stderr, reason = "a test that checks less has to say so")]
pub fn gl_device(required_limits: wgpu::Limits) -> Option<(wgpu::Device, wgpu::Queue)> {
    device_on(wgpu::Backends::GL, required_limits)
        .inspect_err(|error| {
            eprintln!(
                "NOT CHECKED: no OpenGL adapter ({error}), so what WebGL2 does is not tested; on Debian-like machines: \
                 `sudo apt-get install libegl1 libgl1-mesa-dri`"
            );
        })
        .ok()
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
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// Copies all of a buffer to the start of another one.
pub fn copy(device: &wgpu::Device, queue: &wgpu::Queue, from: &wgpu::Buffer, to: &wgpu::Buffer) {
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
    queue.submit([encoder.finish()]);
}

/// Reads a texture of 16-byte texels back after everything submitted so far has run, row by row.
///
/// # Panics
///
/// If the texture cannot be copied or the copy cannot be mapped.
#[must_use]
pub fn read_back_texture<T: bytemuck::Pod>(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    texture: &wgpu::Texture,
) -> Vec<T> {
    let row_bytes = texture.width() * 16;
    assert!(
        row_bytes.is_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT),
        "a texture of multiples of 16 texels"
    );
    let copy = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: u64::from(row_bytes) * u64::from(texture.height()),
        usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    encoder.copy_texture_to_buffer(
        texture.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &copy,
            layout: wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(row_bytes),
                rows_per_image: None,
            },
        },
        texture.size(),
    );
    queue.submit([encoder.finish()]);
    read_back(device, queue, &copy)
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
