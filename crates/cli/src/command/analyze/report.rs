//! The answer about a position, as JSON and in parts that its text is made of.

use fanorona_core::{Outcome, Value};
use fanorona_knowledge::{Assessment, LineEnd, RankedTurn, Source};
use fanorona_proof::Bounds;
use fanorona_solver::{Analysis, End, TurnState};
use serde::Serialize;

use super::certificate::Written;
use super::known::{FromBook, Known, Sources};
use super::line::Line;
use super::questions::{QuestionReport, SearchedTurn, proved};
use super::step::Step;
use super::verdict::estimate_of;
use crate::human::{duration, rounded};
use crate::options::Root;

/// The answer for one position.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub root: Root,
    /// If the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    /// Proved by the sources and the search together.
    #[serde(flatten)]
    pub assessment: Assessment,
    proved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// Best play.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    line: Vec<RankedTurn>,
    /// Why the line ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<LineEnd>,
    /// Best first, with what the sources and the search know of each. `None` if there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Vec<RankedTurn>>,
    /// `None` if the book does not know the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub book: Option<FromBook>,
    #[serde(flatten)]
    pub opinion: Option<Opinion>,
    /// Steps that would tell more, the best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Step>,
    /// The positions searched.
    nodes: u64,
    seconds: f64,
    #[serde(flatten)]
    search: Option<SearchReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Written>,
    /// Messages about what could not be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_kept: Vec<String>,
    /// Where the answer comes from, as sentences.
    #[serde(skip)]
    pub source: String,
    #[serde(skip)]
    pub line_to_show: Line,
    /// The turns of the search, if there was one.
    #[serde(skip)]
    pub searched: Vec<TurnState>,
}

/// The view of the engine, where the value is unknown.
#[derive(Serialize)]
pub(super) struct Opinion {
    /// 100 × the natural logarithm of the odds of winning, for the side to move.
    pub estimate: i32,
    /// The turns that it looked ahead.
    pub estimate_depth: u32,
    /// The turn that it would play.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate_turn: Option<String>,
}

/// The fields that only a search has.
#[derive(Serialize)]
struct SearchReport {
    questions: [QuestionReport; 2],
    /// The questions after each turn, if the position was searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched: Vec<SearchedTurn>,
    nodes_per_second: u64,
    table_hits: u64,
    memory_filled: f64,
}

impl Report {
    /// The answer without a search.
    pub(super) fn known(known: Known) -> Self {
        let is_answer = known.is_answer();
        let Known { root, assessment, best, line, turns, book, source, seconds } = known;
        Self {
            root,
            outcome: root.rules.outcome(&root.position),
            assessment,
            proved: is_answer,
            best,
            line: line.turns.clone(),
            end: is_answer.then_some(line.end),
            turns,
            book,
            opinion: None,
            next: Vec::new(),
            nodes: 0,
            seconds,
            search: None,
            certificate: None,
            not_kept: Vec::new(),
            source,
            line_to_show: line,
            searched: Vec::new(),
        }
    }

    /// The answer of a search, together with what was known before.
    pub(super) fn searched(
        known: Known,
        sources: &Sources,
        analysis: &Analysis,
    ) -> anyhow::Result<Self> {
        let search = &analysis.search;
        let by_book = known.book.as_ref().map(|book| sources.in_words(Some(book)));
        let before = Self::known(known);
        let position = before.root.position;
        let found = Assessment::new(search.bounds, Source::Search);
        let assessment = before.assessment.narrowed_by(found);
        let by_search = analysis.best.as_ref().map(|turn| turn.text(position.board()).to_string());
        let at_least = before.assessment.bounds.at_least;
        // The turn of the better proof; the one known before if they prove the same.
        let best = match at_least >= search.bounds.at_least && at_least > Value::Loss {
            true => before.best.or(by_search),
            false => by_search.or(before.best),
        };
        let seconds = search.elapsed.as_secs_f64();
        let of_search = SearchReport {
            questions: search.questions.each_ref().map(QuestionReport::new),
            searched: SearchedTurn::list(&position, &search.turns),
            nodes_per_second: (search.nodes as f64 / seconds.max(1e-9)) as u64,
            table_hits: search.table_hits,
            memory_filled: search.memory_filled,
        };
        let line = match before.line.is_empty() {
            true => sources.line(&position, &analysis.line)?,
            false => before.line_to_show,
        };
        let is_answer = assessment.value().is_some();
        let how = match is_answer {
            true => "Proved by a search of",
            false => "Searched",
        };
        let stopped = if analysis.end == End::Stopped { ", then stopped" } else { "" };
        let (nodes, time) = (rounded(search.nodes), duration(seconds));
        let mut source = format!("{how} {nodes} positions in {time}{stopped}.");
        if let Some(book) = by_book {
            source = format!("{source} {book}");
        }
        Ok(Self {
            assessment,
            proved: is_answer,
            best,
            line: line.turns.clone(),
            end: is_answer.then_some(line.end),
            turns: before.turns.map(|turns| with_search(turns, &search.turns, &assessment)),
            nodes: search.nodes,
            seconds,
            search: Some(of_search),
            source,
            line_to_show: line,
            searched: search.turns.clone(),
            ..before
        })
    }

    /// Adds the view of the engine. If it has followed a win or a loss to its end, that is the value.
    pub(super) fn add_opinion(&mut self, found: &fanorona_engine::Analysis) {
        let board = self.root.board;
        let turn = || found.turn.as_ref().map(|turn| turn.text(board).to_string());
        let proved = Assessment { dtw: None, ..found.assessment() };
        let narrowed = self.assessment.narrowed_by(proved);
        if narrowed.value().is_some() {
            self.assessment = narrowed;
            self.proved = true;
            self.best = turn().or(self.best.take());
            self.source += " Proved by the engine, which has followed all lines to their ends.";
            self.turns = self.turns.take().map(|turns| with_search(turns, &[], &narrowed));
            self.line_to_show = self.line_of(found);
            self.line.clone_from(&self.line_to_show.turns);
            self.end = Some(self.line_to_show.end);
            return;
        }
        self.opinion = estimate_of(found.score).map(|estimate| Opinion {
            estimate,
            estimate_depth: found.depth,
            estimate_turn: turn(),
        });
    }

    /// The line that the engine expects, in a position of which it has proved the value.
    fn line_of(&self, found: &fanorona_engine::Analysis) -> Line {
        let (mut position, mut found_value) = (self.root.position, self.assessment.value());
        let turns = found.line.iter().map(|turn| {
            position = position.play_unchecked(turn);
            let value = found_value.map_or(Bounds::UNKNOWN, Bounds::exact);
            found_value = found_value.map(std::ops::Neg::neg);
            let assessment = Assessment::new(value, Source::Search);
            RankedTurn { turn: turn.clone(), after: position, assessment }
        });
        Line::found(&self.root.rules, &self.root.position, turns.collect())
    }
}

/// The turns with what a search has proved of them and of the position, best first.
fn with_search(
    mut turns: Vec<RankedTurn>,
    searched: &[TurnState],
    position: &Assessment,
) -> Vec<RankedTurn> {
    let proved: Vec<_> = searched.iter().map(|state| (state.turn.clone(), proved(state))).collect();
    RankedTurn::learn(&mut turns, position, &proved);
    turns
}
