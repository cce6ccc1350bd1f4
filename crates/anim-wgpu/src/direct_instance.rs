//! What the direct path's vertex shader gets for an instance, and how it is worked out on the CPU.
//!
//! The direct path is for devices without compute or storage buffers. There the CPU chooses the frames and their weights
//! once an instance and frame, and the vertex shader only sums texels.

use anim_core::clip_time::{Interpolation, blend_of};
use anim_core::clock::frame_pair_of;
use anim_core::layers::{GpuLayer, LAYERS_MAX, LayerMoment, layers_at};
use bytemuck::{Pod, Zeroable};

use crate::gpu_types::ClipTrack;

/// Texels of a bone in a rows page set.
const ROWS: u32 = 3;

/// Two frames of a clip and their shares of the pose: 16 bytes, a `vec4<u32>` in the shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DirectLayer {
    /// First texel of bone 0 in the frame before the clip's position, counted over all pages of the set.
    pub texel_a: u32,
    /// The same in the frame after it.
    pub texel_b: u32,
    /// Share of the pose that the frame before has, in `[0, 1]`. The shares of all frames of all layers sum to 1.
    pub weight_a: f32,
    /// Share of the pose that the frame after has.
    pub weight_b: f32,
}

/// An instance of the direct path: 128 bytes, read as eight instance attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct DirectInstance {
    /// Rows of the matrix that places the instance in the world.
    pub world_from_model: [[f32; 4]; 3],
    /// What it plays at this moment.
    pub layers: [DirectLayer; LAYERS_MAX],
    /// Linear colour that the material's is multiplied with.
    pub color: [f32; 4],
    /// The program's own number, the instance's number, and room.
    pub user_data: [u32; 4],
}

// WebGL2 allows a stride of 255 bytes.
const _: () = assert!(size_of::<DirectLayer>() == 16 && size_of::<DirectInstance>() == 128);

impl DirectInstance {
    /// Vertex attributes of an instance: a `vec4` each, in the order of the fields.
    pub const ATTRIBUTES: u32 = 8;

    /// The attributes at `first_location` and the locations after it.
    #[must_use]
    pub const fn attributes(first_location: u32) -> [wgpu::VertexAttribute; Self::ATTRIBUTES as usize] {
        use wgpu::VertexFormat::{Float32x4, Uint32x4};
        const FORMATS: [wgpu::VertexFormat; DirectInstance::ATTRIBUTES as usize] =
            [Float32x4, Float32x4, Float32x4, Uint32x4, Uint32x4, Uint32x4, Float32x4, Uint32x4];
        let mut attributes = [wgpu::VertexAttribute { format: Float32x4, offset: 0, shader_location: 0 };
            Self::ATTRIBUTES as usize];
        let mut number = 0;
        while number < Self::ATTRIBUTES {
            attributes[number as usize] = wgpu::VertexAttribute {
                format: FORMATS[number as usize],
                offset: number as u64 * 16,
                shader_location: first_location + number,
            };
            number += 1;
        }
        attributes
    }
}

/// What an instance that plays these layers shows at a tick, in texels and weights: the CPU's half of the direct path.
///
/// `clips` and `held` are the tables of the page set ([`crate::FilePages::clips`], [`crate::FilePages::held_frames`]).
/// A layer that is not in use, or names a clip that the table lacks, is all zeros.
#[must_use]
pub fn direct_layers(
    clips: &[ClipTrack],
    held: &[u32],
    bones: u32,
    layers: &[GpuLayer; LAYERS_MAX],
    now_tick: u64,
) -> [DirectLayer; LAYERS_MAX] {
    layers_at(layers, now_tick).map(|moment| match clips.get(moment.clip as usize) {
        Some(track) if moment.weight > 0.0 => direct_layer(track, held, bones, &moment),
        _ => DirectLayer::default(),
    })
}

