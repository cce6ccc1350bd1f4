//! A file as text: the expected values beside a golden file.

use std::fmt::Write as _;

use anim_format::AnimFile;
use anim_format::model::{Clip, Track};
use anim_format::playback::{attachment_matrix, palette_of_track, rest_palette, vertex_track, vertices_at};

/// Every value of a file on a line of its own record, bulk data as length and CRC-32, and what playback makes of it.
pub fn describe(file: &AnimFile<'_>) -> String {
    let mut text = String::new();
    let mut line = |line: String| writeln!(text, "{line}").unwrap();
    line(format!("{:?}", file.extent));
    for (number, set) in file.page_sets.iter().enumerate() {
        let shape = (set.content, set.encoding, set.texel_format, set.width, set.height);
        line(format!("page_sets[{number}] {shape:?}"));
        for (page, bytes) in set.pages.iter().enumerate() {
            line(format!("page_sets[{number}].pages[{page}] {}", bulk(bytes)));
        }
    }
    for (number, clip) in file.clips.iter().enumerate() {
        line(format!("clips[{number}] {clip:?}"));
    }
    for (number, node) in file.nodes.iter().enumerate() {
        line(format!("nodes[{number}] {node:?}"));
    }
    for (number, bone) in file.bones.iter().enumerate() {
        line(format!("bones[{number}] {bone:?}"));
    }
    line(format!("constant_pool {:?}", file.constant_pool));
    for (number, record) in file.local_records.iter().enumerate() {
        line(format!("local_records[{number}] {record:x?}"));
    }
    for (number, mask) in file.masks.iter().enumerate() {
        line(format!("masks[{number}] {mask:?}"));
    }
    for (number, attachment) in file.attachments.iter().enumerate() {
        line(format!("attachments[{number}] {attachment:?}"));
    }
    for (number, part) in file.parts.iter().enumerate() {
        line(format!("parts[{number}] {part:?}"));
    }
    for (number, material) in file.materials.iter().enumerate() {
        line(format!("materials[{number}] {material:?}"));
    }
    for (number, image) in file.images.iter().enumerate() {
        line(format!("images[{number}] {:?} {:?} {}", image.name, image.format, bulk(&image.bytes)));
    }
    match &file.mesh {
        None => line("mesh none".into()),
        Some(mesh) => {
            line(format!("mesh.stride_bytes {} {:?}", mesh.stride_bytes, mesh.attributes));
            line(format!("mesh.vertices {}", bulk(&mesh.vertices)));
            line(format!("mesh.indices {}", bulk(&mesh.indices)));
        }
    }
    for hash in &file.hashes {
        line(format!("hash {hash:?}"));
    }
    line(format!("metadata {:#?}", file.metadata));

    let mut palette = rest_palette(file);
    line(format!("rest palette {palette:?}"));
    for (clip, track) in with_vertices(file) {
        for share in SHARES {
            let time_seconds = f64::from(clip.duration_seconds) * share;
            for part in 0..file.parts.len() {
                let vertices = 0..file.parts[part].vertex_count;
                let found = vertices_at(file, clip, part, time_seconds, vertices).unwrap();
                line(format!(
                    "vertices {:?} of part {part} in set {track} at {time_seconds} s {found:?}",
                    clip.name
                ));
            }
        }
    }
    for clip in &file.clips {
        for track in clip.tracks.iter().filter(|track| has_palette(file, track)) {
            let of_set =
                if file.page_sets.len() > 1 { format!(" in set {}", track.page_set) } else { String::new() };
            for share in SHARES {
                let time_seconds = f64::from(clip.duration_seconds) * share;
                palette_of_track(file, clip, track, time_seconds, &mut palette);
                line(format!("palette {:?}{of_set} at {time_seconds} s {palette:?}", clip.name));
                for attachment in 0..file.attachments.len() {
                    let matrix = attachment_matrix(file, attachment, &palette).unwrap();
                    line(format!(
                        "attachment {attachment} {:?}{of_set} at {time_seconds} s {matrix:?}",
                        clip.name
                    ));
                }
            }
        }
    }
    text
}

/// Clips with a vertex track, and its page set.
pub fn with_vertices<'f>(file: &'f AnimFile<'f>) -> impl Iterator<Item = (&'f Clip<'f>, u32)> {
    file.clips.iter().filter_map(|clip| vertex_track(file, clip).map(|(track, _)| (clip, track.page_set)))
}

/// Whether a track makes matrices.
pub fn has_palette(file: &AnimFile<'_>, track: &Track) -> bool {
    file.page_sets[track.page_set as usize].content.makes_matrices()
}

/// Times that are looked at, as shares of a clip's duration.
pub const SHARES: [f64; 5] = [0.0, 0.25, 0.3125, 0.96875, 1.0];

fn bulk(bytes: &[u8]) -> String {
    format!("{} bytes, CRC-32 {:08x}", bytes.len(), crc32fast::hash(bytes))
}
