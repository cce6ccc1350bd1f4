//! A file of four vertices for unit tests.

use anim_core::matrix_rows::IDENTITY_ROWS;
use anim_format::AnimFile;
use anim_format::model::{Bone, Bounds, Extent, Lod, Mesh, Part, PartFlags, VertexAttribute, VertexSemantic};

/// The box that the vertices are packed in.
pub(crate) fn box_corners() -> ([f32; 3], [f32; 3]) {
    ([-1.0, 0.0, 2.0], [3.0, 5.0, 2.0])
}

/// Two triangles, the vertices of which follow the first, the middle and the last of so many bones (at least 3).
pub(crate) fn file_with_bones(bones: u16) -> AnimFile<'static> {
    let (vertex_box_min, vertex_box_max) = box_corners();
    let (middle, last) = (bones / 2, bones - 1);
    let mut vertices = Vec::new();
    for (position, normal, influences, weights) in [
        ([-1.0, 0.0, 2.0f32], [1.0, 0.0, 0.0f32], [last, 0, 0, 0], [1.0, 0.0, 0.0, 0.0f32]),
        ([3.0, 5.0, 2.0], [0.0, 0.6, -0.8], [0, middle, last, last], [0.4, 0.3004, 0.2996, 0.0]),
        ([0.1, 4.9, 2.0], [0.0, 0.0, -1.0], [last, middle, 0, 0], [0.1, 0.2, 0.7, 0.0]),
        ([2.9, 0.01, 2.0], [-0.48, 0.64, 0.6], [middle, last, 0, 0], [0.5, 0.5, 0.0, 0.0]),
    ] {
        push(&mut vertices, &position);
        push(&mut vertices, &normal);
        push(&mut vertices, &[1.0, 0.0, 0.0, -1.0f32]);
        push(&mut vertices, &[0.25, 3.0f32]);
        vertices.extend(influences.iter().flat_map(|bone| bone.to_le_bytes()));
        push(&mut vertices, &weights);
    }
    let attributes = [
        (VertexSemantic::Position, 0),
        (VertexSemantic::Normal, 12),
        (VertexSemantic::Tangent, 24),
        (VertexSemantic::Uv, 40),
        (VertexSemantic::Bones, 48),
        (VertexSemantic::Weights, 56),
    ];
    let indices: Vec<u8> = [0u32, 1, 2, 2, 1, 3].iter().flat_map(|i| i.to_le_bytes()).collect();
    AnimFile {
        extent: Extent { vertex_box_min, vertex_box_max, ..Extent::default() },
        bones: vec![Bone { node: None, bone_from_bind: IDENTITY_ROWS }; bones.into()],
        parts: vec![part(0, PartFlags::default()), part(3, PartFlags::default())],
        mesh: Some(Mesh {
            stride_bytes: 72,
            attributes: attributes
                .map(|(semantic, offset_bytes)| VertexAttribute { semantic, offset_bytes })
                .into(),
            vertices: vertices.into(),
            indices: indices.into(),
        }),
        ..AnimFile::default()
    }
}

/// One triangle of that file.
pub(crate) fn part(first_index: u32, flags: PartFlags) -> Part<'static> {
    Part {
        name: "".into(),
        material: 0,
        lods: vec![Lod { first_index, index_count: 3, threshold: 0.0 }],
        bounds: Bounds::default(),
        source_node: 0,
        source_mesh: 0,
        source_primitive: 0,
        first_vertex: 0,
        vertex_count: 4,
        source_vertex_count: 4,
        flags,
    }
}

fn push(bytes: &mut Vec<u8>, numbers: &[f32]) {
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
}
