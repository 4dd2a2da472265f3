//! The answer about a position for a person: about a screen of text.

use std::path::Path;

use fanorona_core::RuleSet;
use fanorona_engine::inquiry::Answer;
use fanorona_knowledge::{Assessment, RankedTurn, Tried};

use super::help;
use super::line;
use super::sources::Sources;
use super::verdict::{opinion, sentence};
use crate::human::{WIDTH, counted, filled, joined, name, rounded};

/// The most lines of turns.
const MOST_GROUPS: usize = 4;

/// The answer as text. Tables would be built in `dir`.
pub(super) fn text(answer: &Answer, sources: &Sources, dir: &Path) -> String {
    let (position, rules) = (&answer.look.position, &answer.rules);
    let mut text = format!("{}\n\n{position}", position.diagram());
    if *rules != RuleSet::STANDARD {
        text += &format!(", {rules}");
    }
    text += &format!("\n{}", sentence(rules, position, &answer.assessment()));
    let mut parts = vec![filled(&sources.of(answer), 0), line::describe(answer)];
    parts.extend(estimate(answer).map(|text| filled(&text, 0)));
    parts.push(turns(answer));
    let tried = |Tried { turn, nodes }: &Tried| format!("{} after {turn}", rounded(*nodes));
    let tried: Vec<_> = answer.tried.iter().map(tried).collect();
    if !tried.is_empty() {
        let tried = tried.join(", ");
        parts.push(filled(&format!("Open after searches of many positions: {tried}."), 0));
    }
    let words = ["Next:", "Or:"].into_iter().chain(std::iter::repeat("Or:"));
    parts.extend(answer.help.iter().zip(words).map(|(help, word)| help::after(word, help, dir)));
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        text += &format!("\n{part}");
    }
    text
}

/// The answer in a line, for one of many positions.
pub(super) fn line(answer: &Answer) -> String {
    let position = &answer.look.position;
    let mut line = format!("{position}: ");
    line += &sentence(&answer.rules, position, &answer.assessment());
    line.extend(estimate(answer).map(|text| format!(" {text}")));
    match &answer.best {
        Some(best) => line + &format!(" Best: {}.", best.text(position.board())),
        None => line + &suggested(answer).map_or(String::new(), |turn| format!(" {turn}")),
    }
}

/// The engine's estimate as a sentence, if there is one.
fn estimate(answer: &Answer) -> Option<String> {
    let found = answer.estimate?;
    Some(opinion(answer.look.position.to_move(), found.score, found.depth))
}

/// The turn of the engine as a sentence, if it was asked.
fn suggested(answer: &Answer) -> Option<String> {
    let turn = answer.engine_turn.as_ref()?.text(answer.look.position.board());
    Some(format!("The engine would play {turn}."))
}

/// The turns, best first, together where the same is known of them.
fn turns(answer: &Answer) -> String {
    let side = answer.look.position.to_move();
    let Some(turns) = &answer.look.turns else {
        return "There are too many turns to list them.".to_owned();
    };
    let is_known = turns.iter().any(|turn| turn.assessment.is_known());
    if !is_known {
        return suggested(answer).unwrap_or_default();
    }
    let mut groups: Vec<(&Assessment, Vec<&RankedTurn>)> = Vec::new();
    for turn in turns {
        let is_same = |found: &Assessment| {
            (found.bounds, found.dtw) == (turn.assessment.bounds, turn.assessment.dtw)
        };
        match groups.last_mut() {
            Some((found, group)) if is_same(found) => group.push(turn),
            _ => groups.push((&turn.assessment, vec![turn])),
        }
    }
    let shown =
        groups.iter().take(if groups.len() > MOST_GROUPS { MOST_GROUPS - 1 } else { MOST_GROUPS });
    let width = shown.clone().map(|(found, _)| words(found).len()).max().unwrap_or(0);
    let mut text = format!("Turns of {}, best first:", name(side));
    for (found, group) in shown.clone() {
        text += &format!("\n  {:width$}  {}", words(found), in_line(group, WIDTH - width - 4));
    }
    let listed: usize = shown.map(|(_, group)| group.len()).sum();
    if listed < turns.len() {
        let rest = counted(turns.len() - listed, "turn");
        text += &format!("\n  and {rest} that are not better; --json has all");
    }
    text
}

/// The value of a turn in words, for its mover.
fn words(found: &Assessment) -> String {
    if found.is_known() { found.to_string() } else { "open".to_owned() }
}

/// As many turns as a line has room for, and how many are left out.
fn in_line(turns: &[&RankedTurn], width: usize) -> String {
    let texts: Vec<String> =
        turns.iter().map(|turn| turn.turn.text(turn.after.board()).to_string()).collect();
    let all = texts.join(", ");
    if all.len() <= width {
        return all;
    }
    let mut shown = 0;
    let mut column = 0;
    let room = width.saturating_sub(" and 100,000 more".len());
    while shown < texts.len() && (shown == 0 || column + texts[shown].len() + 2 <= room) {
        column += texts[shown].len() + 2;
        shown += 1;
    }
    match texts.len() - shown {
        0 => all,
        rest => joined([texts[..shown].join(", "), format!("and {rest} more")], 2),
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;
    use fanorona_knowledge::Knowledge;

    use super::*;

    #[test]
    fn a_line_of_turns_is_not_longer_than_its_room() {
        let (start, rules) = (Board::tsivy().start(), RuleSet::STANDARD);
        let known = Knowledge::of_rules(start.board(), rules);
        let turns = known.turns(&start).expect("turns");
        let turns: Vec<_> = turns.iter().collect();
        assert_eq!(in_line(&turns, 60), "d2-e3A, e2-e3A, f2-e3A, d3-e3A, d3-e3W");
        let short = in_line(&turns, 36);
        assert_eq!(short, "d2-e3A, e2-e3A and 3 more");
        // One turn at least, however long it is.
        assert_eq!(in_line(&turns[..1], 3), "d2-e3A");
    }
}
