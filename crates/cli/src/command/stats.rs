//! `stats`: what play looks like, by depth and in random games.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use comfy_table::Row;
use fanorona_core::{Position, RuleSet};
use fanorona_perft::stats::{Branching, GameStats, Histogram, PlyStats, survey};
use maud::Render;
use rayon::prelude::*;
use serde::Serialize;

use crate::failure::Failure;
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, Scene, at_least};
use crate::output::{Output, spinner, table};
use crate::svg::panels::{Bar, Chart, Panel};

/// Subtrees of this depth are looked at in one go, which takes well under a second.
const LEAF_DEPTH: usize = 3;

/// The most bars of the lengths of games.
const LENGTH_BARS: usize = 60;

/// Games that are played between two looks at Ctrl-C.
const BATCH: u64 = 256;

/// Tell what play looks like: by depth, and in games of random play
#[derive(Debug, Args)]
#[command(after_help = "\
A row of --depth is about the turns that lead to that depth: how many capture and with how many \
steps by approach and by withdrawal, how many stones they take, how many end the game (finished), \
and of these how many leave the opponent stones and no turn. Branching is the number of turns of \
the positions before.

Examples:
  fanorona stats --depth 4
  fanorona stats --board 5x5 --games 100 --seed 1
  fanorona stats --depth 4 --games 200 --svg stats.svg")]
pub(crate) struct Stats {
    #[command(flatten)]
    position: PositionOptions,

    /// Look at all turns for every depth from 1 to this one
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "games",
        value_parser = at_least(1u32)
    )]
    depth: Option<u32>,

    /// Play this many games at random
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    games: Option<u64>,

    /// What the random games follow from, the same on every machine
    #[arg(long, value_name = "S", default_value_t = 1, requires = "games", value_parser = at_least(0u64))]
    seed: u64,

    /// Cut a random game off after so many turns; such games are counted as unfinished
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "games", value_parser = at_least(1usize))]
    max_turns: usize,

    /// Draw it too: write a chart to this file, which is replaced. By depth: the share of turns that
    /// capture, and how long the relays of the last depth are. Of games: branching by stones left,
    /// and how long the games are
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scene: Scene,
    depths: Vec<DepthReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<GamesReport>,
}

#[derive(Serialize)]
struct DepthReport {
    depth: u32,
    turns: u64,
    captures: u64,
    capture_share: Option<f64>,
    paikas: u64,
    approaches: u64,
    withdrawals: u64,
    relay_lengths: BTreeMap<usize, u64>,
    stones_taken: BTreeMap<usize, u64>,
    without_turn: u64,
    finished: u64,
    branching: BranchingReport,
}

#[derive(Serialize)]
struct BranchingReport {
    positions: u64,
    turns: u64,
    min: u64,
    mean: Option<f64>,
    max: u64,
}

#[derive(Serialize)]
struct GamesReport {
    games: u64,
    seed: u64,
    max_turns: usize,
    results: Results,
    length: LengthReport,
    branching: Vec<StonesReport>,
}

#[derive(Serialize)]
struct Results {
    white: u64,
    black: u64,
    draw: u64,
    unfinished: u64,
}

/// The lengths of finished games, in turns.
#[derive(Serialize)]
struct LengthReport {
    min: Option<usize>,
    mean: Option<f64>,
    max: Option<usize>,
    games: BTreeMap<usize, u64>,
}

#[derive(Serialize)]
struct StonesReport {
    stones: usize,
    #[serde(flatten)]
    branching: BranchingReport,
}

impl Stats {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        self.common.start_threads()?;
        interrupt::install()?;
        let scene = self.position.resolve()?;
        let Scene { rules, position, .. } = scene;
        // Before the work, which may be long.
        let svg = self.svg.as_deref().map(open).transpose()?;
        output.text(scene)?;

        let plies = self.plies(&rules, &position);
        let games = self.games.map(|games| self.play(&rules, &position, games));
        let report = Report {
            scene,
            depths: (1..).zip(&plies).map(|(depth, ply)| depth_report(depth, ply)).collect(),
            games: games.as_ref().map(|games| self.games_report(games)),
        };
        // Before the text, whose reader may go away.
        if let (Some(mut file), Some(path)) = (svg, &self.svg) {
            let text = chart(&report).render().into_string();
            let written = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
            written.with_context(|| not_written(path))?;
        }
        if output.is_text() && !plies.is_empty() {
            output.text(format_args!("\n{}", ply_table(&plies)))?;
            let lengths = plies.iter().map(|ply| &ply.relay_lengths);
            output.text(format_args!("\ncapturing turns by steps\n{}", by_number(lengths)))?;
            let taken = plies.iter().map(|ply| &ply.stones_taken);
            output.text(format_args!("\ncapturing turns by stones taken\n{}", by_number(taken)))?;
        }
        if let Some(games) = games.as_ref().filter(|_| output.is_text()) {
            output.text(format_args!("\n{}", games_text(games, self.max_turns)))?;
        }
        output.json(&report)?;

