//! `play`: a game against the program in the terminal.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::{Args, ValueEnum};
use fanorona_core::{Side, Turn, Value};
use fanorona_engine::{Analysis, DrawRules, Engine, Game, GameEnd, Level, Limits, Options};
use fanorona_proof::Book;
use fanorona_tablebase::Tables;

use crate::drawing;
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::lines::Lines;
use crate::options::{PositionOptions, ReadOptions, at_least, between};
use crate::output::{self, Output};

/// Time for a turn at full strength, and for a hint, if no limit is given.
const SECONDS: f64 = 2.0;

/// The longest time that can be asked for, in seconds: a day.
const MAX_SECONDS: f64 = 86_400.0;

const HELP: &str = "\
Type a turn, such as d3-e3A, or its number in the list that 'turns' prints.
A is capture by approach, W by withdrawal; a relay continues with dashes: d2-e3A-f4W.
  turns    list the legal turns
  hint     ask the program for a turn
  undo     take back your last turn and the answer
  board    draw the board again
  resign   give up the game
  quit     leave; the turns of the game are printed";

/// Play a game against the program
#[derive(Debug, Args)]
#[command(after_help = "\
Turns and commands are read from standard input, one on each line; 'help' lists the commands. \
Levels: 1 beginner, 2 novice, 3 casual, 4 club, 5 strong, 6 expert, 7 master, 8 full, 9 unbeatable. The first \
seven do not use tables or --time; level 8 uses all that you give it.

Level 9 cannot lose from a position that is proved to be at least a draw for it. It needs a proof of \
the start, as certificates that you name with --book and the tables that these need. On 9x5 that is \
data/proofs/9x5-standard.proof and the tables to 8 stones. The certificates are believed; check them \
with fanorona check.

Examples:
  fanorona play --board 5x5 --self-play --level 2 --turns 6
  fanorona analyze --board 5x3 --certificate 5x3.cert
  fanorona play --board 5x3 --self-play --level 9 --book 5x3.cert --nodes 1000")]
pub(crate) struct Play {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    read: ReadOptions,

    /// The side that you play
    #[arg(long, value_name = "SIDE", default_value = "white")]
    side: SideOption,

    /// How well the program plays: 1 to 9, or a name
    #[arg(long, default_value = "4")]
    level: Level,

    /// Certificates for level 9
    #[arg(long, value_name = "FILE", num_args = 1..)]
    book: Vec<PathBuf>,

    /// The program plays both sides
    #[arg(long, conflicts_with = "side")]
    self_play: bool,

    /// End after this number of turns of both sides
    #[arg(long, value_name = "N", value_parser = at_least(1u32))]
    turns: Option<u32>,

    /// Seconds for each turn at levels 8 and 9 and for each hint [default: 2, unless --nodes is given]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time: Option<f64>,

    /// Positions to search for each turn at levels 8 and 9 and for each hint
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,

    /// Memory of the search at levels 8 and 9 and for hints, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = between(1usize, 1 << 20))]
    memory: usize,

    /// Threads at levels 8 and 9 and for hints; 0 means one for each processor
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = between(0usize, 1024))]
    threads: usize,

    /// The seed of the lower levels: another seed, another game
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Do not end the game when a position occurs for the third time
    #[arg(long)]
    no_threefold: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SideOption {
    White,
    Black,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number <= MAX_SECONDS);
    number
        .ok_or_else(|| format!("write a number of seconds, more than 0 and at most {MAX_SECONDS}"))
}

/// What a line of input asks for.
enum Input {
    Turn(Turn),
    Turns,
    Hint,
    Undo,
    Board,
    Help,
    Resign,
    Quit,
}

/// A game with its players.
struct Table<'t> {
    game: Game,
    /// The side of the person at the terminal; `None` if the program plays both.
    person: Option<Side>,
    opponent: Engine<'t>,
    adviser: Engine<'t>,
    limits: Limits,
    output: Output,
}

