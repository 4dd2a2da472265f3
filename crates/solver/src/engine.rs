//! Several threads at one node, within bounds.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Result, SolverError};
use crate::game::Game;
use crate::memory::{Memory, Table};
use crate::node::Node;
use crate::search::{Counters, Halt, STACK, Shared, Worker};

/// Time between two reports.
const REPORT: Duration = Duration::from_millis(500);

/// The game and what is remembered of it.
pub(crate) struct Engine<'a> {
    pub game: Game<'a>,
    pub memory: Memory,
    pub counts: Counts,
}

/// How much has been done.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    /// Positions looked at.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// Entries in use.
    pub used: u64,
}

/// How far a search may go.
#[derive(Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub threads: usize,
    /// So many positions more.
    pub nodes: u64,
    pub deadline: Option<Instant>,
    pub stop: &'a AtomicBool,
}

/// What has been decided of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdict {
    /// Whether the attacker can force a win.
    pub wins: bool,
    /// If so, within so many turns of both sides it is at an end or in a table.
    pub height: u32,
    /// The place of a turn that does it, or, where the other side moves, of one that puts it off;
    /// if the attacker cannot win, of a turn that prevents it.
    pub reply: u16,
}

impl Engine<'_> {
    /// Searches a node until it is decided or the bound is reached. The positions looked at below
    /// each of its successors, in their order, are added to `below`, if it has a place for it.
    /// `report` is told how it goes, and what is remembered.
    pub(crate) fn prove(
        &mut self,
        node: Node,
        bound: &Bound<'_>,
        below: &[AtomicU64],
        mut report: impl FnMut(Counts, Table<'_>),
    ) -> Result<Option<Verdict>> {
        let marks = if bound.threads > 1 { 1 << 16 } else { 0 };
        let shared = Shared {
            game: &self.game,
            table: self.memory.table(),
            below: (0..marks).map(|_| AtomicU8::new(0)).collect(),
            below_first: below,
            counters: Counters::default(),
            most_nodes: bound.nodes,
            deadline: bound.deadline,
            stop: bound.stop,
            done: AtomicBool::new(false),
        };
        let before = self.counts;
        let counts = || {
            let Counters { nodes, table_hits, used } = &shared.counters;
            Counts {
                nodes: before.nodes + nodes.load(Ordering::Relaxed),
                table_hits: before.table_hits + table_hits.load(Ordering::Relaxed),
                used: before.used + used.load(Ordering::Relaxed),
            }
        };
        let verdict = thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            for _ in 0..bound.threads {
                let (sender, shared) = (sender.clone(), &shared);
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
                match results.recv_timeout(REPORT) {
                    Ok(Ok(found)) if found.is_decided() => {
                        let wins = (found.phi == 0) == node.attacks();
                        let (height, reply) = (found.height, found.reply);
                        verdict = Some(Verdict { wins, height, reply });
                    }
                    Ok(Ok(_) | Err(Halt::Rest | Halt::Decided(_))) => {}
                    Ok(Err(Halt::Tables(error))) => return Err(error.into()),
                    Err(RecvTimeoutError::Timeout) => report(counts(), shared.table),
                    Err(RecvTimeoutError::Disconnected) => return Ok(verdict),
                }
            }
        })?;
        report(counts(), shared.table);
        self.counts = counts();
        Ok(verdict)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use fanorona_core::{Board, PointSet, Position, RuleSet, Side, Value};
    use fanorona_tablebase::{BuildOptions, Metric, Tables, build};

    /// Both questions of every position of 3x5, each with what the ones before have left in the
    /// memory, against tables of all its positions. The order is a random one, so that what is
    /// remembered has been found on many paths.
    #[test]
    fn every_position_of_3x5() {
        let (board, rules) = ("3x5".parse::<Board>().expect("a board"), RuleSet::STANDARD);
        let dir = tempfile::tempdir().expect("a directory");
        let (stones, metric) = (2 * board.max_stones(), Metric::Wdl);
        let options = BuildOptions::new(dir.path(), board, rules, stones).with_metric(metric);
        build(&options, &(), &AtomicBool::new(false)).expect("it can be built");
        let tables = Tables::open(dir.path(), board, rules).expect("tables are there");

        let game = Game::new(rules, board, None).expect("there are no tables to be damaged");
        let mut memory = Memory::new(64 << 20).expect("that much is there");
        let shared = Shared {
            game: &game,
            table: memory.table(),
            below: Box::default(),
            below_first: &[],
            counters: Counters::default(),
            most_nodes: u64::MAX,
            deadline: None,
            stop: &AtomicBool::new(false),
            done: AtomicBool::new(false),
        };
        // Positions are numbered by the sets of all stones, and those of the side to move among
        // them.
        let positions = 1 << board.num_points();
        let (mut there, mut checked) = (0, 0);
        let mut check = |worker: &mut Worker<'_>, all: u64| {
            let mut own = all;
            while own > 0 {
                own = (own - 1) & all;
                let sets = [own, all & !own].map(PointSet::from_bits);
                let Ok(position) = Position::from_mover(board, sets[0], sets[1], Side::White)
                else {
                    continue;
                };
                let attackers = [Side::White, Side::Black];
                let nodes = attackers.map(|attacker| game.node(&position, attacker));
                if rules.outcome(&position).is_some() {
                    continue;
                }
                there += 1;
                // One of those that are alike.
                if [nodes[0].own(), nodes[0].opponent()] != sets {
                    continue;
                }
                let value = tables.probe(&position).expect("it is there").value;
                for (node, aim) in nodes.into_iter().zip([Value::Win, Value::Loss]) {
                    shared.done.store(false, Ordering::Relaxed);
                    let found = worker.run(node).expect("nothing halts it");
                    assert!(found.is_decided());
                    assert_eq!((found.phi == 0) == node.attacks(), value == aim, "{position}");
                }
                let images = board.symmetries().iter().map(|s| position.transformed(*s));
                checked += images.collect::<HashSet<_>>().len();
            }
        };
        thread::scope(|scope| {
            let work = || {
                let mut worker = Worker::new(&shared);
                (0..positions).for_each(|i| check(&mut worker, i * 20_011 % positions));
            };
            let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            thread.expect("it starts").join().expect("all values are right");
        });
        assert_eq!(checked, there);
    }
}
