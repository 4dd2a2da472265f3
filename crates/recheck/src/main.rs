//! The program `fanorona-recheck`.

#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};
use fanorona_recheck::{CheckError, Limits, Proved, check};

const STATUS: &str = "\
Exit status: 0 if the proof holds, 1 if it does not, 2 if the certificate, a
table or the arguments are unusable.

Examples:
  fanorona-recheck data/proofs/5x3-standard.proof
  fanorona-recheck data/proofs/9x5-standard.proof --tables tables";

/// Check a certificate without any code of the other Fanorona programs
///
/// Reads a certificate that `fanorona analyze` wrote, and follows its proof: the turns of its
/// entries, and all replies of the other side, until the game is over or a named table has the
/// value. Prints the position, the rule set and the value for the side to move.
///
/// This is a second checker. It has its own rules, and its own readers of certificates and tables.
/// It believes the tables. `fanorona check --trust-no-table` does not.
#[derive(Debug, Parser)]
#[command(version, after_help = STATUS, max_term_width = 80)]
struct Arguments {
    /// Certificate to check
    file: PathBuf,
    /// Directory of the packed tables that the certificate names. Can be given more than once
    #[arg(long, value_name = "DIR", env = "FANORONA_TABLES")]
    tables: Vec<PathBuf>,
}

/// The arguments of this process. An empty environment variable counts as not set.
fn arguments() -> Arguments {
    let is_empty = |name: &OsStr| env::var_os(name).is_some_and(|value| value.is_empty());
    let mut command = Arguments::command().mut_args(|arg| match arg.get_env() {
        Some(name) if is_empty(name) => arg.env(None::<&str>),
        _ => arg,
    });
    if is_empty(OsStr::new("TERM")) {
        command = command.color(ColorChoice::Never);
    }
    let mut matches = command.get_matches();
    Arguments::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.exit())
}

fn main() -> ExitCode {
    let Arguments { file, tables } = arguments();
    let proved = match check(&file, &tables, &Limits::default()) {
        Ok(proved) => proved,
        Err(error) => {
            let is_missing = matches!(error, CheckError::NoTable { .. });
            let advice = if is_missing { "; name its directory with --tables" } else { "" };
            eprintln!("error: {error}{advice}");
            return ExitCode::from(if error.does_not_hold() { 1 } else { 2 });
        }
    };
    let Proved { position, rules, claim, entries, tables, .. } = proved;
    let entries = grouped(entries);
    let text = format!(
        "{position}\n{rules}\n{claim}, proved by {entries} positions and {tables} tables\n"
    );
    if let Err(error) = std::io::stdout().write_all(text.as_bytes()) {
        eprintln!("error: cannot print: {error}");
        return ExitCode::from(2);
    }
    ExitCode::SUCCESS
}

/// A number with commas between thousands.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
