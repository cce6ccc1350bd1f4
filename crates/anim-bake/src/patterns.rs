//! Names and globs of the options that choose clips or nodes.

use globset::{Glob, GlobMatcher};

use crate::diagnostics::Diagnostic;
use crate::ids;

/// A list of names and globs. A pattern matches a name that is equal to it, whatever its characters, or that its glob
/// matches (`*`, `?`, `[ab]`, `{a,b}`).
pub(crate) struct Patterns<'s> {
    patterns: Vec<(&'s str, Option<GlobMatcher>)>,
}

impl<'s> Patterns<'s> {
    /// Compiles the patterns of an option. A pattern that is no valid glob can still be somebody's exact name.
    pub(crate) fn new(patterns: &'s [String], option: &str) -> Result<Self, Diagnostic> {
        let compile = |pattern: &'s String| {
            if pattern.is_empty() {
                let what = format!("{option} is empty");
                return Err(Diagnostic::error(ids::PATTERN_EMPTY, "", what)
                    .expected_found("a name or a glob", "\"\"")
                    .help("leave the option out to mean all"));
            }
            Ok((pattern.as_str(), Glob::new(pattern).ok().map(|glob| glob.compile_matcher())))
        };
        Ok(Self { patterns: patterns.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// Whether a pattern is exactly this name.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.patterns.iter().any(|(pattern, _)| *pattern == name)
    }

    /// Whether any pattern matches.
    pub(crate) fn matches(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| one_matches(pattern, name))
    }

    /// Patterns that match none of the names.
    pub(crate) fn unused<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> Vec<&'s str> {
        let used =
            |pattern: &&(&'s str, Option<GlobMatcher>)| names.clone().any(|name| one_matches(pattern, name));
        self.patterns.iter().filter(|pattern| !used(pattern)).map(|(pattern, _)| *pattern).collect()
    }
}

fn one_matches((pattern, glob): &(&str, Option<GlobMatcher>), name: &str) -> bool {
    *pattern == name || glob.as_ref().is_some_and(|glob| glob.is_match(name))
}

/// Names for a message: the first dozen, and how many more.
pub(crate) fn list_of(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("{name:?}")).collect();
    match (shown.is_empty(), names.len() - shown.len()) {
        (true, _) => "nothing: the file has none".into(),
        (false, 0) => shown.join(", "),
        (false, more) => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_names_win_over_glob_characters() {
        let list = ["Rig|walk[1]".to_owned(), "run*".to_owned()];
        let patterns = Patterns::new(&list, "--clip").unwrap();
        for (name, expected) in
            [("Rig|walk[1]", true), ("Rig|walk1", true), ("running/fast", true), ("idle", false)]
        {
            assert_eq!(patterns.matches(name), expected, "{name}");
        }
        assert_eq!(patterns.unused(["idle", "run"].into_iter()), ["Rig|walk[1]"]);
    }
}
