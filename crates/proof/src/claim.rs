//! Bounds of the value of a position, questions about it, and claims.

use std::fmt;

use fanorona_core::{Side, Value};
use serde::Serialize;

/// Bounds of the value of a position, for the side to move.
///
/// ```
/// use fanorona_core::Value;
/// use fanorona_proof::Bounds;
/// let bounds = Bounds { at_least: Value::Draw, ..Bounds::UNKNOWN };
/// assert_eq!(bounds.value(), None);
/// assert_eq!(Bounds::exact(Value::Draw).value(), Some(Value::Draw));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The value is this or better.
    pub at_least: Value,
    /// The value is this or worse. Not less than `at_least`.
    pub at_most: Value,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { at_least: Value::Loss, at_most: Value::Win };

    /// The value is known.
    pub fn exact(value: Value) -> Self {
        Self { at_least: value, at_most: value }
    }

    /// The value, if it is known.
    pub fn value(self) -> Option<Value> {
        (self.at_least == self.at_most).then_some(self.at_least)
    }

    /// The bounds that follow from two bounds of the same value.
    ///
    /// ```
    /// use fanorona_core::Value;
    /// use fanorona_proof::Bounds;
    /// let holds = Bounds { at_least: Value::Draw, ..Bounds::UNKNOWN };
    /// let does_not_win = Bounds { at_most: Value::Draw, ..Bounds::UNKNOWN };
    /// assert_eq!(holds.intersection(does_not_win), Bounds::exact(Value::Draw));
    /// ```
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self {
            at_least: self.at_least.max(other.at_least),
            at_most: self.at_most.min(other.at_most),
        }
    }

    /// Narrows the bounds of a position, in which `mover` is to move, by a proved claim.
    ///
    /// A claimed win replaces bounds that contradict it.
    pub fn narrow(&mut self, claim: Claim, mover: Side) {
        match (claim.kind, mover == claim.side) {
            (ClaimKind::Wins, true) => *self = Self::exact(Value::Win),
            (ClaimKind::Wins, false) => *self = Self::exact(Value::Loss),
            (ClaimKind::Holds, true) => self.at_least = self.at_least.max(Value::Draw),
            (ClaimKind::Holds, false) => self.at_most = self.at_most.min(Value::Draw),
        }
    }
}

/// The question: can this side force a win?
///
/// The answer yes is the [`Claim`] that it wins. The answer no is the claim that the other side
/// holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
pub struct Question {
    /// The side that tries to win.
    pub attacker: Side,
}

impl Question {
    /// The question for the side to move, and that for its opponent.
    pub fn both(mover: Side) -> [Self; 2] {
        [mover, mover.other()].map(|attacker| Self { attacker })
    }

    /// The claim of an answer: the attacker wins, or the other side holds.
    pub fn claim(self, answer: bool) -> Claim {
        if answer {
            Claim { side: self.attacker, kind: ClaimKind::Wins }
        } else {
            Claim { side: self.attacker.other(), kind: ClaimKind::Holds }
        }
    }

    /// The answer that follows from the bounds of a position in which `mover` is to move. `None` if
    /// none does.
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
        bounds.narrow(self.claim(answer), mover);
    }
}

/// A claim that can be proved: this side wins, or this side has at least a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// The side that the claim is about, the *prover*.
    pub side: Side,
    /// The result that it can force.
    pub kind: ClaimKind,
}

/// The result that the side of a [`Claim`] can force.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClaimKind {
    /// It wins.
    Wins,
    /// It has at least a draw: its opponent cannot force a win.
    Holds,
}

impl Claim {
    /// Whether the claim is a win.
    pub fn is_win(self) -> bool {
        self.kind == ClaimKind::Wins
    }

    /// The claims that are equivalent to bounds of a position in which `mover` is to move: none if
    /// nothing is known, two for a draw (that of the side to move first), otherwise one.
    ///
    /// ```
    /// use fanorona_core::{Side, Value};
    /// use fanorona_proof::{Bounds, Claim, ClaimKind};
    /// let claims = Claim::of_bounds(Bounds::exact(Value::Loss), Side::White);
    /// assert_eq!(claims, [Claim { side: Side::Black, kind: ClaimKind::Wins }]);
    /// assert_eq!(Claim::of_bounds(Bounds::exact(Value::Draw), Side::White).len(), 2);
    /// ```
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

