//! `stats`: statistics of play, by depth and for random games.

mod chart;
mod report;
mod text;

use std::path::PathBuf;

use clap::Args;
use fanorona_core::{Position, RuleSet};
use fanorona_perft::MAX_DEPTH;
use fanorona_perft::stats::{GameStats, PlyStats, survey};
use maud::Render;
use rayon::prelude::*;

use self::report::{DepthReport, GamesReport, Report};
use crate::destination::{Destination, output_beside};
use crate::failure::{Failure, describe};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, Root, at_least, between};
use crate::output::Output;
use crate::progress::spinner;

/// Subtrees of this depth are surveyed in one go, which takes well under a second.
const LEAF_DEPTH: usize = 3;

/// Games that are played between two checks for Ctrl-C.
const BATCH: u64 = 256;

/// A random game that has not ended after so many turns counts as unfinished.
const MAX_TURNS: usize = 1000;

/// Print statistics of play, by depth and for random games
#[derive(Debug, Args)]
#[command(after_help = "\
Columns of --depth, for the turns that lead to each depth:
  turns          all turns
  captures       turns that capture
  paikas         turns that do not capture
  finished       turns that end the game
  no turn        of these, the other side has stones but no legal turn
  capture share  captures in percent of all turns
  approaches     capturing steps by approach
  withdrawals    capturing steps by withdrawal
  branching      turns to choose from, mean; min and max are the fewest and most

Examples:
  fanorona stats --depth 4
  fanorona stats --board 5x5 --games 100 --seed 1
  fanorona stats --depth 4 --games 200 --svg stats.svg")]
pub(crate) struct Stats {
    /// Count the turns at each depth from 1 to this one
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "games",
        value_parser = between(1, u32::from(MAX_DEPTH))
    )]
    depth: Option<u32>,

    /// Number of games
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    games: Option<u64>,

    /// Seed of what is random: the same seed, the same result
    #[arg(long, value_name = "N", default_value_t = 1, requires = "games", value_parser = between(0, u64::MAX))]
    seed: u64,

    /// Also draw to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    common: CommonOptions,
}

impl Stats {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let svg = Destination::of("the chart", "--svg", &self.svg);
        let output = output_beside(self.common.output(), svg.as_slice())?;
        let root = self.position.resolve()?;
        let Root { rules, position, .. } = root;
        if let Some(svg) = &svg {
            svg.check()?;
        }
        self.common.start_work()?;
        output.text(root);

        let plies = self.plies(&rules, &position);
        let games = self.games.map(|games| self.play(&rules, &position, games));
        let report = Report {
            root,
            depths: (1..).zip(&plies).map(|(depth, ply)| DepthReport { depth, ply }).collect(),
            games: games.as_ref().map(|stats| GamesReport {
                games: stats.games(),
                seed: self.seed,
                max_turns: MAX_TURNS,
                stats,
            }),
        };
        let drawn = svg.map_or(Ok(()), |svg| {
            svg.write(chart::chart(&report).render().into_string().as_bytes())
        });
        self.print(output, &plies, games.as_ref());
        output.json(&report);

        let not_drawn = drawn.err().map(|error| describe(&error));
        match (self.unfinished(&plies, games.as_ref()), not_drawn) {
            (None, None) => Ok(()),
            (None, Some(failure)) => Err(Failure::NotKept(failure).into()),
            (Some(finished), None) => Err(Failure::Interrupted(finished).into()),
            (Some(finished), Some(failure)) => {
                Err(Failure::Interrupted(format!("{finished}; {failure}")).into())
            }
        }
    }

    fn print(&self, output: Output, plies: &[PlyStats], games: Option<&GameStats>) {
        if !plies.is_empty() {
            output.text(format_args!("\n{}", text::ply_tables(plies)));
            let lengths = plies.iter().map(|ply| &ply.relay_lengths);
            let lengths = text::by_number("steps", lengths);
            output.text(format_args!("\ncapturing turns by steps and depth\n{lengths}"));
            let taken = plies.iter().map(|ply| &ply.stones_taken);
            let taken = text::by_number("stones", taken);
            output.text(format_args!("\ncapturing turns by captured stones and depth\n{taken}"));
        }
        if let Some(games) = games {
            output.text(format_args!("\n{}", text::games_text(games, MAX_TURNS)));
        }
    }

    /// The parts that were finished before Ctrl-C; `None` if all were.
    fn unfinished(&self, plies: &[PlyStats], games: Option<&GameStats>) -> Option<String> {
        let mut finished = Vec::new();
        let depth = self.depth.unwrap_or(0);
        if plies.len() < depth as usize {
            finished.push(format!("{} of {}", plies.len(), counted(depth, "depth")));
        }
        let (played, wanted) = (games.map_or(0, GameStats::games), self.games.unwrap_or(0));
        if played < wanted {
            finished.push(format!("{} of {}", grouped(played), counted(wanted, "game")));
        }
        (!finished.is_empty()).then(|| format!("{} finished", finished.join(" and ")))
    }

    /// The statistics of each depth, up to the last one finished before Ctrl-C.
    fn plies(&self, rules: &RuleSet, position: &Position) -> Vec<PlyStats> {
        let mut plies = Vec::new();
        // Each depth starts from the root again: the deepest one is most of the work.
        for depth in 1..=self.depth.unwrap_or(0) as usize {
            let progress = spinner(format!("depth {depth}"));
            let surveyed = below(rules, position, depth);
            progress.finish_and_clear();
            match surveyed {
                Some(surveyed) => plies = surveyed,
                None => break,
            }
        }
        plies
    }

    /// Plays games in the order of their numbers, up to the last batch finished before Ctrl-C.
    fn play(&self, rules: &RuleSet, start: &Position, games: u64) -> GameStats {
        let mut all = GameStats::default();
        let progress = spinner(String::new());
        while all.games() < games && !interrupt::requested() {
            let next = all.games();
            let numbers = next..games.min(next.saturating_add(BATCH));
            let play = |mut stats: GameStats, number| {
                stats.add_random_game(rules, start, self.seed, number, MAX_TURNS);
                stats
            };
            let merge = |mut left: GameStats, right: GameStats| {
                left.merge(&right);
                left
            };
            let batch = numbers.into_par_iter().fold(GameStats::default, play);
            all.merge(&batch.reduce(GameStats::default, merge));
            let played = grouped(all.games());
            progress.set_message(format!("{played} of {}", counted(games, "game")));
        }
        progress.finish_and_clear();
        all
    }
}

/// The statistics of each depth below a position, on all threads; `None` if interrupted.
fn below(rules: &RuleSet, position: &Position, depth: usize) -> Option<Vec<PlyStats>> {
    if interrupt::requested() {
        return None;
    }
    let mut plies = vec![PlyStats::default(); depth];
    if depth <= LEAF_DEPTH {
        survey(rules, position, &mut plies);
        return Some(plies);
    }
    let mut successors = Vec::new();
    plies[0].add(rules, position, |after| successors.push(after));
    let merge = |mut left: Vec<PlyStats>, right: Vec<PlyStats>| {
        left.iter_mut().zip(&right).for_each(|(left, right)| left.merge(right));
        Some(left)
    };
    let subtrees = successors.par_iter().map(|after| below(rules, after, depth - 1));
    let merged = subtrees.try_reduce(|| vec![PlyStats::default(); depth - 1], merge);
    plies.truncate(1);
    plies.extend(merged?);
    Some(plies)
}
