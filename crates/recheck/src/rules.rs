//! Rule sets and their names.

use crate::board::Board;
use crate::position::{Position, Side};

/// The rule sets that have a name of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Preset {
    Standard,
    FirstCaptureSingle,
    ForcedRelay,
    FreeCapture,
    Vela,
}

const PRESETS: [(Preset, &str); 5] = [
    (Preset::Standard, "standard"),
    (Preset::FirstCaptureSingle, "first-capture-single"),
    (Preset::ForcedRelay, "forced-relay"),
    (Preset::FreeCapture, "free-capture"),
    (Preset::Vela, "vela"),
];

/// The directions that a relay may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Directions {
    /// Not the one of the step before.
    NotTwiceRunning,
    /// None of this turn.
    NeverTwice,
    /// All.
    Free,
}

/// A rule set: a preset and its options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    pub(crate) preset: Preset,
    pub(crate) directions: Directions,
    /// A side without a legal turn has a draw, and has not lost.
    pub(crate) no_turns_draw: bool,
    pub(crate) victor: Side,
    /// `None` is 5, on 9x5 only.
    victor_stones: Option<u8>,
    pub(crate) must_capture: bool,
}

impl Rules {
    /// The rule set with a name such as `standard+no-turns-draw`, its options in their order.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut parts = name.split('+');
        let first = parts.next()?;
        let (preset, _) = PRESETS.into_iter().find(|(_, preset)| *preset == first)?;
        let mut rules = Self {
            preset,
            directions: Directions::NotTwiceRunning,
            no_turns_draw: false,
            victor: Side::White,
            victor_stones: None,
            must_capture: false,
        };
        for part in parts {
            match part {
                "direction-strict" => rules.directions = Directions::NeverTwice,
                "direction-free" => rules.directions = Directions::Free,
                "no-turns-draw" => rules.no_turns_draw = true,
                "victor-black" => rules.victor = Side::Black,
                "must-capture" => rules.must_capture = true,
                _ => rules.victor_stones = Some(part.strip_prefix("stones-")?.parse().ok()?),
            }
        }
        // Options in another order, given twice or of another preset make another name.
        (rules.name() == name).then_some(rules)
    }

    /// The name of the rule set.
    #[must_use]
    pub fn name(&self) -> String {
        let mut name = self.name_without_vela(self.preset);
        if self.preset == Preset::Vela {
            if self.victor == Side::Black {
                name.push_str("+victor-black");
            }
            if let Some(stones) = self.victor_stones {
                name.push_str(&format!("+stones-{stones}"));
            }
            if self.must_capture {
                name.push_str("+must-capture");
            }
        }
        name
    }

    /// The name of the rule set of a slice's table: without what can no longer matter there.
    pub(crate) fn table_name(&self, board: &Board, own: u32, opponent: u32) -> String {
        // If each side has lost a stone, both have captured.
        let both_have_captured = own.max(opponent) < board.half();
        self.name_without_vela(match self.preset {
            Preset::FirstCaptureSingle if both_have_captured => Preset::Standard,
            Preset::Vela => Preset::FreeCapture,
            other => other,
        })
    }

    /// Whether the rule set can be played on the board.
    pub(crate) fn fits(&self, board: &Board) -> bool {
        self.preset != Preset::Vela || self.victor_stones.is_some() || board.name() == "9x5"
    }

    /// Whether a side that can capture may always play a paika, except in the first turn.
    pub(crate) fn capturing_is_optional(&self) -> bool {
        matches!(self.preset, Preset::FreeCapture | Preset::Vela)
    }

    /// Whether a position is in the first phase of the vela.
    pub(crate) fn first_phase(&self, position: &Position) -> bool {
        let (own, opponent) = position.stones();
        let victors = if position.to_move == self.victor { own } else { opponent };
        self.preset == Preset::Vela && victors > self.victor_stones.unwrap_or(5).into()
    }

    fn name_without_vela(&self, preset: Preset) -> String {
        let preset = PRESETS.into_iter().find(|(known, _)| *known == preset);
        let mut name = preset.map_or_else(String::new, |(_, name)| name.to_owned());
        name.push_str(match self.directions {
            Directions::NotTwiceRunning => "",
            Directions::NeverTwice => "+direction-strict",
            Directions::Free => "+direction-free",
        });
        if self.no_turns_draw {
            name.push_str("+no-turns-draw");
        }
        name
    }
}
