//! The errors of one clip: at frames, between frames, and everywhere where they are largest.

use std::collections::BTreeSet;

use anim_core::clip_time::{Interpolation, frame_time};
use anim_core::error_metric::ErrorHistogram;
use anim_format::model::Worst;

use super::Subject;
use super::losses::Losses;
use super::moment::Moment;
use super::normals::NormalError;
use super::sample::VertexSample;
use crate::geometry::index;
use crate::jumps::{ON_FRAME_INTERVALS, is_left_out};
use crate::rate::key_times;
use crate::source::{Channel, KeyInterpolation, SourceClip};

/// What was found in one clip. Lengths in metres.
#[derive(Debug, Default)]
pub(crate) struct ClipMeasure {
    pub(crate) histogram: ErrorHistogram,
    pub(crate) max: f64,
    pub(crate) worst: Option<Worst>,
    pub(super) normals: NormalError,
    pub(super) losses: Losses,
    pub(crate) left_out_max: f64,
    pub(crate) left_out_intervals: u32,
    pub(crate) largest_shift_seconds: f64,
}

/// Places inside an interval that are measured, as shares of it. What a lower rate cuts off is largest near the middle;
/// what `nlerp_corrected` lacks is nothing there, and largest near these others and their mirror images. Next to a frame
/// its rounding shows.
const PLACES: [f64; 3] = [0.07, 0.32, 0.5];
/// Places that are measured too in bad intervals. Near a fifth and four fifths is where a spline that bends both ways is
/// farthest off, and an interpolated rotation of more than a right angle.
const PLACES_OF_BAD_INTERVALS: [f64; 5] = [0.0, 0.2, 0.68, 0.8, 0.93];
/// Places between two keys of a spline that are measured if the keys are nearer than two frames are: where a bend, and
/// one both ways, is farthest from the keys.
const PLACES_OF_SPLINES: [f64; 3] = [0.21, 0.5, 0.79];
/// An interval is bad if its error can be more than this share of the largest that was found.
const BAD: f64 = 0.8;
/// The same for intervals that the figures leave out: a jump is worst next to the frames, where playback still shows
/// the earlier one.
const PLACES_NEXT_TO_A_JUMP: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 0.998];
/// Places in an exhaustive measurement and around the worst of the others: sixteenths.
const SIXTEENTHS: u8 = 16;
/// Intervals of a clip, beside the worst one that was found, that are measured again at sixteenths.
const WORST_INTERVALS: usize = 2;
/// Before a key: far enough for the key not to count as reached, in shares of an interval.
const JUST_BEFORE: f64 = 2.0 * ON_FRAME_INTERVALS;
/// Keys inside one interval that are measured, evenly chosen; keys on frames are measured anyway. An exhaustive
/// measurement leaves out none.
const KEYS_PER_INTERVAL: usize = 1024;

/// Errors above which nothing more has to be known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StopAbove {
    pub(crate) metres: f64,
    pub(crate) normal_degrees: f64,
}

