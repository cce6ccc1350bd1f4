// The floor: the mesh as it is stored, moved by the instance's transform and nothing else.

@vertex
fn bench_vertex(@location(0) packed: vec4<u32>, instance: BenchInstance) -> BenchVarying {
    let vertex = unpack_vertex(packed, scene.box_min, scene.box_size);
    return placed(vertex.position, vertex.normal, instance);
}
