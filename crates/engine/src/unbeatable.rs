//! The level that cannot lose: which turns it may play, by tables and book.

use std::sync::Arc;

use fanorona_core::{Board, Position, RuleSet, Turn, Value};
use fanorona_proof::{Book, Bounds, ClaimKind};
use fanorona_tablebase::Tables;

use crate::error::EngineError;

/// The facts that the unbeatable level plays by.
pub(crate) struct Facts {
    rules: RuleSet,
    book: Option<Arc<Book>>,
    tables: Option<Arc<Tables>>,
}

/// Turns that keep what is proved of a position.
pub(crate) struct Kept {
    /// The turns, to positions that are all different. Not empty.
    pub turns: Vec<(Turn, Position)>,
    /// What is proved of the position, for the side to move. At least a draw.
    pub bounds: Bounds,
}

/// How many of the opponent's turns keep what the opponent has, as far as known.
#[derive(Clone, Copy, Debug)]
struct Share {
    holding: usize,
    turns: usize,
}

impl Share {
    /// For comparing two: the least is the hardest for the opponent.
    fn cmp(self, other: Self) -> std::cmp::Ordering {
        (self.holding * other.turns).cmp(&(other.holding * self.turns))
    }
}

impl Facts {
    /// The facts for a game.
    ///
    /// # Errors
    /// As for [`check`](Self::check).
    pub(crate) fn new(
        rules: RuleSet,
        board: Board,
        tables: Option<Arc<Tables>>,
        book: Option<Arc<Book>>,
    ) -> Result<Self, EngineError> {
        Self::check(rules, board, tables.as_deref(), book.as_deref())?;
        Ok(Self { rules, book, tables })
    }

    /// Whether tables and book are all that the level needs.
    ///
    /// # Errors
    /// If the book is of another game, and if a part is missing: the book, unless tables hold the
    /// start of the game, or tables that the book needs.
    pub(crate) fn check(
        rules: RuleSet,
        board: Board,
        tables: Option<&Tables>,
        book: Option<&Book>,
    ) -> Result<(), EngineError> {
        if let Some(book) = book {
            if (book.board(), book.rules()) != (board, rules) {
                return Err(EngineError::OtherBook {
                    board,
                    rules,
                    found_board: book.board(),
                    found_rules: book.rules(),
                });
            }
            return match book.missing_tables(tables)? {
                Some(missing) => {
                    let dir = tables.map(|tables| tables.dir().to_owned());
                    Err(EngineError::MissingTables { missing, dir })
                }
                None => Ok(()),
            };
        }
        let start = board.start();
        match tables.map(|tables| tables.probe_if_held(&start)).transpose()?.flatten() {
            Some(_) => Ok(()),
            None => Err(EngineError::MissingBook { board, rules }),
        }
    }

    /// What is proved of a position, for the side to move.
    pub(crate) fn bounds(&self, position: &Position) -> Result<Bounds, EngineError> {
        if let Some(book) = &self.book {
            return Ok(book.lookup(position, self.tables.as_deref())?.bounds);
        }
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Bounds::exact(outcome.value_for(position.to_move())));
        }
        let tables = self.tables.as_deref();
        let held = tables.map(|tables| tables.probe_if_held(position)).transpose()?.flatten();
        Ok(held.map_or(Bounds::UNKNOWN, |found| Bounds::exact(found.value)))
    }

    /// The turns that keep what is proved of a position; `None` if nothing is. `turns` are the
    /// turns of the position. `is_over` says that a position ends the game as a draw, because it
    /// has occurred too often; `has_occurred`, that it has occurred.
    pub(crate) fn kept(
        &self,
        position: &Position,
        turns: Vec<(Turn, Position)>,
        is_over: impl Fn(&Position) -> bool,
        has_occurred: impl Fn(&Position) -> bool,
    ) -> Result<Option<Kept>, EngineError> {
        let entry = self.book.as_deref().map(|book| book.entry(position)).transpose()?.flatten();
        let of_book = entry.as_ref().map(|entry| position.play_unchecked(&entry.turn));
        let wins = entry.as_ref().is_some_and(|entry| entry.kind == ClaimKind::Wins);
        let proved = if wins { Value::Win } else { Value::Draw };
        let mut found = Vec::new();
        let mut bounds = Bounds::exact(Value::Loss);
        for (turn, after) in turns {
            let Bounds { at_least, at_most } = self.bounds(&after)?;
            let is_of_book = of_book == Some(after);
            let least = if is_of_book { proved.max(-at_most) } else { -at_most };
            bounds.at_least = bounds.at_least.max(least);
            bounds.at_most = bounds.at_most.max(-at_least);
            // A win by a turn that ends the game as a draw is none.
            let least = if is_over(&after) { least.min(Value::Draw) } else { least };
            found.push((turn, after, least, is_of_book));
        }
        let best = found.iter().map(|(_, _, least, _)| *least).max().unwrap_or(Value::Loss);
        if best == Value::Loss {
            return Ok(None);
        }
        found.retain(|(_, _, least, _)| *least == best);
        // Only the book's own turns are sure to get ahead in a won position.
        if best == Value::Win && wins && found.iter().any(|(.., is_of_book)| *is_of_book) {
            found.retain(|(.., is_of_book)| *is_of_book);
        }
        let turns = found.into_iter().map(|(turn, after, ..)| (turn, after)).collect();
        let turns = if best == Value::Draw {
            self.hardest(turns, Value::Draw, has_occurred)?
        } else {
            turns
        };
        Ok(Some(Kept { turns, bounds }))
    }

    /// Of turns that keep a value, those that leave the opponent the smallest share of turns that
    /// keep the opponent's. Turns to positions that have occurred come last: they get nowhere.
    pub(crate) fn hardest(
        &self,
        turns: Vec<(Turn, Position)>,
        value: Value,
        has_occurred: impl Fn(&Position) -> bool,
    ) -> Result<Vec<(Turn, Position)>, EngineError> {
        if turns.len() < 2 {
            return Ok(turns);
        }
        let mut found = Vec::new();
        for (turn, after) in turns {
            found.push((has_occurred(&after), self.share(&after, value)?, turn, after));
        }
        found.sort_by(|(a, one, ..), (b, other, ..)| a.cmp(b).then(one.cmp(*other)));
        let (occurred, least) = (found[0].0, found[0].1);
        found.retain(|(o, share, ..)| *o == occurred && share.cmp(least).is_eq());
        Ok(found.into_iter().map(|(.., turn, after)| (turn, after)).collect())
    }

    /// How many of the opponent's turns are not known to make the value better for this side.
    fn share(&self, after: &Position, value: Value) -> Result<Share, EngineError> {
        let replies = self.rules.successors(after);
        let mut share = Share { holding: 0, turns: replies.len().max(1) };
        for reply in &replies {
            share.holding += usize::from(self.at_least(reply)? <= value);
        }
        Ok(share)
    }

    /// What the side to move has at least, without a look at its turns.
    fn at_least(&self, position: &Position) -> Result<Value, EngineError> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(outcome.value_for(position.to_move()));
        }
        let tables = self.tables.as_deref();
        let held = tables.map(|tables| tables.probe_if_held(position)).transpose()?.flatten();
        if let Some(held) = held {
            return Ok(held.value);
        }
        let entry = self.book.as_deref().map(|book| book.entry(position)).transpose()?.flatten();
        Ok(entry.map_or(Value::Loss, |entry| match entry.kind {
            ClaimKind::Wins => Value::Win,
            ClaimKind::Holds => Value::Draw,
        }))
    }
}