fn direct_layer(track: &ClipTrack, held: &[u32], bones: u32, moment: &LayerMoment) -> DirectLayer {
    let pair = frame_pair_of(moment.position, track.intervals);
    let interpolation = match track.step_interpolation {
        0 => Interpolation::Linear,
        _ => Interpolation::Step,
    };
    let blend = blend_of(pair, interpolation, is_held(track, held, pair.a));
    let frame_texels = bones.wrapping_mul(ROWS);
    let texel = |frame: u32| track.first_texel.wrapping_add(frame.wrapping_mul(frame_texels));
    DirectLayer {
        texel_a: texel(pair.a),
        texel_b: texel(pair.b),
        weight_a: moment.weight * (1.0 - blend),
        weight_b: moment.weight * blend,
    }
}

/// Whether the interval that starts at `frame` holds that frame.
fn is_held(track: &ClipTrack, held: &[u32], frame: u32) -> bool {
    let word = u64::from(track.held_word) + u64::from(frame / 32);
    let word = usize::try_from(word).ok().and_then(|word| held.get(word));
    track.held_word != u32::MAX && word.is_some_and(|word| word >> (frame % 32) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use anim_core::clip_time::ClipMode;
    use anim_core::clock::{ClipStart, CycleRate, TICKS_PER_SECOND};
    use anim_core::encoding::decode_rows;
    use anim_core::layers::Layer;
    use anim_format::AnimFile;
    use anim_format::model::{Bone, Bounds, Clip, Content, Encoding, PageSet, Rows, TexelFormat, Track};
    use anim_format::playback::{palette_of_layers, rows_encoding};

    use super::*;
    use crate::clip_tables::ClipTables;

    const BONES: u32 = 5;
    const PAGE_WIDTH: u32 = 64;
    const PAGE_HEIGHT: u32 = 16;

    /// Clip `number` starts page `number`, behind a gap.
    fn clip(number: u32, frames: u32, interpolation: Interpolation, held_frames: Vec<u32>) -> Clip<'static> {
        let track = Track {
            page_set: 0,
            page: number,
            first_texel: 10 * number,
            header_texels: number,
            frames,
            intervals: frames - 1,
            stored_frames: frames,
            elements_per_frame: BONES,
            texels_per_element: ROWS,
            first_record: None,
            interpolation,
            held_frames,
        };
        Clip {
            name: format!("clip {number}").into(),
            duration_seconds: (frames - 1) as f32 / 30.0,
            start_seconds: 0.0,
            source_rate_hz: None,
            mode: ClipMode::Loop,
            bounds: Bounds::default(),
            loop_gap_metres: 0.0,
            tracks: vec![track],
        }
    }

    /// A file of four clips: linear, step, with held frames beyond the first word, and a pose. All texels differ.
    fn file() -> AnimFile<'static> {
        let clips = vec![
            clip(0, 20, Interpolation::Linear, vec![]),
            clip(1, 7, Interpolation::Step, vec![]),
            clip(2, 40, Interpolation::Linear, vec![0b1010, 0b11]),
            clip(3, 1, Interpolation::Linear, vec![]),
        ];
        let numbers = PAGE_WIDTH * PAGE_HEIGHT * 4;
        let page = |page: u32| -> Vec<u8> {
            let value = |number: u32| ((page * numbers + number) * 7919 % 1009) as f32 / 1009.0 - 0.5;
            (0..numbers).flat_map(|number| value(number).to_le_bytes()).collect()
        };
        let set = PageSet {
            content: Content::Rows,
            encoding: Encoding::Affine32,
            texel_format: TexelFormat::Rgba32Float,
            width: PAGE_WIDTH,
            height: PAGE_HEIGHT,
            pages: (0..4).map(|number| page(number).into()).collect(),
        };
        let bone = Bone { node: None, bone_from_bind: [[0.0; 4]; 3] };
        AnimFile { bones: vec![bone; BONES as usize], clips, page_sets: vec![set], ..AnimFile::default() }
    }

    /// What the shader does with the layers.
    fn rows_of(layers: &[DirectLayer; LAYERS_MAX], bytes: &[u8], bone: u32) -> Rows {
        let encoding = rows_encoding(Encoding::Affine32).unwrap();
        let mut sum = [[0.0; 4]; 3];
        for layer in layers.iter().rev() {
            for (texel, weight) in [(layer.texel_a, layer.weight_a), (layer.texel_b, layer.weight_b)] {
                let start = (texel + bone * ROWS) as usize * encoding.texel_bytes();
                let rows = decode_rows(&bytes[start..start + encoding.bone_bytes()], encoding);
                for (sum, value) in sum.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
                    *sum += value * weight;
                }
            }
        }
        sum
    }

    #[test]
    fn texels_and_weights_give_the_palette_of_the_cpu_player() {
        let file = file();
        let set = &file.page_sets[0];
        let bytes: Vec<u8> = set.pages.iter().flat_map(|page| page.iter().copied()).collect();
        let tables = ClipTables::of(&file, set, 0);
        let layer = |clip: u32, mode, speed: f32, fade_tick, fade_ticks| {
            let rate = CycleRate::new(speed, file.clips[clip as usize].duration_seconds);
            let start = ClipStart { start_tick: 0, phase: clip << 29, returning: false, rate };
            Layer { clip, mode, start, mask: None, fade_tick, fade_ticks, leaving: false }.pack()
        };
        let none = GpuLayer::default();
        let second = u64::from(TICKS_PER_SECOND);
        let stacks = [
            [layer(0, ClipMode::Loop, 1.0, 0, 0), none, none],
            [layer(2, ClipMode::PingPong, -0.7, 0, 0), none, layer(1, ClipMode::Loop, 1.0, second, 70_000)],
            [
                layer(3, ClipMode::Loop, 1.0, 0, 0),
                layer(0, ClipMode::Once, 0.9, second / 2, 100_000),
                layer(2, ClipMode::Once, 1.3, second, 90_000),
            ],
        ];
        let mut expected = vec![[[0.0; 4]; 3]; BONES as usize];
        let mut checked = 0;
        for layers in &stacks {
            for now_tick in (0..4 * second).step_by(997) {
                palette_of_layers(&file, layers, now_tick, &mut expected);
                let found = direct_layers(&tables.clips, &tables.held, BONES, layers, now_tick);
                let sum: f32 = found.iter().map(|layer| layer.weight_a + layer.weight_b).sum();
                assert!((sum - 1.0).abs() < 1e-6, "{found:?}");
                for (bone, expected) in (0..).zip(&expected) {
                    let rows = rows_of(&found, &bytes, bone);
                    for (found, expected) in rows.as_flattened().iter().zip(expected.as_flattened()) {
                        assert!(
                            (found - expected).abs() < 1e-6,
                            "{found} instead of {expected} at {now_tick}"
                        );
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked > 40_000, "{checked}");
    }

    #[test]
    fn layers_that_show_nothing_are_all_zeros() {
        let clips = [ClipTrack { first_texel: 9, held_word: u32::MAX, ..ClipTrack::default() }];
        let layer = |clip, fade_tick| Layer {
            clip,
            mode: ClipMode::Loop,
            start: ClipStart::default(),
            mask: None,
            fade_tick,
            fade_ticks: 1,
            leaving: false,
        };
        let shown = DirectLayer { texel_a: 9, texel_b: 9, weight_a: 1.0, weight_b: 0.0 };
        let nothing = DirectLayer::default();
        let found = direct_layers(
            &clips,
            &[],
            2,
            &[layer(0, 0).pack(), layer(0, 50).pack(), GpuLayer::default()],
            10,
        );
        assert_eq!(found, [shown, nothing, nothing]);
        // A clip that the table lacks.
        assert_eq!(
            direct_layers(&clips, &[], 2, &[layer(1, 0).pack(); LAYERS_MAX], 10),
            [nothing; LAYERS_MAX]
        );
    }

    #[test]
    fn attributes_are_where_the_fields_are() {
        let attributes = DirectInstance::attributes(7);
        let offsets = [
            std::mem::offset_of!(DirectInstance, world_from_model),
            std::mem::offset_of!(DirectInstance, layers),
            std::mem::offset_of!(DirectInstance, color),
            std::mem::offset_of!(DirectInstance, user_data),
        ];
        assert_eq!([0, 3, 6, 7].map(|number| attributes[number].offset), offsets.map(|offset| offset as u64));
        assert_eq!(attributes.map(|attribute| attribute.shader_location), [7, 8, 9, 10, 11, 12, 13, 14]);
    }
}
