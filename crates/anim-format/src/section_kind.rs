//! The numbers of sections: their order in a file, and what each holds.

/// The section table is in ascending order of these numbers. Below [`FIRST_DATA_KIND`] are tables and metadata, whose
/// CRCs are checked on opening; the others are geometry (128 to 191), images (192 to 255) and pages (256 and more).
macro_rules! section_kinds {
    ($($name:ident = $number:literal, $text:literal;)*) => {
        $(pub(crate) const $name: u32 = $number;)*

        /// What a section of this kind holds, for people; `None` for a kind without a meaning.
        #[must_use]
        pub const fn section_kind_name(kind: u32) -> Option<&'static str> {
            match kind {
                $($number => Some($text),)*
                _ => None,
            }
        }
    };
}

section_kinds! {
    EXTENT = 1, "extent";
    STRINGS = 2, "strings";
    CLIPS = 3, "clips";
    TRACKS = 4, "tracks";
    HELD_FRAMES = 5, "held frames";
    PAGE_SETS = 6, "page sets";
    NODES = 7, "nodes";
    BONES = 8, "bones";
    CONSTANT_POOL = 9, "constant pool";
    ATTACHMENTS = 10, "attachments";
    PARTS = 11, "parts";
    LODS = 12, "lods";
    MATERIALS = 13, "materials";
    IMAGES = 14, "images";
    VERTEX_ATTRIBUTES = 15, "vertex attributes";
    HASHES = 16, "hashes";
    LOCAL_RECORDS = 17, "local records";
    EVENTS = 18, "events (reserved)";
    ROOT_MOTION = 19, "root motion samples (reserved)";
    MASKS = 20, "masks";
    MASK_WORDS = 21, "mask words";
    METADATA = 64, "metadata";
    VERTICES = 128, "vertices";
    INDICES = 129, "indices";
    IMAGE_BYTES = 192, "image bytes";
    PAGE = 256, "page";
}

/// Kinds from here on are bulk data, which opening a file does not touch with a CRC.
pub(crate) const FIRST_DATA_KIND: u32 = 128;

/// Whether this reader reads sections of this kind, in any version.
pub(crate) const fn is_read(kind: u32) -> bool {
    section_kind_name(kind).is_some() && !matches!(kind, EVENTS | ROOT_MOTION)
}

/// Whether a file may hold several sections of this kind, told apart by owner and number.
pub(crate) const fn may_repeat(kind: u32) -> bool {
    !is_read(kind) || kind == PAGE
}
