//! Tables, texels and geometry to an [`AnimFile`].

use std::borrow::Cow;

use anim_core::glam::DAffine3;
use anim_core::matrix_rows::{IDENTITY_ROWS, rows_from_affine};
use anim_core::rotation::normalize;
use anim_core::trs::Trs;
use anim_format::model::{
    AnimFile, Attachment, Bone, Bounds, Clip, Encoding, Extent, Image, Lod, Material, Mesh, Node, Part,
    PartFlags, Sampler, TexelFormat, Track, VertexAttribute, VertexSemantic,
};

use crate::attachments::AttachmentPoint;
use crate::bones::{BoneTable, attachment_bone, node_closure};
use crate::box3::Box3;
use crate::clip_plan::ClipPlan;
use crate::evaluate::{MeshInstance, posed_vertices};
use crate::geometry::{Geometry, index};
use crate::jumps::held_frames;
use crate::local_tracks::BakedLocal;
use crate::pages::BakedPages;
use crate::source::SourceAsset;

/// Name of a source node in a message.
pub(crate) fn node_label(asset: &SourceAsset, node: Option<usize>) -> String {
    match node {
        None => "(static)".into(),
        Some(node) => match asset.nodes[node].name.as_deref().filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("nodes[{node}]"),
        },
    }
}

/// Node table, bone table and attachment points, with the constants that they need.
pub(crate) fn skeleton_tables(
    file: &mut AnimFile<'static>,
    asset: &SourceAsset,
    table: &BoneTable,
    attachments: &[AttachmentPoint],
) {
    let attachment_nodes: Vec<usize> = attachments.iter().map(|point| point.node).collect();
    let closure = node_closure(asset, table, &attachment_nodes);
    let mut number_of = vec![None; asset.nodes.len()];
    for (number, (node, _)) in closure.iter().enumerate() {
        number_of[*node] = Some(index(number));
    }
    for &(node, depth) in &closure {
        let source = &asset.nodes[node];
        // What a rotation of unit length and a scale do not give again is kept as a matrix: shear, and rotations that
        // are not of unit length.
        let plain = source.rest.filter(|rest| gives_again(rest, &source.parent_from_node));
        let rest = plain.unwrap_or(Trs::IDENTITY);
        let rest_matrix_in_pool = plain.is_none().then(|| {
            let first = index(file.constant_pool.len());
            file.constant_pool.extend(rows_from_affine(&source.parent_from_node));
            first
        });
        let single = |v: [f64; 3]| v.map(narrow);
        file.nodes.push(Node {
            name: Cow::Owned(source.name.clone().unwrap_or_default()),
            parent: source.parent.and_then(|parent| number_of[parent]),
            depth,
            source_node: index(node),
            rest_translation: single(rest.translation.to_array()),
            rest_rotation: normalize(rest.rotation).to_array().map(narrow),
            rest_scale: single(rest.scale.to_array()),
            rest_matrix_in_pool,
        });
    }
    let number = |node: usize| number_of[node].expect("the closure holds every bone and attachment point");
    file.bones = table
        .bones()
        .iter()
        .map(|bone| Bone { node: bone.node.map(number), bone_from_bind: bone.bone_from_bind })
        .collect();
    for point in attachments {
        file.attachments.push(Attachment {
            name: Cow::Owned(point.name.clone()),
            node: number(point.node),
            node_from_attachment: IDENTITY_ROWS,
            bone: attachment_bone(table, point.node)
                .expect("the table has a bone for every attachment point"),
        });
    }
}

/// Whether a transform, its rotation normalised, is the matrix to within 1e-6 of its size.
fn gives_again(rest: &Trs, parent_from_node: &DAffine3) -> bool {
    let found = Trs { rotation: normalize(rest.rotation), ..*rest }.to_affine().matrix3.to_cols_array();
    let expected = parent_from_node.matrix3.to_cols_array();
    let size = expected.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
    found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() <= 1e-6 * size)
}

/// Clip records without bounds and tracks.
pub(crate) fn clip_tables(file: &mut AnimFile<'static>, clips: &[ClipPlan]) {
    file.clips.extend(clips.iter().map(|clip| Clip {
        name: Cow::Owned(clip.name.clone()),
        duration_seconds: clip.duration_seconds,
        start_seconds: clip.start_seconds,
        source_rate_hz: clip.source_rate_hz,
        mode: clip.mode,
        bounds: Bounds::default(),
        loop_gap_metres: 0.0,
        tracks: Vec::new(),
    }));
}

