//! Rule sets: a printed game and its options, as one value.
//!
//! This file defines the meaning of the options: [`RuleSet::turn_rule`] resolves a rule set at a
//! position into the [`TurnRule`] that the generators follow, and [`RuleSet::endgame`] says which
//! options can still matter. The name of a rule set is its preset's, then each option that differs, as
//! in `standard+direction-strict`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::Board;
use crate::point::Side;
use crate::position::Position;
use crate::value::Outcome;

/// The directions that a relay may not take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DirectionRule {
    /// The direction of the last step. All presets have this rule.
    NotTwiceRunning,
    /// All directions used before in the turn.
    Strict,
    /// None: all directions are allowed.
    Free,
}

/// How the game ends for a side that has stones but no legal turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoTurns {
    /// It has lost.
    Loss,
    /// The game is drawn.
    Draw,
}

/// The revenge game: the winner of the last game, the *victor*, gives away stones first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Vela {
    /// The colour of the victor. White moves first.
    pub victor: Side,
    /// Phase 1 lasts while the victor has more stones than this. `None` is the five of the printed
    /// rules, which are for 9x5; on other boards [`RuleSet::check`] requires a number.
    pub stones: Option<u8>,
    /// Whether the challenger must capture in phase 1. If it cannot, it has lost, even if other
    /// blocked sides draw.
    pub must_capture: bool,
}

impl Vela {
    /// The printed number of stones that ends phase 1, on 9x5.
    pub const STONES: u8 = 5;

    /// White is the victor, the printed number, and the challenger may play paikas.
    pub const PRINTED: Self = Self { victor: Side::White, stones: None, must_capture: false };

    /// The number of the victor's stones at which phase 1 ends.
    pub fn ends_at(self) -> u8 {
        self.stones.unwrap_or(Self::STONES)
    }

    fn is_phase_1(self, victors_stones: u32) -> bool {
        victors_stones > u32::from(self.ends_at())
    }
}

/// A printed game, without the options that all of them take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Preset {
    /// A side that can capture must capture. A relay may stop after any step.
    Standard,
    /// Each side's first capturing turn of the game ends after one step.
    FirstCaptureSingle,
    /// A relay must continue while the stone can capture.
    ForcedRelay,
    /// A paika may be played although a capturing step exists, except at the first turn of the
    /// game, when all stones are on the board.
    FreeCapture,
    /// The revenge game. Its second phase is `FreeCapture`.
    Vela(Vela),
}

/// The rules of a game.
///
/// The text of a rule set is its preset's name and the options that differ.
///
/// ```
/// use fanorona_core::{Board, NoTurns, RuleSet};
/// let rules = RuleSet { no_turns: NoTurns::Draw, ..RuleSet::FORCED_RELAY };
/// assert_eq!(rules.to_string(), "forced-relay+no-turns-draw");
/// assert_eq!("forced-relay+no-turns-draw".parse(), Ok(rules));
/// assert_eq!(rules.turns(&Board::tsivy().start()).len(), 5);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RuleSet {
    /// The printed game.
    pub preset: Preset,
    /// The directions that a relay may not take.
    pub direction: DirectionRule,
    /// How the game ends for a side without a legal turn.
    pub no_turns: NoTurns,
}

/// The error of a rule set that cannot be used on a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum RuleError {
    #[error(
        "the vela's five stones are for 9x5; on {0} say down to how many stones the victor may \
         not capture, as in vela+stones-3"
    )]
    VelaStones(Board),
}

impl RuleSet {
    /// Mandatory capture, optional relay: the research papers, the Dutch sheet, Wood Tactics'
    /// Tsivy sheet.
    pub const STANDARD: Self = Self {
        preset: Preset::Standard,
        direction: DirectionRule::NotTwiceRunning,
        no_turns: NoTurns::Loss,
    };

    /// Each player's first capturing turn ends after one step: Wood Tactics' variation.
    pub const FIRST_CAPTURE_SINGLE: Self =
        Self { preset: Preset::FirstCaptureSingle, ..Self::STANDARD };

