//! What is wrong with an input, and where: one shape for errors and warnings, so that all of them read alike.

use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The model cannot be baked.
    Error,
    /// The model is baked, and something about the result differs from what its author may expect.
    Warning,
}

/// One problem of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable name of the kind of problem, in kebab-case, for scripts.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// JSON path in the glTF file, for example `skins[0].joints[12]`; empty if it is about the whole file.
    pub path: String,
    /// What is wrong, in one sentence without a full stop.
    pub what: String,
    /// Clip that it is about, if any.
    pub clip: Option<String>,
    /// Bone or node that it is about, if any.
    pub bone: Option<String>,
    /// What was expected; may be empty.
    pub expected: String,
    /// What was found; may be empty.
    pub found: String,
    /// What to do about it; may be empty.
    pub help: String,
}

impl Diagnostic {
    /// An error at a JSON path.
    #[must_use]
    pub fn error(id: &'static str, path: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(Severity::Error, id, path.into(), what.into())
    }

    /// A warning at a JSON path.
    #[must_use]
    pub fn warning(id: &'static str, path: impl Into<String>, what: impl Into<String>) -> Self {
        Self::new(Severity::Warning, id, path.into(), what.into())
    }

    fn new(severity: Severity, id: &'static str, path: String, what: String) -> Self {
        Self {
            id,
            severity,
            path,
            what,
            clip: None,
            bone: None,
            expected: String::new(),
            found: String::new(),
            help: String::new(),
        }
    }

    /// Adds what was expected and what was found.
    #[must_use]
    pub fn expected_found(mut self, expected: impl fmt::Display, found: impl fmt::Display) -> Self {
        self.expected = expected.to_string();
        self.found = found.to_string();
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Names the clip.
    #[must_use]
    pub fn in_clip(mut self, clip: impl Into<String>) -> Self {
        self.clip = Some(clip.into());
        self
    }

    /// Names the bone or node.
    #[must_use]
    pub fn at_bone(mut self, bone: impl Into<String>) -> Self {
        self.bone = Some(bone.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.what)?;
        if let Some(clip) = &self.clip {
            write!(f, ", clip {clip:?}")?;
        }
        if let Some(bone) = &self.bone {
            write!(f, ", bone {bone:?}")?;
        }
        if !self.expected.is_empty() {
            write!(f, "; expected {}", self.expected)?;
        }
        if !self.found.is_empty() {
            write!(f, "; found {}", self.found)?;
        }
        if !self.help.is_empty() {
            write!(f, "; {}", self.help)?;
        }
        Ok(())
    }
}

/// Why a model could not be baked.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// The source or the settings: every problem that was found, errors and warnings, in file order.
    #[error("{}", list(.0))]
    Problems(Vec<Diagnostic>),
}

impl BakeError {
    /// Every problem, in file order.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match self {
            Self::Problems(problems) => problems,
        }
    }
}

impl From<Diagnostic> for BakeError {
    fn from(problem: Diagnostic) -> Self {
        Self::Problems(vec![problem])
    }
}

fn list(problems: &[Diagnostic]) -> String {
    let lines: Vec<String> = problems.iter().map(|p| format!("[{}] {p}", p.id)).collect();
    lines.join("\n")
}
