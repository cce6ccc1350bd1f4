//! Where in a clip, and at which nodes, playback is off: curves over time for a report.

use anim_core::clip_time::{Interpolation, blend_of, frame_pair, frame_time};
use anim_core::glam::DAffine3;
use anim_core::matrix_rows::{IDENTITY_ROWS, affine_from_rows, rows_from_affine};
use anim_format::model::{AnimFile, Worst};
use anim_format::playback::palette_of_track;

use super::truth::{Truth, difference, weighted};
use super::{geometry_of_file, plans_of_file};
use crate::bones::BoneTable;
use crate::clip_plan::ClipPlan;
use crate::diagnostics::BakeError;
use crate::evaluate::vec3;
use crate::geometry::{Geometry, index};
use crate::jumps::{held_frames, is_left_out};
use crate::source::SourceAsset;

/// Moments of a clip that are looked at; the frames of longer clips are looked at evenly.
const MOMENTS_MAX: u32 = 400;
/// Moments in an interval of a short clip.
const MOMENTS_PER_INTERVAL_MAX: u32 = 16;
/// Vertices that are looked at, unless there are more bones than this.
const VERTICES_MAX: usize = 4096;
/// Vertices of a bone that are taken for being the farthest from its joint: errors of rotation grow with the distance.
const FARTHEST: usize = 2;
/// The rate of the matrices that a profile compares with: what other tools store.
pub(super) const MATRICES_RATE_HZ: f64 = 30.0;

/// How far a clip's playback is from its source over time and by node. Distances in metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorProfile {
    /// In ascending order of time, at most 400 and the worst one that was given.
    pub moments: Vec<ErrorMoment>,
    /// By node of the file: the largest distance of a vertex that follows the node most; `None` for nodes that no vertex
    /// follows most. Leaves out the intervals next to a jump.
    pub by_node: Vec<Option<f64>>,
}

/// One moment of an [`ErrorProfile`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorMoment {
    /// Time in the clip.
    pub seconds: f64,
    /// The largest distance of any vertex that was looked at; `None` in an interval next to a jump, which the figures of
    /// accuracy leave out.
    pub max_metres: Option<f64>,
    /// The same for finished matrices in `f32`, baked at 30 Hz and blended, as other tools do it.
    pub matrices_metres: Option<f64>,
}

/// Makes profiles of a file's clips.
pub struct Profiles<'a> {
    asset: &'a SourceAsset,
    file: &'a AnimFile<'a>,
    table: BoneTable,
    geometry: Geometry,
    /// By page set and clip.
    plans: Vec<Vec<ClipPlan>>,
    /// The vertices that are looked at, by the bone that they follow most.
    vertices: Vec<Vec<u32>>,
}

impl<'a> Profiles<'a> {
    /// Prepares what all profiles share.
    ///
    /// # Errors
    ///
    /// If the file was not made from this source: a clip, a bone, or the vertex order and topology differs.
    pub fn new(asset: &'a SourceAsset, file: &'a AnimFile<'a>) -> Result<Self, BakeError> {
        let (table, geometry) = geometry_of_file(asset, file)?;
        let sets = 0..index(file.page_sets.len());
        let plans = sets.map(|set| plans_of_file(asset, file, set)).collect::<Result<_, _>>()?;
        let vertices = chosen_vertices(&geometry, &table);
        Ok(Self { asset, file, table, geometry, plans, vertices })
    }

