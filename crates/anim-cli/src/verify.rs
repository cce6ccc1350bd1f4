//! `anim verify`: is a file whole, up to date, and as exact as it says or as it has to be?

use std::path::Path;

use anim_bake::ErrorLimit;
use anim_bake::measure::measure;
use anim_format::AnimFile;
use anim_format::model::{Accuracy, HashOf};
use serde_json::{Value, json};

use crate::args::VerifyArgs;
use crate::console::Console;
use crate::diagnostics::{Exit, Failure, Problem, to_json};
use crate::input::{Input, Kind};
use crate::inspect::accuracy_text;
use crate::report::{Curves, Output, Page};
use crate::tables;
use crate::text::{heading, length, percent, printable};

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Ok,
    Failed,
    Skipped,
}

impl Outcome {
    const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// One check.
#[derive(Clone, Debug)]
struct Check {
    id: &'static str,
    outcome: Outcome,
    /// What was checked, or what was found.
    detail: String,
}

/// All checks of a file, and what they found.
#[derive(Debug, Default)]
struct Report {
    checks: Vec<Check>,
    problems: Vec<Problem>,
    /// By page set.
    stated: Option<Vec<Accuracy>>,
    measured: Option<Vec<Accuracy>>,
    /// For a page with plots.
    curves: Option<Curves>,
    accuracy_text: String,
    /// Long tables are shown whole.
    whole: bool,
}

/// Runs `anim verify`.
pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<Exit, Failure> {
    let inputs: Vec<&Path> =
        [Some(&args.file), args.source.as_ref()].into_iter().flatten().map(|p| &**p).collect();
    let html = args.html.as_deref().map(|path| Output::new(path, args.force, &inputs)).transpose()?;
    let input = Input::read(&args.file)?;
    if input.kind != Kind::Animtex {
        return Err(Problem::error("input-not-animtex", input.name(), "this is no .animtex file")
            .expected_found("a file that starts with ANTX", "another file")
            .help("give the bake, and the model with --source")
            .into());
    }
    let mut report = Report { whole: console.verbose, ..Report::default() };
    match input.animtex() {
        Ok(file) => {
            report.ok("structure", "header, section table, tables, and every reference between them");
            report.check_checksums(&input);
            report.check_accuracy(args, &input, &file, *console)?;
            if let Some(html) = html {
                html.write(&report.page(&input, &file), *console)?;
            }
        }
        Err(failure) => {
            report.failed("structure", failure.problems);
            if html.is_some() {
                console.hint("no page is written: the file cannot be read");
            }
        }
    }
    report.print(args, &input, *console)?;
    let passed = report.checks.iter().all(|check| check.outcome != Outcome::Failed);
    Ok(if passed { Exit::Done } else { Exit::CheckFailed })
}

impl Report {
    fn ok(&mut self, id: &'static str, detail: impl Into<String>) {
        self.checks.push(Check { id, outcome: Outcome::Ok, detail: detail.into() });
    }

    fn skipped(&mut self, id: &'static str, why: impl Into<String>) {
        self.checks.push(Check { id, outcome: Outcome::Skipped, detail: why.into() });
    }

    fn failed(&mut self, id: &'static str, problems: Vec<Problem>) {
        let mut detail = problems.first().map(|problem| problem.what().to_owned()).unwrap_or_default();
        if problems.len() > 1 {
            detail.push_str(&format!(" (and {} more)", problems.len() - 1));
        }
        self.checks.push(Check { id, outcome: Outcome::Failed, detail });
        self.problems.extend(problems);
    }

    fn check_checksums(&mut self, input: &Input) {
        match anim_format::check_all_crcs(&input.bytes) {
            Ok(()) => self.ok("checksums", "every section, pages and geometry too"),
            Err(error) => self.failed("checksums", vec![Problem::of_format(&input.path, &error)]),
        }
    }

