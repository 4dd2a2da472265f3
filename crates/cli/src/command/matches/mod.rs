//! `match`: games between two programs, and what their results mean.

mod files;
mod players;
mod report;

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::{ArgGroup, Args};
use fanorona_engine::{DrawRules, Engine, Level};
use fanorona_proof::Book;
use fanorona_ugi::arena::{
    Match as Contest, MatchEnd, Openings, RandomOpenings, Sprt, TimeControl,
};

use self::files::{Appended, transcript};
use self::players::{PlayerOptions, Players};
use self::report::{Reporter, Setting};
use crate::destination::{Destination, check_distinct};
use crate::failure::Failure;
use crate::files::read_at_most;
use crate::human::counted;
use crate::interrupt;
use crate::options::{
    ADVANCED_OPTIONS, PositionOptions, ReadOptions, Root, at_least, between, seconds,
};
use crate::output::Output;

/// Milliseconds for a turn, if nothing else limits it.
const MOVETIME: u64 = 100;

/// The games of a match without a test.
const GAMES: u64 = 20;

/// The most games of a match with a test: it ends when it is decided.
const SPRT_GAMES: u64 = 20_000;

/// The longest file of openings, in MiB.
const MAX_OPENINGS: u64 = 64;

/// Play games between two programs, or two levels of this one
#[derive(Debug, Args)]
#[command(after_help = "\
The players are programs that speak UGI or UCI, given with --engine, and levels of this program, \
given with --level: two together. Programs come first. Each opening is played twice, with colours \
exchanged. A player loses by an illegal turn, by using too much time, and if it ends.

Level 9 needs a proof of the start: see 'fanorona play --help'.

The numbers are explained in crates/ugi/docs/MATCHES.md.

Examples:
  fanorona match --board 5x5 --level 1 --level 2 --games 4 --nodes 500
  fanorona match --level 2 --level 3 --sprt 0,200 --games 40 --openings-seed 7 --output games.txt")]
#[command(group(ArgGroup::new("limit").args(["movetime", "time", "nodes", "depth"])))]
pub(crate) struct Match {
    #[command(flatten)]
    players: PlayerOptions,

    #[command(flatten)]
    position: PositionOptions,

    /// The number of games, an even one [default: 20, or at most 20000 with --sprt]
    #[arg(long, value_name = "N", value_parser = even)]
    games: Option<u64>,

    /// End the match when a sequential test has decided between two Elo differences, as in 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// Probability that the test accepts ELO1 although ELO0 is right
    #[arg(
        long, value_name = "P", default_value_t = 0.05, value_parser = probability,
        requires = "sprt"
    )]
    alpha: f64,

    /// Probability that the test accepts ELO0 although ELO1 is right
    #[arg(
        long, value_name = "P", default_value_t = 0.05, value_parser = probability,
        requires = "sprt"
    )]
    beta: f64,

    /// Milliseconds for each turn [default: 100, unless another limit is given]
    #[arg(long, value_name = "MS", value_parser = at_least(1u64))]
    movetime: Option<u64>,

    /// Seconds for a player's turns of a game, and seconds that each turn adds, as in 10+0.1
    #[arg(long, value_name = "S+INC")]
    time: Option<TimeControl>,

    /// Positions to search for each turn
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,

    /// Depth to search for each turn
    #[arg(long, value_name = "N", value_parser = at_least(1u32))]
    depth: Option<u32>,

    /// Milliseconds that a turn may take beyond its limit
    #[arg(long, value_name = "MS", default_value_t = 100, value_parser = at_least(0u64))]
    margin: u64,

    /// Seconds after which a turn with --nodes or --depth has taken too long
    #[arg(
        long, value_name = "SECONDS", default_value_t = 60.0, value_parser = some_seconds,
        help_heading = ADVANCED_OPTIONS
    )]
    timeout: f64,

    /// Openings: a file with one position a line, or with games
    #[arg(long, value_name = "FILE", conflicts_with_all = ["openings_seed", "any_opening"])]
    openings: Option<PathBuf>,

    /// Turns of an opening: random ones, or the first ones of each game of --openings
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = at_least(0usize))]
    opening_turns: usize,

    /// Seed of the random openings: another seed, other openings
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = between(0, u64::MAX))]
    openings_seed: u64,

    /// Play random openings too in which a short search sees an advantage for one side
    #[arg(long)]
    any_opening: bool,

    /// When a game is drawn: none, threefold (a position occurs three times), without-capture-N
    /// (N turns of both sides without a capture), or threefold+without-capture-N
    #[arg(long, value_name = "RULES", default_value = "threefold+without-capture-50")]
    draws: DrawRules,

    /// A game with this number of turns of both sides is a draw
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = at_least(1usize))]
    max_turns: usize,

    /// End a game when the tables hold its position, with their value
    #[arg(long)]
    adjudicate: bool,

    #[command(flatten)]
    read: ReadOptions,

    /// Games at a time. More than there are processors take time from each other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = between(1usize, 256))]
    concurrency: usize,

    /// Append each game to this file when it ends
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Append all that is sent and received to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
}

/// A parser of numbers of games.
fn even(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|n: &u64| *n >= 2 && n.is_multiple_of(2));
    number.ok_or_else(|| "write an even number, 2 or more: each opening is played twice".to_owned())
}

/// A parser of the error probabilities of a test.
fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| *number > 0.0 && *number < 0.5);
    number.ok_or_else(|| "write a number above 0 and below 0.5, as in 0.05".to_owned())
}

