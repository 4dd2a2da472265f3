//! The level that cannot lose: which turns it may play, by what is known of them.

use std::cmp::Ordering;

use fanorona_core::{Position, Value};
use fanorona_knowledge::{Assessment, Knowledge, KnowledgeError, RankedTurn, Replies, TurnChoice};
use fanorona_proof::ClaimKind;

use crate::error::EngineError;

type Result<T> = std::result::Result<T, EngineError>;

/// Turns that keep what is proved of a position.
pub(crate) struct Kept {
    /// The turns. Not empty.
    pub turns: Vec<RankedTurn>,
    /// The proved value of the position, for the side to move. At least a draw.
    pub facts: Assessment,
}

/// Compares by the share of replies that hold: the least is the hardest for the opponent.
fn by_share(one: Replies, other: Replies) -> Ordering {
    (one.holding * other.all).cmp(&(other.holding * one.all))
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
    let Some(facts) = TurnChoice::between(turns.iter().map(|ranked| ranked.assessment)) else {
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
    if best == Value::Draw {
        turns = hardest(known, turns, Value::Draw, has_occurred)?;
    } else if let Some(book) = known.book() {
        // Only the book's own turns are sure to get ahead in a won position.
        let entry = book.entry(position).map_err(KnowledgeError::from)?;
        let entry = entry.filter(|entry| entry.kind == ClaimKind::Wins);
        let of_book = entry.map(|entry| position.play_unchecked(&entry.turn));
        if turns.iter().any(|ranked| of_book == Some(ranked.after)) {
            turns.retain(|ranked| of_book == Some(ranked.after));
        }
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
    found.sort_by(|(a, one, _), (b, other, _)| a.cmp(b).then(by_share(*one, *other)));
    let (occurred, least) = (found[0].0, found[0].1);
    found.retain(|(o, share, _)| *o == occurred && by_share(*share, least).is_eq());
    Ok(found.into_iter().map(|(.., ranked)| ranked).collect())
}

/// How many of the opponent's turns are not known to make the value better for this side.
fn share(known: &Knowledge, after: &Position, value: Value) -> Result<Replies> {
    let replies = known.rules().successors(after);
    let mut share = Replies { holding: 0, all: replies.len().max(1) };
    for reply in &replies {
        share.holding += usize::from(known.at_least(reply)? <= value);
    }
    Ok(share)
}
