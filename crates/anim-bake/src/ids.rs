//! Stable names of everything that can be wrong with an input.

/// `--attach` names a node that the model lacks.
pub const ATTACHMENT_NOT_FOUND: &str = "attachment-not-found";
/// Two attachment points have one name.
pub const ATTACHMENT_NAME_REPEATED: &str = "attachment-name-repeated";
/// The pages of a bake would be larger than 2 GiB.
pub const BAKE_TOO_LARGE: &str = "bake-too-large";
/// A clip needs more texels than a page has.
pub const CLIP_DOES_NOT_FIT: &str = "clip-does-not-fit";
/// Two clips have one name.
pub const CLIP_NAME_REPEATED: &str = "clip-name-repeated";
/// `--clip` matches no clip.
pub const CLIP_NOT_FOUND: &str = "clip-not-found";
/// A clip has more frames than a file can number.
pub const CLIP_TOO_LONG: &str = "clip-too-long";
/// A clip has no name.
pub const CLIP_UNNAMED: &str = "clip-unnamed";
/// Vertices have more influences than are kept.
pub const INFLUENCES_DROPPED: &str = "influences-dropped";
/// Something in a clip jumps between two frames.
pub const JUMPS_MOVED: &str = "jumps-moved";
/// A looping clip does not end in the pose in which it starts.
pub const LOOP_GAP: &str = "loop-gap";
/// Morph targets are not in a bone bake.
pub const MORPH_TARGETS_LOST: &str = "morph-targets-lost";
/// The model has no mesh in its scene.
pub const NO_MESH: &str = "no-mesh";
/// The model has nothing that a bake could hold.
pub const NOTHING_TO_BAKE: &str = "nothing-to-bake";
/// A file is compared with a model that it was not made from.
pub const OTHER_SOURCE: &str = "other-source";
/// A part is mirrored in some frames and not in others.
pub const PART_MIRRORS_SOMETIMES: &str = "part-mirrors-sometimes";
/// An option that takes a name or glob got nothing.
pub const PATTERN_EMPTY: &str = "pattern-empty";
/// A name or glob of an option matches nothing.
pub const PATTERN_WITHOUT_MATCH: &str = "pattern-without-match";
/// A primitive is points or lines.
pub const PRIMITIVE_NOT_DRAWN: &str = "primitive-not-drawn";
/// A setting is outside its range.
pub const SETTING_OUT_OF_RANGE: &str = "setting-out-of-range";
/// More bones than a vertex can name.
pub const TOO_MANY_BONES: &str = "too-many-bones";
/// More pages than a texture array has layers.
pub const TOO_MANY_PAGES: &str = "too-many-pages";
/// More vertices than a file holds.
pub const TOO_MANY_VERTICES: &str = "too-many-vertices";
/// A number that the encoding would turn into infinity.
pub const VALUE_NOT_ENCODABLE: &str = "value-not-encodable";
/// Vertices of a skinned mesh without any weight.
pub const WEIGHTLESS_VERTICES: &str = "weightless-vertices";
