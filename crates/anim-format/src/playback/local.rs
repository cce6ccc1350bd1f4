//! Local tracks on the CPU: for game code and servers, and what the palette pass of a GPU is compared with.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use anim_core::clip_time::frame_pair;
use anim_core::clock::frame_pair_of;
use anim_core::hierarchy::{bone_rows, model_from_node, model_pose};
use anim_core::layer_blend::LocalLayer;
use anim_core::layers::{GpuLayer, LAYERS_MAX, Layer, layers_at};
use anim_core::local_encoding::LocalEncoding;
use anim_core::local_pose::rows_mul;
use anim_core::local_tracks::{LocalMoment, LocalTrackView};
use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_core::pose::NO_PARENT;
use anim_core::texel::TrackLayout;

use super::{blend_in, layout, track_of};
use crate::model::{AnimFile, Clip, Content, Encoding, PageSet, Rows, Track};

/// Why something cannot be played. Nothing is written to an output then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named and shown by the message above them")]
pub enum PlaybackError {
    /// The clip has no local track.
    #[error("clip {clip:?} has no local track")]
    NoLocalTrack { clip: String },
    /// The clip has no vertex track.
    #[error("clip {clip:?} has no vertex track")]
    NoVertexTrack { clip: String },
    /// A number names something that the file lacks.
    #[error("{what} {found} was asked for, and there are {count}")]
    OutOfRange { what: &'static str, found: u64, count: u64 },
    /// An output has another length than what it is for.
    #[error("the output for {what} has {found} entries, expected {expected}")]
    OutputLength { what: &'static str, found: usize, expected: usize },
}

impl PlaybackError {
    /// A name for programs, which never changes.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::NoLocalTrack { .. } => "no-local-track",
            Self::NoVertexTrack { .. } => "no-vertex-track",
            Self::OutOfRange { .. } => "out-of-range",
            Self::OutputLength { .. } => "output-length",
        }
    }
}

/// Plays the local tracks of a file: [`LocalPlayer::at`] and the others give a [`LocalPose`], which is read as a whole, by
/// node or by attachment point.
///
/// Made once for a file; after that nothing is allocated. The file has been validated, as [`read`](crate::read) and
/// [`write`](crate::write()) do; one that was changed since may panic.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// # let file = anim_format::AnimFile::default();
/// use anim_format::playback::LocalPlayer;
///
/// let player = LocalPlayer::new(&file);
/// let pose = player.at(&file.clips[0], 0.5)?;
/// let model_from_hand = pose.attachment(0)?;
/// let mut model_from_nodes = vec![[[0.0; 4]; 3]; file.nodes.len()];
/// let mut palette = vec![[[0.0; 4]; 3]; file.bones.len()];
/// pose.palette(&mut model_from_nodes, &mut palette)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct LocalPlayer<'f> {
    file: &'f AnimFile<'f>,
    parents: Vec<u32>,
}

impl<'f> LocalPlayer<'f> {
    /// A player of a file. A file without local tracks is none that can be played here, and each clip says so.
    #[must_use]
    pub fn new(file: &'f AnimFile<'f>) -> Self {
        let parents = file.nodes.iter().map(|node| node.parent.unwrap_or(NO_PARENT)).collect();
        Self { file, parents }
    }

