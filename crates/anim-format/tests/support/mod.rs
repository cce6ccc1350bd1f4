//! Small valid files, made from code: the golden files, and what the other tests damage.
#![allow(clippy::cast_possible_truncation, reason = "tests count small things")]
#![allow(dead_code, unreachable_pub, reason = "each test uses its own part of this module")]

use std::borrow::Cow;

use anim_core::encoding::{RowsEncoding, encode_rows};
use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::model::*;
use anim_format::split_pages;

pub mod arbitrary;
pub mod bytes;
pub mod describe;
pub mod local;
pub mod vertices;

/// What a test or a golden file is called, and the file.
pub fn golden_models() -> Vec<(&'static str, AnimFile<'static>)> {
    vec![
        ("minimal", minimal()),
        ("two_clips", two_clips()),
        ("character", character()),
        ("several_pages", several_pages()),
        ("small_local8", local::small_local(Encoding::Local8)),
        ("small_local32", local::small_local(Encoding::Local32)),
        ("local", local::local()),
        ("vertices16", vertices::vertices16()),
        ("vertices32", vertices::vertices32()),
    ]
}

/// One bone, one clip "slide" that moves it from x = 0 to x = 2 in one second, half floats.
pub fn minimal() -> AnimFile<'static> {
    let clip = ClipSource {
        frames: vec![vec![moved(0.0, 0.0, 0.0)], vec![moved(2.0, 0.0, 0.0)]],
        ..linear("slide", 1.0)
    };
    let mut file = empty();
    file.nodes = vec![node("root", None, 0)];
    file.bones = vec![Bone { node: Some(0), bone_from_bind: IDENTITY_ROWS }];
    bake(&mut file, Encoding::Affine16, 64, vec![clip]);
    file
}

/// A looping clip with a jump and a pose of no duration, f32, and a bone that never moves.
pub fn two_clips() -> AnimFile<'static> {
    let mut file = empty();
    file.nodes = vec![node("root", None, 0), node("arm", Some(0), 1)];
    file.nodes[1].rest_translation = [0.0, 1.0, 0.0];
    let mut arm_bind = IDENTITY_ROWS;
    arm_bind[1][3] = -1.0;
    file.bones = vec![
        Bone { node: Some(0), bone_from_bind: IDENTITY_ROWS },
        Bone { node: Some(1), bone_from_bind: arm_bind },
        Bone { node: None, bone_from_bind: IDENTITY_ROWS },
    ];
    // Numbers that differ from each other, so that no exchange of rows, columns or bones goes unseen.
    let turned = |x: f32| [[0.5, -0.25, 0.125 * x, x], [0.75, 1.5, -x, 0.1], [x * x, 0.375, 2.0, -0.3]];
    let frame = |x: f32| vec![moved(x, 0.0, 0.0), turned(x), IDENTITY_ROWS];
    let frames: Vec<Vec<Rows>> = (0..35).map(|f| frame(f as f32 / 34.0)).collect();
    let mut held_frames = vec![0u32; 2];
    held_frames[0] |= 1 << 10;
    held_frames[1] |= 1 << 1;
    let walk = ClipSource {
        frames,
        held_frames,
        mode: ClipMode::PingPong,
        source_rate_hz: Some(24.0),
        ..linear("walk", 1.5)
    };
    let pose =
        ClipSource { frames: vec![frame(0.25)], interpolation: Interpolation::Step, ..linear("pose", 0.0) };
    bake(&mut file, Encoding::Affine32, 4096, vec![walk, pose]);
    file
}

/// Everything that version 1.0 stores: attachments, two parts, materials, an image, a mesh, hashes and metadata.
pub fn character() -> AnimFile<'static> {
    let mut file = two_clips();
    file.nodes.push(node("hand", Some(1), 2));
    file.nodes[2].rest_translation = [0.5, 0.0, 0.0];
    // A sheared node: its matrix is in the constant pool.
    file.nodes.push(node("", Some(2), 3));
    file.nodes[3].rest_matrix_in_pool = Some(1);
    file.constant_pool =
        vec![[0.5, 0.5, 0.5, 0.5], [1.0, 0.5, 0.0, 0.25], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    file.attachments = vec![Attachment {
        name: Cow::Borrowed("grip"),
        node: 1,
        node_from_attachment: moved(0.5, 0.0, 0.0),
        bone: 1,
    }];
    file.images = vec![Image {
        name: Cow::Borrowed("skin.png"),
        format: ImageFormat::Png,
        bytes: Cow::Borrowed(b"\x89PNG\r\n\x1a\nnot a whole picture"),
    }];
    file.materials = vec![
        Material {
            name: Cow::Borrowed("cloth"),
            base_color: [1.0, 0.5, 0.25, 1.0],
            image: Some(0),
            sampler: Sampler {
                wrap_u: Wrap::Mirror,
                wrap_v: Wrap::Clamp,
                mag_nearest: true,
                min_nearest: false,
            },
            alpha: Alpha::Mask { cutoff: 0.5 },
            double_sided: true,
        },
        Material {
            name: Cow::Borrowed("Stahl äöü"),
            base_color: [0.75, 0.75, 0.75, 1.0],
            image: None,
            sampler: Sampler::default(),
            alpha: Alpha::Blend,
            double_sided: false,
        },
    ];
    file.parts = vec![part("body", 0, 0, 4, 0, 6), part("sword", 1, 4, 3, 6, 3)];
    file.parts[1].flags = PartFlags { rigid: true, normals_computed: true, ..PartFlags::default() };
    file.mesh = Some(mesh());
    file.hashes = vec![
        SourceHash { of: HashOf::Source, sha256: std::array::from_fn(|i| i as u8) },
        SourceHash { of: HashOf::Settings, sha256: [0x5e; 32] },
        SourceHash { of: HashOf::Topology, sha256: [0x70; 32] },
    ];
    file.metadata = Some(metadata());
    file
}

