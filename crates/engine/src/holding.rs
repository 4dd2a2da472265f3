//! Turns that hold by a proof that is found during the game, for the level that cannot lose.
//!
//! A certificate has one turn for most positions. A search for proofs shows others, in about half
//! of the positions with few stones, so that the level has a choice. Nothing is kept from turn to
//! turn. A proof that was found within some positions is found again within as many, because the
//! search depends on nothing else. So the level goes on with the proof of its last turn, whoever
//! asks it.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, Value};
use fanorona_knowledge::{Assessment, Knowledge, RankedTurn, Source};
use fanorona_proof::{Bounds, Claim, ClaimKind};
use fanorona_solver::{Limits, SearchReport, Solver, SolverError};
use web_time::Instant;

use crate::error::EngineError;
use crate::root::Run;

/// The most positions of a proof: some tens of milliseconds.
const NODES: u64 = 20_000;

/// Proofs of no more positions than this are looked for first.
const FIRST_NODES: u64 = NODES / 16;

/// The most positions of all proofs for a turn.
const ALL_NODES: u64 = 10 * NODES;

/// The memory of a proof in bytes. Most positions are only looked at, and not stored.
const MEMORY: usize = 1 << 18;

/// Proofs of turns take at most this part of the time: one half.
const TIME_SHARE: u32 = 2;

/// The turns of this side whose proofs are looked for again. An older one is needed where the turns
/// since then are parts of its proof, and have none of their own within [`NODES`].
const TURNS_BACK: usize = 4;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Adds what proofs show of turns of which it is not known whether they hold, in a position that is
/// known to be a draw at least. If a turn is known to win, there is nothing to prove.
///
/// `earlier` has the game's positions before this one. If nothing is known of the turns, the game may
/// have left the book by a turn with a proof, which is found again in any time. Without earlier
/// positions, or with tables that may know more the next time, it could not be found next time, so the book is not left.
pub(crate) fn prove_turns(
    known: &Knowledge,
    position: &Position,
    earlier: &[Position],
    turns: &mut [RankedTurn],
    run: &Run<'_>,
) -> Result<(), EngineError> {
    let best = turns.iter().map(|ranked| ranked.assessment.bounds.at_least).max();
    let is_found_again = !earlier.is_empty() && !known.has_search_tables();
    if best == Some(Value::Win) || (best == Some(Value::Draw) && !is_found_again) {
        return Ok(());
    }
    let deadline = run.limits.time.and_then(|time| run.started.checked_add(time / TIME_SHARE));
    let time_left = || deadline.map(|end| end.saturating_duration_since(Instant::now()));
    let is_over = || time_left().is_some_and(|time| time.is_zero());
    if best == Some(Value::Loss) {
        let Some(after) = turn_of_proof(known, position, earlier, is_over)? else { return Ok(()) };
        turns.iter_mut().filter(|ranked| ranked.after == after).for_each(holds);
    }
    let mut left = ALL_NODES;
    for nodes in [FIRST_NODES, NODES] {
        let is_open = |ranked: &&mut RankedTurn| {
            let Bounds { at_least, at_most } = ranked.assessment.bounds;
            at_least == Value::Loss && at_most > Value::Loss
        };
        for ranked in turns.iter_mut().filter(is_open) {
            if left < nodes || is_over() {
                return Ok(());
            }
            let mut limits = Limits::default().with_nodes(nodes);
            limits.time = time_left();
            let proof = prove(&mut solver(known)?, &ranked.after, &limits, run.stop)?;
            left = left.saturating_sub(proof.nodes);
            if is_held(&proof) {
                holds(ranked);
            }
        }
    }
    Ok(())
}

/// The position after the turn that a proof of an earlier turn has for this position: that of the last
/// turn, or of an older one while the time is not over.
fn turn_of_proof(
    known: &Knowledge,
    position: &Position,
    earlier: &[Position],
    is_over: impl Fn() -> bool,
) -> Result<Option<Position>, EngineError> {
    let limits = Limits::default().with_nodes(NODES);
    // The positions after turns of this side, the latest first.
    for (back, after) in earlier.iter().rev().step_by(2).take(TURNS_BACK).enumerate() {
        if back > 0 && is_over() {
            break;
        }
        let mut solver = solver(known)?;
        if is_held(&prove(&mut solver, after, &limits, &NEVER)?) {
            let claim = Claim { side: position.to_move(), kind: ClaimKind::Holds };
            match solver.strategy(claim, &limits, &NEVER).turn(position) {
                Ok(Some(turn)) => return Ok(Some(position.play_unchecked(&turn))),
                Ok(None) | Err(SolverError::Limit) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(None)
}

fn solver(known: &Knowledge) -> Result<Solver<'_>, SolverError> {
    let tables = known.search_tables().map(AsRef::as_ref);
    Solver::new(known.rules(), known.board(), tables, MEMORY)
}

/// Asks whether the side to move can win.
fn prove(
    solver: &mut Solver<'_>,
    after: &Position,
    limits: &Limits,
    stop: &AtomicBool,
) -> Result<SearchReport, SolverError> {
    // Whether it holds is not asked.
    let given = Bounds { at_least: Value::Draw, ..Bounds::UNKNOWN };
    // With several threads, a proof might not be found again.
    let limits = limits.clone().with_threads(1);
    Ok(solver.analyze_given(after, given, &limits, stop, |_| {})?.search)
}

/// Whether the side that has made the turn cannot lose.
fn is_held(proof: &SearchReport) -> bool {
    proof.bounds.at_most <= Value::Draw
}

fn holds(ranked: &mut RankedTurn) {
    let bounds = Bounds { at_least: Value::Draw, ..Bounds::UNKNOWN };
    let proof = Assessment::new(bounds, Source::Search);
    ranked.assessment = ranked.assessment.narrowed_by(proof);
}