/// Measures one clip, or what is seen of it until something is above `stop`; then losses are not measured.
pub(crate) fn measure_clip(
    subject: &Subject<'_>,
    clip: usize,
    sample: &VertexSample,
    exhaustive: bool,
    stop: Option<StopAbove>,
) -> ClipMeasure {
    let plan = &subject.clips[clip];
    let mut found = ClipMeasure::default();
    let tracks = &subject.file.clips[clip].tracks;
    let Some(track) = tracks.iter().find(|track| track.page_set == subject.page_set) else {
        return found;
    };
    let interval_seconds = match plan.intervals {
        0 => 0.0,
        intervals => f64::from(plan.duration_seconds) / f64::from(intervals),
    };
    let mut moment = Moment::new(subject, sample, clip, track);
    // A limit of normals is one for all of them; another limit does not ask for any.
    let normals_at = |number: u32, moments: u32| match stop {
        None => Some(sample.share(number, moments)),
        Some(stop) => stop.normal_degrees.is_finite().then(|| sample.all()),
    };
    let all_step = plan.interpolation == Interpolation::Step;
    found.largest_shift_seconds =
        plan.jumps.iter().map(|jump| jump.shift_intervals * interval_seconds).fold(0.0, f64::max);
    let keys = keys_by_interval(subject, clip);
    let most_keys = if exhaustive { usize::MAX } else { KEYS_PER_INTERVAL };
    let sixteenths: Vec<f64> = (0..SIXTEENTHS).map(|i| f64::from(i) / f64::from(SIXTEENTHS)).collect();
    let places: &[f64] = match plan.intervals {
        0 => &[0.0],
        _ if exhaustive => &sixteenths,
        _ => &PLACES,
    };
    let moments = plan.intervals.max(1) * index(places.len());
    let mut moments_seen = 0;
    let mut worst_intervals: Vec<(f64, u32)> = Vec::new();
    for interval in 0..plan.intervals.max(1) {
        let start = frame_time(interval, f64::from(plan.duration_seconds), plan.intervals);
        let keys_here = keys.get(interval as usize).map_or(&[][..], Vec::as_slice);
        if plan.intervals > 0 && is_left_out(&plan.jumps, interval, all_step) {
            found.left_out_intervals += 1;
            // Something may jump to and fro between two frames, or be farthest just before it jumps.
            let at_keys = thinned(keys_here, most_keys).flat_map(|place| [place - JUST_BEFORE, *place]);
            for place in PLACES_NEXT_TO_A_JUMP.into_iter().chain(at_keys) {
                moment.go_to(start + place * interval_seconds);
                if let Some((_, distance)) = moment.farthest(found.left_out_max) {
                    found.left_out_max = distance;
                }
            }
            continue;
        }
        let mut interval_bound = 0.0f64;
        for place in places.iter().chain(thinned(keys_here, most_keys)) {
            interval_bound = interval_bound.max(moment.go_to(start + place * interval_seconds));
            for vertex in sample.share(moments_seen, moments) {
                found.histogram.add(moment.distance(vertex));
            }
            found.take_farthest(&moment);
            if *place == places[0] && stop.is_none() {
                found.losses.measure(&moment, sample.of_packing(moments_seen, moments));
            }
            // Next to a frame directions are nearly right.
            let is_next_to_frame = *place == places[0] && plan.intervals > 0;
            if let Some(vertices) = normals_at(moments_seen, moments)
                && (exhaustive || stop.is_some() || !is_next_to_frame)
            {
                found.normals.measure(&moment, vertices);
            }
            moments_seen += 1;
            if stop.is_some_and(|stop| found.is_above(&stop)) {
                return found;
            }
        }
        if plan.intervals > 0 && !exhaustive && interval_bound > BAD * found.max {
            for place in PLACES_OF_BAD_INTERVALS {
                interval_bound = interval_bound.max(moment.go_to(start + place * interval_seconds));
                found.take_farthest(&moment);
                if let Some(vertices) = normals_at(moments_seen, moments) {
                    found.normals.measure(&moment, vertices);
                }
            }
            if stop.is_some_and(|stop| found.is_above(&stop)) {
                return found;
            }
        }
        worst_intervals.push((interval_bound, interval));
    }
    if plan.intervals > 0 {
        moment.go_to(f64::from(plan.duration_seconds));
        found.take_farthest(&moment);
        if stop.is_none() {
            found.losses.measure(&moment, sample.of_packing(moments_seen, moments));
        }
    }
    if !exhaustive && plan.intervals > 0 {
        worst_intervals.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut again: Vec<u32> =
            worst_intervals.iter().take(WORST_INTERVALS).map(|(_, interval)| *interval).collect();
        let at_worst = found.worst.map_or(0.0, |worst| worst.time_seconds / interval_seconds);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the clip")]
        let interval_of_worst = (at_worst as u32).min(plan.intervals - 1);
        if !again.contains(&interval_of_worst) && worst_intervals.iter().any(|(_, i)| *i == interval_of_worst)
        {
            again.push(interval_of_worst);
        }
        for interval in again {
            let start = frame_time(interval, f64::from(plan.duration_seconds), plan.intervals);
            let keys_here = thinned(&keys[interval as usize], KEYS_PER_INTERVAL);
            for place in sixteenths.iter().chain([&1.0]).chain(keys_here) {
                moment.go_to(start + place * interval_seconds);
                found.take_farthest(&moment);
            }
        }
    }
    if let Some(seconds) = found.normals.seconds {
        moment.go_to(seconds);
        found.normals.measure(&moment, sample.all());
    }
    found
}

