//! Local tracks: what moves is packed, what stands still goes to the constant pool, what is equal is stored once.

use std::borrow::Cow;

use anim_core::glam::{Quat, Vec3, Vec4};
use anim_core::local_encoding::{LocalEncoding, range_of, write_rotation, write_value};
use anim_core::local_record::{LocalRecord, LocalSource};
use anim_format::model::*;
use anim_format::split_pages;

use super::{ClipSource, bounds, empty, linear, moved, node};

/// Rotation x, y, z, w, translation and scale of a node.
pub type LocalPose = ([f32; 4], [f32; 3], [f32; 3]);

/// A node that does nothing.
pub const STILL: LocalPose = ([0.0, 0.0, 0.0, 1.0], [0.0; 3], [1.0; 3]);

/// A clip before it is packed: its `frames` are not looked at, `poses` has one list of nodes for each frame.
#[derive(Clone, Debug)]
pub struct LocalClip {
    pub clip: ClipSource,
    pub poses: Vec<Vec<LocalPose>>,
}

/// Everything that local tracks store: a frame table, a sheared node, shared records, shared texels, a clip in which
/// nothing moves, held frames, masks, two encodings in one file.
pub fn local() -> AnimFile<'static> {
    let mut file = super::character();
    file.clips.clear();
    file.page_sets.clear();
    file.metadata = None;
    file.extent.fade_overshoot_metres = 0.0625;
    file.masks = vec![
        Mask { name: Cow::Borrowed("upper"), words: vec![0b1100] },
        Mask { name: Cow::Borrowed("all"), words: vec![0b1111] },
    ];
    let walk_poses = walk_poses();
    let walk = ClipSource {
        held_frames: vec![1 << 1],
        mode: ClipMode::PingPong,
        source_rate_hz: Some(24.0),
        ..linear("walk", 1.5)
    };
    let stand = ClipSource { interpolation: Interpolation::Step, ..linear("stand", 0.0) };
    let wait = linear("wait", 2.0);
    let clips = || {
        vec![
            LocalClip { clip: walk.clone(), poses: walk_poses.clone() },
            LocalClip { clip: stand.clone(), poses: vec![pose(0.25)] },
            LocalClip { clip: wait.clone(), poses: vec![pose(0.25); 2] },
            LocalClip {
                clip: ClipSource { name: "again".into(), ..walk.clone() },
                poses: walk_poses.clone(),
            },
        ]
    };
    bake_local(&mut file, Encoding::Local8, clips());
    bake_local(&mut file, Encoding::Local32, clips());
    file
}

/// The frames of "walk" in [`local`]. There and back: eight frames, of which four are stored.
pub fn walk_poses() -> Vec<Vec<LocalPose>> {
    [0.0, 0.25, 0.5, 1.0, 1.0, 0.5, 0.25, 0.0].map(pose).to_vec()
}

/// A pose of [`local`].
pub fn pose(x: f32) -> Vec<LocalPose> {
    // A turn about (0.6, 0, 0.8) by plain arithmetic, the same on every machine; `x` is the tangent of a quarter of it.
    let turn = |x: f32| {
        let (sin, cos) = (2.0 * x / (1.0 + x * x), (1.0 - x * x) / (1.0 + x * x));
        [0.6 * sin, 0.0, 0.8 * sin, cos]
    };
    vec![
        (turn(0.0), [x, 0.25, -x], [1.0; 3]),
        (turn(3.0 * x - 1.0), [0.0, 1.25, 0.0], [1.0; 3]),
        (turn(-x), [0.5, 0.0, x * x], [1.0 - 0.5 * x, 1.5, -1.0]),
        STILL,
    ]
}

/// The smallest local file: one node that turns and moves, one bone, two frames.
pub fn small_local(encoding: Encoding) -> AnimFile<'static> {
    let mut file = empty();
    file.nodes = vec![node("root", None, 0)];
    file.bones = vec![Bone { node: Some(0), bone_from_bind: moved(0.0, -1.0, 0.0) }];
    let poses = vec![vec![STILL], vec![([0.0, 0.6, 0.0, 0.8], [2.0, 0.0, 1.0], [1.0; 3])]];
    bake_local(&mut file, encoding, vec![LocalClip { clip: linear("turn", 1.0), poses }]);
    file
}

