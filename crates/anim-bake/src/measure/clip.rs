//! The errors of one clip: at frames, between frames, and everywhere where the sample is worst.

use anim_core::bind::model_from_bind;
use anim_core::clip_time::{Interpolation, frame_time};
use anim_core::error_metric::{ErrorHistogram, angle_degrees};
use anim_core::glam::{DAffine3, DMat3, DVec3};
use anim_core::matrix_rows::{IDENTITY_ROWS, Rows, affine_from_rows};
use anim_core::skin_reference::{NormalRule, blend_influences, skin_normal};
use anim_format::model::{Track, Worst};
use anim_format::playback::palette_of_track;

use super::Subject;
use super::sample::VertexSample;
use crate::bone_texture::PoseSampler;
use crate::evaluate::{ClipCurves, cofactor, vec3};
use crate::geometry::{PartGeometry, index};
use crate::jumps::{ON_FRAME_INTERVALS, is_left_out};
use crate::rate::key_times;

/// What was found in one clip. Lengths in metres.
#[derive(Debug, Default)]
pub(crate) struct ClipMeasure {
    pub(crate) histogram: ErrorHistogram,
    pub(crate) max: f64,
    pub(crate) worst: Option<Worst>,
    pub(crate) normal_max_degrees: f64,
    pub(crate) left_out_max: f64,
    pub(crate) left_out_intervals: u32,
    pub(crate) largest_shift_seconds: f64,
    pub(crate) influence_max: f64,
    pub(crate) morph_max: f64,
    pub(crate) packing_max: f64,
}

/// Places inside an interval that are measured, as shares of it. An error that grows from a frame and shrinks towards
/// the next is largest near the middle.
const PLACES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];
/// The same for intervals that the figures leave out: a jump is worst next to the frames, where playback still shows
/// the earlier one.
const PLACES_NEXT_TO_A_JUMP: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 0.998];
/// Places in an exhaustive measurement and around the worst of the others: sixteenths.
const SIXTEENTHS: u8 = 16;
/// Intervals of a clip that are measured again with every vertex.
const WORST_INTERVALS: usize = 2;
/// Before a key: far enough for the key not to count as reached, in shares of an interval.
const JUST_BEFORE: f64 = 2.0 * ON_FRAME_INTERVALS;
/// Keys inside one interval that are measured, evenly chosen; keys on frames are measured anyway. An exhaustive
/// measurement leaves out none.
const KEYS_PER_INTERVAL: usize = 64;

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
    let mut moment = Moment::new(subject, clip, track, interval_seconds);
    let all_step = plan.interpolation == Interpolation::Step;
    found.largest_shift_seconds =
        plan.jumps.iter().map(|jump| jump.shift_intervals * interval_seconds).fold(0.0, f64::max);
    let keys = keys_by_interval(subject, clip);
    let most_keys = if exhaustive { usize::MAX } else { KEYS_PER_INTERVAL };
    let sixteenths: Vec<f64> = (0..SIXTEENTHS).map(|i| f64::from(i) / f64::from(SIXTEENTHS)).collect();
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
                for vertex in sample.everywhere() {
                    found.left_out_max = found.left_out_max.max(moment.distance(vertex));
                }
            }
            continue;
        }
        let places: &[f64] = match plan.intervals {
            0 => &[0.0],
            _ if exhaustive => &sixteenths,
            _ => &PLACES,
        };
        let mut interval_max = 0.0f64;
        for place in places.iter().chain(thinned(keys_here, most_keys)) {
            moment.go_to(start + place * interval_seconds);
            for vertex in sample.even.iter().copied() {
                let distance = moment.distance(vertex);
                found.histogram.add(distance);
                interval_max = interval_max.max(distance);
                found.take(subject, &moment, vertex, distance);
            }
            for vertex in sample.outermost.iter().copied() {
                let distance = moment.distance(vertex);
                interval_max = interval_max.max(distance);
                found.take(subject, &moment, vertex, distance);
            }
            if *place == 0.0 || *place == 0.5 {
                if stop.is_none() {
                    moment.measure_losses(&mut found, sample);
                }
                if stop.is_none_or(|stop| stop.normal_degrees.is_finite()) {
                    moment.measure_normals(&mut found, &sample.even);
                }
            }
            if stop.is_some_and(|stop| found.is_above(&stop)) {
                return found;
            }
        }
        worst_intervals.push((interval_max, interval));
    }
    if plan.intervals > 0 {
        moment.go_to(f64::from(plan.duration_seconds));
        for vertex in sample.everywhere() {
            found.take(subject, &moment, vertex, moment.distance(vertex));
        }
        moment.measure_losses(&mut found, sample);
    }
    if !exhaustive && plan.intervals > 0 {
        worst_intervals.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (_, interval) in worst_intervals.iter().take(WORST_INTERVALS) {
            let start = frame_time(*interval, f64::from(plan.duration_seconds), plan.intervals);
            let keys_here = thinned(&keys[*interval as usize], KEYS_PER_INTERVAL);
            for place in sixteenths.iter().chain([&1.0]).chain(keys_here) {
                moment.go_to(start + place * interval_seconds);
                for vertex in sample.all.iter().copied() {
                    found.take(subject, &moment, vertex, moment.distance(vertex));
                }
            }
        }
    }
    found
}

