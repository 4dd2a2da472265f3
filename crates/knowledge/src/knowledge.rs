//! Asking the sources about a position.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::{Board, Outcome, Position, RuleSet, Value};
use fanorona_proof::{Book, Bounds};
use fanorona_tablebase::{TableError, Tables};

use crate::assessment::{Assessment, Source};
use crate::choice::Choice;
use crate::error::KnowledgeError;
use crate::turn::RankedTurn;

pub(crate) type Result<T> = std::result::Result<T, KnowledgeError>;

/// The most turns of a position that are looked at. Positions of real games have far fewer; made-up
/// ones can have hundreds of thousands.
pub const MAX_TURNS: usize = 20_000;

/// The rules, the tables and the certificates of one game, asked together.
///
/// Cheap to clone: clones share tables and certificates. Threads can share it.
#[derive(Clone, Debug)]
pub struct Knowledge {
    board: Board,
    rules: RuleSet,
    tables: Option<Arc<Tables>>,
    book: Option<Arc<Book>>,
    probes: Arc<AtomicU64>,
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

    /// What the rules alone say about a game.
    pub fn of_rules(board: Board, rules: RuleSet) -> Self {
        let (probes, stop) = Default::default();
        Self { board, rules, tables: None, book: None, probes, stop }
    }

    /// The same, but every question fails with [`KnowledgeError::Stopped`] when this flag is set.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// The same, with this counter of the positions that are looked up in tables.
    #[must_use]
    pub fn with_counter(self, probes: Arc<AtomicU64>) -> Self {
        Self { probes, ..self }
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

    /// The certificates, if there are any.
    pub fn book(&self) -> Option<&Arc<Book>> {
        self.book.as_ref()
    }

    /// What the rules, the tables or the certificates have about a position, without a look at its
    /// turns. Cheaper than [`assess`](Self::assess), which may know more.
    ///
    /// # Errors
    /// If the position is on another board, a file is damaged or cannot be read, or the stop flag is
    /// set.
    pub fn lookup(&self, position: &Position) -> Result<Assessment> {
        if let Some(found) = self.decided(position)? {
            return Ok(found);
        }
        let Some(book) = &self.book else { return Ok(Assessment::UNKNOWN) };
        let found = book.lookup(position, self.tables.as_deref())?;
        Ok(Assessment::new(found.bounds, Source::Proof))
    }

    /// What the side to move has at least. Cheaper than [`lookup`](Self::lookup): of the certificates
    /// it asks only those that are about this side, so it does not look at other positions.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn at_least(&self, position: &Position) -> Result<Value> {
        if let Some(value) = self.decided(position)?.and_then(|found| found.value()) {
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

    /// The value of a position that the rules or the tables decide.
    fn decided(&self, position: &Position) -> Result<Option<Assessment>> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(KnowledgeError::Stopped);
        }
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Some(Assessment::of_finished(outcome.value_for(position.to_move()))));
        }
        let Some(tables) = &self.tables else { return Ok(None) };
        self.probes.fetch_add(1, Ordering::Relaxed);
        match tables.probe(position) {
            Ok(found) => Ok(Some(Assessment::exact(found, Source::Table))),
            Err(TableError::Missing { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// What is known about a position: from the sources, and if these do not have its value or its
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

    /// What is known about a position and about each of its turns.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn look(&self, position: &Position) -> Result<Look> {
        let own = self.lookup(position)?;
        self.look_from(position, own)
    }

    /// The turns of a position, [best first](Assessment::best_first). Turns of which the same is
    /// known are in the generator's order.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup), and [`KnowledgeError::TooManyTurns`] if there are more than
    /// [`MAX_TURNS`].
    pub fn turns(&self, position: &Position) -> Result<Vec<RankedTurn>> {
        self.look(position)?.turns.ok_or(KnowledgeError::TooManyTurns { most: MAX_TURNS })
    }

    fn look_from(&self, position: &Position, own: Assessment) -> Result<Look> {
        let outcome = self.rules.outcome(position);
        let mut turns = self.unsorted_turns(position)?;
        let mut assessment = own;
        if let Some(turns) = &mut turns {
            for turn in &mut *turns {
                if self.may_have_distance(&turn.assessment) {
                    turn.assessment.dtw = self.distance_by_turns(&turn.after)?;
                }
            }
            let choice = Choice::between(turns.iter().map(|turn| turn.assessment));
            assessment = choice.map_or(own, |choice| own.narrowed_by(choice));
            // No turn is worth more than the position.
            let most = Bounds { at_most: assessment.bounds.at_most, ..Bounds::UNKNOWN };
            let most = Assessment { bounds: most, dtw: None, source: assessment.source };
            for turn in &mut *turns {
                turn.assessment = turn.assessment.narrowed_by(most);
            }
            turns.sort_by(|a, b| a.assessment.best_first(&b.assessment));
        }
        Ok(Look { position: *position, outcome, assessment, turns })
    }

    /// The turns with what [`lookup`](Self::lookup) has about the positions after them, in the
    /// generator's order. `None` if there are more than [`MAX_TURNS`].
    fn unsorted_turns(&self, position: &Position) -> Result<Option<Vec<RankedTurn>>> {
        let mut turns = Vec::new();
        let end = self.rules.try_for_each_turn(position, |turn| {
            if turns.len() == MAX_TURNS {
                return ControlFlow::Break(());
            }
            turns.push(turn.clone());
            ControlFlow::Continue(())
        });
        if end.is_break() {
            return Ok(None);
        }
        // Different orders of captures lead to the same position.
        let mut seen: HashMap<Position, Assessment> = HashMap::with_capacity(turns.len());
        let mut ranked = Vec::with_capacity(turns.len());
        for turn in turns {
            let after = position.play_unchecked(&turn);
            let assessment = match seen.get(&after) {
                Some(known) => *known,
                None => {
                    let found = self.lookup(&after)?.before_turn();
                    *seen.entry(after).or_insert(found)
                }
            };
            ranked.push(RankedTurn { turn, after, assessment });
        }
        Ok(Some(ranked))
    }

    /// Whether tables with distances may have the distance of a value one turn later.
    fn may_have_distance(&self, found: &Assessment) -> bool {
        let tables = self.tables.as_ref();
        found.lacks_distance()
            && found.source == Some(Source::Table)
            && tables.is_some_and(|tables| tables.has_distances())
    }

    /// The distance of a turn to this position, from the turns that follow.
    fn distance_by_turns(&self, after: &Position) -> Result<Option<u16>> {
        let turns = self.unsorted_turns(after)?.unwrap_or_default();
        let choice = Choice::between(turns.into_iter().map(|turn| turn.assessment));
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

    /// The best turn, if something is known that makes it the best.
    pub fn best(&self) -> Option<&RankedTurn> {
        let best = self.turns.as_ref()?.first()?;
        let bounds = best.assessment.bounds;
        let is_known = bounds.value().is_some() || bounds.at_least != Bounds::UNKNOWN.at_least;
        is_known.then_some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn book(name: &str) -> Arc<Book> {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs");
        Arc::new(Book::open([format!("{dir}/{name}.proof")]).expect("it is kept"))
    }

    #[test]
    fn sources_of_another_game_are_refused() {
        let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
        let book = book("5x5-standard");
        let dir = tempfile::tempdir().expect("a directory");
        let tables = Arc::new(Tables::open(dir.path(), board, rules).expect("a directory"));
        for (board, rules) in [(Board::telo(), rules), (board, RuleSet::FREE_CAPTURE)] {
            let error = Knowledge::new(board, rules, None, Some(book.clone())).unwrap_err();
            assert!(error.to_string().contains("are about 5x5 under standard, not"), "{error}");
            let error = Knowledge::new(board, rules, Some(tables.clone()), None).unwrap_err();
            assert!(error.to_string().contains("are of 5x5 under standard, not of"), "{error}");
        }
        assert!(Knowledge::new(board, rules, Some(tables), Some(book)).is_ok());
    }

    #[test]
    fn the_cheap_lower_bound_is_that_of_a_lookup() {
        for name in ["3x5-standard", "5x3-free-capture"] {
            let book = book(name);
            let (board, rules) = (book.board(), book.rules());
            let known = Knowledge::new(board, rules, None, Some(book)).expect("it is the game");
            let mut found = [0; 3];
            let mut level = vec![board.start()];
            for _ in 0..3 {
                level = level.iter().flat_map(|position| rules.successors(position)).collect();
                for position in &level {
                    let least = known.at_least(position).expect("it can be read");
                    let looked = known.lookup(position).expect("it can be read");
                    // A loss is no bound, and a lookup knows losses of the other side.
                    assert_eq!(least, looked.bounds.at_least, "{position}");
                    found[least as usize] += 1;
                }
            }
            assert!(found.iter().filter(|found| **found > 0).count() > 1, "{name} {found:?}");
        }
    }
}
