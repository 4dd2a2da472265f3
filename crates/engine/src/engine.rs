//! The engine: from a position to a turn and a score.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use fanorona_core::{Board, Position, RuleSet, Side, Turn, Value};
use fanorona_proof::{Book, Bounds};
use fanorona_tablebase::{RankedTurn, TableError, Tables};

use crate::EngineError;
use crate::analysis::{Analysis, Choice, Limits};
use crate::level::Level;
use crate::memory::Memory;
use crate::options::Options;
use crate::root::{Means, Root, Run, search};
use crate::score::{Known, Score};
use crate::search::Region;
use crate::unbeatable::{Facts, Kept};

/// The memory that a level with a handicap uses at most: it forgets all before each search.
const HANDICAP_MEMORY: usize = 4 << 20;

/// The turns of a line that is read from tables.
const MAX_LINE: usize = 300;

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
        tables.iter().try_for_each(|tables| tables.check_game(board, &rules))?;
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
        if let Some(outcome) = self.rules.outcome(position) {
            let known = Known { value: outcome.value_for(position.to_move()), turns: Some(0) };
            let known =
                Known { turns: known.turns.filter(|_| known.value != Value::Draw), ..known };
            return Ok(vec![run.decided(None, Score::Proved(known), Vec::new())]);
        }
        let legal = |turns: &&[Turn]| {
            let all = self.rules.turns(position);
            turns.iter().any(|turn| all.contains(turn))
        };
        let choice = &Choice { turns: choice.turns.filter(legal), lines: choice.lines.max(1) };
        match self.ranking(position)? {
            None => {
                let turns = self.distinct_turns(position, choice);
                match self.kept_by_facts(position, earlier, &turns)? {
                    Some(kept) => {
                        self.play_by_facts(position, earlier, kept, choice, &run, progress)
                    }
                    None => {
                        let lines = choice.lines;
                        let root = Root { position, earlier, turns, region: None, lines };
                        search(&self.means(), &root, &run, progress)
                    }
                }
            }
            Some(ranking) => {
                self.play_by_tables(position, earlier, ranking, choice, &run, progress)
            }
        }
    }

    fn means(&self) -> Means<'_> {
        Means {
            rules: self.rules,
            board: self.board,
            tables: self.tables.as_deref(),
            table_stones: self.table_stones,
            options: &self.options,
            memory: &self.memory,
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
            Err(TableError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The turns that keep what is proved of a position that tables do not hold.
    fn kept_by_facts(
        &self,
        position: &Position,
        earlier: &[Position],
        turns: &[(Turn, Position)],
    ) -> Result<Option<Kept>, EngineError> {
        let Some(facts) = &self.facts else { return Ok(None) };
        let is_over = |after: &Position| self.is_third(earlier, after);
        facts.kept(position, turns.to_vec(), is_over, |after| earlier.contains(after))
    }

    /// Plays a position of which something is proved.
    fn play_by_facts(
        &self,
        position: &Position,
        earlier: &[Position],
        Kept { turns, bounds }: Kept,
        choice: &Choice<'_>,
        run: &Run<'_>,
        mut progress: impl FnMut(&[Analysis]),
    ) -> Result<Vec<Analysis>, EngineError> {
        // With one turn there is nothing to choose: the search only estimates the position.
        let depth = if turns.len() == 1 { Some(1) } else { run.limits.depth };
        let run = Run { limits: Limits { depth, ..run.limits }, ..*run };
        let with_facts = |found: Vec<Analysis>| {
            let analysis = |found: Analysis| {
                let score = match (found.score, bounds.value()) {
                    (Score::Estimate(_), Some(value)) => {
                        Score::Proved(Known { value, turns: None })
                    }
                    (score, _) => score,
                };
                Analysis { score, facts: bounds, ..found }
            };
            found.into_iter().map(analysis).collect::<Vec<_>>()
        };
        let root = Root { position, earlier, turns, region: None, lines: choice.lines };
        let found =
            search(&self.means(), &root, &run, |lines| progress(&with_facts(lines.to_vec())))?;
        Ok(with_facts(found))
    }

    /// Whether a position that has occurred twice before comes up again, which ends the game.
    fn is_third(&self, earlier: &[Position], after: &Position) -> bool {
        let before = earlier.iter().filter(|position| *position == after).count();
        self.options.draw_rules.repetition && before >= 2
    }

    /// Plays a position that tables hold.
    fn play_by_tables(
        &self,
        position: &Position,
        earlier: &[Position],
        mut ranking: Vec<RankedTurn>,
        choice: &Choice<'_>,
        run: &Run<'_>,
        mut progress: impl FnMut(&[Analysis]),
    ) -> Result<Vec<Analysis>, EngineError> {
        if let Some(turns) = choice.turns {
            ranking.retain(|ranked| turns.contains(&ranked.turn));
        }
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
        // Several turns may lead to the same position.
        let mut seen = HashSet::new();
        ranking.retain(|ranked| seen.insert(ranked.after));
        let Some(best) = ranking.first() else {
            return Err(EngineError::NoTurn { position: *position });
        };
        let value = best.value;
        let known = Score::Exact(Known { value: value.value, turns: value.dtw });
        let mut turns: Vec<(Turn, Position)> = ranking
            .iter()
            .take_while(|ranked| ranked.value.value == value.value)
            .map(|ranked| (ranked.turn.clone(), ranked.after))
            .collect();
        if let Some(facts) = self.facts.as_ref().filter(|_| value.value != Value::Win) {
            let has_occurred = |after: &Position| earlier.contains(after);
            turns = facts.hardest(turns, value.value, has_occurred)?;
        }
        if value.dtw.is_some() {
            // The ranking has sooner wins and later losses first.
            turns.truncate(1);
        }
        // Beside the turns to choose from, the other lines come from the tables alone.
        let mut others = Vec::new();
        let is_other = |ranked: &&RankedTurn| turns.iter().all(|(turn, _)| *turn != ranked.turn);
        for ranked in ranking.iter().filter(is_other).take(choice.lines.saturating_sub(turns.len()))
        {
            let found = self.line_of_ranked(ranked, run)?;
            others.push(Analysis { facts: proved, ..found });
        }
        if value.dtw.is_some() {
            let (turn, after) = turns.swap_remove(0);
            let line = self.line_by_tables(turn.clone(), after)?;
            let first = Analysis { facts: proved, ..run.decided(Some(turn), known, line) };
            others.insert(0, first);
            return Ok(others);
        }
        let white = match position.to_move() {
            Side::White => value.value,
            Side::Black => -value.value,
        };
        let with_tables = |found: Vec<Analysis>| {
            let analysis = |found: Analysis| {
                // The search may have found the distance to a win that the table has none for.
                let score = match found.score {
                    Score::Proved(proved)
                        if proved.value == value.value && proved.turns.is_some() =>
                    {
                        Score::Proved(proved)
                    }
                    _ => known,
                };
                Analysis { score, facts: proved, ..found }
            };
            found.into_iter().map(analysis).chain(others.iter().cloned()).collect::<Vec<_>>()
        };
        let stones = (position.own() | position.opponent()).len();
        let region = Some(Region { stones, white });
        let root = Root { position, earlier, turns, region, lines: choice.lines };
        let found =
            search(&self.means(), &root, run, |lines| progress(&with_tables(lines.to_vec())))?;
        Ok(with_tables(found))
    }

    /// What tables say of a turn.
    fn line_of_ranked(&self, ranked: &RankedTurn, run: &Run<'_>) -> Result<Analysis, EngineError> {
        let turn = ranked.turn.clone();
        let known = Known { value: ranked.value.value, turns: ranked.value.dtw };
        let line = match known.turns {
            Some(_) => self.line_by_tables(turn.clone(), ranked.after)?,
            None => vec![turn.clone()],
        };
        Ok(run.decided(Some(turn), Score::Exact(known), line))
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

    /// The turns to choose from that lead to distinct positions.
    fn distinct_turns(&self, position: &Position, choice: &Choice<'_>) -> Vec<(Turn, Position)> {
        let mut seen = HashSet::new();
        let mut turns = Vec::new();
        self.rules.for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            let is_allowed = choice.turns.is_none_or(|turns| turns.contains(turn));
            if is_allowed && seen.insert((after.own(), after.opponent())) {
                turns.push((turn.clone(), after));
            }
        });
        turns
    }
}
