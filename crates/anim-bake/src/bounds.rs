//! Boxes and balls around everything that playback can show.
//!
//! Between two frames of rows a vertex moves on a straight line: what holds all frames holds every moment between them,
//! and every fade between clips whose bounds are joined. Between two frames of local tracks it moves on a curve: bounds
//! look at moments between them too, and grow by how far a curve can be from the lines between these.

use anim_core::matrix_rows::Rows;
use anim_core::skin_reference::{blend_influences, skin_position};
use anim_format::model::{AnimFile, Bounds, Clip};

use crate::bounds_moments::{Moment, moments, palette_at_moment};
use crate::geometry::{Geometry, PartGeometry};
use crate::packed_vertex::PackedVertex;
use crate::parallel;

/// What one clip's frames say.
pub(crate) struct ClipBounds {
    /// Around everything; `None` without vertices.
    pub(crate) whole: Option<Bounds>,
    /// Around each part.
    pub(crate) parts: Vec<Option<Bounds>>,
    /// Largest distance between a vertex in the first and in the last frame, in metres.
    pub(crate) loop_gap_metres: f32,
}

/// Bounds of every clip, over all frames: of each vertex as it is, and as players draw it.
pub(crate) fn clip_bounds(
    file: &AnimFile<'_>,
    geometry: &Geometry,
    packed: &[PackedVertex],
) -> Vec<ClipBounds> {
    parallel::map(file.clips.iter().collect(), |clip| one_clip(file, clip, geometry, packed))
}

/// The bounds that hold both.
pub(crate) fn join(a: Option<Bounds>, b: Option<Bounds>) -> Option<Bounds> {
    let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
    let box_min = std::array::from_fn(|i| a.box_min[i].min(b.box_min[i]));
    let box_max: [f32; 3] = std::array::from_fn(|i| a.box_max[i].max(b.box_max[i]));
    let center = std::array::from_fn(|i| (box_min[i] + box_max[i]) * 0.5);
    let reach = |of: Bounds| distance(center, of.sphere_center) + of.sphere_radius;
    let half_diagonal = distance(center, box_max);
    let sphere_radius = reach(a).max(reach(b)).min(half_diagonal) * (1.0 + 1e-6);
    Some(Bounds { box_min, box_max, sphere_center: center, sphere_radius })
}

/// A smooth curve is at most an eighth of its second difference away from the line between two of its points; twice that
/// is taken, since the moments are not infinitely near.
const CURVE_SHARE: f32 = 0.25;

fn one_clip(
    file: &AnimFile<'_>,
    clip: &Clip<'_>,
    geometry: &Geometry,
    packed: &[PackedVertex],
) -> ClipBounds {
    let mut palette: Vec<Rows> = vec![anim_core::matrix_rows::IDENTITY_ROWS; file.bones.len()];
    let moments: Vec<Vec<Moment>> = clip.tracks.iter().map(|track| moments(file, clip, track)).collect();
    let mut boxes = vec![Box3::EMPTY; geometry.parts.len()];
    let mut slack = vec![0.0f32; geometry.parts.len()];
    let mut loop_gap_metres = 0.0f32;
    for (number, (track, moments)) in clip.tracks.iter().zip(&moments).enumerate() {
        let mut places = Places::default();
        let mut first_pose: Vec<[f32; 3]> = Vec::new();
        for moment in moments {
            palette_at_moment(file, clip, track, *moment, &mut palette);
            places.next(*moment);
            for ((part, bounds), slack) in geometry.parts.iter().zip(&mut boxes).zip(&mut slack) {
                for_each_vertex(part, geometry, packed, &palette, |p, drawn| {
                    bounds.add(p);
                    bounds.add(drawn);
                    *slack = slack.max(places.add(p)).max(places.add(drawn));
                });
            }
            // The clip's first track says how far apart its ends are: they differ in rounding only.
            if number == 0 && *moment == Moment::Frame(0) {
                first_pose = places.now.iter().step_by(2).copied().collect();
            } else if number == 0 && *moment == Moment::Frame(track.intervals) {
                let gaps = first_pose.iter().zip(places.now.iter().step_by(2)).map(|(a, b)| distance(*a, *b));
                loop_gap_metres = gaps.fold(0.0, f32::max);
            }
        }
    }
    for (bounds, slack) in boxes.iter_mut().zip(&slack) {
        bounds.grow(slack * CURVE_SHARE);
    }
    let centers: Vec<[f32; 3]> = boxes.iter().map(Box3::center).collect();
    let whole = boxes.iter().fold(Box3::EMPTY, Box3::join);
    let mut part_radii = vec![0.0f32; boxes.len()];
    let mut whole_radius = 0.0f32;
    let whole_center = whole.center();
    for (track, moments) in clip.tracks.iter().zip(&moments) {
        for moment in moments {
            palette_at_moment(file, clip, track, *moment, &mut palette);
            for ((part, center), radius) in geometry.parts.iter().zip(&centers).zip(&mut part_radii) {
                for_each_vertex(part, geometry, packed, &palette, |p, drawn| {
                    for p in [p, drawn] {
                        *radius = radius.max(distance_squared(*center, p));
                        whole_radius = whole_radius.max(distance_squared(whole_center, p));
                    }
                });
            }
        }
    }
    let largest_slack = slack.iter().copied().fold(0.0, f32::max);
    let radius = |squared: f32, slack: f32| libm::sqrtf(squared) + slack * CURVE_SHARE;
    let of_parts = boxes.iter().zip(part_radii).zip(slack);
    ClipBounds {
        whole: whole.bounds(radius(whole_radius, largest_slack)),
        parts: of_parts.map(|((b, squared), slack)| b.bounds(radius(squared, slack))).collect(),
        loop_gap_metres,
    }
}

