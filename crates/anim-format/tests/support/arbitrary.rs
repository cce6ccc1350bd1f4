//! Arbitrary valid files.

use std::borrow::Cow;

use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::model::*;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::local::{LocalClip, LocalPose, STILL, bake_local};
use super::{ClipSource, bake, bounds, empty, moved};

/// Any valid file, of at most a few kilobytes besides its pages.
pub fn anim_file() -> impl Strategy<Value = AnimFile<'static>> {
    (skeleton(), clips(), parts(), materials(), metadata(), local()).prop_map(
        |(skeleton, (encoding, clips), (semantics, shapes), (materials, images), metadata, local)| {
            let mut file = AnimFile { materials, images, metadata, ..skeleton };
            let bone_count = file.bones.len();
            let rows = clips.iter().map(|(clip, x)| {
                let frame = |f: usize| (0..bone_count).map(|b| moved(*x, f as f32, b as f32)).collect();
                ClipSource { frames: (0..clip.frames.len()).map(frame).collect(), ..clip.clone() }
            });
            bake(&mut file, encoding, 64, rows.collect());
            add_local(&mut file, &clips, local);
            add_mesh(&mut file, &semantics, &shapes);
            fit_metadata(&mut file);
            file
        },
    )
}

fn finite() -> impl Strategy<Value = f32> {
    use proptest::num::f32::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    POSITIVE | NEGATIVE | NORMAL | SUBNORMAL | ZERO
}

fn rows() -> impl Strategy<Value = Rows> {
    prop::array::uniform3(prop::array::uniform4(finite()))
}

fn skeleton() -> impl Strategy<Value = AnimFile<'static>> {
    let node =
        (any::<String>(), any::<Index>(), prop::array::uniform3(finite()), any::<u32>(), any::<bool>());
    let levels = prop::collection::vec(prop::collection::vec(node, 1..4), 0..4);
    let bones = prop::collection::vec((any::<Index>(), rows(), any::<bool>()), 0..5);
    let hashes = select(vec![
        vec![],
        vec![HashOf::Source],
        vec![HashOf::Source, HashOf::ClipFile, HashOf::ClipFile, HashOf::Settings, HashOf::Topology],
    ]);
    (levels, bones, any::<bool>(), any::<String>(), rows(), hashes, any::<[u8; 32]>()).prop_map(
        |(levels, bones, static_bone, attachment, matrix, hashes, sha256)| {
            let mut file = empty();
            file.constant_pool = matrix.to_vec();
            let mut above = 0..0;
            for (depth, level) in levels.into_iter().enumerate() {
                let first = file.nodes.len();
                for (name, parent, numbers, source_node, sheared) in level {
                    file.nodes.push(Node {
                        name: Cow::Owned(name),
                        parent: (depth > 0).then(|| (above.start + parent.index(above.len())) as u32),
                        depth: depth as u32,
                        source_node,
                        rest_translation: numbers,
                        rest_rotation: [0.6, 0.0, -0.8, 0.0],
                        rest_scale: [numbers[2], -1.0, 0.0],
                        rest_matrix_in_pool: sheared.then_some(0),
                    });
                }
                above = first..file.nodes.len();
            }
            if !file.nodes.is_empty() {
                for (node, bind, plain) in bones {
                    let bone_from_bind = if plain { IDENTITY_ROWS } else { bind };
                    file.bones.push(Bone { node: Some(node.index(file.nodes.len()) as u32), bone_from_bind });
                }
            }
            let plain = file.bones.iter().position(|bone| bone.bone_from_bind == IDENTITY_ROWS);
            if let Some(bone) = plain {
                file.attachments.push(Attachment {
                    name: Cow::Owned(format!("at {attachment}")),
                    node: file.bones[bone].node.unwrap(),
                    node_from_attachment: matrix,
                    bone: bone as u32,
                });
            }
            if static_bone {
                file.bones.push(Bone { node: None, bone_from_bind: IDENTITY_ROWS });
            }
            file.hashes = hashes.into_iter().map(|of| SourceHash { of, sha256 }).collect();
            file
        },
    )
}

/// Clips whose frames are still empty, and a number to fill them with.
fn clips() -> impl Strategy<Value = (Encoding, Vec<(ClipSource, f32)>)> {
    let clip = (
        any::<String>(),
        1..70usize,
        0.001..1e6f32,
        prop::option::of(1.0..240.0f32),
        select(vec![ClipMode::Loop, ClipMode::Once, ClipMode::PingPong]),
        select(vec![Interpolation::Linear, Interpolation::Step]),
        any::<Option<u32>>(),
        -60_000.0..60_000.0f32,
    );
    let encoding = select(vec![Encoding::Affine32, Encoding::Affine16]);
    (encoding, prop::collection::vec(clip, 0..5)).prop_map(|(encoding, clips)| {
        let numbered = clips.into_iter().enumerate();
        let clips = numbered.map(|(number, (name, frames, duration, rate, mode, interpolation, held, x))| {
            let held_frames = held.map_or(vec![], |held| {
                let mut words = vec![held; frames.div_ceil(32)];
                if frames % 32 != 0 {
                    *words.last_mut().unwrap() &= (1 << (frames % 32)) - 1;
                }
                words
            });
            let clip = ClipSource {
                name: format!("{number} {name}"),
                duration_seconds: if frames == 1 { 0.0 } else { duration },
                source_rate_hz: rate,
                mode,
                interpolation,
                frames: vec![vec![]; frames],
                held_frames,
            };
            (clip, x)
        });
        (encoding, clips.collect())
    })
}

