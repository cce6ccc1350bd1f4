//! The moments of a track at which bounds look.

use anim_core::clip_time::Interpolation;
use anim_core::matrix_rows::Rows;
use anim_format::model::{AnimFile, Clip, Content, PageSet, Track};
use anim_format::playback::{LocalPlayer, fetch_bone_rows, is_held, local_view, palette_of_track};

/// A moment of a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Moment {
    /// A frame.
    Frame(u32),
    /// Between two frames, at so many seconds; the moments before and after it are as far away as it is from them.
    Between(f64),
}

/// Largest angle, in radians, by which all joints of a chain together turn from one moment to the next.
const TURN_MAX: f32 = 0.6;
/// The fewest and the most moments for an interval.
const MOMENTS_PER_INTERVAL: (u32, u32) = (2, 32);

/// All frames; of local tracks, whose vertices move on curves, also moments between them, in ascending time.
pub(crate) fn moments(file: &AnimFile<'_>, clip: &Clip<'_>, track: &Track) -> Vec<Moment> {
    let set = &file.page_sets[track.page_set as usize];
    let curves = set.content == Content::Local && track.interpolation == Interpolation::Linear;
    let mut moments = Vec::with_capacity(track.frames as usize);
    for frame in 0..track.frames {
        moments.push(Moment::Frame(frame));
        if !curves || track.elements_per_frame == 0 || frame == track.intervals || is_held(track, frame) {
            continue;
        }
        let (fewest, most) = MOMENTS_PER_INTERVAL;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few turns at most")]
        let steps = (libm::ceilf(turn(file, track, set, frame) / TURN_MAX) as u32).clamp(fewest, most);
        let interval_seconds = f64::from(clip.duration_seconds) / f64::from(track.intervals);
        moments.extend((1..steps).map(|step| {
            Moment::Between((f64::from(frame) + f64::from(step) / f64::from(steps)) * interval_seconds)
        }));
    }
    moments
}

/// Fills the palette of a moment.
pub(crate) fn palette_at_moment(
    file: &AnimFile<'_>,
    clip: &Clip<'_>,
    track: &Track,
    moment: Moment,
    palette: &mut [Rows],
) {
    let set = &file.page_sets[track.page_set as usize];
    match moment {
        Moment::Between(seconds) => palette_of_track(file, clip, track, seconds, palette),
        Moment::Frame(frame) if set.content == Content::Local => {
            let mut model_from_nodes = vec![[[0.0; 4]; 3]; file.nodes.len()];
            let player = LocalPlayer::new(file);
            let pose = player.at_frame(clip, frame).expect("a frame of the local track");
            pose.palette(&mut model_from_nodes, palette).expect("the lengths of the file");
        }
        Moment::Frame(frame) => {
            for (bone, rows) in palette.iter_mut().enumerate() {
                *rows = fetch_bone_rows(set, track, frame, bone);
            }
        }
    }
}

/// The largest sum of the turns of all joints from a root to a node, in radians, from a frame to the next.
fn turn(file: &AnimFile<'_>, track: &Track, set: &PageSet<'_>, frame: u32) -> f32 {
    let view = local_view(file, track, set);
    let (before, after) = (view.moment(frame, frame, 0.0), view.moment(frame + 1, frame + 1, 0.0));
    let mut turns = vec![0.0f32; file.nodes.len()];
    let mut largest = 0.0f32;
    for (node, number) in file.nodes.iter().zip(0u32..) {
        let own = match (view.node_transform_at(number, &before), view.node_transform_at(number, &after)) {
            (Some(a), Some(b)) => 2.0 * libm::acosf(a.rotation.dot(b.rotation).abs().min(1.0)),
            _ => 0.0,
        };
        let turn = own + node.parent.map_or(0.0, |parent| turns[parent as usize]);
        turns[number as usize] = turn;
        largest = largest.max(turn);
    }
    largest
}
