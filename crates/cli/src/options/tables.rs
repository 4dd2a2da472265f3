//! Tables: where they are, and how they are read and built.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Access, Method, Metric, Tables};

use crate::advice;
use crate::failure::{self, Failure};

/// Where tables are.
#[derive(Debug, Args)]
pub(crate) struct TableOptions {
    /// The directory of the tables [default: tables]
    #[arg(long, value_name = "DIR", env = "FANORONA_TABLES", help_heading = "Tables")]
    tables: Option<PathBuf>,
}

impl TableOptions {
    /// The directory.
    pub(crate) fn dir(&self) -> &Path {
        self.tables.as_deref().unwrap_or(Path::new("tables"))
    }

    /// The error of a directory without tables of a game.
    pub(crate) fn none_there(&self, board: Board, rules: RuleSet) -> anyhow::Error {
        let dir = self.dir();
        let command = advice::build_command(board, rules, 4, dir);
        Failure::input(format!(
            "there are no tables of {board} under {rules} in {}: build them with '{command}'",
            dir.display(),
        ))
    }
}

/// What tables say of positions.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MetricOption {
    Wdl,
    Dtw,
}

impl From<MetricOption> for Metric {
    fn from(option: MetricOption) -> Self {
        match option {
            MetricOption::Wdl => Self::Wdl,
            MetricOption::Dtw => Self::Dtw,
        }
    }
}

/// How builders find values.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum MethodOption {
    Rows,
    Plain,
}

impl From<MethodOption> for Method {
    fn from(option: MethodOption) -> Self {
        match option {
            MethodOption::Rows => Self::Rows,
            MethodOption::Plain => Self::Plain,
        }
    }
}

/// Tables to be read.
#[derive(Debug, Args)]
pub(crate) struct ReadOptions {
    #[command(flatten)]
    tables: TableOptions,

    /// Read files piece by piece instead of mapping them into memory: slower, unpacked tables are
    /// not used for probing, and whatever happens to a file meanwhile becomes an error
    #[arg(long, help_heading = "Tables")]
    no_mmap: bool,
}

impl ReadOptions {
    /// Opens the tables of a game.
    ///
    /// # Errors
    /// If there is no such directory.
    pub(crate) fn open(&self, board: Board, rules: RuleSet) -> anyhow::Result<Tables> {
        let dir = self.tables.dir();
        match dir.try_exists() {
            Ok(false) => Err(self.none_there(board, rules)),
            _ => self.open_in(dir, board, rules),
        }
    }

    /// Opens tables of a game in another directory, read in the same way.
    ///
    /// # Errors
    /// If there is no such directory.
    pub(crate) fn open_in(
        &self,
        dir: &Path,
        board: Board,
        rules: RuleSet,
    ) -> anyhow::Result<Tables> {
        let access = if self.no_mmap { Access::Read } else { Access::Mapped };
        Tables::open_with(dir, board, rules, access).map_err(failure::of_tables)
    }

    /// The error of a directory without tables of a game.
    pub(crate) fn none_there(&self, board: Board, rules: RuleSet) -> anyhow::Error {
        self.tables.none_there(board, rules)
    }

    /// Opens the tables too; `None` if nobody named a directory and the usual one is not there.
    ///
    /// # Errors
    /// If a directory that was named is not there.
    pub(crate) fn open_if_there(
        &self,
        board: Board,
        rules: RuleSet,
    ) -> anyhow::Result<Option<Tables>> {
        if self.tables.tables.is_none() && !self.tables.dir().exists() {
            return Ok(None);
        }
        self.open(board, rules).map(Some)
    }
}
