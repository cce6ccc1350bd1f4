//! What a file holds, in memory: no bytes, no offsets, no version.
//!
//! Numbers of other tables (`node`, `bone`, `material` and so on) are plain `u32` and are checked by `validate`: a file
//! that was read successfully has no dangling number. Large parts (pages, vertices, indices, images) borrow the input.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

pub use anim_core::clip_time::{ClipMode, Interpolation};
pub use anim_core::local_record::LocalRecord;

/// Three rows of an affine matrix; row `r` is `(m[r][0], m[r][1], m[r][2], translation[r])`.
pub type Rows = [[f32; 4]; 3];

/// A whole baked character: skeleton, clips, texel pages, and (unless left out) its mesh and images.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnimFile<'a> {
    /// Sizes of the whole model.
    pub extent: Extent,
    /// Transforms of the hierarchy: the ancestors of all bones and attachment points, parents first, equal depths
    /// adjacent.
    pub nodes: Vec<Node<'a>>,
    /// Palette entries. In a rows page set, element `e` of a frame is bone `e`.
    pub bones: Vec<Bone>,
    /// Clips in file order.
    pub clips: Vec<Clip<'a>>,
    /// Page sets. A clip has one track for each set that carries it.
    pub page_sets: Vec<PageSet<'a>>,
    /// Constants in entries of 16 bytes: what a clip does not move, and the ranges of what it moves. A sheared node's
    /// matrix takes three entries: its rows.
    pub constant_pool: Vec<[f32; 4]>,
    /// Where each node's rotation, translation and scale are: runs of one record a node. [`Track::first_record`] names
    /// the run of a local track; clips may share runs.
    pub local_records: Vec<LocalRecord>,
    /// Parts of the skeleton that a layer may be limited to.
    pub masks: Vec<Mask<'a>>,
    /// Points that other things can be attached to.
    pub attachments: Vec<Attachment<'a>>,
    /// One part for each glTF (mesh node, primitive) pair, in that order.
    pub parts: Vec<Part<'a>>,
    /// Materials that the parts name.
    pub materials: Vec<Material<'a>>,
    /// Base-colour images in their original PNG or JPEG bytes.
    pub images: Vec<Image<'a>>,
    /// One vertex stream and one index list for all parts; `None` if the file was baked without its mesh.
    pub mesh: Option<Mesh<'a>>,
    /// What this file was made from, to notice that it is stale or belongs to another mesh.
    pub hashes: Vec<SourceHash>,
    /// Who made the file and how exact it is: what a player can do without.
    pub metadata: Option<Metadata>,
}

/// Sizes of the whole model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    /// Lower corner in metres, in model space, of the box around everything in the rest pose.
    pub rest_box_min: [f32; 3],
    /// Upper corner of that box.
    pub rest_box_max: [f32; 3],
    /// Diagonal of that box, in metres: what relative errors are relative to.
    pub model_size_metres: f32,
    /// Lower corner in metres, in bind space, of the box around all stored vertex positions: the box that 16-bit
    /// positions are packed in.
    pub vertex_box_min: [f32; 3],
    /// Upper corner of that box.
    pub vertex_box_max: [f32; 3],
    /// While local tracks of several clips blend, every vertex lies within the union of the playing clips' boxes (the
    /// smallest box around them), grown by so many metres on every side, and within the smallest ball around their balls,
    /// grown by the same; under any masks. 0 where no vertex leaves the union, and in a
    /// file without local tracks: rows that blend never leave it.
    pub fade_overshoot_metres: f32,
}

/// A transform of the hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct Node<'a> {
    /// Name in the source; may be empty, may repeat.
    pub name: Cow<'a, str>,
    /// Parent, a lower number; `None` for a root.
    pub parent: Option<u32>,
    /// Number of ancestors.
    pub depth: u32,
    /// Node number in the source file.
    pub source_node: u32,
    /// Rest translation in metres, relative to the parent.
    pub rest_translation: [f32; 3],
    /// Rest rotation: a unit quaternion x, y, z, w.
    pub rest_rotation: [f32; 4],
    /// Rest scale.
    pub rest_scale: [f32; 3],
    /// First of three constant-pool entries with the rows of `parent_from_node`, for a static node whose matrix is no
    /// translation x rotation x scale. The three fields above then hold the identity.
    pub rest_matrix_in_pool: Option<u32>,
}

/// A palette entry: a node and an inverse bind matrix. Several bones may share a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bone {
    /// The node; `None` for the one bone of everything that never moves, whose matrix is always the identity.
    pub node: Option<u32>,
    /// The inverse bind matrix.
    pub bone_from_bind: Rows,
}

