//! Judges the positions of a game by tables, certificates, search and engine.

use std::time::Duration;

use fanorona_core::{Position, Turn, Value};
use fanorona_engine::Game;
use fanorona_knowledge::{Assessment, Knowledge, Source};
use fanorona_proof::Bounds;
use fanorona_solver::Limits;

use super::super::opinion::Adviser;
use super::super::search::Searcher;
use super::super::verdict::estimate_of;
use crate::interrupt;

/// The value of a position, as far as it is known, for the side to move.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub assessment: Assessment,
    /// The turn that is known to be the best, or that the engine would play.
    pub best: Option<Turn>,
    /// The engine's view in hundredths of a stone, and the turns that it looked ahead, if the value is
    /// unknown.
    pub estimate: Option<(i32, u32)>,
}

/// Finds out about positions.
pub(super) struct Judge<'a> {
    pub knowledge: &'a Knowledge,
    pub searcher: Searcher<'a>,
    pub adviser: Adviser,
    /// For each position.
    pub limits: Limits,
    pub time_of_engine: Duration,
}

impl Judge<'_> {
    /// Judges all positions of a game, from the last one to the first: what the search has proved of
    /// later ones helps it with earlier ones. `progress` gets the positions left and the values found.
    /// After Ctrl-C, the others are `None`.
    ///
    /// # Errors
    /// If a table or a certificate cannot be used.
    pub(super) fn all(
        &mut self,
        game: &Game,
        progress: impl Fn(usize, usize),
    ) -> anyhow::Result<Vec<Option<Judged>>> {
        let positions: Vec<_> = game.earlier().iter().chain([game.position()]).collect();
        let mut judged: Vec<Option<Judged>> = vec![None; positions.len()];
        let mut found = 0;
        for (i, position) in positions.iter().enumerate().rev() {
            progress(i + 1, found);
            let after = judged.get(i + 1).and_then(Option::as_ref);
            let played = game.turns().get(i).zip(after);
            let played = played.map(|(turn, after)| (turn, after.assessment.before_turn()));
            let answer = self.one(position, played)?;
            if interrupt::requested() {
                break;
            }
            found += usize::from(answer.assessment.value().is_some());
            judged[i] = Some(answer);
        }
        Ok(judged)
    }

    /// Judges a position; `played` is the turn that was played there, with what is known of it.
    fn one(
        &mut self,
        position: &Position,
        played: Option<(&Turn, Assessment)>,
    ) -> anyhow::Result<Judged> {
        let look = self.knowledge.look(position)?;
        let mut best = look.best().map(|best| best.turn.clone());
        let mut assessment = look.assessment;
        if let Some((turn, of_turn)) = played {
            // The position is worth at least what the turn is worth.
            let at_least = Bounds { at_least: of_turn.bounds.at_least, ..Bounds::UNKNOWN };
            let by_turn = Assessment::new(at_least, of_turn.source.unwrap_or(Source::Search));
            let narrowed = assessment.narrowed_by(by_turn);
            if narrowed.bounds != assessment.bounds {
                best = Some(turn.clone());
            }
            assessment = narrowed;
        }
        if assessment.value().is_some() {
            return Ok(Judged { assessment, best, estimate: None });
        }
        let given = assessment.bounds;
        let analysis = self.searcher.search(position, given, &self.limits, |_| {})?;
        let searched = Assessment::new(analysis.bounds(), Source::Search);
        let narrowed = assessment.narrowed_by(searched);
        if narrowed.bounds.at_least > assessment.bounds.at_least || best.is_none() {
            best = analysis.best.or(best);
        }
        assessment = narrowed;
        if assessment.value().is_some() || interrupt::requested() {
            return Ok(Judged { assessment, best, estimate: None });
        }
        let view = self.adviser.ask(position, self.time_of_engine)?;
        let proved = Assessment { dtw: None, ..view.assessment() };
        assessment = assessment.narrowed_by(proved);
        if best.is_none() || assessment.bounds.at_least == Value::Loss {
            best = view.turn.clone();
        }
        let estimate = estimate_of(view.score).filter(|_| assessment.value().is_none());
        Ok(Judged { assessment, best, estimate: estimate.map(|estimate| (estimate, view.depth)) })
    }
}
