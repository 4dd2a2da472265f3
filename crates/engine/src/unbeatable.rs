//! The level that cannot lose: which turns it may play, by what is known of them.

use std::cmp::Ordering;

use fanorona_core::{Position, Value};
use fanorona_knowledge::{Assessment, Choice, Knowledge, KnowledgeError, RankedTurn, Source};
use fanorona_proof::{Bounds, ClaimKind};

use crate::error::EngineError;

type Result<T> = std::result::Result<T, EngineError>;

/// Turns that keep what is proved of a position.
pub(crate) struct Kept {
    /// The turns. Not empty.
    pub turns: Vec<RankedTurn>,
    /// What is proved of the position, for the side to move. At least a draw.
    pub facts: Assessment,
}

/// How many of the opponent's turns keep what the opponent has, as far as known.
#[derive(Clone, Copy, Debug)]
struct Share {
    holding: usize,
    turns: usize,
}

impl Share {
    /// For comparing two: the least is the hardest for the opponent.
    fn cmp(self, other: Self) -> Ordering {
        (self.holding * other.turns).cmp(&(other.holding * self.turns))
    }
}

/// Checks that the level has all that it needs.
///
/// # Errors
/// If a part is missing: the book, unless tables hold the start of the game, or tables that the book
/// needs.
pub(crate) fn check(known: &Knowledge) -> Result<()> {
    let (board, rules) = (known.board(), known.rules());
    if let Some(book) = known.book() {
        let missing = book.missing_tables(known.tables().map(AsRef::as_ref));
        return match missing.map_err(KnowledgeError::from)? {
            Some(missing) => {
                let dir = known.tables().map(|tables| tables.dir().to_owned());
                Err(EngineError::MissingTables { missing, dir })
            }
            None => Ok(()),
        };
    }
    match known.lookup(&board.start())?.value() {
        Some(_) => Ok(()),
        None => Err(EngineError::MissingBook { board, rules }),
    }
}

/// Of turns of a position, those that keep what is proved of it; `None` if nothing is. `is_over`
/// says that a position ends the game as a draw, because it has occurred too often; `has_occurred`,
/// that it has occurred.
pub(crate) fn kept(
    known: &Knowledge,
    position: &Position,
    mut turns: Vec<RankedTurn>,
    is_over: impl Fn(&Position) -> bool,
    has_occurred: impl Fn(&Position) -> bool,
) -> Result<Option<Kept>> {
    let entry = known.book().map(|book| book.entry(position)).transpose();
    let entry = entry.map_err(KnowledgeError::from)?.flatten();
    let of_book = entry.as_ref().map(|entry| position.play_unchecked(&entry.turn));
    let is_of_book = |ranked: &RankedTurn| of_book == Some(ranked.after);
    let wins = entry.as_ref().is_some_and(|entry| entry.kind == ClaimKind::Wins);
    if let Some(entry) = entry {
        // If there are more turns than can be looked at, this one will do.
        if turns.is_empty() {
            let after = position.play_unchecked(&entry.turn);
            turns.push(RankedTurn { turn: entry.turn, after, assessment: Assessment::UNKNOWN });
        }
        let bounds = Bounds { at_least: entry.kind.at_least(), ..Bounds::UNKNOWN };
        let proved = Assessment::new(bounds, Source::Proof);
        for ranked in turns.iter_mut().filter(|ranked| is_of_book(ranked)) {
            ranked.assessment = ranked.assessment.narrowed_by(proved);
        }
    }
    let Some(facts) = Choice::between(turns.iter().map(|ranked| ranked.assessment)) else {
        return Ok(None);
    };
    // A win by a turn that ends the game as a draw is none.
    let at_least = |ranked: &RankedTurn| {
        let least = ranked.assessment.bounds.at_least;
        if is_over(&ranked.after) { least.min(Value::Draw) } else { least }
    };
    let best = turns.iter().map(at_least).max().unwrap_or(Value::Loss);
    if best == Value::Loss {
        return Ok(None);
    }
    turns.retain(|ranked| at_least(ranked) == best);
    // Only the book's own turns are sure to get ahead in a won position.
    if best == Value::Win && wins && turns.iter().any(is_of_book) {
        turns.retain(is_of_book);
    }
    if best == Value::Draw {
        turns = hardest(known, turns, Value::Draw, has_occurred)?;
    }
    Ok(Some(Kept { turns, facts }))
}

/// Of turns that keep a value, those that leave the opponent the smallest share of turns that keep
/// the opponent's. Turns to positions that have occurred come last: they get nowhere.
pub(crate) fn hardest(
    known: &Knowledge,
    turns: Vec<RankedTurn>,
    value: Value,
    has_occurred: impl Fn(&Position) -> bool,
) -> Result<Vec<RankedTurn>> {
    if turns.len() < 2 {
        return Ok(turns);
    }
    let mut found = Vec::new();
    for ranked in turns {
        let share = share(known, &ranked.after, value)?;
        found.push((has_occurred(&ranked.after), share, ranked));
    }
    found.sort_by(|(a, one, _), (b, other, _)| a.cmp(b).then(one.cmp(*other)));
    let (occurred, least) = (found[0].0, found[0].1);
    found.retain(|(o, share, _)| *o == occurred && share.cmp(least).is_eq());
    Ok(found.into_iter().map(|(.., ranked)| ranked).collect())
}

/// How many of the opponent's turns are not known to make the value better for this side.
fn share(known: &Knowledge, after: &Position, value: Value) -> Result<Share> {
    let replies = known.rules().successors(after);
    let mut share = Share { holding: 0, turns: replies.len().max(1) };
    for reply in &replies {
        share.holding += usize::from(known.at_least(reply)? <= value);
    }
    Ok(share)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fanorona_knowledge::Book;

    use super::*;

    #[test]
    fn the_turn_of_the_book_is_enough() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/3x5-standard.proof");
        let book = Arc::new(Book::open([path]).expect("it is kept"));
        let (board, rules) = (book.board(), book.rules());
        let known = Knowledge::new(board, rules, None, Some(book)).expect("it is the game");
        let start = board.start();
        let all = known.turns(&start).expect("they can be looked up");
        let of_book = known.lookup(&start).expect("it can be looked up");
        for turns in [all, Vec::new()] {
            let kept = kept(&known, &start, turns, |_| false, |_| false).expect("no file fails");
            let kept = kept.expect("White wins");
            assert_eq!((kept.turns.len(), kept.facts.bounds), (1, of_book.bounds));
            let after = known.lookup(&kept.turns[0].after).expect("it can be looked up");
            assert_eq!(after.value(), Some(Value::Loss));
        }
    }
}
