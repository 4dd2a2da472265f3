//! The search as a guide for certificates.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use fanorona_core::{Position, RuleSet, Turn, Value};
use fanorona_tablebase::Tables;

use crate::certificate::{Claim, Guide};
use crate::search::Search;
use crate::{Limits, SolverError};

/// Finds each turn by a search of its own. It searches without a limit, so it is for claims that a
/// search has proved.
#[derive(Debug)]
pub struct SearchGuide<'a> {
    rules: RuleSet,
    tables: Option<&'a Tables>,
    claim: Claim,
    stop: &'a AtomicBool,
}

impl<'a> SearchGuide<'a> {
    /// A guide for a claim.
    pub fn new(
        rules: &RuleSet,
        tables: Option<&'a Tables>,
        claim: Claim,
        stop: &'a AtomicBool,
    ) -> Self {
        Self { rules: *rules, tables, claim, stop }
    }
}

impl Guide for SearchGuide<'_> {
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, SolverError> {
        let goal = if self.claim.wins { Value::Win } else { Value::Draw };
        let limits = Limits::default();
        // What another search remembers may be true for reasons that come back to this position.
        let search = Search::new(&self.rules, self.tables, &limits, self.stop, Instant::now())?;
        let turn = search.turn(position, goal)?;
        if turn.is_none() && self.stop.load(Ordering::Relaxed) {
            return Err(SolverError::Stopped);
        }
        Ok(turn)
    }
}
