//! Comparing random positions with their successors.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side};

use super::show;
use crate::builder::check_stop;
use crate::error::Result;
use crate::probe::Tables;
use crate::slice::Slice;
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
    let mut random = Random(seed ^ u64::from(slice.own) << 32 ^ u64::from(slice.opponent) << 40);
    for done in 0..positions {
        check_stop(stop)?;
        let own = random.set(board, slice.own, board.all_points());
        let opponent = random.set(board, slice.opponent, board.all_points() & !own);
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

/// SplitMix64 (Steele, Lea, Flood 2014): enough to choose positions, and the same everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// So many different points out of a set.
    fn set(&mut self, board: Board, stones: u8, from: PointSet) -> PointSet {
        let mut set: PointSet = 0;
        while set.count_ones() < stones.into() {
            let point = 1 << (self.next() % u64::from(board.points()));
            set |= point & from;
        }
        set
    }
}
