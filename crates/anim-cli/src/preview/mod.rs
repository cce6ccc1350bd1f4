//! `anim preview`: contact sheets, drawn on the CPU through the CPU twin of the shaders, or on the GPU; and crowds.

mod camera;
#[cfg(feature = "gpu")]
mod gpu;
mod label;
mod raster;
mod scene;
mod sheet;
mod texture;

use std::io::Cursor;

use anim_format::AnimFile;
use anim_format::playback::has_palette;
use image::RgbImage;
use serde_json::{Value, json};

use crate::args::PreviewArgs;
use crate::console::Console;
use crate::diagnostics::{Exit, Failure, Problem, to_json};
use crate::input::{ClipChoice, Input, Kind, choose_clip};
use crate::output::{Replace, check_file, write_file};
use crate::text::{count, printable};
use sheet::{Cell, Drawn, SheetOptions, SheetPlan, SheetRow};

/// Pixels of the largest sheet.
const PIXELS_MAX: u64 = 200_000_000;

/// A picture, and what the report says about it.
struct Preview {
    image: RgbImage,
    /// The clips that were drawn.
    rows: Vec<SheetRow>,
    notes: Vec<String>,
    /// What is in the picture, in words.
    what: String,
}

/// Runs `anim preview`.
pub(crate) fn run(args: &PreviewArgs, console: &Console) -> Result<Exit, Failure> {
    let replace = Replace { magic: b"\x89PNG\r\n\x1a\n", what: "a PNG file", force: args.force };
    check_file(&args.output, replace)?;
    let input = Input::read(&args.file)?;
    let playable = input.playable()?;
    let mut warnings = playable.warnings;
    let file = &playable.file;

    let names: Vec<Option<&str>> = file.clips.iter().map(|clip| Some(&*clip.name)).collect();
    if let Some(clip) = file.clips.iter().find(|clip| !has_palette(file, clip)) {
        let what = format!("clip {:?} holds vertices only, which previews do not show yet", clip.name);
        let help = "bake local tracks or rows beside them, or look at numbers with `anim pose`";
        return Err(Problem::error("preview-of-vertices", input.name(), what).help(help).into());
    }
    let mut clips = Vec::new();
    for wanted in &args.clip {
        clips.push(choose_clip(&input.name(), &names, Some(wanted))?.0);
    }
    let (preview, drawn_by) = match args.crowd {
        Some(instances) => draw_crowd(args, &input, file, &clips, instances)?,
        None => draw_sheet(args, &input, file, clips)?,
    };

    let mut png = Cursor::new(Vec::new());
    preview.image.write_to(&mut png, image::ImageFormat::Png).map_err(|error| {
        Problem::error("png-not-encodable", args.output.display().to_string(), error.to_string())
    })?;
    write_file(&args.output, png.get_ref(), replace)?;

    warnings.extend(preview.notes.iter().map(|note| Problem::warning("preview-note", input.name(), note)));
    if !scene::has_vertices(file) {
        let what = "there is no mesh: the bones are drawn";
        warnings.push(Problem::warning("preview-without-mesh", input.name(), what));
    }
    console.problems(&warnings);
    let (width, height) = preview.image.dimensions();
    if console.json {
        let clips: Vec<_> = preview
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
            "drawn_by": drawn_by,
            "instances": args.crowd,
            "clips": clips,
            "warnings": to_json(&warnings),
        }))?;
    } else if !console.quiet {
        console.report(&format!(
            "{}: {}, {width} x {height} pixels\n",
            printable(&args.output.display().to_string()),
            preview.what,
        ))?;
    }
    Ok(Exit::Done)
}

/// A contact sheet, and what drew it: the CPU, or the name of the GPU.
fn draw_sheet(
    args: &PreviewArgs,
    input: &Input,
    file: &AnimFile<'_>,
    clips: Vec<ClipChoice>,
) -> Result<(Preview, Value), Failure> {
    let options = SheetOptions { clips, frames: args.frames, cell: args.cell };
    check_size(&options, file.clips.len())?;
    let plan = SheetPlan::new(file, &options);
    let cells = plan.cells(file);
    let (drawn, drawn_by) = if args.gpu {
        draw_cells_on_gpu(args, input, file, &cells)?
    } else {
        (sheet::draw_on_cpu(file, &cells), "cpu".into())
    };
    let sheet = plan.sheet(file, &title(input, file), drawn);
    let poses: usize = sheet.rows.iter().map(|row| row.times_seconds.len()).sum();
    let what = format!("{}, {}", count(sheet.rows.len(), "clip"), count(poses, "pose"));
    Ok((Preview { image: sheet.image, rows: sheet.rows, notes: sheet.notes, what }, drawn_by))
}

#[cfg(feature = "gpu")]
fn draw_cells_on_gpu(
    args: &PreviewArgs,
    input: &Input,
    file: &AnimFile<'_>,
    cells: &[Cell],
) -> Result<(Drawn, Value), Failure> {
    let gpu = crate::gpu::Gpu::open(args.adapter.as_deref(), crate::gpu::LimitsWish::Adapter)?;
    let drawn = gpu::draw_cells(&gpu, &input.name(), file, cells)?;
    Ok((drawn, crate::gpu::describe(&gpu.info).into()))
}

#[cfg(feature = "gpu")]
fn draw_crowd(
    args: &PreviewArgs,
    input: &Input,
    file: &AnimFile<'_>,
    clips: &[ClipChoice],
    instances: u32,
) -> Result<(Preview, Value), Failure> {
    let chosen = clips.iter().map(|clip| match clip {
        ClipChoice::Clip(number) => Ok(u32::try_from(*number).unwrap_or(u32::MAX)),
        ClipChoice::Rest => Err(Failure::usage(
            Problem::error(
                "preview-gpu-rest-pose",
                input.name(),
                "a crowd plays clips, and the rest pose is none",
            )
            .help("choose clips, or leave out --clip: then all are played"),
        )),
    });
    let clips: Vec<u32> = chosen.collect::<Result<_, _>>()?;
    let gpu = crate::gpu::Gpu::open(args.adapter.as_deref(), crate::gpu::LimitsWish::Adapter)?;
    let wanted = gpu::CrowdPicture { instances, clips: clips.clone(), size: args.size.0 };
    let (image, notes) = gpu::draw_crowd(&gpu, &input.name(), file, &wanted)?;
    let row = |clip| SheetRow { clip: Some(clip), times_seconds: Vec::new() };
    let rows = if clips.is_empty() {
        (0..file.clips.len()).map(row).collect()
    } else {
        clips.iter().map(|clip| row(*clip as usize)).collect()
    };
    let what = count(instances as usize, "instance");
    Ok((Preview { image, rows, notes, what }, crate::gpu::describe(&gpu.info).into()))
}

#[cfg(not(feature = "gpu"))]
fn draw_cells_on_gpu(
    _: &PreviewArgs,
    _: &Input,
    _: &AnimFile<'_>,
    _: &[Cell],
) -> Result<(Drawn, Value), Failure> {
    Err(crate::without_gpu("anim preview --gpu"))
}

#[cfg(not(feature = "gpu"))]
fn draw_crowd(
    _: &PreviewArgs,
    _: &Input,
    _: &AnimFile<'_>,
    _: &[ClipChoice],
    _: u32,
) -> Result<(Preview, Value), Failure> {
    Err(crate::without_gpu("anim preview --gpu"))
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
