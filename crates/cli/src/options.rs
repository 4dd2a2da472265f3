//! Arguments that several commands take.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context;
use clap::{Args, ValueEnum};
use fanorona_core::{Board, DirectionRule, NoTurns, Position, RuleSet, Side};
use fanorona_tablebase::{Access, Method, Metric, Tables};
use serde::Serialize;

use crate::failure::{self, Failure};

/// A parser for whole numbers that says what would be right.
pub(crate) fn at_least<T>(least: T) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: Copy + Display + FromStr + PartialOrd,
{
    move |text| {
        let number = text.parse().ok().filter(|number| *number >= least);
        number.ok_or_else(|| format!("write a whole number, {least} or more"))
    }
}

/// The board and the rule set.
#[derive(Debug, Args)]
pub(crate) struct GameOptions {
    /// The board, WIDTHxHEIGHT: odd numbers from 3, with at most 63 points
    #[arg(long, value_name = "SIZE", default_value = "9x5", help_heading = "Game")]
    pub board: Board,

    /// The rule set: standard, first-capture-single, forced-relay, free-capture or vela, and
    /// options behind +, as in standard+direction-strict
    #[arg(long, value_name = "NAME", default_value = "standard", help_heading = "Game")]
    rules: RuleSet,

    /// What a side without a legal turn has: a loss, as all presets say, or a draw
    #[arg(long, value_name = "VALUE", help_heading = "Game")]
    no_turns: Option<NoTurnsOption>,

    /// Which directions a relay may not take: none twice in a turn (strict), or all may be taken
    /// (free)
    #[arg(long, value_name = "RULE", help_heading = "Game")]
    direction: Option<DirectionOption>,

    /// The victor's colour in the vela
    #[arg(long, value_name = "SIDE", help_heading = "Game")]
    victor: Option<SideOption>,

    /// The stones down to which the vela's victor may not capture; five on 9x5
    #[arg(long, value_name = "N", value_parser = at_least(0u8), help_heading = "Game")]
    victor_stones: Option<u8>,

    /// The vela's challenger must capture in phase 1
    #[arg(long, help_heading = "Game")]
    must_capture: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum NoTurnsOption {
    Loss,
    Draw,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DirectionOption {
    Strict,
    Free,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SideOption {
    White,
    Black,
}

impl GameOptions {
    /// The rule set with its options, checked for the board.
    pub(crate) fn rules(&self) -> anyhow::Result<RuleSet> {
        let mut rules = self.rules;
        if let Some(no_turns) = self.no_turns {
            rules.no_turns = match no_turns {
                NoTurnsOption::Loss => NoTurns::Loss,
                NoTurnsOption::Draw => NoTurns::Draw,
            };
        }
        if let Some(direction) = self.direction {
            rules.direction = match direction {
                DirectionOption::Strict => DirectionRule::Strict,
                DirectionOption::Free => DirectionRule::Free,
            };
        }
        let vela_options = [
            ("--victor", self.victor.is_some()),
            ("--victor-stones", self.victor_stones.is_some()),
            ("--must-capture", self.must_capture),
        ];
        match &mut rules.vela {
            Some(vela) => {
                if let Some(victor) = self.victor {
                    vela.victor = match victor {
                        SideOption::White => Side::White,
                        SideOption::Black => Side::Black,
                    };
                }
                vela.stones = self.victor_stones.or(vela.stones);
                vela.must_capture |= self.must_capture;
            }
            None => {
                if let Some((option, _)) = vela_options.into_iter().find(|(_, given)| *given) {
                    return Err(Failure::input(format!(
                        "{option} goes with --rules vela, and the rule set is {rules}"
                    )));
                }
            }
        }
        rules.check(self.board).map_err(Failure::input)?;
        Ok(rules)
    }
}

/// What a command is about.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Scene {
    pub board: Board,
    pub rules: RuleSet,
    pub position: Position,
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.position, self.rules)
    }
}

/// A position to begin with, under a rule set.
#[derive(Debug, Args)]
pub(crate) struct PositionOptions {
    #[command(flatten)]
    pub game: GameOptions,

    /// The position: ranks from the highest down, and w or b for the side to move; by default the
    /// start of the board
    #[arg(long, value_name = "TEXT", help_heading = "Game")]
    position: Option<Position>,

    /// Turns to be played first, as in "d3-e3A d4-d3A"
    #[arg(long, value_name = "TURNS", help_heading = "Game")]
    after: Option<String>,
}

impl PositionOptions {
    /// The position after the turns, and the rule set.
    pub(crate) fn resolve(&self) -> anyhow::Result<Scene> {
        let rules = self.game.rules()?;
        let mut position = match self.position {
            None => self.game.board.start(),
            Some(position) if position.board() == self.game.board => position,
            Some(position) => {
                return Err(Failure::input(format!(
                    "the position '{position}' is of the board {there}, and the board is {here}: \
                     give --board {there} to use it",
                    there = position.board(),
                    here = self.game.board,
                )));
            }
        };
        for text in self.after.iter().flat_map(|turns| turns.split([' ', ','])) {
            if !text.is_empty() {
                let turn = rules.parse_turn(&position, text).map_err(Failure::input)?;
                position = position.play_unchecked(&turn);
            }
        }
        Ok(Scene { board: position.board(), rules, position })
    }
}

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
        let dir = self.dir().display();
        Failure::input(format!(
            "there are no tables of {board} under {rules} in {dir}: build them with 'fanorona build \
             --board {board} --rules {rules} --stones 4 --tables {dir}'"
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
    pub(crate) fn open(&self, board: Board, rules: RuleSet) -> anyhow::Result<Tables> {
        let access = if self.no_mmap { Access::Read } else { Access::Mapped };
        Tables::open_with(self.tables.dir(), board, rules, access).map_err(failure::of_tables)
    }

    /// The error of a directory without tables of a game.
    pub(crate) fn none_there(&self, board: Board, rules: RuleSet) -> anyhow::Error {
        self.tables.none_there(board, rules)
    }

    /// Opens them too; `None` if nobody named a directory and the usual one is not there.
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

/// How work is done and its result printed.
#[derive(Debug, Args)]
pub(crate) struct CommonOptions {
    /// Threads to work with; 0 stands for as many as the machine has
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = at_least(0usize))]
    threads: usize,

    /// Print one JSON object and nothing else
    #[arg(long)]
    pub json: bool,
}

impl CommonOptions {
    /// How many threads were asked for; 0 stands for as many as the machine has.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Sets up the threads that all work is spread over.
    pub(crate) fn start_threads(&self) -> anyhow::Result<()> {
        rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads)
            .build_global()
            .with_context(|| format!("{} threads cannot be started", self.threads))
    }
}