    /// A relay continues while it can: Stracke's *Fanorona for Android* with its default.
    pub const FORCED_RELAY: Self = Self { preset: Preset::ForcedRelay, ..Self::STANDARD };

    /// Capturing is optional after the first turn: the French sheet of Mariolan and Badouard.
    pub const FREE_CAPTURE: Self = Self { preset: Preset::FreeCapture, ..Self::STANDARD };

    /// The revenge game of the French sheet.
    pub const VELA: Self = Self { preset: Preset::Vela(Vela::PRINTED), ..Self::STANDARD };

    /// The presets. Their names are their texts: `standard`, `first-capture-single`,
    /// `forced-relay`, `free-capture` and `vela`.
    pub const PRESETS: [Self; 5] = [
        Self::STANDARD,
        Self::FIRST_CAPTURE_SINGLE,
        Self::FORCED_RELAY,
        Self::FREE_CAPTURE,
        Self::VELA,
    ];

    /// The revenge game, if this is one.
    pub fn vela(&self) -> Option<Vela> {
        match self.preset {
            Preset::Vela(vela) => Some(vela),
            _ => None,
        }
    }

    /// The same rules with another vela; `None` if this is no vela.
    pub fn with_vela(&self, change: impl FnOnce(Vela) -> Vela) -> Option<Self> {
        self.vela().map(|vela| Self { preset: Preset::Vela(change(vela)), ..*self })
    }

    /// Checks that the rule set can be used on this board.
    ///
    /// # Errors
    /// If the vela's number of stones is not given, and the board is not 9x5.
    pub fn check(&self, board: Board) -> Result<(), RuleError> {
        match self.preset {
            Preset::Vela(Vela { stones: None, .. }) if board != Board::tsivy() => {
                Err(RuleError::VelaStones(board))
            }
            _ => Ok(()),
        }
    }

    /// The rule for the side to move at this position.
    pub fn turn_rule(&self, position: &Position) -> TurnRule {
        let board = position.board();
        let side = position.to_move();
        let count = |side| position.stones(side).len();
        if let Preset::Vela(vela) = self.preset
            && vela.is_phase_1(count(vela.victor))
        {
            let base = TurnRule {
                paikas: Paikas::AnyStep,
                captures: Captures::Never,
                chain: Chain::Single,
                direction: self.direction,
            };
            return if side == vela.victor {
                base
            } else {
                let paikas =
                    if vela.must_capture { Paikas::Never } else { Paikas::NonCapturingStep };
                TurnRule { paikas, captures: Captures::NearestStone, ..base }
            };
        }
        let base = self.settled_rule();
        TurnRule {
            paikas: if self.is_first_turn(position) { Paikas::WhenNoCapture } else { base.paikas },
            chain: if self.preset == Preset::FirstCaptureSingle
                && count(side.other()) == board.max_stones()
            {
                Chain::Single
            } else {
                base.chain
            },
            ..base
        }
    }

    /// The rule that applies once the options for the beginning of the game no longer matter: at
    /// positions where [`is_settled`](Self::is_settled) holds.
    pub fn settled_rule(&self) -> TurnRule {
        let (paikas, chain) = match self.preset {
            Preset::Standard | Preset::FirstCaptureSingle => {
                (Paikas::WhenNoCapture, Chain::MayGoOn)
            }
            Preset::ForcedRelay => (Paikas::WhenNoCapture, Chain::MustGoOn),
            Preset::FreeCapture | Preset::Vela(_) => (Paikas::NonCapturingStep, Chain::MayGoOn),
        };
        TurnRule { paikas, captures: Captures::WholeLine, chain, direction: self.direction }
    }

    /// Whether both sides follow the [`settled_rule`](Self::settled_rule) at this position and at
    /// every position that can follow.
    pub fn is_settled(&self, position: &Position) -> bool {
        match self.endgame_of(position).preset {
            Preset::Standard | Preset::ForcedRelay => true,
            Preset::FreeCapture => !self.is_first_turn(position),
            Preset::FirstCaptureSingle | Preset::Vela(_) => false,
        }
    }

    /// Whether this is the first turn of the game: all stones are on the board.
    fn is_first_turn(&self, position: &Position) -> bool {
        position.empty().len() == 1
    }

