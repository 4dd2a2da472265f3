//! Scores of positions, and the numbers that a search computes with.

use std::fmt;

use fanorona_core::Value;
use fanorona_tablebase::TableValue;

/// A value that is certain, with the number of turns to the end if that is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Known {
    /// The value for the side to move.
    pub value: Value,
    /// Turns of both sides until the end of the game. In [`Score::Exact`] this is the distance to
    /// win of the tables. In [`Score::Proved`] it is an upper bound: the winner can force the end
    /// within this number of turns, and perhaps sooner. `None` for draws, and where only the
    /// value is known.
    pub turns: Option<u16>,
}

/// A score for the side to move, and what it rests on.
///
/// Only [`Exact`](Self::Exact) and [`Proved`](Self::Proved) contain a [`Value`]. An estimate is a
/// number of its own, which no caller can mistake for a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// The value that an endgame table holds for the position.
    Exact(Known),
    /// A win or loss that the search has followed to the end of the game, or to positions in
    /// tables; a win by tables of which another turn may be sooner; or the result of a finished game.
    /// The value is that of the game itself, in which repetition ends nothing.
    Proved(Known),
    /// 100 × the natural logarithm of the odds of winning, for the side to move, at the end of the best
    /// line: 0 is even, 100 means a win is e ≈ 2.7 times as likely as a loss. Between −15,000 and
    /// 15,000.
    Estimate(i32),
}

impl Score {
    /// The value for the side to move; `None` for an estimate.
    pub fn value(self) -> Option<Value> {
        match self {
            Self::Exact(known) | Self::Proved(known) => Some(known.value),
            Self::Estimate(_) => None,
        }
    }

    /// The basis of the score: `exact`, `proved` or `estimate`.
    pub fn basis(self) -> &'static str {
        match self {
            Self::Exact(_) => "exact",
            Self::Proved(_) => "proved",
            Self::Estimate(_) => "estimate",
        }
    }

    /// The score for the number of a search. A draw is never proved by a search, because a line
    /// that repeats only bounds the value.
    pub(crate) fn of_search(score: i32) -> Self {
        let known = |value| {
            let turns = (score.abs() >= MATE_FLOOR).then(|| (MATE - score.abs()) as u16);
            Self::Proved(Known { value, turns })
        };
        match score {
            WIN_FLOOR.. => known(Value::Win),
            ..=LOSS_CEILING => known(Value::Loss),
            _ => Self::Estimate(score.clamp(-MAX_ESTIMATE, MAX_ESTIMATE)),
        }
    }
}

/// `win in 5 (exact)`, `loss (proved)`, `+0.37 (estimate)`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Exact(Known { value, turns: Some(turns) }) => format!("{value} in {turns}"),
            Self::Proved(Known { value, turns: Some(turns) }) => {
                format!("{value} in at most {turns}")
            }
            Self::Exact(known) | Self::Proved(known) => known.value.to_string(),
            Self::Estimate(score) => format!("{:+.2}", f64::from(*score) / 100.0),
        };
        f.pad(&format!("{text} ({})", self.basis()))
    }
}

// The search computes with numbers from −MATE to MATE:
//
// - a win in n turns is MATE − n, down to MATE_FLOOR;
// - a win that a table without distances holds is TABLE_WIN minus the plies from the root;
// - a position inside a won region, at the horizon, is REGION_WIN plus or minus a bounded estimate;
// - estimates stay within MAX_ESTIMATE;
// - losses are the same with the opposite sign.
//
// Every number from WIN_FLOOR upwards is a proof of a win.

/// A win in 0 turns.
pub(crate) const MATE: i32 = 32_000;

/// Wins with a known distance score at least this.
pub(crate) const MATE_FLOOR: i32 = 28_000;

/// A win without distance, at the root.
pub(crate) const TABLE_WIN: i32 = 24_000;

/// Scores from here on depend on the distance from the root.
pub(crate) const PLY_FLOOR: i32 = 22_000;

/// The middle of the scores of positions in a won region.
pub(crate) const REGION_WIN: i32 = 20_000;

/// The most that an estimate adds within a won region.
pub(crate) const REGION_ESTIMATE: i32 = 1_500;

/// Every win scores at least this.
pub(crate) const WIN_FLOOR: i32 = 18_000;

/// Every loss scores at most this.
pub(crate) const LOSS_CEILING: i32 = -WIN_FLOOR;

/// The bound of estimates.
pub(crate) const MAX_ESTIMATE: i32 = 15_000;

/// More than any score.
pub(crate) const INFINITY: i32 = 32_500;

/// The score of a position `ply` turns from the root that is won in `turns`.
pub(crate) fn win_in(turns: u16, ply: usize) -> i32 {
    (MATE - i32::from(turns) - ply as i32).max(MATE_FLOOR)
}

/// The score of a value from a table, `ply` turns from the root.
pub(crate) fn of_table(found: TableValue, ply: usize) -> i32 {
    let win = |turns| match turns {
        Some(turns) => win_in(turns, ply),
        None => TABLE_WIN - ply as i32,
    };
    match found.value {
        Value::Win => win(found.dtw),
        Value::Draw => 0,
        Value::Loss => -win(found.dtw),
    }
}

/// A score as the table keeps it: with distances from the position instead of from the root.
pub(crate) fn from_root(score: i32, ply: usize) -> i32 {
    match score {
        PLY_FLOOR.. => (score + ply as i32).min(MATE),
        _ if score <= -PLY_FLOOR => (score - ply as i32).max(-MATE),
        _ => score,
    }
}

/// The opposite of [`from_root`].
pub(crate) fn to_root(score: i32, ply: usize) -> i32 {
    match score {
        PLY_FLOOR.. => score - ply as i32,
        _ if score <= -PLY_FLOOR => score + ply as i32,
        _ => score,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_never_values() {
        for score in -MAX_ESTIMATE..=MAX_ESTIMATE {
            let score = Score::of_search(score);
            assert_eq!((score.value(), score.basis()), (None, "estimate"));
        }
    }

    #[test]
    fn wins_and_losses_keep_their_distance() {
        let known = |value, turns| Score::Proved(Known { value, turns });
        assert_eq!(Score::of_search(win_in(5, 0)), known(Value::Win, Some(5)));
        assert_eq!(Score::of_search(win_in(2, 3)), known(Value::Win, Some(5)));
        assert_eq!(Score::of_search(-win_in(4, 0)), known(Value::Loss, Some(4)));
        assert_eq!(Score::of_search(TABLE_WIN - 100), known(Value::Win, None));
        assert_eq!(Score::of_search(REGION_ESTIMATE - REGION_WIN), known(Value::Loss, None));
        for score in [win_in(7, 4), -win_in(7, 4), TABLE_WIN - 4, REGION_WIN + 5, 123, -123, 0] {
            assert_eq!(to_root(from_root(score, 4), 4), score);
        }
    }

    #[test]
    fn scores_read_as_what_they_are() {
        let known = |turns| Known { value: Value::Win, turns };
        assert_eq!(Score::Exact(known(Some(5))).to_string(), "win in 5 (exact)");
        assert_eq!(Score::Proved(known(Some(5))).to_string(), "win in at most 5 (proved)");
        assert_eq!(Score::Exact(known(None)).to_string(), "win (exact)");
        assert_eq!(Score::Estimate(-37).to_string(), "-0.37 (estimate)");
    }
}
