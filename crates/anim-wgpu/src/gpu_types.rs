//! Structs that shaders read, byte for byte. A test compares their offsets with the WGSL ones.

use anim_core::layers::{GpuLayer, LAYERS_MAX};
use bytemuck::{Pod, Zeroable};

/// What the palette pass has to know of the frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PaletteUniform {
    /// The clock: low and high half of the tick.
    pub now_tick: [u32; 2],
    /// Visible instances.
    pub visible: u32,
    /// Bones of an instance.
    pub bones: u32,
}

/// What one instance plays: 96 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct InstancePlayback {
    /// The stack of layers; the first is the base.
    pub layers: [GpuLayer; LAYERS_MAX],
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

const _: () = assert!(size_of::<InstancePlayback>() == 96 && size_of::<ClipTrack>() == 16);