    /// The profile of a clip in a page set. `worst` is what a measurement found: its vertex and time are looked at too.
    ///
    /// Empty if there is no such clip or page set, or nothing to measure.
    #[must_use]
    pub fn profile(&self, page_set: usize, clip: usize, worst: Option<&Worst>) -> ErrorProfile {
        let Self { asset, file, table, geometry, .. } = self;
        let plan = self.plans.get(page_set).and_then(|plans| plans.get(clip));
        let Some((plan, baked)) = plan.zip(file.clips.get(clip)) else { return ErrorProfile::default() };
        let track = baked.tracks.iter().find(|track| track.page_set as usize == page_set);
        let Some(track) = track.filter(|_| !geometry.positions.is_empty()) else {
            return ErrorProfile::default();
        };
        let worst = worst.filter(|worst| worst.clip as usize == clip);
        let extra = worst.and_then(|worst| self.vertex_of(worst));
        let mut truth = Truth::new(asset, table.bones(), plan);
        let mut matrices = plan.at_rate(asset, MATRICES_RATE_HZ).ok().map(Matrices::new);
        let mut played = vec![IDENTITY_ROWS; table.bones().len()];
        let mut profile = ErrorProfile { moments: Vec::new(), by_node: vec![None; file.nodes.len()] };
        for seconds in moments(plan, worst.map(|worst| worst.time_seconds)) {
            palette_of_track(file, baked, track, seconds, &mut played);
            truth.go_to(plan, seconds);
            let max_metres = (!left_out(plan, seconds)).then(|| {
                let pairs = played.iter().zip(&truth.model_from_bind);
                let difference: Vec<DAffine3> =
                    pairs.map(|(played, truth)| difference(played, truth)).collect();
                self.by_bone(&difference, extra, |bone, distance| {
                    if let Some(node) = file.bones[bone].node {
                        let of_node = &mut profile.by_node[node as usize];
                        *of_node = Some(of_node.unwrap_or(0.0).max(distance));
                    }
                })
            });
            let matrices_metres = matrices.as_mut().filter(|matrices| !left_out(&matrices.plan, seconds));
            let matrices_metres = matrices_metres.map(|matrices| {
                let difference = matrices.differences(&mut truth, seconds);
                self.by_bone(&difference, extra, |_, _| ())
            });
            profile.moments.push(ErrorMoment { seconds, max_metres, matrices_metres });
        }
        profile
    }

    /// The largest distance of all vertices; `each` gets that of every bone.
    fn by_bone(&self, difference: &[DAffine3], extra: Option<u32>, mut each: impl FnMut(usize, f64)) -> f64 {
        let mut largest = 0.0f64;
        let distance = |vertex: u32| {
            let vertex = vertex as usize;
            let position = vec3(self.geometry.positions[vertex]);
            weighted(difference, self.geometry.bones[vertex], self.geometry.weights[vertex], position)
                .length()
        };
        for (bone, vertices) in self.vertices.iter().enumerate() {
            if let Some(of_bone) = vertices.iter().map(|vertex| distance(*vertex)).reduce(f64::max) {
                each(bone, of_bone);
                largest = largest.max(of_bone);
            }
        }
        if let Some(vertex) = extra {
            let of_vertex = distance(vertex);
            each(usize::from(self.geometry.bones[vertex as usize][0]), of_vertex);
            largest = largest.max(of_vertex);
        }
        largest
    }

    fn vertex_of(&self, worst: &Worst) -> Option<u32> {
        let part = self.geometry.parts.get(worst.part as usize)?;
        (worst.vertex < part.vertex_count).then(|| part.first_vertex + worst.vertex)
    }
}

/// A clip as matrices at a rate; the frames around the last moment are kept.
struct Matrices {
    plan: ClipPlan,
    held: Vec<u32>,
    frames: [(u32, Vec<DAffine3>); 2],
}

impl Matrices {
    fn new(plan: ClipPlan) -> Self {
        let held = held_frames(&plan.jumps, plan.frames());
        Self { plan, held, frames: [(u32::MAX, Vec::new()), (u32::MAX, Vec::new())] }
    }

    /// What blending two frames is off by, bone by bone, at the moment that `truth` was sampled last.
    fn differences(&mut self, truth: &mut Truth<'_>, seconds: f64) -> Vec<DAffine3> {
        let plan = &self.plan;
        let exact = truth.model_from_bind.clone();
        let pair = frame_pair(seconds, f64::from(plan.duration_seconds), plan.intervals);
        if self.frames[1].0 == pair.a {
            self.frames.swap(0, 1);
        }
        for (slot, frame) in self.frames.iter_mut().zip([pair.a, pair.b]) {
            if slot.0 != frame {
                let (seconds, step_seconds) = plan.frame_seconds(frame);
                truth.sample(seconds, step_seconds);
                let stored = truth.model_from_bind.iter().map(|m| affine_from_rows(&rows_from_affine(m)));
                *slot = (frame, stored.collect());
            }
        }
        truth.model_from_bind.clone_from(&exact);
        let held = self.held.get(pair.a as usize / 32).is_some_and(|word| word >> (pair.a % 32) & 1 == 1);
        let blend = f64::from(blend_of(pair, plan.interpolation, held));
        let [(_, a), (_, b)] = &self.frames;
        let mixed = a.iter().zip(b).map(|(a, b)| (*a, *b));
        mixed
            .zip(exact)
            .map(|((a, b), exact)| DAffine3 {
                matrix3: a.matrix3 * (1.0 - blend) + b.matrix3 * blend - exact.matrix3,
                translation: a.translation * (1.0 - blend) + b.translation * blend - exact.translation,
            })
            .collect()
    }
}

