//! What can go wrong between a file and a device, found before anything is uploaded.

/// Why a file cannot be played on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// The file has no page set of this number.
    #[error("the file has {count} page sets, and number {number} was asked for")]
    NoSuchPageSet {
        /// Number asked for.
        number: u32,
        /// Page sets of the file.
        count: usize,
    },
    /// The page set holds local tracks, and they do not fit a storage buffer of this device.
    #[error(
        "page set {number} holds local tracks, which need {needed_bytes} bytes in one storage binding (limit \
         {limit_bytes}): upload one of rows, or let a `Crowd` make rows of it"
    )]
    LocalTracks {
        /// The page set.
        number: u32,
        /// Bytes of all pages.
        needed_bytes: u64,
        /// `max_storage_buffer_binding_size`, or `max_buffer_size` where that is smaller; 0 without storage buffers, and
        /// where a texture is asked for.
        limit_bytes: u64,
    },
    /// The page set holds vertices or their normals, which are not played yet.
    #[error("page set {number} holds vertices, which are not played: take one of local tracks or of rows")]
    VertexPages {
        /// The page set.
        number: u32,
    },
    /// Local tracks have to become rows of half floats, and a number is too large for these.
    #[error(
        "clip {clip:?} moves bone {bone} so that its matrix has the number {value}, and rows of half floats hold at most \
         {largest}: bake `--content local,rows --encoding local8,affine32`"
    )]
    NotInHalfFloats {
        /// The clip.
        clip: String,
        /// Name of the bone's node, or its number.
        bone: String,
        /// The number.
        value: String,
        /// The largest one that can be held.
        largest: String,
    },
    /// Neither a storage buffer nor a texture array of this device holds the page set.
    #[error(
        "the page set needs {needed_bytes} bytes in one storage binding (limit {limit_bytes}), or {texels} texels in a \
         texture array (limits: {limit_layers} layers, {limit_side} texels a side): bake at a lower rate or fewer clips"
    )]
    PageSetTooLarge {
        /// Bytes of all pages.
        needed_bytes: u64,
        /// `max_storage_buffer_binding_size`, or `max_buffer_size` where that is smaller; 0 without storage buffers.
        limit_bytes: u64,
        /// Texels of all pages.
        texels: u64,
        /// `max_texture_array_layers`.
        limit_layers: u32,
        /// `max_texture_dimension_2d`.
        limit_side: u32,
    },
    /// A texel number of the set does not fit 32 bits.
    #[error("the page set has {texels} texels, and a shader counts at most 4,294,967,295")]
    TooManyTexels {
        /// Texels of all pages.
        texels: u64,
    },
    /// A buffer of this device cannot hold a stream of the mesh.
    #[error(
        "the {what} of the mesh needs {needed_bytes} bytes in one buffer, and the device allows {limit_bytes}: use a mesh \
         with fewer vertices"
    )]
    MeshTooLarge {
        /// Which stream.
        what: &'static str,
        /// Bytes needed.
        needed_bytes: u64,
        /// `max_buffer_size`.
        limit_bytes: u64,
    },
    /// The file has no clips, so there is nothing to play.
    #[error(
        "the file has no clips: bake it with at least one (a model without any gets its rest pose as one)"
    )]
    NoClips,
    /// A crowd has 1 to 65,535 models.
    #[error("a crowd has 1 to 65,535 models, and {count} were given")]
    ModelCount {
        /// Models given.
        count: usize,
    },
    /// The device has no bind group of this number.
    #[error("bind group {number} was asked for, and the device allows {limit} (numbers start at 0)")]
    NoSuchBindGroup {
        /// Number asked for.
        number: u32,
        /// `max_bind_groups`.
        limit: u32,
    },
    /// The device cannot run the palette path, which was asked for.
    #[error(
        "the palette path needs {limit} of at least {needed}, and the device allows {allowed}: ask for \
         PathChoice::Auto, or request a device with larger limits"
    )]
    NoPalettePath {
        /// Name of the limit in `wgpu::Limits`.
        limit: &'static str,
        /// What is needed.
        needed: u32,
        /// What the device allows.
        allowed: u32,
    },
    /// The crowd has no model of this number.
    #[error("there is no model {number}: the crowd has {count} (numbers start at 0)")]
    NoSuchModel {
        /// Number asked for.
        number: u32,
        /// Models of the crowd.
        count: usize,
    },
    /// The model has no clip of this number.
    #[error("there is no clip {number}: the model has {count} (numbers start at 0)")]
    NoSuchClip {
        /// Number asked for.
        number: u32,
        /// Clips of the model.
        count: usize,
    },
    /// The model has no mask of this number that a layer can name.
    #[error(
        "there is no mask {number}: the model has {count} (numbers start at 0, and the first 255 count; bake with \
         --mask NAME=NODE)"
    )]
    NoSuchMask {
        /// Number asked for.
        number: u32,
        /// Masks of the model.
        count: usize,
    },
    /// Masked clips follow nothing.
    #[error("a masked clip cannot be played after the current one: play it at once, or without the mask")]
    MaskedFollows,
    /// The model has no attachment point of this number.
    #[error(
        "there is no attachment point {number}: the model has {count} (numbers start at 0; bake with --attach, or name \
         nodes socket_*)"
    )]
    NoSuchAttachment {
        /// Number asked for.
        number: u32,
        /// Attachment points of the model.
        count: usize,
    },
    /// The instance has been removed.
    #[error("the instance has been removed (its number was {index})")]
    NoSuchInstance {
        /// The number that it had.
        index: u32,
    },
    /// The instance hangs on another one.
    #[error("instance {index} is attached, and moves with what it hangs on: detach it first")]
    Attached {
        /// Its number.
        index: u32,
    },
    /// An instance cannot hang on itself.
    #[error("instance {index} cannot be attached to itself or to what hangs on it")]
    AttachedToItself {
        /// Its number.
        index: u32,
    },
    /// Too many attachments below each other.
    #[error("{depth} attachments would hang below each other, and at most {limit} may")]
    AttachedTooDeep {
        /// Depth that it would be.
        depth: u32,
        /// Depth allowed.
        limit: u32,
    },
    /// The device holds no more instances.
    #[error("the device holds at most {limit} instances (what each of them plays has to fit one buffer)")]
    TooManyInstances {
        /// Most instances.
        limit: u32,
    },
    /// A range of instances is not as long as the list given for it, or reaches too far.
    #[error("{transforms} transforms for the instances {start}..{end}, and numbers up to {count} are in use")]
    RangeOutside {
        /// First instance.
        start: u32,
        /// Instance after the last.
        end: u32,
        /// Transforms given.
        transforms: usize,
        /// Numbers in use.
        count: u32,
    },
    /// The tables of a local page set do not fit a binding.
    #[error(
        "the records and constants of the local tracks need {needed_bytes} bytes, and a binding has {limit_bytes}"
    )]
    TablesTooLarge {
        /// Bytes needed.
        needed_bytes: u64,
        /// The smaller of `max_storage_buffer_binding_size` and `max_buffer_size`.
        limit_bytes: u64,
    },
    /// No pass of this device can be what a [`crate::Target`] says.
    #[error("no pass of this device draws to such a target: {problem}")]
    NoSuchTarget {
        /// What is wrong.
        problem: String,
    },
    /// Too many views.
    #[error("{views} views in one frame, and at most {limit} are possible")]
    TooManyViews {
        /// Views given.
        views: usize,
        /// Views possible.
        limit: usize,
    },
    /// The lists of visible instances do not fit a buffer, or a binding of one.
    #[error(
        "with {views} views the lists of visible instances need {needed_bytes} bytes in one buffer, and the device \
         allows {limit_bytes}: use fewer views or instances, or ask for a device with larger limits"
    )]
    ListsTooLarge {
        /// Views of the frame.
        views: u32,
        /// Bytes needed.
        needed_bytes: u64,
        /// `max_storage_buffer_binding_size`, or `max_buffer_size` where that is smaller or the path is direct.
        limit_bytes: u64,
    },
}
