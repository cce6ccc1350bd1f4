//! Wire records of version 1. Frozen with the first release: their sizes and fields never change after it.
//!
//! `docs/FORMAT.md` describes each field. A reserved field is 0 in version 1.0; it is there so that what is planned has
//! its place.

use bytemuck::{Pod, Zeroable};

use crate::wire::{F32, U32, U64};

mod from_model;
mod numbers;
mod strings;
mod surface_to_model;
mod tables;
mod to_model;

pub(super) use from_model::from_model;
pub(super) use to_model::to_model;

/// Minor version that these records are complete for.
const MINOR: u16 = 0;

/// What an optional number holds if there is none.
const NONE: u32 = u32::MAX;

macro_rules! record {
    ($(#[$doc:meta])* $name:ident, $bytes:literal, { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Pod, Zeroable)]
        #[repr(C)]
        struct $name {
            $($field: $type,)*
        }
        const _: () = assert!(size_of::<$name>() == $bytes);
    };
}

record!(
    /// Some records of another table, or some bytes of the string section.
    Range, 8, { first: U32, count: U32, }
);

record!(ExtentRecord, 64, {
    rest_box_min: [F32; 3],
    rest_box_max: [F32; 3],
    model_size_metres: F32,
    vertex_box_min: [F32; 3],
    vertex_box_max: [F32; 3],
    fade_overshoot_metres: F32,
    // The ball that no fade leaves.
    reserved_ball_node: U32,
    reserved_ball_radius_metres: U32,
});

record!(BoundsRecord, 40, {
    box_min: [F32; 3],
    box_max: [F32; 3],
    sphere_center: [F32; 3],
    sphere_radius: F32,
});

record!(ClipRecord, 96, {
    name: Range,
    duration_seconds: F32,
    start_seconds: F32,
    source_rate_hz: F32,
    mode: U32,
    bounds: BoundsRecord,
    loop_gap_metres: F32,
    tracks: Range,
    reserved_events: Range,
    reserved_root_motion: Range,
    reserved: U32,
});

record!(TrackRecord, 64, {
    page_set: U32,
    page: U32,
    first_texel: U32,
    header_texels: U32,
    frames: U32,
    intervals: U32,
    elements_per_frame: U32,
    texels_per_element: U32,
    interpolation: U32,
    held_frames: Range,
    // Local tracks: the number of a record. Else 0.
    first_record: U32,
    // With a frame table: frames that are stored. Else 0.
    stored_frames: U32,
    reserved: [U32; 3],
});

record!(PageSetRecord, 32, {
    content: U32,
    encoding: U32,
    texel_format: U32,
    width: U32,
    height: U32,
    page_count: U32,
    reserved: [U32; 2],
});

record!(NodeRecord, 64, {
    name: Range,
    parent: U32,
    depth: U32,
    source_node: U32,
    rest_matrix_in_pool: U32,
    rest_translation: [F32; 3],
    rest_rotation: [F32; 4],
    rest_scale: [F32; 3],
});

record!(BoneRecord, 64, {
    node: U32,
    reserved: [U32; 3],
    bone_from_bind: [[F32; 4]; 3],
});

record!(LocalRecordRecord, 16, {
    rotation: U32,
    translation: U32,
    scale: U32,
    ranges: U32,
});

record!(MaskRecord, 16, {
    name: Range,
    words: Range,
});

record!(AttachmentRecord, 64, {
    name: Range,
    node: U32,
    bone: U32,
    node_from_attachment: [[F32; 4]; 3],
});

record!(PartRecord, 96, {
    name: Range,
    material: U32,
    lods: Range,
    bounds: BoundsRecord,
    source_node: U32,
    source_mesh: U32,
    source_primitive: U32,
    first_vertex: U32,
    vertex_count: U32,
    source_vertex_count: U32,
    flags: U32,
    reserved: [U32; 2],
});

record!(LodRecord, 16, {
    first_index: U32,
    index_count: U32,
    threshold: F32,
    reserved: U32,
});

record!(MaterialRecord, 64, {
    name: Range,
    base_color: [F32; 4],
    image: U32,
    reserved_uv_set: U32,
    wrap_u: U32,
    wrap_v: U32,
    alpha_mode: U32,
    alpha_cutoff: F32,
    flags: U32,
    reserved: [U32; 3],
});

record!(ImageRecord, 32, {
    name: Range,
    format: U32,
    reserved: U32,
    offset_bytes: U64,
    length_bytes: U64,
});

record!(VertexAttributeRecord, 8, {
    semantic: U32,
    offset_bytes: U32,
});

record!(HashRecord, 40, {
    of: U32,
    reserved: U32,
    sha256: [u8; 32],
});
