//! Counting sequences of single steps.

use fanorona_core::{Position, RuleSet, Stones};

use super::select::generator;
use crate::stop::Stop;

/// Counts the sequences of `depth` steps that begin at a position; `None` if its rule has not
/// settled.
pub(crate) fn steps(
    rules: &RuleSet,
    position: &Position,
    depth: u8,
    stop: &Stop<'_>,
) -> Option<u128> {
    let stones = Stones::of(position);
    let settled = rules.is_settled(position);
    settled.then(|| generator(rules, position.board()).steps(stones, depth, stop))
}
