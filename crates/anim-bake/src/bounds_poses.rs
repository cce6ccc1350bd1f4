//! The palettes of a clip's moments, and where they put groups of vertices.

use std::ops::Range;

use anim_core::glam::Vec4;
use anim_core::matrix_rows::{IDENTITY_ROWS, Rows};
use anim_format::model::{AnimFile, Clip};

use crate::bounds_moments::{Moment, moments, palette_at_moment};
use crate::clusters::{BoneBox, Cluster, Clusters};
use crate::geometry::Geometry;
use crate::packed_vertex::PackedVertex;

/// The columns of an affine matrix, or of a difference of two; each with 0 behind its three numbers.
pub(crate) type Columns = [Vec4; 4];

/// A box with 0 behind its three numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneBox {
    pub(crate) low: Vec4,
    pub(crate) high: Vec4,
}

/// Vertices, in groups, as they are and as players draw them.
#[derive(Clone, Copy)]
pub(crate) struct Skins<'a> {
    pub(crate) geometry: &'a Geometry,
    pub(crate) packed: &'a [PackedVertex],
    pub(crate) clusters: &'a Clusters,
}

/// All moments of all tracks of a clip, some of them with their palettes.
pub(crate) struct Poses<'a> {
    file: &'a AnimFile<'a>,
    clip: &'a Clip<'a>,
    skins: Skins<'a>,
    /// Track and moment.
    moments: Vec<(usize, Moment)>,
    /// Moments that have palettes at once.
    at_once: usize,
    /// Those that have them now.
    now: Option<Chunk>,
}

/// Some moments in a row.
pub(crate) struct Chunk {
    /// Their numbers among all.
    moments: Range<usize>,
    /// Palettes, moment by moment, beginning two moments earlier.
    palettes: Vec<Columns>,
    /// Boxes of groups, moment by moment.
    boxes: Vec<LaneBox>,
    bones: usize,
}

/// Bytes of palettes and boxes that are in memory at once for a clip.
const BYTES_AT_ONCE: usize = 4 << 20;
/// Share by which bends may be longer than what is found.
pub(crate) const BEND_TOLERANCE: f32 = 0.2;
/// Moments before a chunk whose palettes it has too.
const BEFORE: usize = 2;

impl LaneBox {
    /// Around nothing.
    pub(crate) const NOTHING: Self = Self { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };
    /// Around everything.
    pub(crate) const EVERYTHING: Self = {
        let far = f32::INFINITY;
        Self { low: Vec4::new(-far, -far, -far, 0.0), high: Vec4::new(far, far, far, 0.0) }
    };

    /// Takes in another box.
    pub(crate) fn join(&mut self, other: &Self) {
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }
}

impl<'a> Poses<'a> {
    pub(crate) fn new(file: &'a AnimFile<'a>, clip: &'a Clip<'a>, skins: Skins<'a>) -> Self {
        let of_track = |(number, track)| moments(file, clip, track).into_iter().map(move |m| (number, m));
        let moments: Vec<(usize, Moment)> = clip.tracks.iter().enumerate().flat_map(of_track).collect();
        let bytes =
            file.bones.len() * size_of::<Columns>() + skins.clusters.list.len() * size_of::<LaneBox>();
        let at_once = (BYTES_AT_ONCE / bytes.max(1)).clamp(1, moments.len().max(1));
        Self { file, clip, skins, moments, at_once, now: None }
    }

    /// Shows all moments, some at a time, in order.
    pub(crate) fn for_each_chunk(&mut self, mut f: impl FnMut(&Self, &Chunk)) {
        for first in (0..self.moments.len()).step_by(self.at_once) {
            let chunk = match self.now.take().filter(|chunk| chunk.moments.start == first) {
                Some(chunk) => chunk,
                None => self.chunk(first),
            };
            f(self, &chunk);
            self.now = Some(chunk);
        }
    }

