//! Asking the sources about a position.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::book::Book;
use fanorona_core::{Board, Outcome, Position, RuleSet, Turn, Value};
use fanorona_proof::{Bounds, Claim};
use fanorona_tablebase::{TableError, TableValue, Tables};

use crate::assessment::{Assessment, Source};
use crate::choice::TurnChoice;
use crate::error::KnowledgeError;
use crate::turn::RankedTurn;

pub(crate) type Result<T> = std::result::Result<T, KnowledgeError>;

/// The most turns of a position that are looked at, unless [all](Knowledge::with_all_turns) are asked
/// for. Positions of real games have far fewer; made-up ones can have hundreds of thousands.
pub const MAX_TURNS: usize = 20_000;

/// How much is looked at together. Tests have all cases in few positions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The most positions whose turns are looked at together. With more, fewer blocks of tables are
    /// decompressed twice, but more turns are in memory.
    pub together: usize,
    /// A position with more turns is looked at by itself, so that memory is limited whatever the
    /// positions are. Few positions have more.
    pub many_turns: usize,
}

/// The rules, the tables and the certificates of one game, asked together.
///
/// Cheap to clone: clones share tables and certificates. Threads can share it.
#[derive(Clone, Debug)]
pub struct Knowledge {
    board: Board,
    rules: RuleSet,
    tables: Option<Arc<Tables>>,
    search_tables: Option<Arc<Tables>>,
    book: Option<Arc<Book>>,
    pub(crate) max_turns: usize,
    pub(crate) sizes: Sizes,
    /// Set when nobody waits for the answer any longer.
    stop: Arc<AtomicBool>,
}

/// A position with what is known about it and about its turns.
#[derive(Clone, Debug)]
pub struct Look {
    /// The position.
    pub position: Position,
    /// The result, if the game is over.
    pub outcome: Option<Outcome>,
    /// For the side to move.
    pub assessment: Assessment,
    /// The turns, best first. `None` if there are more than [`MAX_TURNS`].
    pub turns: Option<Vec<RankedTurn>>,
}

impl Knowledge {
    /// The knowledge about a game. Without tables and certificates, the rules alone are asked.
    /// Certificates are believed: [check](Book::check) those of unknown origin first.
    ///
    /// # Errors
    /// If tables or certificates are of another game.
    pub fn new(
        board: Board,
        rules: RuleSet,
        tables: Option<Arc<Tables>>,
        book: Option<Arc<Book>>,
    ) -> Result<Self> {
        if let Some(tables) = &tables {
            tables.check_game(board, &rules)?;
        }
        if let Some(book) = &book {
            let (found_board, found_rules) = (book.board(), book.rules());
            if (found_board, found_rules) != (board, rules) {
                return Err(KnowledgeError::OtherBook { board, rules, found_board, found_rules });
            }
        }
        Ok(Self { tables, book, ..Self::of_rules(board, rules) })
    }

    /// The knowledge that the rules alone give.
    pub fn of_rules(board: Board, rules: RuleSet) -> Self {
        let (tables, search_tables, book, stop) = (None, None, None, Arc::default());
        let sizes = Sizes { together: 1 << 13, many_turns: 64 };
        Self { board, rules, tables, search_tables, book, max_turns: MAX_TURNS, sizes, stop }
    }

    /// The same; without certificates, with [those of the start](Book::of_start) and of first turns, if
    /// there are any.
    ///
    /// # Errors
    /// If a file is damaged or cannot be read.
    pub fn with_start(self) -> Result<Self> {
        let book = match self.book {
            None => Book::of_start(self.board, &self.rules)?,
            book => book,
        };
        Ok(Self { book, ..self })
    }

    /// The same without certificates, as for a search that is to prove all by itself.
    #[must_use]
    pub fn without_book(self) -> Self {
        Self { book: None, ..self }
    }