/// Whether the figures leave out the interval of a moment.
fn left_out(plan: &ClipPlan, seconds: f64) -> bool {
    let duration = f64::from(plan.duration_seconds);
    let pair = frame_pair(seconds, duration, plan.intervals);
    let all_step = plan.interpolation == Interpolation::Step;
    plan.intervals > 0 && seconds < duration && is_left_out(&plan.jumps, pair.a, all_step)
}

/// Moments of a clip, ascending: frames, and places between them; of a long clip some of them.
fn moments(plan: &ClipPlan, worst_seconds: Option<f64>) -> Vec<f64> {
    let (duration, intervals) = (f64::from(plan.duration_seconds), plan.intervals);
    if intervals == 0 {
        return vec![0.0];
    }
    // The last frame comes on top. A third of an interval is where interpolated rotations are off most, and near where a
    // low rate is: that is never left out.
    let per_interval = ((MOMENTS_MAX - 1) / intervals).clamp(3, MOMENTS_PER_INTERVAL_MAX);
    let shown = intervals.min((MOMENTS_MAX - 1) / per_interval);
    let mut moments = Vec::with_capacity(MOMENTS_MAX as usize + 1);
    for number in 0..shown {
        #[expect(clippy::cast_possible_truncation, reason = "below `intervals`")]
        let interval = (u64::from(number) * u64::from(intervals) / u64::from(shown)) as u32;
        let (from, to) =
            (frame_time(interval, duration, intervals), frame_time(interval + 1, duration, intervals));
        let place = |part: u32| from + (to - from) * f64::from(part) / f64::from(per_interval);
        moments.extend((0..per_interval).map(place));
    }
    moments.push(duration);
    moments.extend(worst_seconds.filter(|seconds| (0.0..=duration).contains(seconds)));
    moments.sort_by(f64::total_cmp);
    moments.dedup();
    moments
}

/// By bone: all vertices that follow it most, or of many the farthest from its joint and an even share of the others.
fn chosen_vertices(geometry: &Geometry, table: &BoneTable) -> Vec<Vec<u32>> {
    let mut by_bone: Vec<Vec<u32>> = vec![Vec::new(); table.bones().len()];
    for (vertex, bones) in (0..).zip(&geometry.bones) {
        // Influences are stored largest first.
        by_bone[usize::from(bones[0])].push(vertex);
    }
    if geometry.positions.len() <= VERTICES_MAX {
        return by_bone;
    }
    let used = by_bone.iter().filter(|vertices| !vertices.is_empty()).count().max(1);
    let share = (VERTICES_MAX / used).max(1);
    for (vertices, bone) in by_bone.iter_mut().zip(table.bones()) {
        if vertices.len() <= share {
            continue;
        }
        let bone_from_bind = affine_from_rows(&bone.bone_from_bind);
        let reach = |vertex: u32| {
            bone_from_bind.transform_point3(vec3(geometry.positions[vertex as usize])).length_squared()
        };
        let mut farthest: Vec<(f64, u32)> = vertices.iter().map(|vertex| (reach(*vertex), *vertex)).collect();
        farthest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let first = FARTHEST.min(share);
        let (first, others) = farthest.split_at(first);
        let step = others.len().div_ceil((share - first.len()).max(1)).max(1);
        let even = others.iter().step_by(step).take(share - first.len());
        *vertices = first.iter().chain(even).map(|(_, vertex)| *vertex).collect();
    }
    by_bone
}
