//! Reads arbitrary texts as positions and turns, and panics if a reader misbehaves. The tests and
//! the fuzz targets under `fuzz` share it.

use fanorona_core::{Board, Coordinates, Position, RuleSet, Setup};

/// The most turns of a position that are listed.
const MANY_TURNS: usize = 300;

/// Reads a text in all ways. If that succeeds, the text of the result must read back.
pub(crate) fn read_as_position(text: &str) {
    if let Ok(position) = text.parse::<Position>() {
        assert_eq!(position.to_string().parse(), Ok(position), "{text}");
        let setup = Setup::from(position);
        assert_eq!(text.parse(), Ok(setup), "{text}");
        assert_eq!(Position::try_from(setup), Ok(position), "{text}");
        for rules in RuleSet::PRESETS {
            assert_eq!(rules.outcome(&position).is_none(), rules.has_turn(&position), "{text}");
        }
    }
    if let Ok(setup) = text.parse::<Setup>() {
        assert_eq!(setup.to_string().parse(), Ok(setup), "{text}");
    }
    if let Ok(board) = text.parse::<Board>() {
        assert_eq!(board.to_string().parse(), Ok(board), "{text}");
        assert_eq!(board.start().to_string().parse(), Ok(board.start()), "{text}");
    }
    if let Ok(at) = text.parse::<Coordinates>() {
        assert_eq!(at.to_string(), text);
    }
    if let Ok(rules) = text.parse::<RuleSet>() {
        assert_eq!(rules.to_string().parse(), Ok(rules), "{text}");
    }
}

/// A text of up to three lines: a turn, the position where it is played, and the rule set. Without
/// the last two it is the start of 9x5 and `standard`.
///
/// A turn that is read is one of the listed turns, and its text reads back.
pub(crate) fn read_as_turn(text: &str) {
    let mut lines = text.split('\n');
    let turn = lines.next().unwrap_or_default();
    let position = match lines.next() {
        None => Board::tsivy().start(),
        Some(text) => match text.parse::<Position>() {
            Ok(position) => position,
            Err(_) => return,
        },
    };
    let Ok(rules) = lines.next().unwrap_or("standard").parse::<RuleSet>() else { return };
    let read = rules.parse_turn(&position, turn);
    let mut listed = Vec::new();
    let complete = rules
        .try_for_each_turn(&position, |turn| {
            listed.push(turn.clone());
            if listed.len() < MANY_TURNS {
                std::ops::ControlFlow::Continue(())
            } else {
                std::ops::ControlFlow::Break(())
            }
        })
        .is_continue();
    match read {
        Ok(turn) => {
            assert!(!complete || listed.contains(&turn), "{text}");
            let normal = turn.text(position.board()).to_string();
            let after = rules.play(&position, &turn);
            assert_eq!(after, Ok(position.play_unchecked(&turn)), "{text}");
            assert_eq!(rules.parse_turn(&position, &normal), Ok(turn), "{text}");
        }
        Err(error) => {
            assert!(error.to_string().contains(turn), "{error}");
            let is_listed =
                |it: &fanorona_core::Turn| it.text(position.board()).to_string() == turn;
            assert!(!listed.iter().any(is_listed), "{text}: {error}");
        }
    }
}
