//! The report of `anim inspect` as text.

use anim_format::model::{Accuracy, Alpha, AnimFile, HashOf};

use super::Inspected;
use super::clip_accuracy;
use super::figures::{bytes_by_section, clip_texels};
use crate::tables::{content_name, encoding_name, hash_name, hex, image_format_name, mode_name};
use crate::tables::{semantic_name, texel_format_name};
use crate::text::{Rows, bytes, digits, heading, length, percent, printable};

/// Rows of a long table without `-v`.
const LONG: usize = 20;
/// Rows of tables that matter less.
const SHORT: usize = 8;

/// The whole report.
pub(super) fn report(inspected: &Inspected<'_>, whole: bool) -> String {
    let file = &inspected.file;
    let mut text = head(inspected);
    let mut add = |title: &str, table: String| {
        if !table.is_empty() {
            text.push('\n');
            text.push_str(&heading(title));
            text.push_str(&table);
        }
    };
    add(&titled("Clips", file.clips.len()), clips(file, whole));
    add("Page sets", page_sets(inspected));
    add(&titled("Bones", file.bones.len()), bones(file, whole));
    add(&titled("Attachments", file.attachments.len()), attachments(file, whole));
    add(&titled("Masks", file.masks.len()), masks(file, whole));
    add(&titled("Parts", file.parts.len()), parts(file, whole));
    add(&titled("Materials", file.materials.len()), materials(file, whole));
    add(&titled("Images", file.images.len()), images(file, whole));
    if let Some(metadata) = &file.metadata {
        add("Accuracy", accuracy(file, &metadata.accuracy, whole));
        add("Settings", settings(&metadata.settings));
    }
    add("Bytes by section", section_bytes(inspected));
    if whole {
        add(&titled("Sections", inspected.sections.len()), sections(inspected));
    }
    add("Hashes (SHA-256)", hashes(file, whole));
    text
}

fn titled(title: &str, count: usize) -> String {
    format!("{title} ({count})")
}

fn head(inspected: &Inspected<'_>) -> String {
    let file = &inspected.file;
    let name = printable(&inspected.name).into_owned();
    let title = if inspected.would_be {
        format!("{name}: a bake with default settings would hold")
    } else {
        format!("{name}: .animtex {}.{}", inspected.version.major, inspected.version.minor)
    };
    let mut text = heading(&title);
    text.push_str(&format!("  size        {}\n", bytes(inspected.length_bytes)));
    let extent = &file.extent;
    let size: Vec<String> =
        (0..3).map(|axis| length(f64::from(extent.rest_box_max[axis] - extent.rest_box_min[axis]))).collect();
    let diagonal = length(f64::from(extent.model_size_metres));
    text.push_str(&format!("  model size  {diagonal} ({} at rest)\n", size.join(" x ")));
    match &file.mesh {
        Some(mesh) => {
            let vertices: u32 = file.parts.iter().map(|part| part.vertex_count).sum();
            let attributes: Vec<&str> = mesh.attributes.iter().map(|a| semantic_name(a.semantic)).collect();
            let triangles = mesh.indices.len() / 12;
            text.push_str(&format!(
                "  mesh        {vertices} vertices of {} bytes ({}), {triangles} triangles\n",
                mesh.stride_bytes,
                attributes.join(", ")
            ));
        }
        None => text.push_str("  mesh        none\n"),
    }
    if let Some(metadata) = &file.metadata {
        let sources = metadata.source_names.join(", ");
        let sources = if sources.is_empty() { "memory" } else { &sources };
        text.push_str(&format!(
            "  made by     {} from {}\n",
            printable(&metadata.generator),
            printable(sources)
        ));
    }
    text
}

