//! The bone of an attachment point from local tracks, kept on the CPU: its matrix for game code is computed from the same
//! numbers as on the GPU.

use std::sync::Arc;

use anim_core::clip_time::blend_of;
use anim_core::clock::frame_pair_of;
use anim_core::glam::{DAffine3, DVec3};
use anim_core::hierarchy::{bone_rows, model_from_node};
use anim_core::layer_blend::LocalLayer;
use anim_core::layers::{GpuLayer, LAYERS_MAX, layers_at};
use anim_core::local_tracks::LocalTrackView;
use anim_core::matrix_rows::{IDENTITY_ROWS, affine_from_rows};
use anim_core::pose::NO_PARENT;
use anim_format::AnimFile;
use anim_format::model::{Rows, Track};
use anim_format::playback::{is_held, local_view};

use crate::attachment_tracks::Reach;
use crate::model::largest_scale;

/// The local tracks of a file, without everything that only drawing needs.
#[derive(Debug)]
pub(crate) struct LocalFile {
    /// With the one page set that is played.
    file: AnimFile<'static>,
    parents: Vec<u32>,
}

/// One bone of such a file.
#[derive(Clone, Debug)]
pub(crate) struct LocalBone {
    file: Arc<LocalFile>,
    bone: u32,
}

impl LocalFile {
    /// Copies what playing needs.
    pub(crate) fn new(file: &AnimFile<'_>, page_set: u32) -> Self {
        let parents = file.nodes.iter().map(|node| node.parent.unwrap_or(NO_PARENT)).collect();
        let mut clips = file.clips.clone();
        for clip in &mut clips {
            clip.tracks.retain(|track| track.page_set == page_set);
            clip.tracks.iter_mut().for_each(|track| track.page_set = 0);
        }
        let kept = AnimFile {
            nodes: file.nodes.clone(),
            bones: file.bones.clone(),
            clips,
            page_sets: vec![file.page_sets[page_set as usize].clone()],
            constant_pool: file.constant_pool.clone(),
            local_records: file.local_records.clone(),
            masks: file.masks.clone(),
            ..AnimFile::default()
        };
        Self { file: kept.into_owned(), parents }
    }

    fn track(&self, clip: u32) -> Option<&Track> {
        self.file.clips.get(clip as usize)?.tracks.first()
    }

    fn view(&self, track: &Track) -> LocalTrackView<'_> {
        local_view(&self.file, track, &self.file.page_sets[0])
    }

    /// All tracks, and the frames of each.
    fn views(&self) -> impl Iterator<Item = (LocalTrackView<'_>, u32)> {
        self.file.clips.iter().flat_map(|clip| &clip.tracks).map(|track| (self.view(track), track.frames))
    }
}

impl LocalBone {
    /// A bone of the file.
    pub(crate) fn new(file: Arc<LocalFile>, bone: u32) -> Self {
        Self { file, bone }
    }

