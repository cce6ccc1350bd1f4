//! The repository's own commands: `cargo xtask <command>`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to the person who started it")]

use std::process::ExitCode;

mod bake;
mod bench;
mod bless;
mod gpu_adapter;
mod layers;
mod process;
mod samples;
mod test;
mod tidy;

const HELP: &str = "\
Usage: cargo xtask <command> [options]

Commands:
  bake              bake samples/ into target/baked/ and draw a preview sheet of each model
  bake MODEL... [-o DIR]
                    the same for your own models
  test              everything that proves the project; this is what CI runs
  bench [FILTER]    measure the baker, with ratios between figures of one run
  bless             write samples, golden files and generated documents anew
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
        "bake" => bake::run(options),
        "test" => test::run(options),
        "bench" => bench::run(options),
        "bless" => bless::run(options),
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
