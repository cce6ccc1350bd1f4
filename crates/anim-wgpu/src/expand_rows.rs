//! Local tracks as rows, for shaders that cannot walk a hierarchy: sampled on the CPU when a crowd is made.

use anim_core::encoding::{RowsEncoding, encode_rows};
use anim_core::limits::ROWS_PER_BONE;
use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::AnimFile;
use anim_format::model::{Clip, Content, Encoding, PageSet, Rows, TexelFormat, Track};
use anim_format::playback::LocalPlayer;

use crate::error::GpuError;
use crate::expand_error::RowsError;
use crate::expand_plan::{ClipPlan, plan_clips};

/// How the rows are stored.
pub(crate) const ROWS: RowsEncoding = RowsEncoding::Affine16;

/// Bones, clips and one page set of rows of a file: what shaders that read rows need of it.
pub(crate) struct Expanded {
    pub(crate) file: AnimFile<'static>,
    /// What there is to say about it.
    pub(crate) note: String,
}

/// Samples the local tracks of a file into half-float rows: at up to four times the frames that its clips have, for as
/// long as it stays within `bytes_max`; at fewer frames where it would not.
///
/// # Errors
///
/// A number that half floats cannot hold.
pub(crate) fn expand_rows(file: &AnimFile<'_>, bytes_max: u64) -> Result<Expanded, GpuError> {
    let frame_bytes = file.bones.len() * ROWS.bone_bytes();
    let plans = plan_clips(file, frame_bytes as u64, bytes_max);
    let mut sampler = Sampler::new(file);
    let mut error = RowsError::new(file);
    let mut texels: Vec<u8> = Vec::new();
    let mut clips = Vec::with_capacity(file.clips.len());
    for (clip, plan) in file.clips.iter().zip(&plans) {
        let mut tracks = Vec::new();
        if let Some(plan) = plan {
            let start = texels.len();
            texels.resize(start + plan.frames() as usize * frame_bytes, 0);
            for (frame, out) in (0..).zip(texels[start..].chunks_exact_mut(frame_bytes.max(1))) {
                encode_frame(file, clip, sampler.frame(clip, plan, frame), out)?;
            }
            error.measure(&mut sampler, clip, plan, &texels[start..]);
            tracks.push(track(plan, start / ROWS.texel_bytes(), file.bones.len()));
        }
        clips.push(Clip {
            name: clip.name.to_string().into(),
            duration_seconds: clip.duration_seconds,
            start_seconds: clip.start_seconds,
            source_rate_hz: clip.source_rate_hz,
            mode: clip.mode,
            bounds: clip.bounds,
            loop_gap_metres: clip.loop_gap_metres,
            tracks,
        });
    }
    let note =
        format!("local tracks play as rows here: {} bytes of half floats, {}", texels.len(), error.words());
    let rows = AnimFile {
        bones: file.bones.clone(),
        clips,
        page_sets: vec![page_set(texels)],
        ..AnimFile::default()
    };
    Ok(Expanded { file: rows, note })
}

/// The first page set of rows of a file, by number.
pub(crate) fn rows_set(file: &AnimFile<'_>) -> Option<u32> {
    let place = file.page_sets.iter().position(|set| set.content == Content::Rows)?;
    u32::try_from(place).ok()
}

/// Poses of a file's local tracks. Its memory is kept from one to the next.
pub(crate) struct Sampler<'f> {
    player: LocalPlayer<'f>,
    model_from_nodes: Vec<Rows>,
    palette: Vec<Rows>,
}

impl<'f> Sampler<'f> {
    fn new(file: &'f AnimFile<'f>) -> Self {
        Self {
            player: LocalPlayer::new(file),
            model_from_nodes: vec![IDENTITY_ROWS; file.nodes.len()],
            palette: vec![IDENTITY_ROWS; file.bones.len()],
        }
    }

    /// Frame `frame` of a plan: a frame of the clip itself where it is one.
    pub(crate) fn frame(&mut self, clip: &'f Clip<'f>, plan: &ClipPlan, frame: u32) -> &[Rows] {
        let (own, rest) = plan.place(frame);
        if rest > 0.0 {
            return self.at(clip, plan, f64::from(frame));
        }
        let pose = self.player.at_frame(clip, own).expect("a frame of a planned clip");
        pose.palette(&mut self.model_from_nodes, &mut self.palette).expect("the lengths of the file");
        &self.palette
    }

    /// A place between two frames of a plan.
    pub(crate) fn at(&mut self, clip: &'f Clip<'f>, plan: &ClipPlan, frame: f64) -> &[Rows] {
        let seconds = frame / f64::from(plan.intervals.max(1)) * f64::from(clip.duration_seconds);
        let pose = self.player.at(clip, seconds).expect("a planned clip has a local track");
        pose.palette(&mut self.model_from_nodes, &mut self.palette).expect("the lengths of the file");
        &self.palette
    }
}

fn encode_frame(
    file: &AnimFile<'_>,
    clip: &Clip<'_>,
    palette: &[Rows],
    out: &mut [u8],
) -> Result<(), GpuError> {
    for (bone, (rows, out)) in palette.iter().zip(out.chunks_exact_mut(ROWS.bone_bytes())).enumerate() {
        encode_rows(rows, ROWS, out).map_err(|found| {
            let node = file.bones[bone].node.and_then(|node| file.nodes.get(node as usize));
            GpuError::NotInHalfFloats {
                clip: clip.name.to_string(),
                bone: node.map_or_else(|| format!("{bone}"), |node| format!("{:?}", node.name)),
                value: found.value.to_string(),
                largest: found.largest.to_string(),
            }
        })?;
    }
    Ok(())
}

/// Where a clip's rows are: they lie one behind the other in the one page.
fn track(plan: &ClipPlan, first_texel: usize, bones: usize) -> Track {
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Track {
        page_set: 0,
        page: 0,
        first_texel: count(first_texel),
        header_texels: 0,
        frames: plan.frames(),
        intervals: plan.intervals,
        stored_frames: plan.frames(),
        elements_per_frame: count(bones),
        texels_per_element: ROWS_PER_BONE,
        first_record: None,
        interpolation: plan.interpolation,
        held_frames: plan.held_frames.clone(),
    }
}

/// One page of any height: textures are laid out anew, and buffers have no shape.
fn page_set(mut texels: Vec<u8>) -> PageSet<'static> {
    let count = texels.len().div_ceil(ROWS.texel_bytes());
    let width = (6..12).map(|log2| 1usize << log2).find(|width| width * width >= count).unwrap_or(2048);
    let height = count.div_ceil(width).max(1);
    texels.resize(width * height * ROWS.texel_bytes(), 0);
    PageSet {
        content: Content::Rows,
        encoding: Encoding::Affine16,
        texel_format: TexelFormat::Rgba16Float,
        width: u32::try_from(width).unwrap_or(u32::MAX),
        height: u32::try_from(height).unwrap_or(u32::MAX),
        pages: vec![texels.into()],
    }
}
