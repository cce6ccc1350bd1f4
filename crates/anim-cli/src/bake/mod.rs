//! `anim bake`: many models in parallel, each written whole or not at all.

mod contents;
mod plan;
mod rates;
mod report;

use std::time::Instant;

use anim_bake::{BakeSettings, ErrorBudget};
use anim_format::Version;
use anim_format::model::{Accuracy, AnimFile, Encoding};
use indicatif::ProgressBar;
use rayon::prelude::*;

use crate::args::{BakeArgs, ImagesArg};
use crate::console::Console;
use crate::diagnostics::{Exit, Failure, Problem};
use crate::input::{Input, Kind};
use crate::output::{Replace, check_file, create_folder, write_file};
use plan::{Job, plan};
use rates::ClipRate;

/// What became of one model.
#[derive(Clone, Debug)]
struct Outcome {
    job: Job,
    /// Warnings and errors.
    problems: Vec<Problem>,
    /// What was written; `None` if the model failed.
    figures: Option<Figures>,
    /// The clips whose rate was searched.
    rates: Vec<ClipRate>,
    exit: Exit,
}

/// What a bake holds, in numbers.
#[derive(Clone, Copy, Debug)]
struct Figures {
    bones: usize,
    clips: usize,
    frames: u64,
    pages: usize,
    bytes: u64,
    model_size_metres: f64,
    playback_max_metres: f64,
    total_max_metres: f64,
    measured: bool,
    milliseconds: f64,
}

/// Runs `anim bake`.
pub(crate) fn run(args: &BakeArgs, console: &Console) -> Result<Exit, Failure> {
    let plan = plan(args)?;
    let settings = settings(args, contents::encodings(args)?);
    let replace = Replace { magic: &anim_format::MAGIC, what: "an .animtex file", force: args.force };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.unwrap_or(0))
        .build()
        .map_err(|error| Problem::error("no-threads", "", format!("threads cannot be started: {error}")))?;
    if let Some(folder) = &plan.folder {
        create_folder(folder)?;
    }
    let models = plan.jobs.len() as u64;
    let progress = match models {
        0 | 1 => ProgressBar::hidden(),
        _ => console.progress(models, "{bar:30} {pos}/{len} models, {elapsed}"),
    };
    let bake = |job: &Job| {
        let outcome = match bake_one(job, &settings, replace) {
            Ok(outcome) => outcome,
            Err(Failure { exit, problems }) => {
                Outcome { job: job.clone(), problems, figures: None, rates: Vec::new(), exit }
            }
        };
        progress.inc(1);
        outcome
    };
    // The order of the report is that of the arguments, whichever model is finished first.
    let outcomes: Vec<Outcome> = pool.install(|| plan.jobs.par_iter().map(bake).collect());
    progress.finish_and_clear();
    report::print(&outcomes, *console)?;
    Ok(outcomes.iter().map(|outcome| outcome.exit).max().unwrap_or(Exit::Done))
}

fn bake_one(job: &Job, settings: &BakeSettings, replace: Replace) -> Result<Outcome, Failure> {
    let start = Instant::now();
    // Before the work, not after it.
    check_file(&job.output, replace)?;
    let input = Input::read(&job.model)?;
    if input.kind == Kind::Animtex {
        return Err(Problem::error("input-is-baked", input.name(), "this is an .animtex file already")
            .expected_found("a .glb or .gltf file", "an .animtex file")
            .help("see what it holds with `anim inspect`")
            .into());
    }
    let baked = input.bake(settings)?;
    let bytes = anim_format::write(&baked.file, Version::V1)
        .map_err(|error| Failure::of_format(&job.output, &error))?;
    write_file(&job.output, &bytes, replace)?;
    Ok(Outcome {
        job: job.clone(),
        problems: baked.warnings.iter().map(|warning| Problem::of_bake(&job.model, warning)).collect(),
        figures: Some(figures(&baked.file, bytes.len() as u64, start)),
        rates: ClipRate::of(&baked.file, &baked.choices),
        exit: Exit::Done,
    })
}

fn figures(file: &AnimFile<'_>, bytes: u64, start: Instant) -> Figures {
    let reports = file.metadata.as_ref().map_or(&[][..], |metadata| &metadata.accuracy);
    let largest = |of: fn(&Accuracy) -> f64| reports.iter().map(of).fold(0.0, f64::max);
    Figures {
        bones: file.bones.len(),
        clips: file.clips.len(),
        frames: file.clips.iter().flat_map(|clip| &clip.tracks).map(|track| u64::from(track.frames)).sum(),
        pages: file.page_sets.iter().map(|set| set.pages.len()).sum(),
        bytes,
        model_size_metres: largest(|report| report.model_size_metres),
        playback_max_metres: largest(|report| report.playback.max_metres),
        total_max_metres: largest(|report| report.total_max_metres),
        measured: reports.iter().any(|report| report.playback.samples > 0),
        milliseconds: start.elapsed().as_secs_f64() * 1e3,
    }
}

fn settings(args: &BakeArgs, encodings: Vec<Encoding>) -> BakeSettings {
    BakeSettings {
        rate_hz: args.rate,
        budget: (args.max_error.is_some() || args.max_normal_error.is_some()).then_some(ErrorBudget {
            max_error: args.max_error,
            max_normal_degrees: args.max_normal_error,
            any_encoding: args.encoding.is_empty(),
        }),
        encodings,
        max_texture_size: args.max_texture_size,
        clips: args.clip.clone(),
        attach: args.attach.clone(),
        masks: args.mask.clone(),
        loop_clips: args.loop_clips.clone(),
        once_clips: args.once.clone(),
        ping_pong_clips: args.ping_pong.clone(),
        max_influences: args.max_influences,
        scene: args.scene.clone(),
        trim: args.trim,
        mesh: !args.no_mesh,
        images: args.images == ImagesArg::Base,
        ..BakeSettings::default()
    }
}
