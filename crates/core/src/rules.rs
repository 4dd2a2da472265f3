//! Rule sets: the options by which the published rules differ, as one value.
//!
//! Here alone stands what each option means: [`RuleSet::turn_rule`] resolves a rule set at a
//! position into the [`TurnRule`] that the one generator follows, and [`RuleSet::endgame`] says
//! which options can still matter.

use thiserror::Error;

use crate::board::Board;
use crate::point::Side;
use crate::position::Position;
use crate::value::Outcome;

/// May a paika be played although a capturing step exists?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Capturing {
    /// No: whoever can capture must.
    Mandatory,
    /// Yes, except at the very first turn of the game, when all stones stand.
    Optional,
}

/// Must a relay go on while the stone can capture?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relay {
    /// No: it may stop after any step.
    Optional,
    /// Yes.
    Mandatory,
}

/// Which directions a relay may not take.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DirectionRule {
    /// Not the direction of the step just made: the rule of all presets.
    NotTwiceRunning,
    /// None that was taken before in the turn.
    Strict,
    /// All may be taken.
    Free,
}

/// How the game ends for a side with stones and without a legal turn.
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
    /// Whose colour the victor has; White moves first.
    pub victor: Side,
    /// The victor may not capture while it has more stones than this. `None` is the five of the
    /// printed rules, which is for 9x5; [`RuleSet::check`] wants a number on other boards.
    pub stones: Option<u8>,
    /// In phase 1 the challenger must capture, and has lost where it cannot, whatever blocked sides
    /// do otherwise.
    pub must_capture: bool,
}

impl Vela {
    /// The victor's stones down to which phase 1 lasts on 9x5.
    pub const STONES: u8 = 5;

    /// White is the victor, the printed number, and the challenger may play paikas.
    pub const PRINTED: Self = Self { victor: Side::White, stones: None, must_capture: false };

    fn is_phase_1(self, victors_stones: u32) -> bool {
        victors_stones > u32::from(self.stones.unwrap_or(Self::STONES))
    }
}

/// The rules that a game is played by.
///
/// The presets are constants; an option is a field set otherwise.
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
    /// Is capturing mandatory?
    pub capturing: Capturing,
    /// Is going on with a relay mandatory?
    pub relay: Relay,
    /// Does each player's first capturing turn of the game end after one step?
    pub first_capture_single: bool,
    /// Which directions may a relay not take?
    pub direction: DirectionRule,
    /// What is a side without a legal turn?
    pub no_turns: NoTurns,
    /// The revenge game, whose second phase follows the rest of this rule set.
    pub vela: Option<Vela>,
}