fn clips(file: &AnimFile<'_>, whole: bool) -> String {
    let columns =
        ["", "name", "seconds", "mode", "frames", "rate", "page", "texels", "loop gap", "largest error"];
    let mut rows = Rows::new(&columns, whole, LONG);
    let reports = file.metadata.as_ref().map_or(&[][..], |metadata| &metadata.accuracy);
    for (number, clip) in file.clips.iter().enumerate() {
        let track = clip.tracks.first();
        let rate = track.filter(|_| clip.duration_seconds > 0.0).map_or("-".into(), |track| {
            format!("{} Hz", digits(f64::from(track.intervals) / f64::from(clip.duration_seconds)))
        });
        let pages: Vec<String> = clip
            .tracks
            .iter()
            .map(|track| match file.page_sets.len() {
                1 => track.page.to_string(),
                _ => format!("{}:{}", track.page_set, track.page),
            })
            .collect();
        let errors: Vec<String> = reports
            .iter()
            .filter_map(|report| report.clips.get(number).filter(|error| error.samples > 0))
            .map(|error| length(error.max_metres))
            .collect();
        rows.add([
            number.to_string(),
            clip.name.to_string(),
            digits(f64::from(clip.duration_seconds)),
            mode_name(clip.mode).into(),
            track.map_or(0, |track| track.frames).to_string(),
            rate,
            pages.join(" "),
            clip_texels(clip).to_string(),
            length(f64::from(clip.loop_gap_metres)),
            if errors.is_empty() { "-".into() } else { errors.join(", ") },
        ]);
    }
    rows.to_text()
}

fn page_sets(inspected: &Inspected<'_>) -> String {
    let columns = ["", "content", "encoding", "texels", "pages", "size", "bytes a page", "filled"];
    let mut rows = Rows::new(&columns, true, 0);
    for (number, (set, fill)) in inspected.file.page_sets.iter().zip(&inspected.fill).enumerate() {
        rows.add([
            number.to_string(),
            content_name(set.content).into(),
            encoding_name(set.encoding).into(),
            texel_format_name(set.texel_format).into(),
            set.pages.len().to_string(),
            format!("{} x {}", set.width, set.height),
            bytes(set.pages.first().map_or(0, |page| page.len() as u64)),
            percent(fill.share()),
        ]);
    }
    rows.to_text()
}

fn bones(file: &AnimFile<'_>, whole: bool) -> String {
    let mut rows = Rows::new(&["", "node", "name", "parent", "source node"], whole, SHORT);
    for (number, bone) in file.bones.iter().enumerate() {
        let node = bone.node.map(|node| (node, &file.nodes[node as usize]));
        let parent = node.and_then(|(_, node)| node.parent).map(|parent| &file.nodes[parent as usize]);
        rows.add([
            number.to_string(),
            node.map_or("-".into(), |(number, _)| number.to_string()),
            node.map_or("(all that never moves)".into(), |(_, node)| node.name.to_string()),
            parent.map_or("-".into(), |parent| parent.name.to_string()),
            node.map_or("-".into(), |(_, node)| node.source_node.to_string()),
        ]);
    }
    if file.bones.is_empty() { String::new() } else { rows.to_text() }
}

fn attachments(file: &AnimFile<'_>, whole: bool) -> String {
    let mut rows = Rows::new(&["", "name", "node", "node name", "bone"], whole, LONG);
    for (number, point) in file.attachments.iter().enumerate() {
        rows.add([
            number.to_string(),
            point.name.to_string(),
            point.node.to_string(),
            file.nodes[point.node as usize].name.to_string(),
            point.bone.to_string(),
        ]);
    }
    if file.attachments.is_empty() { String::new() } else { rows.to_text() }
}

fn masks(file: &AnimFile<'_>, whole: bool) -> String {
    let mut rows = Rows::new(&["", "name", "nodes", "below"], whole, LONG);
    for (number, mask) in file.masks.iter().enumerate() {
        let has = |node: usize| mask.words.get(node / 32).is_some_and(|word| word >> (node % 32) & 1 == 1);
        let nodes = || file.nodes.iter().enumerate().filter(|(node, _)| has(*node)).map(|(_, node)| node);
        let is_top = |parent: Option<u32>| !parent.is_some_and(|parent| has(parent as usize));
        let tops: Vec<&str> = nodes().filter(|node| is_top(node.parent)).map(|node| &*node.name).collect();
        let name = mask.name.to_string();
        rows.add([number.to_string(), name, nodes().count().to_string(), tops.join(", ")]);
    }
    if file.masks.is_empty() { String::new() } else { rows.to_text() }
}