    /// These rules without what can no longer matter at positions with these numbers of stones:
    /// without the vela once its second phase is reached, and without the single first capture once
    /// both sides have captured. Endgame tables are built for such rule sets. The vela's number of
    /// stones is not given if it is the printed one for the board.
    #[must_use]
    pub fn endgame(&self, board: Board, white: u32, black: u32) -> Self {
        let most = board.max_stones();
        let preset = match self.preset {
            Preset::FirstCaptureSingle if white < most && black < most => Preset::Standard,
            Preset::Vela(vela) => {
                let victors = if vela.victor == Side::White { white } else { black };
                let is_printed = board == Board::tsivy() && vela.stones == Some(Vela::STONES);
                let stones = vela.stones.filter(|_| !is_printed);
                if vela.is_phase_1(victors) {
                    Preset::Vela(Vela { stones, ..vela })
                } else {
                    Preset::FreeCapture
                }
            }
            preset => preset,
        };
        Self { preset, ..*self }
    }

    /// [`endgame`](Self::endgame) for the stones of a position.
    #[must_use]
    pub fn endgame_of(&self, position: &Position) -> Self {
        let count = |side| position.stones(side).len();
        self.endgame(position.board(), count(Side::White), count(Side::Black))
    }

    /// Whether a position in which the sides have these numbers of stones can be in the first phase of
    /// the vela, where it matters who has which colour. The numbers can be exchanged.
    #[inline]
    pub fn colours_matter(&self, board: Board, one: u32, other: u32) -> bool {
        let is_phase_1 = |white, black| self.endgame(board, white, black).vela().is_some();
        self.vela().is_some() && (is_phase_1(one, other) || is_phase_1(other, one))
    }

    /// The same rules without the vela: those of its second phase.
    #[must_use]
    pub fn without_vela(&self) -> Self {
        let preset = self.vela().map_or(self.preset, |_| Preset::FreeCapture);
        Self { preset, ..*self }
    }

    /// The same rules with the colours exchanged: in the vela, the other side is the victor.
    #[must_use]
    pub fn with_colours_swapped(&self) -> Self {
        self.with_vela(|vela| Vela { victor: vela.victor.other(), ..vela }).unwrap_or(*self)
    }

    /// The result of the game at this position; `None` if it is not over.
    pub fn outcome(&self, position: &Position) -> Option<Outcome> {
        let opponent = position.to_move().other();
        if position.own().is_empty() {
            Some(Outcome::Won(opponent))
        } else if position.opponent().is_empty() {
            Some(Outcome::Won(position.to_move()))
        } else if self.has_turn(position) {
            None
        } else {
            let must_capture = self.turn_rule(position).paikas == Paikas::Never;
            Some(match self.no_turns {
                NoTurns::Draw if !must_capture => Outcome::Drawn,
                _ => Outcome::Won(opponent),
            })
        }
    }
}

impl Default for RuleSet {
    /// [`RuleSet::STANDARD`].
    fn default() -> Self {
        Self::STANDARD
    }
}

/// The error of a text that does not name a rule set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ParseRuleSetError {
    #[error(
        "'{0}' is not a rule set: the presets are {names}",
        names = RuleSet::PRESETS.map(|rules| rules.preset.name()).join(", ")
    )]
    Preset(String),
    #[error(
        "'{0}' is not an option of a rule set: they are {names}",
        names = RuleSet::VELA.options().join(", ")
    )]
    Option(String),
    #[error("'{first}' and '{second}' are options of one kind: give one of them")]
    Twice { first: String, second: String },
    #[error("the option '{0}' can only be used with vela")]
    NeedsVela(String),
}

impl Preset {
    fn name(&self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::FirstCaptureSingle => "first-capture-single",
            Self::ForcedRelay => "forced-relay",
            Self::FreeCapture => "free-capture",
            Self::Vela(_) => "vela",
        }
    }
}

/// Adds an option to rules, with a number for its `N`. `None` if it needs the vela.
type Add = fn(RuleSet, u8) -> Option<RuleSet>;

