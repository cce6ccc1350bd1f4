//! A file that no longer borrows the bytes that it was read from.

use alloc::borrow::{Cow, ToOwned};
use alloc::vec::Vec;

use crate::model::{AnimFile, Attachment, Clip, Image, Mask, Material, Mesh, Node, PageSet, Part};

impl AnimFile<'_> {
    /// The same file, with a copy of everything that it borrowed.
    #[must_use]
    pub fn into_owned(self) -> AnimFile<'static> {
        AnimFile {
            extent: self.extent,
            nodes: each(self.nodes, node),
            bones: self.bones,
            clips: each(self.clips, clip),
            page_sets: each(self.page_sets, page_set),
            constant_pool: self.constant_pool,
            local_records: self.local_records,
            masks: each(self.masks, mask),
            attachments: each(self.attachments, attachment),
            parts: each(self.parts, part),
            materials: each(self.materials, material),
            images: each(self.images, image),
            mesh: self.mesh.map(mesh),
            hashes: self.hashes,
            metadata: self.metadata,
        }
    }
}

fn each<A, B>(list: Vec<A>, own_one: impl FnMut(A) -> B) -> Vec<B> {
    list.into_iter().map(own_one).collect()
}

fn own<T: ToOwned + ?Sized>(borrowed: Cow<'_, T>) -> Cow<'static, T> {
    Cow::Owned(borrowed.into_owned())
}

// Every field is named: the fields that do not borrow have another type as soon as the lifetime changes.

fn node(node: Node<'_>) -> Node<'static> {
    Node {
        name: own(node.name),
        parent: node.parent,
        depth: node.depth,
        source_node: node.source_node,
        rest_translation: node.rest_translation,
        rest_rotation: node.rest_rotation,
        rest_scale: node.rest_scale,
        rest_matrix_in_pool: node.rest_matrix_in_pool,
    }
}

fn clip(clip: Clip<'_>) -> Clip<'static> {
    Clip {
        name: own(clip.name),
        duration_seconds: clip.duration_seconds,
        start_seconds: clip.start_seconds,
        source_rate_hz: clip.source_rate_hz,
        mode: clip.mode,
        bounds: clip.bounds,
        loop_gap_metres: clip.loop_gap_metres,
        tracks: clip.tracks,
    }
}

fn page_set(set: PageSet<'_>) -> PageSet<'static> {
    PageSet {
        content: set.content,
        encoding: set.encoding,
        texel_format: set.texel_format,
        width: set.width,
        height: set.height,
        pages: each(set.pages, own),
    }
}

fn mask(mask: Mask<'_>) -> Mask<'static> {
    Mask { name: own(mask.name), words: mask.words }
}

fn attachment(attachment: Attachment<'_>) -> Attachment<'static> {
    Attachment {
        name: own(attachment.name),
        node: attachment.node,
        node_from_attachment: attachment.node_from_attachment,
        bone: attachment.bone,
    }
}

fn part(part: Part<'_>) -> Part<'static> {
    Part {
        name: own(part.name),
        material: part.material,
        lods: part.lods,
        bounds: part.bounds,
        source_node: part.source_node,
        source_mesh: part.source_mesh,
        source_primitive: part.source_primitive,
        first_vertex: part.first_vertex,
        vertex_count: part.vertex_count,
        source_vertex_count: part.source_vertex_count,
        flags: part.flags,
    }
}

fn material(material: Material<'_>) -> Material<'static> {
    Material {
        name: own(material.name),
        base_color: material.base_color,
        image: material.image,
        sampler: material.sampler,
        alpha: material.alpha,
        double_sided: material.double_sided,
    }
}

fn image(image: Image<'_>) -> Image<'static> {
    Image { name: own(image.name), format: image.format, bytes: own(image.bytes) }
}

fn mesh(mesh: Mesh<'_>) -> Mesh<'static> {
    Mesh {
        stride_bytes: mesh.stride_bytes,
        attributes: mesh.attributes,
        vertices: own(mesh.vertices),
        indices: own(mesh.indices),
    }
}
