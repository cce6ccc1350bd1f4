//! What a caller can ask of a bake: each option with its unit, range and default.

use anim_format::model::Encoding;

/// Options of a bake.
#[derive(Clone, Debug, PartialEq)]
pub struct BakeSettings {
    /// Frames a second, in Hz, in `(0, 1000]`. `None`: each clip's own rate, detected from its keys, else 30.
    pub rate_hz: Option<f64>,
    /// How bone matrices are stored. Default [`Encoding::Affine16`].
    pub encoding: Encoding,
    /// Largest page side in texels, 64 to 16384. Default 4096.
    pub max_texture_size: u32,
    /// Clips to bake, by name or glob; all if empty.
    pub clips: Vec<String>,
    /// Attachment points: nodes by name or glob, besides the nodes whose name starts with `socket_` or `attach_`.
    pub attach: Vec<String>,
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

impl Default for BakeSettings {
    fn default() -> Self {
        Self {
            rate_hz: None,
            encoding: Encoding::Affine16,
            max_texture_size: anim_core::limits::TEXTURE_SIZE_DEFAULT,
            clips: Vec::new(),
            attach: Vec::new(),
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
