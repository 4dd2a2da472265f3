//! A set of tables that is published, and what its manifest says about each.

use std::path::Path;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::Metric;
use serde::Serialize;

use crate::advice::build_command;
use crate::command::slice_report::SliceReport;

/// More about a file of a manifest.
#[derive(Serialize)]
pub(super) struct AboutTable<'a> {
    /// The version of the file's format.
    pub version: u32,
    /// The command that builds it, with all that it needs.
    pub command: String,
    #[serde(flatten)]
    pub slice: &'a SliceReport,
}

/// The published tables of a game.
pub(super) struct DataSet<'a> {
    /// That of its files without their ends.
    pub name: String,
    pub board: Board,
    pub rules: RuleSet,
    /// Where its directory is, which has its name.
    pub web_seed: Option<&'a str>,
}

impl DataSet<'_> {
    /// The command that builds the tables of a metric up to a number of stones.
    pub(super) fn command(&self, stones: u32, metric: Metric) -> String {
        let command = build_command(self.board, self.rules, stones, Path::new("tables"));
        format!("{command} --metric {metric}")
    }
}