        let mut kept = Vec::new();
        if plies.len() < self.depth.unwrap_or(0) as usize {
            kept.push(format!("{} of {} depths", plies.len(), self.depth.unwrap_or(0)));
        }
        let played = games.map_or(0, |games| games.games());
        if played < self.games.unwrap_or(0) {
            kept.push(format!("{played} of {} games", self.games.unwrap_or(0)));
        }
        if kept.is_empty() {
            return Ok(());
        }
        Err(Failure::Interrupted(format!("{} were finished", kept.join(" and "))).into())
    }

    /// The depths, as many as are finished before Ctrl-C.
    fn plies(&self, rules: &RuleSet, position: &Position) -> Vec<PlyStats> {
        let mut plies = Vec::new();
        // Each depth from the root again: the deepest one is most of the work.
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

    /// The games with the lowest numbers, as many as are finished before Ctrl-C.
    fn play(&self, rules: &RuleSet, start: &Position, games: u64) -> GameStats {
        let mut all = GameStats::default();
        let progress = spinner(String::new());
        while all.games() < games && !interrupt::requested() {
            let next = all.games();
            let numbers = next..games.min(next.saturating_add(BATCH));
            let play = |mut stats: GameStats, number| {
                stats.add_random_game(rules, start, self.seed, number, self.max_turns);
                stats
            };
            let merge = |mut left: GameStats, right: GameStats| {
                left.merge(&right);
                left
            };
            let batch = numbers.into_par_iter().fold(GameStats::default, play);
            all.merge(&batch.reduce(GameStats::default, merge));
            progress.set_message(format!("{} of {games} games", all.games()));
        }
        progress.finish_and_clear();
        all
    }

    fn games_report(&self, games: &GameStats) -> GamesReport {
        let lengths = &games.lengths;
        GamesReport {
            games: games.games(),
            seed: self.seed,
            max_turns: self.max_turns,
            results: Results {
                white: games.white,
                black: games.black,
                draw: games.drawn,
                unfinished: games.unfinished,
            },
            length: LengthReport {
                min: lengths.iter().next().map(|(length, _)| length),
                mean: lengths.mean(),
                max: lengths.iter().next_back().map(|(length, _)| length),
                games: lengths.iter().collect(),
            },
            branching: games
                .branching()
                .map(|(stones, b)| StonesReport { stones, branching: b.into() })
                .collect(),
        }
    }
}

/// The tree below a position, on all threads; `None` if interrupted.
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

fn not_written(path: &Path) -> String {
    format!("the chart '{}' cannot be written", path.display())
}

/// The file for a chart; what it holds stays until there is a chart to replace it.
fn open(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
    file.with_context(|| not_written(path))
}

/// The numbers of the report, drawn.
fn chart(report: &Report) -> Chart {
    let Report { scene: Scene { board, rules, position }, depths, games } = report;
    let mut panels = Vec::new();
    if let Some(last) = depths.last() {
        panels.push(Panel {
            title: "Turns that capture".to_owned(),
            x: "depth",
            y: "percent of the turns",
            bars: depths.iter().map(capture_bar).collect(),
        });
        panels.push(Panel {
            title: format!("Length of the capturing turns at depth {}", last.depth),
            x: "steps",
            y: "percent of the capturing turns",
            bars: share_bars(&last.relay_lengths, 1, "steps", "turns"),
        });
    }
    if let Some(games) = games {
        panels.push(Panel {
            title: format!("Branching in {} random games, seed {}", games.games, games.seed),
            x: "stones left on the board",
            y: "turns to choose from, in the mean",
            bars: games.branching.iter().rev().map(branching_bar).collect(),
        });
        let lengths = &games.length.games;
        let range = games.length.max.unwrap_or(0) - games.length.min.unwrap_or(0) + 1;
        panels.push(Panel {
            title: format!(
                "Length of the {} games that were finished",
                lengths.values().sum::<u64>()
            ),
            x: "turns of both sides",
            y: "percent of the games",
            bars: share_bars(lengths, range.div_ceil(LENGTH_BARS), "turns", "games"),
        });
    }
    let start =
        if *position == board.start() { "the start".to_owned() } else { position.to_string() };
    Chart { title: format!("{board}, {rules}, from {start}"), panels }
}

fn capture_bar(depth: &DepthReport) -> Bar {
    let DepthReport { depth, turns, captures, capture_share, .. } = depth;
    let percent = 100.0 * capture_share.unwrap_or(0.0);
    Bar {
        label: depth.to_string(),
        height: percent,
        text: format!("depth {depth}: {captures} of {turns} turns, {percent:.2} %"),
    }
}

fn branching_bar(by_stones: &StonesReport) -> Bar {
    let StonesReport { stones, branching } = by_stones;
    let BranchingReport { positions, mean, max, .. } = branching;
    Bar {
        label: stones.to_string(),
        height: mean.unwrap_or(0.0),
        text: format!(
            "{stones} stones: {} turns in the mean, {max} at most, {positions} positions",
            mean_text(*mean)
        ),
    }
}

