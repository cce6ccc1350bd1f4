//! Files with vertex pages.

use std::borrow::Cow;

use anim_core::vertex_texel::{
    BOX_BYTES, PageVertex, PartBox, VertexEncoding, write_normal16, write_position16, write_position32,
};
use anim_format::model::*;

use super::character;

/// Vertices of the two parts of [`character`].
pub const PARTS: [std::ops::Range<u32>; 2] = [0..4, 4..7];
const VERTICES: u32 = 7;

/// Both clips of [`character`] with a second page set: vertices in 8 bytes.
pub fn vertices16() -> AnimFile<'static> {
    let mut file = character();
    add_sets(&mut file, Encoding::Position16);
    file
}

/// The same clips with nothing but vertices in 32 bits, and normals beside them; no bones and no attachments.
pub fn vertices32() -> AnimFile<'static> {
    let mut file = character();
    file.page_sets.clear();
    file.clips.iter_mut().for_each(|clip| clip.tracks.truncate(1));
    add_sets(&mut file, Encoding::Position32);
    file.clips.iter_mut().for_each(|clip| drop(clip.tracks.remove(0)));
    for track in file.clips.iter_mut().flat_map(|clip| &mut clip.tracks) {
        track.page_set -= 1;
    }
    file.page_sets.remove(0);
    (file.metadata, file.attachments) = (None, Vec::new());
    file
}

/// What a vertex does: differs in every part, vertex, frame and clip, and in all components.
pub fn vertex(clip: usize, frame: u32, vertex: u32) -> PageVertex {
    let (clip, frame, vertex) = (clip as f32, frame as f32, vertex as f32);
    // A place on the circle, by the half-angle formulas: the same on every platform.
    let half = 0.3 * vertex + 0.05 * frame - 0.5 * clip;
    let [x, y] = [1.0 - half * half, 2.0 * half].map(|v| v / (1.0 + half * half));
    let position = [vertex + 0.125 * frame, 2.0 * y - 3.0 * clip, 0.25 * vertex * frame];
    let z = if (vertex as u32).is_multiple_of(2) { 0.6 } else { -0.6 };
    let normal = [0.8 * x, 0.8 * y, z];
    PageVertex { position, normal }
}

/// The box of a part's vertices in a clip.
pub fn part_box(clip: usize, frames: u32, part: usize) -> PartBox {
    let mut found = PartBox { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
    for p in (0..frames).flat_map(|f| PARTS[part].clone().map(move |v| vertex(clip, f, v).position)) {
        found.low = std::array::from_fn(|i| found.low[i].min(p[i]));
        found.high = std::array::from_fn(|i| found.high[i].max(p[i]));
    }
    found
}

fn add_sets(file: &mut AnimFile<'static>, encoding: Encoding) {
    if file.page_sets.is_empty() {
        // A place for the set that is taken away again.
        file.page_sets.push(PageSet {
            content: Content::Rows,
            encoding: Encoding::Affine32,
            texel_format: TexelFormat::Rgba32Float,
            width: 64,
            height: 1,
            pages: vec![vec![0; 1024].into()],
        });
    }
    let small = encoding == Encoding::Position16;
    let kind = if small { VertexEncoding::Position16 } else { VertexEncoding::Position32 };
    let header_texels = kind.header_texels(PARTS.len() as u32);
    let (mut texels, mut normals) = (Vec::new(), Vec::new());
    for (number, clip) in file.clips.iter_mut().enumerate() {
        let frames = clip.tracks[0].frames;
        let track = Track {
            page_set: 1,
            page: 0,
            first_texel: (texels.len() / kind.texel_bytes()) as u32,
            header_texels,
            elements_per_frame: VERTICES,
            texels_per_element: 1,
            ..clip.tracks[0].clone()
        };
        if !small {
            let of_normals = Track { page_set: 2, ..track.clone() };
            clip.tracks.push(track);
            clip.tracks.push(of_normals);
        } else {
            clip.tracks.push(track);
        }
        let boxes: Vec<PartBox> = (0..PARTS.len()).map(|part| part_box(number, frames, part)).collect();
        if small {
            for part in &boxes {
                let mut bytes = [0; BOX_BYTES];
                part.write(&mut bytes);
                texels.extend(bytes);
            }
        }
        for frame in 0..frames {
            for (part, vertices) in PARTS.iter().enumerate() {
                for vertex in vertices.clone().map(|v| vertex(number, frame, v)) {
                    let (mut texel, mut normal) = ([0; 16], [0; 8]);
                    if small {
                        write_position16(&vertex, &boxes[part], &mut texel);
                    } else {
                        write_position32(vertex.position, &mut texel);
                        write_normal16(vertex.normal, &mut normal);
                        normals.extend(normal);
                    }
                    texels.extend(&texel[..kind.texel_bytes()]);
                }
            }
        }
    }
    let mut add = |content, encoding, texel_format: TexelFormat, mut texels: Vec<u8>| {
        let row_bytes = 64 * texel_format.bytes() as usize;
        texels.resize(texels.len().next_multiple_of(row_bytes), 0);
        file.page_sets.push(PageSet {
            content,
            encoding,
            texel_format,
            width: 64,
            height: (texels.len() / row_bytes) as u32,
            pages: vec![Cow::Owned(texels)],
        });
    };
    if small {
        add(Content::Vertices, encoding, TexelFormat::Rgba16Uint, texels);
    } else {
        add(Content::Vertices, encoding, TexelFormat::Rgba32Float, texels);
        add(Content::Normals, Encoding::Normal16, TexelFormat::Rgba16Float, normals);
    }
    // A report for each page set, or none.
    if let Some(metadata) = &mut file.metadata {
        let report = metadata.accuracy[0].clone();
        metadata.accuracy.resize(file.page_sets.len(), report);
    }
}