    /// The bounds that are [equivalent](Self::of_bounds) to exactly these claims, in this order.
    /// `None` if there are none.
    pub(crate) fn to_bounds(claims: &[Self], mover: Side) -> Option<Bounds> {
        let mut bounds = Bounds::UNKNOWN;
        claims.iter().for_each(|claim| bounds.narrow(*claim, mover));
        (Self::of_bounds(bounds, mover) == claims).then_some(bounds)
    }

    /// The question that the claim answers, and the answer.
    pub fn question(self) -> (Question, bool) {
        match self.kind {
            ClaimKind::Wins => (Question { attacker: self.side }, true),
            ClaimKind::Holds => (Question { attacker: self.side.other() }, false),
        }
    }

    /// Whether a position with this value for the side to move is good enough for the claim.
    pub(crate) fn is_met_by(self, value: Value, mover: Side) -> bool {
        let value = if mover == self.side { value } else { -value };
        value >= self.kind.at_least()
    }
}

impl ClaimKind {
    /// The least value that a claim of this kind leaves its side.
    pub fn at_least(self) -> Value {
        match self {
            Self::Wins => Value::Win,
            Self::Holds => Value::Draw,
        }
    }
}

impl fmt::Display for Claim {
    /// As in `white wins` or `black has at least a draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { side, kind } = self;
        match kind {
            ClaimKind::Wins => write!(f, "{side} wins"),
            ClaimKind::Holds => write!(f, "{side} has at least a draw"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All bounds that do not contradict themselves.
    fn all_bounds() -> impl Iterator<Item = Bounds> {
        let values = [Value::Loss, Value::Draw, Value::Win];
        let pairs = values.into_iter().flat_map(move |a| values.map(|b| (a, b)));
        pairs.filter(|(a, b)| a <= b).map(|(at_least, at_most)| Bounds { at_least, at_most })
    }

    fn all_claims() -> Vec<Claim> {
        let sides = [Side::White, Side::Black];
        let kinds = [ClaimKind::Wins, ClaimKind::Holds];
        sides.into_iter().flat_map(|side| kinds.map(|kind| Claim { side, kind })).collect()
    }

    #[test]
    fn bounds_are_their_claims() {
        assert_eq!(all_bounds().count(), 6);
        for mover in [Side::White, Side::Black] {
            for bounds in all_bounds() {
                let claims = Claim::of_bounds(bounds, mover);
                assert_eq!(Claim::to_bounds(&claims, mover), Some(bounds), "{claims:?}");
                // A value that is within the bounds meets all claims, and no other one does.
                for value in [Value::Loss, Value::Draw, Value::Win] {
                    let within = (bounds.at_least..=bounds.at_most).contains(&value);
                    let met = claims.iter().all(|claim| claim.is_met_by(value, mover));
                    assert_eq!(met, within, "{bounds:?} {value}");
                }
            }
        }
    }

    #[test]
    fn claims_that_do_not_go_together_have_no_bounds() {
        let mover = Side::White;
        let all = all_claims();
        let good = |claims: &[Claim]| Claim::to_bounds(claims, mover).is_some();
        assert!(all.iter().all(|claim| good(&[*claim])));
        let pairs = all.iter().flat_map(|a| all.iter().map(|b| [*a, *b]));
        let pairs: Vec<_> = pairs.filter(|pair| good(pair)).collect();
        let hold = |side| Claim { side, kind: ClaimKind::Holds };
        assert_eq!(pairs, [[hold(Side::White), hold(Side::Black)]]);
        assert!(!good(&[hold(Side::White), hold(Side::Black), hold(Side::White)]));
    }

    #[test]
    fn answers_are_claims() {
        for mover in [Side::White, Side::Black] {
            for question in Question::both(mover) {
                for answer in [true, false] {
                    let claim = question.claim(answer);
                    assert_eq!(claim.question(), (question, answer));
                    let mut bounds = Bounds::UNKNOWN;
                    assert_eq!(question.answer(bounds, mover), None);
                    question.apply(answer, &mut bounds, mover);
                    assert_eq!(question.answer(bounds, mover), Some(answer));
                    assert_eq!(Claim::of_bounds(bounds, mover), [claim]);
                }
            }
        }
    }

    #[test]
    fn claims_in_words() {
        let words: Vec<_> = all_claims().iter().map(Claim::to_string).collect();
        let white = ["white wins", "white has at least a draw"];
        let black = ["black wins", "black has at least a draw"];
        assert_eq!(words, [white, black].concat());
    }
}
