//! Boxes and balls around everything that playback can show.
//!
//! Between two frames of rows a vertex moves on a straight line: what holds all frames holds every moment between them,
//! and every fade between clips whose bounds are joined. Between two frames of local tracks it moves on a curve: bounds
//! look at moments between them too, and grow by how far a curve can be from the lines between these.
//!
//! Few vertices are looked at. At every moment each group of vertices lies in a box that its bones tell (see
//! [`crate::clusters`]); its vertices are looked at only where that box is outside what was found already, by more than a
//! fraction of a percent. The result holds the boxes that were passed over.

use anim_core::glam::Vec4;
use anim_format::model::{AnimFile, Bounds, Clip};

use crate::bounds_poses::{BEND_TOLERANCE, Chunk, Columns, LaneBox, Poses, Skins};
use crate::box3::Box3;
use crate::clusters::{Cluster, Clusters};
use crate::geometry::Geometry;
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
    let clusters = Clusters::new(geometry, packed);
    let skins = Skins { geometry, packed, clusters: &clusters };
    parallel::map(file.clips.iter().collect(), |clip| one_clip(file, clip, skins))
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
/// What is not worth a look at vertices, on each side of a part's box: a share of the model's size, and one of the box's
/// own diagonal.
const BOX_TOLERANCE: (f32, f32) = (0.005, 0.01);
/// What is not worth a look at vertices, as a share of a ball's radius.
const BALL_TOLERANCE: f32 = 0.01;

fn one_clip(file: &AnimFile<'_>, clip: &Clip<'_>, skins: Skins<'_>) -> ClipBounds {
    let mut poses = Poses::new(file, clip, skins);
    let model_size = file.extent.model_size_metres;
    let parts = skins.geometry.parts.len();
    let mut boxes = vec![PartBox::EMPTY; parts];
    let mut bends = vec![0.0f32; parts];
    poses.for_each_chunk(|poses, chunk| {
        grow_boxes(skins, chunk, model_size, &mut boxes);
        poses.bends(chunk, &mut bends);
    });
    bends.iter_mut().for_each(|bend| *bend *= 1.0 + BEND_TOLERANCE);
    let grown = boxes.iter().zip(&bends).map(|(found, bend)| {
        let mut whole = found.whole();
        whole.grow(bend * CURVE_SHARE);
        whole
    });
    let boxes: Vec<Box3> = grown.collect();
    let whole = boxes.iter().fold(Box3::EMPTY, Box3::join);
    let mut ball = Ball::new(&whole);
    let mut part_balls: Vec<Ball> = boxes.iter().map(Ball::new).collect();
    poses.for_each_chunk(|_, chunk| {
        ball.grow(skins, chunk);
        for (_, group, cluster) in chunk.groups(skins.clusters) {
            part_balls[cluster.part as usize].pass(group);
        }
    });
    let largest_bend = bends.iter().copied().fold(0.0, f32::max);
    let part_bounds = |((of_part, ball), bend): ((&Box3, Ball), f32)| {
        let radius = ball.radius() + bend * CURVE_SHARE;
        of_part.bounds(radius.min(distance(of_part.center(), of_part.max)))
    };
    ClipBounds {
        whole: whole.bounds(ball.radius() + largest_bend * CURVE_SHARE),
        parts: boxes.iter().zip(part_balls).zip(bends).map(part_bounds).collect(),
        loop_gap_metres: poses.loop_gap_metres(),
    }
}

/// The box of a part while it grows.
#[derive(Clone, Copy)]
struct PartBox {
    /// Around the vertices that were looked at.
    found: LaneBox,
    /// Around the groups that were passed over.
    passed: LaneBox,
    /// What was found, and the tolerance: what lies inside is passed over.
    limit: LaneBox,
}

impl PartBox {
    const EMPTY: Self = Self { found: LaneBox::NOTHING, passed: LaneBox::NOTHING, limit: LaneBox::NOTHING };

    /// Whether a group's box is inside what was found, but for the tolerance.
    fn holds(&self, group: &LaneBox) -> bool {
        group.low.cmpge(self.limit.low).all() && group.high.cmple(self.limit.high).all()
    }

    fn look(&mut self, skins: Skins<'_>, cluster: &Cluster, palette: &[Columns], model_size: f32) {
        let mut is_finite = true;
        skins.for_each_place(cluster, palette, |p| {
            is_finite &= p.is_finite();
            self.found.low = self.found.low.min(p);
            self.found.high = self.found.high.max(p);
        });
        if !is_finite {
            // The least of a number and what is none is either of them, as processors please.
            self.found = LaneBox::EVERYTHING;
        }
        let size = self.found.high - self.found.low;
        let tolerance = model_size * BOX_TOLERANCE.0 + size.length() * BOX_TOLERANCE.1;
        self.limit = LaneBox { low: self.found.low - tolerance, high: self.found.high + tolerance };
    }

