// One bone of one instance from the pages of a rows set: decode, interpolate, blend.

struct InstancePlayback {
    layers: array<GpuLayer, 3>,
}

// A clip's rows track. `first_texel` counts over all pages of the set; NONE as `held_word` is "no interval is held".
struct ClipTrack {
    first_texel: u32,
    intervals: u32,
    step_interpolation: u32,
    held_word: u32,
}

const NONE: u32 = 0xffffffffu;

@group(0) @binding(10) var<storage, read> playback: array<InstancePlayback>;
@group(0) @binding(11) var<storage, read> clips: array<ClipTrack>;
@group(0) @binding(13) var<storage, read> held: array<u32>;

// The twin of blend_of in anim-core.
fn blend_of(track: ClipTrack, place: FramePlace) -> f32 {
    var holds = track.step_interpolation != 0u;
    if track.held_word != NONE {
        holds = holds || ((held[track.held_word + place.frame / 32u] >> (place.frame % 32u)) & 1u) == 1u;
    }
    return select(place.blend, select(0.0, 1.0, place.blend > 0.999), holds);
}

// One layer of one bone: the two frames next to its position, mixed.
fn decode_layer(track: ClipTrack, place: FramePlace, bone: u32, bones: u32) -> Rows {
    let texel = track.first_texel + (place.frame * bones + bone) * 3u;
    let next = texel + select(3u * bones, 0u, track.intervals == 0u);
    let share = blend_of(track, place);
    let keep = 1.0 - share;
    return Rows(
        fetch_texel(texel) * keep + fetch_texel(next) * share,
        fetch_texel(texel + 1u) * keep + fetch_texel(next + 1u) * share,
        fetch_texel(texel + 2u) * keep + fetch_texel(next + 2u) * share,
    );
}

// All layers of one bone, by their shares: the top one first, each covering what is below it.
fn blend_layers(instance: u32, bone: u32, bones: u32, now_tick: vec2<u32>) -> Rows {
    var sum = Rows(vec4<f32>(), vec4<f32>(), vec4<f32>());
    var uncovered = 1.0;
    for (var i = 0u; i < LAYERS_MAX; i += 1u) {
        let number = LAYERS_MAX - 1u - i;
        let layer = playback[instance].layers[number];
        if !layer_is_active(layer) {
            continue;
        }
        var covers = 1.0;
        if number > 0u {
            covers = layer_covers(layer, now_tick);
        }
        let weight = uncovered * covers;
        uncovered *= 1.0 - covers;
        if weight > 0.0 {
            let track = clips[layer.clip_and_flags & LAYER_CLIP_MASK];
            let place = frame_of(layer_position(layer, now_tick), track.intervals);
            sum = rows_add_scaled(sum, decode_layer(track, place, bone, bones), weight);
        }
    }
    return sum;
}
