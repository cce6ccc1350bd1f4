//! `unpack_vertex` on a real adapter against its CPU twin, for every vertex of the samples, in both forms.

use anim_bake::{BakeSettings, bake_import};
use anim_core::vertex_packing::{
    order_influences, pack_normal, pack_position, pack_weights, unpack_normal, unpack_position,
    unpack_weights,
};
use anim_core::vertex_words::BindVertex;
use anim_format::AnimFile;
use anim_format::vertices::VertexReader;
use anim_tests::{gpu, models};
use anim_wgpu::{VertexStreams, pack_vertices, vertex_unpack_shader};
use bytemuck::{Pod, Zeroable};

const NARROW: &str = "
fn vertex_of(index: u32) -> AnimBindVertex {
    let w = index * 4u;
    let packed = vec4<u32>(pose[w], pose[w + 1u], pose[w + 2u], pose[w + 3u]);
    return unpack_vertex(packed, packed_box[0].xyz, packed_box[1].xyz);
}";

const WIDE: &str = "
fn vertex_of(index: u32) -> AnimBindVertex {
    let w = index * 6u;
    let packed = vec4<u32>(pose[w], pose[w + 1u], pose[w + 2u], pose[w + 3u]);
    return unpack_vertex_wide(packed, pose[w + 4u], packed_box[0].xyz, packed_box[1].xyz);
}";

const MAIN: &str = "
@group(0) @binding(0) var<storage, read> packed_box: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> pose: array<u32>;
@group(0) @binding(2) var<storage, read_write> vertices: array<AnimBindVertex>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&vertices) {
        vertices[id.x] = vertex_of(id.x);
    }
}";

/// `AnimBindVertex` in a storage buffer.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuVertex {
    position: [f32; 4],
    normal: [f32; 4],
    bones: [u32; 4],
    weights: [f32; 4],
}

fn unpacked_on_the_gpu(streams: &VertexStreams) -> Vec<GpuVertex> {
    let (device, queue) = gpu::device();
    let source = [vertex_unpack_shader(), if streams.wide { WIDE } else { NARROW }, MAIN].join("\n");
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("test"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("test"),
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let corner = |v: [f32; 3]| [v[0], v[1], v[2], 0.0];
    let packed_box =
        gpu::storage_buffer(&device, &queue, &[corner(streams.box_min), corner(streams.box_size)]);
    let pose = gpu::storage_buffer(&device, &queue, &streams.pose);
    let vertices = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("test output"),
        size: (streams.surface.len() * size_of::<GpuVertex>()) as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some("test"),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[
            wgpu::BindGroupEntry { binding: 0, resource: packed_box.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 1, resource: pose.as_entire_binding() },
            wgpu::BindGroupEntry { binding: 2, resource: vertices.as_entire_binding() },
        ],
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bind_group, &[]);
        let groups = streams.surface.len().div_ceil(64);
        pass.dispatch_workgroups(u32::try_from(groups).expect("a sample is small"), 1, 1);
    }
    queue.submit([encoder.finish()]);
    gpu::read_back(&device, &queue, &vertices)
}

/// What packing keeps of every vertex of a file.
fn expected(file: &AnimFile<'_>) -> Vec<BindVertex> {
    let reader = VertexReader::new(file.mesh.as_ref().expect("a mesh"));
    let (low, high) = (file.extent.vertex_box_min, file.extent.vertex_box_max);
    let vertex = |index| {
        let (bones, weights) = order_influences(reader.bones(index), reader.weights(index));
        BindVertex {
            position: unpack_position(pack_position(reader.position(index), low, high), low, high),
            normal: unpack_normal(pack_normal(reader.normal(index))),
            bones,
            weights: unpack_weights(pack_weights(weights)),
        }
    };
    (0..reader.vertex_count()).map(vertex).collect()
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Compares every vertex; returns how many there are.
fn check(file: &AnimFile<'_>, wide: bool, name: &str) -> usize {
    let streams = pack_vertices(file);
    assert_eq!(streams.wide, wide, "{name}");
    let (found, expected) = (unpacked_on_the_gpu(&streams), expected(file));
    assert_eq!(found.len(), expected.len(), "{name}");
    for (index, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let off = distance(&found.position[..3], &expected.position) / file.extent.model_size_metres;
        assert!(off < 1e-6, "{name} vertex {index}: position off by {off} of the model");
        let off = distance(&found.normal[..3], &expected.normal);
        assert!(off < 1e-3, "{name} vertex {index}: normal off by {off}");
        let off = distance(&found.weights, &expected.weights);
        assert!(off < 1e-6, "{name} vertex {index}: weights off by {off}");
        assert_eq!(found.bones, expected.bones.map(u32::from), "{name} vertex {index}");
    }
    found.len()
}

#[test]
fn vertices_of_the_samples_are_the_same_on_both_sides() {
    let mut checked = 0;
    for model in models::samples() {
        let import = models::import(&model);
        let mut file = bake_import(&import, &BakeSettings::default()).expect("a sample").file;
        let name = model.display().to_string();
        checked += check(&file, false, &name);
        // The same file with more bones than a byte counts.
        let last = *file.bones.last().expect("a bone");
        file.bones.resize(300, last);
        checked += check(&file, true, &name);
    }
    assert!(checked > 1000, "{checked} vertices");
}
