//! Hints: turns that tables recommend. Nothing depends on their being right.

use fanorona_core::{Position, Value};
use fanorona_tablebase::{TableError, TableValue};

type Result<T> = std::result::Result<T, TableError>;

/// A source of values, right or wrong.
pub(super) type Probe<'a> = dyn Fn(&Position) -> Result<TableValue> + Sync + 'a;

/// Recommends turns by the values of the positions after them.
#[derive(Clone, Copy)]
pub(super) struct Hints<'a>(pub &'a Probe<'a>);

/// A position after a turn of the prover, as tables see it. The better, the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Promise {
    /// The prover's value.
    value: Value,
    /// The stones that the other side does not have.
    taken: u8,
}

impl Hints<'_> {
    /// The successor that keeps at least a draw, as an index; `None` if the tables know none. Of
    /// several, one that wins, and among these one with few stones, so that the proof stays small.
    pub(super) fn holding(&self, successors: &[Position]) -> Result<Option<usize>> {
        let mut best: Option<(Promise, usize)> = None;
        for (index, after) in successors.iter().enumerate() {
            let value = -(self.0)(after)?.value;
            let promise = Promise { value, taken: u8::MAX - after.own().len() as u8 };
            if value >= Value::Draw && best.is_none_or(|(known, _)| promise > known) {
                best = Some((promise, index));
            }
        }
        Ok(best.map(|(_, index)| index))
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
