//! `perft`: counts by depth.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use fanorona_core::Turn;
use fanorona_perft::{
    Counting, Keep, LevelError, LevelOptions, Levels, ParallelPerft, PerftNode, PerftTable,
    PerftTableOptions, divide,
};
use fanorona_tablebase::memory_available;
use rayon::prelude::*;
use serde::Serialize;

use super::perft_suite;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, Scene, at_least};
use crate::output::{Count, Output, spinner};

/// Count the ways that play can go, for checking move generators
#[derive(Debug, Args)]
#[command(after_help = "\
What is counted: turns are sequences of complete turns; positions are the same, but turns of one \
node to the same position count once; steps are sequences of single steps, stopping a relay that \
could go on being one; unique are the distinct positions after so many turns, and canonical those \
of them that are different when the board is mirrored or turned.

Examples:
  fanorona perft --depth 4
  fanorona perft --depth 6 --hash 64
  fanorona perft --depth 5 --count unique --memory 64
  fanorona perft --after \"d3-e3A c3-d3A\" --depth 3 --divide
  fanorona perft --board 5x5 --rules forced-relay --depth 3 --divide
  fanorona perft --suite data/perft/standard-small.perft --max-nodes 100000")]
pub(crate) struct Perft {
    #[command(flatten)]
    position: PositionOptions,

    /// Count for every depth from 1 to this one
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "suite",
        value_parser = at_least(1u32)
    )]
    depth: Option<u32>,

    /// What is counted: turns, positions, steps or unique
    #[arg(long, value_name = "WHAT", default_value = "turns")]
    count: Counting,

    /// Count the deepest level by first turn too; --after goes on below one of them
    #[arg(long)]
    divide: bool,

    /// Remember counts of turns, positions or steps in a table of at most so many MiB; the power of
    /// two that fits is used
    #[arg(long, value_name = "MIB", requires = "depth", value_parser = at_least(1usize))]
    hash: Option<usize>,

    /// Count everything twice, with two tables of half the size and different keys, and compare
    #[arg(long, requires = "hash")]
    check: bool,

    /// For unique positions: the memory in MiB [default: 1024]; what does not fit is sorted on disk
    #[arg(long, value_name = "MIB", requires = "depth", value_parser = at_least(1usize))]
    memory: Option<usize>,

    /// For unique positions: the directory to sort in [default: the system's for temporary files]
    #[arg(long, value_name = "DIR", requires = "depth")]
    temp: Option<PathBuf>,

    /// Check every count of these suite files instead
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = [
            "depth", "count", "divide", "hash", "memory", "temp", "position", "after", "board", "rules", "no_turns",
            "direction", "victor", "victor_stones", "must_capture",
        ]
    )]
    suite: Vec<PathBuf>,

    /// With --suite: skip counts larger than this
    #[arg(long, value_name = "N", requires = "suite", conflicts_with = "depth", value_parser = at_least(0u128))]
    max_nodes: Option<u128>,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scene: Scene,
    count: String,
    depths: Vec<Depth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<FirstTurn>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<Hash>,
}

#[derive(Serialize)]
struct Depth {
    depth: u32,
    nodes: Count,
    /// Unique positions up to symmetry.
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<Count>,
    seconds: f64,
}

#[derive(Serialize)]
struct FirstTurn {
    turn: String,
    nodes: Count,
}

/// How much the tables were of use.
#[derive(Serialize)]
struct Hash {
    bytes: usize,
    probes: u64,
    hits: u64,
    /// Whether everything was counted twice.
    checked: bool,
}