fn parts(file: &AnimFile<'_>, whole: bool) -> String {
    let columns = ["", "name", "node/mesh/primitive", "vertices", "triangles", "material", "notes"];
    let mut rows = Rows::new(&columns, whole, LONG);
    for (number, part) in file.parts.iter().enumerate() {
        let flags = [
            (part.flags.rigid, "rigid"),
            (part.flags.normals_computed, "flat normals computed"),
            (part.flags.double_sided, "double-sided"),
            (part.flags.morphs_lost, "morphs lost"),
            (part.flags.not_triangles, "no triangles"),
        ];
        let notes: Vec<&str> = flags.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        rows.add([
            number.to_string(),
            part.name.to_string(),
            format!("{}/{}/{}", part.source_node, part.source_mesh, part.source_primitive),
            part.vertex_count.to_string(),
            part.lods.first().map_or(0, |lod| lod.index_count / 3).to_string(),
            part.material.to_string(),
            notes.join(", "),
        ]);
    }
    if file.parts.is_empty() { String::new() } else { rows.to_text() }
}

fn materials(file: &AnimFile<'_>, whole: bool) -> String {
    let mut rows = Rows::new(&["", "name", "base colour", "image", "alpha", "sides"], whole, LONG);
    for (number, material) in file.materials.iter().enumerate() {
        let color: Vec<String> = material.base_color.iter().map(|c| format!("{c:.3}")).collect();
        rows.add([
            number.to_string(),
            material.name.to_string(),
            color.join(" "),
            material.image.map_or("-".into(), |image| image.to_string()),
            match material.alpha {
                Alpha::Opaque => "opaque".into(),
                Alpha::Mask { cutoff } => format!("mask below {cutoff}"),
                Alpha::Blend => "blend (drawn opaque)".into(),
            },
            if material.double_sided { "both" } else { "front" }.into(),
        ]);
    }
    if file.materials.is_empty() { String::new() } else { rows.to_text() }
}

fn images(file: &AnimFile<'_>, whole: bool) -> String {
    let mut rows = Rows::new(&["", "name", "format", "size"], whole, LONG);
    for (number, image) in file.images.iter().enumerate() {
        rows.add([
            number.to_string(),
            image.name.to_string(),
            image_format_name(image.format).into(),
            bytes(image.bytes.len() as u64),
        ]);
    }
    if file.images.is_empty() { String::new() } else { rows.to_text() }
}

/// The accuracy reports of a file, one a page set, also used for those that were measured just now.
pub(crate) fn accuracy(file: &AnimFile<'_>, reports: &[Accuracy], whole: bool) -> String {
    let mut text = String::new();
    for (number, (report, set)) in reports.iter().zip(&file.page_sets).enumerate() {
        if reports.len() > 1 {
            let (content, encoding) = (content_name(set.content), encoding_name(set.encoding));
            let space = if number == 0 { "" } else { "\n" };
            text.push_str(&format!("{space}  page set {number}: {content}, {encoding}\n"));
        }
        text.push_str(&one_report(file, report));
        text.push('\n');
        text.push_str(&clip_accuracy::table(file, number, report, whole, LONG));
    }
    if text.is_empty() { "  not measured\n".into() } else { text }
}

fn one_report(file: &AnimFile<'_>, accuracy: &Accuracy) -> String {
    if accuracy.playback.samples == 0 {
        return "  not measured\n".into();
    }
    let mut rows = Rows::new(&["", ""], true, 0);
    for (name, value) in facts(file, accuracy) {
        rows.add([name.to_owned(), value]);
    }
    rows.to_text().lines().skip(1).map(|line| format!("{line}\n")).collect()
}

