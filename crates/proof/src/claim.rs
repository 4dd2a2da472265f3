//! What can be claimed of a position: bounds of its value, and the questions whose answers give them.

use fanorona_core::{Side, Value};

/// What is known of the value of a position, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The value is this or better.
    pub at_least: Value,
    /// The value is this or worse.
    pub at_most: Value,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { at_least: Value::Loss, at_most: Value::Win };

    /// All is known.
    pub fn exact(value: Value) -> Self {
        Self { at_least: value, at_most: value }
    }

    /// The value, if it is known.
    pub fn value(self) -> Option<Value> {
        (self.at_least == self.at_most).then_some(self.at_least)
    }
}

/// Can this side force a win?
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Question {
    /// The side.
    pub attacker: Side,
}

impl Question {
    /// The question for the side to move, and that for its opponent.
    pub fn both(mover: Side) -> [Self; 2] {
        [mover, mover.other()].map(|attacker| Self { attacker })
    }

    /// The answer that bounds of a position give, if they give one.
    pub fn answer(self, bounds: Bounds, mover: Side) -> Option<bool> {
        let (least, most) = if mover == self.attacker {
            (bounds.at_least, bounds.at_most)
        } else {
            (-bounds.at_most, -bounds.at_least)
        };
        if least == Value::Win { Some(true) } else { (most < Value::Win).then_some(false) }
    }

    /// Narrows the bounds of a position by an answer.
    pub fn apply(self, answer: bool, bounds: &mut Bounds, mover: Side) {
        match (answer, mover == self.attacker) {
            (true, true) => *bounds = Bounds::exact(Value::Win),
            (true, false) => *bounds = Bounds::exact(Value::Loss),
            (false, true) => bounds.at_most = bounds.at_most.min(Value::Draw),
            (false, false) => bounds.at_least = bounds.at_least.max(Value::Draw),
        }
    }
}

/// What one proof says: this side wins, or has at least a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Whose claim it is.
    pub side: Side,
    /// What it claims.
    pub kind: ClaimKind,
}

/// What a side claims.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClaimKind {
    /// It wins.
    Wins,
    /// It has at least a draw.
    Holds,
}

impl Claim {
    /// Whether the claim is a win.
    pub fn is_win(self) -> bool {
        self.kind == ClaimKind::Wins
    }

    /// The claims that bounds make, of a position with this side to move; two for a draw.
    pub fn of_bounds(bounds: Bounds, mover: Side) -> Vec<Self> {
        use Value::{Draw, Loss, Win};
        match (bounds.at_least, bounds.at_most) {
            (Win, _) => vec![Self { side: mover, kind: ClaimKind::Wins }],
            (_, Loss) => vec![Self { side: mover.other(), kind: ClaimKind::Wins }],
            (at_least, at_most) => [(at_least == Draw, mover), (at_most == Draw, mover.other())]
                .into_iter()
                .filter_map(|(holds, side)| holds.then_some(Self { side, kind: ClaimKind::Holds }))
                .collect(),
        }
    }

    /// The question that the claim answers, and the answer: a side has at least a draw if its
    /// opponent cannot force a win.
    pub fn question(self) -> (Question, bool) {
        match self.kind {
            ClaimKind::Wins => (Question { attacker: self.side }, true),
            ClaimKind::Holds => (Question { attacker: self.side.other() }, false),
        }
    }

    /// Whether a value for the side to move is as good as the claim.
    pub(crate) fn is_met(self, value: Value, mover: Side) -> bool {
        let value = if mover == self.side { value } else { -value };
        value
            >= match self.kind {
                ClaimKind::Wins => Value::Win,
                ClaimKind::Holds => Value::Draw,
            }
    }
}
