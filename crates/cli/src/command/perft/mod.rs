//! `perft`: counts by depth.

mod against;
mod counter;
mod suite;
mod suites;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use fanorona_perft::{Count, Counting, LevelOptions, MAX_DEPTH, PerftTable};
use fanorona_tablebase::memory_available;
use serde::Serialize;

use self::against::AgainstOptions;
use self::counter::{Counter, FirstTurn, HashReport, Nodes};
use crate::failure::Failure;
use crate::hints::is_like_board;
use crate::human::{duration, grouped};
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, ROOT_ARGUMENTS, Root, at_least, between};
use crate::output::{self, AsText, Output};
use crate::progress::spinner;

/// The depth to count to, if none is given.
const DEPTH: u8 = 5;

/// Count sequences of turns, to check a move generator
#[derive(Debug, Args)]
#[command(after_help = "\
What --count counts at each depth:
  turns      sequences of turns
  positions  the same, but turns from a position to the same position count once
  steps      sequences of steps; ending a relay that could go on is a step too
  unique     distinct positions, and those that no symmetry of the board maps to
             each other (canonical); what does not fit into --hash is sorted on
             disk, in the directory of the environment variable TMPDIR

Does your move generator agree? With --against, this program asks yours about
the positions of its suites, and prints the smallest position where the turns
differ, the turns, and the rule that is broken. With --all, it asks about every
board and rule set. Your program prints a turn and the count below it on each
line, in any order: d3-e3A, d3e3+, d3-e3xf3 (captured points), or the position
after the turn; or one number, the count. For example:
  --against './mine {position} {depth}'     also {board}, {rules}; no shell
  --against './engine'                      an engine with 'go perft N'

Examples:
  fanorona perft
  fanorona perft 6 --hash 64
  fanorona perft 5 --count unique --hash 64
  fanorona perft 3 5x5
  fanorona perft 3 --after \"d3-e3A c3-d3A\" --divide
  fanorona perft 3 --board 5x5 --rules forced-relay --divide
  fanorona perft --suite data/perft/standard-small.perft --max-nodes 100000")]
pub(crate) struct Perft {
    /// Count to this depth, and print the count of each depth from 1 [default: 5; with --against, 4]
    #[arg(value_name = "DEPTH")]
    to: Option<String>,

    /// Count turns, positions, steps or unique positions
    #[arg(long, value_name = "WHAT", default_value = "turns")]
    count: Counting,

    /// Also print the count below each first turn at the last depth
    #[arg(long)]
    divide: bool,

    /// Memory of the hash table, or of unique positions, in MiB [default: no hash table; 1024]
    #[arg(long, value_name = "MIB", value_parser = at_least(1usize))]
    hash: Option<usize>,

    /// Check all counts of these suite files instead
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = ["to", "count", "divide", "hash"],
        conflicts_with_all = ROOT_ARGUMENTS
    )]
    suite: Vec<PathBuf>,

    /// Skip counts of suites above N [default: none; with --against, 2000]
    #[arg(long, value_name = "N", value_parser = at_least(0u128))]
    max_nodes: Option<u128>,

    #[command(flatten)]
    against: AgainstOptions,

    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    common: CommonOptions,
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
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        let output = self.common.output();
        if !self.suite.is_empty() {
            let entries = suite::read(&self.suite)?;
            self.common.start_work()?;
            return suite::run(output, &entries, self.max_nodes);
        }
        let depth = self.take_depth()?;
        let root = self.position.resolve()?;
        if let Some(command) = self.against.command() {
            self.common.start_work()?;
            let only_root = self.position.is_given();
            return self.against.run(command, output, root, depth, self.max_nodes, only_root);
        }
        if self.max_nodes.is_some() {
            return Err(Failure::input("--max-nodes needs --suite or --against"));
        }
        let last = depth.unwrap_or(DEPTH);
        self.common.start_work()?;
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

    /// The depth, if one was given, before or after the position.
    fn take_depth(&mut self) -> anyhow::Result<Option<u8>> {
        let Some(mut text) = self.to.take() else { return Ok(None) };
        if text.contains('/') || is_like_board(&text) {
            self.position.begin_with(text);
            match self.position.take_number() {
                Some(number) => text = number,
                None => return Ok(None),
            }
        }
        let read = between(1, MAX_DEPTH)(&text);
        read.map(Some).map_err(|how| Failure::input(format!("the depth is '{text}': {how}")))
    }

    /// Counts depth by depth, and prints each.
    fn count_depths(
        &self,
        output: Output,
        last: u8,
        counter: &mut Counter,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let canonical = if self.count == Counting::Unique { "canonical" } else { "" };
        let width = if canonical.is_empty() { 0 } else { 27 };
        output.text(format_args!("{}\n", report.root));
        let counting = report.count.0.to_string();
        output.text(format_args!("depth {counting:>26}{canonical:>width$}{:>13}", "time"));
        for depth in 1..=last {
            if output::is_lost() {
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
            let column =
                canonical.map_or(String::new(), |count| format!(" {:>26}", grouped(count)));
            let (count, time) = (grouped(nodes), duration(seconds));
            output.text(format_args!("{depth:>5} {count:>26}{column}  {time:>11}"));
            let (nodes, canonical) = (Count(nodes), canonical.map(Count));
            report.depths.push(Depth { depth, nodes, canonical, seconds });
        }
        Ok(())
    }

    /// The counter, with its hash table or the memory for unique positions.
    fn counter(&self, root: Root, last: u8) -> anyhow::Result<Counter> {
        let counting = self.count;
        let is_unique = counting == Counting::Unique;
        let hash = self.hash.map(in_bytes).transpose()?;
        let mut options = LevelOptions::default();
        options.memory = hash.unwrap_or(options.memory);
        if is_unique {
            // Fail now, not after an hour of counting.
            let dir = options.dir.display();
            tempfile::tempfile_in(&options.dir).with_context(|| {
                format!("cannot write a file in '{dir}'; set TMPDIR to another directory")
            })?;
        }
        let table = |bytes| PerftTable::new(&root.rules, root.board, counting, last, bytes);
        let table = hash.filter(|_| !is_unique).map(table).transpose()?;
        Ok(Counter::new(root, counting, last, table, options))
    }
}

/// Prints what follows the counts by depth: how the hash table was used, and the divided count.
fn print_rest(output: Output, report: &Report) {
    if let Some(HashReport { bytes, probes, hits }) = report.hash {
        let mebibytes = bytes as f64 / f64::from(1 << 20);
        let share = 100.0 * hits as f64 / probes.max(1) as f64;
        let (probes, hits) = (grouped(probes), grouped(hits));
        output.text(format_args!(
            "\nhash table: {mebibytes} MiB, {probes} probes, {hits} hits ({share:.1} %)"
        ));
    }
    if let Some(turns) = &report.divide {
        output.text("");
        let width = turns.iter().map(|turn| turn.turn.len()).max().unwrap_or(0);
        for FirstTurn { turn, nodes } in turns {
            output.text(format_args!("{turn:width$}  {}", grouped(nodes.0)));
        }
    }
}

/// A number of MiB in bytes. More than the available memory is refused, if the system reports that.
fn in_bytes(mebibytes: usize) -> anyhow::Result<usize> {
    let left = memory_available().map_or(usize::MAX, |left| left.try_into().unwrap_or(usize::MAX));
    let bytes = mebibytes.checked_mul(1 << 20).filter(|bytes| *bytes <= left);
    bytes.ok_or_else(|| {
        Failure::input(format!(
            "--hash {mebibytes} is more than the {} MiB of memory available; use a smaller number",
            grouped(left >> 20)
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