/// Clips that do not fit one page of 64 x 64 texels.
pub fn several_pages() -> AnimFile<'static> {
    let mut file = minimal();
    let sizes = [("a", 700), ("b", 900), ("c", 200), ("d", 465), ("e", 1365)];
    let clips = sizes.map(|(name, frames)| ClipSource {
        frames: (0..frames).map(|f| vec![moved(f as f32 / 8.0, 0.0, -1.0)]).collect(),
        ..linear(name, frames as f32 / 30.0)
    });
    bake(&mut file, Encoding::Affine16, 64, clips.into());
    file
}

/// A file without anything but its extent.
pub fn empty() -> AnimFile<'static> {
    AnimFile {
        extent: Extent {
            rest_box_min: [-1.0, 0.0, -1.0],
            rest_box_max: [1.0, 2.0, 1.0],
            model_size_metres: 3.5,
            vertex_box_min: [-1.0, 0.0, -1.0],
            vertex_box_max: [1.0, 2.0, 1.0],
            fade_overshoot_metres: 0.0,
        },
        nodes: vec![],
        bones: vec![],
        clips: vec![],
        page_sets: vec![],
        constant_pool: vec![],
        local_records: vec![],
        masks: vec![],
        attachments: vec![],
        parts: vec![],
        materials: vec![],
        images: vec![],
        mesh: None,
        hashes: vec![],
        metadata: None,
    }
}

/// A clip before it is packed: one list of rows, one entry a bone, for each frame.
#[derive(Clone, Debug)]
pub struct ClipSource {
    pub name: String,
    pub duration_seconds: f32,
    pub source_rate_hz: Option<f32>,
    pub mode: ClipMode,
    pub interpolation: Interpolation,
    pub frames: Vec<Vec<Rows>>,
    pub held_frames: Vec<u32>,
}

/// A looping clip that interpolates, still without frames.
pub fn linear(name: &str, duration_seconds: f32) -> ClipSource {
    ClipSource {
        name: name.into(),
        duration_seconds,
        source_rate_hz: None,
        mode: ClipMode::Loop,
        interpolation: Interpolation::Linear,
        frames: vec![],
        held_frames: vec![],
    }
}

/// Packs clips into one rows page set and replaces the clips and page sets of `file` by them.
pub fn bake(file: &mut AnimFile<'static>, encoding: Encoding, max_texture_size: u32, clips: Vec<ClipSource>) {
    let bone_count = file.bones.len();
    let (rows_encoding, texel_format) = match encoding {
        Encoding::Affine32 => (RowsEncoding::Affine32, TexelFormat::Rgba32Float),
        _ => (RowsEncoding::Affine16, TexelFormat::Rgba16Float),
    };
    let texels: Vec<u64> = clips.iter().map(|clip| (clip.frames.len() * bone_count * 3) as u64).collect();
    let plan = split_pages(&texels, rows_encoding.texel_bytes() as u32, max_texture_size).unwrap();
    let page_bytes = plan.width as usize * plan.height as usize * rows_encoding.texel_bytes();
    let mut pages = vec![vec![0u8; page_bytes]; plan.page_count as usize];
    file.clips.clear();
    for (clip, placement) in clips.into_iter().zip(plan.placements) {
        let start = placement.first_texel as usize * rows_encoding.texel_bytes();
        let page = &mut pages[placement.page as usize][start..];
        for (rows, out) in clip.frames.iter().flatten().zip(page.chunks_exact_mut(rows_encoding.bone_bytes()))
        {
            encode_rows(rows, rows_encoding, out).unwrap();
        }
        let frames = clip.frames.len() as u32;
        file.clips.push(Clip {
            name: Cow::Owned(clip.name),
            duration_seconds: clip.duration_seconds,
            start_seconds: 0.0,
            source_rate_hz: clip.source_rate_hz,
            mode: clip.mode,
            bounds: bounds(),
            loop_gap_metres: 0.125,
            tracks: vec![Track {
                page_set: 0,
                page: placement.page,
                first_texel: placement.first_texel,
                header_texels: 0,
                frames,
                intervals: frames - 1,
                stored_frames: frames,
                elements_per_frame: bone_count as u32,
                texels_per_element: 3,
                first_record: None,
                interpolation: clip.interpolation,
                held_frames: clip.held_frames,
            }],
        });
    }
    file.page_sets = vec![PageSet {
        content: Content::Rows,
        encoding,
        texel_format,
        width: plan.width,
        height: plan.height,
        pages: pages.into_iter().map(Cow::Owned).collect(),
    }];
    if file.clips.is_empty() {
        file.page_sets.clear();
    }
}

