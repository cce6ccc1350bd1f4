//! The character of the benchmark when no file is given: a tube on a chain of bones, made from numbers alone.

use anim_core::encoding::{RowsEncoding, encode_rows};
use anim_core::glam::{DAffine3, DQuat, DVec3};
use anim_core::matrix_rows::rows_from_affine;
use anim_format::AnimFile;
use anim_format::model::{
    Alpha, Bone, Bounds, Clip, ClipMode, Content, Encoding, Extent, Interpolation, Lod, Material, Mesh, Node,
    PageSet, Part, PartFlags, Sampler, TexelFormat, Track, VertexAttribute, VertexSemantic,
};
use anim_format::playback::{palette_at_frame, posed_vertices};

/// Bones of the chain.
pub(crate) const BONES: u32 = 60;
/// Rings of the tube, each in its own plane.
const RINGS: u32 = 90;
/// Vertices of a ring; the last lies on the first, as at the seam of a texture.
const RING_VERTICES: u32 = 21;
/// Vertices of the tube.
pub(crate) const VERTICES: u32 = RINGS * RING_VERTICES;
/// Triangles of the tube.
pub(crate) const TRIANGLES: u32 = (RINGS - 1) * (RING_VERTICES - 1) * 2;

const HEIGHT_METRES: f64 = 1.8;
const RADIUS_METRES: f64 = 0.16;
const CLIP_SECONDS: f32 = 2.0;
const RATE_HZ: f32 = 30.0;
const INTERVALS: u32 = 60;
const PAGE_WIDTH: u32 = 256;
const INFLUENCES: usize = 4;

/// A motion: how far each bone turns about each axis, and how its waves run along the chain.
struct Motion {
    name: &'static str,
    swing: [f64; 3],
    waves: f64,
}

const CLIPS: u32 = 3;
const MOTIONS: [Motion; CLIPS as usize] = [
    Motion { name: "sway", swing: [0.0, 0.0, 0.018], waves: 0.3 },
    Motion { name: "twist", swing: [0.008, 0.05, 0.0], waves: 1.0 },
    Motion { name: "wave", swing: [0.03, 0.0, 0.045], waves: 2.0 },
];

/// The character, in an encoding.
pub(crate) fn rig(encoding: Encoding) -> AnimFile<'static> {
    let (rows, texel_format) = match encoding {
        Encoding::Affine32 => (RowsEncoding::Affine32, TexelFormat::Rgba32Float),
        _ => (RowsEncoding::Affine16, TexelFormat::Rgba16Float),
    };
    let frame_texels = BONES * 3;
    let clip_texels = frame_texels * (INTERVALS + 1);
    let height = (clip_texels * CLIPS).div_ceil(PAGE_WIDTH);
    let mut page = vec![0; (PAGE_WIDTH * height) as usize * rows.texel_bytes()];
    let frames = MOTIONS.iter().flat_map(|motion| (0..=INTERVALS).map(move |frame| palette(motion, frame)));
    for (bone, out) in frames.flatten().zip(page.chunks_exact_mut(rows.bone_bytes())) {
        // A tube of a few metres fits any encoding.
        let _ = encode_rows(&rows_from_affine(&bone), rows, out);
    }
    let clips = (0..).zip(&MOTIONS).map(|(number, motion)| clip(number, motion, clip_texels)).collect();
    let mut file = AnimFile {
        nodes: (0..BONES).map(node).collect(),
        bones: (0..BONES).map(bone_of).collect(),
        clips,
        page_sets: vec![PageSet {
            content: Content::Rows,
            encoding,
            texel_format,
            width: PAGE_WIDTH,
            height,
            pages: vec![page.into()],
        }],
        parts: vec![part()],
        materials: vec![material()],
        mesh: Some(mesh()),
        ..AnimFile::default()
    };
    add_bounds(&mut file);
    file
}

/// `model_from_bind` of all bones in a frame.
fn palette(motion: &Motion, frame: u32) -> Vec<DAffine3> {
    let turns = f64::from(frame) / f64::from(INTERVALS);
    let step = DVec3::new(0.0, HEIGHT_METRES / f64::from(BONES), 0.0);
    let mut model_from_bone = DAffine3::IDENTITY;
    (0..BONES)
        .map(|number| {
            let along = f64::from(number) / f64::from(BONES);
            let angle = std::f64::consts::TAU * (turns + motion.waves * along);
            let [x, y, z] = motion.swing.map(|swing| swing * libm::sin(angle));
            let rotation = turned(DVec3::X, x) * turned(DVec3::Y, y) * turned(DVec3::Z, z);
            let step = if number == 0 { DVec3::ZERO } else { step };
            model_from_bone *= DAffine3::from_rotation_translation(rotation, step);
            model_from_bone * DAffine3::from_translation(-bone_place(number))
        })
        .collect()
}

