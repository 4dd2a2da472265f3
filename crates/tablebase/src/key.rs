//! The identity of a table, and file names.

use std::fmt;
use std::str::FromStr;

use fanorona_core::{Board, Paikas, RuleSet};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// The identity of a table: board, rule set, slice and metric.
///
/// [`Display`](fmt::Display) and [`FromStr`] use the form of file names without extension, as in
/// `9x5_standard_3v2.wdl`.
///
/// ```
/// use fanorona_tablebase::{Metric, TableKey};
/// let key: TableKey = "9x5_standard_3v2.wdl".parse()?;
/// assert_eq!((key.slice.own, key.metric), (3, Metric::Wdl));
/// assert_eq!(key.file_name(), "9x5_standard_3v2.wdl.fano");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TableKey {
    pub board: Board,
    /// The rules of the slice, with White to move: see [`Slice::rules`].
    pub rules: RuleSet,
    /// In the first phase of the vela with the role that White has by the rules.
    pub slice: Slice,
    /// Whether values have distances.
    pub metric: Metric,
}

/// The layout of a table's file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Layout {
    /// Compressed blocks. They may leave out positions with captures.
    Packed,
    /// Values as they are, those of positions with captures too.
    Unpacked,
}

impl Layout {
    /// The end of file names.
    fn extension(self) -> &'static str {
        match self {
            Self::Packed => ".fano",
            Self::Unpacked => ".unpacked.fano",
        }
    }
}

impl TableKey {
    /// The table of a slice for a game played by `rules`. The key has the slice's
    /// [rules](Slice::rules).
    pub fn new(board: Board, rules: &RuleSet, slice: Slice, metric: Metric) -> Self {
        Self { board, rules: slice.rules(board, rules), slice, metric }
    }

    /// The unit of the slice.
    pub fn unit(&self) -> Unit {
        Unit::holding(self.board, &self.rules, self.slice)
    }

    /// The name of the packed table, as in `9x5_standard_3v2.wdl.fano`.
    pub fn file_name(&self) -> String {
        self.file_name_in(Layout::Packed)
    }

    /// The name in either layout. That of an unpacked table is as in
    /// `9x5_standard_3v2.wdl.unpacked.fano`.
    pub fn file_name_in(&self, layout: Layout) -> String {
        format!("{self}{}", layout.extension())
    }

    /// Parses a file name, given without its directory. `None` if [`file_name_in`](Self::file_name_in)
    /// does not return this name for any table.
    pub fn of_file_name(name: &str) -> Option<(Self, Layout)> {
        // The longer extension first: it ends with the other one.
        [Layout::Unpacked, Layout::Packed].into_iter().find_map(|layout| {
            let stem = name.strip_suffix(layout.extension())?;
            Some((stem.parse().ok()?, layout))
        })
    }
}

/// Whether a packed table stores the values of positions in which the side to move can capture.
///
/// If captures are mandatory, smaller slices decide these positions. They are three quarters of all
/// positions, and leaving them out halves the files. A prober searches their captures instead. The
/// search grows quickly where stones are close together, because the positions after captures can
/// have captures again. So the values are stored if stones stand on more than two ninths of the
/// points: from 11 stones on 9x5, from 6 on 5x5.
pub fn captures_are_stored(board: Board, rules: &RuleSet, slice: Slice) -> bool {
    !captures_decide(rules) || 9 * slice.stones() > 2 * board.num_points()
}

/// Whether smaller slices alone decide all positions with a capture.
pub fn captures_decide(rules: &RuleSet) -> bool {
    rules.settled_rule().paikas == Paikas::WhenNoCapture
}

impl fmt::Display for TableKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { board, rules, metric, .. } = self;
        let slice = self.slice.counts();
        f.pad(&format!("{board}_{rules}_{slice}.{metric}"))
    }
}

/// A text that does not name a table.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{0}' does not name a table: board, rule set, slice and metric, as in 9x5_standard_3v2.wdl"
)]
pub struct ParseTableKeyError(String);

impl FromStr for TableKey {
    type Err = ParseTableKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (rest, metric) = text.rsplit_once('.')?;
            let (board, rest) = rest.split_once('_')?;
            let (rules, slice) = rest.rsplit_once('_')?;
            let (board, rules) = (board.parse().ok()?, rules.parse::<RuleSet>().ok()?);
            let slice = slice.parse::<Slice>().ok()?.with_role_of_white(board, &rules);
            let key = Self::new(board, &rules, slice, metric.parse().ok()?);
            // Each table has one name only.
            (key.slice.is_on(board) && key.to_string() == text).then_some(key)
        };
        parse().ok_or_else(|| ParseTableKeyError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A name leaves out what the page on the format says, and nothing else.
    #[test]
    fn names_leave_out_what_can_no_longer_matter_by_numbers_of_stones() {
        let name = |board: &str, rules: &str, slice: &str| {
            let board = board.parse().expect("a board");
            let (rules, slice): (_, Slice) =
                (rules.parse().expect("rules"), slice.parse().expect("a slice"));
            let slice = slice.with_role_of_white(board, &rules);
            TableKey::new(board, &rules, slice, Metric::Wdl).file_name()
        };
        for (board, rules, slice, expected) in [
            ("9x5", "first-capture-single", "21v1", "standard"),
            ("9x5", "first-capture-single", "22v1", "first-capture-single"),
            ("9x5", "first-capture-single+no-turns-draw", "1v1", "standard+no-turns-draw"),
            ("9x5", "vela", "5v9", "free-capture"),
            ("9x5", "vela+stones-5", "6v9", "vela"),
            ("5x5", "vela+stones-3", "4v2", "vela+stones-3"),
            ("5x5", "vela+victor-black+stones-3", "2v4", "vela+victor-black+stones-3"),
            ("9x5", "forced-relay", "1v1", "forced-relay"),
            ("9x5", "standard+direction-strict", "1v1", "standard+direction-strict"),
        ] {
            let expected = format!("{board}_{expected}_{slice}.wdl.fano");
            assert_eq!(name(board, rules, slice), expected);
        }
    }
}
