//! Structs that shaders read, byte for byte. A test compares their offsets with the WGSL ones.

use anim_core::layers::{GpuLayer, LAYERS_MAX};
use bytemuck::{Pod, Zeroable};

/// Views of a frame: cameras and shadow cascades together.
pub const VIEWS_MAX: usize = 16;

/// Lists that one round of the culling passes fills.
pub(crate) const BINS_OF_A_ROUND: usize = 256;

/// Bytes from one block of a uniform buffer with dynamic offsets to the next: WebGPU's default alignment.
pub(crate) const UNIFORM_STRIDE: u64 = 256;

/// What is the same for the whole frame.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct FrameUniform {
    /// The clock: low and high half of the tick.
    pub now_tick: [u32; 2],
    /// Views of the frame.
    pub view_count: u32,
    /// Instance numbers in use, removed ones included.
    pub instances: u32,
    /// Workgroups of 256 instances.
    pub groups: u32,
    /// Instances that the per-instance buffers hold.
    pub capacity: u32,
    /// First entry of the lists.
    pub table: u32,
    /// First view that is a shadow cascade.
    pub shadow_first: u32,
    /// Towards the sun.
    pub sun_direction: [f32; 3],
    /// Shadow cascades.
    pub shadow_count: u32,
    /// Linear colour of the sun.
    pub sun_color: [f32; 3],
    /// How far a point is moved along its normal before it is looked up in a shadow map.
    pub shadow_bias_metres: f32,
    /// Linear colour of the light that comes from everywhere.
    pub ambient_color: [f32; 3],
    /// Room.
    pub shadow_texel: f32,
    /// Matrices of the views, in columns.
    pub clip_from_world: [[[f32; 4]; 4]; VIEWS_MAX],
    /// Six planes a view.
    pub planes: [[[f32; 4]; 6]; VIEWS_MAX],
}

/// What one instance plays: 96 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct InstancePlayback {
    /// The stack of layers; the first is the base.
    pub layers: [GpuLayer; LAYERS_MAX],
}

/// What culling and attachments know of an instance: 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct InstanceCull {
    /// Ball around everything it may show, in model space: centre and radius in metres.
    pub sphere: [f32; 4],
    /// The instance that it is attached to, or `u32::MAX`.
    pub parent: u32,
    /// Model in the low 16 bits, then the flags below.
    pub model_and_flags: u32,
    /// Room.
    pub padding_a: u32,
    /// Room.
    pub padding_b: u32,
}

/// The instance exists.
pub const INSTANCE_ALIVE: u32 = 1 << 31;
/// It is not shown.
pub const INSTANCE_HIDDEN: u32 = 1 << 30;
/// It has a velocity.
pub const INSTANCE_MOVING: u32 = 1 << 29;
/// The point that it hangs on mirrors: what lies between its parent's transform and its own.
pub const INSTANCE_POINT_MIRRORS: u32 = 1 << 28;
/// Bits of the model number.
pub const INSTANCE_MODEL_MASK: u32 = 0xFFFF;
/// Attachments deeper than this are refused.
pub const ATTACH_DEPTH_MAX: u32 = 4;

/// Constant velocity since a tick: 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct InstanceMotion {
    /// Metres a second, in the world.
    pub velocity: [f32; 3],
    /// Room.
    pub padding: u32,
    /// Tick at which the instance was where its transform says.
    pub start_tick: [u32; 2],
    /// Room.
    pub padding_b: [u32; 2],
}

/// How an instance looks: 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct InstanceTraits {
    /// Linear colour, four `unorm8`.
    pub color: [u8; 4],
    /// The program's own number.
    pub user_data: u32,
    /// One bit a part, of the first 64.
    pub part_mask: [u32; 2],
}

impl Default for InstanceTraits {
    fn default() -> Self {
        Self { color: [255; 4], user_data: 0, part_mask: [u32::MAX; 2] }
    }
}

/// Where a clip's frames are in a page set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ClipTrack {
    /// First texel of frame 0, counted over all pages of the set.
    pub first_texel: u32,
    /// Frames less one.
    pub intervals: u32,
    /// 1 if the clip holds each frame until the next.
    pub step_interpolation: u32,
    /// First word of the clip's held frames, or `u32::MAX`.
    pub held_word: u32,
}

/// One round of the culling passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CullRound {
    /// First list of the round.
    pub first_bin: u32,
    /// Lists of the round.
    pub bins: u32,
    /// Models: the first lists of all rounds.
    pub models: u32,
    /// First word, in the counts, of the counts by workgroup.
    pub counts_base: u32,
}