impl ClipMeasure {
    fn is_above(&self, stop: &StopAbove) -> bool {
        self.max > stop.metres || self.normal_max_degrees > stop.normal_degrees
    }

    fn take(&mut self, subject: &Subject<'_>, moment: &Moment<'_>, vertex: u32, distance: f64) {
        if distance > self.max || self.worst.is_none() {
            self.max = distance;
            let (part, first) = part_of(&subject.geometry.parts, vertex);
            self.worst = Some(Worst {
                clip: index(moment.clip),
                bone: u32::from(subject.geometry.bones[vertex as usize][0]),
                part,
                vertex: vertex - first,
                time_seconds: moment.seconds,
            });
        }
    }
}

/// Playback and truth at one time of one clip.
struct Moment<'a> {
    subject: &'a Subject<'a>,
    clip: usize,
    track: &'a Track,
    curves: ClipCurves<'a>,
    sampler: PoseSampler<'a>,
    binds: Vec<DAffine3>,
    /// Playback is on a frame this long before it: see [`anim_core::clip_time::blend_of`].
    on_frame_seconds: f64,
    seconds: f64,
    played: Vec<Rows>,
    truth: Vec<DAffine3>,
    /// Played minus true.
    difference: Vec<DAffine3>,
    /// Weights of the morph targets less those at rest, by part; empty where a part has none.
    morph_weights: Vec<Vec<f64>>,
}

impl<'a> Moment<'a> {
    fn new(subject: &'a Subject<'a>, clip: usize, track: &'a Track, interval_seconds: f64) -> Self {
        let source = subject.clips[clip].source.map(|source| &subject.asset.clips[source]);
        let bones = subject.bones.len();
        Self {
            subject,
            clip,
            track,
            curves: ClipCurves::new(subject.asset, source),
            sampler: PoseSampler::new(subject.asset),
            binds: subject.bones.iter().map(|bone| affine_from_rows(&bone.bone_from_bind)).collect(),
            on_frame_seconds: ON_FRAME_INTERVALS * interval_seconds,
            seconds: 0.0,
            played: vec![IDENTITY_ROWS; bones],
            truth: vec![DAffine3::IDENTITY; bones],
            difference: vec![DAffine3::IDENTITY; bones],
            morph_weights: vec![Vec::new(); subject.geometry.parts.len()],
        }
    }

    fn go_to(&mut self, seconds: f64) {
        let Subject { asset, file, geometry, bones, clips, .. } = *self.subject;
        self.seconds = seconds;
        palette_of_track(file, &file.clips[self.clip], self.track, seconds, &mut self.played);
        let source_seconds = f64::from(clips[self.clip].start_seconds) + seconds;
        // A STEP key that rounding puts just behind a frame is on it, in the source as in playback.
        let step_seconds = source_seconds + self.on_frame_seconds;
        let model_from_node = self.sampler.pose(&self.curves, source_seconds, step_seconds);
        for (i, bone) in bones.iter().enumerate() {
            if let Some(node) = bone.node {
                self.truth[i] = model_from_bind(&model_from_node[node], &self.binds[i]);
            }
            let played = affine_from_rows(&self.played[i]);
            self.difference[i] = DAffine3 {
                matrix3: played.matrix3 - self.truth[i].matrix3,
                translation: played.translation - self.truth[i].translation,
            };
        }
        for (part, weights) in geometry.parts.iter().zip(&mut self.morph_weights) {
            let instance = part.instance;
            let targets = &asset.meshes[instance.mesh].primitives[instance.primitive].morph_targets;
            if !targets.is_empty() {
                let rest = asset.nodes[instance.node].weights.iter().map(|w| f64::from(*w));
                let now = self.curves.morph_weights(instance.node, source_seconds);
                *weights = now.iter().zip(rest).map(|(now, rest)| now - rest).collect();
            }
        }
    }

    /// Distance between the played and the true place of a vertex.
    fn distance(&self, vertex: u32) -> f64 {
        let geometry = self.subject.geometry;
        let vertex = vertex as usize;
        let position = vec3(geometry.positions[vertex]);
        weighted(&self.difference, geometry.bones[vertex], geometry.weights[vertex], position).length()
    }

