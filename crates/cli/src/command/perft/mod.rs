//! `perft`: counts by depth.

mod counter;
mod suite;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use fanorona_perft::{Counting, LevelOptions, MAX_DEPTH, PerftTable, PerftTableOptions};
use fanorona_tablebase::memory_available;
use serde::Serialize;

use self::counter::{Counter, FirstTurn, HashReport, Nodes};
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{Root, RootOptions, at_least, between};
use crate::output::{self, AsText, Count, Output, spinner};

/// Count the ways that play can go, for checking move generators
#[derive(Debug, Args)]
#[command(after_help = "\
What is counted: turns are sequences of complete turns; positions are the same, but turns of one \
node to the same position count once; steps are sequences of single steps, stopping a relay that \
could go on being one; unique are the distinct positions at that depth, and canonical those that \
differ even if the board is mirrored or turned.

Examples:
  fanorona perft --depth 4
  fanorona perft --depth 6 --hash 64
  fanorona perft --depth 5 --count unique --memory 64
  fanorona perft --after \"d3-e3A c3-d3A\" --depth 3 --divide
  fanorona perft --board 5x5 --rules forced-relay --depth 3 --divide
  fanorona perft --suite data/perft/standard-small.perft --max-nodes 100000")]
pub(crate) struct Perft {
    #[command(flatten)]
    root: RootOptions,

    /// Count for every depth from 1 to this one
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "suite",
        value_parser = between(1, MAX_DEPTH)
    )]
    depth: Option<u8>,

    /// What is counted: turns, positions, steps or unique
    #[arg(long, value_name = "WHAT", default_value = "turns")]
    count: Counting,

    /// Count the deepest level by first turn too; --after goes on below one of them
    #[arg(long)]
    divide: bool,

    /// Remember counts of turns, positions or steps in a hash table of this size in MiB, rounded down
    /// to a power of two
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
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    root: Root,
    count: AsText<Counting>,
    depths: Vec<Depth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<FirstTurn>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<HashReport>,
}

#[derive(Serialize)]
struct Depth {
    depth: u8,
    nodes: Count,
    /// Unique positions up to symmetry.
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<Count>,
    seconds: f64,
}

impl Perft {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.root.output();
        let Some(last) = self.depth else {
            let entries = suite::read(&self.suite)?;
            self.root.start_work()?;
            return suite::run(output, &entries, self.max_nodes);
        };
        let root = self.root.root()?;
        self.root.start_work()?;
        let mut counter = self.counter(root, last)?;
        let count = AsText(self.count);
        let mut report = Report { root, count, depths: Vec::new(), divide: None, hash: None };
        let counted = self.count_depths(output, last, &mut counter, &mut report);
        report.hash = counter.hash();
        if counted.is_ok() {
            print_rest(output, &report);
        }
        output.json(&report);
        counted
    }

    /// Counts depth by depth, and prints each.
    fn count_depths(
        &self,
        output: Output,
        last: u8,
        counter: &mut Counter,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let canonical = if self.count == Counting::Unique { "            canonical" } else { "" };
        output.text(format_args!("{}\n", report.root));
        output.text(format_args!("depth {:>20}{canonical}  seconds", report.count.0.to_string()));
        for depth in 1..=last {
            if output::is_lost() && !self.check {
                break;
            }
            let progress = spinner(format!("depth {depth}"));
            let started = Instant::now();
            if self.divide && depth == last {
                report.divide = counter.divide(depth)?;
            }
            let counted = counter.nodes(depth, report.divide.as_deref());
            progress.finish_and_clear();
            let counted = counted?.filter(|_| !interrupt::requested());
            let Nodes { nodes, canonical } = counted.ok_or_else(|| interrupted(depth))?;
            let seconds = started.elapsed().as_secs_f64();
            let column = canonical.map_or(String::new(), |count| format!(" {count:>20}"));
            output.text(format_args!("{depth:>5} {nodes:>20}{column} {seconds:>8.3}"));
            let (nodes, canonical) = (Count(nodes), canonical.map(Count));
            report.depths.push(Depth { depth, nodes, canonical, seconds });
        }
        Ok(())
    }

    /// What counts, with the memory that it may use.
    fn counter(&self, root: Root, last: u8) -> anyhow::Result<Counter> {
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
            let options = PerftTableOptions::new(root.rules, root.board, counting)
                .max_depth(last)
                .bytes(in_bytes("--hash", mebibytes)?);
            tables = if self.check {
                PerftTable::pair(&options)?.into()
            } else {
                vec![PerftTable::new(&options)?]
            };
        }
        Ok(Counter::new(root, counting, last, tables, options))
    }
}

/// Prints what stands below the counts by depth.
fn print_rest(output: Output, report: &Report) {
    if let Some(HashReport { bytes, probes, hits, .. }) = report.hash {
        let mebibytes = bytes as f64 / f64::from(1 << 20);
        let share = 100.0 * hits as f64 / probes.max(1) as f64;
        output.text(format_args!(
            "\nhash table: {mebibytes} MiB, {probes} probes, {hits} hits, {share:.1} %"
        ));
    }
    if let Some(turns) = &report.divide {
        output.text("");
        let width = turns.iter().map(|turn| turn.turn.len()).max().unwrap_or(0);
        for FirstTurn { turn, nodes } in turns {
            output.text(format_args!("{turn:width$}  {}", nodes.0));
        }
    }
}

/// A number of MiB in bytes, which the machine must have; if it does not say what it has, any number
/// is accepted.
fn in_bytes(option: &str, mebibytes: usize) -> anyhow::Result<usize> {
    let left = memory_available().map_or(usize::MAX, |left| left.try_into().unwrap_or(usize::MAX));
    let bytes = mebibytes.checked_mul(1 << 20).filter(|bytes| *bytes <= left);
    bytes.ok_or_else(|| {
        Failure::input(format!(
            "{option} {mebibytes} is more than the {} MiB of memory that are left; give a smaller \
             number",
            left >> 20
        ))
    })
}

fn interrupted(depth: u8) -> Failure {
    Failure::Interrupted(match depth {
        1 => "no depth was finished".to_owned(),
        2 => "depth 1 was finished, depth 2 was not".to_owned(),
        _ => format!("depths 1 to {} were finished, depth {depth} was not", depth - 1),
    })
}
