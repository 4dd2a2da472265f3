//! The search from the root: deeper and deeper, on all threads, for one line or for several.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use fanorona_core::{Board, Position, RuleSet, Stones, Turn};
use fanorona_knowledge::{Assessment, KnowledgeError};
use fanorona_tablebase::Tables;
use web_time::Instant;

use crate::EngineError;
use crate::analysis::{Analysis, End, Limits, MAX_DEPTH};
use crate::memory::Memory;
use crate::node::Successor;
use crate::options::Options;
use crate::score::{LOSS_CEILING, MATE, MATE_FLOOR, PLY_FLOOR, Score, TABLE_WIN, WIN_FLOOR};
use crate::search::{MAX_PLY, Region, RootTurn, Shared, Worker};

/// The clock and the flags of one search.
pub(crate) struct Run<'a> {
    pub started: Instant,
    pub limits: Limits,
    pub stop: &'a AtomicBool,
}

/// The resources of a search, apart from its limits.
pub(crate) struct Resources<'a> {
    pub rules: RuleSet,
    pub board: Board,
    pub tables: Option<&'a Tables>,
    /// The most stones of a table.
    pub table_stones: u32,
    pub options: &'a Options,
    pub seed: u64,
    pub memory: &'a Memory,
}

/// The position to search, and the turns to choose from.
pub(crate) struct Root<'a> {
    pub position: &'a Position,
    /// The game's positions before it, oldest first.
    pub earlier: &'a [Position],
    /// The turns that may be played, and the positions after them, all different.
    pub turns: Vec<(Turn, Position)>,
    pub region: Option<Region>,
    /// How many of the turns to find.
    pub lines: usize,
}

/// A turn of the root with its score.
struct Line {
    index: usize,
    score: i32,
    turns: Vec<Turn>,
    /// The part of the score that is the contempt at the end of the line.
    contempt: i32,
}

/// Sets a flag when it is dropped.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Searches the turns of the root. The result has the best turn first, and is never empty.
pub(crate) fn search(
    resources: &Resources<'_>,
    root: &Root<'_>,
    run: &Run<'_>,
    mut progress: impl FnMut(&[Analysis]),
) -> Result<Vec<Analysis>, EngineError> {
    let (options, memory) = (resources.options, resources.memory);
    let handicap = options.level.handicap();
    let threads = if handicap.is_some() { 1 } else { options.threads.max(1) };
    let limits = run.limits.within(handicap);
    if handicap.is_some() {
        memory.clear();
    } else {
        memory.next_search();
    }
    // Several lines are compared without favour. In a won region the estimates say nothing of the score.
    let is_neutral = handicap.is_some() || root.lines > 1 || root.region.is_some();
    let contempt = if is_neutral { 0 } else { options.contempt };
    let shared = Shared {
        rules: resources.rules,
        board: resources.board,
        tables: resources.tables,
        table_stones: resources.table_stones,
        region: root.region,
        memory,
        draw_rules: options.draw_rules,
        full_width: options.full_width,
        captures: handicap.is_none_or(|handicap| handicap.depth != Some(0)),
        contempt,
        noise: handicap.map_or(0, |handicap| handicap.noise),
        seed: resources.seed,
        stop: run.stop,
        done: AtomicBool::new(false),
        deadline: limits.time.and_then(|time| run.started.checked_add(time)),
        worker_nodes: limits.nodes.map(|nodes| nodes.div_ceil(threads as u64)),
        nodes: AtomicU64::new(0),
        table_hits: AtomicU64::new(0),
        error: Mutex::new(None),
    };
    let successor = |(_, after): &(Turn, Position)| Successor::new(Stones::of(after).swapped());
    let root_turns: Vec<RootTurn> = (root.turns.iter().map(successor).enumerate())
        .map(|(index, successor)| RootTurn { successor, index })
        .collect();
    let worker = || Worker::new(&shared, root.position, root_turns.clone(), root.earlier);
    let mut main = worker();
    let max_depth = limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);
    let wanted = root.lines.clamp(1, root_turns.len().max(1));

    let first = main.root_turns().first().map(|turn| root.turns[turn.index].0.clone());
    let estimate = main.root_estimate();
    let mut result = Analysis {
        line: first.iter().cloned().collect(),
        turn: first,
        // Inside a region every position has the region's value.
        score: match root.region {
            Some(_) => Score::of_search(estimate),
            None => Score::Estimate(estimate),
        },
        depth: 0,
        seldepth: 0,
        nodes: 0,
        table_hits: 0,
        elapsed: Duration::ZERO,
        end: End::Stopped,
        memory_used: 0,
        facts: Assessment::UNKNOWN,
    };
    let mut lines: Vec<Line> = Vec::new();
    thread::scope(|scope| {
        // However this ends, the helpers end too.
        let _ending = Done(&shared.done);
        for helper in 1..threads {
            let worker = &worker;
            // Without this helper, if there cannot be another thread, the search is only slower.
            let _ = thread::Builder::new().spawn_scoped(scope, move || {
                let mut worker = worker();
                // Half of the helpers are one depth ahead, so that the threads spread.
                let mut last = None;
                let mut depth = 1 + helper as u32 % 2;
                while depth <= MAX_DEPTH && !worker.is_stopped() {
                    last = worker.deepen(depth, last, 0).or(last);
                    depth += 1;
                }
                worker.flush();
            });
        }
        for depth in 1..=max_depth {
            let last: Vec<_> = lines.iter().map(|line| line.score).collect();
            for rank in 0..wanted {
                // The lines before this one are those of the first turns.
                let score = main.deepen(depth, last.get(rank).copied(), rank);
                main.flush();
                if let Some(score) = score {
                    let index = main.root_turns()[rank].index;
                    let turn = &root.turns[index].0;
                    let turns = turns_of_line(&resources.rules, root.position, turn, main.line());
                    lines.retain(|line| line.index != index);
                    let last = main.line().last().map_or(0, |last| last.stones.count());
                    let contempt = (shared.contempt * last) as i32;
                    lines.insert(rank.min(lines.len()), Line { index, score, turns, contempt });
                    lines.truncate(wanted);
                }
                if main.is_stopped() {
                    break;
                }
            }
            result.nodes = shared.nodes.load(Ordering::Relaxed);
            result.table_hits = shared.table_hits.load(Ordering::Relaxed);
            result.seldepth = main.deepest() as u32;
            result.elapsed = run.started.elapsed();
            result.memory_used = memory.used();
            if main.is_stopped() {
                result.end = run.why_stopped(&limits);
                break;
            }
            // A turn that is searched later may turn out to be better.
            lines.sort_by_key(|line| std::cmp::Reverse(line.score));
            result.depth = depth;
            result.end = End::Depth;
            let is_decided = lines.iter().all(|line| is_decided(line.score, depth));
            if is_decided {
                result.end = End::Decided;
            }
            progress(&analyses(&result, root, &lines));
            if is_decided {
                break;
            }
        }
    });
    result.nodes = shared.nodes.load(Ordering::Relaxed);
    result.table_hits = shared.table_hits.load(Ordering::Relaxed);
    drop(main);
    match shared.error.into_inner().unwrap_or_else(|lock| lock.into_inner()) {
        Some(error) => Err(KnowledgeError::from(error).into()),
        None => Ok(analyses(&result, root, &lines)),
    }
}

