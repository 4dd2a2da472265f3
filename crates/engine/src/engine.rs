//! The engine: from a position to a turn and a score.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fanorona_core::{Board, Position, RuleSet, Turn, Value};
use fanorona_proof::{Book, Bounds};
use fanorona_tablebase::{RankedTurn, TableError, Tables};

use crate::EngineError;
use crate::level::{Handicap, Level};
use crate::memory::Memory;
use crate::node::Successor;
use crate::score::{Known, MATE, MATE_FLOOR, PLY_FLOOR, Score, TABLE_WIN};
use crate::search::{MAX_PLY, Region, RootTurn, Shared, Worker};
use crate::unbeatable::{Facts, Kept};

/// The deepest search. With late turns reduced and forced turns extended, lines end elsewhere.
pub const MAX_DEPTH: u32 = 100;

/// The memory that a level with a handicap uses at most: it forgets all before each search.
const HANDICAP_MEMORY: usize = 4 << 20;

/// The turns of a line that is read from tables.
const MAX_LINE: usize = 300;

/// What an [`Engine`] is built with.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of the transposition table.
    pub memory: usize,
    /// Threads that search together at full strength; at least 1.
    pub threads: usize,
    /// How well to play.
    pub level: Level,
    /// The seed of the noise of the lower levels.
    pub seed: u64,
    /// A turn that makes a position occur for the third time is a draw.
    pub threefold: bool,
    /// This number of turns of both sides without a capture is a draw.
    pub without_capture: Option<u32>,
    /// Search every turn to the full depth: no reductions, no extensions, and two plies of all
    /// captures beyond it. Slower; for comparing with other programs and for tests.
    pub full_width: bool,
}

impl Default for Options {
    /// 64 MiB, one thread, full strength, seed 0, threefold repetition, selective search.
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            threads: 1,
            level: Level::FULL,
            seed: 0,
            threefold: true,
            without_capture: None,
            full_width: false,
        }
    }
}

/// When a search ends; the first limit that is reached counts. Without any limit it ends at
/// [`MAX_DEPTH`], or when a win or loss is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Turns to look ahead, before captures are followed to their end.
    pub depth: Option<u32>,
    /// Positions to visit, on all threads together.
    pub nodes: Option<u64>,
    /// Time to use.
    pub time: Option<Duration>,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum End {
    /// There is nothing to find out: the game is over, tables hold the position, or a win or loss
    /// is proved.
    Decided,
    /// The depth was reached.
    Depth,
    /// The nodes were used up.
    Nodes,
    /// The time was used up.
    Time,
    /// The caller set the stop flag.
    Stopped,
}

/// What the engine found out about a position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// The turn to play; `None` if the game is over.
    pub turn: Option<Turn>,
    /// The score of that turn, for the side to move.
    pub score: Score,
    /// The line that the score expects, beginning with the turn.
    pub line: Vec<Turn>,
    /// The depth that was searched completely.
    pub depth: u32,
    /// The positions visited.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// The time taken.
    pub elapsed: Duration,
    /// Why the search ended.
    pub end: End,
    /// What book and tables prove of the position, for the side to move, at the level
    /// [`UNBEATABLE`](Level::UNBEATABLE). [`Bounds::UNKNOWN`] at other levels.
    pub facts: Bounds,
}

impl Analysis {
    /// What is certain of the position, for the side to move: the facts, and the score if it is not
    /// an estimate.
    pub fn bounds(&self) -> Bounds {
        self.score.value().map_or(self.facts, Bounds::exact)
    }
}

/// A player of one board and rule set.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Position, RuleSet, Value};
/// use fanorona_engine::{Engine, Limits, Options};
///
/// let position: Position = "5/5/1W1B1/5/5 w".parse()?;
/// let mut engine = Engine::new(RuleSet::STANDARD, position.board(), None, Options::default())?;
/// let limits = Limits { depth: Some(4), ..Limits::default() };
/// let found = engine.analyze(&position, &[], &limits, &AtomicBool::new(false), |_| {})?;
/// assert_eq!(found.turn.map(|turn| turn.text(position.board()).to_string()).as_deref(), Some("b3-c3A"));
/// assert_eq!(found.score.value(), Some(Value::Win));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    rules: RuleSet,
    board: Board,
    tables: Option<Arc<Tables>>,
    /// The most stones of a table.
    table_stones: u32,
    /// What the level that cannot lose plays by.
    facts: Option<Facts>,
    options: Options,
    memory: Memory,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("rules", &self.rules)
            .field("board", &self.board)
            .field("table_stones", &self.table_stones)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