    /// What dropped influences, dropped morph targets and vertex packing do at this moment.
    fn measure_losses(&self, found: &mut ClipMeasure, sample: &VertexSample) {
        let geometry = self.subject.geometry;
        for dropped in &geometry.dropped {
            let vertex = dropped.vertex as usize;
            let position = vec3(geometry.positions[vertex]);
            let kept = weighted(&self.truth, geometry.bones[vertex], geometry.weights[vertex], position);
            let mut whole = DVec3::ZERO;
            for (bone, weight) in &dropped.all {
                whole += self.truth[usize::from(*bone)].transform_point3(position) * *weight;
            }
            found.influence_max = found.influence_max.max((whole - kept).length());
        }
        for vertex in sample.everywhere().map(|v| v as usize) {
            let (bones, weights) = (geometry.bones[vertex], geometry.weights[vertex]);
            let stored = sample.packed[vertex];
            let exact = weighted(&self.truth, bones, weights, vec3(geometry.positions[vertex]));
            let packed = weighted(&self.truth, stored.bones, stored.weights, vec3(stored.position));
            found.packing_max = found.packing_max.max((exact - packed).length());
        }
        for (part, weights) in geometry.parts.iter().zip(&self.morph_weights) {
            if weights.iter().any(|w| *w != 0.0) {
                found.morph_max = found.morph_max.max(self.largest_morph(part, weights));
            }
        }
    }

    fn largest_morph(&self, part: &PartGeometry, weights: &[f64]) -> f64 {
        let Subject { asset, geometry, .. } = *self.subject;
        let primitive = &asset.meshes[part.instance.mesh].primitives[part.instance.primitive];
        let mut largest = 0.0f64;
        for local in 0..part.source_vertex_count as usize {
            let mut displacement = DVec3::ZERO;
            for (target, weight) in primitive.morph_targets.iter().zip(weights) {
                if let Some(positions) = &target.positions {
                    displacement += vec3(positions[local]) * *weight;
                }
            }
            let vertex = part.first_vertex as usize + local;
            let turned =
                blended(&self.truth, geometry.bones[vertex], geometry.weights[vertex]) * displacement;
            largest = largest.max(turned.length());
        }
        largest
    }

    fn measure_normals(&self, found: &mut ClipMeasure, vertices: &[u32]) {
        let geometry = self.subject.geometry;
        for vertex in vertices {
            let (part, _) = part_of(&geometry.parts, *vertex);
            let vertex = *vertex as usize;
            let (bones, weights) = (geometry.bones[vertex], geometry.weights[vertex]);
            let normal = geometry.normals[vertex];
            let matrix = blended(&self.truth, bones, weights);
            let (rule, matrix) = if geometry.parts[part as usize].rigid {
                (NormalRule::Cofactor, cofactor(&matrix))
            } else {
                (NormalRule::Blended, matrix)
            };
            let truth = matrix * vec3(normal);
            // A part that is scaled to nothing has no direction.
            if truth.length() > 1e-6 * largest_number(&matrix) && truth.length() > 1e-9 {
                let played = skin_normal(&blend_influences(&self.played, bones, weights), normal, rule);
                let angle = angle_degrees(played.map(f64::from), truth.to_array());
                found.normal_max_degrees = found.normal_max_degrees.max(angle);
            }
        }
    }
}

/// The weighted sum of a point through four matrices.
fn weighted(matrices: &[DAffine3], bones: [u16; 4], weights: [f32; 4], point: DVec3) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for (bone, weight) in bones.iter().zip(weights) {
        if weight > 0.0 {
            sum += matrices[usize::from(*bone)].transform_point3(point) * f64::from(weight);
        }
    }
    sum
}

fn blended(matrices: &[DAffine3], bones: [u16; 4], weights: [f32; 4]) -> DMat3 {
    let mut sum = DMat3::ZERO;
    for (bone, weight) in bones.iter().zip(weights) {
        if weight > 0.0 {
            sum += matrices[usize::from(*bone)].matrix3 * f64::from(weight);
        }
    }
    sum
}

fn largest_number(matrix: &DMat3) -> f64 {
    matrix.to_cols_array().iter().fold(0.0, |largest, v| v.abs().max(largest))
}

/// The part of a vertex, and the part's first vertex.
fn part_of(parts: &[PartGeometry], vertex: u32) -> (u32, u32) {
    let part = parts.partition_point(|part| part.first_vertex <= vertex) - 1;
    // Parts without vertices start where the next one does.
    (index(part), parts[part].first_vertex)
}

/// At most `most` of a list, at equal distances.
fn thinned(places: &[f64], most: usize) -> impl Iterator<Item = &f64> {
    places.iter().step_by(places.len().div_ceil(most).max(1))
}

/// Places of keys strictly inside each interval, as shares of it.
fn keys_by_interval(subject: &Subject<'_>, clip: usize) -> Vec<Vec<f64>> {
    let plan = &subject.clips[clip];
    let Some(source) = plan.source.filter(|_| plan.intervals > 0) else { return Vec::new() };
    let mut places: Vec<Vec<f64>> = vec![Vec::new(); plan.intervals as usize];
    for seconds in key_times(&subject.asset.clips[source]) {
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
