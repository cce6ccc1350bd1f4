//! Boxes and balls around everything that playback can show.
//!
//! Playback blends the rows of two frames, so a vertex moves on the straight line between its places in the two: what
//! holds all frames holds every moment between them, and every fade between clips whose bounds are joined.

use anim_core::matrix_rows::Rows;
use anim_core::skin_reference::{blend_influences, skin_position};
use anim_format::model::{AnimFile, Bounds, Clip};
use anim_format::playback::palette_at_frame;

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

fn one_clip(
    file: &AnimFile<'_>,
    clip: &Clip<'_>,
    geometry: &Geometry,
    packed: &[PackedVertex],
) -> ClipBounds {
    let mut palette: Vec<Rows> = vec![anim_core::matrix_rows::IDENTITY_ROWS; file.bones.len()];
    let intervals = clip.tracks.first().map_or(0, |track| track.intervals);
    let mut boxes = vec![Box3::EMPTY; geometry.parts.len()];
    let mut first_pose: Vec<[f32; 3]> = Vec::with_capacity(geometry.positions.len());
    let mut loop_gap_metres = 0.0f32;
    for frame in 0..=intervals {
        palette_at_frame(file, clip, frame, &mut palette);
        let mut number = 0;
        for (part, bounds) in geometry.parts.iter().zip(&mut boxes) {
            for_each_vertex(part, geometry, packed, &palette, |p, drawn| {
                bounds.add(p);
                bounds.add(drawn);
                if frame == 0 {
                    first_pose.push(p);
                } else if frame == intervals {
                    loop_gap_metres = loop_gap_metres.max(distance(first_pose[number], p));
                }
                number += 1;
            });
        }
    }
    let centers: Vec<[f32; 3]> = boxes.iter().map(Box3::center).collect();
    let whole = boxes.iter().fold(Box3::EMPTY, Box3::join);
    let mut part_radii = vec![0.0f32; boxes.len()];
    let mut whole_radius = 0.0f32;
    let whole_center = whole.center();
    for frame in 0..=intervals {
        palette_at_frame(file, clip, frame, &mut palette);
        for ((part, center), radius) in geometry.parts.iter().zip(&centers).zip(&mut part_radii) {
            for_each_vertex(part, geometry, packed, &palette, |p, drawn| {
                for p in [p, drawn] {
                    *radius = radius.max(distance_squared(*center, p));
                    whole_radius = whole_radius.max(distance_squared(whole_center, p));
                }
            });
        }
    }
    ClipBounds {
        whole: whole.bounds(whole_radius),
        parts: boxes.iter().zip(part_radii).map(|(b, radius)| b.bounds(radius)).collect(),
        loop_gap_metres,
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

    fn center(&self) -> [f32; 3] {
        std::array::from_fn(|i| (self.min[i] + self.max[i]) * 0.5)
    }

    /// `None` for an empty box. The slack covers the rounding of the player, a few parts in 10^7.
    fn bounds(&self, radius_squared: f32) -> Option<Bounds> {
        if self.is_empty() {
            return None;
        }
        let reach = self.min.iter().chain(&self.max).fold(0.0f32, |reach, v| reach.max(v.abs()));
        let slack = reach * 2e-6;
        Some(Bounds {
            box_min: self.min.map(|v| v - slack),
            box_max: self.max.map(|v| v + slack),
            sphere_center: self.center(),
            sphere_radius: libm::sqrtf(radius_squared) * (1.0 + 1e-6) + slack,
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
