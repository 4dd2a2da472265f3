//! Lines that a person types.

use std::path::PathBuf;

use fanorona_core::Turn;
use fanorona_engine::Game;

pub(super) const HELP: &str = "\
Type a turn, such as d3-e3A, or its number in the list of 'turns'.
A is capture by approach, W by withdrawal. A relay continues with dashes:
d2-e3A-f4W.
  turns      list the legal turns
  hint       ask the program for a turn
  undo       take back your last turn, and the answer of the program
  board      draw the board again
  record     print the text of the game
  save FILE  write the text of the game to a file
  resign     give up the game
  draw       agree on a draw, if two people play
  quit       leave the game";

/// The command of a line.
pub(super) enum Input {
    Turn(Turn),
    Turns,
    Hint,
    Undo,
    Board,
    Record,
    Save(PathBuf),
    Help,
    Resign,
    Draw,
    Quit,
}

impl Input {
    /// Reads a line, or says why it makes no sense.
    pub(super) fn read(game: &Game, text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let word = word.to_ascii_lowercase();
        if word == "save" {
            return match rest.trim() {
                "" => Err("write the name of a file after 'save'".to_owned()),
                file => Ok(Self::Save(file.into())),
            };
        }
        let command = match word.as_str() {
            "turns" | "moves" => Self::Turns,
            "hint" => Self::Hint,
            "undo" => Self::Undo,
            "board" => Self::Board,
            "record" => Self::Record,
            "help" | "?" => Self::Help,
            "resign" => Self::Resign,
            "draw" => Self::Draw,
            "quit" | "exit" => Self::Quit,
            _ => return read_turn(game, text).map(Self::Turn),
        };
        if rest.is_empty() { Ok(command) } else { Err(format!("nothing may follow '{word}'")) }
    }
}

/// A turn, or its number in the list.
fn read_turn(game: &Game, text: &str) -> Result<Turn, String> {
    let (rules, position) = (game.rules(), game.position());
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let turns = rules.turns(position);
        let number: Option<usize> = text.parse().ok();
        let found = number.and_then(|number| turns.get(number.checked_sub(1)?));
        return found.cloned().ok_or_else(|| {
            format!("there is no turn number {text}: the turns are 1 to {}", turns.len())
        });
    }
    rules.parse_turn(position, text).map_err(|error| error.to_string())
}
