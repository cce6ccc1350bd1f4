// What an instance plays in a local set at the tick of the frame: clips to frames, fades to shares.

fn layer_moment(layer: GpuLayer, covers: f32, is_base: bool, now_tick: vec2<u32>) -> LayerMoment {
    let clip = 2u + (layer.clip_and_flags & LAYER_CLIP_MASK) * 2u;
    // First texel, intervals, step, first held word; then elements, records, frame table.
    let track = tables[clip];
    let place = frame_of(layer_position(layer, now_tick), track.y);
    var holds = track.z != 0u;
    if track.w != NONE {
        holds = holds || ((table_word(tables[0].z, track.w + place.frame / 32u) >> (place.frame % 32u)) & 1u) == 1u;
    }
    let more = tables[clip + 1u];
    var frames = vec2<u32>(place.frame, min(place.frame + 1u, track.y));
    if more.z != NONE {
        frames = vec2<u32>(fetch_frame(more.z, frames.x), fetch_frame(more.z, frames.y));
    }
    let mask = select((layer.clip_and_flags >> LAYER_MASK_SHIFT) & 0xffu, 0u, is_base);
    let texels = track.x + frames * more.x;
    return LayerMoment(texels.x, texels.y, share_of(place.blend, holds), covers, more.y, mask);
}

// All layers of an instance. The lowest in use is the base: it is what is left when nothing covers.
fn instance_moments(instance: u32, bones: u32, now_tick: vec2<u32>) -> array<LayerMoment, 3> {
    var moments: array<LayerMoment, 3>;
    var has_base = false;
    for (var number = 0u; number < LAYERS_MAX; number += 1u) {
        moments[number] = LayerMoment(0u, 0u, 0.0, 0.0, 0u, 0u);
        let layer = playback[instance].layers[number];
        if !layer_is_active(layer) {
            continue;
        }
        var covers = 1.0;
        if has_base {
            covers = layer_covers(layer, now_tick);
        }
        if covers > 0.0 {
            moments[number] = layer_moment(layer, covers, !has_base, now_tick);
        }
        has_base = true;
    }
    return moments;
}

// One bone of one instance.
fn blend_layers(instance: u32, bone: u32, bones: u32, now_tick: vec2<u32>) -> Rows {
    return blend_moments(instance_moments(instance, bones, now_tick), bone);
}
