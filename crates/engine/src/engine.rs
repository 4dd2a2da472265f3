//! The engine: from a position to a turn and a score.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Side, Stones, Turn, Value};
use fanorona_knowledge::{Assessment, Knowledge, KnowledgeError, RankedTurn, Source};
use web_time::Instant;

use crate::EngineError;
use crate::analysis::{Analysis, Choice, Limits};
use crate::holding::prove_turns;
use crate::level::Level;
use crate::memory::Memory;
use crate::options::Options;
use crate::root::{Resources, Root, Run, search};
use crate::score::{Known, Score};
use crate::search::Region;
use crate::unbeatable::{self, Kept};

/// The memory that a level with a handicap uses at most: it forgets all before each search.
const HANDICAP_MEMORY: usize = 4 << 20;

/// A player of one board and rule set.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Position, RuleSet, Value};
/// use fanorona_engine::{Engine, Limits, Options};
/// use fanorona_knowledge::Knowledge;
///
/// let position: Position = "5/5/1W1B1/5/5 w".parse()?;
/// let known = Knowledge::of_rules(position.board(), RuleSet::STANDARD);
/// let mut engine = Engine::new(known, Options::default())?;
/// let limits = Limits { depth: Some(4), ..Limits::default() };
/// let found = engine.analyze(&position, &[], &limits, &AtomicBool::new(false), |_| {})?;
/// assert_eq!(found.turn.map(|turn| turn.text(position.board()).to_string()).as_deref(), Some("b3-c3A"));
/// assert_eq!(found.score.value(), Some(Value::Win));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    known: Knowledge,
    /// The most stones of a table that the level uses.
    table_stones: u32,
    options: Options,
    /// That of the options, or a random one.
    seed: u64,
    memory: Memory,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("known", &self.known)
            .field("table_stones", &self.table_stones)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// An engine that plays by what is known about its game. Levels with a handicap use no tables,
    /// and only the level [`UNBEATABLE`](Level::UNBEATABLE) uses the book.
    ///
    /// # Errors
    /// If the rule set has no reading on the board, if a table is damaged, or if there is not enough
    /// memory. At the level `UNBEATABLE` also as for [`check_unbeatable`](Self::check_unbeatable), and
    /// [`Book::prepare`](fanorona_knowledge::Book::prepare), which takes a second on 9x5.
    pub fn new(known: Knowledge, options: Options) -> Result<Self, EngineError> {
        known.rules().check(known.board())?;
        let handicap = options.level.handicap().is_some();
        let tables = known.tables().filter(|_| !handicap);
        let all = tables.map(|tables| tables.all()).transpose().map_err(KnowledgeError::from)?;
        let stones = all.iter().flatten().map(|table| table.metadata().slice.stones());
        let table_stones = stones.max().unwrap_or(0);
        let bytes = if handicap { options.memory.min(HANDICAP_MEMORY) } else { options.memory };
        if options.level == Level::UNBEATABLE {
            unbeatable::check(&known)?;
            // The first turn should not wait for it. Where files have to be fetched, it would.
            if let Some(book) = known.book().filter(|_| !known.has_search_tables()) {
                book.prepare().map_err(KnowledgeError::from)?;
            }
        }
        let memory = Memory::new(bytes)?;
        let is_unbeatable = options.level == Level::UNBEATABLE;
        let known = if is_unbeatable { known } else { known.without_book() };
        let (known, seed) = (known.with_all_turns(), options.seed_or_random());
        Ok(Self { known, table_stones, options, seed, memory })
    }

    /// Whether the level [`UNBEATABLE`](Level::UNBEATABLE) has what it needs, without building an
    /// engine.
    ///
    /// # Errors
    /// [`EngineError::MissingBook`] without a book, unless the tables hold the start of the game;
    /// [`EngineError::MissingTables`] if the book needs tables that are not there; others if a file is
    /// damaged.
    pub fn check_unbeatable(known: &Knowledge) -> Result<(), EngineError> {
        unbeatable::check(known)
    }

    /// The rules, tables and book that the engine plays by.
    pub fn known(&self) -> &Knowledge {
        &self.known
    }

    fn check_board(&self, position: &Position) -> Result<(), EngineError> {
        let (expected, found) = (self.board(), position.board());
        if found == expected { Ok(()) } else { Err(EngineError::OtherBoard { expected, found }) }
    }

    /// The rule set that the engine plays by.
    pub fn rules(&self) -> RuleSet {
        self.known.rules()
    }

    /// The board that the engine plays on.
    pub fn board(&self) -> Board {
        self.known.board()
    }

    /// The options that the engine was built with.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes [`Options::full_width`] for the next searches.
    pub fn set_full_width(&mut self, full_width: bool) {
        self.options.full_width = full_width;
    }

    /// Forgets all earlier searches, and the seed if [`Options::seed`] has none.
    pub fn clear(&mut self) {
        self.seed = self.options.seed_or_random();
        self.memory.clear();
    }

    /// Finds the turn to play and its score.
    ///
    /// `earlier` are the game's positions before this one, oldest first, each one turn after the
    /// other; empty if they do not matter. `stop` ends the search within milliseconds, at the level
    /// `UNBEATABLE` after the proof of its last turn; the result is then what was found so far, and
    /// never without a turn if there is one. `progress` gets the result of each depth.
    ///
    /// With tables that hold the position, the turn keeps its value: if they have distances, it is
    /// the turn that wins soonest or loses latest; otherwise a search chooses among the turns with
    /// the best value.
    ///
    /// On one thread, with a seed and without a time limit or stop, the result is the same on every machine.
    ///
    /// # Errors
    /// If the position is of another board, or a table cannot be read.
    pub fn analyze(
        &mut self,
        position: &Position,
        earlier: &[Position],
        limits: &Limits,
        stop: &AtomicBool,
        mut progress: impl FnMut(&Analysis),
    ) -> Result<Analysis, EngineError> {
        let progress = |lines: &[Analysis]| lines.iter().take(1).for_each(&mut progress);
        let choice = Choice::default();
        let found = self.analyze_lines(position, earlier, &choice, limits, stop, progress)?;
        found.into_iter().next().ok_or(EngineError::NoTurn { position: *position })
    }

    /// Finds the best of some turns, or several of them, each with its own score. The best comes
    /// first, and there is at least one [`Analysis`].
    ///
    /// The search of several lines shares its limits, so it sees less far than the search of one,
    /// and may prefer another turn. At the level [`UNBEATABLE`](Level::UNBEATABLE), a position of
    /// which the book proves something has only lines that keep it.
    ///
    /// Everything else is as for [`analyze`](Self::analyze).
    ///
    /// # Errors
    /// As for [`analyze`](Self::analyze).
    pub fn analyze_lines(
        &mut self,
        position: &Position,
        earlier: &[Position],
        choice: &Choice<'_>,
        limits: &Limits,
        stop: &AtomicBool,
        progress: impl FnMut(&[Analysis]),
    ) -> Result<Vec<Analysis>, EngineError> {
        self.check_board(position)?;
        let run = Run { started: Instant::now(), limits: *limits, stop };
        if let Some(outcome) = self.rules().outcome(position) {
            let known = Known { value: outcome.value_for(position.to_move()), turns: Some(0) };
            let known =
                Known { turns: known.turns.filter(|_| known.value != Value::Draw), ..known };
            return Ok(vec![run.decided(None, Score::Proved(known), Vec::new())]);
        }
        let legal = |turns: &&[Turn]| {
            let all = self.rules().turns(position);
            turns.iter().any(|turn| all.contains(turn))
        };
        let choice = &Choice { turns: choice.turns.filter(legal), lines: choice.lines.max(1) };
        let is_unbeatable = self.options.level == Level::UNBEATABLE;
        let stones = Stones::of(position).count();
        if is_unbeatable || stones <= self.table_stones {
            let mut turns = self.known.turns(position)?;
            let are_held = !turns.is_empty() && turns.iter().all(is_held);
            let mut seen = HashSet::new();
            let mut is_new = |after| seen.insert(after);
            turns.retain(|ranked| choice.allows(&ranked.turn) && is_new(ranked.after));
            if are_held {
                return self.play_by_tables(position, earlier, turns, choice.lines, &run, progress);
            }
            if is_unbeatable {
                let is_known = turns.iter().all(|ranked| ranked.assessment.value().is_some());
                prove_turns(&self.known, position, earlier, &mut turns, &run)?;
                let is_over = |after: &Position| self.is_third(earlier, after);
                let has_occurred = |after: &Position| earlier.contains(after);
                let kept = unbeatable::kept(&self.known, position, turns, is_over, has_occurred)?;
                if let Some(kept) = kept {
                    let is_decided = is_known && kept.facts.value() != Some(Value::Win);
                    let run = run.at_once_if(is_decided);
                    return self.play_by_facts(
                        position,
                        earlier,
                        kept,
                        choice.lines,
                        &run,
                        progress,
                    );
                }
            }
        }
        let turns = self.distinct_turns(position, choice);
        let root = Root { position, earlier, turns, region: None, lines: choice.lines };
        search(&self.resources(), &root, &run, progress)
    }

    fn resources(&self) -> Resources<'_> {
        Resources {
            rules: self.rules(),
            board: self.board(),
            tables: self.known.search_tables().map(AsRef::as_ref),
            table_stones: self.table_stones,
            options: &self.options,
            seed: self.seed,
            memory: &self.memory,
        }
    }

    /// Plays a position of which something is proved.
    fn play_by_facts(
        &self,
        position: &Position,
        earlier: &[Position],
        Kept { turns, facts }: Kept,
        lines: usize,
        run: &Run<'_>,
        mut progress: impl FnMut(&[Analysis]),
    ) -> Result<Vec<Analysis>, EngineError> {
        // With one turn there is nothing to choose: the search only estimates the position.
        let run = run.at_once_if(turns.len() == 1);
        let with_facts = |found: Vec<Analysis>| {
            let analysis = |found: Analysis| {
                let score = match (found.score, facts.value()) {
                    (Score::Estimate(_), Some(value)) => {
                        Score::Proved(Known { value, turns: None })
                    }
                    (score, _) => score,
                };
                Analysis { score, facts, ..found }
            };
            found.into_iter().map(analysis).collect::<Vec<_>>()
        };
        let root = Root { position, earlier, turns: positions_of(turns), region: None, lines };
        let found =
            search(&self.resources(), &root, &run, |lines| progress(&with_facts(lines.to_vec())))?;
        Ok(with_facts(found))
    }

    /// Whether a position that has occurred twice before comes up again, which ends the game.
    fn is_third(&self, earlier: &[Position], after: &Position) -> bool {
        let before = earlier.iter().filter(|position| *position == after).count();
        self.options.draw_rules.repetition && before >= 2
    }

    /// Plays a position of which tables hold all turns, so that all bounds are exact.
    fn play_by_tables(
        &self,
        position: &Position,
        earlier: &[Position],
        mut ranking: Vec<RankedTurn>,
        lines: usize,
        run: &Run<'_>,
        mut progress: impl FnMut(&[Analysis]),
    ) -> Result<Vec<Analysis>, EngineError> {
        let whole = |turns: &[RankedTurn]| {
            let whole =
                fanorona_knowledge::TurnChoice::between(turns.iter().map(|turn| turn.assessment));
            whole.ok_or(EngineError::NoTurn { position: *position })
        };
        let is_unbeatable = self.options.level == Level::UNBEATABLE;
        let facts = if is_unbeatable { whole(&ranking)? } else { Assessment::UNKNOWN };
        // A third occurrence ends the game: a win would be given up, a loss saved.
        for ranked in &mut ranking {
            if self.is_third(earlier, &ranked.after) {
                ranked.assessment = Assessment::of_finished(Value::Draw);
            }
        }
        ranking.sort_by(|a, b| a.assessment.best_first(&b.assessment));
        let whole = whole(&ranking)?;
        let value = whole.bounds.at_least;
        let keeps = |ranked: &&RankedTurn| ranked.assessment.bounds == whole.bounds;
        let mut turns: Vec<RankedTurn> = ranking.iter().take_while(keeps).cloned().collect();
        if is_unbeatable && value != Value::Win {
            let has_occurred = |after: &Position| earlier.contains(after);
            turns = unbeatable::hardest(&self.known, turns, value, has_occurred)?;
        }
        let best = turns[0].assessment;
        // Sooner wins and later losses come first.
        turns.retain(|ranked| ranked.assessment.best_first(&best).is_eq());
        if best.dtw.is_some() {
            turns.truncate(1);
        }
        // Beside the turns to choose from, the other lines come from the tables alone.
        let mut others = Vec::new();
        let is_other = |ranked: &&RankedTurn| turns.iter().all(|turn| turn.turn != ranked.turn);
        for ranked in ranking.iter().filter(is_other).take(lines.saturating_sub(turns.len())) {
            let found = self.line_of_ranked(ranked, run)?;
            others.push(Analysis { facts, ..found });
        }
        if best.dtw.is_some() {
            let mut first = self.line_of_ranked(&turns[0], run)?;
            if whole.dtw.is_none() {
                // Another turn may win sooner, or lose later.
                first.score = match value {
                    Value::Win => Score::Proved(Known { value, turns: best.dtw }),
                    _ => Score::Exact(Known { value, turns: None }),
                };
            }
            others.insert(0, Analysis { facts, ..first });
            return Ok(others);
        }
        let known = Score::Exact(Known { value, turns: None });
        let white = match position.to_move() {
            Side::White => value,
            Side::Black => -value,
        };
        let with_tables = |found: Vec<Analysis>| {
            let analysis = |found: Analysis| {
                // The search may have found the distance to a win that the table has none for.
                let score = match found.score {
                    Score::Proved(proved) if proved.value == value && proved.turns.is_some() => {
                        Score::Proved(proved)
                    }
                    _ => known,
                };
                Analysis { score, facts, ..found }
            };
            found.into_iter().map(analysis).chain(others.iter().cloned()).collect::<Vec<_>>()
        };
        let stones = Stones::of(position).count();
        let region = Some(Region { stones, white });
        let root = Root { position, earlier, turns: positions_of(turns), region, lines };
        // The turns are the hardest already. A win still has to get ahead.
        let run = run.at_once_if(is_unbeatable && value != Value::Win);
        let found =
            search(&self.resources(), &root, &run, |lines| progress(&with_tables(lines.to_vec())))?;
        Ok(with_tables(found))
    }

    /// The analysis of a turn from tables, with the best line after it if they have its distance.
    fn line_of_ranked(&self, ranked: &RankedTurn, run: &Run<'_>) -> Result<Analysis, EngineError> {
        let (turn, turns) = (&ranked.turn, ranked.assessment.dtw);
        let value = ranked.assessment.bounds.at_least;
        let mut line = vec![turn.clone()];
        if let Some(rest) = turns.and_then(|turns| usize::from(turns).checked_sub(1)) {
            let after = self.known.line(&ranked.after, rest)?.line.into_iter();
            let is_exact = |ranked: &RankedTurn| ranked.assessment.dtw.is_some();
            line.extend(after.take_while(is_exact).map(|ranked| ranked.turn));
        }
        Ok(run.decided(Some(turn.clone()), Score::Exact(Known { value, turns }), line))
    }

    /// The turns to choose from that lead to distinct positions.
    fn distinct_turns(&self, position: &Position, choice: &Choice<'_>) -> Vec<(Turn, Position)> {
        let mut seen = HashSet::new();
        let mut turns = Vec::new();
        self.rules().for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            if choice.allows(turn) && seen.insert(Stones::of(&after)) {
                turns.push((turn.clone(), after));
            }
        });
        turns
    }
}

/// Whether the rules or tables have the value of a turn.
fn is_held(ranked: &RankedTurn) -> bool {
    let source = ranked.assessment.source;
    ranked.assessment.value().is_some() && source.is_some_and(|source| source <= Source::Table)
}

fn positions_of(turns: Vec<RankedTurn>) -> Vec<(Turn, Position)> {
    turns.into_iter().map(|ranked| (ranked.turn, ranked.after)).collect()
}
