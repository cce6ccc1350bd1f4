//! Reading single vertices and indices out of a file's mesh.

use crate::model::{Mesh, VertexSemantic};

/// Where the attributes of a mesh are, looked up once.
#[derive(Clone, Copy, Debug)]
pub struct VertexReader<'m> {
    vertices: &'m [u8],
    indices: &'m [u8],
    stride: usize,
    offsets: [Option<usize>; 7],
}

impl<'m> VertexReader<'m> {
    /// A reader of a mesh that was validated.
    #[must_use]
    pub fn new(mesh: &'m Mesh<'_>) -> Self {
        let mut offsets = [None; 7];
        for attribute in &mesh.attributes {
            offsets[attribute.semantic as usize] = Some(attribute.offset_bytes as usize);
        }
        Self { vertices: &mesh.vertices, indices: &mesh.indices, stride: mesh.stride_bytes as usize, offsets }
    }

    /// Vertices of the stream.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.vertices.len() / self.stride
    }

    /// Indices of the list.
    #[must_use]
    pub fn index_count(&self) -> usize {
        self.indices.len() / 4
    }

    /// Whether vertices have an attribute.
    #[must_use]
    pub fn has(&self, semantic: VertexSemantic) -> bool {
        self.offsets[semantic as usize].is_some()
    }

    /// Index `i` of the list: a vertex number.
    ///
    /// # Panics
    ///
    /// If `i` is outside the list.
    #[must_use]
    pub fn index(&self, i: usize) -> u32 {
        let bytes = &self.indices[i * 4..i * 4 + 4];
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Position in bind space, in metres.
    ///
    /// # Panics
    ///
    /// If the vertex is outside the stream (also in the functions below).
    #[must_use]
    pub fn position(&self, vertex: usize) -> [f32; 3] {
        self.floats(vertex, VertexSemantic::Position, [0.0; 3])
    }

    /// Unit normal in bind space; +Z if vertices have none.
    #[must_use]
    pub fn normal(&self, vertex: usize) -> [f32; 3] {
        self.floats(vertex, VertexSemantic::Normal, [0.0, 0.0, 1.0])
    }

    /// Tangent in bind space and its handedness; zero if vertices have none.
    #[must_use]
    pub fn tangent(&self, vertex: usize) -> [f32; 4] {
        self.floats(vertex, VertexSemantic::Tangent, [0.0; 4])
    }

    /// Texture coordinate; zero if vertices have none.
    #[must_use]
    pub fn uv(&self, vertex: usize) -> [f32; 2] {
        self.floats(vertex, VertexSemantic::Uv, [0.0; 2])
    }

    /// Weights of the four bones; the first bone's alone if vertices have none.
    #[must_use]
    pub fn weights(&self, vertex: usize) -> [f32; 4] {
        self.floats(vertex, VertexSemantic::Weights, [1.0, 0.0, 0.0, 0.0])
    }

    /// Bone numbers; bone 0 if vertices have none.
    #[must_use]
    pub fn bones(&self, vertex: usize) -> [u16; 4] {
        match self.offsets[VertexSemantic::Bones as usize] {
            Some(offset) => {
                let bytes = &self.vertices[vertex * self.stride + offset..][..8];
                core::array::from_fn(|i| u16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]]))
            }
            None => [0; 4],
        }
    }

    fn floats<const N: usize>(&self, vertex: usize, semantic: VertexSemantic, missing: [f32; N]) -> [f32; N] {
        match self.offsets[semantic as usize] {
            Some(offset) => {
                let bytes = &self.vertices[vertex * self.stride + offset..][..4 * N];
                core::array::from_fn(|i| {
                    f32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
                })
            }
            None => missing,
        }
    }
}
