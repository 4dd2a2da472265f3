//! Looking at a position: what is known about it and about each of its turns.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Outcome, Position, Turn};
use fanorona_proof::Bounds;

use crate::library::{MissingTable, Probe, VariantTables};
use crate::problem::{Problem, ProblemKind};
use crate::value::Assessment;
use crate::variant::Variant;

/// The most turns of a position that are looked at and listed. Positions of real games have far
/// fewer; made-up ones can have hundreds of thousands.
pub const MAX_TURNS: usize = 20_000;

/// A turn with what is known about it.
#[derive(Clone, Debug)]
pub struct AssessedTurn {
    /// The turn.
    pub turn: Turn,
    /// The position after it.
    pub after: Position,
    /// For the side that makes the turn.
    pub assessment: Assessment,
}

/// What is known about a position.
#[derive(Clone, Debug)]
pub struct Look {
    /// The position.
    pub position: Position,
    /// The result, if the game is over.
    pub outcome: Option<Outcome>,
    /// For the side to move.
    pub assessment: Assessment,
    /// The turns, best first. `None` if there are more than [`MAX_TURNS`], or if the value was known
    /// without them and they were not asked for.
    pub turns: Option<Vec<AssessedTurn>>,
    /// The table that would hold the position, if the value is unknown because it is missing.
    pub missing: Option<MissingTable>,
}

/// Looks at positions of one variant.
#[derive(Clone, Debug)]
pub struct Looker {
    tables: Arc<VariantTables>,
    /// Set when nobody waits for the answer any longer.
    stop: Arc<AtomicBool>,
}

impl Looker {
    /// Looks by these tables.
    pub fn new(tables: Arc<VariantTables>) -> Self {
        Self { tables, stop: Arc::default() }
    }

    /// The same, but looking fails when this flag is set.
    #[must_use]
    pub fn with_stop(self, stop: Arc<AtomicBool>) -> Self {
        Self { stop, ..self }
    }

    /// The board and the rules.
    pub fn variant(&self) -> Variant {
        self.tables.variant()
    }

    /// The tables.
    pub fn tables(&self) -> &VariantTables {
        &self.tables
    }

    /// What is known about a position without looking at its turns.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read, or the flag is set.
    fn own(&self, position: &Position) -> Result<(Assessment, Option<MissingTable>), Problem> {
        if self.stop.load(Ordering::Relaxed) {
            let message = "nobody waits for the answer";
            return Err(Problem::new(ProblemKind::Timeout, message, "a smaller request"));
        }
        Ok(match self.tables.probe(position)? {
            Probe::Known(found) => (found, None),
            Probe::Missing(table) => (self.tables.look_up(position)?, Some(table)),
        })
    }

    /// What is known about a position: from the rules, the tables and the books, and if these do not
    /// have it, from its turns.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read.
    pub fn assess(&self, position: &Position) -> Result<Look, Problem> {
        let (own, _) = self.own(position)?;
        if own.value().is_some() {
            let outcome = self.variant().rules.outcome(position);
            let (position, assessment) = (*position, own);
            return Ok(Look { position, outcome, assessment, turns: None, missing: None });
        }
        self.with_turns(position)
    }

    /// What is known about a position and about each of its turns.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read.
    pub fn with_turns(&self, position: &Position) -> Result<Look, Problem> {
        let (own, missing) = self.own(position)?;
        let outcome = self.variant().rules.outcome(position);
        let mut turns = self.turns(position)?;
        let mut assessment = own;
        if let Some(turns) = &mut turns {
            let choice = Assessment::of_choice(turns.iter().map(|turn| turn.assessment));
            assessment = choice.map_or(own, |choice| own.narrowed_by(choice));
            // No turn is worth more than the position.
            let most = Bounds { at_most: assessment.bounds.at_most, ..Bounds::UNKNOWN };
            let most = Assessment { bounds: most, dtw: None, source: assessment.source };
            for turn in &mut *turns {
                turn.assessment = turn.assessment.narrowed_by(most);
            }
            turns.sort_by(|a, b| a.assessment.best_first(&b.assessment));
        }
        let missing = missing.filter(|_| assessment.value().is_none());
        Ok(Look { position: *position, outcome, assessment, turns, missing })
    }

    /// The turns with what is known about them, in the generator's order. `None` if there are more
    /// than [`MAX_TURNS`].
    fn turns(&self, position: &Position) -> Result<Option<Vec<AssessedTurn>>, Problem> {
        let mut turns = Vec::new();
        let end = self.variant().rules.try_for_each_turn(position, |turn| {
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
        let mut assessed = Vec::with_capacity(turns.len());
        for turn in turns {
            let after = position.play_unchecked(&turn);
            let assessment = match seen.get(&after) {
                Some(known) => *known,
                None => {
                    let found = self.own(&after)?.0.before_turn();
                    *seen.entry(after).or_insert(found)
                }
            };
            assessed.push(AssessedTurn { turn, after, assessment });
        }
        Ok(Some(assessed))
    }
}

impl Look {
    /// The turns, best first.
    ///
    /// # Errors
    /// If there are more than [`MAX_TURNS`].
    pub fn turns(&self) -> Result<&[AssessedTurn], Problem> {
        self.turns.as_deref().ok_or_else(|| Problem::too_many_turns(MAX_TURNS))
    }

    /// The best turn, if something is known that makes it the best.
    pub fn best(&self) -> Option<&AssessedTurn> {
        let best = self.turns.as_ref()?.first()?;
        let bounds = best.assessment.bounds;
        let is_known = bounds.value().is_some() || bounds.at_least != Bounds::UNKNOWN.at_least;
        is_known.then_some(best)
    }
}
