//! A session without a process: lines in, lines out.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use fanorona_ugi::protocol::{Info, Message};
use fanorona_ugi::server::{Session, Settings};

/// Longer than any answer takes, on any machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// Hands on whole lines.
struct Lines {
    begun: Vec<u8>,
    to: Sender<String>,
    /// The first write with this text panics.
    panics_at: Option<&'static str>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_there = |text: &mut &str| String::from_utf8_lossy(bytes).contains(*text);
        assert!(self.panics_at.take_if(is_there).is_none(), "planted");
        for byte in bytes {
            if *byte == b'\n' {
                let line = String::from_utf8(std::mem::take(&mut self.begun)).expect("it is text");
                self.to.send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
            } else {
                self.begun.push(*byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        assert!(self.begun.is_empty(), "only whole lines are flushed");
        Ok(())
    }
}

pub(crate) struct Dialogue {
    session: Session,
    lines: Receiver<String>,
}

impl Dialogue {
    pub(crate) fn new(settings: Settings) -> Self {
        Self::with(settings, None)
    }

    /// A session whose first output with a text panics, in the thread that writes it.
    pub(crate) fn panicking_at(text: &'static str) -> Self {
        Self::with(Settings::default(), Some(text))
    }

    fn with(settings: Settings, panics_at: Option<&'static str>) -> Self {
        let (to, lines) = channel();
        let session = Session::new(settings, Lines { begun: Vec::new(), to, panics_at });
        Self { session, lines }
    }

    /// A session with little memory and a seed.
    pub(crate) fn start() -> Self {
        let mut settings = Settings::default();
        (settings.player.memory, settings.player.seed) = (1 << 20, Some(1));
        Self::new(settings)
    }

    pub(crate) fn send(&mut self, lines: &str) {
        for line in lines.lines() {
            let _ = self.session.answer(line);
        }
    }

    /// Sends a line that ends the session.
    pub(crate) fn send_last(&mut self, line: &str) {
        assert_eq!(self.session.answer(line), ControlFlow::Break(()));
    }

    /// The next line.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("there is an answer")
    }

    /// The lines up to one that starts like this.
    pub(crate) fn until(&self, start: &str) -> Vec<String> {
        let mut lines = vec![self.line()];
        while !lines[lines.len() - 1].starts_with(start) {
            lines.push(self.line());
        }
        lines
    }

    /// Sends lines, and returns the last line of the answer, which starts like this.
    pub(crate) fn ask(&mut self, lines: &str, start: &str) -> String {
        self.send(lines);
        self.until(start).pop().expect("there is a line")
    }

    /// Sends lines, and returns what is printed by the time that `isready` is answered.
    pub(crate) fn said(&mut self, lines: &str) -> Vec<String> {
        self.send(lines);
        self.send("isready");
        let mut said = self.until("readyok");
        said.pop();
        said
    }

    /// Searches: the infos with their bases, and the turn.
    pub(crate) fn search(&mut self, go: &str) -> (Vec<(String, Info)>, Option<String>) {
        self.send(go);
        let (mut infos, mut basis) = (Vec::new(), None);
        for line in self.until("bestmove") {
            let Ok(message) = line.parse();
            match message {
                Message::Info(Info { string: Some(text), .. }) => {
                    assert!(text.starts_with("basis "), "{text}");
                    basis = Some(text);
                }
                Message::Info(info) => infos.push((basis.take().expect("a basis before"), info)),
                Message::BestMove(turn) => return (infos, turn),
                other => panic!("{other}"),
            }
        }
        unreachable!("there is a bestmove")
    }
}
