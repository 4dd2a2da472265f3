//! The answer about a position in a sentence.

use fanorona_core::{Outcome, Position, RuleSet, Side, Value};
use fanorona_engine::{Analysis, Known, Score};
use fanorona_knowledge::Assessment;

use crate::human::{counted, name};

/// The answer as a sentence about White and Black.
pub(super) fn sentence(rules: &RuleSet, position: &Position, found: &Assessment) -> String {
    match rules.outcome(position) {
        Some(Outcome::Won(side)) => format!("The game is over: {} has won.", name(side)),
        Some(Outcome::Drawn) => "The game is over: it is a draw.".to_owned(),
        None => match in_words(position.to_move(), found) {
            Some(words) => format!("{words}."),
            None => "Open: it is not known whether one side wins.".to_owned(),
        },
    }
}

/// The value of a position for a side in words, without a full stop. `None` if nothing is known.
fn in_words(side: Side, found: &Assessment) -> Option<String> {
    let wins = |side: Side, dtw: Option<u16>| match dtw {
        Some(turns) => format!("{} wins in {}", name(side), counted(turns, "turn")),
        None => format!("{} wins", name(side)),
    };
    let cannot = |side: Side| {
        let (side, other) = (name(side), name(side.other()));
        format!("{side} cannot win; whether {other} wins is open")
    };
    Some(match (found.value(), found.bounds.at_least, found.bounds.at_most) {
        (Some(Value::Win), ..) => wins(side, found.dtw),
        (Some(Value::Loss), ..) => wins(side.other(), found.dtw),
        (Some(Value::Draw), ..) => "Draw with best play".to_owned(),
        (None, Value::Draw, _) => cannot(side.other()),
        (None, _, Value::Draw) => cannot(side),
        (None, ..) => return None,
    })
}

/// The same in few words, for a list: "White wins in 23", "draw", "Black cannot win", "open".
pub(super) fn short(side: Side, found: &Assessment) -> String {
    let wins = |side: Side| match found.dtw {
        Some(0) => format!("{} has won", name(side)),
        Some(turns) => format!("{} wins in {turns}", name(side)),
        None => format!("{} wins", name(side)),
    };
    match (found.value(), found.bounds.at_least, found.bounds.at_most) {
        (Some(Value::Win), ..) => wins(side),
        (Some(Value::Loss), ..) => wins(side.other()),
        (Some(Value::Draw), ..) => "draw".to_owned(),
        (None, Value::Draw, _) => format!("{} cannot win", name(side.other())),
        (None, _, Value::Draw) => format!("{} cannot win", name(side)),
        (None, ..) => "open".to_owned(),
    }
}

/// Estimates below this are about even.
const EVEN: i32 = 25;

/// Words for estimates from there to below these.
const STEPS: [(i32, &str); 3] = [(75, "slightly better"), (200, "better"), (400, "much better")];

/// Who is better by an estimate of an engine, which is for the side to move: "White is better", "even".
pub(super) fn better(side: Side, estimate: i32) -> String {
    let ahead = if estimate < 0 { side.other() } else { side };
    let size = estimate.abs();
    match STEPS.iter().find(|(most, _)| size < *most) {
        _ if size < EVEN => "both sides are about even".to_owned(),
        Some((_, words)) => format!("{} is {words}", name(ahead)),
        None => format!("{} is close to winning", name(ahead)),
    }
}

/// The estimate in full: who is better, how surely, and that it is an estimate.
pub(super) fn opinion(side: Side, estimate: i32, depth: u32) -> String {
    let ahead = if estimate < 0 { side.other() } else { side };
    let odds = (f64::from(estimate.abs()) / 100.0).exp();
    let (ahead, other) = (name(ahead), name(ahead.other()));
    let often = match odds {
        _ if estimate.abs() < EVEN => String::new(),
        ..99.5 => {
            let digits = usize::from(odds < 9.95);
            format!("; a win of {ahead} is {odds:.digits$} times as likely as one of {other}")
        }
        _ => format!("; a win of {ahead} is over 100 times as likely as one of {other}"),
    };
    let (who, seen) = (better(side, estimate), counted(depth, "turn"));
    format!("Estimate, not proved: {who}{often} (the engine looked {seen} ahead).")
}

