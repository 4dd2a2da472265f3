//! The game: board, rule set and position.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{StringValueParser, TypedValueParser};
use fanorona_core::{Board, ParsePositionError, Position, RuleSet, Turn, turn_texts};
use serde::Serialize;

use crate::failure::Failure;
use crate::hints::is_like_board;

/// The board and the rule set.
#[derive(Debug, Args)]
pub(crate) struct GameOptions {
    /// Board, as WIDTHxHEIGHT [default: 9x5]
    #[arg(long, value_name = "SIZE", value_parser = lowered::<Board>())]
    board: Option<Board>,

    /// Rule set: see 'fanorona help rules'
    #[arg(
        long, value_name = "NAME", default_value = "standard", value_delimiter = ',',
        value_parser = lowered::<RuleSet>()
    )]
    rules: Vec<RuleSet>,
}

/// Boards and rule sets of a command for several.
#[cfg(feature = "serve")]
#[derive(Debug, Args)]
pub(crate) struct VariantsOptions {
    /// Board, as WIDTHxHEIGHT [default: all that have tables]
    #[arg(
        long = "board", value_name = "SIZE", value_delimiter = ',',
        value_parser = lowered::<Board>()
    )]
    pub boards: Vec<Board>,

    /// Rule set: see 'fanorona help rules'
    #[arg(
        long, value_name = "NAME", default_value = "standard", value_delimiter = ',',
        value_parser = lowered::<RuleSet>()
    )]
    pub rules: Vec<RuleSet>,
}

/// A parser of boards and rule sets: their names are in small letters.
fn lowered<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: std::error::Error + Send + Sync> + Clone + Send + Sync + 'static,
{
    StringValueParser::new().try_map(|text| text.trim().to_lowercase().parse())
}

impl GameOptions {
    /// The board of a command that begins with no position.
    pub(crate) fn board(&self) -> Board {
        self.board.unwrap_or(Board::tsivy())
    }

    /// The rule set with its options, checked for the board.
    pub(crate) fn rules(&self) -> anyhow::Result<RuleSet> {
        self.rules_on(self.board())
    }

    fn rules_on(&self, board: Board) -> anyhow::Result<RuleSet> {
        match self.rules[..] {
            [rules] => {
                rules.check(board)?;
                Ok(rules)
            }
            _ => {
                let number = self.rules.len();
                Err(Failure::input(format!("--rules has {number} rule sets; give one of them")))
            }
        }
    }

    /// The rule sets of a command that takes several, each once.
    pub(crate) fn all_rules(&self) -> anyhow::Result<Vec<RuleSet>> {
        let mut all = Vec::new();
        for rules in &self.rules {
            rules.check(self.board())?;
            if !all.contains(rules) {
                all.push(*rules);
            }
        }
        Ok(all)
    }
}

/// Reads a position, or a board, which stands for its start.
fn position_or_start(text: &str) -> Result<Position, Failure> {
    // In files, the side to move is a small letter. People write a capital too.
    let small = match text.rsplit_once(' ') {
        Some((ranks, side @ ("W" | "B"))) => format!("{ranks} {}", side.to_lowercase()),
        _ => text.to_owned(),
    };
    small.parse().map_err(|error: ParsePositionError| {
        let what = match Path::new(text).is_file() {
            true => format!(
                "'{text}' is a file, not a position; 'fanorona analyze' reads games with --game and \
                 positions with --batch, and 'fanorona check' reads certificates"
            ),
            false => error.to_string(),
        };
        Failure::Other(error.kind(), what)
    })
}

/// The position where the work of a command begins, and its rules.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Root {
    pub board: Board,
    pub rules: RuleSet,
    pub position: Position,
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}", self.position, self.rules)
    }
}

/// A position under a rule set.
#[derive(Debug, Args)]
pub(crate) struct PositionOptions {
    #[command(flatten)]
    pub game: GameOptions,

    /// Ranks from the top down, then w or b for the side to move; or a board, as in 5x5, for its
    /// start [default: the start of the board]
    #[arg(value_name = "POSITION", num_args = 1..=2)]
    text: Vec<String>,

    /// Turns to play first, as in "d3-e3A d4-d3A"
    #[arg(long, value_name = "TURNS")]
    after: Option<String>,
}

impl PositionOptions {
    /// Whether a position or turns were given.
    pub(crate) fn is_given(&self) -> bool {
        self.after.is_some() || !self.text.is_empty()
    }

    /// Puts a word before those of the position. A command with another argument before the position
    /// does that if the word does not belong there.
    pub(crate) fn begin_with(&mut self, word: String) {
        self.text.insert(0, word);
    }

    /// Takes a number from behind the position.
    pub(crate) fn take_number(&mut self) -> Option<String> {
        self.text.pop_if(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Takes back a position from the end of a list of files, which was written before it.
    pub(crate) fn take_back(&mut self, files: &mut Vec<PathBuf>) {
        let is_position = |file: &PathBuf| {
            let text = file.to_str().filter(|_| !file.exists());
            text.is_some_and(|text| is_like_board(text) || text.parse::<Position>().is_ok())
        };
        if self.text.is_empty()
            && let Some(text) = files.pop_if(|file| is_position(file))
        {
            self.text.push(text.to_string_lossy().into_owned());
        }
    }

    /// The position, if one was given.
    fn given(&self) -> anyhow::Result<Option<Position>> {
        match self.text.is_empty() {
            true => Ok(None),
            false => Ok(Some(position_or_start(&self.text.join(" "))?)),
        }
    }

    /// The position after the turns, and the rule set.
    pub(crate) fn resolve(&self) -> anyhow::Result<Root> {
        let (root, turns) = self.start_and_turns()?;
        let position = turns.iter().fold(root.position, |at, turn| at.play_unchecked(turn));
        Ok(Root { position, ..root })
    }

    /// The position before the turns, the rule set, and the turns.
    pub(crate) fn start_and_turns(&self) -> anyhow::Result<(Root, Vec<Turn>)> {
        let start = match (self.given()?, self.game.board) {
            (None, _) => self.game.board().start(),
            (Some(position), Some(board)) if position.board() != board => {
                return Err(Failure::input(format!(
                    "the position '{position}' is on a board of {there}, but --board is {board}; \
                     leave out --board, or use --board {there}",
                    there = position.board(),
                )));
            }
            (Some(position), _) => position,
        };
        let rules = self.game.rules_on(start.board())?;
        let (mut position, mut turns) = (start, Vec::new());
        for text in self.after.iter().flat_map(|turns| turn_texts(turns)) {
            let turn = rules.parse_turn(&position, text)?;
            position = position.play_unchecked(&turn);
            turns.push(turn);
        }
        Ok((Root { board: start.board(), rules, position: start }, turns))
    }
}
