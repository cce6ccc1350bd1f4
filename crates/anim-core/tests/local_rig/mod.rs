//! Random rigs in local tracks, for the twin's tests and the bench: their numbers in `f64`, and their bytes.

use anim_core::glam::{DAffine3, DMat3, DQuat, DVec3, Quat, Vec3, Vec4};
use anim_core::local_encoding::{LocalEncoding, range_of, write_rotation, write_value};
use anim_core::local_record::{LocalRecord, LocalSource};
use anim_core::local_tracks::{LocalTrackView, frame_table_texels};
use anim_core::matrix_rows::rows_from_affine;
use anim_core::pose::NO_PARENT;
use anim_core::texel::TrackLayout;
use anim_core::trs::Trs;

/// What a rig is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigShape {
    pub(crate) nodes: u32,
    pub(crate) depth_max: u32,
    pub(crate) clips: u32,
    pub(crate) frames: u32,
    /// Length of a bone: rigs in centimetres and of giants are as exact.
    pub(crate) unit: f64,
    /// Turns of exactly 180 degrees between frames; scales that are 0, tiny or negative.
    pub(crate) extremes: bool,
    pub(crate) encoding: LocalEncoding,
}

pub(crate) struct Rig {
    pub(crate) parents: Vec<u32>,
    pub(crate) pool: Vec<[f32; 4]>,
    pub(crate) clips: Vec<RigClip>,
    pub(crate) encoding: LocalEncoding,
}

pub(crate) struct RigClip {
    /// The true pose of every frame: frame slowest.
    pub(crate) poses: Vec<Vec<LocalTruth>>,
    pub(crate) records: Vec<LocalRecord>,
    pub(crate) texels: Vec<u8>,
    pub(crate) layout: TrackLayout,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LocalTruth {
    Transform(Trs),
    Matrix(DAffine3),
}

/// splitmix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// In `[-1, 1)`.
    pub(crate) fn number(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn below(&mut self, count: u32) -> u32 {
        u32::try_from(self.bits() % u64::from(count)).expect("below a u32")
    }

    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub(crate) fn rotation(&mut self) -> DQuat {
        let q = DQuat::from_xyzw(self.number(), self.number(), self.number(), self.number());
        if q.length() > 0.1 { q.normalize() } else { DQuat::IDENTITY }
    }
}

impl Rig {
    pub(crate) fn random(seed: u64, shape: &RigShape) -> Self {
        let mut random = Random(seed);
        let (mut parents, mut depths) = (vec![NO_PARENT], vec![1]);
        for node in 1..shape.nodes {
            // Long chains and wide fans; now and then a second root.
            let parent = if random.chance(60) { node - 1 } else { random.below(node) };
            let deep = depths[parent as usize] >= shape.depth_max || random.chance(1);
            parents.push(if deep { NO_PARENT } else { parent });
            depths.push(if deep { 1 } else { depths[parent as usize] + 1 });
        }
        let matrices: Vec<Option<DAffine3>> =
            (0..shape.nodes).map(|_| random.chance(3).then(|| sheared(&mut random, shape))).collect();
        let mut rig =
            Self { parents, pool: vec![[0.0, 0.0, 0.0, 1.0]], clips: Vec::new(), encoding: shape.encoding };
        for _ in 0..shape.clips {
            let clip = RigClip::random(&mut random, shape, &matrices, &mut rig.pool);
            rig.clips.push(clip);
        }
        rig
    }

    pub(crate) fn view(&self, clip: u32) -> LocalTrackView<'_> {
        let clip = &self.clips[clip as usize];
        LocalTrackView {
            texels: &clip.texels,
            layout: clip.layout,
            records: &clip.records,
            pool: &self.pool,
            encoding: self.encoding,
        }
    }
}

impl RigClip {
    fn random(
        random: &mut Random,
        shape: &RigShape,
        matrices: &[Option<DAffine3>],
        pool: &mut Vec<[f32; 4]>,
    ) -> Self {
        let tracks: Vec<Vec<LocalTruth>> = matrices
            .iter()
            .map(|matrix| match matrix {
                Some(matrix) => vec![LocalTruth::Matrix(*matrix); shape.frames as usize],
                None => transforms(random, shape).into_iter().map(LocalTruth::Transform).collect(),
            })
            .collect();
        let mut poses: Vec<Vec<LocalTruth>> = (0..shape.frames as usize)
            .map(|frame| tracks.iter().map(|track| track[frame]).collect())
            .collect();
        // A clip with a frame table shows its first frame again at its end.
        let repeats = shape.frames > 2 && random.chance(50);
        if repeats {
            let first = poses[0].clone();
            *poses.last_mut().expect("frames") = first;
        }
        let writer = TrackWriter::new(&poses, shape.encoding, pool);
        let stored = if repeats { shape.frames - 1 } else { shape.frames };
        let bytes = shape.encoding.texel_bytes();
        let header_texels = if repeats { frame_table_texels(shape.frames, shape.encoding) } else { 0 };
        let first_texel = random.below(9);
        let mut texels = vec![0x5a; first_texel as usize * bytes];
        if repeats {
            let table = (0..shape.frames).map(|frame| frame % stored);
            texels.extend(table.flat_map(u32::to_le_bytes));
            texels.resize((first_texel + header_texels) as usize * bytes, 0);
        }
        for pose in &poses[..stored as usize] {
            writer.write_frame(pose, pool, &mut texels);
        }
        let elements_per_frame = writer.elements;
        let layout = TrackLayout { first_texel, header_texels, elements_per_frame, texels_per_element: 1 };
        Self { poses, records: writer.records, texels, layout }
    }
}