impl ClipMeasure {
    fn is_above(&self, stop: &StopAbove) -> bool {
        self.max > stop.metres || self.normals.max_degrees > stop.normal_degrees
    }

    /// Takes the farthest vertex of a moment, if it is farther than all before.
    fn take_farthest(&mut self, moment: &Moment<'_>) {
        let above = if self.worst.is_some() { self.max } else { -1.0 };
        if let Some((vertex, distance)) = moment.farthest(above) {
            self.max = distance;
            let geometry = moment.subject.geometry;
            // Parts without vertices start where the next one does.
            let part = geometry.parts.partition_point(|part| part.first_vertex <= vertex) - 1;
            self.worst = Some(Worst {
                clip: index(moment.clip),
                bone: u32::from(geometry.bones[vertex as usize][0]),
                part: index(part),
                vertex: vertex - geometry.parts[part].first_vertex,
                time_seconds: moment.seconds,
            });
        }
    }
}

/// At most `most` of a list, at equal distances.
fn thinned(places: &[f64], most: usize) -> impl Iterator<Item = &f64> {
    places.iter().step_by(places.len().div_ceil(most).max(1))
}

fn is_spline(channel: &Channel) -> bool {
    channel.interpolation == KeyInterpolation::CubicSpline
}

/// The times of all keys, and times between those of splines that are nearer than `interval_seconds`, ascending.
fn times_of_interest(clip: &SourceClip, interval_seconds: f64) -> Vec<f64> {
    let mut times = key_times(clip);
    let keys = times.len();
    // Channels usually share a few time lists; each list is read once.
    let mut seen = BTreeSet::new();
    for channel in clip.channels.iter().filter(|channel| is_spline(channel)) {
        let list = &channel.times_seconds;
        if !seen.insert((list.as_ptr() as usize, list.len())) {
            continue;
        }
        for pair in list.windows(2) {
            let (a, b) = (f64::from(pair[0]), f64::from(pair[1]));
            if b - a < interval_seconds * (1.0 - 1e-3) {
                times.extend(PLACES_OF_SPLINES.map(|place| a + (b - a) * place));
            }
        }
    }
    if times.len() > keys {
        times.sort_by(f64::total_cmp);
        times.dedup();
    }
    times
}

/// Places of keys strictly inside each interval, and of what splines do between them, as shares of it.
fn keys_by_interval(subject: &Subject<'_>, clip: usize) -> Vec<Vec<f64>> {
    let plan = &subject.clips[clip];
    let Some(source) = plan.source.filter(|_| plan.intervals > 0) else { return Vec::new() };
    let mut places: Vec<Vec<f64>> = vec![Vec::new(); plan.intervals as usize];
    let interval_seconds = f64::from(plan.duration_seconds) / f64::from(plan.intervals);
    for seconds in times_of_interest(&subject.asset.clips[source], interval_seconds) {
        let at = (seconds - f64::from(plan.start_seconds)) / f64::from(plan.duration_seconds)
            * f64::from(plan.intervals);
        if !(at > 0.0) {
            continue;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the clip")]
        let interval = at as usize;
        let place = at - libm::floor(at);
        if let Some(list) = places.get_mut(interval)
            && place > 1e-3
            && place < 1.0 - 1e-3
        {
            list.push(place);
        }
    }
    places
}
