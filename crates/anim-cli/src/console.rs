//! Where text goes: the report to standard output, messages to standard error. The only file that prints.

use std::io::{self, IsTerminal as _, Write};

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::args::Global;
use crate::diagnostics::{Exit, Failure, Problem, error_document};

/// Messages of one kind that are shown without `-v`.
const SHOWN: usize = 20;

/// What the user wants to see.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Console {
    /// The report is JSON.
    pub(crate) json: bool,
    /// No warnings, no progress, no hints.
    pub(crate) quiet: bool,
    /// Long tables whole.
    pub(crate) verbose: bool,
    /// No hints only.
    no_hints: bool,
}

impl Console {
    pub(crate) const fn new(global: Global) -> Self {
        let Global { json, quiet, verbose, no_hints } = global;
        Self { json, quiet, verbose, no_hints }
    }

    /// Standard output, for reports that are written piece by piece. Colours are removed unless it is a terminal.
    pub(crate) fn stdout(self) -> impl Write {
        io::BufWriter::with_capacity(1 << 16, UntilClosed { inner: anstream::stdout(), closed: false })
    }

    /// Prints a report as text.
    pub(crate) fn report(self, text: &str) -> Result<(), Failure> {
        let mut stdout = self.stdout();
        stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|e| stdout_failure(&e))
    }

    /// Prints a report as JSON.
    pub(crate) fn json(self, document: &impl Serialize) -> Result<(), Failure> {
        let mut stdout = self.stdout();
        serde_json::to_writer(&mut stdout, document)
            .map_err(io::Error::from)
            .and_then(|()| stdout.write_all(b"\n"))
            .and_then(|()| stdout.flush())
            .map_err(|e| stdout_failure(&e))
    }

    /// Prints problems to standard error: errors always, warnings unless the user asked for quiet.
    pub(crate) fn problems(self, problems: &[Problem]) {
        let shown: Vec<&Problem> = problems.iter().filter(|p| p.is_error() || !self.quiet).collect();
        let limit = if self.verbose { usize::MAX } else { SHOWN };
        for problem in shown.iter().take(limit) {
            self.message(&problem.to_text());
        }
        if shown.len() > limit {
            self.message(&format!("… and {} more (-v shows them all)\n", shown.len() - limit));
        }
    }

    /// Prints a line to standard error that the user can do without.
    pub(crate) fn hint(self, text: &str) {
        if !self.quiet && !self.no_hints {
            self.message(&format!("{text}\n"));
        }
    }

    /// Says why a command failed, and gives its exit code.
    pub(crate) fn failure(self, schema: &str, failure: &Failure) -> Exit {
        self.problems(&failure.problems);
        if self.json {
            // If standard output itself is what failed, the text above has said so.
            let _ = self.json(&error_document(schema, &failure.problems));
        }
        failure.exit
    }

    /// A progress bar of so many steps, in a template of `indicatif`; hidden where nobody would see it.
    pub(crate) fn progress(self, steps: u64, template: &str) -> ProgressBar {
        if self.quiet || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template(template);
        ProgressBar::new(steps).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
    }

    fn message(self, text: &str) {
        // There is nowhere left to say that standard error cannot be written.
        let _ = anstream::stderr().write_all(text.as_bytes());
    }
}

/// What to say if standard output cannot be written.
pub(crate) fn stdout_failure(error: &io::Error) -> Failure {
    Problem::error("stdout-not-writable", "standard output", format!("cannot be written: {error}"))
        .help("check where the output goes, and the space there")
        .into()
}

/// Standard output until its reader goes away (`anim inspect x | head -1`): the rest is then dropped in silence.
struct UntilClosed<W> {
    inner: W,
    closed: bool,
}

impl<W: Write> UntilClosed<W> {
    fn unless_closed<T>(&mut self, done: T, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.closed {
            return Ok(done);
        }
        match write(&mut self.inner) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(done)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for UntilClosed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unless_closed(bytes.len(), |inner| inner.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.unless_closed((), Write::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Closed;

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_error() {
        let mut stdout = UntilClosed { inner: Closed, closed: false };
        stdout.write_all(b"report").unwrap();
        stdout.flush().unwrap();
    }
}
