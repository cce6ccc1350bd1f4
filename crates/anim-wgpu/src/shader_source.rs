//! For each pipeline, the ordered list of whole WGSL files that make it. No preprocessor.

use crate::upload::PageStorage;

const ROWS: &str = include_str!("../shaders/rows.wgsl");
const FRAME: &str = include_str!("../shaders/frame.wgsl");
const CLIP_TIME: &str = include_str!("../shaders/clip_time.wgsl");
const LAYERS: &str = include_str!("../shaders/layers.wgsl");
const PLAYBACK: &str = include_str!("../shaders/playback.wgsl");
const DECODE_ROWS: &str = include_str!("../shaders/decode_rows.wgsl");
const LOCAL_POSE: &str = include_str!("../shaders/local_pose.wgsl");
const DECODE_LOCAL: &str = include_str!("../shaders/decode_local.wgsl");
const LOCAL_MOMENTS: &str = include_str!("../shaders/local_moments.wgsl");
const SLOT_MOMENTS: &str = include_str!("../shaders/slot_moments.wgsl");
const PALETTE: &str = include_str!("../shaders/palette.wgsl");
const PALETTE_PLAN: &str = include_str!("../shaders/palette_plan.wgsl");
const TRAITS: &str = include_str!("../shaders/traits.wgsl");
const INSTANCE: &str = include_str!("../shaders/instance.wgsl");
const ROUND: &str = include_str!("../shaders/cull_round.wgsl");
const UNPACK: &str = include_str!("../shaders/vertex_unpack.wgsl");
const SKIN: &str = include_str!("../shaders/skin.wgsl");
const INSTANCES: &str = include_str!("../shaders/instances.wgsl");
const INSTANCES_DIRECT: &str = include_str!("../shaders/instances_direct.wgsl");
const DIRECT_ROWS: &str = include_str!("../shaders/direct_rows.wgsl");

/// How many bytes a row of a palette has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PalettePrecision {
    /// `f32`: 48 bytes a bone.
    #[default]
    Full,
    /// Half floats: 24 bytes a bone. Off by 5e-4 of a row's largest number.
    Half,
}

/// Where vertex shaders find bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoneSource {
    /// The palettes that the palette pass has filled: the usual one.
    Palette(PalettePrecision),
    /// The pages themselves: for visible instances beyond `max_visible`.
    Pages(PageStorage),
    /// Frames and weights that the CPU chose, as instance attributes ([`crate::instance_layout`]): the direct path.
    Attributes,
}

/// The palette pass for pages of this kind.
#[must_use]
pub fn palette_shader(storage: PageStorage, precision: PalettePrecision) -> String {
    palette_with(precision, decode(storage), &[PALETTE])
}

/// How the palette pass for local pages holds the nodes of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodePoses {
    /// Nodes only turn, move and scale evenly.
    Similar,
    /// As rows, for any scale, shear and mirror.
    Rows,
    /// Not at all, for more than [`crate::LOCAL_NODES_MAX`] nodes: [`palette_shader`] does as well.
    Many,
}

/// The palette pass for local pages. Before it comes [`moments_shader`], but for [`NodePoses::Many`].
#[must_use]
pub fn local_palette_shader(storage: PageStorage, precision: PalettePrecision, poses: NodePoses) -> String {
    let slot = include_str!("../shaders/palette_slot.wgsl");
    let decode = vec![fetch(storage), LOCAL_POSE, DECODE_LOCAL, SLOT_MOMENTS];
    let similarity = include_str!("../shaders/similarity.wgsl");
    match poses {
        NodePoses::Similar => palette_with(
            precision,
            decode,
            &[slot, similarity, include_str!("../shaders/palette_similar.wgsl")],
        ),
        NodePoses::Rows => {
            palette_with(precision, decode, &[slot, include_str!("../shaders/palette_local.wgsl")])
        }
        NodePoses::Many => palette_shader(storage, precision),
    }
}

/// The pass before [`local_palette_shader`]: what every visible instance plays.
#[must_use]
pub fn moments_shader(storage: PageStorage) -> String {
    let mut files = vec![ROWS, FRAME];
    files.extend(decode(storage));
    files.extend([SLOT_MOMENTS, PALETTE_PLAN, include_str!("../shaders/palette_moments.wgsl")]);
    files.join("\n")
}

fn palette_with(precision: PalettePrecision, decode: Vec<&'static str>, palette: &[&'static str]) -> String {
    let store = match precision {
        PalettePrecision::Full => include_str!("../shaders/palette_store32.wgsl"),
        PalettePrecision::Half => include_str!("../shaders/palette_store16.wgsl"),
    };
    let mut files = vec![ROWS, FRAME];
    files.extend(decode);
    files.extend([PALETTE_PLAN, store]);
    files.extend(palette);
    files.join("\n")
}

/// From what an instance plays to rows of a bone: `instance_moments`, `blend_moments`, `blend_layers`.
fn decode(storage: PageStorage) -> Vec<&'static str> {
    let mut files = vec![CLIP_TIME, LAYERS, PLAYBACK, fetch(storage)];
    if storage.is_local() {
        files.extend([LOCAL_POSE, DECODE_LOCAL, LOCAL_MOMENTS]);
    } else {
        files.push(DECODE_ROWS);
    }
    files
}