    fn chunk(&self, first: usize) -> Chunk {
        let moments = first..self.moments.len().min(first + self.at_once);
        let bones = self.file.bones.len();
        let mut palette = vec![IDENTITY_ROWS; bones];
        let with_palettes = &self.moments[first.saturating_sub(BEFORE)..moments.end];
        let mut palettes = Vec::with_capacity(with_palettes.len() * bones);
        for (track, moment) in with_palettes {
            palette_at_moment(self.file, self.clip, &self.clip.tracks[*track], *moment, &mut palette);
            palettes.extend(palette.iter().map(columns));
        }
        let clusters = self.skins.clusters;
        let chunk = Chunk { moments: moments.clone(), palettes, boxes: Vec::new(), bones };
        let boxes_at = |moment: usize| {
            let palette = chunk.palette(moment);
            clusters.list.iter().map(move |cluster| box_of(palette, clusters.bones_of(cluster)))
        };
        let boxes = moments.flat_map(boxes_at).collect();
        Chunk { boxes, ..chunk }
    }

    /// Raises each part's `bend` to the longest second difference of the path of any of its vertices that lies between two
    /// frames and belongs to this chunk, but for the tolerance.
    pub(crate) fn bends(&self, chunk: &Chunk, bend: &mut [f32]) {
        let mut difference = vec![[Vec4::ZERO; 4]; chunk.bones];
        for moment in chunk.moments.start.max(2)..chunk.moments.end {
            // The curve can bend at the moment before if that lies between two frames.
            if !matches!(self.moments[moment - 1].1, Moment::Between(_)) {
                continue;
            }
            let [a, b, c] = [moment - 2, moment - 1, moment].map(|moment| chunk.palette(moment));
            for (bone, out) in difference.iter_mut().enumerate() {
                *out = std::array::from_fn(|i| a[bone][i] - b[bone][i] * 2.0 + c[bone][i]);
            }
            self.skins.longest_ways(&difference, BEND_TOLERANCE, bend);
        }
    }

    /// The longest way between the places of a vertex in the first and in the last frame. The clip's first track says it:
    /// others differ in rounding only.
    pub(crate) fn loop_gap_metres(&self) -> f32 {
        let Some(track) = self.clip.tracks.first().filter(|track| track.intervals > 0) else { return 0.0 };
        let bones = self.file.bones.len();
        let [first, last] = [0, track.intervals].map(|frame| {
            let mut palette: Vec<Rows> = vec![IDENTITY_ROWS; bones];
            palette_at_moment(self.file, self.clip, track, Moment::Frame(frame), &mut palette);
            palette.iter().map(columns).collect::<Vec<Columns>>()
        });
        let difference: Vec<Columns> =
            first.iter().zip(&last).map(|(a, b)| std::array::from_fn(|i| b[i] - a[i])).collect();
        let mut gaps = vec![0.0; self.skins.geometry.parts.len()];
        self.skins.longest_ways(&difference, 0.0, &mut gaps);
        gaps.into_iter().fold(0.0, f32::max)
    }
}

impl Chunk {
    /// The boxes of all groups at all moments: the number among these, the box, and the group.
    pub(crate) fn groups<'c>(
        &'c self,
        clusters: &'c Clusters,
    ) -> impl Iterator<Item = (usize, &'c LaneBox, &'c Cluster)> {
        let groups = self.boxes.iter().zip(clusters.list.iter().cycle());
        groups.enumerate().map(|(number, (group, cluster))| (number, group, cluster))
    }

    /// The group that has this number among the boxes, and the palette of its moment.
    pub(crate) fn group<'c>(&'c self, number: usize, clusters: &'c Clusters) -> (&'c Cluster, &'c [Columns]) {
        let list = &clusters.list;
        (&list[number % list.len()], self.palette(self.moments.start + number / list.len()))
    }

    /// The palette of a moment, by its number among all.
    pub(crate) fn palette(&self, moment: usize) -> &[Columns] {
        let number = moment - self.moments.start.saturating_sub(BEFORE);
        &self.palettes[number * self.bones..(number + 1) * self.bones]
    }
}