/// The rows of a translation.
pub fn moved(x: f32, y: f32, z: f32) -> Rows {
    let mut rows = IDENTITY_ROWS;
    rows[0][3] = x;
    rows[1][3] = y;
    rows[2][3] = z;
    rows
}

pub fn node(name: &'static str, parent: Option<u32>, depth: u32) -> Node<'static> {
    Node {
        name: Cow::Borrowed(name),
        parent,
        depth,
        source_node: 7 + depth,
        rest_translation: [0.0; 3],
        rest_rotation: [0.0, 0.0, 0.0, 1.0],
        rest_scale: [1.0; 3],
        rest_matrix_in_pool: None,
    }
}

pub fn bounds() -> Bounds {
    Bounds {
        box_min: [-1.0, 0.0, -1.0],
        box_max: [3.0, 2.0, 1.0],
        sphere_center: [1.0, 1.0, 0.0],
        sphere_radius: 2.5,
    }
}

fn part(
    name: &'static str,
    material: u32,
    first: u32,
    vertices: u32,
    index: u32,
    indices: u32,
) -> Part<'static> {
    Part {
        name: Cow::Borrowed(name),
        material,
        lods: vec![Lod { first_index: index, index_count: indices, threshold: 0.0 }],
        bounds: bounds(),
        source_node: 3,
        source_mesh: material,
        source_primitive: 0,
        first_vertex: first,
        vertex_count: vertices,
        source_vertex_count: vertices - 1,
        flags: PartFlags::default(),
    }
}

/// A square for the body and a triangle for the sword: positions, uvs, bones, weights.
fn mesh() -> Mesh<'static> {
    let attributes = [
        (VertexSemantic::Position, 0),
        (VertexSemantic::Uv, 12),
        (VertexSemantic::Bones, 20),
        (VertexSemantic::Weights, 28),
    ];
    let mut vertices = Vec::new();
    let mut vertex = |position: [f32; 3], bones: [u16; 4], weights: [f32; 4]| {
        vertices.extend(position.iter().flat_map(|v| v.to_le_bytes()));
        vertices.extend([position[0], 1.0 - position[1]].iter().flat_map(|v| v.to_le_bytes()));
        vertices.extend(bones.iter().flat_map(|v| v.to_le_bytes()));
        vertices.extend(weights.iter().flat_map(|v| v.to_le_bytes()));
    };
    for (x, y) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)] {
        vertex([x, y, 0.0], [0, 1, 0, 0], [1.0 - y * 0.5, y * 0.5, 0.0, 0.0]);
    }
    for (x, y) in [(0.5, 1.0), (0.75, 1.0), (0.625, 2.0)] {
        vertex([x, y, 0.25], [1, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]);
    }
    let indices = [0u32, 1, 2, 0, 2, 3, 4, 5, 6];
    Mesh {
        stride_bytes: 44,
        attributes: attributes
            .into_iter()
            .map(|(semantic, offset_bytes)| VertexAttribute { semantic, offset_bytes })
            .collect(),
        vertices: Cow::Owned(vertices),
        indices: Cow::Owned(indices.iter().flat_map(|v| v.to_le_bytes()).collect()),
    }
}

fn metadata() -> Metadata {
    let figures = ErrorFigures {
        max_metres: 0.5,
        p999_metres: 0.25,
        mean_metres: 0.125,
        rms_metres: 0.1875,
        normal_max_degrees: 1.5,
        worst: Some(Worst { clip: 1, bone: 2, part: 0, vertex: 3, time_seconds: 0.75 }),
        samples: 1000,
    };
    Metadata {
        generator: "golden 1.0".into(),
        source_names: vec!["character.glb".into()],
        settings: vec![("encoding".into(), "affine32".into()), ("rate".into(), "24".into())],
        accuracy: vec![Accuracy {
            model_size_metres: 3.5,
            playback: figures,
            clips: vec![figures, ErrorFigures::default()],
            left_out_max_metres: 2.0,
            left_out_intervals: 4,
            largest_shift_seconds: 0.01,
            influence_loss_max_metres: 0.001,
            influence_loss_vertices: 5,
            morph_loss_max_metres: 0.0,
            packing_max_metres: 0.0001,
            packing_normal_max_degrees: 0.75,
            total_max_metres: 2.0011,
            exhaustive: true,
        }],
    }
}
