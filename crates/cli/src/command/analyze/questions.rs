//! The progress of a search: the two questions of the position, and those of each turn.

use comfy_table::Row;
use fanorona_core::Position;
use fanorona_engine::inquiry::{NotSaved, QuestionState, SearchReport, TurnState};
use indicatif::ProgressBar;

use crate::human::{grouped, name, rounded};
use crate::output::{self, table};

/// All numbers of a search, for those who know them.
pub(super) fn questions_table(position: &Position, turns: &[TurnState]) -> String {
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

/// Proof and disproof number, or the answer.
fn numbers(state: &QuestionState) -> String {
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

/// Warns that the search could not be saved, once for each failure.
pub(super) fn warn(bar: &ProgressBar, now: &SearchReport, warned: &mut Option<NotSaved>) {
    if now.not_saved != *warned {
        warned.clone_from(&now.not_saved);
        if let Some(failure) = warned {
            let warning = format!("warning: the search continues, but was not saved: {failure}");
            bar.suspend(|| output::message(warning));
        }
    }
}