    /// The same, but all turns of a position are looked at, however many there are.
    #[must_use]
    pub fn with_all_turns(self) -> Self {
        Self { max_turns: usize::MAX, ..self }
    }

    /// The same, but every question fails with [`KnowledgeError::Stopped`] when this flag is set.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// The same, with other tables of the game for searches, which ask many positions and should not
    /// wait for each.
    ///
    /// # Errors
    /// If they are of another game.
    pub fn with_search_tables(self, tables: Option<Arc<Tables>>) -> Result<Self> {
        if let Some(tables) = &tables {
            tables.check_game(self.board, &self.rules)?;
        }
        Ok(Self { search_tables: tables, ..self })
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The rule set.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The tables, if there are any to look in.
    pub fn tables(&self) -> Option<&Arc<Tables>> {
        self.tables.as_ref()
    }

    /// The tables for searches: the same ones, unless there are [others](Self::with_search_tables).
    pub fn search_tables(&self) -> Option<&Arc<Tables>> {
        self.search_tables.as_ref().or(self.tables.as_ref())
    }

    /// Whether searches have [other tables](Self::with_search_tables). These may know more the next time.
    pub fn has_search_tables(&self) -> bool {
        self.search_tables.is_some()
    }

    /// The certificates, if there are any.
    pub fn book(&self) -> Option<&Arc<Book>> {
        self.book.as_ref()
    }

    /// Asks the rules, the tables and the certificates about a position, without a look at its
    /// turns. Cheaper than [`assess`](Self::assess), which may know more.
    ///
    /// # Errors
    /// If the position is on another board, a file is damaged or cannot be read, or the stop flag is
    /// set.
    pub fn lookup(&self, position: &Position) -> Result<Assessment> {
        self.lookup_by(position, |tables| tables.probe(position))
    }

    /// The same with another way to probe the tables for the position.
    pub(crate) fn lookup_by(
        &self,
        position: &Position,
        probe: impl FnOnce(&Tables) -> std::result::Result<TableValue, TableError>,
    ) -> Result<Assessment> {
        if let Some(found) = self.decided(position, |tables| probe(tables).map(Some))? {
            return Ok(found);
        }
        let Some(book) = &self.book else { return Ok(Assessment::UNKNOWN) };
        let bounds = book.lookup(position, self.tables.as_deref())?;
        Ok(Assessment::new(bounds, Source::Proof))
    }

    /// The least value of the side to move. Cheaper than [`lookup`](Self::lookup): it asks no tables
    /// that lack the position's slice, and of the certificates only those that are about this side,
    /// so it looks at no other positions.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn at_least(&self, position: &Position) -> Result<Value> {
        let decided = self.decided_by_tables(position)?;
        if let Some(value) = decided.and_then(|found| found.value()) {
            return Ok(value);
        }
        let Some(book) = &self.book else { return Ok(Value::Loss) };
        Ok(book.entry(position)?.map_or(Value::Loss, |entry| entry.kind.at_least()))
    }

    /// Checks that the value of each of these turns is known.
    ///
    /// # Errors
    /// [`TableError::Missing`] for the first one whose value is not, if there are tables; others as
    /// for [`lookup`](Self::lookup).
    pub fn check_values(&self, turns: &[RankedTurn]) -> Result<()> {
        let mut unknown = turns.iter().filter(|ranked| ranked.assessment.value().is_none());
        match (unknown.next(), &self.tables) {
            (Some(ranked), Some(tables)) => Ok(tables.probe(&ranked.after).map(drop)?),
            _ => Ok(()),
        }
    }

    /// Whether a position that the rules and the tables do not decide is soon looked up.
    pub(crate) fn is_near(&self, position: &Position) -> Result<bool> {
        let Some(book) = &self.book else { return Ok(true) };
        Ok(self.decided_by_tables(position)?.is_some() || book.is_near(position)?)
    }

