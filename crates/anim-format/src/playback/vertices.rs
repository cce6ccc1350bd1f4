//! Vertex pages on the CPU: what a GPU makes of them, in `f32` and in the same order of operations.

use alloc::string::ToString;
use alloc::vec::Vec;

use anim_core::clip_time::frame_pair;
use anim_core::clock::frame_pair_of;
use anim_core::layers::{GpuLayer, LAYERS_MAX, layers_at};
use anim_core::texel::texel_number;
use anim_core::vertex_texel::{
    BOX_BYTES, PageVertex, PartBox, VertexEncoding, read_normal16, read_position16, read_position32,
};

use super::local::{PlaybackError, in_range};
use super::{PosedVertex, blend_in, layout, track_of};
use crate::model::{AnimFile, Clip, Content, Encoding, PageSet, Track};

/// Positions and normals of a part's vertices at a time of a clip, in model space, from the clip's vertex pages.
///
/// `time_seconds` is inside the clip: values outside `[0, duration]` are clamped to it. One entry for each of `vertices`,
/// numbers inside the part.
///
/// # Errors
///
/// The clip has no vertex track, or the file has no such part, or the part no such vertex.
pub fn vertices_at(
    file: &AnimFile<'_>,
    clip: &Clip<'_>,
    part: usize,
    time_seconds: f64,
    vertices: impl IntoIterator<Item = u32>,
) -> Result<Vec<PosedVertex>, PlaybackError> {
    let tracks = VertexTracks::of(file, clip)?;
    let track = tracks.positions.0;
    let pair = frame_pair(time_seconds, f64::from(clip.duration_seconds), track.intervals);
    let blend = blend_in(track, pair);
    each(file, part, vertices, |vertex| tracks.between(part, vertex, pair.a, pair.b, blend))
}

/// The same of an instance that plays these layers, at a tick of the clock. Masks are of nodes and move no vertex: a layer
/// with one moves all of them.
///
/// # Errors
///
/// As [`vertices_at`], and if a layer names a clip that the file lacks.
pub fn vertices_of_layers(
    file: &AnimFile<'_>,
    part: usize,
    layers: &[GpuLayer; LAYERS_MAX],
    now_tick: u64,
    vertices: impl IntoIterator<Item = u32>,
) -> Result<Vec<PosedVertex>, PlaybackError> {
    let mut playing = Vec::with_capacity(LAYERS_MAX);
    // The top layer first, as the shader does.
    for moment in layers_at(layers, now_tick).iter().rev().filter(|moment| moment.weight > 0.0) {
        in_range("clip", moment.clip, file.clips.len())?;
        let tracks = VertexTracks::of(file, &file.clips[moment.clip as usize])?;
        let track = tracks.positions.0;
        let pair = frame_pair_of(moment.position, track.intervals);
        let blend = blend_in(track, pair);
        playing.push((tracks, pair, blend, moment.weight));
    }
    each(file, part, vertices, |vertex| {
        let mut sum = PageVertex::default();
        for (tracks, pair, blend, weight) in &playing {
            sum.add(&tracks.between(part, vertex, pair.a, pair.b, *blend), *weight);
        }
        sum
    })
}

/// The encoding of vertices in the words of `anim-core`; `None` of other contents.
#[must_use]
pub const fn vertex_encoding(encoding: Encoding) -> Option<VertexEncoding> {
    match encoding {
        Encoding::Position32 => Some(VertexEncoding::Position32),
        Encoding::Position16 => Some(VertexEncoding::Position16),
        _ => None,
    }
}

/// The vertex track of a clip and its page set, if it has one.
#[must_use]
pub fn vertex_track<'f, 'a>(
    file: &'f AnimFile<'a>,
    clip: &'f Clip<'a>,
) -> Option<(&'f Track, &'f PageSet<'a>)> {
    track_of(file, clip, Content::Vertices)
}

fn each(
    file: &AnimFile<'_>,
    part: usize,
    vertices: impl IntoIterator<Item = u32>,
    mut of: impl FnMut(u32) -> PageVertex,
) -> Result<Vec<PosedVertex>, PlaybackError> {
    in_range("part", u32::try_from(part).unwrap_or(u32::MAX), file.parts.len())?;
    let part = &file.parts[part];
    let pose = |vertex: u32| {
        in_range("vertex", vertex, part.vertex_count as usize)?;
        let PageVertex { position, normal } = of(part.first_vertex + vertex).finished();
        Ok(PosedVertex { position, normal })
    };
    vertices.into_iter().map(pose).collect()
}

/// Where a clip's vertices are.
struct VertexTracks<'f> {
    positions: (&'f Track, &'f PageSet<'f>),
    encoding: VertexEncoding,
    normals: Option<(&'f Track, &'f PageSet<'f>)>,
}

impl<'f> VertexTracks<'f> {
    fn of(file: &'f AnimFile<'f>, clip: &'f Clip<'f>) -> Result<Self, PlaybackError> {
        let positions = vertex_track(file, clip);
        let with_encoding = positions.and_then(|found| Some((found, vertex_encoding(found.1.encoding)?)));
        let (positions, encoding) =
            with_encoding.ok_or_else(|| PlaybackError::NoVertexTrack { clip: clip.name.to_string() })?;
        Ok(Self { positions, encoding, normals: track_of(file, clip, Content::Normals) })
    }

    /// A vertex of the stream, which is one of this part, between two frames.
    fn between(&self, part: usize, vertex: u32, a: u32, b: u32, blend: f32) -> PageVertex {
        let a = self.in_frame(part, vertex, a);
        PageVertex::mix(&a, &self.in_frame(part, vertex, b), blend)
    }

    fn in_frame(&self, part: usize, vertex: u32, frame: u32) -> PageVertex {
        let bytes = texel(self.positions, frame, vertex);
        match self.encoding {
            VertexEncoding::Position16 => {
                let (track, set) = self.positions;
                let first = track.first_texel as usize * VertexEncoding::Position16.texel_bytes();
                let header = &set.pages[track.page as usize][first + part * BOX_BYTES..];
                read_position16(bytes, &PartBox::read(header))
            }
            VertexEncoding::Position32 => PageVertex {
                position: read_position32(bytes),
                normal: self
                    .normals
                    .map_or([0.0, 0.0, 1.0], |normals| read_normal16(texel(normals, frame, vertex))),
            },
        }
    }
}

fn texel<'f>((track, set): (&'f Track, &'f PageSet<'f>), frame: u32, vertex: u32) -> &'f [u8] {
    let texel_bytes = set.texel_format.bytes() as usize;
    let start = texel_number(&layout(track), frame, vertex, 0) as usize * texel_bytes;
    &set.pages[track.page as usize][start..start + texel_bytes]
}