/// A parser of times in which a program can answer.
fn some_seconds(text: &str) -> Result<f64, String> {
    let some = seconds(text).ok().filter(|seconds| *seconds >= 0.001);
    some.ok_or_else(|| "write a number of seconds, 0.001 or more, as in 0.5 or 60".to_owned())
}

impl Match {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let root = self.position.resolve()?;
        self.check_levels(&root)?;
        let (contest, games_file) = (self.contest(&root)?, self.output_file()?);
        let log = self.log.as_deref().map(|path| Appended::open("the log", path));
        let log = log.transpose()?.map(Arc::new);
        interrupt::install()?;
        let tables = self.read.dir_if_named();
        let players = Players::start(
            &self.players,
            &root,
            tables,
            log.as_ref().map(transcript),
            interrupt::flag(),
        )?;
        let setting =
            Setting { root: &root, contest: &contest, draws: self.draws, names: players.names() };
        let mut reporter = Reporter::new(setting, Output::new(self.json), games_file);
        reporter.begin();
        let start = |player| players.take_or_start(player);
        let played = contest.play(start, interrupt::flag(), |games, standing| {
            reporter.report(games, standing);
        });
        let (standing, end) = played?;
        let games_file = reporter.finish(&standing, end);
        if end == MatchEnd::Stopped {
            let games = counted(standing.score.games(), "game");
            return Err(Failure::Interrupted(format!("{games} finished")).into());
        }
        games_file.map_or(Ok(()), |file| file.finish())?;
        log.map_or(Ok(()), |log| log.finish())
    }

    /// Refuses levels whose tables or certificates are missing, and certificates without level 9.
    /// The programs of the levels would refuse them too, but each with a message of its own.
    fn check_levels(&self, root: &Root) -> anyhow::Result<()> {
        let (levels, files) = (self.players.levels(), self.players.book.as_slice());
        let has_unbeatable = levels.contains(&Level::UNBEATABLE);
        if !has_unbeatable && !files.is_empty() {
            return Err(Failure::input("--book is for --level 9, which does not play here"));
        }
        if levels.is_empty() {
            return Ok(());
        }
        let tables = self.read.open_if_there(root.board, root.rules)?;
        if !has_unbeatable {
            return Ok(());
        }
        let book = match files {
            [] => None,
            files => Some(Book::open(files)?),
        };
        Ok(Engine::check_unbeatable(root.rules, root.board, tables.as_ref(), book.as_ref())?)
    }

    fn contest(&self, root: &Root) -> anyhow::Result<Contest> {
        let games = self.games.unwrap_or(if self.sprt.is_some() { SPRT_GAMES } else { GAMES });
        let mut contest = Contest::new(self.openings(root)?, games, self.control());
        let sprt = self.sprt.map(|sprt| sprt.with_errors(self.alpha, self.beta)).transpose();
        contest.sprt = sprt?;
        contest.margin = Duration::from_millis(self.margin);
        contest.timeout = Duration::from_secs_f64(self.timeout);
        contest.max_turns = Some(self.max_turns);
        contest.concurrency = self.concurrency;
        if self.adjudicate {
            contest.tables = Some(Arc::new(self.read.open(root.board, root.rules)?));
        }
        // An opening that is missing is known before the programs are started.
        contest.openings.opening(0)?;
        Ok(contest)
    }

    fn control(&self) -> TimeControl {
        let movetime = |milliseconds| TimeControl::Movetime(Duration::from_millis(milliseconds));
        (self.time)
            .or(self.movetime.map(movetime))
            .or(self.nodes.map(TimeControl::Nodes))
            .or(self.depth.map(TimeControl::Depth))
            .unwrap_or(movetime(MOVETIME))
    }

    fn openings(&self, root: &Root) -> anyhow::Result<Openings> {
        let Root { rules, position: start, .. } = *root;
        let Some(path) = &self.openings else {
            return Ok(Openings::Random(RandomOpenings {
                rules,
                start,
                draws: self.draws,
                turns: self.opening_turns,
                seed: self.openings_seed,
                balanced: !self.any_opening,
            }));
        };
        let name = path.display();
        let cannot_read = || format!("cannot read the openings '{name}'");
        let most = MAX_OPENINGS << 20;
        let bytes = read_at_most(path, most).with_context(cannot_read)?;
        if bytes.len() as u64 > most {
            return Err(Failure::input(format!(
                "the openings '{name}' have more than {MAX_OPENINGS} MiB, and are not read"
            )));
        }
        let wrong = |problem: &dyn Display| {
            Failure::input(format!("the openings '{name}' cannot be used: {problem}"))
        };
        let text = str::from_utf8(&bytes).map_err(|error| {
            let before = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n');
            wrong(&format_args!("line {} is not UTF-8", before.count() + 1))
        })?;
        let openings = Openings::read(text, rules, &start, self.draws, self.opening_turns);
        openings.map_err(|error| wrong(&error))
    }

    /// The file of the games.
    fn output_file(&self) -> anyhow::Result<Option<Appended>> {
        let destination = |what, option, path| Destination { what, option, path };
        let files: Vec<_> = [
            self.output.as_deref().map(|path| destination("the games", "--output", path)),
            self.log.as_deref().map(|path| destination("the log", "--log", path)),
        ]
        .into_iter()
        .flatten()
        .collect();
        check_distinct(&files)?;
        self.output.as_deref().map(|path| Appended::open("the games", path)).transpose()
    }
}
