//! The notes on a game as text.

use fanorona_core::{RuleSet, Side};
use fanorona_engine::inquiry::Estimate;
use fanorona_engine::review::Sums;

use super::super::verdict::{better, short};
use super::notes::{GameReport, TurnNote};
use crate::human::{counted, joined, name};

/// The notes on a game, with its name if it is one of several.
pub(super) fn of(report: &GameReport, name: Option<&str>) -> String {
    let mut text = heading(report, name);
    let side = report.start.to_move();
    text += &format!("\nstart: {}", value(side, report.assessment, report.estimate));
    let width = report.turns.iter().map(|turn| numbered(turn).len()).max().unwrap_or(0);
    if !report.turns.is_empty() {
        text.push('\n');
    }
    for turn in &report.turns {
        text += &format!("\n{}", row(turn, width));
    }
    let sums = [Side::White, Side::Black].map(|side| sum(report, side));
    let mut settled =
        format!("{} of {} positions have a known value.", report.settled, report.positions);
    if report.settled < report.positions {
        settled +=
            "\nMistakes among the others stay hidden: larger tables or more --time find them.";
    }
    text + &format!("\n\n{}\n{settled}\n", sums.join("\n"))
}

/// A turn with its number.
fn numbered(turn: &TurnNote) -> String {
    let dots = if turn.side == Side::White { "." } else { "..." };
    format!("{}{dots} {}", turn.number, turn.turn)
}

/// A turn with its notes; on further lines what does not fit on the first.
fn row(turn: &TurnNote, width: usize) -> String {
    let found = match turn.is_left_out {
        true => "not analyzed".to_owned(),
        false => comment(turn),
    };
    let head = format!("{:width$}  {:2} ", numbered(turn), turn.sign());
    joined([head].into_iter().chain(found.split(' ').map(str::to_owned)), width + 6)
}

/// The players, the result, and what else the game says about itself.
fn heading(report: &GameReport, label: Option<&str>) -> String {
    let player =
        |side, known: &Option<String>| known.clone().unwrap_or_else(|| name(side).to_owned());
    let mut text = label.map_or(String::new(), |label| format!("{label}: "));
    let (white, black, result) =
        (player(Side::White, &report.white), player(Side::Black, &report.black), report.result.0);
    text += &format!("{white} - {black}, {result}");
    if let Some(date) = &report.date {
        text += &format!(", {date}");
    }
    text += &format!("\n{}", report.start);
    if report.rules != RuleSet::STANDARD {
        text += &format!(", {}", report.rules);
    }
    text
}

/// A value, or an estimate, for a side.
fn value(side: Side, found: fanorona_knowledge::Assessment, estimate: Option<Estimate>) -> String {
    let known = short(side, &found);
    match estimate {
        Some(Estimate { score, depth }) => {
            format!("{known}; estimate: {} ({depth} turns ahead)", better(side, score))
        }
        None => known,
    }
}

/// The same for the comment on a turn.
pub(super) fn comment(turn: &TurnNote) -> String {
    let found = value(turn.side, turn.assessment, turn.estimate);
    match turn.remark() {
        remark if remark.is_empty() => found,
        remark => format!("{found}; {remark}"),
    }
}

fn sum(report: &GameReport, side: Side) -> String {
    let Sums { mistakes, doubtful, turns_lost: lost, .. } = report.sums(side);
    let mut text = format!("{}: {}", name(side), counted(mistakes, "mistake"));
    if doubtful > 0 {
        text += &format!(", {}", counted(doubtful, "doubtful turn"));
    }
    if lost > 0 {
        text += &format!(", {} lost in won positions", counted(lost, "turn"));
    }
    text + "."
}