/// The options, in the order of names.
const OPTIONS: [(&str, Add); 6] = [
    ("direction-strict", |rules, _| Some(RuleSet { direction: DirectionRule::Strict, ..rules })),
    ("direction-free", |rules, _| Some(RuleSet { direction: DirectionRule::Free, ..rules })),
    ("no-turns-draw", |rules, _| Some(RuleSet { no_turns: NoTurns::Draw, ..rules })),
    ("victor-black", |rules, _| rules.with_vela(|vela| Vela { victor: Side::Black, ..vela })),
    ("stones-N", |rules, n| rules.with_vela(|vela| Vela { stones: Some(n), ..vela })),
    ("must-capture", |rules, _| rules.with_vela(|vela| Vela { must_capture: true, ..vela })),
];

impl RuleSet {
    /// The options that can be added to the name, in their order. `N` stands for a number up to 255.
    ///
    /// ```
    /// use fanorona_core::RuleSet;
    /// let options = ["direction-strict", "direction-free", "no-turns-draw"];
    /// assert_eq!(RuleSet::STANDARD.options(), options);
    /// assert_eq!(RuleSet::VELA.options()[3..], ["victor-black", "stones-N", "must-capture"]);
    /// ```
    pub fn options(&self) -> Vec<&'static str> {
        let fits = |(name, add): (_, Add)| add(*self, 0).map(|_| name);
        OPTIONS.into_iter().filter_map(fits).collect()
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = self.preset.name().to_owned();
        let stones = self.vela().and_then(|vela| vela.stones).unwrap_or_default();
        for (option, add) in OPTIONS {
            if add(*self, stones) == Some(*self) {
                text.push('+');
                text.push_str(&option.replace('N', &stones.to_string()));
            }
        }
        f.pad(&text)
    }
}

/// An option's name without the last word, as in `direction` for `direction-strict`. Options of one
/// kind exclude each other.
fn kind(option: &str) -> &str {
    option.rsplit_once('-').map_or(option, |(kind, _)| kind)
}

impl FromStr for RuleSet {
    type Err = ParseRuleSetError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split('+');
        let name = parts.next().unwrap_or_default();
        let mut rules = Self::PRESETS
            .into_iter()
            .find(|rules| rules.preset.name() == name)
            .ok_or_else(|| ParseRuleSetError::Preset(name.to_owned()))?;
        let mut given: Vec<&str> = Vec::new();
        for part in parts {
            if let Some(first) = given.iter().find(|first| kind(first) == kind(part)) {
                let (first, second) = ((*first).to_owned(), part.to_owned());
                return Err(ParseRuleSetError::Twice { first, second });
            }
            given.push(part);
            let (add, number) = OPTIONS
                .into_iter()
                .find_map(|(option, add)| match option.strip_suffix('N') {
                    Some(start) => Some((add, part.strip_prefix(start)?.parse().ok()?)),
                    None => (option == part).then_some((add, 0)),
                })
                .ok_or_else(|| ParseRuleSetError::Option(part.to_owned()))?;
            rules = add(rules, number).ok_or_else(|| ParseRuleSetError::NeedsVela(part.into()))?;
        }
        Ok(rules)
    }
}

/// The freedom of the side to move at one position: a [`RuleSet`], resolved there by
/// [`RuleSet::turn_rule`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the types say it")]
pub struct TurnRule {
    pub paikas: Paikas,
    pub captures: Captures,
    pub chain: Chain,
    pub direction: DirectionRule,
}

/// The steps to an empty point that are legal without a capture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Paikas {
    /// All steps to an empty point. None of them captures.
    AnyStep,
    /// Steps that cannot capture.
    NonCapturingStep,
    /// Steps that cannot capture, if no step of any stone can.
    WhenNoCapture,
    /// None.
    Never,
}

/// The stones that a capturing step takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Captures {
    /// Nothing: capturing is forbidden.
    Never,
    /// The nearest stone of its line.
    NearestStone,
    /// All of its line.
    WholeLine,
}

/// The number of capturing steps of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Chain {
    /// One.
    Single,
    /// Any number, at the player's choice.
    MayGoOn,
    /// As many as possible.
    MustGoOn,
}
