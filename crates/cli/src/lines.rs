//! Lines of input, from a file or standard input.
//!
//! Where positions are wanted, games are read as the lines of their positions.
//!
//! A separate thread reads. So lines are answered as they come, and Ctrl-C works while the program
//! waits for input.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use fanorona_core::{Board, Position, RuleSet};
use fanorona_engine::{Record, Records};
use fanorona_knowledge::Knowledge;
use serde::Serialize;

use crate::failure::{ErrorReport, Failure};
use crate::files::MAX_GAMES;
use crate::human::{counted, grouped};
use crate::interrupt;

/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// Chunks that are read ahead.
const CHUNKS_AHEAD: usize = 16;

/// The longest line that is read, in bytes. No position is nearly as long.
const MAX_LINE: usize = 1 << 12;

/// Time between two checks for Ctrl-C.
const INTERRUPT_CHECK: Duration = Duration::from_millis(50);

/// The UTF-8 byte order mark, which some programs write at the beginning of a file.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A line that is not blank, without white space around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// From 1, blank lines counted too. In games, the number of the position.
    pub number: u64,
    /// Bytes that are not UTF-8 are replaced, and a line that is too long is cut off.
    pub text: String,
    /// Why the line cannot be used, if it cannot.
    pub problem: Option<String>,
}

impl Line {
    /// The position in the line, which a `|` may end, or why there is none.
    pub(crate) fn position(&self) -> anyhow::Result<Position> {
        match &self.problem {
            Some(problem) => Err(Failure::input(problem)),
            None => Ok(self.text.split('|').next().unwrap_or_default().trim().parse()?),
        }
    }

    /// The answer in JSON for a line that has none, asked in a game.
    pub(crate) fn failed(&self, game: &Knowledge, error: &anyhow::Error) -> FailedLine<'_> {
        FailedLine {
            board: game.board(),
            rules: game.rules(),
            position: &self.text,
            error: ErrorReport::new(error),
            line: self.number,
        }
    }
}

/// A line without an answer.
#[derive(Serialize)]
pub(crate) struct FailedLine<'l> {
    board: Board,
    rules: RuleSet,
    position: &'l str,
    pub error: ErrorReport,
    line: u64,
}

/// The meaning of an input.
#[derive(Clone, Copy, Debug)]
enum Content {
    Lines,
    /// Positions, or games with these defaults.
    Positions(Board, RuleSet),
}

/// Lines of input.
pub(crate) struct Lines {
    /// For messages.
    name: String,
    is_finite: bool,
    queue: VecDeque<Line>,
    chunks: Receiver<io::Result<Vec<Line>>>,
    error: Option<io::Error>,
}

impl Lines {
    /// Lines of a file; `-` is standard input. Errors of reading are returned with the lines.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        Self::open_as(path, Content::Lines)
    }

    /// The same for positions, one on each line, without lines that begin with `#`. Or every position
    /// of games, of this board and these rules where they name none.
    pub(crate) fn of_positions(path: &Path, board: Board, rules: RuleSet) -> anyhow::Result<Self> {
        Self::open_as(path, Content::Positions(board, rules))
    }

    fn open_as(path: &Path, content: Content) -> anyhow::Result<Self> {
        if path == Path::new("-") {
            let is_finite = is_regular(stdin_metadata());
            return Self::read("standard input".to_owned(), is_finite, content, || Ok(io::stdin()));
        }
        let name = format!("'{}'", path.display());
        let metadata = path.metadata().with_context(|| format!("cannot read {name}"))?;
        // Opening a pipe blocks until another program opens it for writing, so the thread does it.
        let path = path.to_owned();
        Self::read(name, is_regular(Some(metadata)), content, || File::open(path))
    }

    fn read<R: Read>(
        name: String,
        is_finite: bool,
        content: Content,
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
    ) -> anyhow::Result<Self> {
        let (sender, chunks) = mpsc::sync_channel(CHUNKS_AHEAD);
        let work = move || {
            if let Err(error) = open().and_then(|input| send(input, content, &sender)) {
                // If the receiver is gone, the program ends.
                let _ = sender.send(Err(error));
            }
        };
        thread::Builder::new().spawn(work).context("cannot start a thread")?;
        Ok(Self { name, is_finite, queue: VecDeque::new(), chunks, error: None })
    }

    /// Whether the input certainly ends, as a regular file does. A pipe may never end.
    pub(crate) fn is_finite(&self) -> bool {
        self.is_finite
    }

    /// The next line. `None` at the end, and after Ctrl-C.
    pub(crate) fn next_line(&mut self) -> anyhow::Result<Option<Line>> {
        Ok(self.next_batch(1)?.pop())
    }

    /// Waits for a line, and returns it with the lines that were read ahead, up to `most`. Empty at
    /// the end, and after Ctrl-C. Before an error of reading come all lines before it.
    pub(crate) fn next_batch(&mut self, most: usize) -> anyhow::Result<Vec<Line>> {
        while self.queue.is_empty() && self.error.is_none() {
            if interrupt::requested() {
                return Ok(Vec::new());
            }
            match self.chunks.recv_timeout(INTERRUPT_CHECK) {
                Ok(chunk) => self.add(chunk),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
            }
        }
        while self.queue.len() < most
            && self.error.is_none()
            && let Ok(chunk) = self.chunks.try_recv()
        {
            self.add(chunk);
        }
        if self.queue.is_empty()
            && let Some(error) = self.error.take()
        {
            return Err(error).with_context(|| format!("cannot read {}", self.name));
        }
        Ok(self.queue.drain(..self.queue.len().min(most)).collect())
    }

    /// Fails if lines got no answer.
    pub(crate) fn check(&self, answered: u64, failed: u64) -> anyhow::Result<()> {
        if failed == 0 {
            return Ok(());
        }
        let (failed, all) = (grouped(failed), counted(answered + failed, "position"));
        let name = &self.name;
        let text = format!("{failed} of {all} of {name} got no answer; their output lines say why");
        Err(Failure::input(text))
    }

    fn add(&mut self, chunk: io::Result<Vec<Line>>) {
        match chunk {
            Ok(lines) => self.queue.extend(lines),
            Err(error) => self.error = Some(error),
        }
    }
}

