//! The game: board, rule set and position.

use std::fmt;

use clap::{Args, ValueEnum};
use fanorona_core::{Board, DirectionRule, NoTurns, Position, RuleSet, Side, Turn, turn_texts};
use serde::Serialize;

use super::headings::RULE_OPTIONS;
use super::number::at_least;
use crate::failure::Failure;

/// The board and the rule set.
#[derive(Debug, Args)]
pub(crate) struct GameOptions {
    /// Board, as WIDTHxHEIGHT: odd numbers from 3, at most 63 points [default: that of a position
    /// that is given, or 9x5]
    #[arg(long, value_name = "SIZE")]
    board: Option<Board>,

    /// Rule set: standard, first-capture-single, forced-relay, free-capture or vela, and options
    /// after a +, as in standard+direction-strict
    #[arg(long, value_name = "NAME", default_value = "standard")]
    rules: RuleSet,

    /// Result for a side without a legal turn; a loss in all presets
    #[arg(long, value_name = "VALUE", help_heading = RULE_OPTIONS)]
    no_turns: Option<NoTurnsOption>,

    /// Directions of a relay: none twice in a turn (strict), or any (free) [default: none twice in
    /// a row]
    #[arg(long, value_name = "RULE", help_heading = RULE_OPTIONS)]
    direction: Option<DirectionOption>,

    /// Vela: the winner of the last game [default: white]
    #[arg(long, value_name = "SIDE", help_heading = RULE_OPTIONS)]
    victor: Option<SideOption>,

    /// Vela: the victor may not capture while it has more than N stones [default on 9x5: 5]
    #[arg(long, value_name = "N", value_parser = at_least(0u8), help_heading = RULE_OPTIONS)]
    victor_stones: Option<u8>,

    /// Vela: the challenger must capture in phase 1, and loses if it cannot
    #[arg(long, help_heading = RULE_OPTIONS)]
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
    /// The board of a command that begins with no position.
    pub(crate) fn board(&self) -> Board {
        self.board.unwrap_or(Board::tsivy())
    }

    /// The rule set with its options, checked for the board.
    pub(crate) fn rules(&self) -> anyhow::Result<RuleSet> {
        self.rules_on(self.board())
    }

    fn rules_on(&self, board: Board) -> anyhow::Result<RuleSet> {
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
                        "{option} needs --rules vela, but the rule set is {rules}"
                    )));
                }
            }
        }
        rules.check(board)?;
        Ok(rules)
    }
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

    /// Position: ranks from the top down, then w or b for the side to move [default: the start of
    /// the board]
    #[arg(long, value_name = "TEXT")]
    position: Option<Position>,

    /// Turns to play first, as in "d3-e3A d4-d3A"
    #[arg(long, value_name = "TURNS")]
    after: Option<String>,
}

impl PositionOptions {
    /// The position after the turns, and the rule set.
    pub(crate) fn resolve(&self) -> anyhow::Result<Root> {
        let (root, turns) = self.start_and_turns()?;
        let position = turns.iter().fold(root.position, |at, turn| at.play_unchecked(turn));
        Ok(Root { position, ..root })
    }

    /// The position before the turns, the rule set, and the turns.
    pub(crate) fn start_and_turns(&self) -> anyhow::Result<(Root, Vec<Turn>)> {
        let start = match (self.position, self.game.board) {
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
