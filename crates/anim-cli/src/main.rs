//! The program `anim`: everything is in the library, so that other programs and tests can call it too.

fn main() -> std::process::ExitCode {
    anim_cli::run(std::env::args_os())
}
