//! Checking the counts and examples in the header of a table.

use fanorona_core::{Position, Side, Stones, Value};

use crate::error::Result;
use crate::format::{Metadata, Statistics};
use crate::orbits::placements;
use crate::slice::Slice;
use crate::value::{Code, Metric};
use crate::zugzwang::{Zugzwang, ZugzwangCount};

/// Checks what the values of a few positions can show: that counts are consistent, and that
/// examples are what they should be. `code` returns the value of a position, with its distance if
/// the table has distances.
pub(super) fn check(
    metadata: &Metadata,
    code: impl Fn(&Position) -> Result<Code>,
) -> Result<Option<String>> {
    if !counts_agree(metadata) {
        return Ok(Some("its counts contradict each other".to_owned()));
    }
    let statistics = &metadata.statistics;
    let longest = [(Value::Win, statistics.longest_win), (Value::Loss, statistics.longest_loss)];
    for (value, example) in longest {
        let right = statistics.longest(value).map(|longest| Code(longest + 1));
        let is_one = |position: &Position| Ok(Some(code(position)?) == right);
        if !example_is_right(metadata, right.is_some(), example, is_one)? {
            return Ok(Some(format!("its position of the longest {value} is not one")));
        }
    }
    let Some(zugzwangs) = &statistics.zugzwangs else { return Ok(None) };
    for kind in Zugzwang::ALL {
        let ZugzwangCount { count, example } = zugzwangs.of(kind);
        let is_one = |position: &Position| {
            let other = position.with_other_to_move();
            let is_quiet = |position| !metadata.rules.has_capture(position);
            Ok(is_quiet(position)
                && is_quiet(&other)
                && Zugzwang::of(code(position)?.value(), code(&other)?.value()) == Some(kind))
        };
        if !example_is_right(metadata, count > 0, example, is_one)? {
            return Ok(Some(format!("its example of a zugzwang ({kind}) is not one")));
        }
    }
    Ok(None)
}

/// Whether the counts are consistent and add up to the number of positions.
fn counts_agree(metadata: &Metadata) -> bool {
    let Metadata { board, slice, metric, ref statistics, .. } = *metadata;
    let Statistics { win, draw, loss, ref distances, ref zugzwangs, .. } = *statistics;
    let sum = |counts: &mut dyn Iterator<Item = u64>| counts.map(u128::from).sum::<u128>();
    let positions = sum(&mut [win, draw, loss].into_iter());
    let at = |value| sum(&mut statistics.distances_of(value).map(|(_, count)| count));
    let by_distance = if metric.has_distances() {
        at(Value::Win) == win.into()
            && at(Value::Loss) == loss.into()
            && distances.last() != Some(&0)
    } else {
        distances.is_empty()
    };
    let zugzwangs_lose_or_draw = zugzwangs.is_none_or(|found| {
        let count = |kind| u128::from(found.of(kind).count);
        count(Zugzwang::WinToLoss) + count(Zugzwang::DrawToLoss) <= loss.into()
            && count(Zugzwang::WinToDraw) <= draw.into()
    });
    positions == placements(board, slice.own.into(), slice.opponent.into())
        && by_distance
        && zugzwangs_lose_or_draw
}

/// Whether an example is a position of the slice that `is_one` accepts; there must be one if `exists`.
fn example_is_right(
    metadata: &Metadata,
    exists: bool,
    example: Option<Stones>,
    is_one: impl Fn(&Position) -> Result<bool>,
) -> Result<bool> {
    let Some(stones) = example else { return Ok(!exists) };
    match Position::from_mover(metadata.board, stones, Side::White) {
        Ok(position) if Slice::of(&position) == Some(metadata.slice.counts()) => {
            Ok(exists && is_one(&position)?)
        }
        _ => Ok(false),
    }
}

/// Compares counts with those of a solution or another table, which `source` names. Compares distances
/// if the metric has them, and zugzwangs if both sides have counted them.
pub(super) fn compare_counts(
    header: &Statistics,
    right: &Statistics,
    metric: Metric,
    source: &str,
) -> Option<String> {
    let values = |found: &Statistics| (found.win, found.draw, found.loss);
    if values(header) != values(right) {
        return Some(format!("its counts of wins, draws and losses are not those {source}"));
    }
    if metric.has_distances() && header.distances != right.distances {
        return Some(format!("its counts by distance are not those {source}"));
    }
    let (header, right) = header.zugzwangs.zip(right.zugzwangs)?;
    Zugzwang::ALL.into_iter().find_map(|kind| {
        let (counted, found) = (header.of(kind).count, right.of(kind).count);
        let fault =
            || format!("it counts {counted} zugzwangs ({kind}), but there are {found} {source}");
        (counted != found).then(fault)
    })
}
