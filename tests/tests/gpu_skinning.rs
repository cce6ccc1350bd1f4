//! Skinned vertices as the draw path computes them, read back from the GPU, against the CPU player.
#![allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests count small things")]

use anim_bake::BakeSettings;
use anim_core::clock::{TICKS_PER_SECOND, ticks_from_seconds};
use anim_core::glam::DVec3;
use anim_core::matrix_rows::affine_from_rows;
use anim_core::skin_reference::{blend_influences, skin_normal, skin_position};
use anim_core::vertex_words::{BindVertex, unpack_vertex, unpack_vertex_wide};
use anim_format::AnimFile;
use anim_format::model::{Content, Encoding, Rows};
use anim_format::playback::{normal_rule, palette_of_layers, posed_vertices};
use anim_format::vertices::VertexReader;
use anim_tests::gpu;
use anim_tests::probe::Probe;
use anim_tests::random_layers::{NOW, Random};
use anim_tests::rigs::{self, Rig, narrow, share};
use anim_tests::stage::{ALL, Stage};
use anim_wgpu::{
    ClipMode, CrowdSettings, Instance, InstanceHandle, ModelSource, PalettePrecision, PlayOptions,
    pack_vertices,
};
use bytemuck::{Pod, Zeroable};

const INSTANCES: u32 = 24;

/// `AnimBindVertex` in a storage buffer.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct GpuVertex {
    position: [f32; 4],
    normal: [f32; 4],
    bones: [u32; 4],
    weights: [f32; 4],
}

/// The vertices of a file without any packing.
fn exact_vertices(file: &AnimFile<'_>) -> Vec<GpuVertex> {
    let reader = VertexReader::new(file.mesh.as_ref().expect("a mesh"));
    let wide = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
    (0..reader.vertex_count())
        .map(|index| GpuVertex {
            position: wide(reader.position(index)),
            normal: wide(reader.normal(index)),
            bones: reader.bones(index).map(u32::from),
            weights: reader.weights(index),
        })
        .collect()
}

/// What packing keeps of the vertices of a file, unpacked on the CPU.
fn packed_vertices(file: &AnimFile<'_>) -> Vec<BindVertex> {
    let streams = pack_vertices(file);
    let (low, high) = (file.extent.vertex_box_min, file.extent.vertex_box_max);
    let words = |w: &[u32]| [w[0], w[1], w[2], w[3]];
    if streams.wide {
        streams.pose.chunks(6).map(|w| unpack_vertex_wide(words(w), w[4], low, high)).collect()
    } else {
        streams.pose.chunks(4).map(|w| unpack_vertex(words(w), low, high)).collect()
    }
}

/// A crowd of instances that play up to three layers, started up to 29 days ago.
fn playing(
    file: &AnimFile<'_>,
    max_visible: u32,
    settings: &CrowdSettings,
    random: &mut Random,
) -> (Stage, Vec<InstanceHandle>) {
    let source = ModelSource { max_visible, ..ModelSource::new(file) };
    let mut stage = Stage::of_sources(&[source], settings);
    let crowd = &mut stage.crowd;
    let handles: Vec<InstanceHandle> =
        (0..INSTANCES).map(|_| crowd.add(&Instance::default()).expect("room")).collect();
    let now_seconds = NOW as f64 / f64::from(TICKS_PER_SECOND);
    for ago_max in [2.5e6, 3.0, 1.2] {
        for handle in &handles {
            crowd.update(now_seconds - share(random) * ago_max);
            let options = PlayOptions {
                speed: [1.0, 0.37, -1.0, 2.5, 0.0][random.below(5) as usize],
                phase: narrow(share(random)),
                mode: Some([ClipMode::Loop, ClipMode::Once, ClipMode::PingPong][random.below(3) as usize]),
                ..PlayOptions::new(random.below(file.clips.len() as u32), narrow(share(random) * 4.0))
            };
            crowd.play_with(*handle, &options).expect("a clip of the file");
        }
    }
    crowd.update(now_seconds);
    stage.prepare(&[ALL]);
    (stage, handles)
}

/// Model positions and normals of all vertices of all instances, out of the stream or out of `exact` vertices. The fourth
/// number of a position is 1 where a triangle uses the vertex.
fn drawn(stage: &Stage, vertices: usize, exact: Option<&wgpu::Buffer>) -> [Vec<[f32; 4]>; 2] {
    let (declared, bind) = match exact {
        Some(_) => {
            ("@group(1) @binding(0) var<storage, read> exact: array<AnimBindVertex>;", "exact[vertex_index]")
        }
        None => ("", "vertex"),
    };
    let body = format!(
        "{declared}
        fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {{
            let found = anim_skin({bind}, instance_index);
            let pixel = anim_instance(found.place) * {vertices}u + vertex_index;
            return Probed(pixel, vec4<f32>(found.model_position, 1.0), vec4<f32>(found.model_normal, 1.0));
        }}"
    );
    let probe = Probe { extra: exact, ..stage.probe() };
    probe.points(&stage.crowd, 1, INSTANCES * vertices as u32, &body, |_, _| true)
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
}