fn is_regular(metadata: Option<std::fs::Metadata>) -> bool {
    metadata.is_some_and(|metadata| metadata.is_file())
}

#[cfg(unix)]
fn stdin_metadata() -> Option<std::fs::Metadata> {
    use std::os::fd::AsFd;
    let stdin = io::stdin().as_fd().try_clone_to_owned().ok()?;
    File::from(stdin).metadata().ok()
}

#[cfg(not(unix))]
fn stdin_metadata() -> Option<std::fs::Metadata> {
    None
}

type Sender = SyncSender<io::Result<Vec<Line>>>;

/// Reads to the end, and sends lines as soon as they are complete.
fn send(mut input: impl Read, content: Content, sender: &Sender) -> io::Result<()> {
    let mut splitter = Splitter::default();
    let mut bytes = vec![0; CHUNK];
    // What was read before the first line that shows whether games follow.
    let mut head = Vec::new();
    let mut is_known = true;
    if let Content::Positions(..) = content {
        splitter.skips_comments = true;
        is_known = false;
    }
    loop {
        let count = match input.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            count => count?,
        };
        let mut lines = Vec::new();
        if is_known {
            lines = splitter.add(&bytes[..count]);
        } else {
            head.extend_from_slice(&bytes[..count]);
            let complete = head.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            let complete = if count == 0 { head.len() } else { complete };
            let begin = String::from_utf8_lossy(&head[..complete]);
            if let Content::Positions(board, rules) = content
                && Records::are_in(&begin)
            {
                return send_games(head, input, (board, rules), sender);
            }
            is_known = count == 0
                || head.len() > CHUNK
                || begin
                    .lines()
                    .any(|line| !line.trim().is_empty() && !line.starts_with(['#', ';', '%']));
            if is_known {
                lines = splitter.add(&std::mem::take(&mut head));
            }
        }
        if count == 0 {
            lines.extend(splitter.end());
        }
        let is_wanted = lines.is_empty() || sender.send(Ok(lines)).is_ok();
        if count == 0 || !is_wanted {
            return Ok(());
        }
    }
}

/// Sends the positions of games, whose text begins with `head`.
fn send_games(
    head: Vec<u8>,
    input: impl Read,
    (board, rules): (Board, RuleSet),
    sender: &Sender,
) -> io::Result<()> {
    let most = MAX_GAMES << 20;
    let mut bytes = head;
    input.take(most + 1 - (bytes.len() as u64).min(most)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("the games have more than {MAX_GAMES} MiB")));
    }
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    let mut number = 0;
    for (at, record) in (1..).zip(Records::new(&text).with_defaults(board, rules)) {
        let wrong = |problem: String| Line {
            number: number + 1,
            text: format!("game {at}"),
            problem: Some(format!("game {at}: {problem}")),
        };
        let lines = match record {
            Err(error) => vec![wrong(error.to_string())],
            Ok(record) if *record.game().rules() != rules => {
                let found = record.game().rules();
                vec![wrong(format!("its rules are {found}, not {rules}; use --rules {found}"))]
            }
            Ok(record) => positions(&record, number),
        };
        number += lines.len() as u64;
        if sender.send(Ok(lines)).is_err() {
            break;
        }
    }
    Ok(())
}

