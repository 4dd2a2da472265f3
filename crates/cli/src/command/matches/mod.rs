//! `match`: games between two programs, and what their results mean.

mod files;
mod limits;
mod players;
mod report;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use fanorona_core::ErrorKind;
use fanorona_ugi::arena::{MAX_DEATHS, Match as Contest, MatchEnd, Openings, RandomOpenings, Sprt};
use fanorona_ugi::client::ProgramCommand;

use self::files::{Appended, transcript};
use self::limits::TurnLimits;
use self::players::{Contestants, Players, level_command};
use self::report::{Reporter, Setting};
use crate::destination::{Destination, output_beside};
use crate::failure::Failure;
use crate::files::{MAX_GAMES, read_text};
use crate::human::counted;
use crate::interrupt;
use crate::options::{
    ADVANCED_OPTIONS, OutputOptions, PlayOptions, PositionOptions, Root, at_least, between,
    check_level, duration, seconds,
};

/// The games of a match without a test.
const GAMES: u64 = 20;

/// The most games of a match with a test: it ends when it is decided.
const SPRT_GAMES: u64 = 20_000;

/// Play games between two programs, or two levels of this one
#[derive(Debug, Args)]
#[command(after_help = "\
The players are programs that speak UGI or UCI, given with --engine, and levels of this program, \
given with --level: two together. Programs come first. Each opening is played twice, with colours \
exchanged. A player loses by an illegal turn, by using too much time, or if its program exits.

Level 9 needs a proof of the start: see 'fanorona play --help'.

The numbers are explained in crates/ugi/docs/MATCHES.md.

Examples:
  fanorona match --board 5x5 --level 2 --level 3 --games 4 --nodes 500
  fanorona match --level 2 --level 3 --sprt 0,200 --games 40 --seed 7 -o games")]
pub(crate) struct Match {
    #[command(flatten)]
    players: Contestants,

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

    #[command(flatten)]
    limits: TurnLimits,

    /// Time that a turn may take beyond its limit
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = seconds)]
    margin: f64,

    /// Time that a program may take to start, to be ready, and for a turn with --nodes or --depth
    #[arg(
        long, value_name = "TIME", default_value = "60s", value_parser = duration,
        help_heading = ADVANCED_OPTIONS
    )]
    timeout: Duration,

    /// Openings: a file with one position a line, or with games
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "any_opening"])]
    openings: Option<PathBuf>,

    /// Turns of an opening: random ones, or the first ones of each game of --openings
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = at_least(0usize))]
    opening_turns: usize,

    /// Seed of the random openings, and of the levels: the same seed, the same games
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = between(0, u64::MAX))]
    seed: u64,

    /// Play random openings too in which a short search sees an advantage for one side
    #[arg(long)]
    any_opening: bool,

    /// A game with this number of turns of both sides is a draw
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = at_least(1usize))]
    max_turns: usize,

    /// End a game when the tables hold its position, with their value
    #[arg(long)]
    adjudicate: bool,

    #[command(flatten)]
    play: PlayOptions,

    /// Games at a time. More than there are processors take time from each other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = between(1usize, 256))]
    concurrency: usize,

    /// Append each game to this file (- for standard output) when it ends
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Append all that is sent and received to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    #[command(flatten)]
    form: OutputOptions,
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

