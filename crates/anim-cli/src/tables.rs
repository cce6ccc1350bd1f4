//! The tables of an `.animtex` file as JSON: what `anim inspect --json` prints and `anim export` writes.

use anim_core::clip_time::{ClipMode, Interpolation};
use anim_format::model::{
    Accuracy, Alpha, AnimFile, Bounds, Clip, Content, Encoding, ErrorFigures, HashOf, ImageFormat, Material,
    Part, TexelFormat, Track, VertexSemantic, Wrap,
};
use serde_json::{Map, Value, json};

/// Every table, in the order of the file. Numbers that name other records are theirs.
pub(crate) fn tables(file: &AnimFile<'_>) -> Map<String, Value> {
    let extent = &file.extent;
    let mut tables = Map::new();
    let mut add = |name: &str, value: Value| tables.insert(name.into(), value);
    add(
        "extent",
        json!({
            "model_size_metres": f(extent.model_size_metres),
            "rest_box_min": floats(&extent.rest_box_min),
            "rest_box_max": floats(&extent.rest_box_max),
            "vertex_box_min": floats(&extent.vertex_box_min),
            "vertex_box_max": floats(&extent.vertex_box_max),
            "fade_overshoot_metres": f(extent.fade_overshoot_metres),
        }),
    );
    add("clips", file.clips.iter().map(clip).collect());
    add(
        "page_sets",
        file.page_sets
            .iter()
            .map(|set| {
                json!({
                    "content": content_name(set.content),
                    "encoding": encoding_name(set.encoding),
                    "texel_format": texel_format_name(set.texel_format),
                    "width": set.width,
                    "height": set.height,
                    "page_count": set.pages.len(),
                })
            })
            .collect(),
    );
    add(
        "nodes",
        file.nodes
            .iter()
            .map(|node| {
                json!({
                    "name": node.name,
                    "parent": node.parent,
                    "depth": node.depth,
                    "source_node": node.source_node,
                    "rest_translation": floats(&node.rest_translation),
                    "rest_rotation": floats(&node.rest_rotation),
                    "rest_scale": floats(&node.rest_scale),
                    "rest_matrix_in_pool": node.rest_matrix_in_pool,
                })
            })
            .collect(),
    );
    add(
        "bones",
        file.bones
            .iter()
            .map(|bone| json!({ "node": bone.node, "bone_from_bind": rows(&bone.bone_from_bind) }))
            .collect(),
    );
    add("constant_pool", file.constant_pool.iter().map(|entry| floats(entry)).collect());
    add(
        "local_records",
        file.local_records.iter().map(|r| json!([r.rotation, r.translation, r.scale, r.ranges])).collect(),
    );
    add("masks", file.masks.iter().map(|mask| json!({ "name": mask.name, "words": mask.words })).collect());
    add(
        "attachments",
        file.attachments
            .iter()
            .map(|point| {
                json!({
                    "name": point.name,
                    "node": point.node,
                    "bone": point.bone,
                    "node_from_attachment": rows(&point.node_from_attachment),
                })
            })
            .collect(),
    );
    add("parts", file.parts.iter().map(part).collect());
    add("materials", file.materials.iter().map(material).collect());
    add(
        "images",
        file.images
            .iter()
            .map(|image| {
                json!({
                    "name": image.name,
                    "format": image_format_name(image.format),
                    "length_bytes": image.bytes.len(),
                })
            })
            .collect(),
    );
    add(
        "mesh",
        file.mesh.as_ref().map_or(Value::Null, |mesh| {
            let attributes = mesh.attributes.iter().map(|attribute| {
                json!({
                    "semantic": semantic_name(attribute.semantic),
                    "format": semantic_format(attribute.semantic),
                    "offset_bytes": attribute.offset_bytes,
                })
            });
            json!({
                "stride_bytes": mesh.stride_bytes,
                "vertex_count": mesh.vertices.len() / (mesh.stride_bytes as usize).max(1),
                "index_count": mesh.indices.len() / 4,
                "index_format": "uint32",
                "attributes": attributes.collect::<Vec<_>>(),
            })
        }),
    );
    add(
        "hashes",
        file.hashes
            .iter()
            .map(|hash| json!({ "of": hash_name(hash.of), "sha256": hex(&hash.sha256) }))
            .collect(),
    );
    add(
        "metadata",
        file.metadata.as_ref().map_or(Value::Null, |metadata| {
            let settings: Map<String, Value> =
                metadata.settings.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({
                "generator": metadata.generator,
                "source_names": metadata.source_names,
                "settings": settings,
                "accuracy": metadata.accuracy.iter().map(accuracy).collect::<Vec<_>>(),
            })
        }),
    );
    tables
}