    /// The bone's skinning matrix while these layers play, at a tick.
    pub(crate) fn rows(&self, layers: &[GpuLayer; LAYERS_MAX], now_tick: u64) -> Rows {
        let mut played: [Option<LocalLayer<'_>>; LAYERS_MAX] = [None; LAYERS_MAX];
        let mut used = 0;
        for (moment, layer) in layers_at(layers, now_tick).iter().zip(layers) {
            let Some(track) = layer.unpack().and_then(|layer| self.file.track(layer.clip)) else { continue };
            let pair = frame_pair_of(moment.position, track.intervals);
            let blend = blend_of(pair, track.interpolation, is_held(track, pair.a));
            let tracks = self.file.view(track);
            let mask = moment.mask.and_then(|mask| self.file.file.masks.get(mask as usize));
            let mask = mask.map(|mask| &*mask.words);
            let (moment, covers) = (tracks.moment(pair.a, pair.b, blend), moment.covers);
            played[used] = Some(LocalLayer { tracks, moment, covers, mask });
            used += 1;
        }
        match played {
            [None, ..] => [[0.0; 4]; 3],
            [Some(a), None, _] => self.of_layers(&[a]),
            [Some(a), Some(b), None] => self.of_layers(&[a, b]),
            [Some(a), Some(b), Some(c)] => self.of_layers(&[a, b, c]),
        }
    }

    fn of_layers(&self, layers: &[LocalLayer<'_>]) -> Rows {
        let bone = &self.file.file.bones[self.bone as usize];
        match bone.node {
            Some(node) => bone_rows(&model_from_node(&self.file.parents, layers, node), &bone.bone_from_bind),
            None => IDENTITY_ROWS,
        }
    }

    /// Whether the bone mirrors what it moves, in the first frame that there is.
    pub(crate) fn mirrors(&self) -> bool {
        let Some((tracks, _)) = self.file.views().next() else { return false };
        let layer = LocalLayer { tracks, moment: tracks.moment(0, 0, 0.0), covers: 1.0, mask: None };
        affine_from_rows(&self.of_layers(&[layer])).matrix3.determinant() < 0.0
    }

    /// Where a point of the bone comes in any clip, in any fade: the sum of the longest bones above it, from where the
    /// first node that moves may be. `None` without clips.
    pub(crate) fn reach(&self, bind_from_point: &DAffine3) -> Option<Reach> {
        self.file.views().next()?;
        let bone = &self.file.file.bones[self.bone as usize];
        let node_from_point = affine_from_rows(&bone.bone_from_bind) * *bind_from_point;
        let mut chain = Vec::new();
        let mut here = bone.node;
        while let Some(node) = here {
            chain.push(node);
            here = self.file.file.nodes[node as usize].parent;
        }
        let mut reach: Option<Reach> = None;
        let mut still = DAffine3::IDENTITY;
        for node in chain.into_iter().rev() {
            let span = self.span(node);
            match (&mut reach, span.still) {
                (None, Some(parent_from_node)) => still *= parent_from_node,
                (None, None) => {
                    let scale = largest_scale(&still);
                    reach = Some(Reach {
                        center: still.transform_point3((span.low + span.high) * 0.5),
                        radius_metres: (span.high - span.low).length() * 0.5 * scale,
                        scale: scale * span.scale,
                    });
                }
                (Some(reach), _) => {
                    reach.radius_metres += reach.scale * span.length_metres;
                    reach.scale *= span.scale;
                }
            }
        }
        let offset = node_from_point.translation;
        Some(match reach {
            None => Reach {
                center: still.transform_point3(offset),
                radius_metres: 0.0,
                scale: largest_scale(&(still * node_from_point)),
            },
            Some(reach) => Reach {
                center: reach.center,
                radius_metres: reach.radius_metres + reach.scale * offset.length(),
                scale: reach.scale * largest_scale(&node_from_point),
            },
        })
    }

    /// Between which numbers a node's local transform stays, in all frames of all clips.
    fn span(&self, node: u32) -> Span {
        let mut span = Span::default();
        for (tracks, frames) in self.file.views() {
            for frame in 0..frames {
                let local = match tracks.node_transform(node, frame, frame, 0.0) {
                    Some(local) => DAffine3::from_scale_rotation_translation(
                        local.scale.as_dvec3(),
                        local.rotation.as_dquat().normalize(),
                        local.translation.as_dvec3(),
                    ),
                    None => {
                        tracks.node_matrix(node).map_or(DAffine3::IDENTITY, |rows| affine_from_rows(&rows))
                    }
                };
                span.add(&local);
                // Nothing moves, and the frames may be very many.
                if tracks.layout.elements_per_frame == 0 {
                    break;
                }
            }
        }
        span
    }
}

/// What a node's local transform does.
#[derive(Debug)]
struct Span {
    low: DVec3,
    high: DVec3,
    length_metres: f64,
    scale: f64,
    /// The one matrix that it ever is.
    still: Option<DAffine3>,
    is_empty: bool,
}

impl Default for Span {
    fn default() -> Self {
        Self {
            low: DVec3::ZERO,
            high: DVec3::ZERO,
            length_metres: 0.0,
            scale: 0.0,
            still: None,
            is_empty: true,
        }
    }
}

impl Span {
    fn add(&mut self, local: &DAffine3) {
        let place = local.translation;
        if self.is_empty {
            (self.low, self.high, self.still, self.is_empty) = (place, place, Some(*local), false);
        }
        self.low = self.low.min(place);
        self.high = self.high.max(place);
        self.length_metres = self.length_metres.max(place.length());
        self.scale = self.scale.max(largest_scale(local));
        if self.still.is_some_and(|still| still != *local) {
            self.still = None;
        }
    }
}