/// A rotation about an axis, the same on every platform.
fn turned(axis: DVec3, radians: f64) -> DQuat {
    let v = axis * libm::sin(radians * 0.5);
    DQuat::from_xyzw(v.x, v.y, v.z, libm::cos(radians * 0.5))
}

fn bone_place(number: u32) -> DVec3 {
    DVec3::new(0.0, HEIGHT_METRES * f64::from(number) / f64::from(BONES), 0.0)
}

fn node(number: u32) -> Node<'static> {
    let place = if number == 0 { DVec3::ZERO } else { bone_place(1) };
    Node {
        name: format!("bone_{number}").into(),
        parent: number.checked_sub(1),
        depth: number,
        source_node: number,
        rest_translation: place.as_vec3().to_array(),
        rest_rotation: [0.0, 0.0, 0.0, 1.0],
        rest_scale: [1.0; 3],
        rest_matrix_in_pool: None,
    }
}

fn bone_of(number: u32) -> Bone {
    let bone_from_bind = rows_from_affine(&DAffine3::from_translation(-bone_place(number)));
    Bone { node: Some(number), bone_from_bind }
}

fn clip(number: u32, motion: &Motion, clip_texels: u32) -> Clip<'static> {
    Clip {
        name: motion.name.into(),
        duration_seconds: CLIP_SECONDS,
        start_seconds: 0.0,
        source_rate_hz: Some(RATE_HZ),
        mode: ClipMode::Loop,
        bounds: Bounds::default(),
        loop_gap_metres: 0.0,
        tracks: vec![Track {
            page_set: 0,
            page: 0,
            first_texel: number * clip_texels,
            header_texels: 0,
            frames: INTERVALS + 1,
            intervals: INTERVALS,
            stored_frames: INTERVALS + 1,
            elements_per_frame: BONES,
            texels_per_element: 3,
            first_record: None,
            interpolation: Interpolation::Linear,
            held_frames: Vec::new(),
        }],
    }
}

fn part() -> Part<'static> {
    Part {
        name: "tube".into(),
        material: 0,
        lods: vec![Lod { first_index: 0, index_count: TRIANGLES * 3, threshold: 0.0 }],
        bounds: Bounds::default(),
        source_node: 0,
        source_mesh: 0,
        source_primitive: 0,
        first_vertex: 0,
        vertex_count: VERTICES,
        source_vertex_count: VERTICES,
        flags: PartFlags::default(),
    }
}

fn material() -> Material<'static> {
    Material {
        name: "tube".into(),
        base_color: [0.8, 0.8, 0.8, 1.0],
        image: None,
        sampler: Sampler::default(),
        alpha: Alpha::Opaque,
        double_sided: false,
    }
}

fn mesh() -> Mesh<'static> {
    let attributes = [
        (VertexSemantic::Position, 0),
        (VertexSemantic::Normal, 12),
        (VertexSemantic::Uv, 24),
        (VertexSemantic::Bones, 32),
        (VertexSemantic::Weights, 40),
    ];
    let mut vertices = Vec::new();
    for ring in 0..RINGS {
        let along = f64::from(ring) / f64::from(RINGS - 1);
        let (bones, weights) = influences(along);
        for side in 0..RING_VERTICES {
            let around = f64::from(side % (RING_VERTICES - 1)) / f64::from(RING_VERTICES - 1);
            let angle = std::f64::consts::TAU * around;
            let radius = RADIUS_METRES * (1.0 - 0.6 * along * along);
            let normal = DVec3::new(libm::sin(angle), 0.0, libm::cos(angle));
            let position = normal * radius + DVec3::new(0.0, along * HEIGHT_METRES, 0.0);
            push(&mut vertices, position.as_vec3().to_array());
            push(&mut vertices, normal.as_vec3().to_array());
            push(&mut vertices, [f64::from(side) / f64::from(RING_VERTICES - 1), along].map(to_f32));
            vertices.extend(bones.iter().flat_map(|bone| bone.to_le_bytes()));
            push(&mut vertices, weights);
        }
    }
    // Along each ring, quad by quad: the order of triangle strips.
    let mut indices = Vec::new();
    for ring in 0..RINGS - 1 {
        for side in 0..RING_VERTICES - 1 {
            let low = ring * RING_VERTICES + side;
            let high = low + RING_VERTICES;
            indices.extend([low, low + 1, high, high, low + 1, high + 1]);
        }
    }
    Mesh {
        stride_bytes: 56,
        attributes: attributes
            .map(|(semantic, offset_bytes)| VertexAttribute { semantic, offset_bytes })
            .into(),
        vertices: vertices.into(),
        indices: indices.iter().flat_map(|index: &u32| index.to_le_bytes()).collect::<Vec<u8>>().into(),
    }
}