/// Encodings of local page sets, how far frames differ, the fade overshoot, and masks.
type Local = (Vec<Encoding>, u32, f32, Vec<(String, u32)>);

fn local() -> impl Strategy<Value = Local> {
    let encodings = prop::sample::subsequence(vec![Encoding::Local8, Encoding::Local32], 0..=2);
    let masks = prop::collection::vec(any::<(String, u32)>(), 0..3);
    (encodings, 1..9u32, 0.0..1e30f32, masks)
}

fn add_local(
    file: &mut AnimFile<'static>,
    clips: &[(ClipSource, f32)],
    (encodings, step, overshoot, masks): Local,
) {
    let node_count = file.nodes.len();
    let pose = |x: f32, frame: usize| -> Vec<LocalPose> {
        // Frames repeat, so that some are stored once; node 0 does nothing, and others move in different ways.
        let f = (frame as u32 % step) as f32;
        let node = |node: usize| {
            let turn = if node % 2 == 1 && frame % 2 == 1 { [0.6, 0.0, -0.8, 0.0] } else { STILL.0 };
            let translation = if node % 3 == 1 { [x, f, -x * f] } else { [x, 0.0, 1.0] };
            (turn, translation, if node > 4 { [1.0, f, -2.0] } else { [1.0; 3] })
        };
        (0..node_count).map(node).collect()
    };
    let clips = clips.iter().map(|(clip, x)| {
        let frames = 0..clip.frames.len();
        LocalClip { clip: clip.clone(), poses: frames.map(|frame| pose(*x, frame)).collect() }
    });
    let clips: Vec<LocalClip> = clips.collect();
    for encoding in encodings.into_iter().filter(|_| !clips.is_empty()) {
        bake_local(file, encoding, clips.clone());
    }
    file.extent.fade_overshoot_metres = overshoot;
    let used_bits = u32::MAX >> (32 - node_count.clamp(1, 32));
    let masks = masks.into_iter().enumerate().map(|(number, (name, word))| Mask {
        name: Cow::Owned(format!("{number} {name}")),
        words: vec![word & used_bits; node_count.div_ceil(32)],
    });
    file.masks = masks.collect();
}

type PartShape = (String, u32, Vec<(Index, Index, Index)>, [bool; 5], f32);

/// Attributes besides those that every mesh has, and what each part has; no attributes: no mesh.
fn parts() -> impl Strategy<Value = (Option<Vec<VertexSemantic>>, Vec<PartShape>)> {
    use VertexSemantic::{Color, Normal, Tangent, Uv};
    let semantics = prop::sample::subsequence(vec![Normal, Tangent, Uv, Color], 0..=4);
    let triangles = prop::collection::vec((any::<Index>(), any::<Index>(), any::<Index>()), 0..4);
    let part = (any::<String>(), 1..5u32, triangles, any::<[bool; 5]>(), finite());
    (prop::option::of(semantics), prop::collection::vec(part, 0..4))
}

fn add_mesh(file: &mut AnimFile<'static>, semantics: &Option<Vec<VertexSemantic>>, shapes: &[PartShape]) {
    // A vertex needs a bone, and a part a material.
    if file.bones.is_empty() || file.materials.is_empty() {
        return;
    }
    let (mut vertex_count, mut indices) = (0, Vec::<u32>::new());
    for (name, vertices, triangles, flags, number) in shapes {
        let first_index = indices.len() as u32;
        for corner in triangles.iter().flat_map(|(a, b, c)| [a, b, c]) {
            indices.push(vertex_count + corner.index(*vertices as usize) as u32);
        }
        let [rigid, normals_computed, double_sided, morphs_lost, not_triangles] = *flags;
        file.parts.push(Part {
            name: Cow::Owned(name.clone()),
            material: vertices % file.materials.len() as u32,
            lods: vec![Lod {
                first_index,
                index_count: indices.len() as u32 - first_index,
                threshold: *number,
            }],
            bounds: bounds(),
            source_node: vertex_count,
            source_mesh: 1,
            source_primitive: 2,
            first_vertex: vertex_count,
            vertex_count: *vertices,
            source_vertex_count: vertices - 1,
            flags: PartFlags { rigid, normals_computed, double_sided, morphs_lost, not_triangles },
        });
        vertex_count += vertices;
    }
    let Some(semantics) = semantics else { return };
    let mut attributes = Vec::new();
    let mut offset_bytes = 0;
    let needed = [VertexSemantic::Position, VertexSemantic::Bones, VertexSemantic::Weights];
    for semantic in needed.into_iter().chain(semantics.iter().copied()) {
        attributes.push(VertexAttribute { semantic, offset_bytes });
        offset_bytes += semantic.bytes();
    }
    let mut vertices = Vec::new();
    for vertex in 0..vertex_count {
        vertices.extend([vertex as f32, -1.0, 0.5].iter().flat_map(|v| v.to_le_bytes()));
        let bone = (vertex as usize % file.bones.len()) as u16;
        vertices.extend([bone, 0, 0, 0].iter().flat_map(|v| v.to_le_bytes()));
        vertices.extend([1.0f32, 0.0, 0.0, 0.0].iter().flat_map(|v| v.to_le_bytes()));
        vertices.resize((vertex as usize + 1) * offset_bytes as usize, 0xab);
    }
    file.mesh = Some(Mesh {
        stride_bytes: offset_bytes,
        attributes,
        vertices: Cow::Owned(vertices),
        indices: Cow::Owned(indices.iter().flat_map(|v| v.to_le_bytes()).collect()),
    });
}