/// The clock and the flags of one search.
struct Run<'a> {
    started: Instant,
    limits: Limits,
    stop: &'a AtomicBool,
}

/// What the turns at the root are searched for.
struct Task {
    turns: Vec<(Turn, Position)>,
    region: Option<Region>,
}

impl Engine {
    /// An engine for a board and a rule set, with tables for them if there are any. Levels with a
    /// handicap do not use the tables.
    ///
    /// # Errors
    /// If the rule set has no reading on this board, if the tables are for another board or rule
    /// set or one of them is damaged, or if there is not enough memory.
    pub fn new(
        rules: RuleSet,
        board: Board,
        tables: Option<Arc<Tables>>,
        options: Options,
    ) -> Result<Self, EngineError> {
        Self::with_book(rules, board, tables, None, options)
    }

    /// An engine with a book, which the level [`UNBEATABLE`](Level::UNBEATABLE) plays by. Other
    /// levels do not use it.
    ///
    /// # Errors
    /// As for [`new`](Self::new). At that level also [`EngineError::MissingBook`] without a book,
    /// unless the tables hold the start of the game; [`EngineError::MissingTables`] if the book
    /// needs tables that are not there; and [`EngineError::OtherBook`] if it is of another game.
    pub fn with_book(
        rules: RuleSet,
        board: Board,
        tables: Option<Arc<Tables>>,
        book: Option<Arc<Book>>,
        options: Options,
    ) -> Result<Self, EngineError> {
        rules.check(board)?;
        if let Some(tables) = &tables
            && (tables.board(), tables.rules()) != (board, rules)
        {
            return Err(EngineError::OtherTables {
                board,
                rules,
                found_board: tables.board(),
                found_rules: tables.rules(),
            });
        }
        let handicap = options.level.handicap().is_some();
        let tables = tables.filter(|_| !handicap);
        let all = tables.as_deref().map(Tables::all).transpose()?.unwrap_or_default();
        let stones = all.iter().map(|table| table.metadata().slice.stones());
        let table_stones = stones.max().unwrap_or(0);
        let bytes = if handicap { options.memory.min(HANDICAP_MEMORY) } else { options.memory };
        let facts = match options.level {
            Level::UNBEATABLE => Some(Facts::new(rules, board, tables.clone(), book)?),
            _ => None,
        };
        let memory = Memory::new(bytes)?;
        Ok(Self { rules, board, tables, table_stones, facts, options, memory })
    }

    /// Whether the level [`UNBEATABLE`](Level::UNBEATABLE) has what it needs, without building an
    /// engine.
    ///
    /// # Errors
    /// As for [`with_book`](Self::with_book).
    pub fn check_unbeatable(
        rules: RuleSet,
        board: Board,
        tables: Option<&Tables>,
        book: Option<&Book>,
    ) -> Result<(), EngineError> {
        Facts::check(rules, board, tables, book)
    }

    /// What book and tables prove of a position, for the side to move, at the level
    /// [`UNBEATABLE`](Level::UNBEATABLE); [`Bounds::UNKNOWN`] at other levels. If a side has at
    /// least a draw here, the engine does not lose with it.
    ///
    /// # Errors
    /// If the position is of another board, or a file is damaged or cannot be read.
    pub fn facts(&self, position: &Position) -> Result<Bounds, EngineError> {
        self.check_board(position)?;
        self.facts.as_ref().map_or(Ok(Bounds::UNKNOWN), |facts| facts.bounds(position))
    }

    fn check_board(&self, position: &Position) -> Result<(), EngineError> {
        let (expected, found) = (self.board, position.board());
        if found == expected { Ok(()) } else { Err(EngineError::OtherBoard { expected, found }) }
    }

    /// The rule set.
    pub fn rules(&self) -> &RuleSet {
        &self.rules
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The options that the engine was built with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.memory.clear();
    }

