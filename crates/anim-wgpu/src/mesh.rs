//! A file's mesh on the GPU: its streams, its indices, and what to draw of them.

use anim_format::AnimFile;
use anim_format::model::Part;
use anim_format::vertices::VertexReader;

use crate::device_fit::has_storage_buffers;
use crate::direct_instance::DirectInstance;
use crate::error::GpuError;
use crate::vertex_stream::{SurfaceVertex, VertexStreams, is_wide, pack_vertices, pose_words};

const POSE: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![0 => Uint32x4];
const POSE_WIDE: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![0 => Uint32x4, 1 => Uint32x2];
const INSTANCE: [wgpu::VertexAttribute; DirectInstance::ATTRIBUTES as usize] = DirectInstance::attributes(4);
const SURFACE: [wgpu::VertexAttribute; 2] = wgpu::vertex_attr_array![2 => Float32x2, 3 => Snorm8x4];

/// The mesh of a file. The buffers of a file without one hold 16 zero bytes, and its parts have no indices.
#[derive(Debug)]
pub(crate) struct ModelMesh {
    /// [`VertexStreams::pose`], as vertices or storage.
    pub(crate) pose: wgpu::Buffer,
    /// [`VertexStreams::surface`], as vertices or storage.
    pub(crate) surface: wgpu::Buffer,
    /// [`VertexStreams::indices`], as `Uint32` indices or storage.
    pub(crate) indices: wgpu::Buffer,
    /// Whether the pose stream has the wide form.
    pub(crate) wide: bool,
    /// Lower corner in metres of the box that positions are packed in.
    pub(crate) box_min: [f32; 3],
    /// Size in metres of that box.
    pub(crate) box_size: [f32; 3],
    /// Vertices of both streams.
    pub(crate) vertex_count: u32,
    /// The parts of the file, in its order.
    pub(crate) parts: Vec<MeshPart>,
}

/// What to draw of a part: its finest level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeshPart {
    /// First index.
    pub(crate) first_index: u32,
    /// Indices, a multiple of 3; 0 for points and lines.
    pub(crate) index_count: u32,
    /// Material of the file.
    pub(crate) material: usize,
    /// One bone moves all of it: its normals follow the cofactor matrix.
    pub(crate) rigid: bool,
    /// Faces are drawn from both sides, because the part or its material asks for it.
    pub(crate) double_sided: bool,
}

impl ModelMesh {
    /// Packs and uploads the mesh of a file that was read or baked.
    ///
    /// # Errors
    ///
    /// If a buffer of the device cannot hold one of the streams. Nothing is packed or uploaded then.
    pub(crate) fn upload(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        file: &AnimFile<'_>,
    ) -> Result<Self, GpuError> {
        check_sizes(file, device.limits().max_buffer_size)?;
        let VertexStreams { wide, box_min, box_size, pose, surface, indices } = pack_vertices(file);
        // WebGL2 refuses index buffers that may be anything else.
        let storage = match has_storage_buffers(&device.limits()) {
            true => wgpu::BufferUsages::STORAGE,
            false => wgpu::BufferUsages::empty(),
        };
        let filled = |label, usage, bytes: &[u8]| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: (bytes.len() as u64).max(16),
                usage: usage | storage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        Ok(Self {
            pose: filled("anim pose stream", wgpu::BufferUsages::VERTEX, bytemuck::cast_slice(&pose)),
            surface: filled(
                "anim surface stream",
                wgpu::BufferUsages::VERTEX,
                bytemuck::cast_slice(&surface),
            ),
            indices: filled("anim indices", wgpu::BufferUsages::INDEX, bytemuck::cast_slice(&indices)),
            wide,
            box_min,
            box_size,
            vertex_count: u32::try_from(surface.len()).unwrap_or(u32::MAX),
            parts: file.parts.iter().map(|part| mesh_part(file, part)).collect(),
        })
    }
}

/// How a pipeline reads the pose stream: locations 0 and, in the wide form, 1 (weights and 0).
pub fn pose_layout(wide: bool) -> wgpu::VertexBufferLayout<'static> {
    wgpu::VertexBufferLayout {
        array_stride: pose_stride(wide),
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: if wide { &POSE_WIDE } else { &POSE },
    }
}

/// How a pipeline reads the surface stream: locations 2 (texture coordinate) and 3 (tangent and handedness).
pub fn surface_layout() -> wgpu::VertexBufferLayout<'static> {
    wgpu::VertexBufferLayout {
        array_stride: size_of::<SurfaceVertex>() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &SURFACE,
    }
}

/// How a pipeline of the direct path reads its instances from vertex buffer 2: locations 4 to 11, a `vec4` each
/// ([`DirectInstance`]).
pub fn instance_layout() -> wgpu::VertexBufferLayout<'static> {
    wgpu::VertexBufferLayout {
        array_stride: size_of::<DirectInstance>() as u64,
        step_mode: wgpu::VertexStepMode::Instance,
        attributes: &INSTANCE,
    }
}