    /// A clip at a time in seconds, which is clamped to `[0, duration]` whatever the clip's mode (see
    /// [`anim_core::clip_time::clip_time`] for the mode).
    ///
    /// # Errors
    ///
    /// The clip has no local track.
    pub fn at(&self, clip: &'f Clip<'f>, time_seconds: f64) -> Result<LocalPose<'_>, PlaybackError> {
        let (track, set) = self.track(clip)?;
        Ok(self.at_track(clip, track, set, time_seconds))
    }

    /// [`LocalPlayer::at`] in one of the clip's local tracks.
    pub(super) fn at_track(
        &self,
        clip: &Clip<'_>,
        track: &'f Track,
        set: &'f PageSet<'f>,
        time_seconds: f64,
    ) -> LocalPose<'_> {
        let pair = frame_pair(time_seconds, f64::from(clip.duration_seconds), track.intervals);
        let blend = blend_in(track, pair);
        let tracks = local_view(self.file, track, set);
        self.pose_of_one(LocalLayer {
            tracks,
            moment: tracks.moment(pair.a, pair.b, blend),
            covers: 1.0,
            mask: None,
        })
    }

    /// A frame of a clip.
    ///
    /// # Errors
    ///
    /// The clip has no local track, or no such frame.
    pub fn at_frame(&self, clip: &'f Clip<'f>, frame: u32) -> Result<LocalPose<'_>, PlaybackError> {
        let (track, set) = self.track(clip)?;
        in_range("frame", frame, track.frames as usize)?;
        let tracks = local_view(self.file, track, set);
        Ok(self.pose_of_one(LocalLayer {
            tracks,
            moment: tracks.moment(frame, frame, 0.0),
            covers: 1.0,
            mask: None,
        }))
    }

    /// An instance that plays these layers, at a tick of the clock: the CPU twin of the palette pass.
    ///
    /// A layer with a mask moves the nodes of the mask and is nowhere else; the lowest layer in use moves all nodes, whatever
    /// its mask. Without a layer in use, all matrices are zero.
    ///
    /// # Errors
    ///
    /// A layer in use names a clip or a mask that the file lacks, or a clip without a local track.
    pub fn of_layers(
        &self,
        layers: &[GpuLayer; LAYERS_MAX],
        now_tick: u64,
    ) -> Result<LocalPose<'_>, PlaybackError> {
        let mut pose = LocalPose { player: self, layers: [NO_LAYER; LAYERS_MAX], used: 0 };
        for (moment, layer) in layers_at(layers, now_tick).iter().zip(layers) {
            let Some(Layer { mask, .. }) = layer.unpack() else { continue };
            in_range("clip", moment.clip, self.file.clips.len())?;
            let clip = &self.file.clips[moment.clip as usize];
            let mask = match mask {
                Some(mask) => {
                    in_range("mask", mask, self.file.masks.len())?;
                    Some(&*self.file.masks[mask as usize].words)
                }
                None => None,
            };
            let (track, set) = self.track(clip)?;
            let pair = frame_pair_of(moment.position, track.intervals);
            let blend = blend_in(track, pair);
            let tracks = local_view(self.file, track, set);
            let covers = moment.covers;
            let moment = tracks.moment(pair.a, pair.b, blend);
            pose.layers[pose.used] = LocalLayer { tracks, moment, covers, mask };
            pose.used += 1;
        }
        Ok(pose)
    }

    fn track(&self, clip: &'f Clip<'f>) -> Result<(&'f Track, &'f PageSet<'f>), PlaybackError> {
        local_track(self.file, clip)
            .ok_or_else(|| PlaybackError::NoLocalTrack { clip: clip.name.to_string() })
    }
}

impl<'f> LocalPlayer<'f> {
    const fn pose_of_one(&self, layer: LocalLayer<'f>) -> LocalPose<'_> {
        LocalPose { player: self, layers: [layer, NO_LAYER, NO_LAYER], used: 1 }
    }
}

/// All nodes at one moment, not worked out yet: see [`LocalPlayer`].
///
/// Matrices are in `f32`, in the order of operations of the shaders.
#[derive(Clone, Copy, Debug)]
pub struct LocalPose<'p> {
    player: &'p LocalPlayer<'p>,
    layers: [LocalLayer<'p>; LAYERS_MAX],
    used: usize,
}

impl LocalPose<'_> {
    /// `model_from_node` of one node: it and its ancestors are worked out, and nothing else.
    ///
    /// # Errors
    ///
    /// The file has no such node.
    pub fn node(&self, node: u32) -> Result<Rows, PlaybackError> {
        in_range("node", node, self.player.parents.len())?;
        Ok(model_from_node(&self.player.parents, self.layers(), node))
    }

    /// `model_from_attachment` of an attachment point.
    ///
    /// # Errors
    ///
    /// The file has no such attachment point.
    pub fn attachment(&self, attachment: u32) -> Result<Rows, PlaybackError> {
        let attachments = &self.player.file.attachments;
        in_range("attachment", attachment, attachments.len())?;
        let attachment = &attachments[attachment as usize];
        Ok(rows_mul(&self.node(attachment.node)?, &attachment.node_from_attachment))
    }