    /// Finds the turn to play and its score.
    ///
    /// `earlier` are the game's positions before this one, oldest first, each one turn after the
    /// other; empty if they do not matter. `stop` ends the search within milliseconds; the result
    /// is then what was found so far, and never without a turn if there is one. `progress` gets
    /// the result of each depth.
    ///
    /// With tables that hold the position, the turn keeps its value: if they have distances, it is
    /// the turn that wins soonest or loses latest; otherwise a search chooses among the turns with
    /// the best value.
    ///
    /// On one thread, without a time limit or stop, the result is the same on every machine.
    ///
    /// # Errors
    /// If the position is of another board, or a table cannot be read.
    pub fn analyze(
        &mut self,
        position: &Position,
        earlier: &[Position],
        limits: &Limits,
        stop: &AtomicBool,
        progress: impl FnMut(&Analysis),
    ) -> Result<Analysis, EngineError> {
        self.check_board(position)?;
        let run = Run { started: Instant::now(), limits: *limits, stop };
        if let Some(outcome) = self.rules.outcome(position) {
            let known = Known { value: outcome.value_for(position.to_move()), turns: Some(0) };
            let known =
                Known { turns: known.turns.filter(|_| known.value != Value::Draw), ..known };
            return Ok(run.decided(None, Score::Proved(known), Vec::new()));
        }
        match self.ranking(position)? {
            None => match self.kept_by_facts(position, earlier)? {
                Some(kept) => self.play_by_facts(position, earlier, kept, &run, progress),
                None => {
                    let task = Task { turns: self.distinct_turns(position), region: None };
                    self.search(position, earlier, task, &run, progress)
                }
            },
            Some(ranking) => self.play_by_tables(position, earlier, ranking, &run, progress),
        }
    }

