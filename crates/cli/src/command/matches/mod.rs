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
    GameOptions, OutputOptions, PlayOptions, Root, between, check_level, duration,
};

/// The games of a match without a test.
const GAMES: u64 = 20;

/// The most games of a match with a test: it ends when it is decided.
const SPRT_GAMES: u64 = 20_000;

/// The turns of an opening: random ones, or the first ones of a game.
const OPENING_TURNS: usize = 6;

/// Play games between two programs, or two levels of this one
#[derive(Debug, Args)]
#[command(after_help = "\
The players are programs that speak UGI or UCI, given with --engine, and levels of this program, \
given with --level: two together. Programs come first. Each opening is played twice, with colours \
exchanged. A player loses by an illegal turn, by using 0.1 s more than its time, or if its program exits.

Limits and options with 1: or 2: before them are those of one player, as in --time 2:20ms or --option \
2:Hash=64. Openings are 6 turns: random ones after which neither side is ahead, or the first ones of each \
game in the file of --openings. A game of 400 turns is a draw. The test of --sprt is wrong in about 5 % of \
matches. The numbers are explained in crates/ugi/docs/MATCHES.md.

Examples:
  fanorona match --board 5x5 --level 2 --level 3 --games 4 --nodes 500
  fanorona match --level 2 --level 3 --sprt 0,200 --games 40 --seed 7 -o games")]
pub(crate) struct Match {
    #[command(flatten)]
    players: Contestants,

    #[command(flatten)]
    game: GameOptions,

    /// Number of games [default: 20; with --sprt, 20000 at most]
    #[arg(long, value_name = "N", value_parser = even)]
    games: Option<u64>,

    /// End the match when a test has decided between two Elo differences, as in 0,10
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    #[command(flatten)]
    limits: TurnLimits,

    /// Openings: a file with one position a line, or with games [default: random turns]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Seed of what is random: the same seed, the same result
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = between(0, i64::MAX as u64))]
    seed: u64,

    #[command(flatten)]
    play: PlayOptions,

    /// Time for a program to start, to be ready, and to answer where no limit is a time
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    timeout: Duration,

    /// Games at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = between(1usize, 256))]
    concurrency: usize,

    /// Write the result to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write all that is sent and received to this file (- for standard output)
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

impl Match {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (board, rules) = (self.game.board(), self.game.rules()?);
        let root = Root { board, rules, position: board.start() };
        let levels = self.levels(&root)?;
        let contest = self.contest(&root)?;
        let games = Destination::of("the games", "--output", &self.output);
        let log = Destination::of("the log", "--log", &self.log);
        let files: Vec<_> = games.into_iter().chain(log).collect();
        let output = output_beside(self.form.output(), &files)?;
        games.as_ref().map_or(Ok(()), Destination::check)?;
        let log = log.as_ref().map(Appended::open).transpose()?.map(Arc::new);
        interrupt::install()?;
        let players = Players::start(
            &self.players,
            &root,
            &levels,
            self.seed,
            self.timeout,
            log.as_ref().map(transcript),
            interrupt::flag(),
        )?;
        let games_file = games.as_ref().map(Appended::open).transpose()?;
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
    /// missing. The programs would refuse them too, but each with a message of its own.
    fn levels(&self, root: &Root) -> anyhow::Result<Vec<ProgramCommand>> {
        let Root { board, rules, .. } = *root;
        let player = |level| self.play.player(board, rules, level);
        let players: Vec<_> =
            self.players.levels().iter().map(|level| player(*level)).collect::<Result<_, _>>()?;
        if let Some(any) = players.first() {
            let known = any.open(board, rules)?;
            players.iter().try_for_each(|player| check_level(player, &known))?;
        }
        players.iter().map(|player| level_command(player, root)).collect()
    }

    fn contest(&self, root: &Root) -> anyhow::Result<Contest> {
        let games = self.games.unwrap_or(if self.sprt.is_some() { SPRT_GAMES } else { GAMES });
        let [one, other] = self.limits.controls()?;
        let mut contest = Contest::new(self.openings(root)?, games, one);
        contest.controls[1] = other;
        contest.sprt = self.sprt;
        contest.timeout = self.timeout;
        contest.concurrency = self.concurrency;
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
                turns: OPENING_TURNS,
                seed: self.seed,
                balanced: true,
            }));
        };
        let name = path.display();
        let text = read_text(path, MAX_GAMES)?;
        let openings = Openings::read(&text, rules, &start, self.play.draws, OPENING_TURNS);
        openings.map_err(|error| {
            Failure::input(format!("the openings '{name}' cannot be used: {error}"))
        })
    }
}