/// The places of all vertices at the moment and at the two before it.
#[derive(Default)]
struct Places {
    now: Vec<[f32; 3]>,
    before: Vec<[f32; 3]>,
    before_that: Vec<[f32; 3]>,
    /// The moment before lies between two frames, so that the curve can bend there.
    bends: bool,
    is_between: bool,
}

impl Places {
    fn next(&mut self, moment: Moment) {
        std::mem::swap(&mut self.before, &mut self.before_that);
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        self.bends = std::mem::replace(&mut self.is_between, matches!(moment, Moment::Between(_)));
    }

    /// Adds a place; returns the length of the second difference of its curve.
    fn add(&mut self, place: [f32; 3]) -> f32 {
        let number = self.now.len();
        self.now.push(place);
        if !self.bends {
            return 0.0;
        }
        let (a, b) = (self.before_that[number], self.before[number]);
        distance(std::array::from_fn(|i| a[i] + place[i]), b.map(|v| 2.0 * v))
    }
}

/// Where each vertex of a part is, and where it is drawn.
fn for_each_vertex(
    part: &PartGeometry,
    geometry: &Geometry,
    packed: &[PackedVertex],
    palette: &[Rows],
    mut f: impl FnMut([f32; 3], [f32; 3]),
) {
    let first = part.first_vertex as usize;
    let vertices = first..first + part.vertex_count as usize;
    for (vertex, drawn) in vertices.clone().zip(&packed[vertices]) {
        let rows = blend_influences(palette, geometry.bones[vertex], geometry.weights[vertex]);
        let drawn_rows = blend_influences(palette, drawn.bones, drawn.weights);
        f(skin_position(&rows, geometry.positions[vertex]), skin_position(&drawn_rows, drawn.position));
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Box3 {
    pub(crate) min: [f32; 3],
    pub(crate) max: [f32; 3],
}

impl Box3 {
    pub(crate) const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    pub(crate) fn add(&mut self, p: [f32; 3]) {
        self.min = std::array::from_fn(|i| self.min[i].min(p[i]));
        self.max = std::array::from_fn(|i| self.max[i].max(p[i]));
    }

    fn join(self, other: &Self) -> Self {
        let mut joined = self;
        joined.add(other.min);
        joined.add(other.max);
        if other.is_empty() { self } else { joined }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.min[0] > self.max[0]
    }

    /// Moves every side outwards; nothing happens to an empty box.
    fn grow(&mut self, metres: f32) {
        if !self.is_empty() {
            self.min = self.min.map(|v| v - metres);
            self.max = self.max.map(|v| v + metres);
        }
    }

    fn center(&self) -> [f32; 3] {
        std::array::from_fn(|i| (self.min[i] + self.max[i]) * 0.5)
    }

    /// `None` for an empty box. The slack covers the rounding of the player, a few parts in 10^7.
    fn bounds(&self, radius: f32) -> Option<Bounds> {
        if self.is_empty() {
            return None;
        }
        let reach = self.min.iter().chain(&self.max).fold(0.0f32, |reach, v| reach.max(v.abs()));
        let slack = reach * 2e-6;
        Some(Bounds {
            box_min: self.min.map(|v| v - slack),
            box_max: self.max.map(|v| v + slack),
            sphere_center: self.center(),
            sphere_radius: radius * (1.0 + 1e-6) + slack,
        })
    }
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    libm::sqrtf(distance_squared(a, b))
}

fn distance_squared(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d: [f32; 3] = std::array::from_fn(|i| a[i] - b[i]);
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}
