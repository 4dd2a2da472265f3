//! Searching one node with several threads.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use web_time::Instant;

use crate::error::{Result, SolverError};
use crate::game::Game;
use crate::limits::Limits;
use crate::node::Node;
use crate::search::{Counters, Interrupt, NodeResult, STACK, Shared, Worker};
use crate::transposition::{TableView, TranspositionTable};

/// Time between two reports.
const REPORT_INTERVAL: Duration = Duration::from_millis(500);

/// A game with what is known of its nodes.
pub(crate) struct Prover<'a> {
    pub game: Game<'a>,
    pub table: TranspositionTable,
    pub counts: Counts,
}

/// How much has been done.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    /// Positions searched.
    pub nodes: u64,
    /// How many of them a table decided.
    pub table_hits: u64,
}

/// How long searches of nodes may take.
#[derive(Clone, Copy)]
pub(crate) struct NodeLimits<'a> {
    pub threads: usize,
    /// The most positions to search.
    pub nodes: u64,
    pub deadline: Option<Instant>,
    pub stop: &'a AtomicBool,
}

impl<'a> NodeLimits<'a> {
    /// Limits that begin now.
    pub(crate) fn new(limits: &Limits, stop: &'a AtomicBool) -> Self {
        Self {
            threads: limits.num_threads(),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            stop,
        }
    }

    /// # Errors
    /// [`SolverError::Stopped`] if the stop flag is set, and [`SolverError::Limit`] if nothing is left.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(SolverError::Stopped);
        }
        let is_over = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_over || self.nodes == 0 { Err(SolverError::Limit) } else { Ok(()) }
    }
}

/// The answer for a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdict {
    /// Whether the attacker can force a win.
    pub proved: bool,
    /// If so, after at most this many turns of both sides the game is over, or a table holds the
    /// position.
    pub height: u32,
    /// The index of a successor that gives the side to move what is proved. If it only loses, one
    /// where that takes long.
    pub reply: u16,
}

impl Prover<'_> {
    /// Searches a node until it is decided or a limit is reached. Adds the numbers of positions
    /// searched below each successor to `nodes_below`, if it is long enough. Calls `report` twice a
    /// second and at the end, with the part of the table that is in use.
    pub(crate) fn prove(
        &mut self,
        node: Node,
        limits: &NodeLimits<'_>,
        nodes_below: &[AtomicU64],
        mut report: impl FnMut(Counts, TableView<'_>, f64),
    ) -> Result<Option<Verdict>> {
        let Self { game, table, counts } = self;
        let (used_before, capacity) = (table.used, table.capacity());
        let view = table.view();
        let hash_size = if limits.threads > 1 { 1 << 16 } else { 0 };
        let mut shared = Shared {
            game,
            table: view,
            threads_below: (0..hash_size).map(|_| AtomicU8::new(0)).collect(),
            nodes_below_root: nodes_below,
            counters: Counters::default(),
            max_nodes: limits.nodes,
            deadline: limits.deadline,
            stop: limits.stop,
            done: AtomicBool::new(false),
        };
        let before = *counts;
        let now = |counters: &Counters| {
            let Counters { nodes, table_hits, used } = counters;
            let counts = Counts {
                nodes: before.nodes + nodes.load(Ordering::Relaxed),
                table_hits: before.table_hits + table_hits.load(Ordering::Relaxed),
            };
            let used = used_before + used.load(Ordering::Relaxed);
            (counts, view, used as f64 / capacity as f64)
        };
        let mut report = |counters: &Counters| {
            let (counts, table, filled) = now(counters);
            report(counts, table, filled);
        };
        let verdict = match cfg!(target_family = "wasm") {
            true => without_threads(&mut shared, node, &mut report),
            false => with_threads(&shared, node, limits.threads, &mut report),
        }?;
        report(&shared.counters);
        *counts = now(&shared.counters).0;
        table.used += shared.counters.used.load(Ordering::Relaxed);
        Ok(verdict)
    }
}

