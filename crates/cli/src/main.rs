//! The program `fanorona`.

use std::process::ExitCode;

fn main() -> ExitCode {
    fanorona_cli::run()
}
