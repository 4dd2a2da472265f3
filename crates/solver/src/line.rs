//! Lines of best play.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, Value};

use crate::error::{Result, SolverError};
use crate::prover::{NodeLimits, Prover};
use crate::report::LineTurn;
use crate::strategy::Strategy;

/// How many positions may be searched for each turn.
const NODES_PER_TURN: u64 = 1 << 18;

/// The longest line, in turns.
const MAX_TURNS: usize = 100;

/// How best play continues from a position with this value, until a turn would take a long search.
pub(crate) fn best_play(
    prover: &mut Prover<'_>,
    position: &Position,
    value: Value,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Vec<LineTurn>> {
    let limits = NodeLimits { threads, nodes: NODES_PER_TURN, deadline: None, stop };
    let mut line: Vec<LineTurn> = Vec::new();
    let (mut here, mut value) = (*position, value);
    while line.len() < MAX_TURNS && prover.game.rules.outcome(&here).is_none() {
        let turn = match Strategy::best(prover, &here, value, limits) {
            Ok(Some(turn)) => turn,
            Ok(None) | Err(SolverError::Stopped | SolverError::Limit) => break,
            Err(error) => return Err(error),
        };
        let after = here.play_unchecked(&turn);
        let is_repeated = after == *position || line.iter().any(|earlier| earlier.after == after);
        line.push(LineTurn { turn, after, value });
        if is_repeated {
            break;
        }
        (here, value) = (after, -value);
    }
    Ok(line)
}
