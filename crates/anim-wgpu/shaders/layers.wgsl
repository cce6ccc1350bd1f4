// What an instance plays at a tick: the twin of layers.rs in anim-core.

const LAYERS_MAX: u32 = 3u;
const LAYER_ACTIVE: u32 = 0x80000000u;
const LAYER_BACKWARDS: u32 = 0x40000000u;
const LAYER_RETURNING: u32 = 0x20000000u;
const LAYER_LEAVING: u32 = 0x10000000u;
const LAYER_MODE_SHIFT: u32 = 24u;
const LAYER_MASK_SHIFT: u32 = 16u;
const LAYER_CLIP_MASK: u32 = 0xffffu;

struct GpuLayer {
    clip_and_flags: u32,
    start_low: u32,
    high_halves: u32,
    start_phase: u32,
    rate_low: u32,
    rate_high: u32,
    fade_low: u32,
    fade_ticks: u32,
}

fn layer_is_active(layer: GpuLayer) -> bool {
    return (layer.clip_and_flags & LAYER_ACTIVE) != 0u;
}

fn layer_position(layer: GpuLayer, now_tick: vec2<u32>) -> ClipPosition {
    let start = ClipStart(
        vec2<u32>(layer.start_low, layer.high_halves & 0xffffu),
        layer.start_phase,
        (layer.clip_and_flags & LAYER_RETURNING) != 0u,
        vec2<u32>(layer.rate_low, layer.rate_high),
        (layer.clip_and_flags & LAYER_BACKWARDS) != 0u,
    );
    return clip_position(start, now_tick, (layer.clip_and_flags >> LAYER_MODE_SHIFT) & 3u);
}

// How much of the layers below it a layer covers, at the nodes that it moves.
fn layer_covers(layer: GpuLayer, now_tick: vec2<u32>) -> f32 {
    let fade_tick = vec2<u32>(layer.fade_low, layer.high_halves >> 16u);
    if (layer.clip_and_flags & LAYER_LEAVING) != 0u {
        return fade_left(fade_tick, layer.fade_ticks, now_tick);
    }
    return fade_passed(fade_tick, layer.fade_ticks, now_tick);
}