/// Largest differences, positions as shares of the model's size.
#[derive(Clone, Copy, Debug, Default)]
struct Apart {
    exact: f32,
    exact_normal: f32,
    packed: f32,
    packed_normal: f32,
    /// Between what is drawn and what is not packed.
    packing: f32,
    vertices: u32,
}

fn check(file: &AnimFile<'_>, max_visible: u32, settings: &CrowdSettings, seed: u64) -> Apart {
    let (stage, handles) = playing(file, max_visible, settings, &mut Random(seed));
    let exact = exact_vertices(file);
    let buffer = gpu::storage_buffer(&stage.device, &stage.queue, &exact);
    let [positions, normals] = drawn(&stage, exact.len(), Some(&buffer));
    let [packed_positions, packed_normals] = drawn(&stage, exact.len(), None);
    let packed = packed_vertices(file);
    let mut palette: Vec<Rows> = vec![[[0.0; 4]; 3]; file.bones.len()];
    let mut apart = Apart::default();
    let size = file.extent.model_size_metres;
    let off = |found: &[f32; 4], expected: [f32; 3]| distance(&found[..3], &expected);
    for handle in handles {
        let layers = stage.crowd.layer_stack(handle).expect("an instance").gpu_layers();
        palette_of_layers(file, layers, NOW, &mut palette);
        let first = handle.index() as usize * exact.len();
        for part in &file.parts {
            let expected = posed_vertices(file, part, &palette, 0..part.vertex_count);
            for (number, expected) in expected.iter().enumerate() {
                let vertex = part.first_vertex as usize + number;
                let at = first + vertex;
                if positions[at][3] == 0.0 {
                    continue;
                }
                apart.exact = apart.exact.max(off(&positions[at], expected.position) / size);
                apart.exact_normal = apart.exact_normal.max(off(&normals[at], expected.normal));
                let rows = blend_influences(&palette, packed[vertex].bones, packed[vertex].weights);
                let position = skin_position(&rows, packed[vertex].position);
                let normal = skin_normal(&rows, packed[vertex].normal, normal_rule(part));
                apart.packed = apart.packed.max(off(&packed_positions[at], position) / size);
                apart.packed_normal = apart.packed_normal.max(off(&packed_normals[at], normal));
                apart.packing = apart.packing.max(off(&packed_positions[at], expected.position));
                apart.vertices += 1;
            }
        }
    }
    apart
}

/// Checks a file in every way in which it can be drawn.
fn check_every_way(file: &AnimFile<'_>, name: &str, seed: u64) {
    let stated = file.metadata.as_ref().expect("metadata").accuracy[0].packing_max_metres as f32;
    let is_local = file.page_sets[0].content == Content::Local;
    for force_texture_pages in [false, true] {
        if is_local && force_texture_pages {
            continue;
        }
        // Beyond their palettes local tracks play as rows, whose fades are others: see `local_as_rows.rs`.
        for max_visible in [u32::MAX, 0, 10].into_iter().take(if is_local { 1 } else { 3 }) {
            let settings = CrowdSettings { force_texture_pages, ..CrowdSettings::default() };
            let apart = check(file, max_visible, &settings, seed);
            let way = format!("{name}, {max_visible} palettes, textures {force_texture_pages}: {apart:?}");
            assert!(apart.vertices >= INSTANCES * 3, "{way}");
            assert!(apart.exact < 2e-6 && apart.packed < 2e-6, "{way}");
            assert!(apart.exact_normal < 2e-5 && apart.packed_normal < 2e-5, "{way}");
            // Stated for clips; a fade of local tracks may stretch a little more than any of them.
            let stated = if is_local { stated * 1.05 } else { stated };
            let allowed = stated + 2e-6 * file.extent.model_size_metres;
            assert!(apart.packing <= allowed, "{way}, stated {stated}");
        }
    }
}

#[test]
fn random_characters_are_skinned_as_on_the_cpu() {
    let mut random = Random(11);
    for (number, encoding) in
        [Encoding::Affine32, Encoding::Affine16, Encoding::Local8, Encoding::Local32].into_iter().enumerate()
    {
        let settings = BakeSettings { encodings: vec![encoding], ..BakeSettings::default() };
        let rig = Rig { joints: 9, triangles: 20, parts: 2, rigid_parts: 3, ..Rig::default() };
        let file = rigs::random_file(&rig, &mut random, &settings);
        assert!(file.parts.iter().any(|part| part.flags.rigid), "some part follows the cofactor matrix");
        check_every_way(&file, &format!("{encoding:?}"), number as u64);
    }
}

#[test]
fn characters_with_more_than_256_bones_are_skinned_as_on_the_cpu() {
    let rig = Rig { joints: 300, triangles: 120, parts: 1, rigid_parts: 2, ..Rig::default() };
    let file = rigs::random_file(&rig, &mut Random(2), &BakeSettings::default());
    assert!(file.bones.len() > 256 && pack_vertices(&file).wide);
    let highest = exact_vertices(&file).iter().flat_map(|v| v.bones).max();
    assert!(highest > Some(256), "{highest:?}");
    check_every_way(&file, "wide", 5);
}