/// A clip: a name, a time range, and where its frames are.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip<'a> {
    /// Name; never empty, unique in its file.
    pub name: Cow<'a, str>,
    /// Length in seconds: time of the last key minus `start_seconds`. 0 for a pose.
    pub duration_seconds: f32,
    /// Time in the source of frame 0, in seconds: 0 unless the clip was trimmed.
    pub start_seconds: f32,
    /// Rate in Hz at which the source's keys lie on a grid; `None` where no such rate was found.
    pub source_rate_hz: Option<f32>,
    /// What happens at the ends.
    pub mode: ClipMode,
    /// Box and ball around every vertex in every frame and between frames.
    pub bounds: Bounds,
    /// Largest distance in metres between a vertex in the first and in the last pose: what a loop jumps by.
    pub loop_gap_metres: f32,
    /// Where the frames are, one entry for each page set that carries the clip.
    pub tracks: Vec<Track>,
}

/// A box and a ball, both in model space, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// Lower corner of the box.
    pub box_min: [f32; 3],
    /// Upper corner of the box.
    pub box_max: [f32; 3],
    /// Centre of the ball.
    pub sphere_center: [f32; 3],
    /// Radius of the ball.
    pub sphere_radius: f32,
}

/// Where one clip's frames are in one page set.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// The page set.
    pub page_set: u32,
    /// Page inside the set.
    pub page: u32,
    /// First texel of the track in the page.
    pub first_texel: u32,
    /// Texels before the first frame: 0, or in a local page set those of a frame table, or with [`Encoding::Position16`]
    /// three for the box of each part. A frame table holds the number of the stored frame of each frame, `u32`
    /// little-endian; the last texel is filled up with zeros.
    pub header_texels: u32,
    /// Frames, at least 1. Both ends of the clip are frames. In a local page set they may be far more than what is
    /// stored, up to any number where nothing moves: what is expanded is limited by the program that expands it.
    pub frames: u32,
    /// Intervals between frames: `frames - 1`.
    pub intervals: u32,
    /// Frames whose texels are there: `frames`, or fewer with a frame table, because equal frames are stored once.
    pub stored_frames: u32,
    /// Elements of a frame: bones, in a rows page set; in a local one what moves: rotations, then translations, then
    /// scales, or 0 if nothing moves; vertices of the whole stream in one of vertices or normals.
    pub elements_per_frame: u32,
    /// Texels of an element: 3 in a rows page set, 1 in all others.
    pub texels_per_element: u32,
    /// In a local page set, and only there: the record of node `n` is `local_records[first_record + n]`. A multiple of
    /// the number of nodes.
    pub first_record: Option<u32>,
    /// How frames are combined.
    pub interpolation: Interpolation,
    /// One bit a frame, bit `f % 32` of word `f / 32`: set if the interval that starts at frame `f` holds that frame
    /// because something in it jumps. Empty if no interval does; else `ceil(frames / 32)` words.
    pub held_frames: Vec<u32>,
}

/// What the pages of a set describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Rotation, translation and scale of every node, relative to its parent.
    Local,
    /// Skinning matrices, `model_from_bind`, three rows a bone.
    Rows,
    /// Vertices in model space: positions, and with [`Encoding::Position16`] normals.
    Vertices,
    /// Unit normals of vertices in model space, beside positions of [`Encoding::Position32`].
    Normals,
}

impl Content {
    /// Whether playing it gives matrices of bones; what does not is vertices.
    #[must_use]
    pub const fn makes_matrices(self) -> bool {
        matches!(self, Self::Local | Self::Rows)
    }
}

/// How the elements of a set are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// One `rg32uint` texel a moving rotation, translation or scale: three numbers of 20 bits, or of 21 in a range.
    Local8,
    /// One `rgba32float` texel a moving rotation (x, y, z, w), translation or scale (x, y, z, 0).
    Local32,
    /// Three `rgba32float` texels a bone.
    Affine32,
    /// Three `rgba16float` texels a bone.
    Affine16,
    /// One `rgba32float` texel a vertex: position x, y, z, and 0.
    Position32,
    /// One `rgba16uint` texel a vertex: position as `unorm16` x 3 in the box of its part, octahedral normal, two `snorm8`.
    Position16,
    /// One `rgba16float` texel a vertex: normal x, y, z, and 0.
    Normal16,
}

/// Format of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TexelFormat {
    /// Two `u32`: 8 bytes.
    Rg32Uint,
    /// Four `f32`: 16 bytes.
    Rgba32Float,
    /// Four `f16`: 8 bytes.
    Rgba16Float,
    /// Four `u16`: 8 bytes.
    Rgba16Uint,
}

