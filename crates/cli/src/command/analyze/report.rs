//! The answer, as JSON and as text.

use fanorona_core::Value;
use fanorona_knowledge::{Assessment, RankedTurn, Source};
use fanorona_solver::{Analysis, End};
use serde::Serialize;

use super::certificate::Written;
use super::known::{FromBook, Known, Sources};
use super::questions::{QuestionReport, SearchedTurn, in_full};
use crate::command::known::turn_table;
use crate::human::{counted, duration, grouped, listed};
use crate::options::Root;

/// The answer for one position.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    root: Root,
    /// Proved by the sources and the search together.
    #[serde(flatten)]
    assessment: Assessment,
    proved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    /// Best play.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    line: Vec<RankedTurn>,
    /// Best first, if the value is known without a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<RankedTurn>>,
    /// `None` if the book does not know the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<FromBook>,
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
    /// Where the value comes from if it is known without a search.
    #[serde(skip)]
    source: Option<String>,
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
        let source = known.is_answer().then(|| known.source());
        let Known { root, assessment, best, line, turns, book, seconds } = known;
        Self {
            root,
            assessment,
            proved: assessment.value().is_some(),
            best,
            line,
            turns: turns.filter(|_| source.is_some()),
            book,
            nodes: 0,
            seconds,
            search: None,
            certificate: None,
            not_kept: Vec::new(),
            source,
        }
    }

    /// The answer of a search, together with what was known before.
    pub(super) fn searched(
        known: Known,
        sources: &Sources,
        analysis: &Analysis,
    ) -> anyhow::Result<Self> {
        let search = &analysis.search;
        let before = Self::known(known);
        let position = &before.root.position;
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
            searched: SearchedTurn::list(position, &search.turns),
            nodes_per_second: (search.nodes as f64 / seconds.max(1e-9)) as u64,
            table_hits: search.table_hits,
            memory_filled: search.memory_filled,
        };
        let line = match before.line.is_empty() {
            true => sources.line(&analysis.line)?,
            false => before.line,
        };
        Ok(Self {
            assessment,
            proved: assessment.value().is_some(),
            best,
            line,
            nodes: search.nodes,
            seconds,
            search: Some(of_search),
            ..before
        })
    }

    /// The answer as text; `analysis` is the search that the report was made from.
    pub(super) fn describe(&self, analysis: Option<&Analysis>) -> String {
        let mut text = format!("{}: {}", self.root.position, self.assessment);
        if let Some(best) = &self.best {
            text += &format!("\nbest turn: {best}");
        }
        if !self.line.is_empty() {
            let turns = self.line.iter().map(|RankedTurn { turn, after, assessment }| {
                let value = Assessment { dtw: None, ..*assessment };
                format!("{} {value}", turn.text(after.board()))
            });
            text += &format!("\n{}", listed("best play:", turns));
        }
        if let Some(source) = &self.source {
            text += &format!("\n{source}");
            return match &self.turns {
                Some(turns) if turns.is_empty() => text,
                Some(turns) => text + &format!("\n\n{}", turn_table(turns)),
                None => text + "\ntoo many turns to list them",
            };
        }
        if let Some(book) = &self.book {
            text += &format!("\n{}", book.in_words());
        }
        match analysis {
            Some(analysis) => text + &self.describe_search(analysis),
            None => text,
        }
    }

    pub(super) fn assessment(&self) -> &Assessment {
        &self.assessment
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
        let search = &analysis.search;
        if analysis.end != End::Proved {
            text += &format!("\n{}", search.questions.each_ref().map(in_full).join(" "));
        }
        let (nodes, hits) = (counted(search.nodes, "position"), grouped(search.table_hits));
        text += &format!("\n{how}; {nodes}, {hits} from tables, {}", duration(self.seconds));
        if analysis.end != End::Proved && !search.turns.is_empty() {
            text += &format!("\n\n{}", SearchedTurn::table(&self.root.position, &search.turns));
        }
        text
    }
}
