//! Stable names of every kind of problem, for scripts and for the documents that list them.

macro_rules! ids {
    ($($(#[doc = $doc:literal])+ $name:ident = $id:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: &str = $id;)*

        /// Every id with what it means, in the order of this file.
        pub const ALL: &[(&str, &str)] = &[$(($id, concat!($($doc),+))),*];
    };
}

ids! {
    /// Error: the input has no bytes.
    INPUT_EMPTY = "input-empty";
    /// Error: the input is not glTF; the message says what it looks like and how to get glTF.
    INPUT_NOT_GLTF = "input-not-gltf";
    /// Error: a GLB ends before its header or its stated length does.
    GLB_TRUNCATED = "glb-truncated";
    /// Error: a GLB of another version than 2.
    GLB_VERSION = "glb-version";
    /// Error: a GLB chunk is missing, cut off or in the wrong place.
    GLB_CHUNK = "glb-chunk";
    /// Warning: bytes after the stated length of a GLB; they are ignored.
    GLB_TRAILING_BYTES = "glb-trailing-bytes";
    /// Error: the text is not UTF-8.
    JSON_ENCODING = "json-encoding";
    /// Error: the text is not JSON, or an object of it has not the fields that glTF asks for.
    JSON_INVALID = "json-invalid";
    /// Error: a number of the JSON is too large for 32-bit floating point.
    NUMBER_NOT_FINITE = "number-not-finite";
    /// Error: `asset.version` or `asset.minVersion` is missing or not 2.x.
    ASSET_VERSION = "asset-version";
    /// Error: the file needs an extension that is not supported.
    EXTENSION_UNSUPPORTED = "extension-unsupported";
    /// Error: a number names an entry of a table that does not exist.
    INDEX_OUT_OF_RANGE = "index-out-of-range";
    /// Error or warning: more problems than are listed; the message says how many.
    TOO_MANY_PROBLEMS = "too-many-problems";
    /// Error: reading the file would take more memory than its size justifies.
    MEMORY_BUDGET = "memory-budget";

    /// Error: a buffer has no data: no uri, and it is not the binary chunk of a GLB.
    BUFFER_WITHOUT_DATA = "buffer-without-data";
    /// Error: a buffer holds fewer bytes than it states.
    BUFFER_TOO_SHORT = "buffer-too-short";
    /// Error: an external buffer could not be read.
    BUFFER_UNREADABLE = "buffer-unreadable";
    /// Error: a uri that is malformed, absolute, or of another scheme than `data:`.
    URI_UNSUPPORTED = "uri-unsupported";
    /// Error: a buffer view ends past its buffer.
    VIEW_OUT_OF_BUFFER = "view-out-of-buffer";

    /// Error: an accessor has no elements.
    ACCESSOR_EMPTY = "accessor-empty";
    /// Error: an accessor ends past its buffer view.
    ACCESSOR_OUT_OF_VIEW = "accessor-out-of-view";
    /// Error: a byte stride is smaller than the element.
    ACCESSOR_STRIDE = "accessor-stride";
    /// Error: a component type or element type that glTF does not have.
    ACCESSOR_UNKNOWN_TYPE = "accessor-unknown-type";
    /// Error: the type of an accessor does not fit what it is used for.
    ACCESSOR_TYPE = "accessor-type";
    /// Error: sparse indices that are out of range, not increasing, or more than there are elements.
    ACCESSOR_SPARSE = "accessor-sparse";
    /// Error: a NaN or an infinite number in data that must be finite.
    ACCESSOR_NOT_FINITE = "accessor-not-finite";

    /// Error: the chosen scene does not exist.
    SCENE_NOT_FOUND = "scene-not-found";
    /// Warning: a scene lists a node that has a parent; the parent's transform still counts.
    SCENE_NODE_NOT_ROOT = "scene-node-not-root";
    /// Error: a node is its own ancestor.
    NODE_CYCLE = "node-cycle";
    /// Error: a node is a child of two nodes, or twice of one.
    NODE_TWO_PARENTS = "node-two-parents";
    /// Error: a node has a matrix beside a translation, rotation or scale.
    NODE_MATRIX_AND_TRS = "node-matrix-and-trs";
    /// Error: the fourth row of a matrix is not `0 0 0 1`.
    MATRIX_NOT_AFFINE = "matrix-not-affine";
    /// Warning: a rotation of length zero; it is read as no rotation.
    ROTATION_ZERO = "rotation-zero";

    /// Error: a skin has no joints.
    SKIN_EMPTY = "skin-empty";
    /// Error: a skin has more joints than a file can hold bones.
    SKIN_TOO_MANY_JOINTS = "skin-too-many-joints";
    /// Warning: a skin lists a joint twice.
    SKIN_DUPLICATE_JOINT = "skin-duplicate-joint";
    /// Error: fewer inverse bind matrices than joints.
    SKIN_INVERSE_BIND_COUNT = "skin-inverse-bind-count";
    /// Warning: a skin that the scene uses has joints outside the scene; they are evaluated all the same.
    SKIN_JOINT_OUTSIDE_SCENE = "skin-joint-outside-scene";
    /// Warning: a node has a skin, and a primitive of its mesh has no joints and weights; it is read as rigid.
    SKIN_WITHOUT_INFLUENCES = "skin-without-influences";

    /// Warning: a primitive has no positions; nothing of it is drawn.
    PRIMITIVE_WITHOUT_POSITIONS = "primitive-without-positions";
    /// Error: a primitive mode that glTF does not have.
    PRIMITIVE_MODE = "primitive-mode";
    /// Error: the attributes of a primitive have different counts.
    ATTRIBUTE_COUNT = "attribute-count";
    /// Error: an index is not below the vertex count.
    VERTEX_INDEX_OUT_OF_RANGE = "vertex-index-out-of-range";
    /// Error: an index is the largest value of its type, which glTF reserves for primitive restart.
    PRIMITIVE_RESTART = "primitive-restart";
    /// Warning: the number of indices is not a multiple of three; the rest is dropped.
    TRIANGLE_INCOMPLETE = "triangle-incomplete";
    /// Error: `JOINTS_n` without `WEIGHTS_n`, or the other way round.
    INFLUENCES_UNPAIRED = "influences-unpaired";
    /// Error: a vertex is bound to a joint that its skin does not have.
    JOINT_OUT_OF_SKIN = "joint-out-of-skin";
    /// Error: a negative weight.
    WEIGHT_NEGATIVE = "weight-negative";
    /// Warning: vertex colours are not baked.
    VERTEX_COLORS_LOST = "vertex-colors-lost";
    /// Warning: the material wants texture coordinates that the primitive does not have.
    TEXCOORD_MISSING = "texcoord-missing";
    /// Error: the primitives of a mesh have different numbers of morph targets.
    MORPH_TARGET_COUNT = "morph-target-count";
    /// Error: the number of morph weights is not the number of morph targets.
    MORPH_WEIGHT_COUNT = "morph-weight-count";

    /// Warning: a blended material is drawn opaque.
    ALPHA_BLEND_DRAWN_OPAQUE = "alpha-blend-drawn-opaque";
    /// Error: a material, texture or sampler property with a value that glTF does not have.
    MATERIAL_INVALID = "material-invalid";
    /// Warning: a base-colour image could not be read; the model is baked without it.
    IMAGE_MISSING = "image-missing";
    /// Warning: a base-colour image is neither PNG nor JPEG; the model is baked without it.
    IMAGE_FORMAT = "image-format";

    /// Warning: a channel animates something other than a node's transform or weights; it is ignored.
    CHANNEL_IGNORED = "channel-ignored";
    /// Warning: a channel animates morph weights of a node that has none; it is ignored.
    CHANNEL_WITHOUT_MORPHS = "channel-without-morphs";
    /// Error: two channels of a clip drive one property of one node.
    CHANNEL_DUPLICATE_TARGET = "channel-duplicate-target";
    /// Error: an animated node has a matrix that is no translation, rotation and scale.
    CHANNEL_ON_SHEARED_MATRIX = "channel-on-sheared-matrix";
    /// Warning: an animated node has a matrix; its translation, rotation and scale are used.
    CHANNEL_ON_MATRIX = "channel-on-matrix";
    /// Error: an interpolation that glTF does not have.
    SAMPLER_INTERPOLATION = "sampler-interpolation";
    /// Error: the number of values does not fit the number of keys.
    SAMPLER_OUTPUT_COUNT = "sampler-output-count";
    /// Warning: a CUBICSPLINE sampler with one key; its value is constant.
    SAMPLER_CUBIC_SINGLE_KEY = "sampler-cubic-single-key";
    /// Error: a negative key time.
    KEY_TIME_NEGATIVE = "key-time-negative";
    /// Error: a key time that is not later than the one before.
    KEY_TIME_NOT_INCREASING = "key-time-not-increasing";
    /// Warning: a rotation that is far from unit length; it is normalised.
    ROTATION_NOT_UNIT = "rotation-not-unit";
    /// Warning: rotation keys of length zero; they are read as no rotation.
    KEY_ROTATION_ZERO = "key-rotation-zero";

    // Found while baking, after the import.

    /// Error: `--attach` names a node that the model lacks.
    ATTACHMENT_NOT_FOUND = "attachment-not-found";
    /// Warning: two attachment points have one name.
    ATTACHMENT_NAME_REPEATED = "attachment-name-repeated";
    /// Error: the pages of a bake would be larger than 2 GiB.
    BAKE_TOO_LARGE = "bake-too-large";
    /// Error: a clip needs more texels than a page has.
    CLIP_DOES_NOT_FIT = "clip-does-not-fit";
    /// Warning: two clips have one name.
    CLIP_NAME_REPEATED = "clip-name-repeated";
    /// Error: `--clip` matches no clip.
    CLIP_NOT_FOUND = "clip-not-found";
    /// Error: a clip has more frames than a file can number.
    CLIP_TOO_LONG = "clip-too-long";
    /// Warning: a clip has no name.
    CLIP_UNNAMED = "clip-unnamed";
    /// Warning: vertices have more influences than are kept.
    INFLUENCES_DROPPED = "influences-dropped";
    /// Warning: something in a clip jumps between two frames.
    JUMPS_MOVED = "jumps-moved";
    /// Warning: a looping clip does not end in the pose in which it starts.
    LOOP_GAP = "loop-gap";
    /// Error: a mask holds no node: none is named, or all that are named are left out again.
    MASK_EMPTY = "mask-empty";
    /// Error: a mask has no name, or one with `=` in it.
    MASK_NAME_INVALID = "mask-name-invalid";
    /// Error: two masks have one name.
    MASK_NAME_REPEATED = "mask-name-repeated";
    /// Error: a mask names a node that the bake does not hold.
    MASK_NODE_NOT_FOUND = "mask-node-not-found";
    /// Warning: masks are baked, and no local tracks that they could limit.
    MASK_WITHOUT_LOCAL_TRACKS = "mask-without-local-tracks";
    /// Warning: morph targets are not in a bone bake.
    MORPH_TARGETS_LOST = "morph-targets-lost";
    /// Warning: the model has no mesh in its scene.
    NO_MESH = "no-mesh";
    /// Error: the model has nothing that a bake could hold.
    NOTHING_TO_BAKE = "nothing-to-bake";
    /// Error: a file is compared with a model that it was not made from.
    OTHER_SOURCE = "other-source";
    /// Error: a file holds vertices, which cannot be measured against a source yet.
    VERTICES_NOT_MEASURED = "vertices-not-measured";
    /// Warning: a part is mirrored in some frames and not in others.
    PART_MIRRORS_SOMETIMES = "part-mirrors-sometimes";
    /// Error: no rate and encoding plays a clip back within the requested error.
    BUDGET_MISSED = "budget-missed";
    /// Warning: no rate plays a clip back within the default limit.
    DEFAULT_LIMIT_MISSED = "default-limit-missed";
    /// Error: an option that takes a name or glob got nothing.
    PATTERN_EMPTY = "pattern-empty";
    /// Warning: a name or glob of an option matches nothing.
    PATTERN_WITHOUT_MATCH = "pattern-without-match";
    /// Warning: playback is more than 5 % of the model's size away from the source.
    PLAYBACK_INEXACT = "playback-inexact";
    /// Warning: a primitive is points or lines.
    PRIMITIVE_NOT_DRAWN = "primitive-not-drawn";
    /// Error: a setting is outside its range.
    SETTING_OUT_OF_RANGE = "setting-out-of-range";
    /// Error: more bones than a vertex can name.
    TOO_MANY_BONES = "too-many-bones";
    /// Error: more masks than a layer can name.
    TOO_MANY_MASKS = "too-many-masks";
    /// Error: more pages than a texture array has layers.
    TOO_MANY_PAGES = "too-many-pages";
    /// Error: more vertices than a file holds.
    TOO_MANY_VERTICES = "too-many-vertices";
    /// Error: a number that the encoding would turn into infinity.
    VALUE_NOT_ENCODABLE = "value-not-encodable";
    /// Warning: vertices of a skinned mesh without any weight.
    WEIGHTLESS_VERTICES = "weightless-vertices";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn ids_are_unique_kebab_case_and_explained() {
        let mut seen = std::collections::HashSet::new();
        for (id, meaning) in ALL {
            assert!(seen.insert(id), "{id} twice");
            assert!(id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{id}");
            let meaning = meaning.trim_start();
            assert!(meaning.starts_with("Error") || meaning.starts_with("Warning"), "{id}: {meaning}");
        }
        assert!(ALL.len() > 50, "{}", ALL.len());
    }
}