/// A page set of rows, and a track in it for every clip.
pub(crate) fn rows_tables(file: &mut AnimFile<'static>, clips: &[ClipPlan], pages: BakedPages) {
    let elements_per_frame = index(file.bones.len());
    let page_set = index(file.page_sets.len());
    for ((clip, plan), (page, first_texel)) in file.clips.iter_mut().zip(clips).zip(pages.places) {
        clip.tracks.push(Track {
            page,
            first_texel,
            elements_per_frame,
            texels_per_element: anim_core::limits::ROWS_PER_BONE,
            ..track_of(plan, page_set)
        });
    }
    file.page_sets.push(pages.set);
}

/// A page set of local tracks, and a track in it for every clip.
pub(crate) fn local_tables(file: &mut AnimFile<'static>, clips: &[ClipPlan], local: BakedLocal) {
    let page_set = index(file.page_sets.len());
    for ((clip, plan), place) in file.clips.iter_mut().zip(clips).zip(local.tracks) {
        clip.tracks.push(Track {
            page: place.page,
            first_texel: place.first_texel,
            header_texels: place.header_texels,
            stored_frames: place.stored_frames,
            elements_per_frame: place.elements_per_frame,
            texels_per_element: 1,
            first_record: Some(place.first_record),
            ..track_of(plan, page_set)
        });
    }
    file.page_sets.push(local.set);
}

/// What tracks of all contents have in common.
fn track_of(clip: &ClipPlan, page_set: u32) -> Track {
    let held_frames = match clip.interpolation {
        anim_format::model::Interpolation::Step => Vec::new(),
        anim_format::model::Interpolation::Linear => held_frames(&clip.jumps, clip.frames()),
    };
    Track {
        page_set,
        page: 0,
        first_texel: 0,
        header_texels: 0,
        frames: clip.frames(),
        intervals: clip.intervals,
        stored_frames: clip.frames(),
        elements_per_frame: 0,
        texels_per_element: 0,
        first_record: None,
        interpolation: clip.interpolation,
        held_frames,
    }
}

/// Format of a texel of an encoding.
pub(crate) fn texel_format(encoding: Encoding) -> TexelFormat {
    match encoding {
        Encoding::Local8 => TexelFormat::Rg32Uint,
        Encoding::Local32 | Encoding::Affine32 => TexelFormat::Rgba32Float,
        _ => TexelFormat::Rgba16Float,
    }
}

/// Sizes of the model: everything in the rest pose, joints where there is no vertex.
pub(crate) fn extent(
    asset: &SourceAsset,
    instances: &[MeshInstance],
    table: &BoneTable,
    model_from_node: &[DAffine3],
    geometry: &Geometry,
) -> Extent {
    let mut rest = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let mut add = |p: [f64; 3]| {
        for i in 0..3 {
            rest[0][i] = rest[0][i].min(p[i]);
            rest[1][i] = rest[1][i].max(p[i]);
        }
    };
    for instance in instances {
        let weights: Vec<f64> = asset.nodes[instance.node].weights.iter().map(|w| f64::from(*w)).collect();
        posed_vertices(asset, *instance, model_from_node, &weights, None)
            .positions
            .into_iter()
            .for_each(&mut add);
    }
    if geometry.positions.is_empty() {
        for node in table.bones().iter().filter_map(|bone| bone.node) {
            add(model_from_node[node].translation.to_array());
        }
    }
    let [low, high] = if rest[0][0] > rest[1][0] { [[0.0; 3]; 2] } else { rest };
    let size: f64 = (0..3).map(|i| (high[i] - low[i]) * (high[i] - low[i])).sum();
    let mut vertex_box = Box3::EMPTY;
    geometry.positions.iter().for_each(|p| vertex_box.add(*p));
    if vertex_box.is_empty() {
        vertex_box = Box3 { min: [0.0; 3], max: [0.0; 3] };
    }
    Extent {
        rest_box_min: low.map(narrow),
        rest_box_max: high.map(narrow),
        model_size_metres: narrow(libm::sqrt(size)),
        vertex_box_min: vertex_box.min,
        vertex_box_max: vertex_box.max,
        fade_overshoot_metres: 0.0,
    }
}