/// The four bones next to a place on the tube, the weight falling with the distance.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place among 60 bones")]
fn influences(along: f64) -> ([u16; INFLUENCES], [f32; INFLUENCES]) {
    let place = along * f64::from(BONES - 1);
    let first = (libm::floor(place) - 1.0).clamp(0.0, f64::from(BONES) - INFLUENCES as f64);
    let bones: [u16; INFLUENCES] = std::array::from_fn(|i| first as u16 + i as u16);
    let closeness = bones.map(|bone| 1.0 / (0.3 + (f64::from(bone) - place).abs()));
    let sum: f64 = closeness.iter().sum();
    (bones, closeness.map(|weight| to_f32(weight / sum)))
}

/// Bounds of clips and part, and sizes of the whole, from every vertex in every frame. Between frames vertices are on
/// lines between these.
fn add_bounds(file: &mut AnimFile<'static>) {
    let rest = vec![anim_core::matrix_rows::IDENTITY_ROWS; BONES as usize];
    let at_rest = bounds_of(std::slice::from_ref(&positions(file, &rest)));
    let size: f32 = (0..3).map(|i| (at_rest.box_max[i] - at_rest.box_min[i]).powi(2)).sum::<f32>().sqrt();
    file.extent = Extent {
        rest_box_min: at_rest.box_min,
        rest_box_max: at_rest.box_max,
        model_size_metres: size,
        vertex_box_min: at_rest.box_min,
        vertex_box_max: at_rest.box_max,
        fade_overshoot_metres: 0.0,
    };
    let mut all = Vec::new();
    for number in 0..file.clips.len() {
        let frames: Vec<Vec<[f32; 3]>> = (0..=INTERVALS)
            .map(|frame| {
                let mut palette = rest.clone();
                palette_at_frame(file, &file.clips[number], frame, &mut palette);
                positions(file, &palette)
            })
            .collect();
        file.clips[number].bounds = bounds_of(&frames);
        all.extend(frames);
    }
    file.parts[0].bounds = bounds_of(&all);
}

fn positions(file: &AnimFile<'_>, palette: &[[[f32; 4]; 3]]) -> Vec<[f32; 3]> {
    posed_vertices(file, &file.parts[0], palette, 0..VERTICES).iter().map(|vertex| vertex.position).collect()
}

fn bounds_of(poses: &[Vec<[f32; 3]>]) -> Bounds {
    let points = || poses.iter().flatten();
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for point in points() {
        low = std::array::from_fn(|i| low[i].min(point[i]));
        high = std::array::from_fn(|i| high[i].max(point[i]));
    }
    let center: [f32; 3] = std::array::from_fn(|i| low[i] * 0.5 + high[i] * 0.5);
    let away = |point: &[f32; 3]| (0..3).map(|i| (point[i] - center[i]).powi(2)).sum::<f32>();
    let radius = points().map(away).fold(0.0f32, f32::max).sqrt() * 1.0001;
    Bounds { box_min: low, box_max: high, sphere_center: center, sphere_radius: radius }
}

fn push<const N: usize>(bytes: &mut Vec<u8>, numbers: [f32; N]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to what is stored")]
const fn to_f32(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rig_is_a_valid_file_of_the_stated_size() {
        for encoding in [Encoding::Affine32, Encoding::Affine16] {
            let file = rig(encoding);
            assert_eq!(anim_format::validate(&file), []);
            let bytes = anim_format::write(&file, anim_format::Version::V1).expect("a small file");
            assert_eq!(anim_format::read(&bytes).expect("what was written").bones.len(), 60);
        }
        assert_eq!((VERTICES, TRIANGLES), (1890, 3560));
    }

    #[test]
    fn every_clip_moves_and_every_vertex_has_four_influences() {
        let file = rig(Encoding::Affine32);
        for clip in &file.clips {
            let size = clip.bounds.box_max[0] - clip.bounds.box_min[0] + clip.bounds.box_max[2]
                - clip.bounds.box_min[2];
            assert!(size > 0.7, "{} hardly moves: {:?}", clip.name, clip.bounds);
            assert!(clip.bounds.sphere_radius < 2.0, "{} goes far: {:?}", clip.name, clip.bounds);
        }
        let reader = anim_format::vertices::VertexReader::new(file.mesh.as_ref().expect("a mesh"));
        assert!((0..VERTICES as usize).all(|v| reader.weights(v).iter().all(|weight| *weight > 0.01)));
    }
}
