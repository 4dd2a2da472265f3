//! `verify`: whether tables are undamaged, and whether their values are right.

use std::path::PathBuf;

use clap::Args;
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{
    Layout, Metric, Role, SliceCheck, TableError, TableFault, Tables, TablesOptions, Thoroughness,
    verify,
};
use serde::Serialize;

use super::slice_report::name_width;
use crate::failure::{self, Failure};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{SlicesOptions, at_least};
use crate::progress::of_tables;

/// The seed of the random positions of `--sample`.
const SEED: u64 = 1;

/// Verify the checksums and the values of tables
#[derive(Debug, Args)]
#[command(after_help = "\
By default, all values are computed again, by code that shares nothing with the builders and reads \
no table. That takes about a microsecond and 2 bytes of memory for each position of the slices that \
are verified and of all that play from there can reach. Where that is too much, --sample compares \
random positions of each table with their successors, which needs the tables of all smaller slices. In \
wdl tables it does not find wins that are justified only by each other (a cycle). --same-as finds these \
too, given tables with distances.

An unpacked table is verified like a packed one, after the packed one with the same values.

Examples:
  fanorona verify --tables tables --stones 3
  fanorona verify --tables tables --slice 2v1,1v2
  fanorona verify --tables tables --sample 10000
  fanorona verify --tables tables --same-as tables")]
pub(crate) struct Verify {
    /// Verify checksums only
    #[arg(long)]
    quick: bool,

    /// Only N random positions
    #[arg(long, value_name = "N", conflicts_with = "quick", value_parser = at_least(1u64))]
    sample: Option<u64>,

    /// Compare all values with the tables in this directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["quick", "sample"])]
    same_as: Option<PathBuf>,

    #[command(flatten)]
    slices: SlicesOptions,
}

#[derive(Serialize)]
struct Report {
    board: Board,
    rules: RuleSet,
    slices: Vec<CheckReport>,
}

#[derive(Serialize)]
struct CheckReport {
    own: u8,
    opponent: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    metric: Metric,
    unpacked: bool,
    ok: bool,
    checked: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<&SliceCheck> for CheckReport {
    fn from(check: &SliceCheck) -> Self {
        Self {
            own: check.slice.own,
            opponent: check.slice.opponent,
            role: check.slice.role,
            metric: check.metric,
            unpacked: check.layout == Layout::Unpacked,
            ok: check.fault.is_none(),
            checked: check.checked,
            error: check.fault.as_ref().map(in_words),
        }
    }
}

impl Verify {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.slices.common.output();
        let (board, rules, selection) = self.slices.start()?;
        let needed = selection.most_stones();
        // Read, not mapped: another program may be the reason for the check.
        let access = TablesOptions::default();
        let tables = self.slices.tables.open_with(board, rules, needed, access)?;
        let other =
            self.same_as.as_ref().map(|dir| Tables::open_dirs(&[dir], board, rules, access));
        let other = other.transpose()?;
        let thoroughness = match (self.sample, &other) {
            _ if self.quick => Thoroughness::Quick,
            (Some(positions), _) => Thoroughness::Sample { positions, seed: SEED },
            (None, Some(other)) => Thoroughness::Against(other),
            (None, None) => Thoroughness::Full,
        };
        interrupt::install()?;
        let (done, progress) = of_tables("verifying");
        let (mut slices, mut unchecked): (Vec<CheckReport>, usize) = (Vec::new(), 0);
        let stop = interrupt::flag();
        let result = verify(&tables, &selection, thoroughness, stop, &done, |check| {
            progress.set_message(format!("{} {} checked", check.slice, check.metric.name()));
            progress.suspend(|| output.text(describe(check, name_width(rules))));
            slices.push(check.into());
            unchecked += usize::from(is_unchecked(check));
        });
        progress.finish_and_clear();

        let checked = slices.len();
        let bad = slices.iter().filter(|slice| !slice.ok).count() - unchecked;
        let stopped = matches!(result, Err(TableError::Stopped));
        if let Err(error) = result
            && !stopped
        {
            return Err(error.into());
        }
        if checked == 0 && !stopped {
            return Err(self.slices.tables.none_there(board, rules, needed));
        }
        output.json(&Report { board, rules, slices });
        if bad > 0 {
            let (bad, checked) = (grouped(bad), counted(checked, "table"));
            Err(Failure::Check(format!("{bad} of {checked} failed the check")).into())
        } else if stopped {
            Err(Failure::Interrupted(match checked {
                0 => "no table was checked".to_owned(),
                _ => format!(
                    "{} checked and good, the others not checked",
                    counted(checked, "table")
                ),
            })
            .into())
        } else if unchecked > 0 {
            let (unchecked, checked) = (grouped(unchecked), counted(checked, "table"));
            Err(Failure::input(format!("{unchecked} of {checked} cannot be checked")))
        } else {
            output.text(format_args!("{} checked, all good", counted(checked, "table")));
            Ok(())
        }
    }
}

fn describe(check: &SliceCheck, width: usize) -> String {
    let unpacked = if check.layout == Layout::Unpacked { " unpacked" } else { "" };
    let name = format!("{:>width$} {}{unpacked}", check.slice, check.metric.name());
    match &check.fault {
        Some(fault) if is_unchecked(check) => format!("{name}  {}", in_words(fault)),
        Some(fault) => format!("{name}  BAD   {}", in_words(fault)),
        None if check.checked == 0 => format!("{name}  good"),
        None => format!("{name}  good, {} compared", counted(check.checked, "position")),
    }
}

/// Whether nothing is known to be wrong with a table, but not all could be checked.
fn is_unchecked(check: &SliceCheck) -> bool {
    matches!(check.fault, Some(TableFault::Unchecked(_)))
}

/// A fault of a table, with its cause and the remedy.
fn in_words(fault: &TableFault) -> String {
    match fault {
        TableFault::Unreadable(error) => failure::describe_error(error),
        fault => failure::describe_error(fault),
    }
}
