//! Comparing the values of random positions with those of their successors.

use fanorona_core::{Position, RuleSet, Side, SplitMix64};

use super::compare::Comparison;
use super::fault::{Fault, ValueSource};
use super::header;
use crate::error::Result;
use crate::format::Metadata;
use crate::probe::Tables;
use crate::value::{Code, Metric};
use crate::watch::Watch;

/// Compares random positions of a slice with the best of their turns, and checks the header as far
/// as possible.
pub(super) fn check(
    tables: &Tables,
    metadata: &Metadata,
    positions: u64,
    seed: u64,
    watch: Watch<'_>,
) -> Result<Comparison> {
    let Metadata { board, metric, slice, ref rules, .. } = *metadata;
    let slice_number = u64::from(slice.own) << 8 | u64::from(slice.opponent);
    let mut random = SplitMix64::stream(seed, slice_number);
    for checked in 0..positions {
        watch.done(1)?;
        let position = slice.random_position(board, Side::White, &mut random);
        let position = position.expect("the slice of a table is on its board");
        let found = tables.code_by(rules, &position, metric)?;
        let expected = best_turn(tables, rules, &position, metric)?;
        if found != expected {
            let fault = Some(Fault::Value {
                position: Box::new(position),
                found: found.to_table_value(metric),
                expected: expected.to_table_value(metric),
                source_of_value: ValueSource::Successors,
            });
            return Ok(Comparison { checked, fault });
        }
    }
    Comparison { checked: positions, fault: None }
        .and(|| header::check(metadata, |position| tables.code_by(rules, position, metric)))
}

/// The value of a position that follows from its successors.
fn best_turn(
    tables: &Tables,
    rules: &RuleSet,
    position: &Position,
    metric: Metric,
) -> Result<Code> {
    if let Some(outcome) = rules.outcome(position) {
        return Ok(Code::finished(outcome.value_for(position.to_move())));
    }
    let mut best: Option<Code> = None;
    for after in rules.successors(position) {
        let code = tables.code_by(rules, &after, metric)?.before_turn(metric);
        best = Some(best.map_or(code, |best| best.better(code)));
    }
    Ok(best.expect("a game that goes on has a turn"))
}