/// The frames of one node.
fn transforms(random: &mut Random, shape: &RigShape) -> Vec<Trs> {
    let scale = |random: &mut Random| match random.below(if shape.extremes { 12 } else { 6 }) {
        0..5 => DVec3::ONE,
        5..9 => DVec3::ONE + random.vector() * 0.3,
        9 => DVec3::new(-1.0, 1.0, 1.0 + random.number() * 0.1),
        10 => DVec3::splat(1e-3),
        _ => DVec3::new(0.0, 1.0, 1e-30),
    };
    let mut here = Trs {
        translation: (random.vector() + DVec3::Y) * shape.unit,
        rotation: random.rotation(),
        scale: scale(random),
    };
    let moves = [random.chance(70), random.chance(25), random.chance(15)];
    let mut frames = vec![here];
    for _ in 1..shape.frames {
        if moves[0] {
            let turn = match random.below(8) {
                0 => random.rotation(),
                1 if shape.extremes => {
                    DQuat::from_axis_angle(random.rotation() * DVec3::X, core::f64::consts::PI)
                }
                _ => DQuat::IDENTITY.slerp(random.rotation(), 0.2),
            };
            let next = (here.rotation * turn).normalize();
            here.rotation = if next.dot(here.rotation) < 0.0 { -next } else { next };
        }
        if moves[1] {
            here.translation += random.vector() * 0.2 * shape.unit;
        }
        if moves[2] {
            here.scale = scale(random);
        }
        frames.push(here);
    }
    frames
}

fn sheared(random: &mut Random, shape: &RigShape) -> DAffine3 {
    let matrix3 = DMat3::from_cols(DVec3::X, DVec3::new(random.number() * 0.5, 1.0, 0.0), DVec3::Z);
    DAffine3 {
        matrix3: DMat3::from_quat(random.rotation()) * matrix3,
        translation: random.vector() * shape.unit,
    }
}

/// Lays out one clip: which parts move, where they are in a frame, and their ranges.
struct TrackWriter {
    records: Vec<LocalRecord>,
    elements: u32,
    encoding: LocalEncoding,
}

impl TrackWriter {
    fn new(poses: &[Vec<LocalTruth>], encoding: LocalEncoding, pool: &mut Vec<[f32; 4]>) -> Self {
        let nodes = poses[0].len();
        let part = |node: usize, part: usize| -> Vec<Vec4> {
            poses.iter().map(|pose| parts(&pose[node])[part]).collect()
        };
        let moves = |values: &[Vec4]| values.iter().any(|value| *value != values[0]);
        let mut words = vec![[LocalSource::Constant(0); 3]; nodes];
        let mut elements = 0;
        for number in 0..3 {
            for (node, sources) in words.iter_mut().enumerate() {
                let values = part(node, number);
                sources[number] = if moves(&values) {
                    elements += 1;
                    LocalSource::Slot(elements - 1)
                } else {
                    LocalSource::Constant(entry(pool, &[values[0].to_array()]))
                };
            }
        }
        let mut records = Vec::new();
        for (node, [rotation, translation, scale]) in words.into_iter().enumerate() {
            if let LocalTruth::Matrix(matrix) = poses[0][node] {
                records.push(LocalRecord::matrix(entry(pool, &rows_from_affine(&matrix))));
                continue;
            }
            let mut ranges = Vec::new();
            for (number, source) in [(1, translation), (2, scale)] {
                if matches!(source, LocalSource::Slot(_)) && encoding == LocalEncoding::Local8 {
                    let values: Vec<Vec3> = part(node, number).iter().map(|value| value.truncate()).collect();
                    ranges.push(range_of(&values).expect("plain numbers").to_array());
                }
            }
            let ranges = if ranges.is_empty() { 0 } else { entry(pool, &ranges) };
            records.push(LocalRecord::new(rotation, translation, scale, ranges));
        }
        Self { records, elements, encoding }
    }

    fn write_frame(&self, pose: &[LocalTruth], pool: &[[f32; 4]], texels: &mut Vec<u8>) {
        let bytes = self.encoding.texel_bytes();
        let mut frame = vec![0; self.elements as usize * bytes];
        for (record, truth) in self.records.iter().zip(pose) {
            let [rotation, translation, scale] = parts(truth);
            if let LocalSource::Slot(slot) = record.rotation_source() {
                let texel = &mut frame[slot as usize * bytes..][..bytes];
                write_rotation(Quat::from_vec4(rotation), self.encoding, texel);
            }
            let values = [
                (record.translation_source(), record.translation_range(), translation),
                (record.scale_source(), record.scale_range(), scale),
            ];
            for (source, range, value) in values {
                if let LocalSource::Slot(slot) = source {
                    let range = Vec4::from_array(pool[range as usize % pool.len()]);
                    let texel = &mut frame[slot as usize * bytes..][..bytes];
                    write_value(value.truncate(), range, self.encoding, texel);
                }
            }
        }
        texels.extend(frame);
    }
}

/// Rotation, translation and scale in `f32`; those of a matrix do not move.
fn parts(truth: &LocalTruth) -> [Vec4; 3] {
    match truth {
        LocalTruth::Transform(t) => [
            Vec4::from(t.rotation.as_quat()),
            t.translation.as_vec3().extend(0.0),
            t.scale.as_vec3().extend(0.0),
        ],
        LocalTruth::Matrix(_) => [Vec4::W, Vec4::ZERO, Vec4::ZERO],
    }
}

fn entry(pool: &mut Vec<[f32; 4]>, entries: &[[f32; 4]]) -> u32 {
    let found = pool.windows(entries.len()).position(|window| window == entries);
    let index = found.unwrap_or_else(|| {
        pool.extend_from_slice(entries);
        pool.len() - entries.len()
    });
    u32::try_from(index).expect("a small pool")
}