/// Pages of one shape: they form one texture array, and their bytes serve as a linear storage buffer as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct PageSet<'a> {
    /// What the pages describe.
    pub content: Content,
    /// How elements are stored.
    pub encoding: Encoding,
    /// Format of a texel.
    pub texel_format: TexelFormat,
    /// Width of every page in texels.
    pub width: u32,
    /// Height of every page in texels.
    pub height: u32,
    /// The pages: each `width * height` texels, row-major, little-endian. Texels that no track owns are zero.
    pub pages: Vec<Cow<'a, [u8]>>,
}

/// A part of the skeleton that a layer may be limited to.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask<'a> {
    /// Name; never empty, unique among the masks of its file.
    pub name: Cow<'a, str>,
    /// One bit a node, bit `n % 32` of word `n / 32`: set if a layer with this mask moves node `n`.
    /// `ceil(nodes / 32)` words, zero bits after the last node.
    pub words: Vec<u32>,
}

/// A named point that other things can be attached to.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment<'a> {
    /// Name; never empty, unique among the attachments of its file.
    pub name: Cow<'a, str>,
    /// The node that it follows.
    pub node: u32,
    /// Where it is relative to the node.
    pub node_from_attachment: Rows,
    /// A bone of that node whose `bone_from_bind` can be inverted: in a rows page set,
    /// `model_from_attachment = rows(bone) * inverse(bone_from_bind) * node_from_attachment`.
    pub bone: u32,
}

/// What one glTF (mesh node, primitive) pair became.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'a> {
    /// Name of the mesh node, else of the mesh, else empty.
    pub name: Cow<'a, str>,
    /// Material.
    pub material: u32,
    /// Levels of detail, finest first; at least one.
    pub lods: Vec<Lod>,
    /// Box and ball around the part's vertices in every frame of every clip.
    pub bounds: Bounds,
    /// Node number in the source file.
    pub source_node: u32,
    /// Mesh number in the source file.
    pub source_mesh: u32,
    /// Primitive number in that mesh.
    pub source_primitive: u32,
    /// First vertex of the part in the stream.
    pub first_vertex: u32,
    /// Vertices of the part. The first `source_vertex_count` are the source's, in its order.
    pub vertex_count: u32,
    /// Vertices in the source. The others are copies that flat normals needed.
    pub source_vertex_count: u32,
    /// What is special about the part.
    pub flags: PartFlags,
}

/// What is special about a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartFlags {
    /// One bone moves all of it with weight 1: its normals follow the cofactor matrix, not the blended one.
    pub rigid: bool,
    /// The source has no normals: flat ones were computed.
    pub normals_computed: bool,
    /// It is mirrored in some frames and not in others: its faces are drawn from both sides.
    pub double_sided: bool,
    /// The source has morph targets that this file does not carry.
    pub morphs_lost: bool,
    /// The source's primitive is points or lines: vertices are kept, its index list is empty.
    pub not_triangles: bool,
}

/// A level of detail: a range of the index list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lod {
    /// First index.
    pub first_index: u32,
    /// Indices, a multiple of 3.
    pub index_count: u32,
    /// The level is used while the model's projected size, as a share of the viewport's height, is at least this.
    pub threshold: f32,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material<'a> {
    /// Name; may be empty.
    pub name: Cow<'a, str>,
    /// Base colour factor, linear, red, green, blue, alpha.
    pub base_color: [f32; 4],
    /// Base-colour image (sRGB), multiplied with the factor.
    pub image: Option<u32>,
    /// How the image is read.
    pub sampler: Sampler,
    /// What alpha means.
    pub alpha: Alpha,
    /// Drawn from both sides.
    pub double_sided: bool,
}

/// What alpha means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Alpha {
    /// Nothing.
    #[default]
    Opaque,
    /// Below the cutoff nothing is drawn.
    Mask {
        /// In `[0, 1]`, 0.5 by default.
        cutoff: f32,
    },
    /// Blended in the source; drawn opaque.
    Blend,
}

/// How an image is read outside `[0, 1]` and between its texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler {
    /// Along u.
    pub wrap_u: Wrap,
    /// Along v.
    pub wrap_v: Wrap,
    /// Nearest texel instead of a blend, when magnified.
    pub mag_nearest: bool,
    /// Nearest texel instead of a blend, when minified.
    pub min_nearest: bool,
}

/// What is outside an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wrap {
    /// The image again.
    #[default]
    Repeat,
    /// The image again, mirrored every other time.
    Mirror,
    /// Its edge.
    Clamp,
}

/// An image in its original bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Image<'a> {
    /// Name or URI in the source; may be empty.
    pub name: Cow<'a, str>,
    /// Format of the bytes.
    pub format: ImageFormat,
    /// A whole PNG or JPEG file.
    pub bytes: Cow<'a, [u8]>,
}

