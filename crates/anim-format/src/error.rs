//! Everything that can be wrong with a file.

use alloc::string::String;
use alloc::vec::Vec;

/// Why bytes are no readable file, or why a file in memory cannot be written.
///
/// [`read`](crate::read) stops at the first problem of the structure; problems of references between fields come all
/// at once, as [`FormatError::Invalid`]. `place` names a field, for example `clips[3] "run".tracks[0].page`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the fields are named and shown by the message above them")]
pub enum FormatError {
    /// The bytes end early.
    #[error("the file has {found_bytes} bytes, and {what} needs {needed_bytes}")]
    FileTruncated { what: &'static str, needed_bytes: u64, found_bytes: u64 },
    /// The bytes go on after the end that the header states.
    #[error("the file has {found_bytes} bytes, but ends after {expected_bytes}")]
    ExtraBytes { expected_bytes: u64, found_bytes: u64 },
    /// The first four bytes are wrong.
    #[error("not an .animtex file: it starts with {found:02x?}, expected [41, 4e, 54, 58] (\"ANTX\")")]
    BadMagic { found: [u8; 4] },
    /// The major version is unknown.
    #[error("the file has version {major}.{minor}, and this reader knows {known_major}.x")]
    UnknownVersion { major: u16, minor: u16, known_major: u16 },
    /// The CRC-32 of a section, or of the header with the section table, is wrong.
    #[error("{what} is damaged: its CRC-32 is {found:08x}, expected {expected:08x}")]
    BadChecksum { what: String, expected: u32, found: u32 },
    /// A byte between two sections is not zero.
    #[error("padding byte {offset_bytes} is {found}, expected 0")]
    PaddingNotZero { offset_bytes: u64, found: u8 },
    /// A reserved field is not zero.
    #[error("{place} is reserved: it is {found}, expected 0")]
    ReservedNotZero { place: String, found: u64 },
    /// Sections are not in ascending order of kind, owner and number.
    #[error("{what} comes after {previous}: sections are not in ascending order")]
    SectionOrder { what: String, previous: String },
    /// A section that may occur once occurs again.
    #[error("{what} occurs twice")]
    SectionRepeated { what: String },
    /// A section starts before the previous one ends.
    #[error(
        "{what} starts at byte {offset_bytes}, before the end of what precedes it at {previous_end_bytes}"
    )]
    SectionOverlap { what: String, offset_bytes: u64, previous_end_bytes: u64 },
    /// A section does not start at the first aligned byte after the previous one.
    #[error("{what} starts at byte {offset_bytes}, expected {expected_bytes}: there is a gap before it")]
    SectionGap { what: String, offset_bytes: u64, expected_bytes: u64 },
    /// A section's offset is no multiple of 64.
    #[error("{what} starts at byte {offset_bytes}, which is no multiple of 64")]
    SectionMisaligned { what: String, offset_bytes: u64 },
    /// A section ends after the file.
    #[error(
        "{what} is at byte {offset_bytes}, {length_bytes} bytes long: it ends after the file's {file_bytes}"
    )]
    SectionOutsideFile { what: String, offset_bytes: u64, length_bytes: u64, file_bytes: u64 },
    /// A section's length is not its record length times its record count.
    #[error("{what} has {length_bytes} bytes, expected {record_count} records of {record_bytes}")]
    SectionLength { what: String, length_bytes: u64, record_bytes: u32, record_count: u32 },
    /// Records have a length that this reader does not accept.
    #[error(
        "records of {what} are {found_bytes} bytes long, expected {expected_bytes} (more in a newer minor version)"
    )]
    RecordLength { what: String, expected_bytes: u32, found_bytes: u32 },
    /// A section that this reader does not know must not be ignored.
    #[error("section kind {kind} is unknown and marked critical")]
    UnknownCriticalSection { kind: u32 },
    /// A section is missing.
    #[error("{what} is missing")]
    SectionMissing { what: String },
    /// A section belongs to nothing.
    #[error("{what} belongs to nothing in the tables")]
    SectionUnexpected { what: String },
    /// The string section is not UTF-8.
    #[error("names are not UTF-8 from byte {offset_bytes} of the string section on")]
    NotUtf8 { offset_bytes: u64 },
    /// A range does not start where the one before it ended, or ends after its table.
    #[error(
        "{place} is {count} from {first}, expected to start at {expected_first} and end at most at {limit}"
    )]
    BadRange { place: String, first: u64, count: u64, expected_first: u64, limit: u64 },
    /// A number stands for something that only newer readers know.
    #[error("{place} is {found} ({meaning}): this needs a newer reader")]
    NeedsNewerReader { place: String, found: u32, meaning: &'static str },
    /// A number stands for nothing.
    #[error("{place} is {found}, which stands for nothing (known: 0 to {largest})")]
    UnknownNumber { place: String, found: u32, largest: u32 },
    /// The metadata section cannot be decoded.
    #[error("the metadata section is damaged: {reason}")]
    BadMetadata { reason: String },
    /// Something is larger than the format can store.
    #[error("{what} has {found}, and the format stores at most {max}")]
    TooLarge { what: &'static str, found: u64, max: u64 },
    /// A number names a record that does not exist.
    #[error("{place} is {found}, but there are only {count}")]
    DanglingNumber { place: String, found: u64, count: u64 },
    /// A float is infinite or not a number.
    #[error("{place} is {found}, expected a finite number")]
    NotFinite { place: String, found: f32 },
    /// A number is outside its range.
    #[error("{place} is {found}, expected {expected}")]
    OutsideRange { place: String, found: f64, expected: &'static str },
    /// Two numbers that have to agree do not.
    #[error("{place} is {found}, expected {expected}")]
    Mismatch { place: String, found: u64, expected: u64 },
    /// A box has its lower corner above its upper one.
    #[error("{place} is from {min} to {max} along axis {axis}")]
    BoxInverted { place: String, axis: usize, min: f32, max: f32 },
    /// A name is empty.
    #[error("{place} is empty")]
    NameEmpty { place: String },
    /// A name that has to be unique occurs again.
    #[error("{place} is {name:?}, as is that of number {first}")]
    NameRepeated { place: String, name: String, first: u64 },
    /// A thing that may occur once occurs again.
    #[error("{place} occurs twice")]
    Repeated { place: String },
    /// A parent does not come before its child.
    #[error("{place} is {found}, expected a lower number than the node's own {node}")]
    ParentNotBefore { place: String, found: u32, node: u32 },
    /// A track ends after its page.
    #[error("{place} ends at texel {end_texel}, but its page has {page_texels}")]
    TrackOutsidePage { place: String, end_texel: u128, page_texels: u64 },
    /// Two tracks have some of their texels in common.
    #[error(
        "{place} starts at texel {first_texel}, before the end of {other} at {other_end_texel}: tracks have all their texels in common, or none"
    )]
    TrackOverlap { place: String, first_texel: u32, other: String, other_end_texel: u128 },
    /// A local track names no records.
    #[error("{place} has no local records: its first_record is missing")]
    RecordsMissing { place: String },
    /// A track that is not local names records.
    #[error("{place} names local records from {first} on, but its page set does not hold local tracks")]
    RecordsUnexpected { place: String, first: u32 },
    /// A clip has no track.
    #[error("{place} has no track")]
    TrackMissing { place: String },
    /// A track of exact positions has no track of normals beside it.
    #[error("{place} holds positions in 32 bits, but the clip has no track of normals beside it")]
    NormalsMissing { place: String },
    /// A track of normals has no track of exact positions beside it.
    #[error("{place} holds normals, but the clip has no track of positions in 32 bits beside it")]
    NormalsUnexpected { place: String },
    /// Content, encoding and texel format of a page set do not belong together.
    #[error("{place}: content, encoding and texel format do not belong together")]
    PageSetMixed { place: String },
    /// An attachment's bone belongs to another node.
    #[error("{place} is {bone}, a bone that does not belong to node {node}")]
    BoneOfOtherNode { place: String, bone: u32, node: u32 },
    /// An attachment's bone cannot be inverted.
    #[error("{place} is {bone}, a bone whose bone_from_bind has no inverse")]
    BoneNotInvertible { place: String, bone: u32 },
    /// A vertex attribute is missing.
    #[error("{place} has no {missing}")]
    AttributeMissing { place: &'static str, missing: &'static str },
    /// Indices point outside the vertices that they belong to.
    #[error("{place} holds {found} at index {index}, expected {first} to below {end} ({count} such indices)")]
    IndexOutside { place: String, index: u64, found: u32, first: u64, end: u64, count: u64 },
    /// Vertices name bones that do not exist.
    #[error("vertex {vertex} names bone {found}, but there are only {bone_count} ({count} such vertices)")]
    VertexBoneOutside { vertex: u64, found: u16, bone_count: u64, count: u64 },
    /// Vertices hold numbers that are not finite.
    #[error("the {attribute} of vertex {vertex} is not finite ({count} such vertices)")]
    VertexNotFinite { vertex: u64, attribute: &'static str, count: u64 },
    /// All problems of references between fields, at least one; after [`PROBLEMS_MAX`] they are no longer collected.
    #[error("{}", list(.0))]
    Invalid(Vec<FormatError>),
    /// The file could not be opened.
    #[error("{path}: {reason}")]
    Io { path: String, reason: String },
}

/// Problems that one [`FormatError::Invalid`] holds at most.
pub const PROBLEMS_MAX: usize = 256;

impl FormatError {
    /// A name for programs, which never changes.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self {
            Self::FileTruncated { .. } => "file-truncated",
            Self::ExtraBytes { .. } => "extra-bytes",
            Self::BadMagic { .. } => "bad-magic",
            Self::UnknownVersion { .. } => "unknown-version",
            Self::BadChecksum { .. } => "bad-checksum",
            Self::PaddingNotZero { .. } => "padding-not-zero",
            Self::ReservedNotZero { .. } => "reserved-not-zero",
            Self::SectionOrder { .. } => "section-order",
            Self::SectionRepeated { .. } => "section-repeated",
            Self::SectionOverlap { .. } => "section-overlap",
            Self::SectionGap { .. } => "section-gap",
            Self::SectionMisaligned { .. } => "section-misaligned",
            Self::SectionOutsideFile { .. } => "section-outside-file",
            Self::SectionLength { .. } => "section-length",
            Self::RecordLength { .. } => "record-length",
            Self::UnknownCriticalSection { .. } => "unknown-critical-section",
            Self::SectionMissing { .. } => "section-missing",
            Self::SectionUnexpected { .. } => "section-unexpected",
            Self::NotUtf8 { .. } => "not-utf8",
            Self::BadRange { .. } => "bad-range",
            Self::NeedsNewerReader { .. } => "needs-newer-reader",
            Self::UnknownNumber { .. } => "unknown-number",
            Self::BadMetadata { .. } => "bad-metadata",
            Self::TooLarge { .. } => "too-large",
            Self::DanglingNumber { .. } => "dangling-number",
            Self::NotFinite { .. } => "not-finite",
            Self::OutsideRange { .. } => "outside-range",
            Self::Mismatch { .. } => "value-mismatch",
            Self::BoxInverted { .. } => "box-inverted",
            Self::NameEmpty { .. } => "name-empty",
            Self::NameRepeated { .. } => "name-repeated",
            Self::Repeated { .. } => "repeated",
            Self::ParentNotBefore { .. } => "parent-not-before",
            Self::TrackOutsidePage { .. } => "track-outside-page",
            Self::TrackOverlap { .. } => "track-overlap",
            Self::RecordsMissing { .. } => "records-missing",
            Self::RecordsUnexpected { .. } => "records-unexpected",
            Self::TrackMissing { .. } => "track-missing",
            Self::NormalsMissing { .. } => "normals-missing",
            Self::NormalsUnexpected { .. } => "normals-unexpected",
            Self::PageSetMixed { .. } => "page-set-mixed",
            Self::BoneOfOtherNode { .. } => "bone-of-other-node",
            Self::BoneNotInvertible { .. } => "bone-not-invertible",
            Self::AttributeMissing { .. } => "attribute-missing",
            Self::IndexOutside { .. } => "index-outside",
            Self::VertexBoneOutside { .. } => "vertex-bone-outside",
            Self::VertexNotFinite { .. } => "vertex-not-finite",
            Self::Invalid(_) => "invalid",
            Self::Io { .. } => "io",
        }
    }

    /// What to do about it.
    #[must_use]
    pub const fn help(&self) -> &'static str {
        match self {
            Self::FileTruncated { .. } | Self::ExtraBytes { .. } => {
                "copy or download the file again: it is not as long as it was written"
            }
            Self::BadMagic { .. } => "give an .animtex file; a glTF file becomes one with `anim bake`",
            Self::UnknownVersion { .. }
            | Self::UnknownCriticalSection { .. }
            | Self::NeedsNewerReader { .. }
            | Self::UnknownNumber { .. } => {
                "update this program, or bake the file again with the version in use"
            }
            Self::BadChecksum { .. } | Self::BadMetadata { .. } | Self::PaddingNotZero { .. } => {
                "the file changed after it was written: copy it again, or bake it again"
            }
            Self::TooLarge { .. } => "split the model into several files",
            Self::Io { .. } => "check the path and its permissions",
            Self::Invalid(_) => {
                "each problem is listed; bake the file again, or repair the program that wrote it"
            }
            _ => "the program that wrote the file broke the format: bake it again, or repair that program",
        }
    }

    /// The problems one by one: those of [`FormatError::Invalid`], else the error itself.
    #[must_use]
    pub fn problems(&self) -> &[FormatError] {
        if let Self::Invalid(problems) = self { problems } else { core::slice::from_ref(self) }
    }
}

fn list(problems: &[FormatError]) -> String {
    use core::fmt::Write as _;
    let mut text = String::new();
    for problem in problems {
        let separator = if text.is_empty() { "" } else { "\n" };
        let _ = write!(text, "{separator}{problem}");
    }
    text
}