    /// The value of a position that the rules or the tables decide.
    pub(crate) fn decided_by_tables(&self, position: &Position) -> Result<Option<Assessment>> {
        self.decided(position, |tables| tables.probe_if_held(position))
    }

    /// The value of a position that the rules or the tables decide, probed in this way.
    fn decided(
        &self,
        position: &Position,
        probe: impl FnOnce(&Tables) -> std::result::Result<Option<TableValue>, TableError>,
    ) -> Result<Option<Assessment>> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(KnowledgeError::Stopped);
        }
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Some(Assessment::of_finished(outcome.value_for(position.to_move()))));
        }
        let Some(tables) = &self.tables else { return Ok(None) };
        match probe(tables) {
            Ok(found) => Ok(found.map(|found| Assessment::exact(found, Source::Table))),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Assesses a position: from the sources, and if these do not have its value or its
    /// distance, from its turns.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn assess(&self, position: &Position) -> Result<Assessment> {
        let own = self.lookup(position)?;
        if own.value().is_some() && !self.may_have_distance(&own) {
            return Ok(own);
        }
        Ok(self.look_from(position, own)?.assessment)
    }

    /// Assesses a position and each of its turns.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn look(&self, position: &Position) -> Result<Look> {
        let own = self.lookup(position)?;
        self.look_from(position, own)
    }

    /// The turns of a position, [best first](Assessment::best_first), but those that have its distance
    /// before all others, and those that give its value away last. Of turns of which the same is known,
    /// the one that a certificate has for the position comes first, because only that one is certain
    /// to make progress; the others are in the generator's order.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup), and [`KnowledgeError::TooManyTurns`] if there are more than
    /// [`MAX_TURNS`].
    pub fn turns(&self, position: &Position) -> Result<Vec<RankedTurn>> {
        self.look(position)?.turns.ok_or(KnowledgeError::TooManyTurns { most: MAX_TURNS })
    }

    fn look_from(&self, position: &Position, own: Assessment) -> Result<Look> {
        let turns = match self.unsorted_turns(position)? {
            None => None,
            Some(mut turns) => {
                for turn in &mut turns {
                    if self.may_have_distance(&turn.assessment) {
                        turn.assessment.dtw = self.distance_by_turns(&turn.after)?;
                    }
                }
                Some(turns)
            }
        };
        self.look_with(position, own, turns)
    }

    /// A look at a position, from what the sources have about it and about its turns.
    pub(crate) fn look_with(
        &self,
        position: &Position,
        own: Assessment,
        mut turns: Option<Vec<RankedTurn>>,
    ) -> Result<Look> {
        let outcome = self.rules.outcome(position);
        let mut assessment = own;
        if let Some(turns) = &mut turns {
            let by_proof = self.turn_of_proof(position, &own)?;
            if let Some((after, proved)) = by_proof {
                for turn in turns.iter_mut().filter(|turn| turn.after == after) {
                    turn.assessment = turn.assessment.narrowed_by(proved);
                }
            }
            let choice = TurnChoice::between(turns.iter().map(|turn| turn.assessment));
            assessment = choice.map_or(own, |choice| own.narrowed_by(choice));
            if let Some((after, _)) = by_proof {
                turns.sort_by_key(|turn| turn.after != after);
            }
            RankedTurn::sort(turns, &assessment);
        }
        Ok(Look { position: *position, outcome, assessment, turns })
    }

    /// The position after the turn that a certificate has for a position, and what it proves of the
    /// turn: also if the tables are missing that it leads to.
    fn turn_of_proof(
        &self,
        position: &Position,
        own: &Assessment,
    ) -> Result<Option<(Position, Assessment)>> {
        let Some(book) = self.book.as_ref().filter(|_| own.source == Some(Source::Proof)) else {
            return Ok(None);
        };
        let Some(entry) = book.entry(position)? else { return Ok(None) };
        let side = position.to_move();
        let mut proved = Bounds::UNKNOWN;
        proved.narrow(Claim { side, kind: entry.kind }, side);
        let after = position.play_unchecked(&entry.turn);
        Ok(Some((after, Assessment::new(proved, Source::Proof))))
    }

    /// The turns, in the generator's order, without what is known about them. `None` if there are
    /// more than `most`.
    pub(crate) fn list_turns(&self, position: &Position, most: usize) -> Option<Vec<RankedTurn>> {
        let mut turns = Vec::new();
        let end = self.rules.try_for_each_turn(position, |turn| {
            if turns.len() == most {
                return ControlFlow::Break(());
            }
            let after = position.play_unchecked(turn);
            turns.push(RankedTurn { turn: turn.clone(), after, assessment: Assessment::UNKNOWN });
            ControlFlow::Continue(())
        });
        end.is_continue().then_some(turns)
    }

    /// The turns with what [`lookup`](Self::lookup) has about the positions after them, in the
    /// generator's order. `None` if there are too many.
    fn unsorted_turns(&self, position: &Position) -> Result<Option<Vec<RankedTurn>>> {
        let Some(mut turns) = self.list_turns(position, self.max_turns) else { return Ok(None) };
        // Different orders of captures lead to the same position. An error ends nothing before all have
        // been asked: their parts of files may have to be fetched, all together.
        let mut seen: HashMap<Position, Result<Assessment>> = HashMap::with_capacity(turns.len());
        for turn in &turns {
            seen.entry(turn.after).or_insert_with(|| self.lookup(&turn.after));
        }
        let seen = seen.into_iter().map(|(after, found)| Ok((after, found?.before_turn())));
        let seen: HashMap<_, _> = seen.collect::<Result<_>>()?;
        for turn in &mut turns {
            turn.assessment = seen[&turn.after];
        }
        Ok(Some(turns))
    }

    /// Whether tables with distances may have the distance of a value one turn later.
    pub(crate) fn may_have_distance(&self, found: &Assessment) -> bool {
        let tables = self.tables.as_ref();
        found.lacks_distance()
            && found.source == Some(Source::Table)
            && tables.is_some_and(|tables| tables.has_distances())
    }

    /// The distance of a turn to this position, from the turns that follow.
    pub(crate) fn distance_by_turns(&self, after: &Position) -> Result<Option<u16>> {
        let turns = self.unsorted_turns(after)?.unwrap_or_default();
        let choice = TurnChoice::between(turns.into_iter().map(|turn| turn.assessment));
        Ok(choice.and_then(|choice| choice.before_turn().dtw))
    }
}