#[test]
fn the_samples_are_skinned_as_on_the_cpu() {
    for (name, encoding) in [
        ("biped", Encoding::Affine16),
        ("bird", Encoding::Affine32),
        ("horse", Encoding::Affine16),
        ("horse", Encoding::Local8),
        ("biped", Encoding::Local32),
    ] {
        let file = rigs::sample(name, &BakeSettings { encodings: vec![encoding], ..BakeSettings::default() });
        let max_visible = if file.page_sets[0].content == Content::Local { u32::MAX } else { 12 };
        let apart = check(&file, max_visible, &CrowdSettings::default(), 8);
        let stated = file.metadata.as_ref().expect("metadata").accuracy[0].packing_max_metres as f32;
        assert!(apart.exact < 2e-6 && apart.packed < 2e-6, "{name}: {apart:?}");
        assert!(apart.exact_normal < 2e-5 && apart.packed_normal < 2e-5, "{name}: {apart:?}");
        let allowed = stated + 2e-6 * file.extent.model_size_metres;
        assert!(apart.packing <= allowed, "{name}: {apart:?}, stated {stated}");
    }
}

#[test]
fn half_palettes_move_vertices_by_no_more_than_they_say() {
    let rig = Rig { joints: 9, triangles: 20, parts: 2, rigid_parts: 1, scales: false, ..Rig::default() };
    let settings = BakeSettings { encodings: vec![Encoding::Affine32], ..BakeSettings::default() };
    let file = rigs::random_file(&rig, &mut Random(11), &settings);
    let half = CrowdSettings { precision: PalettePrecision::Half, ..CrowdSettings::default() };
    let apart = check(&file, u32::MAX, &half, 1);
    assert!(apart.exact > 1e-5 && apart.exact < 1e-3, "{apart:?}");
}

#[test]
fn instances_that_are_squashed_and_mirrored_have_right_places_and_normals_in_the_world() {
    let mut random = Random(31);
    let rig = Rig { triangles: 10, rigid_parts: 2, ..Rig::default() };
    let file = rigs::random_file(&rig, &mut random, &BakeSettings::default());
    let mut stage = Stage::new(&[&file], &CrowdSettings::default());
    let vertices = exact_vertices(&file);
    let handles: Vec<InstanceHandle> = (0..40)
        .map(|_| {
            let world_from_model = rigs::random_transform(5.0, 1.0, &mut random);
            stage.crowd.add(&Instance { world_from_model, ..Instance::default() }).expect("room")
        })
        .collect();
    stage.crowd.update(0.3);
    stage.prepare(&[ALL]);
    let count = vertices.len();
    let body = format!(
        "fn probe(vertex: AnimBindVertex, vertex_index: u32, instance_index: u32) -> Probed {{
            let found = anim_skin(vertex, instance_index);
            let pixel = anim_instance(found.place) * {count}u + vertex_index;
            return Probed(pixel, vec4<f32>(found.world_position, 1.0), vec4<f32>(found.world_normal, 1.0));
        }}"
    );
    let [positions, normals] = stage.probe().points(&stage.crowd, 1, 40 * count as u32, &body, |_, _| true);
    let packed = packed_vertices(&file);
    let mut palette: Vec<Rows> = vec![[[0.0; 4]; 3]; file.bones.len()];
    let mut mirrored = 0;
    for handle in handles {
        let layers = stage.crowd.layer_stack(handle).expect("an instance").gpu_layers();
        palette_of_layers(&file, layers, ticks_from_seconds(0.3), &mut palette);
        let world_from_model = affine_from_rows(&stage.crowd.world_from_model(handle).expect("an instance"));
        mirrored += u32::from(world_from_model.matrix3.determinant() < 0.0);
        let world_from_normal = world_from_model.matrix3.inverse().transpose();
        for part in &file.parts {
            let first = part.first_vertex as usize;
            let vertices = &packed[first..first + part.vertex_count as usize];
            for (number, vertex) in vertices.iter().enumerate() {
                let at = handle.index() as usize * count + first + number;
                let rows = blend_influences(&palette, vertex.bones, vertex.weights);
                let position = DVec3::from_array(skin_position(&rows, vertex.position).map(f64::from));
                let normal = skin_normal(&rows, vertex.normal, normal_rule(part)).map(f64::from);
                let position = world_from_model.transform_point3(position).to_array().map(narrow);
                let normal =
                    (world_from_normal * DVec3::from_array(normal)).normalize().to_array().map(narrow);
                assert!(distance(&positions[at][..3], &position) < 2e-5, "{:?} {position:?}", positions[at]);
                assert!(distance(&normals[at][..3], &normal) < 1e-4, "{:?} {normal:?}", normals[at]);
            }
        }
    }
    assert!((4..36).contains(&mirrored));
}
