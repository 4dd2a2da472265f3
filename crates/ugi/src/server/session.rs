//! A session: one program at the other end.

use std::io::{BufRead, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::{self, Builder, JoinHandle};
use std::time::{Duration, Instant};

use fanorona_core::{Position, Side, Turn};
use fanorona_engine::{Engine, Game, GameEnd, Limits, Options};

use super::control::Control;
use super::input::{Line, MAX_LINE_BYTES, next_line};
use super::options::{Change, declarations, set};
use super::output::Output;
use super::perft::Count;
use super::search::Job;
use super::settings::Settings;
use super::time::budget;
use crate::protocol::{Command, Dialect, Go, Info, Message, Query, Start, shown};

/// How often it is asked whether a count has ended.
const COUNT_INTERVAL: Duration = Duration::from_millis(2);

/// Answers one program. A search runs on a thread of its own, so that every other command is
/// answered meanwhile. When a session is dropped, it ends its search and waits for it.
pub struct Session {
    settings: Settings,
    /// `None` after a position that could not be used.
    game: Option<Game>,
    /// `None` until it is needed, and while it searches.
    engine: Option<Engine>,
    search: Option<Search>,
    output: Output,
}

/// A search that runs, or has ended since the last command.
struct Search {
    /// Gives the engine back, if it had one.
    thread: JoinHandle<Option<Engine>>,
    control: Arc<Control>,
    /// Whether it is a count, which the end of the session waits for.
    is_count: bool,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("settings", &self.settings)
            .field("game", &self.game)
            .field("is_searching", &self.search.is_some())
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A session that prints on a writer. It does nothing before the first command.
    pub fn new(settings: Settings, output: impl Write + Send + 'static) -> Self {
        let mut session =
            Self { settings, game: None, engine: None, search: None, output: Output::new(output) };
        session.start_game();
        session
    }

    /// Answers lines until `quit`, the end of the input, or until nobody reads the output. A search
    /// that runs then is stopped, and answers.
    pub fn run(&mut self, mut input: impl BufRead) {
        while !self.output.is_closed() {
            let answered = match next_line(&mut input) {
                None => break,
                Some(Line::Text(line)) => self.answer(&line),
                Some(Line::TooLong) => {
                    self.output
                        .say(format_args!("a line of more than {MAX_LINE_BYTES} bytes is ignored"));
                    ControlFlow::Continue(())
                }
            };
            if answered.is_break() {
                break;
            }
        }
        self.wait_for_count();
        self.end_search();
    }

    /// Waits for the end of a count, if one runs and somebody reads it: who sends `go perft` and `quit`
    /// together wants the sum.
    fn wait_for_count(&self) {
        let Some(search) = self.search.as_ref().filter(|search| search.is_count) else { return };
        while !search.thread.is_finished() && !self.output.is_closed() {
            thread::sleep(COUNT_INTERVAL);
        }
    }

    /// Answers one line. `Break` after `quit`.
    pub fn answer(&mut self, line: &str) -> ControlFlow<()> {
        let received = Instant::now();
        let (command, problems) = Command::read(line);
        for problem in problems {
            self.output.say(problem);
        }
        match command {
            None | Some(Command::Debug(_) | Command::Register) => {}
            Some(Command::Hello(dialect)) => self.introduce(dialect),
            Some(Command::IsReady) => {
                if self.is_idle() && self.engine.is_none() {
                    self.engine = self.build();
                }
                self.output.send(&[Message::Ready]);
            }
            Some(Command::SetOption { name, value }) => {
                self.set_option(&name, value.as_deref().unwrap_or(""));
            }
            Some(Command::NewGame) => {
                if self.may_change("a new game") {
                    if let Some(engine) = &mut self.engine {
                        engine.clear();
                    }
                    self.start_game();
                }
            }
            Some(Command::Position { start, turns }) => self.set_position(start, &turns),
            Some(Command::Query(query)) => self.answer_query(query),
            Some(Command::Go(go)) => self.go(&go, received),
            Some(Command::Stop) => {
                if let Some(search) = &self.search {
                    search.control.stop();
                }
            }
            Some(Command::Show) => self.show(),
            Some(Command::Quit) => {
                self.wait_for_count();
                self.end_search();
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn introduce(&self, dialect: Dialect) {
        let name = format!("fanorona {}", env!("CARGO_PKG_VERSION"));
        let mut messages =
            vec![Message::Name(name), Message::Author("the Fanorona toolkit authors".to_owned())];
        messages.extend(declarations(&self.settings).into_iter().map(Message::Option));
        messages.push(Message::Ok(dialect));
        self.output.send(&messages);
    }

    fn build(&self) -> Option<Engine> {
        self.settings.build(|text| self.output.say(text))
    }

    fn start_game(&mut self) {
        let Settings { rules, board, player: Options { draw_rules, .. }, .. } = self.settings;
        self.game = Some(Game::with_draws(rules, board.start(), draw_rules));
    }

    fn set_option(&mut self, name: &str, value: &str) {
        if !self.may_change("an option") {
            return;
        }
        let change = match set(&mut self.settings, name, value) {
            Ok(change) => change,
            Err(error) => return self.output.say(error),
        };
        match change {
            Change::None => {}
            Change::Clear => {
                if let Some(engine) = &mut self.engine {
                    engine.clear();
                }
            }
            Change::Engine => self.engine = None,
            Change::Replay => {
                self.engine = None;
                let draws = self.settings.player.draw_rules;
                if let Some(game) = &mut self.game {
                    let mut again = Game::with_draws(*game.rules(), *game.start(), draws);
                    game.turns().iter().for_each(|turn| again.play(turn.clone()));
                    *game = again;
                }
            }
            Change::Game => {
                self.engine = None;
                self.start_game();
            }
        }
    }

    /// Sets the position. After one that cannot be used there is none: what the other program would
    /// do with a turn of an older position is not known.
    fn set_position(&mut self, start: Start, turns: &[String]) {
        match self.read_position(start, turns) {
            Ok(game) => self.game = Some(game),
            Err(error) => {
                self.game = None;
                self.output.say(format_args!("there is no position now: {error}"));
            }
        }
    }

    fn read_position(&self, start: Start, turns: &[String]) -> Result<Game, String> {
        let Settings { rules, board, player: Options { draw_rules, .. }, .. } = self.settings;
        let start = match start {
            Start::Board => board.start(),
            Start::Position(text) => {
                let position: Position =
                    text.parse().map_err(|error| format!("'{}': {error}", shown(&text)))?;
                if position.board() != board {
                    return Err(format!(
                        "'{position}' is of {}, and the option Board is {board}",
                        position.board()
                    ));
                }
                position
            }
        };
        let mut game = Game::with_draws(rules, start, draw_rules);
        for (i, text) in turns.iter().enumerate() {
            let turn = rules.parse_turn(game.position(), text).map_err(|error| {
                format!("turn {} '{}' at '{}': {error}", i + 1, shown(text), game.position())
            })?;
            game.play(turn);
        }
        Ok(game)
    }

    fn answer_query(&self, query: Query) {
        let truth = |is_true| if is_true { "true" } else { "false" };
        let answer = match (&self.game, query) {
            (None, _) => "none",
            (Some(game), Query::GameOver) => truth(game.end().is_some()),
            (Some(game), Query::P1Turn) => truth(game.position().to_move() == Side::White),
            (Some(game), Query::Result) => match game.end() {
                None => "none",
                Some(GameEnd::Won(Side::White)) => "p1win",
                Some(GameEnd::Won(Side::Black)) => "p2win",
                Some(GameEnd::NoTurn | GameEnd::Threefold | GameEnd::WithoutCapture) => "draw",
            },
        };
        self.output.send(&[Message::Response(answer.to_owned())]);
    }

    fn go(&mut self, go: &Go, received: Instant) {
        if !self.may_change("another search") {
            return;
        }
        let no_turn = Message::BestMove(None);
        let Some(game) = &self.game else {
            self.output.say("there is no position to search");
            return self.output.send(&[no_turn]);
        };
        if let Some(depth) = go.perft {
            let (rules, position) = (*game.rules(), *game.position());
            let control = Arc::new(Control::new(true));
            let output = self.output.clone();
            let count = Count { rules, position, depth, control: control.clone(), output };
            let engine = self.engine.take();
            self.start(control, move || {
                count.run();
                engine
            });
            self.search.iter_mut().for_each(|search| search.is_count = true);
            return;
        }
        let turns = self.allowed_turns(game, &go.searchmoves);
        let (position, earlier) = (*game.position(), game.earlier().to_vec());
        let Some(mut engine) = self.engine.take().or_else(|| self.build()) else {
            return self.output.send(&[no_turn]);
        };
        // A search that reduces turns could miss the win.
        engine.set_full_width(go.mate.is_some() || self.settings.player.full_width);
        let budget = budget(go, position.to_move(), self.settings.move_overhead);
        // A win within n own turns is one within 2n − 1 turns of both sides.
        let mate = go.mate.map(|turns| turns.saturating_mul(2).saturating_sub(1));
        let limits = Limits {
            depth: [go.depth, mate].into_iter().flatten().min(),
            nodes: go.nodes,
            time: budget
                .filter(|_| !go.infinite)
                .map(|budget| budget.saturating_sub(received.elapsed())),
        };
        let control = Arc::new(Control::new(!go.infinite));
        let job = Job {
            engine,
            position,
            earlier,
            turns,
            lines: self.settings.lines,
            limits,
            control: control.clone(),
            output: self.output.clone(),
        };
        self.start(control, move || job.run());
        if self.search.is_none() {
            self.output.send(&[no_turn]);
        }
    }

    /// Starts work on a thread of its own.
    fn start(
        &mut self,
        control: Arc<Control>,
        work: impl FnOnce() -> Option<Engine> + Send + 'static,
    ) {
        match Builder::new().name("search".to_owned()).spawn(work) {
            Ok(thread) => {
                self.search = Some(Search { thread, control, is_count: false });
            }
            Err(error) => {
                self.output.say(format_args!("there is no thread to search on: {error}"));
            }
        }
    }

    /// The turns of `searchmoves`, without those that are not legal; `None` if none is left.
    fn allowed_turns(&self, game: &Game, texts: &[String]) -> Option<Vec<Turn>> {
        let mut turns = Vec::new();
        for text in texts {
            match game.rules().parse_turn(game.position(), text) {
                Ok(turn) => turns.push(turn),
                Err(error) => self.output.say(format_args!("searchmoves: {error}")),
            }
        }
        (!turns.is_empty()).then_some(turns)
    }

    /// Shows the position, for people.
    fn show(&self) {
        let Settings { board, rules, player: Options { draw_rules, .. }, .. } = self.settings;
        self.output.say(format_args!("{board}, {rules}, draws: {draw_rules}"));
        let Some(game) = &self.game else {
            return self.output.say("there is no position");
        };
        self.output.say(game.position());
        let turns = rules.turns(game.position());
        let texts: Vec<_> = turns.iter().map(|turn| turn.text(board).to_string()).collect();
        let turns = format!("turns: {}", texts.join(" "));
        // Not shortened, as other texts are.
        self.output.send(&[Message::Info(Info::text(turns))]);
    }

    /// Whether no search runs. One that is about to answer is waited for.
    fn is_idle(&mut self) -> bool {
        let is_ending = |search: &Search| search.control.is_ending() || search.thread.is_finished();
        if self.search.as_ref().is_some_and(is_ending) {
            self.end_search();
        }
        self.search.is_none()
    }

    /// Whether no search runs. Otherwise it says that something is refused.
    fn may_change(&mut self, what: &str) -> bool {
        let is_idle = self.is_idle();
        if !is_idle {
            self.output
                .say(format_args!("{what} is refused while a search runs; send 'stop' before"));
        }
        is_idle
    }

    /// Stops the search, and waits for its answer.
    fn end_search(&mut self) {
        let Some(search) = self.search.take() else { return };
        search.control.stop();
        match search.thread.join() {
            Ok(engine) => self.engine = engine,
            Err(_) => self.output.say("the search failed; the engine is built again"),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end_search();
    }
}
