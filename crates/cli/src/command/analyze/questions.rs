//! The progress of a search: the two questions of the position.

use fanorona_engine::inquiry::{NotSaved, QuestionState, SearchReport};
use indicatif::ProgressBar;

use crate::human::{name, rounded};
use crate::output;

/// The question and its answer in words.
fn in_full(state: &QuestionState) -> String {
    let answer = match state.answer {
        Some(true) => "yes",
        Some(false) => "no",
        None => "open",
    };
    format!("Can {} win? {answer}.", name(state.question.attacker))
}

/// Shows how far a search is.
pub(super) fn show(bar: &ProgressBar, now: &SearchReport) {
    let [own, other] = now.questions.each_ref().map(in_full);
    bar.set_message(format!("{own} {other} {} positions", rounded(now.nodes)));
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