/// A bar for every so many numbers, from the smallest to the largest that came up.
fn share_bars(
    counts: &BTreeMap<usize, u64>,
    width: usize,
    number: &str,
    counted: &str,
) -> Vec<Bar> {
    let (Some((&first, _)), Some((&last, _))) = (counts.first_key_value(), counts.last_key_value())
    else {
        return Vec::new();
    };
    let total: u64 = counts.values().sum();
    let bar = |from: usize| {
        let to = from + width - 1;
        let count: u64 = counts.range(from..=to).map(|(_, count)| count).sum();
        let percent = 100.0 * count as f64 / total as f64;
        let numbers = if width == 1 { from.to_string() } else { format!("{from} to {to}") };
        Bar {
            label: from.to_string(),
            height: percent,
            text: format!("{numbers} {number}: {count} {counted}, {percent:.2} %"),
        }
    };
    (first..=last).step_by(width).map(bar).collect()
}

fn depth_report(depth: u32, ply: &PlyStats) -> DepthReport {
    DepthReport {
        depth,
        turns: ply.turns,
        captures: ply.captures(),
        capture_share: ply.capture_share(),
        paikas: ply.paikas,
        approaches: ply.approaches,
        withdrawals: ply.withdrawals,
        relay_lengths: ply.relay_lengths.iter().collect(),
        stones_taken: ply.stones_taken.iter().collect(),
        without_turn: ply.without_turn,
        finished: ply.finished,
        branching: ply.branching.into(),
    }
}

impl From<Branching> for BranchingReport {
    fn from(branching: Branching) -> Self {
        let Branching { positions, turns, fewest, most } = branching;
        Self { positions, turns, min: fewest, mean: branching.mean(), max: most }
    }
}

fn mean_text(mean: Option<f64>) -> String {
    mean.map_or("-".to_owned(), |mean| format!("{mean:.2}"))
}

fn ply_table(plies: &[PlyStats]) -> String {
    let header = [
        "depth",
        "turns",
        "captures",
        "share",
        "paikas",
        "approaches",
        "withdrawals",
        "finished",
        "no turn",
        "branching",
        "min",
        "max",
    ];
    let mut table = table(&header, &[]);
    for (depth, ply) in (1..).zip(plies) {
        let numbers: [u64; 8] = [
            depth,
            ply.turns,
            ply.captures(),
            ply.paikas,
            ply.approaches,
            ply.withdrawals,
            ply.finished,
            ply.without_turn,
        ];
        let branching = &ply.branching;
        let mut row: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let share = ply.capture_share();
        row.insert(3, share.map_or("-".to_owned(), |share| format!("{:.2} %", 100.0 * share)));
        row.push(mean_text(branching.mean()));
        row.extend([branching.fewest.to_string(), branching.most.to_string()]);
        table.add_row(row);
    }
    table.trim_fmt()
}

/// A histogram for each depth, in one table.
fn by_number<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> String {
    let maps: Vec<BTreeMap<usize, u64>> = histograms.map(|h| h.iter().collect()).collect();
    let last = maps.iter().filter_map(|map| map.keys().next_back()).max().copied().unwrap_or(0);
    let numbers: Vec<String> = (1..=last).map(|number| number.to_string()).collect();
    let header = ["depth", "mean"].into_iter().chain(numbers.iter().map(String::as_str));
    let mut table = table(&header.collect::<Vec<_>>(), &[]);
    for (depth, map) in (1..).zip(&maps) {
        let (turns, sum) = map
            .iter()
            .fold((0, 0), |(turns, sum), (&n, &count)| (turns + count, sum + n as u64 * count));
        let mean = (turns > 0).then(|| sum as f64 / turns as f64);
        let mut row: Vec<String> = vec![format!("{depth}"), mean_text(mean)];
        row.extend((1..=last).map(|n| map.get(&n).copied().unwrap_or(0).to_string()));
        table.add_row(row);
    }
    table.trim_fmt()
}

fn games_text(games: &GameStats, max_turns: usize) -> String {
    let mut text = format!(
        "{} random games: white won {}, black won {}, drawn {}, unfinished after {max_turns} turns {}\n",
        games.games(),
        games.white,
        games.black,
        games.drawn,
        games.unfinished
    );
    let lengths = &games.lengths;
    if let (Some((min, _)), Some((max, _))) = (lengths.iter().next(), lengths.iter().next_back()) {
        let mean = mean_text(lengths.mean());
        text += &format!("length of the finished games: {min} to {max} turns, mean {mean}\n");
    }
    let mut table = table(&["stones", "positions", "branching", "min", "max"], &[]);
    for (stones, branching) in games.branching() {
        table.add_row(Row::from([
            stones.to_string(),
            branching.positions.to_string(),
            mean_text(branching.mean()),
            branching.fewest.to_string(),
            branching.most.to_string(),
        ]));
    }
    text + "\n" + &table.trim_fmt()
}