/// The view of a player of its turn: "White is slightly better (estimate)".
pub(in crate::command) fn view(side: Side, found: &Analysis) -> String {
    let facts = found.assessment();
    let winner = if facts.value() == Some(Value::Win) { side } else { side.other() };
    match found.score {
        Score::Proved(Known { turns: Some(turns), .. }) => {
            format!("{} wins in at most {}", name(winner), counted(turns, "turn"))
        }
        Score::Estimate(estimate) => standing(side, &facts, Some(estimate)),
        Score::Exact(_) | Score::Proved(_) => standing(side, &facts, None),
    }
}

/// The facts about a position, with an estimate: "White is slightly better (estimate); Black cannot
/// win".
pub(in crate::command) fn standing(
    side: Side,
    found: &Assessment,
    estimate: Option<i32>,
) -> String {
    let estimate = estimate.map(|estimate| format!("{} (estimate)", better(side, estimate)));
    let parts: Vec<_> = estimate.into_iter().chain(in_words(side, found)).collect();
    if parts.is_empty() { "open".to_owned() } else { parts.join("; ") }
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;
    use fanorona_knowledge::Source;
    use fanorona_proof::Bounds;
    use fanorona_tablebase::TableValue;

    use super::*;

    fn of(at_least: Value, at_most: Value) -> Assessment {
        Assessment::new(Bounds { at_least, at_most }, Source::Search)
    }

    #[test]
    fn the_answer_is_a_sentence_about_white_and_black() {
        use Value::{Draw, Loss, Win};
        let start = Board::tsivy().start();
        let black: Position = "9/4B4/9/4W4/9 b".parse().expect("a position");
        let exact =
            |value, dtw| Assessment::exact(TableValue { value, dtw: Some(dtw) }, Source::Table);
        for (position, found, text, few) in [
            (start, exact(Win, 23), "White wins in 23 turns.", "White wins in 23"),
            (start, exact(Loss, 2), "Black wins in 2 turns.", "Black wins in 2"),
            (black, exact(Win, 1), "Black wins in 1 turn.", "Black wins in 1"),
            (black, of(Loss, Loss), "White wins.", "White wins"),
            (start, of(Draw, Draw), "Draw with best play.", "draw"),
            (
                start,
                of(Draw, Win),
                "Black cannot win; whether White wins is open.",
                "Black cannot win",
            ),
            (
                black,
                of(Loss, Draw),
                "Black cannot win; whether White wins is open.",
                "Black cannot win",
            ),
            (start, of(Loss, Win), "Open: it is not known whether one side wins.", "open"),
        ] {
            assert_eq!(sentence(&RuleSet::STANDARD, &position, &found), text);
            assert_eq!(short(position.to_move(), &found), few);
        }
        let over: Position = "9/9/4W4/9/9 b".parse().expect("a position");
        let found = Assessment::of_finished(Loss);
        let text = sentence(&RuleSet::STANDARD, &over, &found);
        assert_eq!(text, "The game is over: White has won.");
        assert_eq!(short(Side::Black, &found), "White has won");
    }

    #[test]
    fn an_estimate_says_who_is_better_and_how_surely() {
        for (estimate, text) in [
            (0, "both sides are about even (the"),
            (-24, "both sides are about even (the"),
            (60, "White is slightly better; a win of White is 1.8 times as likely as one of Black"),
            (-273, "Black is much better; a win of Black is 15 times as likely as one of White"),
            (-1200, "Black is close to winning; a win of Black is over 100 times"),
        ] {
            let found = opinion(Side::White, estimate, 9);
            assert!(found.starts_with(&format!("Estimate, not proved: {text}")), "{found}");
            assert!(found.ends_with("(the engine looked 9 turns ahead)."), "{found}");
        }
        assert_eq!(better(Side::Black, 100), "Black is better");
    }
}