/// Searches a node with some threads, and reports meanwhile.
fn with_threads(
    shared: &Shared<'_>,
    node: Node,
    threads: usize,
    mut report: impl FnMut(&Counters),
) -> Result<Option<Verdict>> {
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let sender = sender.clone();
            let work = move || sender.send(Worker::new(shared).run(node));
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            if let Err(error) = thread {
                shared.done.store(true, Ordering::Relaxed);
                return Err(SolverError::Thread(error));
            }
        }
        drop(sender);
        let mut verdict = None;
        loop {
            match results.recv_timeout(REPORT_INTERVAL) {
                Ok(result) => verdict = verdict_of(node, result)?.or(verdict),
                Err(RecvTimeoutError::Timeout) => report(&shared.counters),
                Err(RecvTimeoutError::Disconnected) => return Ok(verdict),
            }
        }
    })
}

/// Searches a node on this thread, with pauses to report. After each, the table leads the search to
/// where it was.
fn without_threads(
    shared: &mut Shared<'_>,
    node: Node,
    mut report: impl FnMut(&Counters),
) -> Result<Option<Verdict>> {
    let end = shared.deadline;
    loop {
        let pause = Instant::now() + REPORT_INTERVAL;
        shared.deadline = Some(end.map_or(pause, |end| end.min(pause)));
        let verdict = verdict_of(node, Worker::new(shared).run(node))?;
        let is_over = end.is_some_and(|end| Instant::now() >= end)
            || shared.stop.load(Ordering::Relaxed)
            || shared.counters.nodes.load(Ordering::Relaxed) >= shared.max_nodes;
        if verdict.is_some() || is_over {
            return Ok(verdict);
        }
        report(&shared.counters);
    }
}

/// The verdict of a worker, if it was not interrupted.
fn verdict_of(
    node: Node,
    result: std::result::Result<NodeResult, Interrupt>,
) -> Result<Option<Verdict>> {
    match result {
        Ok(result) if result.is_decided() => {
            let proved = result.is_proof(node.attacks());
            Ok(Some(Verdict { proved, height: result.height, reply: result.reply }))
        }
        Ok(_) | Err(Interrupt::Limit | Interrupt::Decided(_)) => Ok(None),
        Err(Interrupt::Tables(error)) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet, Side};

    use super::*;

    fn shared<'a>(
        game: &'a Game<'a>,
        table: TableView<'a>,
        stop: &'a AtomicBool,
        max_nodes: u64,
    ) -> Shared<'a> {
        Shared { max_nodes, ..Shared::new(game, table, stop) }
    }

    /// With pauses on one thread, and without a pause on another one.
    #[test]
    fn one_thread_finds_what_several_find() {
        let stop = AtomicBool::new(false);
        for (size, most) in [("3x3", u64::MAX), ("3x5", u64::MAX), ("5x3", u64::MAX), ("5x5", 5000)]
        {
            let board: Board = size.parse().expect("a board");
            let game = Game::new(RuleSet::STANDARD, board, None).expect("no tables are read");
            for attacker in [Side::White, Side::Black] {
                let node = game.node(&board.start(), attacker);
                let mut tables =
                    [(); 2].map(|()| TranspositionTable::new(1 << 20).expect("memory"));
                let [one, other] = &mut tables;
                let mut alone = shared(&game, one.view(), &stop, most);
                let alone = without_threads(&mut alone, node, |_| {}).expect("no tables");
                let with = shared(&game, other.view(), &stop, most);
                let with = with_threads(&with, node, 1, |_| {}).expect("no tables");
                let proved = |verdict: Option<Verdict>| verdict.map(|verdict| verdict.proved);
                assert_eq!(proved(alone), proved(with), "{size} {attacker:?}");
                assert_eq!(alone.is_none(), most != u64::MAX, "{size} {attacker:?}");
            }
        }
    }

    #[test]
    fn a_search_on_this_thread_reports_and_ends() {
        let (stop, board) = (AtomicBool::new(false), Board::tsivy());
        let game = Game::new(RuleSet::STANDARD, board, None).expect("no tables are read");
        let table = TranspositionTable::new(1 << 20).expect("memory");
        let mut shared = shared(&game, table.view(), &stop, u64::MAX);
        let node = game.node(&board.start(), Side::White);
        let mut nodes = Vec::new();
        let verdict = without_threads(&mut shared, node, |counters| {
            nodes.push(counters.nodes.load(Ordering::Relaxed));
            if nodes.len() == 2 {
                stop.store(true, Ordering::Relaxed);
            }
        });
        assert!(verdict.expect("no tables").is_none());
        assert!(nodes.len() == 2 && nodes[0] < nodes[1], "{nodes:?}");
    }
}
