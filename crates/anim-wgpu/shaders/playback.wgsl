// What every instance plays.

struct InstancePlayback {
    layers: array<GpuLayer, 3>,
}

@group(0) @binding(10) var<storage, read> playback: array<InstancePlayback>;

// The twin of blend_of in anim-core: the share of the later frame.
fn share_of(blend: f32, holds: bool) -> f32 {
    return select(blend, select(0.0, 1.0, blend > 0.999), holds);
}
