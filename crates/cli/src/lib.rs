//! The program `fanorona`: perft, statistics, endgame tables and analysis of the board game
//! Fanorona. Other programs that build tables, as `fanorona-mpi`, take their arguments from here.
//!
//! This crate has arguments, progress and printing; the crates below do the work. Each subcommand
//! has a file or folder under `command`. What several of them use: `options` (arguments), `files` and
//! `lines` (input, whole and by the line), `destination` (files to write), `output` (standard output
//! and messages), `progress` (of long work), `human` (numbers and times), `interrupt` (Ctrl-C), and
//! `failure` (errors and exit statuses), with `advice` and `hints` (what to do about them).

#![deny(unsafe_code)]

mod advice;
mod command;
mod destination;
mod failure;
mod files;
mod hints;
mod human;
mod interrupt;
mod lines;
mod options;
mod output;
mod progress;
mod svg;

use std::env;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Arg, ColorChoice, Command, CommandFactory, FromArgMatches, Parser};
use fanorona_builder::ProcessGroup;

use crate::hints::is_like_board;

/// Is it won, drawn or lost? Rules, perft, endgame tables and proofs of the board game Fanorona.
#[derive(Debug, Parser)]
#[command(
    name = "fanorona",
    version,
    arg_required_else_help = true,
    max_term_width = 80,
    override_usage = "\
fanorona POSITION [OPTIONS]    (is it won, drawn or lost?)
       fanorona COMMAND [OPTIONS]",
    after_help = "\
A position is its ranks from the top down and the side to move, as in \"B7B/9/9/9/W7W w\". A board, \
as in 5x5, stands for its start.

Run 'fanorona COMMAND --help' for the options of a command and examples, and 'fanorona help rules' for \
the rule sets.

Exit status:
  0    success
  1    a check failed: a count differs, a table or a certificate is wrong
  2    the arguments or the input cannot be used, or a file cannot be written
  130  interrupted by Ctrl-C

Examples:
  fanorona \"B3B/5/5/5/2W1W w\"
  fanorona moves"
)]
struct Program {
    #[command(subcommand)]
    command: command::Command,
}

/// Runs the program `fanorona` with the arguments of this process.
pub fn run() -> ExitCode {
    match arguments::<Program>(Program::command(), with_command(env::args_os().collect())) {
        Ok(program) => {
            failure::exit_code(program.command.run(|| adjusted(Program::command())), is_json())
        }
        // Help goes to standard output, and a wrong argument's message to standard error.
        Err(help) if !help.use_stderr() => {
            output::note(help.print());
            failure::exit_code(Ok(()), false)
        }
        Err(error) => failure::exit_code_of_arguments(&error, &command_line_so_far(), is_json()),
    }
}

/// The program with its subcommand, if that was given.
fn command_line_so_far() -> String {
    let first = env::args_os().nth(1).unwrap_or_default();
    match Program::command().find_subcommand(first) {
        Some(command) => format!("fanorona {}", command.get_name()),
        None => "fanorona".to_owned(),
    }
}

/// Whether JSON was asked for, also if the other arguments cannot be used.
fn is_json() -> bool {
    std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json")
}

/// The arguments, with the command that a position alone stands for.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let first = arguments.get(1).and_then(|first| first.to_str()).unwrap_or_default();
    let is_command = || {
        let mut program = Program::command();
        // Adds 'help'.
        program.build();
        program.find_subcommand(first).is_some()
    };
    let is_position = first.contains('/') || is_like_board(first) || Path::new(first).is_file();
    if !first.starts_with('-') && is_position && !is_command() {
        arguments.insert(1, "analyze".into());
    }
    arguments
}

/// These arguments, read.
fn arguments<T: FromArgMatches>(
    command: Command,
    arguments: Vec<OsString>,
) -> Result<T, clap::Error> {
    let mut command = adjusted(command);
    if output::is_plain_terminal() {
        command = command.color(ColorChoice::Never);
    }
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    T::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// Letters of options that are typed often. An option has its letter in every command.
const LETTERS: [(&str, char); 5] =
    [("board", 'b'), ("output", 'o'), ("rules", 'r'), ("tables", 't'), ("threads", 'j')];

/// Gives options their letters. Lets all options have negative numbers as values: no option is named
/// by a digit, so that is what was meant, and the message says which values are possible. An empty environment variable counts as
/// not set, as it does for other programs.
fn adjusted(command: Command) -> Command {
    let adjust = |arg: Arg| {
        let is_empty = |name| env::var_os(name).is_some_and(|value| value.is_empty());
        let arg = if arg.get_env().is_some_and(is_empty) { arg.env(None::<&str>) } else { arg };
        let letter = LETTERS.into_iter().find(|(name, _)| arg.get_long() == Some(name));
        let arg = letter.map_or(arg.clone(), |(_, letter)| arg.short(letter));
        if arg.get_action().takes_values() { arg.allow_negative_numbers(true) } else { arg }
    };
    command.mut_args(adjust).mut_subcommands(adjusted)
}

/// Endgame tables of Fanorona, built by several processes
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    max_term_width = 80,
    disable_help_subcommand = true,
    after_help = "\
Exit status:
  0    success
  2    the arguments cannot be used, or a file cannot be written
  130  interrupted by Ctrl-C"
)]
struct TogetherProgram {
    #[command(subcommand)]
    command: TogetherCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TogetherCommand {
    Build(command::Build),
}

/// Runs a program that builds tables with several processes, with the arguments of this process,
/// which are those of `fanorona build`. Only the first process prints results.
pub fn run_together(name: &'static str, processes: &dyn ProcessGroup) -> ExitCode {
    let command = TogetherProgram::command().name(name).bin_name(name);
    match arguments(command, env::args_os().collect()) {
        Ok(TogetherProgram { command: TogetherCommand::Build(build) }) => {
            failure::exit_code_of_process(build.run(processes), processes, is_json())
        }
        Err(help) => {
            let status = help.exit_code() as u8;
            if processes.index() == 0 {
                output::note(help.print());
            }
            ExitCode::from(status)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// An option that several commands have takes the same value and has the same line of help, but for
    /// its default.
    #[test]
    fn an_option_has_one_meaning() {
        let program = Program::command();
        let mut known = BTreeMap::new();
        for command in program.get_subcommands() {
            let name = command.get_name();
            for arg in command.get_arguments() {
                let help = arg.get_help().expect("every argument has help").to_string();
                let meaning = help.split(" [default: ").next().expect("a part").to_owned();
                assert!(!meaning.ends_with('.') && !meaning.contains('\n'), "{name}: {meaning}");
                let Some(key) = arg.get_long() else { continue };
                let found = (arg.get_value_names().map(<[_]>::to_vec), meaning);
                let first = known.entry(key.to_owned()).or_insert_with(|| (name, found.clone()));
                assert_eq!(first.1, found, "{key} of {} and {name}", first.0);
            }
        }
        assert!(known.len() > 50, "{known:?}");
    }
}
