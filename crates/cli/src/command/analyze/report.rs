//! The answer about a position, as JSON and in parts that its text is made of.

use fanorona_core::{Outcome, Position};
use fanorona_knowledge::{self as knowledge, Assessment, LineEnd, RankedTurn, Source};
use fanorona_proof::Bounds;
use fanorona_solver::{Analysis, End, TurnState};
use serde::Serialize;

use super::certificate::Written;
use super::known::{FromBook, Known, Sources};
use super::line::Line;
use super::questions::{QuestionReport, SearchedTurn};
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

impl SearchReport {
    fn new(position: &Position, now: &fanorona_solver::SearchReport) -> Self {
        Self {
            questions: now.questions.each_ref().map(QuestionReport::new),
            searched: SearchedTurn::list(position, &now.turns),
            nodes_per_second: (now.nodes as f64 / now.elapsed.as_secs_f64().max(1e-9)) as u64,
            table_hits: now.table_hits,
            memory_filled: now.memory_filled,
        }
    }
}

impl Report {
    pub(super) fn new(known: Known, sources: &Sources) -> anyhow::Result<Self> {
        let Known { root, answer, book, source } = known;
        let search = answer.search.as_ref();
        let of_search = search.map(|found| SearchReport::new(&root.position, &found.search));
        let source = match search {
            Some(found) => {
                let searched = how_searched(found, answer.is_proved());
                let by_book = book.as_ref().map(|book| sources.in_words(Some(book)));
                [searched].into_iter().chain(by_book).collect::<Vec<_>>().join(" ")
            }
            None => source,
        };
        let searched = search.map_or_else(Vec::new, |found| found.search.turns.clone());
        let (is_proved, assessment) = (answer.is_proved(), answer.assessment());
        let (nodes, _) = answer.nodes();
        let line = sources.played_out(answer.line)?;
        Ok(Self {
            root,
            outcome: answer.look.outcome,
            assessment,
            proved: is_proved,
            best: answer.best.map(|turn| turn.text(root.board).to_string()),
            line: line.turns.clone(),
            end: is_proved.then_some(line.end),
            turns: answer.look.turns,
            book,
            opinion: None,
            next: Vec::new(),
            nodes,
            seconds: answer.elapsed.as_secs_f64(),
            search: of_search,
            certificate: None,
            not_kept: Vec::new(),
            source,
            line_to_show: line,
            searched,
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
            if let Some(turns) = &mut self.turns {
                RankedTurn::learn(turns, &narrowed, &[]);
            }
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
        let Root { rules, position, .. } = &self.root;
        Line::new(knowledge::Line::found(rules, *position, self.assessment, turns.collect()))
    }
}

/// What a search has done, as a sentence.
fn how_searched(found: &Analysis, is_proved: bool) -> String {
    let how = if is_proved { "Proved by a search of" } else { "Searched" };
    let stopped = if found.end == End::Stopped { ", then stopped" } else { "" };
    let time = duration(found.search.elapsed.as_secs_f64());
    format!("{how} {} positions in {time}{stopped}.", rounded(found.search.nodes))
}
