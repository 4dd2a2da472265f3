//! Scores of positions without a search: by tables, rules and estimates.

use std::sync::atomic::Ordering;

use fanorona_core::{Outcome, Stones, Value};
use fanorona_tablebase::TableValue;

use super::worker::Worker;
use crate::node::{Node, mix};
use crate::score::{REGION_ESTIMATE, REGION_WIN, of_table, win_in};

impl Worker<'_> {
    /// The score that tables give a node, unless the search has to go on there.
    pub(super) fn probe(&mut self, node: Node, ply: usize) -> Option<i32> {
        let stones = node.stones.count();
        if stones > self.shared.table_stones {
            return None;
        }
        let found = self.table_value(node)?;
        if let Some(region) = self.shared.region
            && found.value == region.value_for(node.side)
            && (found.value == Value::Draw || stones == region.stones)
        {
            return None;
        }
        Some(of_table(found, ply))
    }

    pub(super) fn table_value(&mut self, node: Node) -> Option<TableValue> {
        let tables = self.shared.tables?;
        match tables.probe(&self.position(node)) {
            Ok(found) => {
                self.table_hits += 1;
                Some(found)
            }
            Err(error) if error.is_absent() => None,
            Err(error) => {
                self.stopped = true;
                self.shared.done.store(true, Ordering::Relaxed);
                // A poisoned lock still holds what was written before.
                let mut first = self.shared.error.lock().unwrap_or_else(|lock| lock.into_inner());
                first.get_or_insert(error);
                None
            }
        }
    }

    /// The score of a node whose side has no turn, or that is over otherwise.
    pub(super) fn without_turn(&self, node: Node, ply: usize) -> i32 {
        match self.shared.rules.outcome(&self.position(node)) {
            Some(Outcome::Won(side)) if side == node.side => win_in(0, ply),
            Some(Outcome::Won(_)) => -win_in(0, ply),
            Some(Outcome::Drawn) | None => 0,
        }
    }

    pub(super) fn raw_estimate(&self, node: Node) -> i32 {
        self.evaluation.estimate(node.stones)
    }

    pub(super) fn estimate(&self, node: Node, ply: usize) -> i32 {
        let raw = self.known[ply].map_or_else(|| self.raw_estimate(node), i32::from);
        let for_root = (self.shared.contempt * node.stones.count()) as i32;
        let for_mover = if node.side == self.root.side { for_root } else { -for_root };
        self.noisy(node, raw) + for_mover
    }

    /// The estimate with the noise of the level. It depends on the position and the seed alone.
    pub(super) fn noisy(&self, node: Node, estimate: i32) -> i32 {
        let noise = u64::from(self.shared.noise);
        if noise == 0 {
            return estimate;
        }
        let random = mix(node.key(self.shared.seed)) % (2 * noise + 1);
        estimate + random as i32 - noise as i32
    }

    /// The score of a node at the horizon. In a won region it stays above all scores outside, and
    /// the winner's stones are drawn to the loser's.
    pub(super) fn horizon(&self, node: Node, estimate: i32) -> i32 {
        let Some(region) = self.shared.region else {
            return estimate;
        };
        let sign = match region.value_for(node.side) {
            Value::Draw => return estimate,
            Value::Win => 1,
            Value::Loss => -1,
        };
        let apart = self.distance(node.stones);
        let estimate = estimate - sign * 20 * apart;
        sign * REGION_WIN + estimate.clamp(-REGION_ESTIMATE, REGION_ESTIMATE)
    }

    /// The sum of the distances between stones of the two sides, in steps as a king moves.
    pub(super) fn distance(&self, Stones { own, opponent }: Stones) -> i32 {
        let board = self.shared.board;
        let at = |point| {
            let at = board.coordinates(point);
            (i32::from(at.file()), i32::from(at.rank()))
        };
        let mut sum = 0;
        for (file, rank) in own.iter().map(at) {
            for other in opponent.iter().map(at) {
                sum += (file - other.0).abs().max((rank - other.1).abs());
            }
        }
        sum
    }
}
