//! Errors and warnings as the user sees them: one shape, whatever they come from, as text and as JSON.

use std::fmt::Write as _;
use std::path::Path;

use anim_bake::{BakeError, Diagnostic, Severity};
use anim_format::FormatError;
use clap::builder::styling::{AnsiColor, Style};
use serde_json::{Value, json};

use crate::text::printable;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// A check failed.
    CheckFailed = 1,
    /// Wrong usage.
    Usage = 2,
    /// An input or an output could not be used.
    Unusable = 3,
}

/// Why a command could not do its work.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) problems: Vec<Problem>,
}

/// Something that is wrong, or that the user should know.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    id: &'static str,
    severity: Severity,
    file: String,
    path: String,
    clip: Option<String>,
    bone: Option<String>,
    what: String,
    expected: String,
    found: String,
    help: String,
}

impl Problem {
    /// An error about a file (which may be empty).
    pub(crate) fn error(id: &'static str, file: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            id,
            severity: Severity::Error,
            file: file.into(),
            path: String::new(),
            clip: None,
            bone: None,
            what: what.into(),
            expected: String::new(),
            found: String::new(),
            help: String::new(),
        }
    }

    /// A warning about a file.
    pub(crate) fn warning(id: &'static str, file: impl Into<String>, what: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(id, file, what) }
    }

    /// A diagnostic of the baker.
    pub(crate) fn of_bake(file: &Path, diagnostic: &Diagnostic) -> Self {
        Self {
            id: diagnostic.id,
            severity: diagnostic.severity,
            file: file.display().to_string(),
            path: diagnostic.path.clone(),
            clip: diagnostic.clip.clone(),
            bone: diagnostic.bone.clone(),
            what: diagnostic.what.clone(),
            expected: diagnostic.expected.clone(),
            found: diagnostic.found.clone(),
            help: diagnostic.help.clone(),
        }
    }

    /// A problem of an `.animtex` file.
    pub(crate) fn of_format(file: &Path, error: &FormatError) -> Self {
        Self::error(error.id(), file.display().to_string(), error.to_string()).help(error.help())
    }

    /// Adds what to do.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds what was expected and what was found.
    pub(crate) fn expected_found(mut self, expected: impl Into<String>, found: impl Into<String>) -> Self {
        self.expected = expected.into();
        self.found = found.into();
        self
    }

    pub(crate) fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    #[cfg(test)]
    pub(crate) const fn id(&self) -> &'static str {
        self.id
    }

    pub(crate) fn what(&self) -> &str {
        &self.what
    }

    /// A first line with what, and indented lines with where, expected, found, and what to do.
    pub(crate) fn to_text(&self) -> String {
        let (word, color) = match self.severity {
            Severity::Error => ("error", AnsiColor::Red),
            Severity::Warning => ("warning", AnsiColor::Yellow),
        };
        let style = color.on_default().bold();
        let mut text = format!("{style}{word}[{}]{style:#}: ", self.id);
        if !self.file.is_empty() {
            let _ = write!(text, "{}: ", printable(&self.file));
        }
        let _ = writeln!(text, "{}", printable(&self.what));
        let lines = [
            ("where", self.path.as_str()),
            ("clip", self.clip.as_deref().unwrap_or_default()),
            ("bone", self.bone.as_deref().unwrap_or_default()),
            ("expected", &self.expected),
            ("found", &self.found),
            ("help", &self.help),
        ];
        let dim = Style::new().dimmed();
        for (name, value) in lines {
            if !value.is_empty() {
                let _ = writeln!(text, "  {dim}{name}:{dim:#} {}", printable(value));
            }
        }
        text
    }

    /// The same as an object; what is not known is `null`.
    pub(crate) fn to_json(&self) -> Value {
        let known = |text: &str| if text.is_empty() { Value::Null } else { Value::from(text) };
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        json!({
            "id": self.id,
            "severity": severity,
            "file": known(&self.file),
            "path": known(&self.path),
            "clip": self.clip,
            "bone": self.bone,
            "what": self.what,
            "expected": known(&self.expected),
            "found": known(&self.found),
            "help": known(&self.help),
        })
    }
}

impl Failure {
    /// Wrong usage.
    pub(crate) fn usage(problem: Problem) -> Self {
        Self { exit: Exit::Usage, problems: vec![problem] }
    }

    /// A model that could not be used, with everything that is wrong with it.
    pub(crate) fn of_bake(file: &Path, error: &BakeError) -> Self {
        // A budget is a check of what is fine otherwise.
        let is_check = error.diagnostics().iter().all(|d| d.id == anim_bake::ids::BUDGET_MISSED);
        Self {
            exit: if is_check { Exit::CheckFailed } else { Exit::Unusable },
            problems: error.diagnostics().iter().map(|d| Problem::of_bake(file, d)).collect(),
        }
    }

    /// An `.animtex` file that could not be used, with everything that is wrong with it.
    pub(crate) fn of_format(file: &Path, error: &FormatError) -> Self {
        Self {
            exit: Exit::Unusable,
            problems: error.problems().iter().map(|e| Problem::of_format(file, e)).collect(),
        }
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self { exit: Exit::Unusable, problems: vec![problem] }
    }
}

/// What `--json` prints when a command fails.
pub(crate) fn error_document(schema: &str, problems: &[Problem]) -> Value {
    json!({ "schema": schema, "errors": to_json(problems) })
}

/// Problems as an array.
pub(crate) fn to_json(problems: &[Problem]) -> Vec<Value> {
    problems.iter().map(Problem::to_json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_json_say_the_same() {
        let problem = Problem::of_bake(
            Path::new("a.glb"),
            &Diagnostic::error("bad-node", "skins[0].joints[12]", "node 40 does not exist")
                .expected_found("below 12", 40)
                .at_bone("hip\u{1b}[2J")
                .help("export it again"),
        );
        let text = anstream::adapter::strip_str(&problem.to_text()).to_string();
        assert_eq!(
            text,
            "error[bad-node]: a.glb: node 40 does not exist\n  where: skins[0].joints[12]\n  bone: hip\\u{1b}[2J\n  \
             expected: below 12\n  found: 40\n  help: export it again\n"
        );
        let json = problem.to_json();
        assert_eq!(json["path"], "skins[0].joints[12]");
        assert_eq!(json["severity"], "error");
        assert_eq!(json["clip"], Value::Null);
    }
}
