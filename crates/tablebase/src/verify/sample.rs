//! Comparing random positions with their successors.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Point, PointSet, Position, RuleSet, Side, SplitMix64};

use super::show;
use crate::error::Result;
use crate::probe::Tables;
use crate::slice::Slice;
use crate::stop::check_stop;
use crate::value::{Code, Metric};

/// Compares random positions of a slice with the best of their turns.
pub(super) fn check(
    tables: &Tables,
    slice: Slice,
    metric: Metric,
    positions: u64,
    seed: u64,
    stop: &AtomicBool,
) -> Result<(u64, Option<String>)> {
    let board = tables.board();
    let rules = slice.rules(board, &tables.rules())?;
    let slice_number = u64::from(slice.own) << 8 | u64::from(slice.opponent);
    let mut random = SplitMix64::stream(seed, slice_number);
    for done in 0..positions {
        check_stop(stop)?;
        let own = choose(&mut random, slice.own, board.all_points());
        let opponent = choose(&mut random, slice.opponent, board.all_points() - own);
        let position = Position::from_mover(board, own, opponent, Side::White)
            .expect("sets of a slice are apart");
        let found = tables.code(&position, metric)?;
        let expected = best_turn(tables, &rules, &position, metric)?;
        if found != expected {
            let (found, expected) = (show(found, metric), show(expected, metric));
            let difference = format!("{position} is {found}, and its turns make it {expected}");
            return Ok((done, Some(difference)));
        }
    }
    Ok((positions, None))
}

/// The value that a position has by its successors' values.
fn best_turn(
    tables: &Tables,
    rules: &RuleSet,
    position: &Position,
    metric: Metric,
) -> Result<Code> {
    if let Some(outcome) = rules.outcome(position) {
        return Ok(match outcome.value_for(position.to_move()) {
            fanorona_core::Value::Draw => Code::DRAW,
            _ => Code::LOSS,
        });
    }
    let mut best: Option<Code> = None;
    for after in rules.successors(position) {
        let code = tables.code(&after, metric)?.before_turn(metric);
        best = Some(best.map_or(code, |best| best.better(code)));
    }
    Ok(best.expect("a game that goes on has a turn"))
}

/// Different points of a set, chosen at random.
fn choose(random: &mut SplitMix64, stones: u8, from: PointSet) -> PointSet {
    let points: Vec<Point> = from.iter().collect();
    let mut set = PointSet::EMPTY;
    while set.len() < stones.into() {
        set |= points[random.below(points.len() as u64) as usize];
    }
    set
}
