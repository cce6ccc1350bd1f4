//! `anim inspect`: what a file holds, or what a bake of a glTF would hold and every problem in it.

pub(crate) mod clip_accuracy;
mod figures;
mod text;

use anim_bake::BakeSettings;
use anim_format::{AnimFile, Version};
use serde_json::{Map, Value, json};

use crate::args::InspectArgs;
use crate::console::Console;
use crate::diagnostics::{Exit, Failure, Problem, to_json};
use crate::input::{Input, Kind};
use crate::report::{Output, Page};
use crate::tables::tables;
use figures::{Fill, bytes_by_section, fill};

pub(crate) use text::{accuracy as accuracy_text, facts};

/// A file with all that is known about its bytes.
#[derive(Debug)]
struct Inspected<'a> {
    name: String,
    /// The bytes are those that a bake would write.
    would_be: bool,
    file: AnimFile<'a>,
    version: anim_format::FileVersion,
    length_bytes: u64,
    sections: Vec<anim_format::SectionInfo>,
    fill: Vec<Fill>,
}

/// Runs `anim inspect`.
pub(crate) fn run(args: &InspectArgs, console: &Console) -> Result<Exit, Failure> {
    let html = args.html.as_deref().map(|path| Output::new(path, args.force, &[&args.file])).transpose()?;
    let input = Input::read(&args.file)?;
    match input.kind {
        Kind::Animtex => {
            let inspected = inspect(input.name(), false, &input.bytes, input.animtex()?, &input)?;
            report(&inspected, &[], html, *console)
        }
        Kind::Gltf => {
            let baked = input.bake(&BakeSettings::default())?;
            let warnings: Vec<Problem> =
                baked.warnings.iter().map(|warning| Problem::of_bake(&input.path, warning)).collect();
            let bytes = anim_format::write(&baked.file, Version::V1)
                .map_err(|error| Failure::of_format(&input.path, &error))?;
            let inspected = inspect(input.name(), true, &bytes, baked.file, &input)?;
            report(&inspected, &warnings, html, *console)
        }
    }
}

fn inspect<'a>(
    name: String,
    would_be: bool,
    bytes: &[u8],
    file: AnimFile<'a>,
    input: &Input,
) -> Result<Inspected<'a>, Failure> {
    let failure = |error| Failure::of_format(&input.path, &error);
    Ok(Inspected {
        name,
        would_be,
        version: anim_format::peek_version(bytes).map_err(failure)?,
        length_bytes: bytes.len() as u64,
        sections: anim_format::sections(bytes).map_err(failure)?,
        fill: file.page_sets.iter().enumerate().map(|(set, _)| fill(&file, set)).collect(),
        file,
    })
}

fn report(
    inspected: &Inspected<'_>,
    warnings: &[Problem],
    html: Option<Output<'_>>,
    console: Console,
) -> Result<Exit, Failure> {
    if let Some(html) = html {
        let accuracy = inspected.file.metadata.as_ref().map_or(&[][..], |metadata| &metadata.accuracy);
        let page = Page {
            name: inspected.name.clone(),
            length_bytes: inspected.length_bytes,
            file: &inspected.file,
            accuracy,
            measured: false,
            checks: Vec::new(),
            curves: None,
        };
        html.write(&page, console)?;
    }
    if console.json {
        console.json(&document(inspected, warnings))?;
    } else {
        console.report(&text::report(inspected, console.verbose))?;
    }
    // What is wrong with a model was asked for: quiet does not hide it from the report, only from the terminal.
    console.problems(warnings);
    Ok(Exit::Done)
}

fn document(inspected: &Inspected<'_>, warnings: &[Problem]) -> Value {
    let sections: Vec<Value> = inspected
        .sections
        .iter()
        .map(|section| {
            json!({
                "kind": section.kind,
                "kind_name": section.kind_name,
                "critical": section.critical,
                "offset_bytes": section.offset_bytes,
                "length_bytes": section.length_bytes,
                "record_bytes": section.record_bytes,
                "record_count": section.record_count,
                "crc32": format!("{:08x}", section.crc32),
                "owner": section.owner,
                "number": section.number,
            })
        })
        .collect();
    let by_section: Map<String, Value> = bytes_by_section(&inspected.sections)
        .into_iter()
        .map(|(name, length_bytes)| (name.to_owned(), json!(length_bytes)))
        .collect();
    let fill: Vec<Value> = inspected
        .fill
        .iter()
        .map(|fill| json!({ "used_texels": fill.used_texels, "texels": fill.texels, "share": fill.share() }))
        .collect();
    let mut document = Map::new();
    document.insert("schema".into(), json!("anim-inspect/2"));
    document.insert("file".into(), json!(inspected.name));
    document.insert("input".into(), json!(if inspected.would_be { "gltf" } else { "animtex" }));
    document.insert(
        "version".into(),
        json!({ "major": inspected.version.major, "minor": inspected.version.minor }),
    );
    document.insert("length_bytes".into(), json!(inspected.length_bytes));
    document.insert("sections".into(), Value::Array(sections));
    document.insert("bytes_by_section".into(), Value::Object(by_section));
    document.insert("page_fill".into(), Value::Array(fill));
    document.append(&mut tables(&inspected.file));
    document.insert("warnings".into(), Value::Array(to_json(warnings)));
    Value::Object(document)
}