/// Packs clips into one more page set: a track more for each clip of the file, or clips where there are none yet.
pub fn bake_local(file: &mut AnimFile<'static>, encoding: Encoding, clips: Vec<LocalClip>) {
    let (local_encoding, texel_format) = match encoding {
        Encoding::Local8 => (LocalEncoding::Local8, TexelFormat::Rg32Uint),
        _ => (LocalEncoding::Local32, TexelFormat::Rgba32Float),
    };
    let texel_bytes = local_encoding.texel_bytes();
    let mut tracks: Vec<(Track, Vec<u8>)> = Vec::new();
    for LocalClip { clip, poses } in &clips {
        tracks.push(pack_clip(file, clip, poses, local_encoding));
    }
    // Byte-equal tracks share their texels.
    let shape = |number: usize| {
        let (track, bytes) = &tracks[number];
        (track.frames, track.stored_frames, track.header_texels, track.elements_per_frame, bytes)
    };
    let owner_of = |number: usize| (0..tracks.len()).position(|other| shape(other) == shape(number)).unwrap();
    let owners: Vec<usize> = (0..tracks.len()).map(owner_of).collect();
    let texels =
        |number: usize| if owners[number] == number { tracks[number].1.len() / texel_bytes } else { 0 };
    let texels: Vec<u64> = (0..tracks.len()).map(|number| texels(number) as u64).collect();
    let plan = split_pages(&texels, texel_bytes as u32, 64).unwrap();
    let mut pages =
        vec![vec![0u8; (plan.width * plan.height) as usize * texel_bytes]; plan.page_count as usize];
    let page_set = file.page_sets.len() as u32;
    for (number, (mut track, bytes)) in tracks.into_iter().enumerate() {
        let placement = plan.placements[owners[number]];
        let start = placement.first_texel as usize * texel_bytes;
        pages[placement.page as usize][start..start + bytes.len()].copy_from_slice(&bytes);
        (track.page_set, track.page, track.first_texel) = (page_set, placement.page, placement.first_texel);
        if file.clips.len() <= number {
            let clip = &clips[number].clip;
            file.clips.push(Clip {
                name: Cow::Owned(clip.name.clone()),
                duration_seconds: clip.duration_seconds,
                start_seconds: 0.0,
                source_rate_hz: clip.source_rate_hz,
                mode: clip.mode,
                bounds: bounds(),
                loop_gap_metres: 0.125,
                tracks: vec![],
            });
        }
        file.clips[number].tracks.push(track);
    }
    file.page_sets.push(PageSet {
        content: Content::Local,
        encoding,
        texel_format,
        width: plan.width,
        height: plan.height,
        pages: pages.into_iter().map(Cow::Owned).collect(),
    });
}