    /// The ranking of the turns by tables, if they hold all of them.
    fn ranking(&self, position: &Position) -> Result<Option<Vec<RankedTurn>>, EngineError> {
        let stones = (position.own() | position.opponent()).len();
        let Some(tables) = self.tables.as_ref().filter(|_| stones <= self.table_stones) else {
            return Ok(None);
        };
        match tables.rank(position) {
            Ok(ranking) => Ok(Some(ranking)),
            Err(TableError::Missing { .. } | TableError::VelaPhase1 { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The turns that keep what is proved of a position that tables do not hold.
    fn kept_by_facts(
        &self,
        position: &Position,
        earlier: &[Position],
    ) -> Result<Option<Kept>, EngineError> {
        let Some(facts) = &self.facts else { return Ok(None) };
        let turns = self.distinct_turns(position);
        let is_over = |after: &Position| self.is_third(earlier, after);
        facts.kept(position, turns, is_over, |after| earlier.contains(after))
    }

    /// Plays a position of which something is proved.
    fn play_by_facts(
        &mut self,
        position: &Position,
        earlier: &[Position],
        Kept { turns, bounds }: Kept,
        run: &Run<'_>,
        progress: impl FnMut(&Analysis),
    ) -> Result<Analysis, EngineError> {
        // With one turn there is nothing to choose: the search only estimates the position.
        let depth = if turns.len() == 1 { Some(1) } else { run.limits.depth };
        let run = Run { limits: Limits { depth, ..run.limits }, ..*run };
        let found = self.search(position, earlier, Task { turns, region: None }, &run, progress)?;
        let score = match (found.score, bounds.value()) {
            (Score::Estimate(_), Some(value)) => Score::Proved(Known { value, turns: None }),
            (score, _) => score,
        };
        Ok(Analysis { score, facts: bounds, ..found })
    }

    /// Whether a position that has occurred twice before comes up again, which ends the game.
    fn is_third(&self, earlier: &[Position], after: &Position) -> bool {
        let before = earlier.iter().filter(|position| *position == after).count();
        self.options.threefold && before >= 2
    }

    /// Plays a position that tables hold.
    fn play_by_tables(
        &mut self,
        position: &Position,
        earlier: &[Position],
        mut ranking: Vec<RankedTurn>,
        run: &Run<'_>,
        progress: impl FnMut(&Analysis),
    ) -> Result<Analysis, EngineError> {
        let proved = ranking.iter().map(|ranked| ranked.value.value).max();
        let proved = proved.filter(|_| self.facts.is_some());
        let proved = proved.map_or(Bounds::UNKNOWN, Bounds::exact);
        // A third occurrence ends the game: a win would be given up, a loss saved.
        for ranked in &mut ranking {
            if self.is_third(earlier, &ranked.after) {
                (ranked.value.value, ranked.value.dtw) = (Value::Draw, None);
            }
        }
        ranking.sort_by_key(|ranked| {
            let turns = i32::from(ranked.value.dtw.unwrap_or(0));
            match ranked.value.value {
                Value::Win => (0, turns),
                Value::Draw => (1, 0),
                Value::Loss => (2, -turns),
            }
        });
        let Some(best) = ranking.first() else {
            return Err(EngineError::NoTurn { position: *position });
        };
        let value = best.value;
        let known = Score::Exact(Known { value: value.value, turns: value.dtw });
        // Several turns may lead to the same position.
        let mut turns: Vec<(Turn, Position)> = Vec::new();
        for ranked in ranking.iter().take_while(|ranked| ranked.value.value == value.value) {
            if turns.iter().all(|(_, after)| *after != ranked.after) {
                turns.push((ranked.turn.clone(), ranked.after));
            }
        }
        if let Some(facts) = self.facts.as_ref().filter(|_| value.value != Value::Win) {
            let has_occurred = |after: &Position| earlier.contains(after);
            turns = facts.hardest(turns, value.value, has_occurred)?;
        }
        if value.dtw.is_some() {
            // The ranking has sooner wins and later losses first.
            let (turn, after) = turns.swap_remove(0);
            let line = self.line_by_tables(turn.clone(), after)?;
            return Ok(Analysis { facts: proved, ..run.decided(Some(turn), known, line) });
        }
        let white = match position.to_move() {
            fanorona_core::Side::White => value.value,
            fanorona_core::Side::Black => -value.value,
        };
        let stones = (position.own() | position.opponent()).len();
        let task = Task { turns, region: Some(Region { stones, white }) };
        let found = self.search(position, earlier, task, run, progress)?;
        // The search may have found the distance to a win that the table has no distance for.
        let score = match found.score {
            Score::Proved(proved) if proved.value == value.value && proved.turns.is_some() => {
                Score::Proved(proved)
            }
            _ => known,
        };
        Ok(Analysis { score, facts: proved, ..found })
    }

    /// A turn and the best line after it, by tables with distances.
    fn line_by_tables(&self, turn: Turn, after: Position) -> Result<Vec<Turn>, EngineError> {
        let (mut line, mut position) = (vec![turn], after);
        while line.len() < MAX_LINE {
            let best = self.ranking(&position)?.and_then(|ranking| ranking.into_iter().next());
            let Some(best) = best.filter(|best| best.value.dtw.is_some()) else { break };
            line.push(best.turn);
            position = best.after;
        }
        Ok(line)
    }

    /// The turns of a position that lead to distinct positions.
    fn distinct_turns(&self, position: &Position) -> Vec<(Turn, Position)> {
        let mut seen = std::collections::HashSet::new();
        let mut turns = Vec::new();
        self.rules.for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            if seen.insert((after.own(), after.opponent())) {
                turns.push((turn.clone(), after));
            }
        });
        turns
    }

    /// Searches the given turns of a position.
    fn search(
        &mut self,
        position: &Position,
        earlier: &[Position],
        task: Task,
        run: &Run<'_>,
        mut progress: impl FnMut(&Analysis),
    ) -> Result<Analysis, EngineError> {
        let handicap = self.options.level.handicap();
        let threads = if handicap.is_some() { 1 } else { self.options.threads.max(1) };
        let limits = run.limits.within(handicap);
        if handicap.is_some() {
            self.memory.clear();
        } else {
            self.memory.next_search();
        }
        let shared = Shared {
            rules: self.rules,
            board: self.board,
            tables: self.tables.as_deref(),
            table_stones: self.table_stones,
            region: task.region,
            memory: &self.memory,
            threefold: self.options.threefold,
            without_capture: self.options.without_capture,
            full_width: self.options.full_width,
            noise: handicap.map_or(0, |handicap| handicap.noise),
            seed: self.options.seed,
            stop: run.stop,
            done: AtomicBool::new(false),
            deadline: limits.time.and_then(|time| run.started.checked_add(time)),
            worker_nodes: limits.nodes.map(|nodes| nodes.div_ceil(threads as u64)),
            nodes: AtomicU64::new(0),
            table_hits: AtomicU64::new(0),
            error: Mutex::new(None),
        };
        let successor = |(_, after): &(Turn, Position)| Successor {
            mover: after.opponent(),
            waiting: after.own(),
            order: 0,
        };
        let root_turns: Vec<RootTurn> = (task.turns.iter().map(successor).enumerate())
            .map(|(index, successor)| RootTurn { successor, index })
            .collect();
        let worker = || Worker::new(&shared, position, root_turns.clone(), earlier);
        let mut main = worker();
        let max_depth = limits.depth.unwrap_or(MAX_DEPTH).clamp(1, MAX_DEPTH);

        let first = main.root_turns().first().map(|turn| task.turns[turn.index].0.clone());
        let first = Analysis {
            line: first.iter().cloned().collect(),
            turn: first,
            score: Score::of_search(main.root_estimate()),
            depth: 0,
            nodes: 0,
            table_hits: 0,
            elapsed: Duration::ZERO,
            end: End::Stopped,
            facts: Bounds::UNKNOWN,
        };
        let mut result = match task.region {
            // Inside a region every position has the region's value.
            Some(_) => first,
            None => Analysis { score: Score::Estimate(main.root_estimate()), ..first },
        };
        thread::scope(|scope| {
            for helper in 1..threads {
                let worker = &worker;
                scope.spawn(move || {
                    let mut worker = worker();
                    // Half of the helpers are one depth ahead, so that the threads spread.
                    let mut last = None;
                    let mut depth = 1 + helper as u32 % 2;
                    while depth <= MAX_DEPTH && !worker.is_stopped() {
                        last = worker.deepen(depth, last).or(last);
                        depth += 1;
                    }
                    worker.flush();
                });
            }
            let mut last = None;
            for depth in 1..=max_depth {
                let score = main.deepen(depth, last);
                main.flush();
                if let Some(score) = score {
                    last = Some(score);
                    let best = &task.turns[main.root_turns()[0].index];
                    result.turn = Some(best.0.clone());
                    result.score = Score::of_search(score);
                    result.line = turns_of_line(&self.rules, position, &best.0, main.line());
                }
                result.nodes = shared.nodes.load(Ordering::Relaxed);
                result.table_hits = shared.table_hits.load(Ordering::Relaxed);
                result.elapsed = run.started.elapsed();
                if main.is_stopped() {
                    result.end = run.why_stopped(&limits);
                    break;
                }
                result.depth = depth;
                result.end = End::Depth;
                let is_decided = score.is_some_and(|score| is_decided(score, depth));
                if is_decided {
                    result.end = End::Decided;
                }
                progress(&result);
                if is_decided {
                    break;
                }
                if run.is_late(&limits) {
                    result.end = End::Time;
                    break;
                }
            }
            shared.done.store(true, Ordering::Relaxed);
        });
        result.nodes = shared.nodes.load(Ordering::Relaxed);
        result.table_hits = shared.table_hits.load(Ordering::Relaxed);
        drop(main);
        match shared.error.into_inner().unwrap_or_else(|lock| lock.into_inner()) {
            Some(error) => Err(error.into()),
            None => Ok(result),
        }
    }
}

impl Limits {
    /// These limits within those of a level.
    fn within(self, handicap: Option<Handicap>) -> Self {
        let Some(handicap) = handicap else {
            return self;
        };
        fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
            [one, other].into_iter().flatten().min()
        }
        Self {
            depth: least(self.depth, handicap.depth),
            nodes: least(self.nodes, handicap.nodes),
            ..self
        }
    }
}

impl Run<'_> {
    /// A result without a search.
    fn decided(&self, turn: Option<Turn>, score: Score, line: Vec<Turn>) -> Analysis {
        Analysis {
            turn,
            score,
            line,
            depth: 0,
            nodes: 0,
            table_hits: 0,
            elapsed: self.started.elapsed(),
            end: End::Decided,
            facts: Bounds::UNKNOWN,
        }
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

    /// Whether the next depth would hardly end in time: it takes several times as long as all
    /// before it.
    fn is_late(&self, limits: &Limits) -> bool {
        limits.time.is_some_and(|time| self.started.elapsed() > time / 2)
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
            let is_it = (after.opponent(), after.own()) == (successor.mover, successor.waiting);
            if is_it { ControlFlow::Break(turn.clone()) } else { ControlFlow::Continue(()) }
        });
        let Some(turn) = found.break_value() else { break };
        position = position.play_unchecked(&turn);
        turns.push(turn);
    }
    turns
}
