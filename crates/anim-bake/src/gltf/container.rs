//! Takes a `.glb` or `.gltf` apart into its JSON text and its binary chunk, and says what other files look like.

use super::problems::{Problems, Reported};
use crate::diagnostics::Diagnostic;
use crate::ids;

/// The two halves of a glTF.
#[derive(Debug)]
pub(super) struct Container<'a> {
    /// The JSON text, without byte order mark and padding.
    pub(super) json: &'a str,
    /// Content of the binary chunk of a GLB.
    pub(super) binary: Option<&'a [u8]>,
}

const GLB_HEADER_BYTES: usize = 12;
const GLB_CHUNK_HEADER_BYTES: usize = 8;
const GLB_CHUNK_JSON: u32 = 0x4E4F_534A;
const GLB_CHUNK_BINARY: u32 = 0x004E_4942;

/// Splits the input.
///
/// # Errors
///
/// The one thing that is wrong with the container; nothing behind it can be read then.
pub(super) fn open<'a>(bytes: &'a [u8], problems: &mut Problems) -> Result<Container<'a>, Reported> {
    if bytes.is_empty() {
        let problem = Diagnostic::error(ids::INPUT_EMPTY, "", "the file has no bytes");
        return Err(problems.push(problem.help("give a .glb or .gltf file")));
    }
    if bytes.starts_with(b"glTF") {
        return open_glb(bytes, problems);
    }
    let text = without_byte_order_mark(bytes).trim_ascii();
    if text.starts_with(b"{") {
        return Ok(Container { json: utf8(text, problems)?, binary: None });
    }
    let (looks_like, help) = identify(bytes);
    Err(problems.push(
        Diagnostic::error(ids::INPUT_NOT_GLTF, "", "the file is not glTF")
            .expected_found("a GLB header or a JSON object", looks_like)
            .help(help),
    ))
}

fn open_glb<'a>(bytes: &'a [u8], problems: &mut Problems) -> Result<Container<'a>, Reported> {
    let truncated = |expected: u64| {
        Diagnostic::error(ids::GLB_TRUNCATED, "", "the GLB is cut off")
            .expected_found(format!("{expected} bytes"), format!("{} bytes", bytes.len()))
            .help("copy or export the file again")
    };
    let (Some(version), Some(length)) = (u32_at(bytes, 4), u32_at(bytes, 8)) else {
        return Err(problems.push(truncated(GLB_HEADER_BYTES as u64)));
    };
    if version != 2 {
        return Err(problems.push(
            Diagnostic::error(ids::GLB_VERSION, "", "the GLB has a version that is not supported")
                .expected_found(2, version)
                .help("export it as glTF 2.0"),
        ));
    }
    let stated = usize::try_from(length).unwrap_or(usize::MAX);
    if stated < bytes.len() {
        problems.warning(ids::GLB_TRAILING_BYTES, "", "bytes after the stated length of the GLB are ignored");
    }
    let Some(bytes) = bytes.get(..stated) else {
        return Err(problems.push(truncated(u64::from(length))));
    };
    let mut json = None;
    let mut binary = None;
    let mut at = GLB_HEADER_BYTES;
    let mut number = 0;
    while at < bytes.len() {
        let (kind, content) = chunk(bytes, at, number, problems)?;
        at += GLB_CHUNK_HEADER_BYTES + content.len();
        match (number, kind) {
            (0, GLB_CHUNK_JSON) => json = Some(content),
            (1, GLB_CHUNK_BINARY) => binary = Some(content),
            // Later chunks of other kinds belong to extensions: glTF 2.0 section 4.4.3.1 says to ignore them.
            _ => {}
        }
        number += 1;
    }
    let Some(json) = json else {
        return Err(problems.error(ids::GLB_CHUNK, "", "the first chunk of the GLB is not its JSON"));
    };
    // The padding is spaces, but some exporters write zeros.
    let end = json.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let json = json.get(..end).unwrap_or_default();
    Ok(Container { json: utf8(without_byte_order_mark(json).trim_ascii(), problems)?, binary })
}

fn chunk<'a>(
    bytes: &'a [u8],
    at: usize,
    number: usize,
    problems: &mut Problems,
) -> Result<(u32, &'a [u8]), Reported> {
    let (Some(length), Some(kind)) = (u32_at(bytes, at), u32_at(bytes, at + 4)) else {
        let what = format!("the header of chunk {number} of the GLB is cut off");
        return Err(problems.error(ids::GLB_CHUNK, "", what));
    };
    let rest = bytes.get(at + GLB_CHUNK_HEADER_BYTES..).unwrap_or_default();
    let content = usize::try_from(length).ok().and_then(|length| rest.get(..length));
    content.map(|content| (kind, content)).ok_or_else(|| {
        problems.push(
            Diagnostic::error(ids::GLB_CHUNK, "", format!("chunk {number} of the GLB is cut off"))
                .expected_found(format!("{length} bytes"), format!("{} bytes", rest.len())),
        )
    })
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}