impl Look {
    /// The turns, best first.
    ///
    /// # Errors
    /// [`KnowledgeError::TooManyTurns`] if there are more than [`MAX_TURNS`].
    pub fn turns(&self) -> Result<&[RankedTurn]> {
        self.turns.as_deref().ok_or(KnowledgeError::TooManyTurns { most: MAX_TURNS })
    }

    /// The same with what else was proved of the position, and of turns for the side that makes them.
    #[must_use]
    pub fn narrowed_by(mut self, found: Assessment, turns: &[(Turn, Assessment)]) -> Self {
        self.assessment = self.assessment.narrowed_by(found);
        if let Some(listed) = &mut self.turns {
            RankedTurn::learn(listed, &self.assessment, turns);
        }
        self
    }

    /// The first turn, if it is known to keep what is known of the position.
    pub fn best(&self) -> Option<&RankedTurn> {
        let best = self.turns.as_ref()?.first()?;
        let (position, turn) = (&self.assessment, &best.assessment);
        let is_known = turn.value().is_some() || turn.bounds.at_least > Value::Loss;
        let keeps_value = turn.bounds.at_least >= position.bounds.at_least;
        let keeps_distance = position.dtw.is_none() || turn.dtw == position.dtw;
        (is_known && keeps_value && keeps_distance).then_some(best)
    }
}
