//! Which table a file is.

use std::fmt;
use std::str::FromStr;

use fanorona_core::{Board, Capturing, RuleSet};
use thiserror::Error;

use crate::slice::{FirstPhaseError, Slice};
use crate::value::Metric;

/// Which table: a board, a rule set, a slice and a metric.
///
/// [`Display`](fmt::Display) and [`FromStr`] use the form of file names without their ending, as in
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
pub struct TableKey {
    /// The board.
    pub board: Board,
    /// The rule set that decides every game from the slice on: see [`Slice::rules`].
    pub rules: RuleSet,
    /// The slice.
    pub slice: Slice,
    /// What the values are.
    pub metric: Metric,
}

/// How the file of a table holds its values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Layout {
    /// In compressed blocks, [`TableFile`](crate::TableFile).
    Packed,
    /// One value after the other, [`UnpackedFile`](crate::UnpackedFile).
    Unpacked,
}

impl Layout {
    /// How file names end.
    fn extension(self) -> &'static str {
        match self {
            Self::Packed => ".fano",
            Self::Unpacked => ".unpacked.fano",
        }
    }
}

impl TableKey {
    /// The table that positions of a slice are looked up in when the game is played by `rules`. The
    /// key has the rule set that is left of these at the slice.
    ///
    /// # Errors
    /// If the slice has positions in the first phase of the vela, which have no tables.
    pub fn new(
        board: Board,
        rules: &RuleSet,
        slice: Slice,
        metric: Metric,
    ) -> Result<Self, FirstPhaseError> {
        Ok(Self { board, rules: slice.rules(board, rules)?, slice, metric })
    }

    /// The name of the packed table, as in `9x5_standard_3v2.wdl.fano`.
    pub fn file_name(&self) -> String {
        self.file_name_in(Layout::Packed)
    }

    /// The name of the unpacked table, as in `9x5_standard_3v2.wdl.unpacked.fano`.
    pub fn unpacked_name(&self) -> String {
        self.file_name_in(Layout::Unpacked)
    }

    /// The name of the table in either layout.
    pub fn file_name_in(&self, layout: Layout) -> String {
        format!("{self}{}", layout.extension())
    }

    /// Which table a file is by its name, without the directory.
    ///
    /// # Errors
    /// If the name is none that [`file_name_in`](Self::file_name_in) returns.
    pub fn of_file_name(name: &str) -> Result<(Self, Layout), ParseTableKeyError> {
        // The longer ending first: it ends with the other one.
        [Layout::Unpacked, Layout::Packed]
            .into_iter()
            .find_map(|layout| {
                let stem = name.strip_suffix(layout.extension())?;
                Some((stem.parse().ok()?, layout))
            })
            .ok_or_else(|| ParseTableKeyError(name.to_owned()))
    }
}

/// Whether a packed table holds values at positions in which the mover can capture.
///
/// Where captures are mandatory, smaller slices decide these positions. They are three quarters of
/// all, and leaving them out halves the files; a prober then looks up about ten positions of smaller
/// slices. But each of those can have captures again, so the search grows quickly where stones are
/// close together. Where more than one point in five has a stone, the values are stored.
pub(crate) fn captures_are_stored(board: Board, rules: &RuleSet, slice: Slice) -> bool {
    !captures_decide(rules) || 5 * slice.stones() > board.num_points()
}

/// Whether a position with a capture is decided by smaller slices alone.
pub(crate) fn captures_decide(rules: &RuleSet) -> bool {
    rules.capturing == Capturing::Mandatory
}

impl fmt::Display for TableKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { board, rules, slice, metric } = self;
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
            let key = Self::new(board, &rules, slice.parse().ok()?, metric.parse().ok()?).ok()?;
            // One name for each table.
            (key.slice.is_on(board) && key.to_string() == text).then_some(key)
        };
        parse().ok_or_else(|| ParseTableKeyError(text.to_owned()))
    }
}