/// The positions of a game as lines, of which so many were before.
fn positions(record: &Record, before: u64) -> Vec<Line> {
    let game = record.game();
    let all = game.earlier().iter().chain([game.position()]);
    let line = |(number, position): (u64, &Position)| Line {
        number,
        text: position.to_string(),
        problem: None,
    };
    (before + 1..).zip(all).map(line).collect()
}

/// Splits bytes into lines.
#[derive(Default)]
struct Splitter {
    /// The number of complete lines.
    lines: u64,
    /// The incomplete line, up to one byte more than is allowed.
    line: Vec<u8>,
    /// Whether lines that begin with `#` are left out.
    skips_comments: bool,
}

impl Splitter {
    /// The lines that end in these bytes.
    fn add(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut ended = Vec::new();
        let mut parts = bytes.split(|byte| *byte == b'\n');
        // After the last line break comes the beginning of the next line.
        let last = parts.next_back().unwrap_or_default();
        for part in parts {
            self.extend(part);
            ended.extend(self.take());
        }
        self.extend(last);
        ended
    }

    /// The line after the last line break.
    fn end(&mut self) -> Vec<Line> {
        self.take().into_iter().collect()
    }

    fn extend(&mut self, part: &[u8]) {
        let room = MAX_LINE + 1 - self.line.len();
        self.line.extend_from_slice(&part[..part.len().min(room)]);
    }

    /// The line that has ended, unless it is blank or a comment.
    fn take(&mut self) -> Option<Line> {
        self.lines += 1;
        let number = self.lines;
        let bytes = std::mem::take(&mut self.line);
        let mark = if number == 1 { BYTE_ORDER_MARK } else { b"" };
        let bytes = bytes.strip_prefix(mark).unwrap_or(&bytes);
        let problem = if bytes.len() > MAX_LINE {
            Some(format!("line {number} is longer than {} bytes", grouped(MAX_LINE)))
        } else {
            str::from_utf8(bytes).err().map(|error| {
                let at = error.valid_up_to();
                format!("line {number} is not UTF-8: byte {} is 0x{:02x}", at + 1, bytes[at])
            })
        };
        let shown = &bytes[..bytes.len().min(MAX_LINE)];
        let text = String::from_utf8_lossy(shown).trim().to_owned();
        let is_comment = self.skips_comments && text.starts_with('#');
        (!text.is_empty() && !is_comment).then_some(Line { number, text, problem })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of bytes that come in pieces of this size.
    fn lines(bytes: &[u8], piece: usize) -> Vec<Line> {
        let mut splitter = Splitter::default();
        let mut lines: Vec<_> = bytes.chunks(piece).flat_map(|p| splitter.add(p)).collect();
        lines.extend(splitter.end());
        lines
    }

    #[test]
    fn lines_are_the_same_however_they_come() {
        let text = "\u{feff}first\r\n\n  second  \n\u{feff}\nlast";
        let expected = [(1, "first"), (3, "second"), (4, "\u{feff}"), (5, "last")];
        for piece in 1..text.len() {
            let found = lines(text.as_bytes(), piece);
            assert!(found.iter().all(|line| line.problem.is_none()));
            let found: Vec<_> =
                found.iter().map(|line| (line.number, line.text.as_str())).collect();
            assert_eq!(found, expected, "{piece}");
        }
        assert_eq!(lines(b"", 1), []);
        assert_eq!(lines(b"\n \n", 1), []);
    }

    #[test]
    fn what_is_not_utf8_is_named() {
        let found = lines(b"good\nb\xc3\xa4d \xff\nlast", 3);
        let problem = Some("line 2 is not UTF-8: byte 6 is 0xff".to_owned());
        assert_eq!(found[1], Line { number: 2, text: "b\u{e4}d \u{fffd}".to_owned(), problem });
        assert_eq!((found.len(), &found[2].problem), (3, &None));
    }

    #[test]
    fn a_line_without_end_takes_no_memory() {
        let mut splitter = Splitter::default();
        for _ in 0..100 {
            assert_eq!(splitter.add(&[b'x'; CHUNK]), []);
        }
        assert!(splitter.line.capacity() < 4 * MAX_LINE);
        let found = splitter.add(b"\nshort\n");
        assert_eq!(found[0].text.len(), MAX_LINE);
        assert_eq!(found[0].problem.as_deref(), Some("line 1 is longer than 4,096 bytes"));
        assert_eq!((found[1].text.as_str(), &found[1].problem), ("short", &None));
        let whole = lines(&[b'x'; MAX_LINE], 1000);
        assert_eq!((whole[0].text.len(), &whole[0].problem), (MAX_LINE, &None));
    }
}
