//! Hints: turns that tables recommend. Nothing depends on their being right.

use fanorona_core::{Position, Value};
use fanorona_tablebase::TableError;

type Result<T> = std::result::Result<T, TableError>;

/// A source of values, right or wrong.
pub(super) type Probe<'a> = dyn Fn(&Position) -> Result<Value> + Sync + 'a;

/// Recommends turns by the values of the positions after them.
#[derive(Clone, Copy)]
pub(super) struct Hints<'a>(pub &'a Probe<'a>);

impl Hints<'_> {
    /// Whether the prover has at least a draw after a turn.
    pub(super) fn holds(&self, after: &Position) -> Result<bool> {
        Ok((self.0)(after)? <= Value::Draw)
    }

    /// The prover wins if the other side, which is to move, loses.
    pub(super) fn wins(&self, after: &Position) -> Result<bool> {
        Ok((self.0)(after)? == Value::Loss)
    }

    /// The successors that win, as indices. A win by a capture comes alone, because it makes
    /// progress by itself. Those with the fewest stones are asked about first.
    pub(super) fn winning(
        &self,
        position: &Position,
        successors: &[Position],
    ) -> Result<Vec<usize>> {
        let mut by_stones: Vec<usize> = (0..successors.len()).collect();
        by_stones.sort_by_key(|index| successors[*index].own().len());
        let mut winning = Vec::new();
        for index in by_stones {
            if self.wins(&successors[index])? {
                if successors[index].own().len() < position.opponent().len() {
                    return Ok(vec![index]);
                }
                winning.push(index);
            }
        }
        Ok(winning)
    }
}
