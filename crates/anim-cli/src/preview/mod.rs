//! `anim preview`: contact sheets, drawn on the CPU through the CPU twin of the shaders.

mod camera;
mod label;
mod raster;
mod scene;
mod sheet;
mod texture;

use std::io::Cursor;

use serde_json::json;

use crate::args::PreviewArgs;
use crate::console::Console;
use crate::diagnostics::{Exit, Failure, Problem, to_json};
use crate::input::{Input, Kind, choose_clip};
use crate::output::{Replace, check_file, write_file};
use crate::text::{count, printable};
use sheet::{SheetOptions, contact_sheet};

/// Pixels of the largest sheet.
const PIXELS_MAX: u64 = 200_000_000;

/// Runs `anim preview`.
pub(crate) fn run(args: &PreviewArgs, console: &Console) -> Result<Exit, Failure> {
    let replace = Replace { magic: b"\x89PNG\r\n\x1a\n", what: "a PNG file", force: args.force };
    check_file(&args.output, replace)?;
    let input = Input::read(&args.file)?;
    let playable = input.playable()?;
    let mut warnings = playable.warnings;
    let file = &playable.file;

    let names: Vec<Option<&str>> = file.clips.iter().map(|clip| Some(&*clip.name)).collect();
    let mut clips = Vec::new();
    for wanted in &args.clip {
        clips.push(choose_clip(&input.name(), &names, Some(wanted))?.0);
    }
    let options = SheetOptions { clips, frames: args.frames, cell: args.cell };
    check_size(&options, file.clips.len())?;
    let sheet = contact_sheet(file, &title(&input, file), &options);

    let mut png = Cursor::new(Vec::new());
    sheet.image.write_to(&mut png, image::ImageFormat::Png).map_err(|error| {
        Problem::error("png-not-encodable", args.output.display().to_string(), error.to_string())
    })?;
    write_file(&args.output, png.get_ref(), replace)?;

    warnings.extend(sheet.notes.iter().map(|note| Problem::warning("preview-note", input.name(), note)));
    if !scene::has_vertices(file) {
        let what = "there is no mesh: the bones are drawn";
        warnings.push(Problem::warning("preview-without-mesh", input.name(), what));
    }
    console.problems(&warnings);
    let (width, height) = sheet.image.dimensions();
    if console.json {
        let clips: Vec<_> = sheet
            .rows
            .iter()
            .map(|row| {
                let name = row.clip.and_then(|clip| names[clip]);
                json!({ "index": row.clip, "name": name, "times_seconds": row.times_seconds })
            })
            .collect();
        console.json(&json!({
            "schema": "anim-preview/1",
            "file": input.name(),
            "input": match input.kind { Kind::Gltf => "gltf", Kind::Animtex => "animtex" },
            "output": args.output.display().to_string(),
            "width": width,
            "height": height,
            "clips": clips,
            "warnings": to_json(&warnings),
        }))?;
    } else if !console.quiet {
        let poses: usize = sheet.rows.iter().map(|row| row.times_seconds.len()).sum();
        console.report(&format!(
            "{}: {}, {}, {width} x {height} pixels\n",
            printable(&args.output.display().to_string()),
            count(sheet.rows.len(), "clip"),
            count(poses, "pose"),
        ))?;
    }
    Ok(Exit::Done)
}

fn title(input: &Input, file: &anim_format::AnimFile<'_>) -> String {
    let vertices: u32 = file.parts.iter().map(|part| part.vertex_count).sum();
    format!(
        "{}   {}, {}, {vertices} vertices",
        input.file_name(),
        count(file.clips.len(), "clip"),
        count(file.bones.len(), "bone")
    )
}

fn check_size(options: &SheetOptions, clips_in_file: usize) -> Result<(), Failure> {
    let clips = if options.clips.is_empty() { clips_in_file } else { options.clips.len() } as u64;
    let (frames, cell) = (u64::from(options.frames.unwrap_or(6)), u64::from(options.cell.unwrap_or(192)));
    let pixels = clips * frames * cell * cell;
    if (options.frames.is_some() || options.cell.is_some()) && pixels > PIXELS_MAX {
        return Err(Failure::usage(
            Problem::error("preview-too-large", "", "the sheet would be too large")
                .expected_found(format!("at most {PIXELS_MAX} pixels"), pixels.to_string())
                .help("choose fewer clips with --clip, or smaller --frames or --cell"),
        ));
    }
    Ok(())
}
