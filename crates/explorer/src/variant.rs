//! The board and the rules that a request is about.

use fanorona_core::{Board, Coordinates, ParsePositionError, PointSet, Position, RuleSet};

use crate::problem::{Problem, ProblemKind};

/// A board and the rules that are played on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Variant {
    pub board: Board,
    pub rules: RuleSet,
}

impl Default for Variant {
    /// 9x5 under the standard rules.
    fn default() -> Self {
        Self { board: Board::tsivy(), rules: RuleSet::STANDARD }
    }
}

impl Variant {
    /// Reads a board and a rule set. If no board is given, it is that of the position; without
    /// that, and if the position is none, 9x5. If no rule set is given, it is standard.
    ///
    /// # Errors
    /// If one of them is not known, or the rules cannot be played on the board.
    pub fn parse(
        board: Option<&str>,
        rules: Option<&str>,
        position: Option<&str>,
    ) -> Result<Self, Problem> {
        let mut variant = Self::default();
        if let Some(board) = board {
            variant.board = short(board, ProblemKind::BadBoard, "board")?.parse()?;
        } else if let Some(text) = position.filter(|text| text.len() <= MAX_TEXT)
            && let Ok(position) = text.parse::<Position>()
        {
            variant.board = position.board();
        }
        if let Some(rules) = rules {
            variant.rules = short(rules, ProblemKind::BadRules, "rules")?.parse()?;
        }
        variant.rules.check(variant.board)?;
        Ok(variant)
    }

    /// Reads a position of this board; the start, if none is given. A board stands for its start.
    ///
    /// # Errors
    /// If the text is not a position, or it is on another board.
    pub fn position(&self, text: Option<&str>) -> Result<Position, Problem> {
        let Some(text) = text else { return Ok(self.board.start()) };
        let text = short(text, ProblemKind::BadPosition, "position")?;
        let wrong = |error: ParsePositionError| Problem::from(error).in_field("position");
        let position: Position = text.parse().map_err(wrong)?;
        if position.board() != self.board {
            let (there, here) = (position.board(), self.board);
            let message = format!("the position is on a board of {there}, but the board is {here}");
            let expected = format!("a position of {here}, or board={there}");
            return Err(
                Problem::new(ProblemKind::BadPosition, message, expected).in_field("position")
            );
        }
        Ok(position)
    }
}

/// The longest text of a board, a rule set, a position or a turn that is read. The longest that has a
/// meaning is shorter: a relay of 31 steps has 128 characters, a position 84.
const MAX_TEXT: usize = 256;

/// Refuses a text that is too long to mean anything, so that messages can repeat texts.
///
/// # Errors
/// If it is too long.
pub(crate) fn short<'t>(
    text: &'t str,
    kind: ProblemKind,
    field: &'static str,
) -> Result<&'t str, Problem> {
    if text.len() > MAX_TEXT {
        let message = format!("the {field} has {} bytes", text.len());
        let expected = format!("at most {MAX_TEXT} bytes");
        return Err(Problem::new(kind, message, expected).in_field(field));
    }
    Ok(text)
}

/// The names of a set of points, in the order of their indexes.
pub(crate) fn names_of(board: Board, points: PointSet) -> Vec<Coordinates> {
    points.iter().map(|point| board.coordinates(point)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_refused_without_repeating_them() {
        let long = "9".repeat(1 << 20);
        for found in [
            Variant::parse(Some(&long), None, None).err(),
            Variant::parse(None, Some(&long), None).err(),
            Variant::default().position(Some(&long)).err(),
        ] {
            let problem = found.expect("it is refused");
            assert!(problem.to_string().len() < 100, "{problem}");
        }
    }
}
