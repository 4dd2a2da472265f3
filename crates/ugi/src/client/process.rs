//! A running program: lines to it and from it.
//!
//! Two threads talk to the program, so that a program that does not read or does not write blocks
//! nobody. Both use queues of fixed length: a program that floods has to wait until its lines are
//! read, and one that does not read is noticed when the queue to it is full.

use std::io::{self, ErrorKind, Read, Write};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use super::command::ProgramCommand;

/// The longest line that is read. The rest of a longer one is dropped.
const MAX_LINE: usize = 64 << 10;

/// The lines from the program that wait to be read.
const QUEUE: usize = 256;

/// The lines to the program that wait to be written.
const OUT_QUEUE: usize = 64;

/// Bytes that are read at once.
const CHUNK: usize = 16 << 10;

/// How often a wait asks whether it has to stop.
const STOP_INTERVAL: Duration = Duration::from_millis(20);

/// How long a program may take to end after it is asked to.
const QUIT_TIME: Duration = Duration::from_millis(500);

/// How often to ask whether it has ended.
const QUIT_INTERVAL: Duration = Duration::from_millis(2);

/// A line of a program.
#[derive(Debug)]
pub(super) struct Line {
    /// The text; bytes that are not UTF-8 are replaced.
    pub text: String,
    /// When it came.
    pub at: Instant,
}

/// Why there is no line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoLine {
    Timeout,
    Ended,
    Stopped,
}

/// Why a line cannot be sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NotSent {
    Ended,
    NotReading,
}

/// A program that runs. It is killed when this is dropped, with the programs that it has started on
/// Unix.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// `None` when it has been closed.
    input: Option<SyncSender<String>>,
    lines: Receiver<Line>,
    is_over: bool,
}

impl Process {
    /// Starts a program. What it writes to standard error goes to that of this program.
    pub(super) fn start(command: &ProgramCommand) -> io::Result<Self> {
        let mut command = command.build();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        own_group(&mut command);
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the pipes are missing"));
        };
        let (line_sender, lines) = mpsc::sync_channel(QUEUE);
        let (input, to_write) = mpsc::sync_channel(OUT_QUEUE);
        // From here on the child is killed if anything fails.
        let process = Self { child, input: Some(input), lines, is_over: false };
        thread::Builder::new().spawn(move || read_lines(stdout, &line_sender))?;
        thread::Builder::new().spawn(move || write_lines(stdin, &to_write))?;
        Ok(process)
    }

    /// Sends a line. It is written later, by another thread.
    pub(super) fn send(&self, line: String) -> Result<(), NotSent> {
        match self.input.as_ref().map(|input| input.try_send(line)) {
            Some(Ok(())) => Ok(()),
            Some(Err(TrySendError::Full(_))) => Err(NotSent::NotReading),
            Some(Err(TrySendError::Disconnected(_))) | None => Err(NotSent::Ended),
        }
    }

    /// Waits for the next line.
    pub(super) fn receive(&self, deadline: Instant, stop: &AtomicBool) -> Result<Line, NoLine> {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(NoLine::Stopped);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left.min(STOP_INTERVAL)) {
                // A line that is already here came in time if it is stamped so.
                Ok(line) if line.at <= deadline => return Ok(line),
                Ok(_) => return Err(NoLine::Timeout),
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(NoLine::Timeout),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Ended),
            }
        }
    }

    /// How the program has ended, if it has; waits a moment for it.
    pub(super) fn status(&mut self) -> Option<ExitStatus> {
        let status = self.wait(QUIT_TIME);
        self.is_over |= status.is_some();
        status
    }

    fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + time;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(QUIT_INTERVAL),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Lets the program see the end of its input.
    pub(super) fn close_input(&mut self) {
        self.input = None;
    }

    /// Ends the program: by a last line and the end of its input, or else by force.
    pub(super) fn quit(&mut self, last: String) {
        // A program that cannot be sent the line gets the end of its input.
        let _ = self.send(last);
        self.close_input();
        if !self.is_over && self.wait(QUIT_TIME).is_some() {
            self.is_over = true;
        }
        self.kill();
    }

    /// Ends the program by force.
    pub(super) fn kill(&mut self) {
        if !std::mem::replace(&mut self.is_over, true) {
            kill_group(&self.child);
            // It may have ended by itself.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Ctrl-C on the terminal reaches this program alone, which ends the others in order.
#[cfg(unix)]
fn own_group(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut std::process::Command) {}

/// Kills what a wrapper, such as a shell script, has started too.
#[cfg(unix)]
fn kill_group(child: &Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let Some(group) = group {
        // They may have ended by themselves.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(_: &Child) {}

/// Reads until the end, and sends each line when it is complete.
fn read_lines(mut from: impl Read, sender: &SyncSender<Line>) {
    let mut bytes = vec![0; CHUNK];
    let mut line = Vec::new();
    loop {
        let count = match from.read(&mut bytes) {
            Ok(0) => {
                // The last line need not have an end.
                if !line.is_empty() {
                    let text = String::from_utf8_lossy(&line).trim().to_owned();
                    let _ = sender.send(Line { text, at: Instant::now() });
                }
                return;
            }
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let at = Instant::now();
        for part in bytes[..count].split_inclusive(|byte| *byte == b'\n') {
            let (text, is_end) = match part {
                [text @ .., b'\n'] => (text, true),
                text => (text, false),
            };
            line.extend_from_slice(&text[..text.len().min(MAX_LINE - line.len())]);
            if is_end {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                line.clear();
                if sender.send(Line { text, at }).is_err() {
                    return;
                }
            }
        }
    }
}

/// Writes each line, until the sender or the reader is gone.
fn write_lines(mut to: impl Write, lines: &Receiver<String>) {
    for line in lines {
        let line = line + "\n";
        if to.write_all(line.as_bytes()).and_then(|()| to.flush()).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(bytes.len());
            bytes[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn lines(bytes: &[u8], piece: usize) -> Vec<String> {
        let (sender, received) = mpsc::sync_channel(100);
        read_lines(Slow(bytes, piece), &sender);
        drop(sender);
        received.into_iter().map(|line| line.text).collect()
    }

    #[test]
    fn lines_are_the_same_however_they_come() {
        for piece in [1, 2, 3, 100] {
            let found = lines(b"one\r\n\n  two \xff \nthree", piece);
            assert_eq!(found, ["one", "", "two \u{fffd}", "three"], "{piece}");
        }
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut bytes = vec![b'x'; 10 * MAX_LINE];
        bytes.extend(b"\nshort\n");
        let found = lines(&bytes, CHUNK);
        assert_eq!((found[0].len(), found[1].as_str()), (MAX_LINE, "short"));
    }

    /// However late one asks, a line counts if it came in time.
    #[cfg(unix)]
    #[test]
    fn the_time_of_a_line_is_that_when_it_came() {
        let command = ProgramCommand::new("cat", Vec::<String>::new());
        let mut process = Process::start(&command).expect("it starts");
        let (sender, lines) = mpsc::sync_channel(2);
        process.lines = lines;
        let deadline = Instant::now();
        for (text, at) in [("in time", deadline), ("late", deadline + Duration::from_nanos(1))] {
            sender.send(Line { text: text.to_owned(), at }).expect("there is room");
        }
        let receive = || process.receive(deadline, &AtomicBool::new(false));
        assert_eq!(receive().expect("it is there").text, "in time");
        assert_eq!(receive().expect_err("it is late"), NoLine::Timeout);
    }
}
