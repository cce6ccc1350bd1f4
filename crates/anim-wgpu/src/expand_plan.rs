//! At which times local tracks are sampled where they have to be rows: as often as memory allows.

use anim_format::AnimFile;
use anim_format::model::{Clip, Interpolation, Track};
use anim_format::playback::{is_held, local_track};

/// Frames for each of the clip's own, as fractions, best first. Above 1 all of the clip's frames are among them.
const RATES: [(u32, u32); 12] =
    [(4, 1), (3, 1), (2, 1), (1, 1), (1, 2), (1, 3), (1, 4), (1, 6), (1, 8), (1, 16), (1, 32), (1, 64)];
/// No clip gets more frames a second than this, in Hz, unless it has them.
const FASTEST_RATE_HZ: f64 = 120.0;

/// How one clip is sampled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClipPlan {
    pub(crate) intervals: u32,
    /// Intervals of the local track.
    own_intervals: u32,
    pub(crate) interpolation: Interpolation,
    /// One bit an interval: it holds its first frame.
    pub(crate) held_frames: Vec<u32>,
}

impl ClipPlan {
    pub(crate) fn frames(&self) -> u32 {
        self.intervals.saturating_add(1)
    }

    /// The clip's own frame at or before a frame, and how far behind it that is, in the clip's intervals.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "frames are u32")]
    pub(crate) fn place(&self, frame: u32) -> (u32, f64) {
        if self.intervals == 0 {
            return (0, 0.0);
        }
        let (place, intervals) =
            (u64::from(frame) * u64::from(self.own_intervals), u64::from(self.intervals));
        ((place / intervals) as u32, (place % intervals) as f64 / intervals as f64)
    }

    pub(crate) fn holds(&self, frame: u32) -> bool {
        self.held_frames.get(frame as usize / 32).is_some_and(|word| word >> (frame % 32) & 1 == 1)
    }
}

/// Plans every clip of a file that has a local track: all at the best of the rates at which they fit `bytes_max` together,
/// or at the lowest where they fit at none.
pub(crate) fn plan_clips(file: &AnimFile<'_>, frame_bytes: u64, bytes_max: u64) -> Vec<Option<ClipPlan>> {
    let at = |rate: (u32, u32)| -> Vec<Option<ClipPlan>> {
        let plan = |clip: &Clip<'_>| local_track(file, clip).map(|(track, _)| plan(clip, track, rate));
        file.clips.iter().map(plan).collect()
    };
    let fits = |plans: &[Option<ClipPlan>]| {
        let frames: u64 = plans.iter().flatten().map(|plan| u64::from(plan.frames())).sum();
        frames.saturating_mul(frame_bytes) <= bytes_max
    };
    let mut plans = Vec::new();
    for rate in RATES {
        plans = at(rate);
        if fits(&plans) {
            break;
        }
    }
    plans
}

fn plan(clip: &Clip<'_>, track: &Track, (times, over): (u32, u32)) -> ClipPlan {
    let own = track.intervals;
    let steps = track.interpolation == Interpolation::Step;
    let fastest = (f64::from(clip.duration_seconds) * FASTEST_RATE_HZ / f64::from(own.max(1))).max(1.0);
    let intervals = match own {
        0 => 0,
        _ if steps => own,
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and four")]
        _ => own.saturating_mul(times.min(fastest as u32)).div_ceil(over),
    };
    let mut held_frames = Vec::new();
    // What jumps at a frame of the clip jumps at the end of the interval that has it, and not on the way there.
    for held in (0..own).filter(|frame| !steps && is_held(track, *frame)) {
        let jump = u64::from(held + 1) * u64::from(intervals);
        let interval = usize::try_from(jump.div_ceil(u64::from(own)).saturating_sub(1)).unwrap_or(usize::MAX);
        held_frames.resize(held_frames.len().max(interval / 32 + 1), 0u32);
        held_frames[interval / 32] |= 1 << (interval % 32);
    }
    if !held_frames.is_empty() {
        held_frames.resize(intervals as usize / 32 + 1, 0);
    }
    ClipPlan { intervals, own_intervals: own, interpolation: track.interpolation, held_frames }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clip(seconds: f32) -> Clip<'static> {
        Clip {
            name: "clip".into(),
            duration_seconds: seconds,
            start_seconds: 0.0,
            source_rate_hz: None,
            mode: anim_format::model::ClipMode::Loop,
            bounds: anim_format::model::Bounds::default(),
            loop_gap_metres: 0.0,
            tracks: Vec::new(),
        }
    }

    fn track(intervals: u32, held: &[u32]) -> Track {
        let mut held_frames = vec![0; if held.is_empty() { 0 } else { intervals as usize / 32 + 1 }];
        held.iter().for_each(|frame| held_frames[*frame as usize / 32] |= 1 << (frame % 32));
        Track {
            page_set: 0,
            page: 0,
            first_texel: 0,
            header_texels: 0,
            frames: intervals + 1,
            intervals,
            stored_frames: intervals + 1,
            elements_per_frame: 1,
            texels_per_element: 1,
            first_record: Some(0),
            interpolation: Interpolation::Linear,
            held_frames,
        }
    }

    #[test]
    fn frames_are_multiplied_up_to_a_rate_and_divided_down_to_one_interval() {
        let intervals = |seconds, own, rate| plan(&clip(seconds), &track(own, &[]), rate).intervals;
        assert_eq!(intervals(1.0, 24, (4, 1)), 96);
        assert_eq!(intervals(1.0, 60, (4, 1)), 120, "no faster than 120 Hz");
        assert_eq!(intervals(1.0, 240, (4, 1)), 240, "but its own");
        assert_eq!(intervals(1.0, 25, (1, 2)), 13);
        assert_eq!(intervals(1.0, 25, (1, 64)), 1);
        assert_eq!(intervals(0.0, 0, (4, 1)), 0);
    }

    #[test]
    fn what_jumps_is_held_until_the_frame_at_which_it_jumps() {
        let own = track(40, &[0, 32, 39]);
        let fine = plan(&clip(2.0), &own, (3, 1));
        assert_eq!(fine.intervals, 120);
        let held: Vec<u32> = (0..fine.intervals).filter(|frame| fine.holds(*frame)).collect();
        assert_eq!(held, [2, 98, 119]);
        assert_eq!([fine.place(3), fine.place(100)], [(1, 0.0), (33, 1.0 / 3.0)]);
        let coarse = plan(&clip(2.0), &own, (1, 4));
        let held: Vec<u32> = (0..coarse.intervals).filter(|frame| coarse.holds(*frame)).collect();
        assert_eq!(held, [0, 8, 9]);
    }
}
