//! Checking the counts and examples in the header of a table.

use fanorona_core::{Position, Value};

use crate::error::Result;
use crate::format::{Metadata, Statistics};
use crate::orbits::placements;
use crate::slice::Slice;
use crate::value::{Code, Metric};
use crate::zugzwang::Zugzwang;

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
    for value in [Value::Win, Value::Loss] {
        if !longest_is_right(metadata, value, &code)? {
            return Ok(Some(format!("its position of the longest {value} is not one")));
        }
    }
    for kind in Zugzwang::ALL {
        if !example_is_right(metadata, kind, &code)? {
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

/// Whether the example of the longest win or loss is right. It must exist if there are such
/// distances.
fn longest_is_right(
    metadata: &Metadata,
    value: Value,
    code: impl Fn(&Position) -> Result<Code>,
) -> Result<bool> {
    let statistics = &metadata.statistics;
    let stones = if value == Value::Win { statistics.longest_win } else { statistics.longest_loss };
    let Some(longest) = statistics.longest(value) else { return Ok(stones.is_none()) };
    match statistics.longest_position(metadata.board, value) {
        Some(position) if Slice::of(&position) == Some(metadata.slice.counts()) => {
            Ok(code(&position)? == Code(longest + 1))
        }
        _ => Ok(false),
    }
}

/// Whether the example of a kind of zugzwang is right. It must exist if the count is not 0.
fn example_is_right(
    metadata: &Metadata,
    kind: Zugzwang,
    code: impl Fn(&Position) -> Result<Code>,
) -> Result<bool> {
    let Some(zugzwangs) = &metadata.statistics.zugzwangs else { return Ok(true) };
    let found = zugzwangs.of(kind);
    if found.example.is_none() {
        return Ok(found.count == 0);
    }
    let Some(example) = found.position(metadata.board) else { return Ok(false) };
    let other = example.with_other_to_move();
    let is_quiet = |position| !metadata.rules.has_capture(position);
    Ok(found.count > 0
        && Slice::of(&example) == Some(metadata.slice.counts())
        && is_quiet(&example)
        && is_quiet(&other)
        && Zugzwang::of(code(&example)?.value(), code(&other)?.value()) == Some(kind))
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