    fn check_accuracy(
        &mut self,
        args: &VerifyArgs,
        input: &Input,
        file: &AnimFile<'_>,
        console: Console,
    ) -> Result<(), Failure> {
        let stated = file.metadata.as_ref().map(|metadata| metadata.accuracy.clone());
        self.stated = stated.filter(|reports| !reports.is_empty());
        if let Some(source) = &args.source {
            let source = Input::read(source)?;
            match source.gltf(scene_of(file)) {
                Ok(import) => {
                    self.check_source(input, file, &source, &import, args.exhaustive);
                    if let (Some(_), Some(measured)) = (&args.html, &self.measured) {
                        self.curves = Some(Curves::measure(&source, &import.asset, file, measured, console)?);
                    }
                }
                Err(failure) => self.source_is_broken(input, &source, failure),
            }
        }
        if let Some(reports) = self.measured.as_ref().or(self.stated.as_ref()) {
            self.accuracy_text = accuracy_text(file, reports, self.whole);
        }
        if let Some(limit) = args.max_error {
            self.check_max_error(input, limit, args.source.is_some());
        }
        Ok(())
    }

    /// The file was baked from a source that could be read: one that cannot is not the same any more.
    fn source_is_broken(&mut self, input: &Input, source: &Input, failure: Failure) {
        let what = format!("stale: {} can no longer be imported", source.name());
        let mut problems = vec![
            Problem::error("stale", input.name(), what)
                .expected_found("the model that the file was baked from", "the problems below")
                .help("mend the model and bake it again, or give the one that the file was baked from"),
        ];
        problems.extend(failure.problems);
        self.failed("up-to-date", problems);
        self.skipped("accuracy", "the source cannot be imported");
    }

    fn check_source(
        &mut self,
        input: &Input,
        file: &AnimFile<'_>,
        source: &Input,
        import: &anim_bake::gltf::Import,
        exhaustive: bool,
    ) {
        let stored = file.hashes.iter().find(|hash| hash.of == HashOf::Source);
        match stored {
            Some(stored) if stored.sha256 != import.source_sha256 => {
                let what = format!("stale: {} is not the model that the file was baked from", source.name());
                let problem = Problem::error("stale", input.name(), what)
                    .expected_found(
                        format!("SHA-256 {}", tables::hex(&stored.sha256)),
                        format!("SHA-256 {}", tables::hex(&import.source_sha256)),
                    )
                    .help("bake the model again");
                self.failed("up-to-date", vec![problem]);
                self.skipped("accuracy", "the source is another one");
                return;
            }
            Some(_) => self.ok("up-to-date", format!("made from {}, as it is now", source.name())),
            None => self.skipped("up-to-date", "the file does not say what it was made from"),
        }
        match measure(&import.asset, file, exhaustive) {
            Ok(measured) => {
                self.check_as_stated(input, &measured);
                self.measured = Some(measured);
            }
            Err(error) => self.failed("accuracy", Failure::of_bake(&source.path, &error).problems),
        }
    }

    /// What was measured may not be worse than what the file states.
    fn check_as_stated(&mut self, input: &Input, measured: &[Accuracy]) {
        /// Share by which the same measurement may differ: rounding, on another machine.
        const SLACK: f64 = 1e-3;
        /// Share by which every vertex at every sixteenth may be worse than the sample that the file states: the sample
        /// is refined where it is worst, not everywhere.
        const SLACK_OF_SAMPLE: f64 = 0.05;
        let Some(stated) = self.stated.as_ref() else {
            return self.skipped("accuracy", "the file states none");
        };
        if measured.iter().all(|measured| measured.playback.samples == 0) {
            return self.skipped("accuracy", "there is no vertex to measure");
        }
        let mut details = Vec::new();
        let mut problems = Vec::new();
        for (measured, stated) in measured.iter().zip(stated) {
            let slack = if measured.exhaustive == stated.exhaustive { SLACK } else { SLACK_OF_SAMPLE };
            let (found, promised) = (measured.playback.max_metres, stated.playback.max_metres);
            if found <= promised * (1.0 + slack) + measured.model_size_metres * 1e-7 {
                details.push(format!("{}, as stated: {}", length(found), length(promised)));
                continue;
            }
            let what = "playback is less exact than the file states";
            let problem = Problem::error("less-exact-than-stated", input.name(), what)
                .expected_found(format!("at most {}", length(promised)), length(found))
                .help("bake the model again");
            problems.push(problem);
        }
        if problems.is_empty() {
            return self.ok("accuracy", format!("playback error at most {}", details.join("; ")));
        }
        self.failed("accuracy", problems);
    }

