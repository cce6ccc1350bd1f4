//! `anim bench`: what crowds cost on this machine, next to other ways to draw them in the same run.

mod cases;
mod crowd_case;
mod measure;
mod page_bytes;
mod pipeline;
mod ratios;
mod report;
mod rig;
mod rig_local;
mod rivals;
mod row;
mod stage;
mod subject;
#[cfg(test)]
mod tests;

use std::time::Duration;

use anim_format::AnimFile;
use anim_format::model::Encoding;
use indicatif::ProgressBar;

use crate::args::{BenchArgs, CaseArg, EncodingArg, LimitsArg};
use crate::console::Console;
use crate::diagnostics::{Exit, Failure, Problem};
use crate::gpu::target::OffScreen;
use crate::gpu::{Gpu, LimitsWish};
use crate::input::Input;
use crate::output::{Replace, check_file, write_file};
use cases::{GROUPS, make, palette_bytes};
use measure::{Frames, measure};
use ratios::ratios;
use report::Report;
use row::{CSV_HEADER, Row};
use stage::{BenchModel, HEIGHT, Stage, Triangles, WIDTH};
use subject::Subject;

/// Bytes of palettes above which a case is not tried on a software adapter, whose memory is the machine's.
const SOFTWARE_BYTES_MAX: u64 = 2 << 30;

/// Runs `anim bench`.
pub(crate) fn run(args: &BenchArgs, console: &Console) -> Result<Exit, Failure> {
    let replace = Replace { magic: b"path,case,", what: "a CSV file of this program", force: args.force };
    if let Some(csv) = &args.csv {
        check_file(csv, replace)?;
    }
    let input = args.file.as_deref().map(Input::read).transpose()?;
    let (file, model_name) = match &input {
        Some(input) => {
            let playable = input.playable()?;
            console.problems(&playable.warnings);
            (playable.file, input.file_name())
        }
        None => (synthetic(args.encoding), "a synthetic tube".to_owned()),
    };
    let (wish, limits) = match args.limits {
        LimitsArg::Adapter => (LimitsWish::Adapter, "the adapter's"),
        LimitsArg::Default => (LimitsWish::Default, "WebGPU's defaults"),
    };
    let gpu = Gpu::open(args.adapter.as_deref(), wish)?;
    let model = model_of(&file, &model_name)?;
    let mut notes = Vec::new();
    let counts = counts(args, &gpu, &mut notes);
    let measured = args.frames.unwrap_or(if gpu.is_software() { 5 } else { 60 });
    let frames = Frames {
        measured,
        warm_up: (measured / 4).clamp(1, 10),
        budget: Duration::from_secs(u64::from(args.seconds)),
    };
    // After every few rows: a run may take long, and what it has found is not lost if it is ended.
    let keep = |rows: &[Row]| -> Result<(), Failure> {
        if let Some(csv) = &args.csv {
            let lines: String = rows.iter().map(Row::to_csv).collect();
            write_file(csv, (CSV_HEADER.to_owned() + &lines).as_bytes(), replace)?;
        }
        Ok(())
    };
    let rows = measure_all(&gpu, &model, &counts, args, frames, console, &keep)?;
    let report =
        Report { gpu: &gpu, model: &model, model_name, limits, frames, ratios: ratios(&rows), rows, notes };
    if console.json {
        console.json(&report.to_json())?;
    } else {
        console.report(&report.to_text())?;
    }
    Ok(Exit::Done)
}

fn synthetic(encoding: EncodingArg) -> AnimFile<'static> {
    let with_local = |encoding| rig_local::with_local_tracks(rig::rig(Encoding::Affine32), encoding);
    match encoding {
        EncodingArg::Affine32 => rig::rig(Encoding::Affine32),
        EncodingArg::Affine16 => rig::rig(Encoding::Affine16),
        EncodingArg::Local8 => with_local(Encoding::Local8),
        EncodingArg::Local32 => with_local(Encoding::Local32),
    }
}

