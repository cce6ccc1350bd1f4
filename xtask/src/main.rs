//! The repository's own commands: `cargo xtask <command>`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to the person who started it")]

use std::process::ExitCode;

mod samples;

const HELP: &str = "\
Usage: cargo xtask <command> [options]

Commands:
  samples           write the sample models into samples/
  samples --check   write nothing; fail if a file in samples/ is not what the code writes
  help              this text
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (command, options) = match arguments.split_first() {
        Some((command, options)) => (command.as_str(), options),
        None => ("help", &[][..]),
    };
    let result = match command {
        "samples" => samples::run(options),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(())
        }
        unknown => Err(anyhow::anyhow!("unknown command `{unknown}`\n\n{HELP}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