fn materials() -> impl Strategy<Value = (Vec<Material<'static>>, Vec<Image<'static>>)> {
    let image = (any::<String>(), any::<bool>(), any::<Vec<u8>>());
    let material = (
        any::<String>(),
        prop::array::uniform4(finite()),
        any::<Option<Index>>(),
        select(vec![Alpha::Opaque, Alpha::Mask { cutoff: 0.25 }, Alpha::Blend]),
        any::<[bool; 3]>(),
        select(vec![(Wrap::Repeat, Wrap::Clamp), (Wrap::Mirror, Wrap::Repeat)]),
    );
    (prop::collection::vec(material, 0..3), prop::collection::vec(image, 0..3)).prop_map(
        |(materials, images)| {
            let image_count = images.len();
            let material =
                |(name, base_color, image, alpha, bits, (wrap_u, wrap_v)): (_, _, Option<Index>, _, _, _)| {
                    let [double_sided, mag_nearest, min_nearest]: [bool; 3] = bits;
                    Material {
                        name: Cow::Owned(name),
                        base_color,
                        image: image.filter(|_| image_count > 0).map(|image| image.index(image_count) as u32),
                        sampler: Sampler { wrap_u, wrap_v, mag_nearest, min_nearest },
                        alpha,
                        double_sided,
                    }
                };
            let image = |(name, png, bytes)| Image {
                name: Cow::Owned(name),
                format: if png { ImageFormat::Png } else { ImageFormat::Jpeg },
                bytes: Cow::Owned(bytes),
            };
            (materials.into_iter().map(material).collect(), images.into_iter().map(image).collect())
        },
    )
}

fn metadata() -> impl Strategy<Value = Option<Metadata>> {
    let strings = prop::collection::vec(any::<String>(), 0..3);
    let settings = prop::collection::vec(any::<(String, String)>(), 0..3);
    let worst = prop::option::of((any::<[u32; 4]>(), -1e9..1e9f64));
    let metadata =
        (any::<String>(), strings, settings, prop::array::uniform8(0.0..1e9f64), any::<u64>(), worst);
    prop::option::of(metadata.prop_map(|(generator, source_names, settings, numbers, samples, worst)| {
        let [a, b, c, d, e, f, g, h] = numbers;
        let figures = ErrorFigures {
            max_metres: a,
            p999_metres: b,
            mean_metres: c,
            rms_metres: c,
            normal_max_degrees: d,
            worst: worst.map(|([clip, bone, part, vertex], time_seconds)| Worst {
                clip,
                bone,
                part,
                vertex,
                time_seconds,
            }),
            samples,
        };
        let accuracy = Accuracy {
            model_size_metres: e,
            playback: figures,
            clips: vec![figures],
            left_out_max_metres: f,
            left_out_intervals: samples as u32,
            largest_shift_seconds: g,
            total_max_metres: h,
            exhaustive: samples % 2 == 0,
            ..Accuracy::default()
        };
        Metadata { generator, source_names, settings, accuracy: vec![accuracy] }
    }))
}

/// Makes the numbers of records in the metadata fit the rest of the file.
fn fit_metadata(file: &mut AnimFile<'static>) {
    let counts = [file.clips.len(), file.bones.len(), file.parts.len()].map(|count| count as u32);
    let page_sets = file.page_sets.len();
    let Some(metadata) = &mut file.metadata else { return };
    let fit = |figures: &mut ErrorFigures| match &mut figures.worst {
        Some(worst) if counts.iter().all(|count| *count > 0) => {
            worst.clip %= counts[0];
            worst.bone %= counts[1];
            worst.part %= counts[2];
        }
        worst => *worst = None,
    };
    let mut report = metadata.accuracy.swap_remove(0);
    fit(&mut report.playback);
    report.clips = vec![report.playback; counts[0] as usize];
    metadata.accuracy = vec![report; page_sets];
}
