//! The JSON form of answers.

use fanorona_core::{Board, Outcome, Position, RuleSet, Turn};
use fanorona_knowledge::{Assessment, CertificateFact, LineEnd, RankedTurn, Tried};
use fanorona_solver::{QuestionState, SearchReport, TurnState};
use serde::{Serialize, Serializer};

use super::answer::{Answer, Estimate, Help};

#[derive(Serialize)]
struct Form<'a> {
    board: Board,
    rules: RuleSet,
    position: Position,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(flatten)]
    assessment: Assessment,
    proved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    line: &'a [RankedTurn],
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<LineEnd>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<&'a [RankedTurn]>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tried: &'a [Tried],
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<&'a CertificateFact>,
    #[serde(flatten)]
    estimate: Option<Estimate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate_turn: Option<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    next: &'a [Help],
    nodes: u64,
    seconds: f64,
    #[serde(flatten)]
    search: Option<Search<'a>>,
}

/// The fields that only a search has.
#[derive(Serialize)]
struct Search<'a> {
    questions: &'a [QuestionState; 2],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched: Vec<SearchedTurn<'a>>,
    nodes_per_second: u64,
    table_hits: u64,
    memory_filled: f64,
}

#[derive(Serialize)]
struct SearchedTurn<'a> {
    turn: String,
    questions: [SearchedQuestion<'a>; 2],
}

#[derive(Serialize)]
struct SearchedQuestion<'a> {
    #[serde(flatten)]
    state: &'a QuestionState,
    nodes: u64,
}

impl<'a> Search<'a> {
    fn new(board: Board, now: &'a SearchReport) -> Self {
        let turn = |state: &'a TurnState| SearchedTurn {
            turn: state.turn.text(board).to_string(),
            questions: [0, 1]
                .map(|i| SearchedQuestion { state: &state.questions[i], nodes: state.nodes[i] }),
        };
        Self {
            questions: &now.questions,
            searched: now.turns.iter().map(turn).collect(),
            nodes_per_second: (now.nodes as f64 / now.elapsed.as_secs_f64().max(1e-9)) as u64,
            table_hits: now.table_hits,
            memory_filled: now.memory_filled,
        }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let position = self.look.position;
        let board = position.board();
        let text = |turn: &Turn| turn.text(board).to_string();
        let is_open = !self.is_proved();
        Form {
            board,
            rules: self.rules,
            position,
            outcome: self.look.outcome,
            assessment: self.assessment(),
            proved: !is_open,
            best: self.best.as_ref().map(text),
            line: &self.line.line,
            end: (!is_open).then_some(self.line.end),
            turns: self.look.turns.as_deref(),
            tried: &self.tried,
            book: self.certified.as_ref(),
            estimate: self.estimate,
            estimate_turn: self.engine_turn.as_ref().filter(|_| is_open).map(text),
            next: &self.help,
            nodes: self.nodes().0,
            seconds: self.elapsed.as_secs_f64(),
            search: self.search.as_ref().map(|found| Search::new(board, &found.search)),
        }
        .serialize(serializer)
    }
}