/// Format of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
}

/// One vertex stream and one index list for all parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh<'a> {
    /// Bytes from one vertex to the next.
    pub stride_bytes: u32,
    /// Attributes of a vertex, in ascending offset.
    pub attributes: Vec<VertexAttribute>,
    /// `vertex_count * stride_bytes` bytes, little-endian.
    pub vertices: Cow<'a, [u8]>,
    /// Little-endian `u32` indices into the whole stream, counter-clockwise front faces.
    pub indices: Cow<'a, [u8]>,
}

/// One attribute of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexAttribute {
    /// What it is; this fixes its format.
    pub semantic: VertexSemantic,
    /// Bytes from the start of the vertex.
    pub offset_bytes: u32,
}

/// What a vertex attribute is, and with it its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VertexSemantic {
    /// Position in bind space, three `f32`, metres.
    Position,
    /// Unit normal in bind space, three `f32`.
    Normal,
    /// Tangent in bind space and its handedness, four `f32`.
    Tangent,
    /// Texture coordinate, two `f32`, v downwards.
    Uv,
    /// Linear colour, four `f32`.
    Color,
    /// Bone numbers, four `u16`.
    Bones,
    /// Weights of the bones, four `f32` that sum to 1.
    Weights,
}

impl VertexSemantic {
    /// Bytes of the attribute.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Position | Self::Normal => 12,
            Self::Tangent | Self::Color | Self::Weights => 16,
            Self::Uv | Self::Bones => 8,
        }
    }
}

/// SHA-256 of something that the file was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceHash {
    /// Of what.
    pub of: HashOf,
    /// The hash.
    pub sha256: [u8; 32],
}

/// What a hash is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HashOf {
    /// The model file and, in order of first use, its external buffers.
    Source,
    /// A further file that gave clips.
    ClipFile,
    /// The bake settings.
    Settings,
    /// Vertex order and topology: source node, mesh, primitive, vertex count and indices of every part.
    Topology,
}

/// Who made the file and how exact it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metadata {
    /// Program and version.
    pub generator: String,
    /// File names of the sources, without folders.
    pub source_names: Vec<String>,
    /// Bake settings as (name, value), sorted by name.
    pub settings: Vec<(String, String)>,
    /// How exact the file is: a report for each page set, in order, or none at all.
    pub accuracy: Vec<Accuracy>,
}

/// How far playback of a page set is from its source. Lengths in metres, angles in degrees.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Accuracy {
    /// Diagonal of the box around everything in the rest pose.
    pub model_size_metres: f64,
    /// Playback against the source evaluated directly in `f64` with the kept influences and morphs at rest, between
    /// frames too. Leaves out the intervals next to a jump.
    pub playback: ErrorFigures,
    /// The same figures by clip, in clip order.
    pub clips: Vec<ErrorFigures>,
    /// Largest distance inside the intervals that `playback` leaves out.
    pub left_out_max_metres: f64,
    /// Intervals left out.
    pub left_out_intervals: u32,
    /// Largest time by which a jump was moved to reach a frame.
    pub largest_shift_seconds: f64,
    /// Largest distance that dropping bone influences makes.
    pub influence_loss_max_metres: f64,
    /// Vertices that lost an influence.
    pub influence_loss_vertices: u32,
    /// Largest distance that dropping morph targets makes.
    pub morph_loss_max_metres: f64,
    /// Largest distance that packing vertices to 16 bytes makes.
    pub packing_max_metres: f64,
    /// Largest angle that packing vertices to 16 bytes makes.
    pub packing_normal_max_degrees: f64,
    /// What a played-back vertex is off by at most: playback (at any time, jumps included) + losses + packing.
    pub total_max_metres: f64,
    /// Every vertex was measured at 16 times an interval.
    pub exhaustive: bool,
}

/// Statistics of distances between played-back and true vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorFigures {
    /// Largest distance.
    pub max_metres: f64,
    /// Distance that 99.9 % of the samples do not exceed.
    pub p999_metres: f64,
    /// Mean distance.
    pub mean_metres: f64,
    /// Root of the mean of the squares of the distances.
    pub rms_metres: f64,
    /// Largest angle between played-back and true normals.
    pub normal_max_degrees: f64,
    /// Where the largest distance is; `None` where nothing was measured.
    pub worst: Option<Worst>,
    /// Distances measured.
    pub samples: u64,
}

/// Where the largest error is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worst {
    /// Clip.
    pub clip: u32,
    /// The bone with the largest weight on the vertex.
    pub bone: u32,
    /// Part.
    pub part: u32,
    /// Vertex number in the source's accessor.
    pub vertex: u32,
    /// Time in the clip, in seconds.
    pub time_seconds: f64,
}