/// An accuracy report.
pub(crate) fn accuracy(accuracy: &Accuracy) -> Value {
    json!({
        "model_size_metres": accuracy.model_size_metres,
        "playback": figures(&accuracy.playback),
        "clips": accuracy.clips.iter().map(figures).collect::<Vec<_>>(),
        "left_out_max_metres": accuracy.left_out_max_metres,
        "left_out_intervals": accuracy.left_out_intervals,
        "largest_shift_seconds": accuracy.largest_shift_seconds,
        "influence_loss_max_metres": accuracy.influence_loss_max_metres,
        "influence_loss_vertices": accuracy.influence_loss_vertices,
        "morph_loss_max_metres": accuracy.morph_loss_max_metres,
        "packing_max_metres": accuracy.packing_max_metres,
        "packing_normal_max_degrees": accuracy.packing_normal_max_degrees,
        "total_max_metres": accuracy.total_max_metres,
        "exhaustive": accuracy.exhaustive,
    })
}

fn figures(figures: &ErrorFigures) -> Value {
    let worst = figures.worst.map(|worst| {
        json!({
            "clip": worst.clip,
            "bone": worst.bone,
            "part": worst.part,
            "vertex": worst.vertex,
            "time_seconds": worst.time_seconds,
        })
    });
    json!({
        "max_metres": figures.max_metres,
        "p999_metres": figures.p999_metres,
        "mean_metres": figures.mean_metres,
        "rms_metres": figures.rms_metres,
        "normal_max_degrees": figures.normal_max_degrees,
        "worst": worst,
        "samples": figures.samples,
    })
}

fn clip(clip: &Clip<'_>) -> Value {
    json!({
        "name": clip.name,
        "duration_seconds": f(clip.duration_seconds),
        "start_seconds": f(clip.start_seconds),
        "source_rate_hz": clip.source_rate_hz.map(f),
        "mode": mode_name(clip.mode),
        "bounds": bounds(&clip.bounds),
        "loop_gap_metres": f(clip.loop_gap_metres),
        "tracks": clip.tracks.iter().map(track).collect::<Vec<_>>(),
    })
}

fn track(track: &Track) -> Value {
    json!({
        "page_set": track.page_set,
        "page": track.page,
        "first_texel": track.first_texel,
        "header_texels": track.header_texels,
        "frames": track.frames,
        "intervals": track.intervals,
        "stored_frames": track.stored_frames,
        "first_record": track.first_record,
        "elements_per_frame": track.elements_per_frame,
        "texels_per_element": track.texels_per_element,
        "interpolation": match track.interpolation {
            Interpolation::Linear => "linear",
            Interpolation::Step => "step",
        },
        "held_frames": track.held_frames,
    })
}

fn part(part: &Part<'_>) -> Value {
    let lods = part.lods.iter().map(|lod| {
        json!({ "first_index": lod.first_index, "index_count": lod.index_count, "threshold": f(lod.threshold) })
    });
    json!({
        "name": part.name,
        "material": part.material,
        "lods": lods.collect::<Vec<_>>(),
        "bounds": bounds(&part.bounds),
        "source_node": part.source_node,
        "source_mesh": part.source_mesh,
        "source_primitive": part.source_primitive,
        "first_vertex": part.first_vertex,
        "vertex_count": part.vertex_count,
        "source_vertex_count": part.source_vertex_count,
        "rigid": part.flags.rigid,
        "normals_computed": part.flags.normals_computed,
        "double_sided": part.flags.double_sided,
        "morphs_lost": part.flags.morphs_lost,
        "not_triangles": part.flags.not_triangles,
    })
}