impl Skins<'_> {
    /// Shows all places of a group's vertices: where each is, and where it is drawn.
    pub(crate) fn for_each_place(&self, cluster: &Cluster, palette: &[Columns], mut f: impl FnMut(Vec4)) {
        let Self { geometry, packed, clusters } = *self;
        if let [BoneBox { bone, .. }] = clusters.bones_of(cluster) {
            let [x, y, z, t] = palette[usize::from(*bone)];
            for vertex in clusters.vertices_of(cluster) {
                for [a, b, c] in [geometry.positions[*vertex as usize], packed[*vertex as usize].position] {
                    f(x * a + y * b + z * c + t);
                }
            }
            return;
        }
        for vertex in clusters.vertices_of(cluster) {
            let vertex = *vertex as usize;
            let drawn = &packed[vertex];
            f(place(palette, geometry.positions[vertex], geometry.bones[vertex], geometry.weights[vertex]));
            f(place(palette, drawn.position, drawn.bones, drawn.weights));
        }
    }

    /// Raises each part's `longest` to the longest of the ways on which differences of matrices put its vertices. What
    /// may be longer by less than `tolerance`, a share of it, is not looked at.
    fn longest_ways(&self, difference: &[Columns], tolerance: f32, longest: &mut [f32]) {
        let clusters = self.clusters;
        let mut of_bones = vec![0.0; difference.len()];
        for bone_box in &clusters.whole {
            of_bones[usize::from(bone_box.bone)] = way_bound(difference, bone_box);
        }
        for ((list, bones), longest) in clusters.parts.iter().zip(longest) {
            // What is not a number has no bound.
            let enough = *longest * (1.0 + tolerance);
            if bones.iter().all(|bone| of_bones[usize::from(*bone)] <= enough) {
                continue;
            }
            for cluster in &clusters.list[list.clone()] {
                let enough = *longest * (1.0 + tolerance);
                let boxes = clusters.bones_of(cluster);
                if boxes.iter().all(|bone_box| of_bones[usize::from(bone_box.bone)] <= enough)
                    || boxes.iter().all(|bone_box| way_bound(difference, bone_box) <= enough)
                {
                    continue;
                }
                self.for_each_place(cluster, difference, |way| *longest = longest.max(way.length()));
            }
        }
    }
}

/// Where a weighted mean of matrices puts a point.
fn place(palette: &[Columns], [a, b, c]: [f32; 3], bones: [u16; 4], weights: [f32; 4]) -> Vec4 {
    let of_bone = |i: usize| {
        let [x, y, z, t] = palette[usize::from(bones[i])];
        (x * a + y * b + z * c + t) * weights[i]
    };
    (of_bone(0) + of_bone(1)) + (of_bone(2) + of_bone(3))
}

/// At least the longest way on which a difference of matrices puts a point of the box.
fn way_bound(difference: &[Columns], bone_box: &BoneBox) -> f32 {
    let (center, half) = transformed(&difference[usize::from(bone_box.bone)], bone_box);
    (center.abs() + half).length()
}

/// A box around all that the bones make of their boxes; everything, where numbers overflow.
fn box_of(palette: &[Columns], boxes: &[BoneBox]) -> LaneBox {
    let mut all = LaneBox::NOTHING;
    let mut reach = Vec4::ZERO;
    for bone_box in boxes {
        let (center, half) = transformed(&palette[usize::from(bone_box.bone)], bone_box);
        all.join(&LaneBox { low: center - half, high: center + half });
        reach += center.abs() + half;
    }
    if reach.is_finite() { all } else { LaneBox::EVERYTHING }
}

/// Centre and half sides of the smallest axis-aligned box around what a matrix makes of a box.
fn transformed([x, y, z, t]: &Columns, bone_box: &BoneBox) -> (Vec4, Vec4) {
    let (c, h) = (bone_box.center, bone_box.half);
    (*x * c[0] + *y * c[1] + *z * c[2] + *t, x.abs() * h[0] + y.abs() * h[1] + z.abs() * h[2])
}

fn columns(rows: &Rows) -> Columns {
    std::array::from_fn(|c| Vec4::new(rows[0][c], rows[1][c], rows[2][c], 0.0))
}