/// The culling passes.
#[must_use]
pub fn cull_shader() -> String {
    [ROWS, FRAME, CLIP_TIME, TRAITS, INSTANCE, ROUND, include_str!("../shaders/cull.wgsl")].join("\n")
}

/// The passes that turn counts into offsets and write indirect arguments.
#[must_use]
pub fn arguments_shader() -> String {
    let arguments = include_str!("../shaders/arguments.wgsl");
    [FRAME, ROUND, arguments, include_str!("../shaders/cull_scan.wgsl")].join("\n")
}

/// The attachment pass, for parents with pages of this kind.
#[must_use]
pub fn attach_shader(storage: PageStorage) -> String {
    let mut files = vec![ROWS, FRAME];
    files.extend(decode(storage));
    files.extend([INSTANCE, include_str!("../shaders/attach.wgsl")]);
    files.join("\n")
}

/// The module that a program includes in its own vertex shader: `anim_skin`, `anim_color`, `anim_user_data`,
/// `anim_shown_position` and what they need, plus `VertexInput` and `bind_vertex` for the pose stream. The names are the
/// same for every source of bones; call `bind_vertex` before the others, which need what it reads on the direct path.
///
/// `group` is the number of the bind group that [`crate::Crowd::bind_group_layout`] describes. `wide` is
/// [`crate::Crowd::has_wide_vertices`] of the model that is drawn.
#[must_use]
pub fn skin_module(bones: BoneSource, wide: bool, group: u32) -> String {
    let mut files = vec![ROWS, FRAME, UNPACK, SKIN];
    files.extend(match bones {
        BoneSource::Attributes => [INSTANCES_DIRECT].as_slice(),
        _ => &[TRAITS, INSTANCES],
    });
    match bones {
        BoneSource::Palette(PalettePrecision::Full) => {
            files.extend([
                include_str!("../shaders/palette_fetch32.wgsl"),
                include_str!("../shaders/bones_palette.wgsl"),
            ]);
        }
        BoneSource::Palette(PalettePrecision::Half) => {
            files.extend([
                include_str!("../shaders/palette_fetch16.wgsl"),
                include_str!("../shaders/bones_palette.wgsl"),
            ]);
        }
        BoneSource::Pages(storage) => {
            files.extend(decode(storage));
            files.push(include_str!("../shaders/bones_pages.wgsl"));
        }
        BoneSource::Attributes => {
            files.extend([
                fetch(PageStorage::Texture),
                DIRECT_ROWS,
                include_str!("../shaders/bones_direct.wgsl"),
            ]);
        }
    }
    files.push(vertex_input(bones, wide));
    in_group(&files.join("\n"), group)
}

/// The ready colour pass. `invariant` positions are the same to the last bit in [`depth_shader`].
#[must_use]
pub fn color_shader(bones: BoneSource, wide: bool, group: u32, invariant: bool) -> String {
    let color = in_group(include_str!("../shaders/draw_color.wgsl"), group);
    [&skin_module(bones, wide, group), varyings(invariant), &color].join("\n")
}

/// The ready depth pass, also for shadow maps.
#[must_use]
pub fn depth_shader(bones: BoneSource, wide: bool, group: u32, invariant: bool) -> String {
    let depth = in_group(include_str!("../shaders/draw_depth.wgsl"), group);
    [&skin_module(bones, wide, group), varyings(invariant), &depth].join("\n")
}

/// The rows of a bone for a vertex shader without storage buffers: `direct_bone_rows`, with the pages at binding 12.
#[must_use]
pub fn direct_rows_shader() -> String {
    [ROWS, fetch(PageStorage::Texture), DIRECT_ROWS].join("\n")
}

/// The unpacking of vertices alone.
#[must_use]
pub fn vertex_unpack_shader() -> &'static str {
    UNPACK
}

fn varyings(invariant: bool) -> &'static str {
    if invariant {
        include_str!("../shaders/varyings_invariant.wgsl")
    } else {
        include_str!("../shaders/varyings.wgsl")
    }
}

fn vertex_input(bones: BoneSource, wide: bool) -> &'static str {
    match (bones, wide) {
        (BoneSource::Attributes, false) => include_str!("../shaders/vertex_input_direct.wgsl"),
        (BoneSource::Attributes, true) => include_str!("../shaders/vertex_input_direct_wide.wgsl"),
        (_, false) => include_str!("../shaders/vertex_input.wgsl"),
        (_, true) => include_str!("../shaders/vertex_input_wide.wgsl"),
    }
}

fn fetch(storage: PageStorage) -> &'static str {
    match storage {
        PageStorage::Buffer32 => include_str!("../shaders/fetch_affine32.wgsl"),
        PageStorage::Buffer16 => include_str!("../shaders/fetch_affine16.wgsl"),
        PageStorage::Local8 => include_str!("../shaders/fetch_local8.wgsl"),
        PageStorage::Local32 => include_str!("../shaders/fetch_local32.wgsl"),
        PageStorage::Texture => include_str!("../shaders/fetch_texture.wgsl"),
    }
}

/// All bindings are written for group 0 and can be in any other: WGSL has no constant there.
fn in_group(source: &str, group: u32) -> String {
    source.replace("@group(0)", &format!("@group({group})"))
}
