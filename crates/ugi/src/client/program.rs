//! The other side of UGI and UCI: a program that is asked for turns.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fanorona_core::{Board, Position, RuleSet, Turn};
use fanorona_engine::Game;
use fanorona_perft::compare::LineKind;

use super::command::ProgramCommand;
use super::error::ClientError;
use super::process::{NoLine, NotSent, Process};
use super::run::{MAX_OUTPUT, start};
use crate::protocol::{Command, Dialect, Go, Info, Message, OptionDeclaration, OptionKind, Start};

/// How long a program may take to answer by UGI before it is asked by UCI.
const GREETING: Duration = Duration::from_secs(3);

/// The most options that a program may declare.
const MAX_OPTIONS: usize = 1000;

/// How long a search may take to end after it is asked to.
const STOP_TIME: Duration = Duration::from_millis(500);

/// How long a program that is ready may be silent before its count is taken as complete.
const QUIET_TIME: Duration = Duration::from_millis(300);

/// Nobody stops.
static GO_ON: AtomicBool = AtomicBool::new(false);

/// The most characters of a name, and of a wrong turn, that are kept.
const MAX_TEXT: usize = 100;

/// The direction of a line in a [`Trace`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// To the program.
    Sent,
    /// From the program.
    Received,
}

/// Sees each line that is sent and received.
pub type Trace = Arc<dyn Fn(Direction, &str) + Send + Sync>;

/// How to start a program and talk to it.
#[derive(Clone)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProgramSettings {
    pub command: ProgramCommand,
    /// The protocol. `None` finds it out: the program is asked by UGI, and by UCI too if that gets no
    /// answer.
    pub dialect: Option<Dialect>,
    /// Options to set, as names and values.
    pub options: Vec<(String, String)>,
    /// The longest time for the program to start, and to be ready.
    pub timeout: Duration,
    /// Sees each line.
    pub trace: Option<Trace>,
}

impl ProgramSettings {
    /// A program that speaks UGI or UCI, with its own options, and 10 seconds to be ready.
    pub fn new(command: ProgramCommand) -> Self {
        Self {
            command,
            dialect: None,
            options: Vec::new(),
            timeout: Duration::from_secs(10),
            trace: None,
        }
    }
}

impl fmt::Debug for ProgramSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgramSettings")
            .field("command", &self.command)
            .field("dialect", &self.dialect)
            .field("options", &self.options)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// A turn that a program has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The turn. It is legal.
    pub turn: Turn,
    /// The time from the question to the answer.
    pub elapsed: Duration,
    /// The program's last report with a score of its best line; empty if there was none.
    pub info: Info,
}

/// A running program that plays.
///
/// It is asked to quit when this is dropped, and killed if it does not. After an error it must not be
/// asked again: it may still answer the earlier question.
pub struct Program {
    process: Process,
    dialect: Dialect,
    timeout: Duration,
    trace: Option<Trace>,
    name: String,
    options: Vec<OptionDeclaration>,
    /// The values that were set, by the names that the program gives.
    set: Vec<(String, String)>,
    /// Whether it has been asked for a turn that it has not given.
    is_searching: bool,
    is_broken: bool,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program")
            .field("process", &self.process)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Starts a program, asks who it is, sets its options, and waits until it is ready.
    ///
    /// # Errors
    /// If it cannot be started, does not speak the protocol, or does not have an option or its
    /// value; and [`ClientError::Stopped`] if `stop` is set.
    pub fn start(settings: &ProgramSettings, stop: &AtomicBool) -> Result<Self, ClientError> {
        match Self::start_as(settings, settings.dialect, stop) {
            // It may have ended because it does not know the word `ugi`.
            Err(ClientError::Ended(_)) if settings.dialect.is_none() => {
                Self::start_as(settings, Some(Dialect::Uci), stop)
            }
            started => started,
        }
    }