fn pose_stride(wide: bool) -> u64 {
    (pose_words(wide) * size_of::<u32>()) as u64
}

fn check_sizes(file: &AnimFile<'_>, limit_bytes: u64) -> Result<(), GpuError> {
    let Some(mesh) = &file.mesh else { return Ok(()) };
    let reader = VertexReader::new(mesh);
    let vertices = reader.vertex_count() as u64;
    for (what, needed_bytes) in [
        ("pose stream", vertices.saturating_mul(pose_stride(is_wide(file)))),
        ("surface stream", vertices.saturating_mul(size_of::<SurfaceVertex>() as u64)),
        ("index list", mesh.indices.len() as u64),
    ] {
        if needed_bytes > limit_bytes {
            return Err(GpuError::MeshTooLarge { what, needed_bytes, limit_bytes });
        }
    }
    Ok(())
}

fn mesh_part(file: &AnimFile<'_>, part: &Part<'_>) -> MeshPart {
    let material = part.material as usize;
    let lod = part.lods.first().filter(|_| file.mesh.is_some() && !part.flags.not_triangles);
    MeshPart {
        first_index: lod.map_or(0, |lod| lod.first_index),
        index_count: lod.map_or(0, |lod| lod.index_count),
        material,
        rigid: part.flags.rigid,
        double_sided: part.flags.double_sided
            || file.materials.get(material).is_some_and(|material| material.double_sided),
    }
}

#[cfg(test)]
mod tests {
    use anim_format::model::PartFlags;

    use super::*;
    use crate::test_device::{device, words_of_storage};
    use crate::test_file::{file_with_bones, part};

    #[test]
    fn buffers_hold_the_packed_streams() {
        let (device, queue) = device();
        for bones in [3, 300] {
            let file = file_with_bones(bones);
            let mesh = ModelMesh::upload(&device, &queue, &file).expect("a small mesh");
            let streams = pack_vertices(&file);
            assert_eq!((mesh.wide, mesh.vertex_count), (bones > 256, 4));
            assert_eq!((mesh.box_min, mesh.box_size), ([-1.0, 0.0, 2.0], [4.0, 5.0, 0.0]));
            assert_eq!(words_of_storage(&device, &queue, &mesh.pose), streams.pose);
            let surface: &[u32] = bytemuck::cast_slice(&streams.surface);
            assert_eq!(words_of_storage(&device, &queue, &mesh.surface), surface);
            assert_eq!(words_of_storage(&device, &queue, &mesh.indices), streams.indices);
        }
    }

    #[test]
    fn parts_take_their_sides_from_their_flags_and_points_have_no_indices() {
        let (device, queue) = device();
        let mut file = file_with_bones(3);
        file.parts = vec![
            part(0, PartFlags { double_sided: true, ..PartFlags::default() }),
            part(3, PartFlags { rigid: true, ..PartFlags::default() }),
            part(3, PartFlags { not_triangles: true, ..PartFlags::default() }),
        ];
        let found = ModelMesh::upload(&device, &queue, &file).expect("a small mesh").parts;
        let plain =
            MeshPart { first_index: 0, index_count: 3, material: 0, rigid: false, double_sided: true };
        assert_eq!(found[0], plain);
        assert_eq!(found[1], MeshPart { first_index: 3, rigid: true, double_sided: false, ..plain });
        assert_eq!(found[2].index_count, 0);
    }

    #[test]
    fn a_file_without_mesh_has_buffers_and_nothing_to_draw() {
        let (device, queue) = device();
        let mut file = file_with_bones(3);
        file.mesh = None;
        let mesh = ModelMesh::upload(&device, &queue, &file).expect("nothing");
        assert_eq!((mesh.vertex_count, mesh.parts[0].index_count), (0, 0));
        assert_eq!(mesh.pose.size(), 16);
    }

    #[test]
    fn a_mesh_larger_than_a_buffer_is_refused_with_both_sizes() {
        let error = check_sizes(&file_with_bones(300), 95).expect_err("96 bytes are needed");
        assert_eq!(error, GpuError::MeshTooLarge { what: "pose stream", needed_bytes: 96, limit_bytes: 95 });
        assert!(error.to_string().contains("96") && error.to_string().contains("95"), "{error}");
        assert_eq!(check_sizes(&file_with_bones(300), 96), Ok(()));
    }

    #[test]
    fn layouts_follow_each_other_without_gaps() {
        let layouts = [
            (pose_layout(false), 16),
            (pose_layout(true), 24),
            (surface_layout(), 12),
            (instance_layout(), 128),
        ];
        for (layout, end) in layouts {
            let last = layout.attributes.last().expect("an attribute");
            assert_eq!((last.offset + last.format.size(), layout.array_stride), (end, end));
        }
    }
}