    fn check_max_error(&mut self, input: &Input, limit: ErrorLimit, has_source: bool) {
        let reports = self.measured.as_ref().or(self.stated.as_ref());
        // The worst page set counts: a player may take any.
        let worst = reports.and_then(|reports| {
            reports.iter().max_by(|a, b| a.playback.max_metres.total_cmp(&b.playback.max_metres))
        });
        let Some(accuracy) = worst else {
            if has_source {
                return self.skipped("max-error", "nothing was measured");
            }
            let problem = Problem::error("accuracy-unknown", input.name(), "the file states no accuracy")
                .help("measure it: give the model with --source");
            return self.failed("max-error", vec![problem]);
        };
        if accuracy.playback.samples == 0 {
            return self.skipped("max-error", "there is no vertex to measure");
        }
        let size = accuracy.model_size_metres;
        let with_share = |metres: f64| match size > 0.0 {
            true => format!("{} ({} of model size)", length(metres), percent(metres / size)),
            false => length(metres),
        };
        let (found, limit) = (accuracy.playback.max_metres, limit.metres(size));
        let how = if self.measured.is_some() { "measured" } else { "stated" };
        if found <= limit {
            return self.ok("max-error", format!("{how} {}, limit {}", with_share(found), with_share(limit)));
        }
        let what = format!("the {how} playback error is too large");
        let problem = Problem::error("error-too-large", input.name(), what)
            .expected_found(format!("at most {}", with_share(limit)), with_share(found))
            .help("bake with a higher --rate, or with --encoding local8 or affine32");
        self.failed("max-error", vec![problem]);
    }

    fn page<'r>(&'r self, input: &Input, file: &'r AnimFile<'r>) -> Page<'r> {
        Page {
            name: input.name(),
            length_bytes: input.bytes.len() as u64,
            file,
            accuracy: self.measured.as_ref().or(self.stated.as_ref()).map_or(&[][..], Vec::as_slice),
            measured: self.measured.is_some(),
            checks: self
                .checks
                .iter()
                .map(|Check { id, outcome, detail }| (outcome.word(), *id, detail.clone()))
                .collect(),
            curves: self.curves.as_ref(),
        }
    }

    fn print(&self, args: &VerifyArgs, input: &Input, console: Console) -> Result<(), Failure> {
        if console.json {
            console.json(&self.document(args, input))?;
        } else {
            console.report(&self.text(input, console.quiet))?;
        }
        console.problems(&self.problems);
        Ok(())
    }

    fn text(&self, input: &Input, quiet: bool) -> String {
        let mut text = String::new();
        if !quiet {
            text.push_str(&heading(&printable(&input.name())));
        }
        for Check { id, outcome, detail } in &self.checks {
            let word = match outcome {
                Outcome::Ok => "ok",
                Outcome::Failed => "FAILED",
                Outcome::Skipped => "skipped",
            };
            if !quiet || *outcome == Outcome::Failed {
                text.push_str(&format!("  {word:<8} {id:<11} {}\n", printable(detail)));
            }
        }
        if !quiet && !self.accuracy_text.is_empty() {
            let title = if self.measured.is_some() { "Accuracy, measured" } else { "Accuracy, as stated" };
            text.push('\n');
            text.push_str(&heading(title));
            text.push_str(&self.accuracy_text);
        }
        text
    }

    fn document(&self, args: &VerifyArgs, input: &Input) -> Value {
        let checks: Vec<Value> = self
            .checks
            .iter()
            .map(|check| json!({ "id": check.id, "result": check.outcome.word(), "detail": check.detail }))
            .collect();
        json!({
            "schema": "anim-verify/2",
            "file": input.name(),
            "source": args.source.as_ref().map(|source| source.display().to_string()),
            "passed": self.checks.iter().all(|check| check.outcome != Outcome::Failed),
            "checks": checks,
            "stated": self.stated.as_deref().map(reports),
            "measured": self.measured.as_deref().map(reports),
            "errors": to_json(&self.problems),
        })
    }
}

/// Accuracy reports, one a page set.
fn reports(reports: &[Accuracy]) -> Value {
    reports.iter().map(tables::accuracy).collect()
}

/// The scene that a file was baked from, if it was chosen.
fn scene_of<'f>(file: &'f AnimFile<'_>) -> Option<&'f str> {
    let settings = &file.metadata.as_ref()?.settings;
    let (_, scene) = settings.iter().find(|(name, _)| name == "scene")?;
    (!scene.is_empty()).then_some(scene)
}
