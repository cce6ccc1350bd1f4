//! The accuracy of a file as a web page that needs nothing else: no network, no scripts, no other file.

mod axis;
mod bars;
mod by_node;
mod curves;
mod escape;
mod number;
mod over_time;
mod page;
mod size_plot;
mod style;
mod svg;
mod table;

use std::path::Path;

use crate::console::Console;
use crate::diagnostics::Problem;
use crate::output::{Replace, check_file, is_same_file, write_file};

pub(crate) use curves::Curves;
pub(crate) use page::Page;

/// How every page begins, so that a later one may replace it.
const MAGIC: &str = "<!DOCTYPE html>\n<!-- accuracy report of anim -->";

/// Where a page goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output<'a> {
    path: &'a Path,
    replace: Replace,
}

impl<'a> Output<'a> {
    /// Checks, before the work, that a page may be written at `path`, which is none of the `inputs`.
    pub(crate) fn new(path: &'a Path, force: bool, inputs: &[&Path]) -> Result<Self, Problem> {
        if inputs.iter().any(|input| is_same_file(input, path)) {
            let what = "the page would replace the file that it is about";
            return Err(Problem::error("output-is-the-input", path.display().to_string(), what)
                .help("give another name with --html"));
        }
        let replace = Replace { magic: MAGIC.as_bytes(), what: "a page of this program", force };
        check_file(path, replace)?;
        Ok(Self { path, replace })
    }

    /// Writes the page, whole or not at all.
    pub(crate) fn write(&self, page: &Page<'_>, console: Console) -> Result<(), Problem> {
        write_file(self.path, page.to_html().as_bytes(), self.replace)?;
        console.hint(&format!("wrote {}", crate::text::printable(&self.path.display().to_string())));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
