//! The program `fanorona`: perft, statistics, endgame tables and analysis of the board game
//! Fanorona.
//!
//! Here are arguments, progress and printing; the work is done by the crates below. One file a
//! subcommand under `command`, what several of them take in `options`, what they print with in
//! `output`, and how each ending becomes an exit status in `failure`.

#![forbid(unsafe_code)]

mod command;
mod drawing;
mod failure;
mod interrupt;
mod options;
mod output;
mod phases;
mod svg;

use std::process::ExitCode;

use clap::Parser;

/// Rules, perft, endgame tables and analysis of the board game Fanorona.
#[derive(Debug, Parser)]
#[command(
    name = "fanorona",
    version,
    arg_required_else_help = true,
    after_help = "Example:\n  fanorona moves\n\n\
        Exit status: 0 done; 1 the check that was asked for failed; 2 unusable arguments or input; \
        130 interrupted by Ctrl-C."
)]
struct Program {
    #[command(subcommand)]
    command: command::Command,
}

fn main() -> ExitCode {
    failure::exit_code(Program::parse().command.run())
}
