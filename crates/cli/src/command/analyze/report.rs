//! The answer, as JSON and as text.

use fanorona_core::{Position, Value};
use fanorona_solver::{Analysis, End, LineTurn};
use serde::Serialize;

use super::book::FromBook;
use super::certificate::Written;
use super::questions::{QuestionReport, SearchedTurn, in_full};
use crate::command::bounds::BoundsReport;
use crate::command::probe::{TurnReport, in_words};
use crate::human::{counted, duration, grouped, listed};
use crate::output::AsText;

/// The answer for one position.
#[derive(Serialize)]
pub(super) struct Report {
    position: Position,
    /// What the search and the book prove together.
    #[serde(flatten)]
    bounds: BoundsReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtw: Option<u16>,
    proved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    /// Best play, with the value of each turn for its mover.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    line: Vec<LineReport>,
    questions: [QuestionReport; 2],
    /// The questions after each turn, if the position was searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched: Vec<SearchedTurn>,
    nodes: u64,
    nodes_per_second: u64,
    table_hits: u64,
    memory_filled: f64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<TurnReport>>,
    /// What the book proves, if it knows the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<FromBook>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Written>,
    /// Messages about what could not be written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_kept: Vec<String>,
}

#[derive(Serialize)]
struct LineReport {
    turn: String,
    value: AsText<Value>,
}

impl Report {
    pub(super) fn new(position: &Position, analysis: &Analysis, book: Option<FromBook>) -> Self {
        let search = &analysis.search;
        let bounds = book.as_ref().map_or(search.bounds, |book| book.narrowed(search.bounds));
        let by_search = analysis.best.as_ref().map(|turn| turn.text(position.board()).to_string());
        let by_book = book.as_ref().and_then(FromBook::best);
        // The turn of the better proof; the book's if they prove the same.
        let best = match &book {
            Some(book) if book.proves_more(search.bounds) => by_book.or(by_search),
            _ => by_search.or(by_book),
        };
        let seconds = search.elapsed.as_secs_f64();
        let ranking = analysis.ranking.as_ref();
        Self {
            position: *position,
            bounds: bounds.into(),
            dtw: analysis.dtw,
            proved: bounds.value().is_some(),
            best,
            line: line(position, &analysis.line),
            questions: search.questions.each_ref().map(QuestionReport::new),
            searched: SearchedTurn::list(position, &search.turns),
            nodes: search.nodes,
            nodes_per_second: (search.nodes as f64 / seconds.max(1e-9)) as u64,
            table_hits: search.table_hits,
            memory_filled: search.memory_filled,
            seconds,
            turns: ranking.map(|ranking| TurnReport::list(position, ranking)),
            book,
            certificate: None,
            not_kept: Vec::new(),
        }
    }

    /// The answer as text; `analysis` is what the report was made from.
    pub(super) fn describe(&self, analysis: &Analysis) -> String {
        let mut text = format!("{}: {}", self.position, self.value_in_words());
        if let Some(best) = &self.best {
            text += &format!("\nbest turn: {best}");
        }
        if !self.line.is_empty() {
            let turns = self.line.iter().map(|turn| format!("{} {}", turn.turn, turn.value.0));
            text += &format!("\n{}", listed("best play:", turns));
        }
        if let Some(book) = &self.book {
            text += &format!("\n{}", book.source());
        }
        match &self.turns {
            Some(turns) if turns.is_empty() => text + "\nfrom tables",
            Some(turns) => text + &format!("\nfrom tables\n\n{}", TurnReport::table(turns)),
            None => text + &self.describe_search(analysis),
        }
    }

    /// The value, or the bounds that are proved.
    pub(super) fn value_in_words(&self) -> String {
        let bounds = self.bounds.in_words();
        match self.bounds.value() {
            Some(value) => in_words(value, self.dtw),
            None if bounds == "unknown" => bounds,
            None => format!("unknown, {bounds}"),
        }
    }

    /// How the search ended, and its questions if they are open.
    fn describe_search(&self, analysis: &Analysis) -> String {
        let mut text = String::new();
        let how = match analysis.end {
            End::Proved => "proved",
            End::Nodes => "stopped at the limit of --nodes",
            End::Time => "stopped at the limit of --time",
            _ => "stopped",
        };
        if analysis.end != End::Proved {
            let questions = analysis.search.questions.each_ref().map(in_full);
            text += &format!("\n{}", questions.join(" "));
        }
        let Self { nodes, table_hits, seconds, .. } = self;
        let (nodes, hits) = (counted(nodes, "position"), grouped(table_hits));
        text += &format!("\n{how}; {nodes}, {hits} from tables, {}", duration(*seconds));
        if analysis.end != End::Proved && !analysis.search.turns.is_empty() {
            text += &format!("\n\n{}", SearchedTurn::table(&self.position, &analysis.search.turns));
        }
        text
    }
}

fn line(position: &Position, turns: &[LineTurn]) -> Vec<LineReport> {
    let before = [position].into_iter().chain(turns.iter().map(|turn| &turn.after));
    let report = |(before, turn): (&Position, &LineTurn)| LineReport {
        turn: turn.turn.text(before.board()).to_string(),
        value: AsText(turn.value),
    };
    before.zip(turns).map(report).collect()
}