    fn start_as(
        settings: &ProgramSettings,
        dialect: Option<Dialect>,
        stop: &AtomicBool,
    ) -> Result<Self, ClientError> {
        let ProgramSettings { command, options, timeout, trace, .. } = settings;
        let process = start(command)?;
        let mut program = Self {
            process,
            dialect: dialect.unwrap_or_default(),
            timeout: *timeout,
            trace: trace.clone(),
            name: command.to_string().chars().take(MAX_TEXT).collect(),
            options: Vec::new(),
            set: Vec::new(),
            is_searching: false,
            is_broken: true,
        };
        program.greet(dialect.is_none(), stop)?;
        for (name, value) in options {
            program.set_option(name, value)?;
        }
        program.wait_until_ready(stop)?;
        program.is_broken = false;
        Ok(program)
    }

    /// The name that it gives itself, or its command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The options that it has.
    pub fn options(&self) -> &[OptionDeclaration] {
        &self.options
    }

    fn option(&self, name: &str) -> Option<&OptionDeclaration> {
        self.options.iter().find(|option| option.is_named(name))
    }

    /// Whether an error has occurred, so that it must not be asked again.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Asks who the program is. With `may_ask_again`, one that does not answer by UGI is asked by UCI
    /// too. If it was only slow, it answers both, so the last answer counts.
    fn greet(&mut self, mut may_ask_again: bool, stop: &AtomicBool) -> Result<(), ClientError> {
        self.send(&Command::Hello(self.dialect))?;
        let asked = Instant::now();
        let (mut asked_again, mut answered) = (false, false);
        loop {
            let expected = match self.dialect {
                _ if answered => "readyok",
                _ if asked_again => "ugiok or uciok",
                Dialect::Ugi => "ugiok",
                Dialect::Uci => "uciok",
            };
            let limit = if may_ask_again { self.timeout.min(GREETING) } else { self.timeout };
            let is_other = match self.receive(asked, limit, stop, expected) {
                Err(ClientError::Silent { .. }) if may_ask_again => true,
                Err(error) => return Err(error),
                Ok((message, _)) => match message {
                    Message::Name(name) => {
                        let visible = name.chars().filter(|c| !c.is_control());
                        self.name = visible.take(MAX_TEXT).collect();
                        false
                    }
                    Message::Option(option) => {
                        if answered {
                            answered = false;
                            self.options.clear();
                        }
                        if self.options.len() >= MAX_OPTIONS {
                            return Err(ClientError::TooManyOptions { most: MAX_OPTIONS });
                        }
                        self.options.push(option);
                        false
                    }
                    Message::Ok(dialect) if asked_again => {
                        self.dialect = dialect;
                        answered = true;
                        self.send(&Command::IsReady)?;
                        false
                    }
                    Message::Ok(dialect) if dialect == self.dialect => return Ok(()),
                    Message::Ready if answered => return Ok(()),
                    // `Unknown command: 'ugi'`, as some programs say.
                    Message::Other(line) => may_ask_again && line.contains("ugi"),
                    _ => false,
                },
            };
            if is_other {
                may_ask_again = false;
                asked_again = true;
                self.send(&Command::Hello(Dialect::Uci))?;
            }
        }
    }

