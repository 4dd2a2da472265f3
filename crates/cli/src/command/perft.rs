//! `perft`: counts by depth.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use fanorona_core::{Board, Counting, PerftNode, Position, RuleSet, Turn, divide};
use rayon::prelude::*;
use serde::Serialize;

use super::perft_suite;
use crate::failure::Failure;
use crate::options::{CommonOptions, PositionOptions, at_least};
use crate::output::{Count, Output, spinner};
use crate::count::{self, Trees};
use crate::interrupt;

/// Count the ways that play can go, for checking move generators
#[derive(Debug, Args)]
#[command(after_help = "\
What is counted: turns are sequences of complete turns; positions are the same, but turns of one \
node to the same position count once; steps are sequences of single steps, stopping a relay that \
could go on being one; unique are the distinct positions after so many turns.

Examples:
  fanorona perft --depth 4
  fanorona perft --board 5x5 --rules forced-relay --depth 3 --divide
  fanorona perft --suite data/perft/standard-small.perft --max-nodes 100000")]
pub struct Perft {
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

    /// Count the deepest level by first turn too
    #[arg(long)]
    divide: bool,

    /// Check every count of these suite files instead
    #[arg(
        long,
        value_name = "FILE",
        num_args = 1..,
        conflicts_with_all = [
            "depth", "count", "divide", "position", "after", "board", "rules", "no_turns",
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
    board: Board,
    rules: RuleSet,
    position: Position,
    count: String,
    depths: Vec<Depth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<Vec<FirstTurn>>,
}

#[derive(Serialize)]
struct Depth {
    depth: u32,
    nodes: Count,
    seconds: f64,
}

#[derive(Serialize)]
struct FirstTurn {
    turn: String,
    nodes: Count,
}

impl Perft {
    pub fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        self.common.start_threads()?;
        interrupt::install()?;
        let Some(last) = self.depth else {
            return perft_suite::run(output, &self.suite, self.max_nodes);
        };
        let (rules, position) = self.position.resolve()?;
        let mut counter = Counter::new(rules, position, self.count);
        let mut report = Report {
            board: position.board(),
            rules,
            position,
            count: self.count.to_string(),
            depths: Vec::new(),
            divide: None,
        };
        output.text(format_args!("{position}, {rules}\n"))?;
        output.text(format_args!("depth {:>20}  seconds", self.count.to_string()))?;
        for depth in 1..=last {
            let progress = spinner(format!("depth {depth}"));
            let started = Instant::now();
            if self.divide && depth == last {
                report.divide = counter.divide(depth);
            }
            let nodes = match &report.divide {
                _ if interrupt::requested() => None,
                // These counts of the first turns add up.
                Some(turns) if matches!(self.count, Counting::Turns | Counting::Steps) => {
                    Some(turns.iter().map(|turn| turn.nodes.0).sum())
                }
                _ => counter.nodes(depth),
            };
            progress.finish_and_clear();
            let Some(nodes) = nodes else {
                output.json(&report)?;
                return Err(interrupted(depth).into());
            };
            let seconds = started.elapsed().as_secs_f64();
            output.text(format_args!("{depth:>5} {nodes:>20} {seconds:>8.3}"))?;
            report.depths.push(Depth { depth, nodes: Count(nodes), seconds });
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
    rules: RuleSet,
    position: Position,
    counting: Counting,
    /// For `Unique`: the positions of the depth that was counted last.
    level: Vec<Position>,
    table: Option<fanorona_core::PerftTable>,
}

impl Counter {
    fn new(rules: RuleSet, position: Position, counting: Counting) -> Self {
        Self { rules, position, counting, level: vec![position], table: std::env::var("HASH").ok().map(|h| fanorona_core::PerftTable::new(rules, position.board(), counting, 9, h.parse::<usize>().unwrap() << 20, 0).unwrap()) }
    }

    /// The count at a depth; for `Unique` the next one after that of the last call. `None` if
    /// interrupted.
    fn nodes(&mut self, depth: u32) -> Option<u128> {
        if self.counting == Counting::Unique {
            self.level = count::level_below(&self.rules, &self.level)?;
            return Some(self.level.len() as u128);
        }
        Trees { rules: &self.rules, counting: self.counting, table: self.table.as_ref() }.below(&PerftNode::new(&self.position), depth)
    }

    /// The count below each first turn; `None` if interrupted.
    fn divide(&self, depth: u32) -> Option<Vec<FirstTurn>> {
        let Self { rules, position, counting, .. } = self;
        let below = |nodes: Option<u128>, turn: &Turn| {
            let turn = turn.text(position).to_string();
            Some(FirstTurn { turn, nodes: Count(nodes?) })
        };
        let first = divide(rules, position, 1, *counting);
        if *counting == Counting::Steps {
            // A step may lead into the middle of a relay.
            let nodes = PerftNode::new(position).children(rules, *counting);
            let turns = first.par_iter().zip(nodes).map(|((turn, _), node)| {
                below(Trees { rules, counting: *counting, table: self.table.as_ref() }.below(&node, depth - 1), turn)
            });
            return turns.collect();
        }
        let turns = first.par_iter().map(|(turn, _)| {
            let after = position.play_unchecked(turn);
            below(count::below(rules, &after, depth - 1, *counting), turn)
        });
        turns.collect()
    }
}
