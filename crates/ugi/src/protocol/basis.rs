//! The evidence for a score, in an `info string` line.

use std::fmt;
use std::str::FromStr;

use fanorona_core::Value;
use fanorona_engine::{Known, Score};
use thiserror::Error;

use super::text::shown;

/// The evidence for a score. Neither protocol has a field for this, so it is the text of an
/// `info string` line: `basis estimate`, `basis exact win in 5`, `basis proved loss in at most 8`,
/// `basis exact draw`.
///
/// The line stands directly before the `info` line with the score. The number of turns is of both
/// sides together. Without a number, only the value is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Basis {
    /// A table holds the value.
    Exact(Known),
    /// A search or a certificate proves the value.
    Proved(Known),
    /// Nothing is certain.
    Estimate,
}

/// A text that is no basis.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is no basis of a score, as 'basis estimate' or 'basis exact win in 5' are")]
pub struct BasisError(String);

impl Basis {
    /// The value that is certain; `None` for an estimate.
    pub fn known(self) -> Option<Known> {
        match self {
            Self::Exact(known) | Self::Proved(known) => Some(known),
            Self::Estimate => None,
        }
    }
}

impl From<Score> for Basis {
    fn from(score: Score) -> Self {
        match score {
            Score::Exact(known) => Self::Exact(known),
            Score::Proved(known) => Self::Proved(known),
            Score::Estimate(_) => Self::Estimate,
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Estimate => f.write_str("basis estimate"),
            Self::Exact(Known { value, turns: None }) => write!(f, "basis exact {value}"),
            Self::Proved(Known { value, turns: None }) => write!(f, "basis proved {value}"),
            Self::Exact(Known { value, turns: Some(turns) }) => {
                write!(f, "basis exact {value} in {turns}")
            }
            Self::Proved(Known { value, turns: Some(turns) }) => {
                write!(f, "basis proved {value} in at most {turns}")
            }
        }
    }
}

impl FromStr for Basis {
    type Err = BasisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || BasisError(shown(text));
        let rest = text.strip_prefix("basis ").ok_or_else(error)?;
        if rest == "estimate" {
            return Ok(Self::Estimate);
        }
        let (basis, rest) = rest.split_once(' ').ok_or_else(error)?;
        let (value, turns) = match rest.split_once(' ') {
            None => (rest, None),
            Some((value, rest)) => {
                let turns = match basis {
                    "exact" => rest.strip_prefix("in "),
                    _ => rest.strip_prefix("in at most "),
                };
                (value, Some(turns.and_then(|turns| turns.parse().ok()).ok_or_else(error)?))
            }
        };
        let value = [Value::Win, Value::Draw, Value::Loss]
            .into_iter()
            .find(|known| known.to_string() == value)
            .ok_or_else(error)?;
        match basis {
            "exact" => Ok(Self::Exact(Known { value, turns })),
            "proved" => Ok(Self::Proved(Known { value, turns })),
            _ => Err(error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_basis_is_read_as_it_is_written() {
        for value in [Value::Win, Value::Draw, Value::Loss] {
            for turns in [None, Some(0), Some(5), Some(u16::MAX)] {
                let known = Known { value, turns };
                for basis in [Basis::Exact(known), Basis::Proved(known), Basis::Estimate] {
                    assert_eq!(basis.to_string().parse(), Ok(basis));
                }
            }
        }
        for wrong in [
            "",
            "basis",
            "basis ",
            "basis exact",
            "basis exact win in",
            "basis exact win in at most 5",
            "basis proved win in 5",
            "basis exact win in -1",
            "basis exact victory",
            "basis rumoured win",
            "basis estimate 5",
        ] {
            assert!(wrong.parse::<Basis>().is_err(), "{wrong}");
        }
    }
}
