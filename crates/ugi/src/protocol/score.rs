//! The field `score` of an `info` line, and the evidence for it.

use std::fmt;

use fanorona_core::Value;
use fanorona_engine::{Known, Score as Found};

/// The `score cp` of a won position whose distance is not known. Estimates stay within ±15,000.
pub const WIN_WITHOUT_DISTANCE: i32 = 20_000;

/// A score as the protocol has it, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum InfoScore {
    /// `cp`: an estimate, in hundredths of what the engine has as its unit.
    Cp(i32),
    /// `mate`: the side to move wins with this number of its own turns; negative: it has lost after
    /// this number of its own turns, and 0: now.
    Mate(i32),
}

impl InfoScore {
    /// Reads the words after `score`, as far as they belong to it.
    pub(super) fn read<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        let score = match words.next()? {
            "cp" => Self::Cp,
            "mate" => Self::Mate,
            _ => return None,
        };
        words.next()?.parse().ok().map(score)
    }
}

/// `cp` for estimates, draws, and values without a known distance; `mate` for the others.
impl From<Found> for InfoScore {
    fn from(found: Found) -> Self {
        let known = match found {
            Found::Estimate(estimate) => return Self::Cp(estimate),
            Found::Exact(known) | Found::Proved(known) => known,
        };
        match (known.value, known.turns.map(i32::from)) {
            (Value::Draw, _) => Self::Cp(0),
            (Value::Win, Some(turns)) => Self::Mate((turns + 1) / 2),
            (Value::Win, None) => Self::Cp(WIN_WITHOUT_DISTANCE),
            (Value::Loss, Some(turns)) => Self::Mate(-(turns / 2)),
            (Value::Loss, None) => Self::Cp(-WIN_WITHOUT_DISTANCE),
        }
    }
}

/// `cp 12`, `mate -3`.
impl fmt::Display for InfoScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cp(number) => write!(f, "cp {number}"),
            Self::Mate(turns) => write!(f, "mate {turns}"),
        }
    }
}

/// The evidence for a score. Neither protocol has a field for this, so it is the text of an
/// `info string` line: `basis estimate`, `basis exact win in 5`, `basis proved loss in at most 8`,
/// `basis exact draw`.
///
/// The line stands directly before the `info` line with the score. The number of turns is of both
/// sides together. Without a number, only the value is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Basis(pub Found);

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "basis {}", self.0.basis())?;
        let (Known { value, turns }, within) = match self.0 {
            Found::Exact(known) => (known, "in"),
            Found::Proved(known) => (known, "in at most"),
            Found::Estimate(_) => return Ok(()),
        };
        write!(f, " {value}")?;
        turns.map_or(Ok(()), |turns| write!(f, " {within} {turns}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_in_turns_of_the_side_to_move() {
        let text = |value, turns| InfoScore::from(Found::Exact(Known { value, turns })).to_string();
        // A win in one turn of both sides is one turn of the winner; in three it is two.
        assert_eq!(text(Value::Win, Some(1)), "mate 1");
        assert_eq!(text(Value::Win, Some(3)), "mate 2");
        assert_eq!(text(Value::Loss, Some(0)), "mate 0");
        assert_eq!(text(Value::Loss, Some(2)), "mate -1");
        assert_eq!(text(Value::Loss, Some(4)), "mate -2");
        assert_eq!(text(Value::Win, None), "cp 20000");
        assert_eq!(text(Value::Loss, None), "cp -20000");
        assert_eq!(text(Value::Draw, None), "cp 0");
        assert_eq!(InfoScore::from(Found::Estimate(-37)).to_string(), "cp -37");
    }

    #[test]
    fn a_basis_has_the_words_of_the_protocol() {
        let known = |value, turns| Known { value, turns };
        for (score, words) in [
            (Found::Exact(known(Value::Win, Some(5))), "basis exact win in 5"),
            (Found::Exact(known(Value::Draw, None)), "basis exact draw"),
            (Found::Proved(known(Value::Loss, Some(8))), "basis proved loss in at most 8"),
            (Found::Proved(known(Value::Win, None)), "basis proved win"),
            (Found::Estimate(-7), "basis estimate"),
        ] {
            assert_eq!(Basis(score).to_string(), words);
        }
    }
}