impl Perft {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        self.common.start_threads()?;
        interrupt::install()?;
        let Some(last) = self.depth else {
            return perft_suite::run(output, &self.suite, self.max_nodes);
        };
        let scene = self.position.resolve()?;
        let mut counter = self.counter(scene, last)?;
        let mut report = Report {
            scene,
            count: self.count.to_string(),
            depths: Vec::new(),
            divide: None,
            hash: None,
        };
        output.text(format_args!("{scene}\n"))?;
        let canonical = if self.count == Counting::Unique { "            canonical" } else { "" };
        output.text(format_args!("depth {:>20}{canonical}  seconds", report.count))?;
        for depth in 1..=last {
            let progress = spinner(format!("depth {depth}"));
            let started = Instant::now();
            if self.divide && depth == last {
                report.divide = counter.divide(depth)?;
            }
            let counted = counter.nodes(depth, report.divide.as_deref()).and_then(|nodes| {
                let in_time = nodes.filter(|_| !interrupt::requested());
                in_time.ok_or_else(|| interrupted(depth).into())
            });
            progress.finish_and_clear();
            let (nodes, canonical) = match counted {
                Ok(counted) => counted,
                Err(error) => {
                    report.hash = counter.hash();
                    output.json(&report)?;
                    return Err(error);
                }
            };
            let seconds = started.elapsed().as_secs_f64();
            let column = canonical.map_or(String::new(), |count| format!(" {count:>20}"));
            output.text(format_args!("{depth:>5} {nodes:>20}{column} {seconds:>8.3}"))?;
            let (nodes, canonical) = (Count(nodes), canonical.map(Count));
            report.depths.push(Depth { depth, nodes, canonical, seconds });
        }
        report.hash = counter.hash();
        if let Some(Hash { bytes, probes, hits, .. }) = report.hash {
            let mebibytes = bytes as f64 / f64::from(1 << 20);
            let share = 100.0 * hits as f64 / probes.max(1) as f64;
            output.text(format_args!(
                "\n{probes} counts looked for in {mebibytes} MiB, {hits} found, {share:.1} %"
            ))?;
        }
        if let Some(turns) = &report.divide {
            output.text("")?;
            let width = turns.iter().map(|turn| turn.turn.len()).max().unwrap_or(0);
            for FirstTurn { turn, nodes } in turns {
                output.text(format_args!("{turn:width$}  {}", nodes.0))?;
            }
        }
        output.json(&report)?;
        Ok(())
    }

    /// What counts, with the memory that it may use.
    fn counter(&self, scene: Scene, last: u32) -> anyhow::Result<Counter> {
        let Scene { board, rules, position } = scene;
        let counting = self.count;
        let is_unique = counting == Counting::Unique;
        if is_unique && self.hash.is_some() {
            return Err(Failure::input(
                "--hash is for turns, positions and steps; unique positions have --memory",
            ));
        }
        if !is_unique && (self.memory.is_some() || self.temp.is_some()) {
            return Err(Failure::input("--memory and --temp go with --count unique"));
        }
        let mut options = LevelOptions::default();
        if let Some(mebibytes) = self.memory {
            options.memory = in_bytes("--memory", mebibytes)?;
        }
        if let Some(dir) = &self.temp {
            options.dir.clone_from(dir);
        }
        if is_unique {
            // Better to know now than after an hour.
            let dir = options.dir.display();
            tempfile::tempfile_in(&options.dir).with_context(|| {
                format!("no file can be written in '{dir}'; name another directory with --temp")
            })?;
        }
        let mut tables = Vec::new();
        if let Some(mebibytes) = self.hash {
            let number = if self.check { 2 } else { 1 };
            let bytes = in_bytes("--hash", mebibytes)? / number;
            for seed in 0..number as u64 {
                let table = PerftTableOptions {
                    max_depth: last,
                    bytes,
                    seed,
                    ..PerftTableOptions::new(rules, board, counting)
                };
                tables.push(PerftTable::new(&table).map_err(Failure::input)?);
            }
        }
        let levels = Levels::new(&rules, &position, &options);
        Ok(Counter { scene, counting, last, tables, options, levels })
    }
}

/// So many MiB, which the machine must have.
fn in_bytes(option: &str, mebibytes: usize) -> anyhow::Result<usize> {
    let left = usize::try_from(memory_available()).unwrap_or(usize::MAX);
    let bytes = mebibytes.checked_mul(1 << 20).filter(|bytes| *bytes <= left);
    bytes.ok_or_else(|| {
        Failure::input(format!(
            "{option} {mebibytes} is more than the {} MiB of memory that are left; give a smaller \
             number",
            left >> 20
        ))
    })
}

/// What to do where the positions of a level do not fit.
fn of_levels(error: LevelError) -> anyhow::Error {
    let advice = "--temp names another directory, and --memory needs fewer files";
    anyhow::Error::new(error).context(advice)
}

