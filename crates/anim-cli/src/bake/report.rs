//! What `anim bake` says: one table, what to know, what to do next.

use serde_json::{Value, json};

use super::{Figures, Outcome};
use crate::console::Console;
use crate::diagnostics::{Failure, Problem, to_json};
use crate::text::{Rows, bytes, digits, length, percent};

/// Prints the report.
pub(super) fn print(outcomes: &[Outcome], console: Console) -> Result<(), Failure> {
    let problems: Vec<Problem> = outcomes.iter().flat_map(|outcome| outcome.problems.clone()).collect();
    console.problems(&problems);
    if console.json {
        let (failed, baked): (Vec<&Outcome>, Vec<&Outcome>) =
            outcomes.iter().partition(|outcome| outcome.figures.is_none());
        let models: Vec<Value> = baked.iter().filter_map(|outcome| model(outcome)).collect();
        let errors: Vec<Value> = failed.iter().flat_map(|outcome| to_json(&outcome.problems)).collect();
        return console.json(&json!({ "schema": "anim-bake/1", "models": models, "errors": errors }));
    }
    if console.quiet {
        return Ok(());
    }
    let mut text = table(outcomes);
    for outcome in outcomes {
        let name = outcome.job.output.display().to_string();
        text.push_str(&super::rates::table(&name, &outcome.rates, console.verbose));
    }
    let failed = outcomes.iter().filter(|outcome| outcome.figures.is_none()).count();
    if failed > 0 && outcomes.len() > 1 {
        text.push_str(&format!("\n{failed} of {} models failed: see the errors above\n", outcomes.len()));
    }
    console.report(&text)?;
    if let Some(first) = outcomes.iter().find(|outcome| outcome.figures.is_some()) {
        let output = first.job.output.display().to_string();
        let picture = first.job.output.with_extension("png");
        console.hint(&format!(
            "\nNext: look at it   anim preview {} -o {}\n      what it holds anim inspect {}",
            shell(&output),
            shell(&picture.display().to_string()),
            shell(&output),
        ));
    }
    Ok(())
}

fn table(outcomes: &[Outcome]) -> String {
    let columns =
        ["file", "bones", "clips", "frames", "pages", "size", "largest error", "of model size", "ms"];
    let mut rows = Rows::new(&columns, true, 0);
    let mut any = false;
    for outcome in outcomes {
        let Some(figures) = &outcome.figures else { continue };
        any = true;
        let (error, share) = if figures.measured {
            (length(figures.playback_max_metres), percent(share_of(figures, figures.playback_max_metres)))
        } else {
            ("not measured".into(), "-".into())
        };
        rows.add([
            outcome.job.output.display().to_string(),
            figures.bones.to_string(),
            figures.clips.to_string(),
            figures.frames.to_string(),
            figures.pages.to_string(),
            bytes(figures.bytes),
            error,
            share,
            digits(figures.milliseconds),
        ]);
    }
    if any { rows.to_text() } else { String::new() }
}

fn model(outcome: &Outcome) -> Option<Value> {
    let figures = outcome.figures.as_ref()?;
    let error = |metres: f64| {
        figures.measured.then(|| json!({ "metres": metres, "of_model_size": share_of(figures, metres) }))
    };
    Some(json!({
        "model": outcome.job.model.display().to_string(),
        "output": outcome.job.output.display().to_string(),
        "bones": figures.bones,
        "clips": figures.clips,
        "frames": figures.frames,
        "pages": figures.pages,
        "bytes": figures.bytes,
        "model_size_metres": figures.model_size_metres,
        "largest_playback_error": error(figures.playback_max_metres),
        "largest_total_error": error(figures.total_max_metres),
        "rates": outcome.rates.iter().map(super::rates::ClipRate::to_json).collect::<Vec<_>>(),
        "milliseconds": figures.milliseconds,
        "warnings": to_json(&outcome.problems),
    }))
}

fn share_of(figures: &Figures, metres: f64) -> f64 {
    if figures.model_size_metres > 0.0 { metres / figures.model_size_metres } else { 0.0 }
}

/// A path as it can be pasted into a shell.
fn shell(path: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/+:\\".contains(c);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}