    /// Sets an option. It takes effect when the program is next ready.
    ///
    /// # Errors
    /// If the program does not have the option, or the option not this value.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        let Some(option) = self.option(name) else {
            let names: Vec<_> = self.options.iter().map(|option| option.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let name = name.chars().take(MAX_TEXT).collect();
            return Err(ClientError::UnknownOption { name, known });
        };
        // A line end would be a second command.
        let value = option.value(&value.replace(['\n', '\r'], " "))?;
        let name = option.name.clone();
        let is_button = option.kind == OptionKind::Button;
        let sent = (!is_button).then(|| match value.as_str() {
            "" => "<empty>".to_owned(),
            value => value.to_owned(),
        });
        self.send(&Command::SetOption { name: name.clone(), value: sent })?;
        self.set.retain(|(known, _)| *known != name);
        self.set.push((name, value));
        Ok(())
    }

    /// Prepares for a game from this position, under this rule set: sets the options `Board` and
    /// `Rules` if the program has them, and waits until it is ready. A program without them must
    /// know the rules by itself.
    ///
    /// # Errors
    /// If the program cannot play this game, does not answer in time, or ends.
    pub fn new_game(&mut self, game: &Game, stop: &AtomicBool) -> Result<(), ClientError> {
        self.guarded(|program| {
            let (board, rules) = (game.start().board().to_string(), game.rules().to_string());
            if program.has_other("Board", &board) {
                // The rules of the last game may not fit the next board.
                program.offer("Rules", &RuleSet::STANDARD.to_string())?;
                program.offer("Board", &board)?;
            }
            program.offer("Rules", &rules)?;
            program.offer("Draws", &game.draws().to_string())?;
            program.send(&Command::NewGame)?;
            program.wait_until_ready(stop)
        })
    }

    /// Whether the program has an option for the rules that can have this value.
    pub fn knows_rules(&self, rules: &RuleSet) -> bool {
        self.option("Rules").is_some_and(|option| option.value(&rules.to_string()).is_ok())
    }

    /// Sets an option if the program has it with another value.
    fn offer(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        if self.has_other(name, value) { self.set_option(name, value) } else { Ok(()) }
    }

    /// Whether the program has an option, and with another value.
    fn has_other(&self, name: &str, value: &str) -> bool {
        let Some(option) = self.option(name) else { return false };
        let set = self.set.iter().find(|(known, _)| option.is_named(known));
        let now = match (&option.kind, set) {
            (_, Some((_, value))) => Some(value.as_str()),
            (OptionKind::Combo { default, .. } | OptionKind::String { default }, None) => {
                Some(default.as_str())
            }
            _ => None,
        };
        now != Some(value)
    }

    /// Asks for a turn in a game that is not over. What the program has sent before is left out.
    ///
    /// # Errors
    /// If it does not answer within `deadline`, ends, or gives a turn that is not legal. If `stop` is
    /// set, it is asked to end the search; then the error is [`ClientError::Stopped`], and it can be
    /// asked again unless it is broken.
    pub fn go(
        &mut self,
        game: &Game,
        go: &Go,
        deadline: Duration,
        stop: &AtomicBool,
    ) -> Result<Found, ClientError> {
        let found = self.guarded(|program| program.ask(game, go, deadline, stop));
        if self.is_searching && matches!(found, Err(ClientError::Stopped)) {
            self.is_broken = self.end_search().is_err();
        }
        found
    }

    /// Ends a search; its turn is left out.
    fn end_search(&mut self) -> Result<(), ClientError> {
        self.send(&Command::Stop)?;
        let asked = Instant::now();
        loop {
            let (message, _) = self.receive(asked, STOP_TIME, &GO_ON, "bestmove")?;
            if matches!(message, Message::BestMove(_)) {
                break;
            }
        }
        self.is_searching = false;
        Ok(())
    }

    fn ask(
        &mut self,
        game: &Game,
        go: &Go,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Found, ClientError> {
        let board = game.start().board();
        let turns = game.turns().iter().map(|turn| turn.text(board).to_string());
        // A program without the option `Board` plays on 9x5.
        let knows_board = board == Board::tsivy() || self.option("Board").is_some();
        let start = match knows_board && *game.start() == board.start() {
            true => Start::Board,
            false => Start::Position(game.start().to_string()),
        };
        self.send(&Command::Position { start, turns: turns.collect() })?;
        // Whatever comes before the answer to this belongs to an earlier question.
        self.wait_until_ready(stop)?;
        let asked = Instant::now();
        self.send(&Command::Go(go.clone()))?;
        self.is_searching = true;
        let mut info = Info::default();
        loop {
            let (message, at) = self.receive(asked, time, stop, "bestmove")?;
            let turn = match message {
                Message::BestMove(turn) => turn,
                Message::Info(said) if said.score.is_some() && said.multipv.unwrap_or(1) == 1 => {
                    info = said;
                    continue;
                }
                _ => continue,
            };
            self.is_searching = false;
            let text = turn.ok_or(ClientError::NoTurn)?;
            let turn = game.rules().parse_turn(game.position(), &text);
            let turn = turn.map_err(|reason| ClientError::IllegalTurn {
                text: text.chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect(),
                reason,
            })?;
            let elapsed = at.saturating_duration_since(asked);
            return Ok(Found { turn, elapsed, info });
        }
    }

    /// Asks for the counts below each turn of a position, by `go perft`, and returns what the program
    /// prints.
    ///
    /// The output ends by a line with the number of nodes, as Stockfish has it, by that number alone, or
    /// by an empty line behind a turn. Without such a line it ends when the program is ready again and has
    /// been quiet for a moment.
    ///
    /// # Errors
    /// If it does not answer within `limit`, ends, or prints without end, or if `stop` is set.
    pub fn perft(
        &mut self,
        position: &Position,
        depth: u8,
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<String, ClientError> {
        self.guarded(|program| {
            let start = Start::Position(position.to_string());
            program.send(&Command::Position { start, turns: Vec::new() })?;
            program.wait_until_ready(stop)?;
            program.send(&Command::Go(Go { perft: Some(depth), ..Go::default() }))?;
            program.send(&Command::IsReady)?;
            let deadline = Instant::now() + limit;
            let mut output = String::new();
            // A program that counts beside its other work is ready before it has counted.
            let (mut unready, mut has_turns, mut has_end) = (1, false, false);
            while unready > 0 || !has_end {
                let quiet = Instant::now() + QUIET_TIME;
                let until = if unready == 0 { deadline.min(quiet) } else { deadline };
                let line = match program.process.receive(until, stop) {
                    Ok(line) => line.text,
                    Err(NoLine::Timeout) if unready == 0 && quiet < deadline => break,
                    Err(NoLine::Timeout) => return Err(ClientError::Unfinished { limit }),
                    Err(NoLine::Ended) => return Err(ClientError::Ended(program.process.status())),
                    Err(NoLine::Stopped) => return Err(ClientError::Stopped),
                };
                program.trace(Direction::Received, &line);
                if line == "readyok" {
                    unready -= 1;
                    continue;
                }
                match LineKind::of(&line) {
                    LineKind::Turn => has_turns = true,
                    LineKind::Total | LineKind::Number => has_end = true,
                    LineKind::Empty if has_turns && !has_end => {
                        has_end = true;
                        // A sum can follow.
                        if unready == 0 {
                            program.send(&Command::IsReady)?;
                            unready = 1;
                        }
                    }
                    _ => {}
                }
                output += &line;
                output.push('\n');
                if output.len() > MAX_OUTPUT {
                    return Err(ClientError::Flood { most: MAX_OUTPUT });
                }
            }
            Ok(output)
        })
    }

    fn wait_until_ready(&mut self, stop: &AtomicBool) -> Result<(), ClientError> {
        self.send(&Command::IsReady)?;
        let (asked, limit) = (Instant::now(), self.timeout);
        while self.receive(asked, limit, stop, "readyok")?.0 != Message::Ready {}
        Ok(())
    }

    /// After an error in the work, the program is broken.
    fn guarded<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, ClientError>,
    ) -> Result<T, ClientError> {
        self.is_broken = true;
        let done = work(self)?;
        self.is_broken = false;
        Ok(done)
    }

    fn send(&mut self, command: &Command) -> Result<(), ClientError> {
        self.send_line(command.line(self.dialect).to_string())
    }

    fn send_line(&mut self, line: String) -> Result<(), ClientError> {
        self.trace(Direction::Sent, &line);
        match self.process.send(line) {
            Ok(()) => Ok(()),
            Err(NotSent::NotReading) => Err(ClientError::NotReading),
            Err(NotSent::Ended) => Err(ClientError::Ended(self.process.status())),
        }
    }

    /// Waits for the next line, until the limit after the question is over.
    fn receive(
        &mut self,
        asked: Instant,
        limit: Duration,
        stop: &AtomicBool,
        expected: &'static str,
    ) -> Result<(Message, Instant), ClientError> {
        match self.process.receive(asked + limit, stop) {
            Ok(line) => {
                self.trace(Direction::Received, &line.text);
                let Ok(message) = Message::from_str(&line.text);
                Ok((message, line.at))
            }
            Err(NoLine::Timeout) => Err(ClientError::Silent { expected, limit }),
            Err(NoLine::Ended) => Err(ClientError::Ended(self.process.status())),
            Err(NoLine::Stopped) => Err(ClientError::Stopped),
        }
    }

    fn trace(&self, direction: Direction, line: &str) {
        if let Some(trace) = &self.trace {
            trace(direction, line);
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.is_broken {
            self.process.kill();
        } else {
            let line = Command::Quit.line(self.dialect).to_string();
            self.trace(Direction::Sent, &line);
            self.process.quit(line);
        }
    }
}
