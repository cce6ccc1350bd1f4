//! What a caller can ask of a bake: each option with its unit, range and default.

use anim_format::model::{Content, Encoding};
use anim_format::playback::local_encoding;

use crate::budget::ErrorBudget;

/// What a bake holds unless it is asked for something else: local tracks.
pub const DEFAULT_ENCODINGS: &[Encoding] = &[Encoding::Local8];

/// Options of a bake.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeSettings {
    /// Frames a second, in Hz, in `(0, 1000]`. `None`: each clip's own rate, detected from its keys, else 30.
    pub rate_hz: Option<f64>,
    /// What the file holds of every clip, and how: one page set for each, at most one of local tracks and one of rows, in
    /// any order (local tracks come first in the file). Default [`DEFAULT_ENCODINGS`].
    pub encodings: Vec<Encoding>,
    /// What playback may be off by: each clip gets the lowest rate that stays inside. Without it clips keep their own
    /// rate; only local tracks of clips that have none, or that have moving CUBICSPLINE keys, get the lowest rate within
    /// [`DEFAULT_LIMIT`](crate::budget::DEFAULT_LIMIT). Default `None`.
    pub budget: Option<ErrorBudget>,
    /// Largest page side in texels, 64 to 16384. Default 4096.
    pub max_texture_size: u32,
    /// Clips to bake, by name or glob; all if empty.
    pub clips: Vec<String>,
    /// Attachment points: nodes by name or glob, besides the nodes whose name starts with `socket_` or `attach_`.
    pub attach: Vec<String>,
    /// Masks, in the order of their numbers, at most 255.
    pub masks: Vec<MaskSetting>,
    /// Clips that loop, by name or glob. Clips loop unless another list names them.
    pub loop_clips: Vec<String>,
    /// Clips that hold their ends, by name or glob.
    pub once_clips: Vec<String>,
    /// Clips that run to and fro, by name or glob.
    pub ping_pong_clips: Vec<String>,
    /// Bone influences that a vertex keeps, 1 to 4. Default 4.
    pub max_influences: usize,
    /// Scene to bake, by number or name. `None`: the file's default scene, else its first, else all root nodes.
    pub scene: Option<String>,
    /// Start each clip at its first key instead of at time 0.
    pub trim: bool,
    /// Store vertices, indices, parts' index ranges and images. Default true.
    pub mesh: bool,
    /// Store base-colour images. Default true; without a mesh no image is stored.
    pub images: bool,
    /// Measure every vertex at 16 times an interval instead of a sample.
    pub exhaustive: bool,
    /// File name of the model for messages and metadata, without folders.
    pub source_name: String,
}

/// A mask: a part of the skeleton to which a layer of local tracks may be limited, such as the upper body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskSetting {
    /// Its name: not empty, unique among the masks, without `=`.
    pub name: String,
    /// The nodes that it holds, by name or glob, each with all its descendants; at least one. A name or glob after `-`
    /// leaves a node and its descendants out, wherever in the list it stands. A node whose own name begins with `-` is
    /// named by a glob: `[-]tail`.
    pub nodes: Vec<String>,
}

impl Default for BakeSettings {
    fn default() -> Self {
        Self {
            rate_hz: None,
            encodings: DEFAULT_ENCODINGS.to_vec(),
            budget: None,
            max_texture_size: anim_core::limits::TEXTURE_SIZE_DEFAULT,
            clips: Vec::new(),
            attach: Vec::new(),
            masks: Vec::new(),
            loop_clips: Vec::new(),
            once_clips: Vec::new(),
            ping_pong_clips: Vec::new(),
            max_influences: anim_core::limits::INFLUENCES_MAX,
            scene: None,
            trim: false,
            mesh: true,
            images: true,
            exhaustive: false,
            source_name: String::new(),
        }
    }
}

impl BakeSettings {
    /// The encodings in the order of their page sets.
    #[must_use]
    pub fn encodings_in_order(&self) -> Vec<Encoding> {
        let mut encodings = self.encodings.clone();
        encodings.sort_by_key(|encoding| (content_of(*encoding) != Content::Local, encoding_name(*encoding)));
        encodings
    }
}

/// What an encoding is one of.
#[must_use]
pub const fn content_of(encoding: Encoding) -> Content {
    if local_encoding(encoding).is_some() { Content::Local } else { Content::Rows }
}

/// The encodings of a content, cheapest first.
#[must_use]
pub fn encodings_of(content: Content) -> Vec<Encoding> {
    match content {
        Content::Local => vec![Encoding::Local8, Encoding::Local32],
        _ => vec![Encoding::Affine16, Encoding::Affine32],
    }
}

/// The encoding that a content has unless another one is asked for.
#[must_use]
pub const fn default_encoding(content: Content) -> Encoding {
    match content {
        Content::Local => Encoding::Local8,
        _ => Encoding::Affine16,
    }
}

/// An encoding as an option's value.
#[must_use]
pub const fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Local8 => "local8",
        Encoding::Local32 => "local32",
        Encoding::Affine32 => "affine32",
        Encoding::Affine16 => "affine16",
        _ => "unknown",
    }
}