impl Play {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (root, turns) = self.position.start_and_turns()?;
        interrupt::install()?;
        let tables = self.read.open_if_there(root.board, root.rules)?;
        let book = self.open_book()?;
        let engine = |level| self.engine(&root, (tables.as_ref(), book.as_ref()), level);
        let draws = DrawRules::default();
        let draws = if self.no_threefold { draws.without_threefold() } else { draws };
        let mut table = Table {
            game: Game::with_draws(root.rules, root.position, draws),
            person: (!self.self_play).then_some(match self.side {
                SideOption::White => Side::White,
                SideOption::Black => Side::Black,
            }),
            opponent: engine(self.level)?,
            adviser: engine(Level::FULL)?,
            limits: self.limits(),
            output: Output::new(false),
        };
        // Positions before now count when one repeats.
        turns.into_iter().for_each(|turn| table.game.play(turn));
        table.output.text(format_args!(
            "{}, {}; the program plays at level {} ({})",
            root.board,
            root.rules,
            self.level,
            self.level.name()
        ));
        if table.person.is_some() {
            table.output.text("'help' lists the commands");
        }
        table.play(self.turns)
    }

    /// The book of level 9, if there is one.
    fn open_book(&self) -> anyhow::Result<Option<Book>> {
        if self.book.is_empty() {
            return Ok(None);
        }
        if self.level != Level::UNBEATABLE {
            let level = self.level;
            return Err(Failure::input(format!("--book is for --level 9, not for level {level}")));
        }
        Book::open(&self.book).map(Some).map_err(failure::of_book)
    }

    /// Limits for full strength.
    fn limits(&self) -> Limits {
        let default = self.nodes.is_none().then_some(SECONDS);
        let time = self.time.or(default).map(Duration::from_secs_f64);
        Limits { depth: None, nodes: self.nodes, time }
    }

    fn engine<'t>(
        &self,
        root: &crate::options::Root,
        (tables, book): (Option<&'t Tables>, Option<&'t Book>),
        level: Level,
    ) -> anyhow::Result<Engine<'t>> {
        let mut options = Options::default();
        options.level = level;
        options.seed = self.seed;
        options.memory = self.memory << 20;
        options.threefold = !self.no_threefold;
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        options.threads = if self.threads == 0 { all() } else { self.threads };
        let engine = Engine::with_book(root.rules, root.board, tables, book, options);
        engine.map_err(|error| failure::of_unbeatable(error, tables))
    }
}

