//! The command `anim` as a library: [`run`] is the whole program.
//!
//! # Example
//!
//! ```
//! // What `anim bake --rate 0 fox.glb` does: complain on standard error, and say 2 for wrong usage.
//! let code = anim_cli::run(["anim", "bake", "--rate", "0", "fox.glb"]);
//! assert_eq!(code, std::process::ExitCode::from(2));
//! ```

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser as _;

pub mod args;
mod bake;
#[cfg(feature = "gpu")]
mod bench;
mod console;
mod diagnostics;
mod export;
#[cfg(feature = "gpu")]
mod gpu;
pub mod help;
mod input;
mod inspect;
mod output;
mod pose;
mod preview;
mod report;
mod tables;
mod text;
pub mod values;
mod verify;

use args::{Cli, Command};
use console::Console;
use diagnostics::{Exit, Failure, Problem};

/// Runs the program: parses `args` (the first one is the program's own name), does what they say, prints the report to
/// standard output and messages to standard error.
///
/// # Errors
///
/// The exit code: 0 done, 1 a check failed, 2 wrong usage, 3 an input or an output could not be used.
pub fn run<I, T>(args: I) -> ExitCode
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return usage(&args, &error),
    };
    output::remove_unfinished_files_when_interrupted();
    let console = Console::new(cli.global);
    let exit = match dispatch(&cli.command, &console) {
        Ok(exit) => exit,
        Err(failure) => console.failure(cli.command.schema(), &failure),
    };
    ExitCode::from(exit as u8)
}

fn dispatch(command: &Command, console: &Console) -> Result<Exit, Failure> {
    match command {
        Command::Bake(args) => bake::run(args, console),
        Command::Inspect(args) => inspect::run(args, console),
        Command::Verify(args) => verify::run(args, console),
        Command::Pose(args) => pose::run(args, console),
        Command::Preview(args) => preview::run(args, console),
        Command::Export(args) => export::run(args, console),
        #[cfg(feature = "gpu")]
        Command::Bench(args) => bench::run(args, console),
        #[cfg(not(feature = "gpu"))]
        Command::Bench(_) => Err(without_gpu("anim bench")),
    }
}

/// What a program that was built without its GPU part says.
#[cfg(not(feature = "gpu"))]
fn without_gpu(what: &str) -> Failure {
    Problem::error("built-without-gpu", "", format!("this program was built without {what}"))
        .help("build it with its default features: `cargo install --path crates/anim-cli`")
        .into()
}

/// Prints what clap has to say: help and version, or what is wrong with the arguments.
fn usage(args: &[OsString], error: &clap::Error) -> ExitCode {
    // Nothing can be done if even this cannot be printed.
    let _ = error.print();
    if error.use_stderr() && args.iter().any(|arg| arg == "--json") {
        let commands = ["bake", "inspect", "verify", "pose", "preview", "export", "bench"];
        let command = args.iter().skip(1).find_map(|arg| commands.iter().find(|name| arg == **name));
        let schema = format!("anim-{}/1", command.unwrap_or(&"usage"));
        // The first paragraph says what is wrong; what follows is the usage, for people.
        let message = error.to_string();
        let lines = message.lines().map(str::trim).take_while(|line| !line.is_empty());
        let what = lines.collect::<Vec<_>>().join(" ");
        let what = what.trim_start_matches("error: ");
        let failure = Failure::usage(Problem::error("usage", "", what).help("see `anim --help`"));
        let _ = Console::default().json(&diagnostics::error_document(&schema, &failure.problems));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(Exit::Usage as u8))
}
