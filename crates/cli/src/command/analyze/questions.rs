//! The progress of a search: the two questions of the position, and those of each turn.

use comfy_table::Row;
use fanorona_core::{Position, Side};
use fanorona_solver::{QuestionState, SearchReport, TurnState};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::human::{grouped, name, rounded};
use crate::output::table;

/// Can this side force a win?
#[derive(Serialize)]
pub(super) struct QuestionReport {
    attacker: Side,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<bool>,
    proof: u32,
    disproof: u32,
    /// The positions searched for it, where they are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
}

impl QuestionReport {
    pub(super) fn new(state: &QuestionState) -> Self {
        Self {
            attacker: state.question.attacker,
            answer: state.answer,
            proof: state.proof,
            disproof: state.disproof,
            nodes: None,
        }
    }
}

/// The questions after a turn.
#[derive(Serialize)]
pub(super) struct SearchedTurn {
    turn: String,
    questions: [QuestionReport; 2],
}

impl SearchedTurn {
    pub(super) fn list(position: &Position, turns: &[TurnState]) -> Vec<Self> {
        let report = |state: &TurnState| Self {
            turn: state.turn.text(position.board()).to_string(),
            questions: [0, 1].map(|i| QuestionReport {
                nodes: Some(state.nodes[i]),
                ..QuestionReport::new(&state.questions[i])
            }),
        };
        turns.iter().map(report).collect()
    }

    /// All numbers of a search, for those who know them.
    pub(super) fn table(position: &Position, turns: &[TurnState]) -> String {
        let sides = [position.to_move(), position.to_move().other()];
        let [own, other] = sides.map(|side| format!("{side} wins?"));
        let mut rows = table(&["turn", &own, "positions", &other, "positions"], &[0, 1, 3]);
        for state in turns {
            let [own, other] = [0, 1].map(|i| match (state.nodes[i], &state.questions[i]) {
                (0, open @ QuestionState { answer: None, .. })
                    if (open.proof, open.disproof) == (1, 1) =>
                {
                    "not searched".to_owned()
                }
                (_, question) => numbers(question),
            });
            let [own_nodes, other_nodes] = state.nodes.map(grouped);
            let turn = state.turn.text(position.board()).to_string();
            rows.add_row(Row::from([turn, own, own_nodes, other, other_nodes]));
        }
        rows.trim_fmt()
    }
}

/// Proof and disproof number, or the answer.
pub(super) fn numbers(state: &QuestionState) -> String {
    match state.answer {
        Some(true) => "proved".to_owned(),
        Some(false) => "disproved".to_owned(),
        None => format!("{}/{}", state.proof, state.disproof),
    }
}

/// The question and its answer in words.
fn in_full(state: &QuestionState) -> String {
    let answer = match state.answer {
        Some(true) => "yes",
        Some(false) => "no",
        None => "open",
    };
    format!("Can {} win? {answer}.", name(state.question.attacker))
}

/// Shows how far a search is; with its numbers for those who know them.
pub(super) fn show(bar: &ProgressBar, now: &SearchReport, verbose: bool) {
    let SearchReport { nodes, memory_filled, elapsed, questions, .. } = now;
    let [own, other] = questions.each_ref().map(in_full);
    let mut message = format!("{own} {other} {} positions", rounded(*nodes));
    if verbose {
        let rate = *nodes as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
        let [own, other] = questions.each_ref().map(numbers);
        let memory = 100.0 * memory_filled;
        message += &format!(" ({own}, {other}, {rate:.2} M/s, memory {memory:.0} %)");
    }
    bar.set_message(message);
}
