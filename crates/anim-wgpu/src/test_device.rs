//! A device for unit tests: any adapter, the software one included. None is a failure, never a silent pass.

/// A device with WebGPU's default limits, and its queue.
pub(crate) fn device() -> (wgpu::Device, wgpu::Queue) {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::debugging();
    let instance = wgpu::Instance::new(descriptor);
    let adapter = pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()))
        .expect("a GPU adapter; `sudo apt-get install mesa-vulkan-drivers` installs a software one");
    pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor::default())).expect("a device")
}

/// The words of a storage buffer, copied by a shader: it needs no other usage.
pub(crate) fn words_of_storage(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    buffer: &wgpu::Buffer,
) -> Vec<u32> {
    const COPY: &str = "
        @group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @group(0) @binding(1) var<storage, read> source: array<u32>;
        @compute @workgroup_size(1)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) { words[id.x] = source[id.x]; }";
    let words = u32::try_from(buffer.size() / 4).expect("a small buffer");
    run(device, queue, COPY, buffer.as_entire_binding(), [words, 1], words)
}

/// Runs `main` of a shader over so many invocations; binding 0 gets the words, binding 1 is the source.
pub(crate) fn run(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    shader: &str,
    source: wgpu::BindingResource<'_>,
    invocations: [u32; 2],
    words: u32,
) -> Vec<u32> {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("test"),
        source: wgpu::ShaderSource::Wgsl(shader.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("test"),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("test"),
            size: u64::from(words) * 4,
            usage,
            mapped_at_creation: false,
        })
    };
    let found = buffer(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
    let mapped = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("test"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: found.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: source },
        ],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        pass.dispatch_workgroups(invocations[0], invocations[1], 1);
    }
    encoder.copy_buffer_to_buffer(&found, 0, &mapped, 0, found.size());
    queue.submit([encoder.finish()]);
    mapped.slice(..).map_async(wgpu::MapMode::Read, |result| result.expect("a buffer that can be mapped"));
    device.poll(wgpu::PollType::wait_indefinitely()).expect("a device that answers");
    let range = mapped.slice(..).get_mapped_range().expect("a mapped buffer");
    bytemuck::pod_collect_to_vec(&range[..])
}
