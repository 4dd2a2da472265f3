//! Programs that do one thing and end.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::command::ProgramCommand;
use super::error::ClientError;
use super::process::{NoLine, Process};

/// The most bytes that a program may print.
pub(super) const MAX_OUTPUT: usize = 64 << 20;

/// Runs a program with nothing on its standard input, and returns its lines, without blanks around
/// them.
///
/// # Errors
/// If it cannot be started, fails, does not end in time, or prints more than 64 MiB; and
/// [`ClientError::Stopped`] if `stop` is set.
pub fn run(
    command: &ProgramCommand,
    limit: Duration,
    stop: &AtomicBool,
) -> Result<String, ClientError> {
    let deadline = Instant::now() + limit;
    let mut process = start(command)?;
    process.close_input();
    let mut output = String::new();
    loop {
        match process.receive(deadline, stop) {
            Ok(line) => {
                output += &line.text;
                output.push('\n');
            }
            Err(NoLine::Ended) => break,
            Err(NoLine::Timeout) => return Err(ClientError::Unfinished { limit }),
            Err(NoLine::Stopped) => return Err(ClientError::Stopped),
        }
        if output.len() > MAX_OUTPUT {
            return Err(ClientError::Flood { most: MAX_OUTPUT });
        }
    }
    match process.status() {
        Some(status) if !status.success() => Err(ClientError::Ended(Some(status))),
        _ => Ok(output),
    }
}

/// Starts a program.
pub(super) fn start(command: &ProgramCommand) -> Result<Process, ClientError> {
    Process::start(command).map_err(|source| ClientError::Start {
        command: command.to_string(),
        file: command.meant_file(&source),
        source,
    })
}