/// A list of instances: which ones belong in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CullBin {
    /// View that has to see them, or `u32::MAX` for any.
    pub view: u32,
    /// Their model.
    pub model: u32,
    /// Part that they have to show, or `u32::MAX`.
    pub part: u32,
    /// 0: any, 1: not mirrored, 2: mirrored.
    pub mirror: u32,
    /// First entry in the lists.
    pub list_base: u32,
    /// Room.
    pub padding_a: u32,
    /// Room.
    pub padding_b: u32,
    /// Room.
    pub padding_c: u32,
}

/// One indexed draw, before its instances are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct DrawPlan {
    /// List of its instances.
    pub bin: u32,
    /// First entry of that list.
    pub list_base: u32,
    /// First index of the part.
    pub first_index: u32,
    /// Indices of the part.
    pub index_count: u32,
    /// First place of the chunk.
    pub first_place: u32,
    /// Place after the chunk's last.
    pub end_place: u32,
    /// 1: all that is visible of the model, in order, so that places are not looked up.
    pub takes_all: u32,
    /// Room.
    pub padding: u32,
}

/// What the pass that writes indirect arguments has to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ArgumentsUniform {
    /// Draws.
    pub draws: u32,
    /// Chunks of palettes.
    pub palettes: u32,
    /// First word of the dispatch arguments.
    pub dispatches_base: u32,
    /// 1: every draw takes a whole list.
    pub whole_lists: u32,
}

/// One chunk of one model's palettes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PalettePlan {
    /// The model's list of visible instances.
    pub bin: u32,
    /// First entry of that list.
    pub list_base: u32,
    /// Visible number of the first slot.
    pub first: u32,
    /// Slots of the chunk.
    pub slots: u32,
    /// Bones of an instance.
    pub bones: u32,
    /// Threads of an instance: two to this power, at most 128.
    pub threads_log2: u32,
    /// Instances of a workgroup.
    pub in_group: u32,
    /// Nodes, in a local set.
    pub nodes: u32,
    /// Rounds in which they go up the hierarchy.
    pub rounds: u32,
    /// Where those start in the tables.
    pub rounds_entry: u32,
    /// Where the bones start in the tables.
    pub bones_entry: u32,
    /// Not read.
    pub padding: u32,
}

/// An attached instance: 64 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct AttachRecord {
    /// The attached instance.
    pub child: u32,
    /// The instance that it hangs on.
    pub parent: u32,
    /// Bone of the parent that the point follows.
    pub bone: u32,
    /// Room.
    pub padding: u32,
    /// Where the child's own point lies relative to that bone's bind pose.
    pub bind_from_child: [[f32; 4]; 3],
}

/// One dispatch of the attachment pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct AttachUniform {
    /// First record.
    pub first: u32,
    /// Records.
    pub count: u32,
    /// Bones of the parents' model.
    pub bones: u32,
    /// Room.
    pub padding: u32,
}

/// What is the same for one draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct AnimDraw {
    /// Lower corner of the box that positions are packed in.
    pub box_min: [f32; 3],
    /// Bones of an instance.
    pub bones: u32,
    /// Size of that box.
    pub box_size: [f32; 3],
    /// Number in the table of draws.
    pub number: u32,
    /// Base colour, linear.
    pub base_color: [f32; 4],
    /// View that is drawn.
    pub view: u32,
    /// Place of the bound chunk's first palette.
    pub first_place: u32,
    /// 1: normals follow the cofactor matrix.
    pub rigid: u32,
    /// Alpha below it is not drawn.
    pub alpha_cutoff: f32,
    /// The part.
    pub part: u32,
    /// 1: the list holds instances that do not show the part.
    pub checks_part: u32,
    /// First entry of its list, or [`LIST_IS_ALL`], or [`LIST_IN_TABLE`].
    pub list: u32,
    /// Room.
    pub padding: u32,
}

/// A draw without a list: of everything visible of the model, in order, from its first place on.
pub const LIST_IS_ALL: u32 = u32::MAX;
/// A draw of a range of a list: the table at the start of the lists says where it starts.
pub const LIST_IN_TABLE: u32 = u32::MAX - 1;

const _: () = assert!(size_of::<InstancePlayback>() == 96 && size_of::<ClipTrack>() == 16);
const _: () = assert!(size_of::<InstanceCull>() == 32 && size_of::<InstanceMotion>() == 32);
const _: () = assert!(size_of::<InstanceTraits>() == 16 && size_of::<AttachRecord>() == 64);
const _: () = assert!(size_of::<FrameUniform>() == 80 + 64 * VIEWS_MAX + 96 * VIEWS_MAX);
const _: () = assert!(size_of::<CullBin>() * BINS_OF_A_ROUND <= 16_384);
