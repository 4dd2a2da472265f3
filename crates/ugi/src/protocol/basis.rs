//! The evidence for a score, in an `info string` line.

use std::fmt;

use fanorona_engine::{Known, Score};

/// The evidence for a score. Neither protocol has a field for this, so it is the text of an
/// `info string` line: `basis estimate`, `basis exact win in 5`, `basis proved loss in at most 8`,
/// `basis exact draw`.
///
/// The line stands directly before the `info` line with the score. The number of turns is of both
/// sides together. Without a number, only the value is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Basis(pub Score);

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "basis {}", self.0.basis())?;
        let (Known { value, turns }, within) = match self.0 {
            Score::Exact(known) => (known, "in"),
            Score::Proved(known) => (known, "in at most"),
            Score::Estimate(_) => return Ok(()),
        };
        write!(f, " {value}")?;
        turns.map_or(Ok(()), |turns| write!(f, " {within} {turns}"))
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::Value;

    use super::*;

    #[test]
    fn a_basis_has_the_words_of_the_protocol() {
        let known = |value, turns| Known { value, turns };
        for (score, words) in [
            (Score::Exact(known(Value::Win, Some(5))), "basis exact win in 5"),
            (Score::Exact(known(Value::Draw, None)), "basis exact draw"),
            (Score::Proved(known(Value::Loss, Some(8))), "basis proved loss in at most 8"),
            (Score::Proved(known(Value::Win, None)), "basis proved win"),
            (Score::Estimate(-7), "basis estimate"),
        ] {
            assert_eq!(Basis(score).to_string(), words);
        }
    }
}