/// The lines as they are reported. Without any, it is the result alone.
fn analyses(result: &Analysis, root: &Root<'_>, lines: &[Line]) -> Vec<Analysis> {
    let analysis = |line: &Line| Analysis {
        turn: Some(root.turns[line.index].0.clone()),
        score: Score::of_search(match line.score {
            // A draw by repetition, or a win or loss, has none.
            0 | WIN_FLOOR.. | ..=LOSS_CEILING => line.score,
            estimate => estimate - line.contempt,
        }),
        line: line.turns.clone(),
        ..result.clone()
    };
    match lines {
        [] => vec![result.clone()],
        lines => lines.iter().map(analysis).collect(),
    }
}

impl Run<'_> {
    /// A result without a search.
    pub(crate) fn decided(&self, turn: Option<Turn>, score: Score, line: Vec<Turn>) -> Analysis {
        Analysis {
            turn,
            score,
            line,
            depth: 0,
            seldepth: 0,
            nodes: 0,
            table_hits: 0,
            elapsed: self.started.elapsed(),
            end: End::Decided,
            memory_used: 0,
            facts: Assessment::UNKNOWN,
        }
    }

    /// The same; where all is decided already, the search only estimates.
    pub(crate) fn at_once_if(&self, is_decided: bool) -> Self {
        let depth = if is_decided { Some(1) } else { self.limits.depth };
        Self { limits: Limits { depth, ..self.limits }, ..*self }
    }

    fn why_stopped(&self, limits: &Limits) -> End {
        if self.stop.load(Ordering::Relaxed) {
            End::Stopped
        } else if limits.time.is_some_and(|time| self.started.elapsed() >= time) {
            End::Time
        } else {
            End::Nodes
        }
    }
}

/// Whether a search to this depth has found all there is: a win in n turns, or a win that a table
/// without distances holds after n turns, needs no search beyond n turns.
fn is_decided(score: i32, depth: u32) -> bool {
    let turns = match score.abs() {
        win @ MATE_FLOOR.. => MATE - win,
        win @ PLY_FLOOR.. => TABLE_WIN - win,
        _ => return false,
    };
    turns as u32 <= depth
}

/// The turns of a line of successors, the first of which is given.
fn turns_of_line(
    rules: &RuleSet,
    position: &Position,
    first: &Turn,
    line: &[Successor],
) -> Vec<Turn> {
    let mut turns = vec![first.clone()];
    let mut position = position.play_unchecked(first);
    for successor in line.iter().skip(1).take(MAX_PLY) {
        let found = rules.try_for_each_turn(&position, |turn| {
            let after = position.play_unchecked(turn);
            let is_it = Stones::of(&after).swapped() == successor.stones;
            if is_it { ControlFlow::Break(turn.clone()) } else { ControlFlow::Continue(()) }
        });
        let Some(turn) = found.break_value() else { break };
        position = position.play_unchecked(&turn);
        turns.push(turn);
    }
    turns
}