fn material(material: &Material<'_>) -> Value {
    let (alpha, cutoff) = match material.alpha {
        Alpha::Opaque => ("opaque", None),
        Alpha::Mask { cutoff } => ("mask", Some(f(cutoff))),
        Alpha::Blend => ("blend", None),
    };
    let wrap = |wrap: Wrap| match wrap {
        Wrap::Repeat => "repeat",
        Wrap::Mirror => "mirror",
        Wrap::Clamp => "clamp",
    };
    json!({
        "name": material.name,
        "base_color": floats(&material.base_color),
        "image": material.image,
        "sampler": {
            "wrap_u": wrap(material.sampler.wrap_u),
            "wrap_v": wrap(material.sampler.wrap_v),
            "mag_nearest": material.sampler.mag_nearest,
            "min_nearest": material.sampler.min_nearest,
        },
        "alpha": alpha,
        "alpha_cutoff": cutoff,
        "double_sided": material.double_sided,
    })
}

fn bounds(bounds: &Bounds) -> Value {
    json!({
        "box_min": floats(&bounds.box_min),
        "box_max": floats(&bounds.box_max),
        "sphere_center": floats(&bounds.sphere_center),
        "sphere_radius": f(bounds.sphere_radius),
    })
}

pub(crate) const fn mode_name(mode: ClipMode) -> &'static str {
    match mode {
        ClipMode::Loop => "loop",
        ClipMode::Once => "once",
        ClipMode::PingPong => "ping-pong",
    }
}

pub(crate) const fn content_name(content: Content) -> &'static str {
    match content {
        Content::Local => "local",
        Content::Rows => "rows",
        Content::Vertices => "vertices",
        Content::Normals => "normals",
        _ => "unknown",
    }
}

pub(crate) const fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Local8 => "local8",
        Encoding::Local32 => "local32",
        Encoding::Affine32 => "affine32",
        Encoding::Affine16 => "affine16",
        Encoding::Position32 => "position32",
        Encoding::Position16 => "position16",
        Encoding::Normal16 => "normal16",
        _ => "unknown",
    }
}

pub(crate) const fn texel_format_name(format: TexelFormat) -> &'static str {
    match format {
        TexelFormat::Rg32Uint => "rg32uint",
        TexelFormat::Rgba32Float => "rgba32float",
        TexelFormat::Rgba16Float => "rgba16float",
        TexelFormat::Rgba16Uint => "rgba16uint",
        _ => "unknown",
    }
}

pub(crate) const fn image_format_name(format: ImageFormat) -> &'static str {
    match format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpeg",
    }
}

pub(crate) const fn hash_name(of: HashOf) -> &'static str {
    match of {
        HashOf::Source => "source",
        HashOf::ClipFile => "clip-file",
        HashOf::Settings => "settings",
        HashOf::Topology => "topology",
    }
}

pub(crate) const fn semantic_name(semantic: VertexSemantic) -> &'static str {
    match semantic {
        VertexSemantic::Position => "position",
        VertexSemantic::Normal => "normal",
        VertexSemantic::Tangent => "tangent",
        VertexSemantic::Uv => "uv",
        VertexSemantic::Color => "color",
        VertexSemantic::Bones => "bones",
        VertexSemantic::Weights => "weights",
    }
}

const fn semantic_format(semantic: VertexSemantic) -> &'static str {
    match semantic {
        VertexSemantic::Position | VertexSemantic::Normal => "float32x3",
        VertexSemantic::Tangent | VertexSemantic::Color | VertexSemantic::Weights => "float32x4",
        VertexSemantic::Uv => "float32x2",
        VertexSemantic::Bones => "uint16x4",
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn rows(rows: &[[f32; 4]; 3]) -> Value {
    rows.iter().map(|row| floats(row)).collect()
}

fn floats(values: &[f32]) -> Value {
    values.iter().copied().map(f).collect()
}

/// An `f32` with no more digits than it needs: as an `f64`, 0.1 would become 0.10000000149011612.
fn f(value: f32) -> Value {
    json!(value.to_string().parse::<f64>().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_no_more_digits_than_they_need() {
        for (value, expected) in [(0.1, "0.1"), (1.0, "1.0"), (-3.402_823_5e38, "-3.4028235e+38")] {
            assert_eq!(f(value).to_string(), expected);
            assert_eq!(f(value).to_string().parse::<f32>().unwrap(), value);
        }
    }
}