impl Match {
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        self.play.book.give_back(&mut self.position);
        let root = self.position.resolve()?;
        let levels = self.levels(&root)?;
        let contest = self.contest(&root)?;
        let [games, log] = self.destinations();
        let files: Vec<_> = games.into_iter().chain(log).collect();
        let output = output_beside(self.form.output(), &files)?;
        let games_file = games.as_ref().map(Appended::open).transpose()?;
        let log = log.as_ref().map(Appended::open).transpose()?.map(Arc::new);
        interrupt::install()?;
        let players = Players::start(
            &self.players,
            &root,
            &levels,
            self.timeout,
            log.as_ref().map(transcript),
            interrupt::flag(),
        )?;
        let setting = Setting {
            root: &root,
            contest: &contest,
            draws: self.play.draws,
            names: players.names(),
        };
        let mut reporter = Reporter::new(setting, output, games_file);
        reporter.begin();
        let start = |player| players.take_or_start(player);
        let played = contest.play(start, interrupt::flag(), |games, standing| {
            reporter.report(games, standing);
        });
        let (standing, end) = played?;
        let games_file = reporter.finish(&standing, end);
        let games = counted(standing.score.games(), "game");
        if end == MatchEnd::Stopped {
            return Err(Failure::Interrupted(format!("{games} finished")).into());
        }
        games_file.map_or(Ok(()), |file| file.finish())?;
        log.map_or(Ok(()), |log| log.finish())?;
        if let MatchEnd::Died(player) = end {
            let (number, name) = (player + 1, players.names()[player]);
            let message = format!(
                "player {number} ({name}) has not survived {MAX_DEATHS} games in a row; the result is \
                 that of {games}"
            );
            return Err(Failure::Other(ErrorKind::EngineFailed, message).into());
        }
        Ok(())
    }

    /// The levels that play, each with its command. Refuses levels whose tables or certificates are
    /// missing, and certificates without level 9. The programs would refuse them too, but each with
    /// a message of its own.
    fn levels(&self, root: &Root) -> anyhow::Result<Vec<ProgramCommand>> {
        let Root { board, rules, .. } = *root;
        self.play.check_book(self.players.levels())?;
        let player = |level| self.play.player(board, rules, level);
        let players: Vec<_> =
            self.players.levels().iter().map(|level| player(*level)).collect::<Result<_, _>>()?;
        if let Some(any) = players.first() {
            let known = any.open(board, rules)?;
            players.iter().try_for_each(|player| check_level(player, &known))?;
        }
        let no_mmap = false;
        let command = |player| level_command(player, root, self.seed, no_mmap);
        players.iter().map(command).collect()
    }

    fn contest(&self, root: &Root) -> anyhow::Result<Contest> {
        let games = self.games.unwrap_or(if self.sprt.is_some() { SPRT_GAMES } else { GAMES });
        let [one, other] = self.limits.controls()?;
        let mut contest = Contest::new(self.openings(root)?, games, one);
        contest.controls[1] = other;
        let sprt = self.sprt.map(|sprt| sprt.with_errors(self.alpha, self.beta)).transpose();
        contest.sprt = sprt?;
        contest.margin = Duration::from_secs_f64(self.margin);
        contest.timeout = self.timeout;
        contest.max_turns = Some(self.max_turns);
        contest.concurrency = self.concurrency;
        if self.adjudicate {
            contest.tables = Some(Arc::new(self.play.read.open(root.board, root.rules, None)?));
        }
        // An opening that is missing is known before the programs are started.
        contest.openings.opening(0)?;
        Ok(contest)
    }

    fn openings(&self, root: &Root) -> anyhow::Result<Openings> {
        let Root { rules, position: start, .. } = *root;
        let Some(path) = &self.openings else {
            return Ok(Openings::Random(RandomOpenings {
                rules,
                start,
                draws: self.play.draws,
                turns: self.opening_turns,
                seed: self.seed,
                balanced: !self.any_opening,
            }));
        };
        let name = path.display();
        let text = read_text(path, MAX_GAMES)?;
        let openings = Openings::read(&text, rules, &start, self.play.draws, self.opening_turns);
        openings.map_err(|error| {
            Failure::input(format!("the openings '{name}' cannot be used: {error}"))
        })
    }

    /// The file of the games, and the log.
    fn destinations(&self) -> [Option<Destination<'_>>; 2] {
        [("the games", "--output", &self.output), ("the log", "--log", &self.log)]
            .map(|(what, option, path)| Some(Destination { what, option, path: path.as_deref()? }))
    }
}