    /// `model_from_node` of every node, one entry a node.
    ///
    /// # Errors
    ///
    /// The output is not as long as the file's node table.
    pub fn nodes(&self, model_from_nodes: &mut [Rows]) -> Result<(), PlaybackError> {
        has_length("nodes", model_from_nodes.len(), self.player.parents.len())?;
        model_pose(&self.player.parents, self.layers(), model_from_nodes);
        Ok(())
    }

    /// [`LocalPose::nodes`], and skinning matrices of all bones, one entry a bone: the same as a palette of rows.
    ///
    /// # Errors
    ///
    /// An output is not as long as the file's table of nodes or bones.
    pub fn palette(&self, model_from_nodes: &mut [Rows], palette: &mut [Rows]) -> Result<(), PlaybackError> {
        let bones = &self.player.file.bones;
        has_length("bones", palette.len(), bones.len())?;
        self.nodes(model_from_nodes)?;
        for (bone, rows) in bones.iter().zip(palette) {
            *rows = match bone.node {
                Some(node) => bone_rows(&model_from_nodes[node as usize], &bone.bone_from_bind),
                None if self.used == 0 => [[0.0; 4]; 3],
                None => IDENTITY_ROWS,
            };
        }
        Ok(())
    }

    /// Whether a layer is in use.
    pub(super) const fn plays(&self) -> bool {
        self.used > 0
    }

    fn layers(&self) -> &[LocalLayer<'_>] {
        &self.layers[..self.used]
    }
}

/// The local track of a clip and its page set, if it has one; the first, if it has several.
#[must_use]
pub fn local_track<'f, 'a>(
    file: &'f AnimFile<'a>,
    clip: &'f Clip<'a>,
) -> Option<(&'f Track, &'f PageSet<'a>)> {
    track_of(file, clip, Content::Local)
}

/// The encoding of a local page set in the words of `anim-core`; `None` for one of other contents.
#[must_use]
pub const fn local_encoding(encoding: Encoding) -> Option<LocalEncoding> {
    match encoding {
        Encoding::Local8 => Some(LocalEncoding::Local8),
        Encoding::Local32 => Some(LocalEncoding::Local32),
        _ => None,
    }
}

/// A local track in the words of `anim-core`.
///
/// # Panics
///
/// If the track is not a local one of this file and page set, or the file was changed after it was validated.
#[must_use]
pub fn local_view<'f>(file: &'f AnimFile<'_>, track: &Track, set: &'f PageSet<'_>) -> LocalTrackView<'f> {
    let first = track.first_record.expect("the records of a local track") as usize;
    LocalTrackView {
        texels: &set.pages[track.page as usize],
        layout: layout(track),
        records: &file.local_records[first..][..file.nodes.len()],
        pool: &file.constant_pool,
        encoding: local_encoding(set.encoding).expect("a local page set"),
    }
}

/// A layer that is not looked at.
const NO_LAYER: LocalLayer<'static> = LocalLayer {
    tracks: LocalTrackView {
        texels: &[],
        layout: TrackLayout {
            first_texel: 0,
            header_texels: 0,
            elements_per_frame: 0,
            texels_per_element: 0,
        },
        records: &[],
        pool: &[],
        encoding: LocalEncoding::Local8,
    },
    moment: LocalMoment { texel_a: 0, texel_b: 0, t: 0.0 },
    covers: 0.0,
    mask: None,
};

pub(super) fn in_range(what: &'static str, found: u32, count: usize) -> Result<(), PlaybackError> {
    let (found, count) = (u64::from(found), count as u64);
    if found < count { Ok(()) } else { Err(PlaybackError::OutOfRange { what, found, count }) }
}

fn has_length(what: &'static str, found: usize, expected: usize) -> Result<(), PlaybackError> {
    if found == expected { Ok(()) } else { Err(PlaybackError::OutputLength { what, found, expected }) }
}