    fn whole(&self) -> Box3 {
        let of = |lanes: &LaneBox| Box3 {
            min: lanes.low.truncate().to_array(),
            max: lanes.high.truncate().to_array(),
        };
        of(&self.found).join(&of(&self.passed))
    }
}

/// Lets boxes grow to hold all groups: first those that reach farthest, so that few others have to be looked at.
fn grow_boxes(skins: Skins<'_>, chunk: &Chunk, model_size: f32, parts: &mut [PartBox]) {
    let mut farthest = vec![Farthest::default(); parts.len()];
    for (number, group, cluster) in chunk.groups(skins.clusters) {
        farthest[cluster.part as usize].add(number, group);
    }
    let look = |number: usize, part: &mut PartBox| {
        let (cluster, palette) = chunk.group(number, skins.clusters);
        part.look(skins, cluster, palette, model_size);
    };
    for (part, farthest) in parts.iter_mut().zip(&farthest).filter(|(_, farthest)| farthest.any) {
        farthest.numbers.iter().for_each(|number| look(*number, part));
    }
    for (number, group, cluster) in chunk.groups(skins.clusters) {
        let part = &mut parts[cluster.part as usize];
        if part.holds(group) {
            part.passed.join(group);
        } else {
            look(number, part);
        }
    }
}

/// The groups that reach farthest along each axis, both ways.
#[derive(Clone)]
struct Farthest {
    any: bool,
    reach: LaneBox,
    numbers: [usize; 6],
}

impl Default for Farthest {
    fn default() -> Self {
        Self { any: false, reach: LaneBox::NOTHING, numbers: [0; 6] }
    }
}

impl Farthest {
    fn add(&mut self, number: usize, group: &LaneBox) {
        let (below, above) = (group.low.cmplt(self.reach.low), group.high.cmpgt(self.reach.high));
        if !below.any() && !above.any() {
            return;
        }
        self.any = true;
        for axis in 0..3 {
            if below.test(axis) {
                self.numbers[axis] = number;
            }
            if above.test(axis) {
                self.numbers[3 + axis] = number;
            }
        }
        self.reach.join(group);
    }
}

/// A ball while it grows. Distances are squared.
#[derive(Clone, Copy)]
struct Ball {
    center: Vec4,
    /// Of the farthest vertex that was looked at.
    found: f32,
    /// Of the farthest group that was passed over.
    passed: f32,
}

impl Ball {
    fn new(of: &Box3) -> Self {
        let [x, y, z] = of.center();
        Self { center: Vec4::new(x, y, z, 0.0), found: 0.0, passed: 0.0 }
    }

    /// Takes in all groups, the farthest first.
    fn grow(&mut self, skins: Skins<'_>, chunk: &Chunk) {
        let look = |ball: &mut Self, number: usize| {
            let (cluster, palette) = chunk.group(number, skins.clusters);
            skins.for_each_place(cluster, palette, |place| {
                ball.found = ball.found.max((place - ball.center).length_squared());
            });
        };
        let mut farthest = None;
        for (number, group, _) in chunk.groups(skins.clusters) {
            let reach = self.reach(group);
            if farthest.is_none_or(|(farthest, _)| reach > farthest) {
                farthest = Some((reach, number));
            }
        }
        if let Some((_, number)) = farthest {
            look(self, number);
        }
        for (number, group, _) in chunk.groups(skins.clusters) {
            if self.reach(group) <= self.found * ((1.0 + BALL_TOLERANCE) * (1.0 + BALL_TOLERANCE)) {
                self.pass(group);
            } else {
                look(self, number);
            }
        }
    }

    /// Takes in a group without a look at its vertices.
    fn pass(&mut self, group: &LaneBox) {
        self.passed = self.passed.max(self.reach(group));
    }

    /// The square of the distance of the farthest corner of a group's box.
    fn reach(&self, group: &LaneBox) -> f32 {
        (group.low - self.center).abs().max((group.high - self.center).abs()).length_squared()
    }

    fn radius(&self) -> f32 {
        libm::sqrtf(self.found.max(self.passed))
    }
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d: [f32; 3] = std::array::from_fn(|i| a[i] - b[i]);
    libm::sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
}