fn interrupted(depth: u32) -> Failure {
    Failure::Interrupted(match depth {
        1 => "no depth was finished".to_owned(),
        2 => "depth 1 was finished, depth 2 was not".to_owned(),
        _ => format!("depths 1 to {} were finished, depth {depth} was not", depth - 1),
    })
}

/// Counts one depth after the other.
struct Counter {
    scene: Scene,
    counting: Counting,
    last: u32,
    /// None, one, or two to be compared.
    tables: Vec<PerftTable>,
    /// For unique positions.
    options: LevelOptions,
    levels: Levels,
}

impl Counter {
    /// The count at a depth, and for unique positions that up to symmetry, where the depth has to be
    /// the one after that of the last call; `None` if interrupted. `divided` is what is known already.
    fn nodes(
        &mut self,
        depth: u32,
        divided: Option<&[FirstTurn]>,
    ) -> anyhow::Result<Option<(u128, Option<u128>)>> {
        if self.counting == Counting::Unique {
            let keep = if depth == self.last { Keep::Size } else { Keep::Positions };
            let size = self.levels.advance(keep, interrupt::flag()).map_err(of_levels)?;
            return Ok(size.map(|size| (size.positions, Some(size.canonical))));
        }
        let root = PerftNode::new(&self.scene.position);
        let mut counts = Vec::new();
        // Turns to the same position each have a line, so positions do not add up.
        if let Some(turns) = divided.filter(|_| self.counting != Counting::Positions) {
            counts.push(turns.iter().fold(0, |sum, turn| turn.nodes.0.saturating_add(sum)));
        }
        for table in counts.len()..self.tables.len().max(1) {
            let Some(count) = self.perft(table).count(&root, depth) else {
                return Ok(None);
            };
            counts.push(count);
        }
        let count = counts[0];
        if let Some(other) = counts.iter().find(|other| **other != count) {
            let differ = format!("depth {depth}: {count} with one table, {other} with the other");
            return Err(Failure::Check(differ).into());
        }
        if count == u128::MAX {
            return Err(Failure::input(format!("the count at depth {depth} passes 128 bits")));
        }
        Ok(Some((count, None)))
    }

    /// The count below each first turn; `None` if interrupted.
    fn divide(&self, depth: u32) -> anyhow::Result<Option<Vec<FirstTurn>>> {
        let Scene { rules, position, .. } = &self.scene;
        let first = divide(rules, position, 1, self.counting);
        let line = |turn: &Turn, nodes: Option<u128>| {
            let turn = turn.text(position.board()).to_string();
            Some(FirstTurn { turn, nodes: Count(nodes?) })
        };
        if self.counting == Counting::Unique {
            let lines = first.iter().map(|(turn, _)| {
                let after = position.play_unchecked(turn);
                let nodes = Levels::new(rules, &after, &self.options)
                    .size_at(depth - 1, interrupt::flag())
                    .map_err(of_levels)?;
                Ok(line(turn, nodes.map(|size| size.positions)))
            });
            return lines.collect();
        }
        let nodes: Vec<_> = match self.counting {
            // A step may lead into the middle of a relay.
            Counting::Steps => PerftNode::new(position).children(rules, self.counting),
            _ => {
                let after = first.iter().map(|(turn, _)| position.play_unchecked(turn));
                after.map(|after| PerftNode::new(&after)).collect()
            }
        };
        let perft = self.perft(0);
        let lines = first.par_iter().zip(nodes);
        Ok(lines.map(|((turn, _), node)| line(turn, perft.count(&node, depth - 1))).collect())
    }

    /// A count with one of the tables, if there is one.
    fn perft(&self, table: usize) -> ParallelPerft<'_> {
        match self.tables.get(table) {
            Some(table) => ParallelPerft::with_table(table, interrupt::flag()),
            None => ParallelPerft::new(&self.scene.rules, self.counting, interrupt::flag()),
        }
    }

    fn hash(&self) -> Option<Hash> {
        let add = |of: fn(&PerftTable) -> u64| self.tables.iter().map(of).sum();
        (!self.tables.is_empty()).then(|| Hash {
            bytes: self.tables.iter().map(PerftTable::bytes).sum(),
            probes: add(PerftTable::probes),
            hits: add(PerftTable::hits),
            checked: self.tables.len() > 1,
        })
    }
}