impl Table<'_> {
    /// Plays to the end of the game, of the input, or of the turns asked for.
    fn play(&mut self, most: Option<u32>) -> anyhow::Result<()> {
        // Standard input is opened when a person is to move for the first time.
        let mut lines = None;
        let mut is_drawn = false;
        let mut played = 0;
        loop {
            if !is_drawn {
                self.draw();
                is_drawn = true;
            }
            if let Some(end) = self.game.end() {
                self.output.text(ended(end));
                self.print_turns();
                return Ok(());
            }
            if most.is_some_and(|most| played >= most) {
                self.output.text(format_args!("stopped after {played} turns, as asked"));
                self.print_turns();
                return Ok(());
            }
            if self.person != Some(self.game.position().to_move()) {
                self.answer()?;
                (played, is_drawn) = (played + 1, false);
                continue;
            }
            let lines = match &mut lines {
                Some(lines) => lines,
                empty => empty.insert(Lines::open(Path::new("-"))?),
            };
            let Some(input) = self.ask(lines)? else {
                return Ok(());
            };
            match input {
                Input::Turn(turn) => {
                    self.game.play(turn);
                    (played, is_drawn) = (played + 1, false);
                }
                Input::Turns => self.list_turns(),
                Input::Hint => self.hint()?,
                Input::Undo => {
                    let undone = self.undo();
                    played = played.saturating_sub(undone);
                    is_drawn = undone == 0;
                }
                Input::Board => is_drawn = false,
                Input::Help => self.output.text(HELP),
                Input::Resign => {
                    let winner = self.game.position().to_move().other();
                    self.output.text(format_args!("you resign: {winner} wins"));
                    self.print_turns();
                    return Ok(());
                }
                Input::Quit => {
                    self.print_turns();
                    return Ok(());
                }
            }
        }
    }

    fn draw(&self) {
        let position = self.game.position();
        self.output.text(format_args!("\n{}\n\n{position}", drawing::draw(position)));
    }

    /// Asks until a line makes sense. `None` at the end of the input.
    fn ask(&self, lines: &mut Lines) -> anyhow::Result<Option<Input>> {
        loop {
            output::print(format!("{}> ", self.game.position().to_move()).as_bytes());
            output::note(io::stdout().flush());
            let Some(line) = lines.next_line()? else {
                self.output.text("");
                if interrupt::requested() {
                    return Err(self.interrupted());
                }
                self.output.text("the input has ended, and the game has not");
                self.print_turns();
                return Ok(None);
            };
            match line.problem.map_or_else(|| self.read(&line.text), Err) {
                Ok(input) => return Ok(Some(input)),
                Err(problem) => {
                    self.output.text(format_args!("{problem}; 'help' lists the commands"));
                }
            }
        }
    }

    /// What a line asks for, or why it makes no sense.
    fn read(&self, text: &str) -> Result<Input, String> {
        Ok(match text.to_lowercase().as_str() {
            "turns" | "moves" => Input::Turns,
            "hint" => Input::Hint,
            "undo" => Input::Undo,
            "board" => Input::Board,
            "help" | "?" => Input::Help,
            "resign" => Input::Resign,
            "quit" | "exit" => Input::Quit,
            _ => Input::Turn(self.read_turn(text)?),
        })
    }

    fn read_turn(&self, text: &str) -> Result<Turn, String> {
        let (rules, position) = (self.game.rules(), self.game.position());
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let turns = rules.turns(position);
            let number: Option<usize> = text.parse().ok();
            let found = number.and_then(|number| turns.get(number.checked_sub(1)?));
            return found.cloned().ok_or_else(|| {
                format!("there is no turn number {text}: the turns are 1 to {}", turns.len())
            });
        }
        rules.parse_turn(position, text).map_err(|error| error.to_string())
    }

    fn list_turns(&self) {
        let position = self.game.position();
        let mut text = String::new();
        for (i, turn) in self.game.rules().turns(position).iter().enumerate() {
            let board = position.board();
            let taken = turn.captured().len();
            // Writing to a string does not fail.
            let _ = match taken {
                0 => writeln!(text, "{:>4}  {}", i + 1, turn.text(board)),
                taken => writeln!(text, "{:>4}  {}  takes {taken}", i + 1, turn.text(board)),
            };
        }
        self.output.text(text.trim_end());
    }

    /// Takes back turns until the person is to move again; returns how many.
    fn undo(&mut self) -> u32 {
        let mover = Some(self.game.position().to_move());
        // Without a turn of the person there is nothing to take back.
        let length = self.game.turns().len();
        if self.person != mover || length < 2 {
            self.output.text("there is no turn to take back");
            return 0;
        }
        (0..2).filter(|_| self.game.undo()).count() as u32
    }

    fn hint(&mut self) -> anyhow::Result<()> {
        let found = think(&mut self.adviser, &self.game, &self.limits, interrupt::flag())?;
        if interrupt::requested() {
            return Err(self.interrupted());
        }
        self.report("hint", &found);
        Ok(())
    }

    /// The program's turn.
    fn answer(&mut self) -> anyhow::Result<()> {
        let is_full = self.opponent.options().level >= Level::FULL;
        let limits = if is_full { self.limits } else { Limits::default() };
        let found = think(&mut self.opponent, &self.game, &limits, interrupt::flag())?;
        if interrupt::requested() {
            return Err(self.interrupted());
        }
        self.report(&format!("{} plays", self.game.position().to_move()), &found);
        if let Some(turn) = found.turn {
            self.game.play(turn);
        }
        Ok(())
    }

    fn report(&self, what: &str, found: &Analysis) {
        if let Some(turn) = &found.turn {
            let board = self.game.position().board();
            let turn = turn.text(board);
            let proved = match (found.score.value(), found.facts.at_least) {
                (None, Value::Draw) => ", at least a draw (proved)",
                _ => "",
            };
            self.output.text(format_args!("{what} {turn}   {}{proved}", found.score));
        }
    }

    /// The turns of the game on one line.
    fn turns_text(&self) -> String {
        let board = self.game.position().board();
        let texts = self.game.turns().iter().map(|turn| turn.text(board).to_string());
        texts.collect::<Vec<_>>().join(" ")
    }

    fn print_turns(&self) {
        if !self.game.turns().is_empty() {
            self.output.text(format_args!("turns: {}", self.turns_text()));
        }
    }

    fn interrupted(&self) -> anyhow::Error {
        let turns = self.turns_text();
        let text = if turns.is_empty() {
            "no turn was played".to_owned()
        } else {
            format!("continue the game with --after \"{turns}\"")
        };
        Failure::Interrupted(text).into()
    }
}

fn think(
    engine: &mut Engine<'_>,
    game: &Game,
    limits: &Limits,
    stop: &AtomicBool,
) -> anyhow::Result<Analysis> {
    let found = engine.analyze(game.position(), game.earlier(), limits, stop, |_| {});
    found.map_err(failure::of_engine)
}

fn ended(end: GameEnd) -> String {
    match end {
        GameEnd::Won(side) => format!("the game is over: {side} has won"),
        GameEnd::NoTurn => "the game is a draw: the side to move has no turn".to_owned(),
        GameEnd::Threefold => {
            "the game is a draw: the position has occurred three times".to_owned()
        }
        GameEnd::WithoutCapture => "the game is a draw: no stone was taken for too long".to_owned(),
    }
}
