// One bone of one instance from the pages of a rows set: decode, interpolate, blend.

// A clip's rows track. `first_texel` counts over all pages of the set; NONE as `held_word` is "no interval is held".
struct ClipTrack {
    first_texel: u32,
    intervals: u32,
    step_interpolation: u32,
    held_word: u32,
}

@group(0) @binding(11) var<storage, read> clips: array<ClipTrack>;
@group(0) @binding(13) var<storage, read> held: array<u32>;

fn blend_of(track: ClipTrack, place: FramePlace) -> f32 {
    var holds = track.step_interpolation != 0u;
    if track.held_word != NONE {
        holds = holds || ((held[track.held_word + place.frame / 32u] >> (place.frame % 32u)) & 1u) == 1u;
    }
    return share_of(place.blend, holds);
}

// A layer at the tick of the frame: the same for all bones of an instance.
struct LayerMoment {
    // First texel of bone 0 in the frame before the clip's position, and texels from there to the next frame.
    texel: u32,
    to_next: u32,
    // Share of the next frame.
    share: f32,
    // Share of the pose; 0 for a layer that is not seen.
    weight: f32,
}

// All layers of an instance, by their shares: the top one first, each covering what is below it. Masks are not looked at:
// a row is the product of a whole chain of nodes.
fn instance_moments(instance: u32, bones: u32, now_tick: vec2<u32>) -> array<LayerMoment, 3> {
    var moments: array<LayerMoment, 3>;
    var uncovered = 1.0;
    for (var i = 0u; i < LAYERS_MAX; i += 1u) {
        let number = LAYERS_MAX - 1u - i;
        moments[number] = LayerMoment(0u, 0u, 0.0, 0.0);
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
            let to_next = select(3u * bones, 0u, track.intervals == 0u);
            let texel = track.first_texel + place.frame * bones * 3u;
            moments[number] = LayerMoment(texel, to_next, blend_of(track, place), weight);
        }
    }
    return moments;
}

// Decodes one layer of one bone: the two frames next to its position, mixed.
fn decode_layer(moment: LayerMoment, bone: u32) -> Rows {
    let texel = moment.texel + bone * 3u;
    let next = texel + moment.to_next;
    let keep = 1.0 - moment.share;
    return Rows(
        fetch_texel(texel) * keep + fetch_texel(next) * moment.share,
        fetch_texel(texel + 1u) * keep + fetch_texel(next + 1u) * moment.share,
        fetch_texel(texel + 2u) * keep + fetch_texel(next + 2u) * moment.share,
    );
}

fn add_layer(sum: Rows, moment: LayerMoment, bone: u32) -> Rows {
    if moment.weight == 0.0 {
        return sum;
    }
    return rows_add_scaled(sum, decode_layer(moment, bone), moment.weight);
}

// One bone: all layers.
fn blend_moments(moments: array<LayerMoment, 3>, bone: u32) -> Rows {
    var sum = Rows(vec4<f32>(), vec4<f32>(), vec4<f32>());
    sum = add_layer(sum, moments[2], bone);
    sum = add_layer(sum, moments[1], bone);
    return add_layer(sum, moments[0], bone);
}

// One bone of one instance.
fn blend_layers(instance: u32, bone: u32, bones: u32, now_tick: vec2<u32>) -> Rows {
    return blend_moments(instance_moments(instance, bones, now_tick), bone);
}
