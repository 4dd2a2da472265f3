//! `perft --against`: compares with another program.

mod program;
mod report;

use std::time::Duration;

use anyhow::Context;
use clap::Args;
use fanorona_core::{Position, RuleSet};
use fanorona_perft::compare::{Comparison, Stage};

use self::program::{Other, OtherCommand};
use self::report::Report;
use super::suites;
use crate::failure::Failure;
use crate::human::filled;
use crate::interrupt;
use crate::options::{ROOT_ARGUMENTS, Root};
use crate::output::Output;
use crate::progress::spinner;

/// The depth to which a position is compared, if none is given.
const DEPTH: u8 = 4;

/// Suite positions with more turns are compared at a smaller depth.
const MAX_NODES: u128 = 2000;

/// The time that the program has for each answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Another program to compare with.
#[derive(Debug, Args)]
pub(super) struct AgainstOptions {
    /// Compare with another program: find the smallest position where its turns differ
    #[arg(
        long,
        value_name = "COMMAND",
        conflicts_with_all = ["count", "divide", "hash", "suite"]
    )]
    against: Option<OtherCommand>,

    /// With --against, compare on every board and under every rule set
    #[arg(long, requires = "against", conflicts_with = "to", conflicts_with_all = ROOT_ARGUMENTS)]
    all: bool,
}

impl AgainstOptions {
    /// The program, if there is one.
    pub(super) fn command(&self) -> Option<&OtherCommand> {
        self.against.as_ref()
    }

    /// Compares at the positions of the suites, and then at the root. With `only_root`, the suites only
    /// help to explain a difference.
    pub(super) fn run(
        &self,
        command: &OtherCommand,
        output: Output,
        root: Root,
        depth: Option<u8>,
        max_nodes: Option<u128>,
        only_root: bool,
    ) -> anyhow::Result<()> {
        let entries = suites::entries()?;
        let mut comparison = Comparison::new(root.rules, root.position, depth.unwrap_or(DEPTH));
        comparison.entries = &entries;
        comparison.begins_with_entries = !only_root;
        comparison.max_nodes = max_nodes.unwrap_or(MAX_NODES);
        if self.all {
            return self.compare_all(command, output, comparison);
        }
        let report = self.compare(command, &comparison)?;
        report.print(output);
        output.json(&report);
        report.verdict()
    }

    fn compare(
        &self,
        command: &OtherCommand,
        comparison: &Comparison<'_>,
    ) -> anyhow::Result<Report> {
        let Comparison { rules, position, .. } = *comparison;
        let root = Root { board: position.board(), rules, position };
        let how = match command.counts() {
            true => "",
            false => " as an engine, because it has no {position} and {depth}",
        };
        let what = || format!("cannot compare with '{command}'{how}");
        let other = Other::start(command, &root, TIMEOUT).with_context(what)?;
        let progress = spinner("starting".to_owned());
        let ask =
            |rules: &RuleSet, position: &Position, depth: u8| other.divide(rules, position, depth);
        let result = comparison.run(&ask, interrupt::flag(), |stage| {
            progress.set_message(match stage {
                Stage::Entries { done, of } => format!("{done} of {of} positions of the suites"),
                Stage::Position => format!("the position, to depth {}", comparison.depth),
                Stage::Following => "following the difference".to_owned(),
                Stage::Shrinking { stones } => format!("a smaller position: {stones} stones"),
                _ => "looking for the reason".to_owned(),
            });
        });
        progress.finish_and_clear();
        if interrupt::requested() {
            return Err(Failure::Interrupted("no difference was found yet".to_owned()).into());
        }
        Ok(Report::new(root, command.to_string(), result.with_context(what)?))
    }

    /// Compares at the entries of each board and rule set, and prints a line for each.
    fn compare_all(
        &self,
        command: &OtherCommand,
        output: Output,
        mut comparison: Comparison<'_>,
    ) -> anyhow::Result<()> {
        // The starts are among the entries.
        comparison.depth = 0;
        let mut games = Vec::new();
        for entry in comparison.entries {
            let game = (entry.position.board(), entry.rules);
            if !games.contains(&game) {
                games.push(game);
            }
        }
        let (mut reports, mut unanswered) = (Vec::new(), None);
        for (board, rules) in &games {
            (comparison.rules, comparison.position) = (*rules, board.start());
            match self.compare(command, &comparison) {
                Ok(report) => {
                    output.text(filled(&report.line(), 2));
                    reports.push(report);
                }
                Err(error) if interrupt::requested() => return Err(error),
                Err(error) => {
                    output.text(filled(&format!("{board}, {rules}: no answer: {error:#}"), 2));
                    unanswered = unanswered.or(Some(error));
                }
            }
        }
        output.json(&reports);
        let differ = reports.iter().filter(|report| !report.agrees()).count();
        match unanswered {
            _ if differ > 0 => Err(Failure::Check(format!(
                "the program differs under {differ} of {} boards and rule sets; for the positions, give \
                 one of them with --board and --rules",
                games.len()
            ))
            .into()),
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}