/// What was measured of a page set: names and values.
pub(crate) fn facts(file: &AnimFile<'_>, accuracy: &Accuracy) -> Vec<(&'static str, String)> {
    if accuracy.playback.samples == 0 {
        return vec![("measured", "nothing".into())];
    }
    let of_model = |metres: f64| {
        let size = accuracy.model_size_metres;
        if size > 0.0 { format!("{} ({})", length(metres), percent(metres / size)) } else { length(metres) }
    };
    let playback = &accuracy.playback;
    let mut facts = Vec::new();
    let mut add = |name: &'static str, value: String| facts.push((name, value));
    add("playback, largest", of_model(playback.max_metres));
    add("playback, 99.9 %", of_model(playback.p999_metres));
    add("playback, mean", of_model(playback.mean_metres));
    add("playback, rms", of_model(playback.rms_metres));
    add("normals, largest", format!("{} degrees", digits(playback.normal_max_degrees)));
    if let Some(worst) = &playback.worst {
        let clip = file.clips.get(worst.clip as usize).map_or("?", |clip| &*clip.name);
        let bone = file.bones.get(worst.bone as usize).and_then(|bone| bone.node);
        let bone = bone.and_then(|node| file.nodes.get(node as usize)).map_or("-", |node| &*node.name);
        add(
            "worst at",
            format!(
                "clip {clip:?}, {} s, part {}, vertex {}, bone {} {bone:?}",
                digits(worst.time_seconds),
                worst.part,
                worst.vertex,
                worst.bone
            ),
        );
    }
    if accuracy.left_out_intervals > 0 {
        add(
            "next to jumps",
            format!(
                "{} in {} intervals left out, jumps moved by at most {} ms",
                of_model(accuracy.left_out_max_metres),
                accuracy.left_out_intervals,
                digits(accuracy.largest_shift_seconds * 1e3)
            ),
        );
    }
    if accuracy.influence_loss_vertices > 0 {
        add(
            "influences dropped",
            format!(
                "{}, {} vertices",
                of_model(accuracy.influence_loss_max_metres),
                accuracy.influence_loss_vertices
            ),
        );
    }
    if accuracy.morph_loss_max_metres > 0.0 {
        add("morph targets dropped", of_model(accuracy.morph_loss_max_metres));
    }
    add("vertex packing", of_model(accuracy.packing_max_metres));
    add("total, at most", of_model(accuracy.total_max_metres));
    let how = if accuracy.exhaustive { "every vertex, 16 times an interval" } else { "a sample of vertices" };
    add("measured", format!("{how}, {} distances", playback.samples));
    facts
}

fn settings(settings: &[(String, String)]) -> String {
    let mut rows = Rows::new(&["", ""], true, 0);
    for (name, value) in settings.iter().filter(|(_, value)| !value.is_empty()) {
        rows.add([name.clone(), value.clone()]);
    }
    rows.to_text().lines().skip(1).map(|line| format!("{line}\n")).collect()
}

fn section_bytes(inspected: &Inspected<'_>) -> String {
    let mut rows = Rows::new(&["section", "size", "of file"], true, 0);
    let mut rest = inspected.length_bytes;
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let share = |length: u64| percent(length as f64 / inspected.length_bytes.max(1) as f64);
    for (name, length_bytes) in bytes_by_section(&inspected.sections) {
        rest -= length_bytes.min(rest);
        if length_bytes > 0 {
            rows.add([name.into(), bytes(length_bytes), share(length_bytes)]);
        }
    }
    rows.add(["header, section table, padding".into(), bytes(rest), share(rest)]);
    rows.to_text()
}

fn sections(inspected: &Inspected<'_>) -> String {
    let columns = ["kind", "", "offset", "length", "records", "record length", "CRC-32", "flags"];
    let mut rows = Rows::new(&columns, true, 0);
    for section in &inspected.sections {
        let name = match section.kind_name {
            "page" => format!("page {} of set {}", section.number, section.owner),
            name => name.into(),
        };
        rows.add([
            section.kind.to_string(),
            name,
            section.offset_bytes.to_string(),
            section.length_bytes.to_string(),
            section.record_count.to_string(),
            section.record_bytes.to_string(),
            format!("{:08x}", section.crc32),
            if section.critical { "critical" } else { "skippable" }.into(),
        ]);
    }
    rows.to_text()
}

fn hashes(file: &AnimFile<'_>, whole: bool) -> String {
    let mut rows = Rows::new(&["of", ""], true, 0);
    for hash in &file.hashes {
        let digits = hex(&hash.sha256);
        let shown = if whole || hash.of == HashOf::Source { digits } else { format!("{}…", &digits[..16]) };
        rows.add([hash_name(hash.of).into(), shown]);
    }
    if file.hashes.is_empty() { String::new() } else { rows.to_text() }
}