/// Part records. Without a mesh in the file, index ranges are empty.
pub(crate) fn part_tables(
    file: &mut AnimFile<'static>,
    asset: &SourceAsset,
    geometry: &Geometry,
    bounds: &[Option<Bounds>],
    mixed: &[bool],
    with_mesh: bool,
) {
    for (i, part) in geometry.parts.iter().enumerate() {
        let instance = part.instance;
        let primitive = &asset.meshes[instance.mesh].primitives[instance.primitive];
        let named = |name: &Option<String>| name.clone().filter(|name| !name.is_empty());
        let name =
            named(&asset.nodes[instance.node].name).or_else(|| named(&asset.meshes[instance.mesh].name));
        let lod = if with_mesh {
            Lod {
                first_index: index(part.first_triangle * 3),
                index_count: index(part.triangle_count * 3),
                threshold: 0.0,
            }
        } else {
            Lod { first_index: 0, index_count: 0, threshold: 0.0 }
        };
        file.parts.push(Part {
            name: Cow::Owned(name.unwrap_or_default()),
            material: index(primitive.material.unwrap_or(asset.materials.len())),
            lods: vec![lod],
            bounds: bounds[i].unwrap_or_default(),
            source_node: index(instance.node),
            source_mesh: index(instance.mesh),
            source_primitive: index(instance.primitive),
            first_vertex: part.first_vertex,
            vertex_count: part.vertex_count,
            source_vertex_count: part.source_vertex_count,
            flags: PartFlags {
                rigid: part.rigid,
                normals_computed: part.normals_computed,
                double_sided: mixed[i],
                morphs_lost: !primitive.morph_targets.is_empty(),
                not_triangles: primitive.not_triangles,
            },
        });
    }
}

/// Materials in source order, then the default material if a part needs it; images that they use.
pub(crate) fn material_tables(
    file: &mut AnimFile<'static>,
    asset: &SourceAsset,
    geometry: &Geometry,
    with_images: bool,
) {
    let mut number_of_image = vec![None; asset.images.len()];
    for source in &asset.materials {
        let image = source.image.filter(|_| with_images).and_then(|image| {
            let (format, bytes) = asset.images[image].content.as_ref()?;
            Some(*number_of_image[image].get_or_insert_with(|| {
                file.images.push(Image {
                    name: Cow::Owned(asset.images[image].name.clone()),
                    format: *format,
                    bytes: Cow::Owned(bytes.to_vec()),
                });
                index(file.images.len() - 1)
            }))
        });
        file.materials.push(Material {
            name: Cow::Owned(source.name.clone().unwrap_or_default()),
            base_color: source.base_color,
            image,
            sampler: source.sampler,
            alpha: source.alpha,
            double_sided: source.double_sided,
        });
    }
    let needs_default = |part: &crate::geometry::PartGeometry| {
        asset.meshes[part.instance.mesh].primitives[part.instance.primitive].material.is_none()
    };
    if geometry.parts.iter().any(needs_default) {
        // glTF 2.0 section 3.9.6: white, opaque, single-sided.
        file.materials.push(Material {
            name: Cow::Borrowed(""),
            base_color: [1.0; 4],
            image: None,
            sampler: Sampler::default(),
            alpha: anim_format::model::Alpha::Opaque,
            double_sided: false,
        });
    }
}

/// The vertex stream and the index list as bytes.
pub(crate) fn mesh_bytes(geometry: &Geometry) -> Mesh<'static> {
    let mut attributes = Vec::new();
    let mut stride_bytes = 0;
    let mut place = |semantic: VertexSemantic, present: bool| {
        if present {
            attributes.push(VertexAttribute { semantic, offset_bytes: stride_bytes });
            stride_bytes += semantic.bytes();
        }
    };
    place(VertexSemantic::Position, true);
    place(VertexSemantic::Normal, true);
    place(VertexSemantic::Tangent, !geometry.tangents.is_empty());
    place(VertexSemantic::Uv, !geometry.uvs.is_empty());
    place(VertexSemantic::Bones, true);
    place(VertexSemantic::Weights, true);
    let mut vertices = Vec::with_capacity(geometry.positions.len() * stride_bytes as usize);
    let floats = |out: &mut Vec<u8>, values: &[f32]| values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    for vertex in 0..geometry.positions.len() {
        floats(&mut vertices, &geometry.positions[vertex]);
        floats(&mut vertices, &geometry.normals[vertex]);
        if let Some(tangent) = geometry.tangents.get(vertex) {
            floats(&mut vertices, tangent);
        }
        if let Some(uv) = geometry.uvs.get(vertex) {
            floats(&mut vertices, uv);
        }
        geometry.bones[vertex].iter().for_each(|bone| vertices.extend(bone.to_le_bytes()));
        floats(&mut vertices, &geometry.weights[vertex]);
    }
    let indices: Vec<u8> =
        geometry.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()).collect();
    Mesh { stride_bytes, attributes, vertices: Cow::Owned(vertices), indices: Cow::Owned(indices) }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is what storing is")]
fn narrow(v: f64) -> f32 {
    v as f32
}
