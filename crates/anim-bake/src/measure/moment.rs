//! Playback and truth at one time, and the vertex that is farthest from its true place.

use anim_core::glam::DAffine3;
use anim_core::matrix_rows::{IDENTITY_ROWS, Rows};
use anim_format::model::Track;
use anim_format::playback::palette_of_track;

use super::Subject;
use super::sample::VertexSample;
use super::truth::{Truth, difference, weighted};
use crate::clusters::BoneBox;
use crate::evaluate::vec3;

/// Playback and truth at one time of one clip.
pub(super) struct Moment<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) sample: &'a VertexSample,
    pub(super) clip: usize,
    pub(super) seconds: f64,
    pub(super) played: Vec<Rows>,
    pub(super) truth: Truth<'a>,
    /// Played minus true.
    pub(super) difference: Vec<DAffine3>,
    /// Weights of the morph targets less those at rest, by part; empty where a part has none.
    pub(super) morph_weights: Vec<Vec<f64>>,
    track: &'a Track,
    /// By bone: at least the distance of everything that it influences, if it were alone.
    reach: Vec<f64>,
}

impl<'a> Moment<'a> {
    pub(super) fn new(
        subject: &'a Subject<'a>,
        sample: &'a VertexSample,
        clip: usize,
        track: &'a Track,
    ) -> Self {
        let bones = subject.bones.len();
        Self {
            subject,
            sample,
            clip,
            track,
            seconds: 0.0,
            played: vec![IDENTITY_ROWS; bones],
            truth: Truth::new(subject.asset, subject.bones, &subject.clips[clip]),
            difference: vec![DAffine3::IDENTITY; bones],
            morph_weights: vec![Vec::new(); subject.geometry.parts.len()],
            reach: vec![0.0; bones],
        }
    }

    /// Poses everything at a time. Returns a bound of the distance of all vertices, in metres.
    pub(super) fn go_to(&mut self, seconds: f64) -> f64 {
        let Subject { asset, file, geometry, clips, .. } = *self.subject;
        self.seconds = seconds;
        palette_of_track(file, &file.clips[self.clip], self.track, seconds, &mut self.played);
        self.truth.go_to(&clips[self.clip], seconds);
        let pairs = self.played.iter().zip(&self.truth.model_from_bind);
        for (out, (played, truth)) in self.difference.iter_mut().zip(pairs) {
            *out = difference(played, truth);
        }
        let source_seconds = f64::from(clips[self.clip].start_seconds) + seconds;
        for (part, weights) in geometry.parts.iter().zip(&mut self.morph_weights) {
            let instance = part.instance;
            let targets = &asset.meshes[instance.mesh].primitives[instance.primitive].morph_targets;
            if !targets.is_empty() {
                let rest = asset.nodes[instance.node].weights.iter().map(|w| f64::from(*w));
                let now = self.truth.curves.morph_weights(instance.node, source_seconds);
                *weights = now.iter().zip(rest).map(|(now, rest)| now - rest).collect();
            }
        }
        let mut farthest = 0.0;
        for bone_box in &self.sample.clusters.whole {
            let bound = self.bound(bone_box);
            self.reach[usize::from(bone_box.bone)] = bound;
            farthest = f64::max(farthest, bound);
        }
        farthest
    }

    /// Distance between the played and the true place of a vertex.
    pub(super) fn distance(&self, vertex: u32) -> f64 {
        let geometry = self.subject.geometry;
        let vertex = vertex as usize;
        let position = vec3(geometry.positions[vertex]);
        weighted(&self.difference, geometry.bones[vertex], geometry.weights[vertex], position).length()
    }

    /// The vertex that is farthest from its true place, and how far, if that is more than `above`. The first one in the
    /// order of groups, where several are.
    pub(super) fn farthest(&self, above: f64) -> Option<(u32, f64)> {
        let clusters = &self.sample.clusters;
        let mut found = (None, above);
        for cluster in &clusters.list {
            let boxes = clusters.bones_of(cluster);
            // What is not a number is no bound.
            if boxes.iter().all(|bone_box| self.reach[usize::from(bone_box.bone)] <= found.1)
                || boxes.iter().all(|bone_box| self.bound(bone_box) <= found.1)
            {
                continue;
            }
            for vertex in clusters.vertices_of(cluster) {
                let distance = self.distance(*vertex);
                if distance > found.1 {
                    found = (Some(*vertex), distance);
                }
            }
        }
        found.0.map(|vertex| (vertex, found.1))
    }

    /// At least the distance of a point of the box on its bone alone.
    fn bound(&self, bone_box: &BoneBox) -> f64 {
        let difference = &self.difference[usize::from(bone_box.bone)];
        let [x, y, z] = [difference.matrix3.x_axis, difference.matrix3.y_axis, difference.matrix3.z_axis];
        let (center, half) = (vec3(bone_box.center), vec3(bone_box.half));
        let at_center = x * center.x + y * center.y + z * center.z + difference.translation;
        (at_center.abs() + (x.abs() * half.x + y.abs() * half.y + z.abs() * half.z)).length()
    }
}
