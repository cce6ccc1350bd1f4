//! The help of all commands as one document, `docs/CLI.md`.

use clap::{Command, CommandFactory as _};

use crate::args::Cli;

/// Columns that the help is wrapped at in the document.
const WIDTH: usize = 100;

/// The document: what `anim --help` and `anim COMMAND --help` print.
#[must_use]
pub fn document() -> String {
    let mut command = Cli::command().term_width(WIDTH);
    command.build();
    let mut text = String::from(
        "# The command `anim`\n\n\
         Made from the program's own help by `cargo xtask bless`; a test compares the two.\n",
    );
    add(&mut text, "anim", &mut command);
    let names = command.get_subcommands().map(|sub| sub.get_name().to_owned());
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    for name in names {
        if let Some(sub) = command.find_subcommand_mut(&name) {
            add(&mut text, &format!("anim {name}"), sub);
        }
    }
    text
}

fn add(text: &mut String, name: &str, command: &mut Command) {
    text.push_str(&format!("\n## `{name}`\n\n```text\n"));
    for line in command.render_long_help().to_string().trim_end().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str("```\n");
}