fn utf8<'a>(bytes: &'a [u8], problems: &mut Problems) -> Result<&'a str, Reported> {
    std::str::from_utf8(bytes).map_err(|error| {
        problems.push(
            Diagnostic::error(ids::JSON_ENCODING, "", "the JSON text is not UTF-8")
                .expected_found("UTF-8", format!("an invalid sequence at byte {}", error.valid_up_to())),
        )
    })
}

const EXPORT: &str = "export the model as glTF 2.0 (.glb) from the program that made it";
const FROM_FBX: &str =
    "convert it to glTF: FBX2glTF model.fbx, or import it into Blender and export glTF 2.0 (.glb)";
const FROM_BLENDER: &str = "open it in Blender and export glTF 2.0 (.glb)";
const FROM_IMPORT: &str = "import it into Blender and export glTF 2.0 (.glb)";
const UNPACK: &str = "unpack it and give the .glb or .gltf file inside";
const IS_IMAGE: &str = "this is a texture: give the .glb or .gltf file that uses it";

/// Beginnings of files that people try.
const MAGIC: &[(&[u8], &str, &str)] = &[
    (b"Kaydara FBX Binary", "an FBX file (binary)", FROM_FBX),
    (b"; FBX", "an FBX file (text)", FROM_FBX),
    (b"ANTX", "an .animtex file, which is already baked", "give the glTF that it was baked from"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image", IS_IMAGE),
    (b"\xFF\xD8\xFF", "a JPEG image", IS_IMAGE),
    (b"PK\x03\x04", "a zip archive", UNPACK),
    (b"\x1F\x8B", "a gzip archive", UNPACK),
    (b"7z\xBC\xAF\x27\x1C", "a 7-Zip archive", UNPACK),
    (b"Rar!", "a RAR archive", UNPACK),
    (b"BLENDER", "a Blender file", FROM_BLENDER),
    (b"\x28\xB5\x2F\xFD", "a Zstandard archive, perhaps a compressed Blender file", FROM_BLENDER),
    (b"PXR-USDC", "a USD file", FROM_IMPORT),
    (b"#usda", "a USD file (text)", FROM_IMPORT),
    (b"ply\n", "a PLY file, which has no animation", EXPORT),
    (b"ply\r", "a PLY file, which has no animation", EXPORT),
    (b"solid ", "an STL file, which has no animation", EXPORT),
    (b"version https://git-lfs", "a Git LFS pointer instead of the file", "run git lfs pull"),
    (b"\xFF\xFE", "UTF-16 text", "save the .gltf as UTF-8"),
    (b"\xFE\xFF", "UTF-16 text", "save the .gltf as UTF-8"),
];

/// What a file that is not glTF looks like, and what to do about it.
fn identify(bytes: &[u8]) -> (String, &'static str) {
    let text = without_byte_order_mark(bytes).trim_ascii_start();
    for (magic, name, help) in MAGIC {
        if bytes.starts_with(magic) || text.starts_with(magic) {
            return ((*name).to_owned(), help);
        }
    }
    let head = text.get(..text.len().min(2048)).unwrap_or_default();
    let has = |needle: &[u8]| head.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle));
    if head.starts_with(b"<") {
        return if has(b"<COLLADA") {
            ("a COLLADA file".to_owned(), FROM_IMPORT)
        } else if has(b"<html") {
            ("a web page".to_owned(), "download the file itself, not the page about it")
        } else {
            ("XML".to_owned(), EXPORT)
        };
    }
    let line_starts = |word: &[u8]| head.split(|byte| *byte == b'\n').any(|line| line.starts_with(word));
    if line_starts(b"v ") || line_starts(b"mtllib ") {
        return ("an OBJ file, which has no animation".to_owned(), EXPORT);
    }
    if !head.is_empty() && head.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..)) {
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line.get(..line.len().min(40)).unwrap_or_default());
        return (format!("text that begins with {line:?}"), EXPORT);
    }
    let begin = bytes.get(..bytes.len().min(4)).unwrap_or_default();
    let hex: Vec<String> = begin.iter().map(|byte| format!("{byte:02x}")).collect();
    (format!("an unknown binary file that begins with {}", hex.join(" ")), EXPORT)
}
