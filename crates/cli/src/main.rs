//! The program `fanorona`: perft, statistics, endgame tables and analysis of the board game
//! Fanorona.
//!
//! This crate has arguments, progress and printing; the crates below do the work. Each subcommand
//! has a file or folder under `command`. What several of them use: `options` (arguments), `lines`
//! (input by the line), `destination` (files to write), `output` (standard output and messages),
//! `interrupt` (Ctrl-C), and `failure` (errors and exit statuses).

#![deny(unsafe_code)]

mod advice;
mod command;
mod destination;
mod drawing;
mod failure;
mod interrupt;
mod lines;
mod options;
mod output;
mod phases;
mod svg;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

/// Rules, perft, endgame tables and analysis of the board game Fanorona.
#[derive(Debug, Parser)]
#[command(
    name = "fanorona",
    version,
    arg_required_else_help = true,
    after_help = "Example:\n  fanorona moves\n\n\
        Exit status: 0 done; 1 the check that was asked for failed; 2 unusable arguments or input, \
        or a file that could not be written; 130 interrupted by Ctrl-C."
)]
struct Program {
    #[command(subcommand)]
    command: command::Command,
}

fn main() -> ExitCode {
    match Program::try_parse() {
        Ok(program) => failure::exit_code(program.command.run(Program::command)),
        // Help goes to standard output, and a wrong argument's message to standard error.
        Err(help) if !help.use_stderr() => {
            output::note(help.print());
            failure::exit_code(Ok(()))
        }
        Err(error) => error.exit(),
    }
}
