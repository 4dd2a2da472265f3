//! Hints: turns that tables recommend. Nothing depends on their being right.

use fanorona_core::{Position, Value};
use fanorona_tablebase::{TableError, TableValue};

type Result<T> = std::result::Result<T, TableError>;

/// A source of values, right or wrong.
pub(super) type Probe<'a> = dyn Fn(&Position) -> Result<TableValue> + Sync + 'a;

/// Recommends turns by the values of the positions after them.
#[derive(Clone, Copy)]
pub(super) struct Hints<'a>(pub &'a Probe<'a>);

impl Hints<'_> {
    /// Whether the prover has at least a draw after a turn.
    pub(super) fn holds(&self, after: &Position) -> Result<bool> {
        Ok((self.0)(after)?.value <= Value::Draw)
    }

    /// The successors that win, as indices. A win by a capture comes alone, because it makes
    /// progress by itself, and so does the fastest win if the tables have distances.
    pub(super) fn winning(
        &self,
        position: &Position,
        successors: &[Position],
    ) -> Result<Vec<usize>> {
        let mut winning = Vec::new();
        for (index, after) in successors.iter().enumerate() {
            let found = (self.0)(after)?;
            if found.value == Value::Loss {
                winning.push((index, found.dtw));
            }
        }
        let stones = |(index, _): &(usize, _)| successors[*index].own().len();
        if let Some(smallest) = winning.iter().copied().min_by_key(stones)
            && stones(&smallest) < position.opponent().len()
        {
            return Ok(vec![smallest.0]);
        }
        let distances: Option<Vec<_>> =
            winning.iter().map(|(index, dtw)| Some(((*dtw)?, *index))).collect();
        let fastest = distances.and_then(|distances| distances.into_iter().min());
        Ok(match fastest {
            Some((_, index)) => vec![index],
            None => winning.into_iter().map(|(index, _)| index).collect(),
        })
    }
}