fn model_of<'f>(file: &'f AnimFile<'f>, name: &str) -> Result<BenchModel<'f>, Failure> {
    BenchModel::new(file).map_err(|what| {
        Problem::error("bench-without-model", name, what)
            .help("give a file with a mesh of triangles and at least one clip, or none")
            .into()
    })
}

fn counts(args: &BenchArgs, gpu: &Gpu, notes: &mut Vec<String>) -> Vec<u32> {
    if !args.instances.is_empty() {
        let mut seen = std::collections::BTreeSet::new();
        return args.instances.iter().copied().filter(|count| seen.insert(*count)).collect();
    }
    if gpu.is_software() {
        notes.push(
            "this adapter is software: few instances and frames; more with --instances and --frames".into(),
        );
        return vec![100, 1_000];
    }
    vec![1_000, 10_000, 100_000, 1_000_000]
}

fn measure_all(
    gpu: &Gpu,
    model: &BenchModel<'_>,
    counts: &[u32],
    args: &BenchArgs,
    frames: Frames,
    console: &Console,
    keep: &dyn Fn(&[Row]) -> Result<(), Failure>,
) -> Result<Vec<Row>, Failure> {
    let target = OffScreen::new(&gpu.device, (WIDTH, HEIGHT), 1);
    // Rows beside local tracks are asked for, or are there.
    let has_both = model.file.page_sets.len() > 1;
    let is_wanted = |case: &CaseArg| match args.only.is_empty() {
        true => has_both || !matches!(case, CaseArg::Rows | CaseArg::RowsFading | CaseArg::RowsThreeLayers),
        false => args.only.contains(case),
    };
    let groups: Vec<Vec<CaseArg>> = GROUPS
        .iter()
        .map(|group| group.iter().copied().filter(is_wanted).collect())
        .filter(|group: &Vec<CaseArg>| !group.is_empty())
        .collect();
    let steps = u64::from(frames.measured + frames.warm_up) * (groups.len() * counts.len()) as u64;
    let progress = console.progress(steps, "{bar:30} {percent} %, {elapsed}, {msg}");
    let mut rows = Vec::new();
    for count in counts {
        let stage = Stage::new(gpu, model, &target, *count);
        for group in &groups {
            progress.set_message(format!("{count} instances, {}", cases::case_name(group[0])));
            rows.extend(measure_group(&stage, group, frames, &progress));
            keep(&rows)?;
        }
    }
    progress.finish_and_clear();
    Ok(rows)
}

fn measure_group(stage: &Stage<'_>, group: &[CaseArg], frames: Frames, progress: &ProgressBar) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
    let mut cases = Vec::new();
    for case in group {
        match make_checked(stage, *case) {
            Ok(subject) => {
                subjects.push(subject);
                cases.push(*case);
            }
            Err(reason) => rows.extend(
                [Triangles::Visible, Triangles::Culled]
                    .map(|triangles| Row::skipped(*case, stage.count, triangles, reason.clone())),
            ),
        }
    }
    if subjects.is_empty() {
        progress.inc(u64::from(frames.measured + frames.warm_up));
        return rows;
    }
    for run in measure(stage, &mut subjects, frames, progress) {
        let subject = &subjects[run.subject];
        let bytes = (subject.vertex_bytes(), subject.memory_bytes());
        rows.push(Row::of_run(cases[run.subject], run, stage.count, stage.model.mesh.vertex_count, bytes));
    }
    rows
}

/// A case, if the device has the memory for it.
fn make_checked(stage: &Stage<'_>, case: CaseArg) -> Result<Box<dyn Subject>, String> {
    let needed = palette_bytes(stage, case);
    if stage.gpu.is_software() && needed > SOFTWARE_BYTES_MAX {
        return Err(format!("its palettes need {needed} bytes, too many for a software adapter"));
    }
    let subject = make(stage, case)?;
    match stage.gpu.take_error() {
        Some(error) => Err(error),
        None => Ok(subject),
    }
}
