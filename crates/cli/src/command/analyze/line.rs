//! Lines of play with move numbers.

use fanorona_core::{Outcome, Side};
use fanorona_engine::inquiry::Answer;
use fanorona_knowledge::{LineEnd, Source};

use crate::human::{joined, name};

/// Turns with move numbers, beginning with a turn of this side: `1. d3-e3A`, `d4-d3A`, `2. …`, or
/// `1... d4-d3A`.
pub(super) fn numbered(side: Side, turns: impl IntoIterator<Item = String>) -> Vec<String> {
    let offset = usize::from(side == Side::Black);
    let number = |(i, turn): (usize, String)| {
        let ply = i + offset;
        match (ply % 2, i) {
            (0, _) => format!("{}. {turn}", ply / 2 + 1),
            (_, 0) => format!("{}... {turn}", ply / 2 + 1),
            _ => turn,
        }
    };
    turns.into_iter().enumerate().map(number).collect()
}

/// The line of an answer as text, with its end. Empty if it has no turn.
pub(super) fn describe(answer: &Answer) -> String {
    let (position, turns) = (&answer.look.position, &answer.line.line);
    let Some(last) = turns.last() else { return String::new() };
    let texts = turns.iter().map(|turn| turn.turn.text(position.board()).to_string());
    let mut words = numbered(position.to_move(), texts);
    let end = match answer.line.end {
        LineEnd::Finished => match answer.rules.outcome(&last.after) {
            Some(Outcome::Won(side)) if answer.is_played_out => {
                format!("and {} has won (one way, perhaps not the shortest).", name(side))
            }
            Some(Outcome::Won(side)) => format!("and {} has won.", name(side)),
            _ => "and the game is drawn.".to_owned(),
        },
        LineEnd::Repetition => {
            let first = turns.iter().position(|turn| turn.after == last.after);
            match first.filter(|first| first + 1 < turns.len()) {
                Some(turn) => {
                    let turn = words[turn].rsplit(' ').next().unwrap_or_default();
                    format!("and the position after {turn} is there again.")
                }
                None => "and the first position is there again.".to_owned(),
            }
        }
        LineEnd::TableEdge if last.assessment.source == Some(Source::Table) => {
            "and so on: the tables have no distances, and the search for a line to the end took \
             too long."
                .to_owned()
        }
        LineEnd::TableEdge => "and what follows is not known here.".to_owned(),
        LineEnd::Length | LineEnd::Unknown => "and so on.".to_owned(),
    };
    if let Some(last) = words.last_mut() {
        last.push(',');
    }
    words.insert(0, "Line:".to_owned());
    words.extend(end.split(' ').map(str::to_owned));
    joined(words, 2)
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, Position, RuleSet};
    use fanorona_knowledge::{Assessment, Knowledge, Line, RankedTurn};

    use super::*;

    fn texts(turns: &[&str]) -> Vec<String> {
        turns.iter().map(|turn| (*turn).to_owned()).collect()
    }

    /// The turns, played from a position, with nothing known about them.
    fn play(rules: &RuleSet, start: &Position, turns: &[&str]) -> Vec<RankedTurn> {
        let mut position = *start;
        let mut play = |text: &&str| {
            let turn = rules.parse_turn(&position, text).expect("a turn");
            position = position.play_unchecked(&turn);
            RankedTurn { turn, after: position, assessment: Assessment::UNKNOWN }
        };
        turns.iter().map(&mut play).collect()
    }

    #[test]
    fn turns_are_numbered_as_in_a_game() {
        let turns = texts(&["a", "b", "c"]);
        assert_eq!(numbered(Side::White, turns.clone()), ["1. a", "b", "2. c"]);
        assert_eq!(numbered(Side::Black, turns), ["1... a", "2. b", "c"]);
        assert!(numbered(Side::Black, Vec::new()).is_empty());
    }

    #[test]
    fn a_line_says_how_it_ends() {
        let rules = RuleSet::STANDARD;
        let line = |start: &Position, turns: &[&str]| {
            let known = Knowledge::of_rules(start.board(), rules);
            let mut answer = Answer::of_sources(&known, start).expect("it is looked at");
            let turns = play(&rules, start, turns);
            answer.line = Line::found(&rules, *start, Assessment::UNKNOWN, turns);
            describe(&answer)
        };
        let corners: Position = "B4/5/5/5/4W w".parse().expect("a position");
        let round = ["e1-e2", "a5-a4", "e2-e1", "a4-a5"];
        let text = "Line: 1. e1-e2 a5-a4 2. e2-e1 a4-a5, and the first position is there again.";
        assert_eq!(line(&corners, &round), text);
        let later = ["e1-e2", "a5-a4", "e2-e3", "a4-a5", "e3-e2", "a5-a4"];
        assert!(
            line(&corners, &later)
                .replace("\n ", "")
                .ends_with("3. e3-e2 a5-a4, and the position after a5-a4 is there again.")
        );
        let text = "Line: 1. e1-e2, and what follows is not known here.";
        assert_eq!(line(&corners, &round[..1]), text);
        let won: Position = "9/9/2W1B4/9/9 w".parse().expect("a position");
        assert_eq!(line(&won, &["c3-d3A"]), "Line: 1. c3-d3A, and White has won.");
        assert_eq!(line(&Board::tsivy().start(), &[]), "");
    }
}