/// A rule set that a board has no reading of.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The vela's number of stones is printed for 9x5 alone.
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
        capturing: Capturing::Mandatory,
        relay: Relay::Optional,
        first_capture_single: false,
        direction: DirectionRule::NotTwiceRunning,
        no_turns: NoTurns::Loss,
        vela: None,
    };

    /// Each player's first capturing turn ends after one step: Wood Tactics' variation.
    pub const FIRST_CAPTURE_SINGLE: Self = Self { first_capture_single: true, ..Self::STANDARD };

    /// A relay goes on while it can: Stracke's *Fanorona for Android* with its default.
    pub const FORCED_RELAY: Self = Self { relay: Relay::Mandatory, ..Self::STANDARD };

    /// Capturing is optional after the first turn: the French sheet of Mariolan and Badouard.
    pub const FREE_CAPTURE: Self = Self { capturing: Capturing::Optional, ..Self::STANDARD };

    /// The revenge game of the French sheet.
    pub const VELA: Self = Self { vela: Some(Vela::PRINTED), ..Self::FREE_CAPTURE };

    /// The presets. Their names are their texts: `standard`, `first-capture-single`,
    /// `forced-relay`, `free-capture` and `vela`.
    pub const PRESETS: [Self; 5] = [
        Self::STANDARD,
        Self::FIRST_CAPTURE_SINGLE,
        Self::FORCED_RELAY,
        Self::FREE_CAPTURE,
        Self::VELA,
    ];

    /// Whether the rule set says all that is needed on this board.
    ///
    /// # Errors
    /// If the vela's number of stones is left to the printed rules on a board other than 9x5.
    pub fn check(&self, board: Board) -> Result<(), RuleError> {
        match self.vela {
            Some(Vela { stones: None, .. }) if board != Board::tsivy() => {
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
        if let Some(vela) = self.vela
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
            chain: if self.first_capture_single && count(side.other()) == board.max_stones() {
                Chain::Single
            } else {
                base.chain
            },
            ..base
        }
    }

    /// The rule that applies once no option of the beginning of the game matters any more: at
    /// positions where [`is_settled`](Self::is_settled) holds.
    pub fn settled_rule(&self) -> TurnRule {
        TurnRule {
            paikas: match self.capturing {
                Capturing::Mandatory => Paikas::WhenNoCapture,
                Capturing::Optional => Paikas::NonCapturingStep,
            },
            captures: Captures::WholeLine,
            chain: match self.relay {
                Relay::Optional => Chain::MayGoOn,
                Relay::Mandatory => Chain::MustGoOn,
            },
            direction: self.direction,
        }
    }

    /// Whether both sides follow the [`settled_rule`](Self::settled_rule) at this position and at
    /// every position that can arise from it.
    pub fn is_settled(&self, position: &Position) -> bool {
        let rules = self.endgame_of(position);
        let first_turn = self.capturing == Capturing::Optional && self.is_first_turn(position);
        rules.vela.is_none() && !rules.first_capture_single && !first_turn
    }

    /// Whether this is the first turn of the game: all stones stand.
    fn is_first_turn(&self, position: &Position) -> bool {
        position.empty().len() == 1
    }

    /// The simplest rule set that gives positions with these numbers of stones, and all that can
    /// come of them, the same turns: without the vela once its second phase is reached, and
    /// without the single first capture once both sides have captured.
    ///
    /// Tables are built for such rule sets, so that those of `standard` serve
    /// `first-capture-single` too, and those of `free-capture` the second phase of `vela`.
    #[must_use]
    pub fn endgame(&self, board: Board, white: u32, black: u32) -> Self {
        let mut rules = *self;
        if let Some(vela) = rules.vela {
            let victors = if vela.victor == Side::White { white } else { black };
            if !vela.is_phase_1(victors) {
                rules.vela = None;
            }
        }
        let most = board.max_stones();
        if white < most && black < most {
            rules.first_capture_single = false;
        }
        rules
    }

    /// [`endgame`](Self::endgame) for the stones of a position.
    #[must_use]
    pub fn endgame_of(&self, position: &Position) -> Self {
        let count = |side| position.stones(side).len();
        self.endgame(position.board(), count(Side::White), count(Side::Black))
    }

    /// How the game has ended at this position, if it has.
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

/// What the side to move may do at one position: a [`RuleSet`] resolved there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TurnRule {
    /// Which paikas it may play.
    pub paikas: Paikas,
    /// What a capturing step takes.
    pub captures: Captures,
    /// How capturing steps follow each other.
    pub chain: Chain,
    /// Which directions a relay may not take.
    pub direction: DirectionRule,
}

/// Which steps are paikas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Paikas {
    /// Every step to an empty point, none of them takes anything.
    AnyStep,
    /// Steps that could capture nothing.
    NonCapturingStep,
    /// Steps that could capture nothing, when no step of any stone captures.
    WhenNoCapture,
    /// None.
    Never,
}

/// What a capturing step takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Captures {
    /// Nothing: capturing is forbidden.
    Never,
    /// The nearest stone of its line.
    NearestStone,
    /// All of its line.
    WholeLine,
}

/// How many capturing steps a turn has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Chain {
    /// One.
    Single,
    /// As many as the mover likes.
    MayGoOn,
    /// As many as the stone can make.
    MustGoOn,
}