/// The track of a clip, still without a place, and its bytes: frame table, then stored frames.
fn pack_clip(
    file: &mut AnimFile<'static>,
    clip: &ClipSource,
    poses: &[Vec<LocalPose>],
    encoding: LocalEncoding,
) -> (Track, Vec<u8>) {
    let nodes = file.nodes.len();
    let moves = |same: &dyn Fn(&LocalPose, &LocalPose) -> bool| -> Vec<bool> {
        (0..nodes).map(|node| poses.iter().any(|pose| !same(&pose[node], &poses[0][node]))).collect()
    };
    let rotations = moves(&|a, b| a.0 == b.0);
    let translations = moves(&|a, b| a.1 == b.1);
    let scales = moves(&|a, b| a.2 == b.2);
    let mut slots = 0..;
    let mut slot_of = |moves: &[bool]| -> Vec<Option<u32>> {
        moves.iter().map(|moves| moves.then(|| slots.next().unwrap())).collect()
    };
    let [rotation, translation, scale] = [&rotations, &translations, &scales].map(|moves| slot_of(moves));
    let elements = slots.next().unwrap();

    let range = |node: usize, part: &dyn Fn(&LocalPose) -> [f32; 3]| {
        range_of(&poses.iter().map(|pose| part(&pose[node]).into()).collect::<Vec<Vec3>>()).unwrap()
    };
    let translation_range: Vec<Vec4> = (0..nodes).map(|node| range(node, &|pose| pose.1)).collect();
    let scale_range: Vec<Vec4> = (0..nodes).map(|node| range(node, &|pose| pose.2)).collect();
    let mut records = Vec::new();
    for node in 0..nodes {
        if let Some(first) = file.nodes[node].rest_matrix_in_pool {
            records.push(LocalRecord::matrix(first));
            continue;
        }
        let (r, [tx, ty, tz], [sx, sy, sz]) = poses[0][node];
        let mut source = |slot: Option<u32>, constant: [f32; 4]| match slot {
            Some(slot) => LocalSource::Slot(slot),
            None => LocalSource::Constant(in_pool(file, &[constant])),
        };
        let sources = (
            source(rotation[node], r),
            source(translation[node], [tx, ty, tz, 0.0]),
            source(scale[node], [sx, sy, sz, 0.0]),
        );
        let mut ranges = Vec::new();
        ranges.extend(translation[node].map(|_| translation_range[node].to_array()));
        ranges.extend(scale[node].map(|_| scale_range[node].to_array()));
        let ranges =
            if encoding == LocalEncoding::Local32 || ranges.is_empty() { 0 } else { in_pool(file, &ranges) };
        records.push(LocalRecord::new(sources.0, sources.1, sources.2, ranges));
    }
    let run = file.local_records.chunks_exact(nodes.max(1)).position(|run| run == records);
    let first_record = run.map_or(file.local_records.len(), |run| run * nodes);
    if run.is_none() {
        file.local_records.extend(records);
    }

    let (mut stored, mut table) = (Vec::<Vec<u8>>::new(), Vec::new());
    let mut texel = vec![0; encoding.texel_bytes()];
    for pose in poses {
        let mut frame = Vec::new();
        for node in (0..nodes).filter(|node| rotations[*node]) {
            write_rotation(Quat::from_array(pose[node].0), encoding, &mut texel);
            frame.extend_from_slice(&texel);
        }
        for node in (0..nodes).filter(|node| translations[*node]) {
            write_value(pose[node].1.into(), translation_range[node], encoding, &mut texel);
            frame.extend_from_slice(&texel);
        }
        for node in (0..nodes).filter(|node| scales[*node]) {
            write_value(pose[node].2.into(), scale_range[node], encoding, &mut texel);
            frame.extend_from_slice(&texel);
        }
        let number = stored.iter().position(|stored| *stored == frame).unwrap_or(stored.len());
        table.push(number as u32);
        if number == stored.len() {
            stored.push(frame);
        }
    }
    let mut bytes: Vec<u8> = Vec::new();
    let has_table = elements > 0 && stored.len() < poses.len();
    if has_table {
        bytes.extend(table.iter().flat_map(|number| number.to_le_bytes()));
        bytes.resize(bytes.len().next_multiple_of(encoding.texel_bytes()), 0);
    }
    let frames = poses.len() as u32;
    let track = Track {
        page_set: 0,
        page: 0,
        first_texel: 0,
        header_texels: (bytes.len() / encoding.texel_bytes()) as u32,
        frames,
        intervals: frames - 1,
        stored_frames: if has_table { stored.len() as u32 } else { frames },
        elements_per_frame: elements,
        texels_per_element: 1,
        first_record: Some(first_record as u32),
        interpolation: clip.interpolation,
        held_frames: clip.held_frames.clone(),
    };
    bytes.extend(stored.concat());
    (track, bytes)
}

/// The first of these entries in the pool, where they are or are put.
fn in_pool(file: &mut AnimFile<'static>, entries: &[[f32; 4]]) -> u32 {
    let pool = &mut file.constant_pool;
    let found = pool.windows(entries.len()).position(|window| window == entries);
    found.unwrap_or_else(|| {
        pool.extend_from_slice(entries);
        pool.len() - entries.len()
    }) as u32
}
