//! `anim export`: everything that a file holds as plain JSON and binary files.

use std::fs;
use std::io::Read as _;
use std::path::Path;

use anim_format::AnimFile;
use anim_format::model::ImageFormat;
use serde_json::{Map, Value, json};

use crate::args::{ExportArgs, ExportFormat};
use crate::console::Console;
use crate::diagnostics::{Exit, Failure, Problem, to_json};
use crate::input::Input;
use crate::output::{OldFolder, write_folder};
use crate::tables::tables;
use crate::text::{Rows, bytes, heading, printable};

/// Schema of the report.
const SCHEMA: &str = "anim-export/1";
/// Schema of the file of tables, which is another document.
const TABLES_SCHEMA: &str = "anim-tables/1";
const TABLES: &str = "tables.json";

/// A file of the exported folder.
#[derive(Debug)]
struct Exported<'f> {
    name: String,
    bytes: &'f [u8],
}

/// Runs `anim export`.
pub(crate) fn run(args: &ExportArgs, console: &Console) -> Result<Exit, Failure> {
    let ExportFormat::Raw = args.to;
    let old_folder = check_folder(&args.output, args.force)?;
    let input = Input::read(&args.file)?;
    let playable = input.playable()?;
    let file = &playable.file;
    let exported = raw_files(file);

    let mut document = Map::new();
    document.insert("schema".into(), json!(TABLES_SCHEMA));
    document.insert("file".into(), json!(input.file_name()));
    document.insert("files".into(), exported.iter().map(|file| json!(file.name)).collect());
    let mut all_tables = tables(file);
    name_files(&mut all_tables, file);
    document.append(&mut all_tables);
    let mut json_text = serde_json::to_vec_pretty(&Value::Object(document)).map_err(|error| {
        Problem::error("json-not-encodable", args.output.display().to_string(), error.to_string())
    })?;
    json_text.push(b'\n');

    let mut files: Vec<(String, &[u8])> = vec![(TABLES.into(), &json_text)];
    files.extend(exported.into_iter().map(|file| (file.name, file.bytes)));
    write_folder(&args.output, &files, old_folder)?;
    console.problems(&playable.warnings);
    report(args, &input, &files, &playable.warnings, *console)
}

fn report(
    args: &ExportArgs,
    input: &Input,
    files: &[(String, &[u8])],
    warnings: &[Problem],
    console: Console,
) -> Result<Exit, Failure> {
    let folder = args.output.display().to_string();
    if console.json {
        let files: Vec<Value> =
            files.iter().map(|(name, bytes)| json!({ "name": name, "length_bytes": bytes.len() })).collect();
        console.json(&json!({
            "schema": SCHEMA,
            "file": input.name(),
            "output": folder,
            "files": files,
            "warnings": to_json(warnings),
        }))?;
    } else if !console.quiet {
        let mut rows = Rows::new(&["file", "size"], console.verbose, 20);
        for (name, content) in files {
            rows.add([name.clone(), bytes(content.len() as u64)]);
        }
        console.report(&(heading(&printable(&folder)) + &rows.to_text()))?;
    }
    Ok(Exit::Done)
}

/// All binary files, in the order of the file's sections.
fn raw_files<'f>(file: &'f AnimFile<'_>) -> Vec<Exported<'f>> {
    let mut files = Vec::new();
    if let Some(mesh) = &file.mesh {
        files.push(Exported { name: "vertices.bin".into(), bytes: &mesh.vertices });
        files.push(Exported { name: "indices.bin".into(), bytes: &mesh.indices });
    }
    for (number, image) in file.images.iter().enumerate() {
        files.push(Exported { name: image_name(number, image.format), bytes: &image.bytes });
    }
    for (set, pages) in file.page_sets.iter().enumerate() {
        for (page, bytes) in pages.pages.iter().enumerate() {
            files.push(Exported { name: page_name(set, page), bytes });
        }
    }
    files
}

/// Adds to each table where its bytes are.
fn name_files(tables: &mut Map<String, Value>, file: &AnimFile<'_>) {
    for (number, image) in file.images.iter().enumerate() {
        tables["images"][number]["file"] = json!(image_name(number, image.format));
    }
    for (set, pages) in file.page_sets.iter().enumerate() {
        let names: Vec<String> = (0..pages.pages.len()).map(|page| page_name(set, page)).collect();
        tables["page_sets"][set]["files"] = json!(names);
    }
    if file.mesh.is_some() {
        tables["mesh"]["vertices_file"] = json!("vertices.bin");
        tables["mesh"]["indices_file"] = json!("indices.bin");
    }
}

/// Numbers, not the source's names: those may hold anything.
fn image_name(number: usize, format: ImageFormat) -> String {
    let extension = match format {
        ImageFormat::Png => "png",
        ImageFormat::Jpeg => "jpg",
    };
    format!("image{number}.{extension}")
}

fn page_name(set: usize, page: usize) -> String {
    format!("page_set{set}_page{page}.bin")
}

/// A folder may be replaced if it is empty, or if it holds an earlier export and nothing else. Of any other folder nothing
/// is removed, whatever the user asks for: it may be a home folder.
fn check_folder(path: &Path, force: bool) -> Result<OldFolder, Problem> {
    let name = path.display().to_string();
    let Ok(found) = fs::metadata(path) else { return Ok(OldFolder::Replaced) };
    if !found.is_dir() {
        return Err(Problem::error("output-not-a-folder", name, "the output is not a folder")
            .expected_found("a folder, or nothing yet", "something else")
            .help("give another path with -o"));
    }
    let entries = || fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let earlier = files_of_export(path);
    let foreign = entries().find(|entry| !earlier.iter().any(|name| entry == name.as_str()));
    match foreign {
        None => Ok(OldFolder::Replaced),
        Some(_) if force => Ok(OldFolder::Kept),
        Some(foreign) => Err(Problem::error("output-exists", name, "the folder holds something else")
            .expected_found("an empty folder, or an earlier export", foreign.to_string_lossy())
            .help("choose another folder, or write into this one with --force")),
    }
}

/// The files that an earlier export put into a folder; none if there was none.
fn files_of_export(folder: &Path) -> Vec<String> {
    /// An export of ours is never larger.
    const BYTES_MAX: u64 = 1 << 30;
    let mut text = Vec::new();
    let read =
        fs::File::open(folder.join(TABLES)).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut text));
    let document: Value = match read.map(|_| serde_json::from_slice(&text)) {
        Ok(Ok(document)) => document,
        _ => return Vec::new(),
    };
    if document["schema"] != TABLES_SCHEMA {
        return Vec::new();
    }
    let listed = document["files"].as_array().into_iter().flatten().filter_map(|name| name.as_str());
    listed.chain([TABLES]).map(str::to_owned).collect()
}
