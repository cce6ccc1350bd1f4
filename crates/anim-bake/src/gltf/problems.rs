//! Collects every problem of a file, with a limit, and puts them in file order.

use crate::diagnostics::{Diagnostic, Severity};
use crate::ids;

/// Problems that are listed; the rest is counted. More than this helps nobody, and a hostile file could name millions.
const LISTED_MAX: usize = 1000;

/// An error about this has been recorded: go on with something else.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

/// The problems so far.
#[derive(Debug, Default)]
pub(super) struct Problems {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    errors_unlisted: usize,
    warnings_unlisted: usize,
    /// Name of the clip that is being read.
    pub(super) clip: Option<String>,
    /// Name of the node that is being read.
    pub(super) bone: Option<String>,
}

impl Problems {
    /// Records a problem, with the clip and node that are being read.
    pub(super) fn push(&mut self, mut problem: Diagnostic) -> Reported {
        problem.clip = problem.clip.or_else(|| self.clip.clone());
        problem.bone = problem.bone.or_else(|| self.bone.clone());
        if problem.help.is_empty() {
            problem.help = advice(problem.severity).into();
        }
        let (list, unlisted) = match problem.severity {
            Severity::Error => (&mut self.errors, &mut self.errors_unlisted),
            Severity::Warning => (&mut self.warnings, &mut self.warnings_unlisted),
        };
        if list.len() < LISTED_MAX {
            list.push(problem);
        } else {
            *unlisted += 1;
        }
        Reported
    }

    /// Records an error; short for the common case.
    pub(super) fn error(
        &mut self,
        id: &'static str,
        path: impl Into<String>,
        what: impl Into<String>,
    ) -> Reported {
        self.push(Diagnostic::error(id, path, what))
    }

    /// Records a warning; short for the common case.
    pub(super) fn warning(&mut self, id: &'static str, path: impl Into<String>, what: impl Into<String>) {
        self.push(Diagnostic::warning(id, path, what));
    }

    /// Whether a further error would be listed; if not, it is counted here, without the cost of describing it.
    pub(super) fn room(&mut self) -> Result<(), Reported> {
        if self.errors.len() < LISTED_MAX {
            return Ok(());
        }
        self.errors_unlisted += 1;
        Err(Reported)
    }

    /// An error was recorded.
    pub(super) fn any_error(&self) -> bool {
        !self.errors.is_empty()
    }

    /// All of them in file order, and whether there is an error among them.
    pub(super) fn finish(mut self) -> (Vec<Diagnostic>, bool) {
        let failed = self.any_error();
        self.errors.append(&mut self.warnings);
        self.errors.sort_by_key(|problem| place(&problem.path));
        for (unlisted, word) in [(self.errors_unlisted, "errors"), (self.warnings_unlisted, "warnings")] {
            if unlisted > 0 {
                let what = format!("{unlisted} more {word} are not listed");
                let problem = if word == "errors" {
                    Diagnostic::error(ids::TOO_MANY_PROBLEMS, "", what)
                } else {
                    Diagnostic::warning(ids::TOO_MANY_PROBLEMS, "", what)
                };
                let listed = problem.expected_found(format!("at most {LISTED_MAX}"), LISTED_MAX + unlisted);
                self.errors.push(listed.help("put right what is listed, then look again"));
            }
        }
        (self.errors, failed)
    }
}

/// What to do about a fault of the file about which there is nothing more special to say.
fn advice(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "put it right in the program that made the file, and export it again",
        Severity::Warning => "the model is baked as said here; export it anew if that is not what was meant",
    }
}

/// Where a path lies in the order in which a file is read: its table, then its numbers.
fn place(path: &str) -> (usize, Vec<u64>) {
    const TABLES: [&str; 16] = [
        "",
        "asset",
        "extensionsUsed",
        "extensionsRequired",
        "scene",
        "scenes",
        "nodes",
        "skins",
        "meshes",
        "materials",
        "textures",
        "samplers",
        "images",
        "animations",
        "accessors",
        "bufferViews",
    ];
    let table = path.split(['[', '.']).next().unwrap_or("");
    let rank = TABLES.iter().position(|name| *name == table).unwrap_or(TABLES.len());
    let numbers = path.split(['[', ']']).filter_map(|piece| piece.parse().ok()).collect();
    (rank, numbers)
}
