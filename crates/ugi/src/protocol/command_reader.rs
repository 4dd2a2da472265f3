//! Commands from text.

use std::iter::Peekable;
use std::time::Duration;

use thiserror::Error;

use super::command::{Clock, Command, Dialect, Go, Query, Start};
use super::text::{shown, words};

/// The error of a line to an engine.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CommandProblem {
    /// No word of the line is a command.
    #[error("'{0}' is no command of UGI or UCI")]
    Unknown(String),
    /// A word is missing, or another one stands there.
    #[error("'{command}' needs {right}")]
    Incomplete { command: &'static str, right: &'static str },
    /// A number is none.
    #[error("'{word}' needs a whole number, not '{found}'; it is ignored")]
    Number { word: String, found: String },
    /// A word of `go` that has no meaning.
    #[error("'go' has no '{0}'; it is ignored")]
    GoWord(String),
}

/// The words of `go` that have no value, or have one, so that no list of turns contains them.
const GO_WORDS: [&str; 18] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "p1time",
    "p2time",
    "p1inc",
    "p2inc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
    "moves",
];

impl Command {
    /// Reads a line of either dialect. Unknown words at its start are skipped, as UCI demands.
    ///
    /// The command is `None` for an empty line, and if nothing of the line can be used. A `go` is
    /// always a command, because the sender waits for its answer: wrong limits are left out, and
    /// are problems.
    pub fn read(line: &str) -> (Option<Self>, Vec<CommandProblem>) {
        let mut problems = Vec::new();
        // Some programs write a byte order mark before the first word.
        let line = line.trim_start_matches('\u{feff}');
        let mut rest = line.trim();
        if rest.is_empty() {
            return (None, problems);
        }
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            match Self::read_command(word, after.trim(), &mut problems) {
                Ok(None) => rest = after.trim_start(),
                Ok(Some(command)) => return (Some(command), problems),
                Err(problem) => {
                    problems.push(problem);
                    return (None, problems);
                }
            }
        }
        problems.push(CommandProblem::Unknown(shown(line.trim())));
        (None, problems)
    }

    /// Reads a command from its first word and the rest of the line; `None` if there is none with
    /// this word.
    fn read_command(
        word: &str,
        rest: &str,
        problems: &mut Vec<CommandProblem>,
    ) -> Result<Option<Self>, CommandProblem> {
        let incomplete = |command, right| Err(CommandProblem::Incomplete { command, right });
        Ok(Some(match word {
            "ugi" => Self::Hello(Dialect::Ugi),
            "uci" => Self::Hello(Dialect::Uci),
            "debug" => match words(rest).next() {
                Some("on") => Self::Debug(true),
                Some("off") => Self::Debug(false),
                _ => return incomplete("debug", "on or off"),
            },
            "isready" => Self::IsReady,
            "setoption" => return read_option(rest).map(Some),
            "register" => Self::Register,
            "uginewgame" | "ucinewgame" => Self::NewGame,
            "position" => return read_position(rest).map(Some),
            "query" => {
                let word = words(rest).next();
                match Query::ALL.into_iter().find(|query| Some(query.word()) == word) {
                    Some(query) => Self::Query(query),
                    None => return incomplete("query", "gameover, p1turn or result"),
                }
            }
            "go" => Self::Go(read_go(rest, problems)),
            "stop" => Self::Stop,
            "quit" => Self::Quit,
            "d" => Self::Show,
            _ => return Ok(None),
        }))
    }
}

/// Reads `name NAME` or `name NAME value VALUE`. Spaces within the value stay as they are.
fn read_option(rest: &str) -> Result<Command, CommandProblem> {
    let incomplete =
        CommandProblem::Incomplete { command: "setoption", right: "'name NAME value VALUE'" };
    let Some(rest) = rest.strip_prefix("name").filter(|rest| rest.starts_with([' ', '\t'])) else {
        return Err(incomplete);
    };
    let is_space = |c: char| c.is_ascii_whitespace();
    let value_at = rest.match_indices("value").map(|(start, _)| start).find(|&start| {
        let after = &rest[start + "value".len()..];
        rest[..start].ends_with(is_space) && (after.is_empty() || after.starts_with(is_space))
    });
    let (name, value) = match value_at {
        Some(start) => (&rest[..start], Some(rest[start + "value".len()..].trim().to_owned())),
        None => (rest, None),
    };
    let name = words(name).collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return Err(incomplete);
    }
    Ok(Command::SetOption { name, value })
}

fn read_position(rest: &str) -> Result<Command, CommandProblem> {
    let incomplete = CommandProblem::Incomplete {
        command: "position",
        right: "'startpos' or 'fen POSITION', and may have 'moves TURN …' after that",
    };
    let mut words = words(rest);
    let start = match words.next() {
        Some("startpos") => match words.next() {
            None | Some("moves") => Start::Board,
            Some(_) => return Err(incomplete),
        },
        Some("fen") => {
            let text: Vec<_> = words.by_ref().take_while(|word| *word != "moves").collect();
            if text.is_empty() {
                return Err(incomplete);
            }
            Start::Position(text.join(" "))
        }
        _ => return Err(incomplete),
    };
    Ok(Command::Position { start, turns: words.map(str::to_owned).collect() })
}

fn read_go(rest: &str, problems: &mut Vec<CommandProblem>) -> Go {
    let mut go = Go::default();
    let mut words = words(rest).peekable();
    while let Some(word) = words.next() {
        let Go { clock: Clock { white, black, moves_to_go }, .. } = &mut go;
        let mut number = |most| read_number(word, &mut words, most, problems);
        let mut time = || number(MAX_MILLISECONDS).map(Duration::from_millis);
        match word {
            "wtime" | "p1time" => white.time = time().or(white.time),
            "btime" | "p2time" => black.time = time().or(black.time),
            "winc" | "p1inc" => white.increment = time().unwrap_or(white.increment),
            "binc" | "p2inc" => black.increment = time().unwrap_or(black.increment),
            "movetime" => go.movetime = time().or(go.movetime),
            "movestogo" => *moves_to_go = number(u32::MAX.into()).map(|n| n as u32),
            "depth" => go.depth = number(u32::MAX.into()).map(|n| n as u32),
            "mate" => go.mate = number(u32::MAX.into()).map(|n| n as u32),
            "nodes" => go.nodes = number(u64::MAX),
            "perft" => go.perft = number(u8::MAX.into()).map(|n| n as u8),
            "infinite" => go.infinite = true,
            "searchmoves" => {
                while let Some(turn) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.searchmoves.push(turn.to_owned());
                }
            }
            _ => problems.push(CommandProblem::GoWord(shown(word))),
        }
    }
    go
}

/// The longest time: more than a century.
const MAX_MILLISECONDS: u64 = 1 << 42;

/// Reads the number after a word. A negative number is 0, as clocks that have run out send it; a
/// number that is too large is the largest.
fn read_number<'a>(
    word: &str,
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
    most: u64,
    problems: &mut Vec<CommandProblem>,
) -> Option<u64> {
    // The word of another limit is not taken for this one's number.
    let found = words.next_if(|next| !GO_WORDS.contains(next)).unwrap_or("");
    let (is_negative, digits) = match found.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, found),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let (word, found) = (word.to_owned(), shown(found));
        problems.push(CommandProblem::Number { word, found });
        return None;
    }
    let number = if is_negative { 0 } else { digits.parse().unwrap_or(u64::MAX) };
    Some(number.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Command {
        let (command, problems) = Command::read(line);
        assert_eq!(problems, [], "{line}");
        command.expect("a command")
    }

    fn problem(line: &str) -> (Option<Command>, String) {
        let (command, problems) = Command::read(line);
        (command, problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn commands_are_written_as_they_are_read() {
        for line in [
            "ugi",
            "uci",
            "debug on",
            "debug off",
            "isready",
            "setoption name Hash value 512",
            "setoption name Move Overhead value 10",
            "setoption name Clear Hash",
            "register later",
            "position startpos",
            "position startpos moves d3-e3A f4-e3",
            "position fen B7B/9/9/9/W7W w",
            "position fen B7B/9/9/9/W7W w moves a1-a2",
            "query gameover",
            "query p1turn",
            "query result",
            "go",
            "go infinite",
            "go depth 3 nodes 100 mate 2 movetime 5 searchmoves d3-e3A f2-e3A",
            "go perft 3",
            "stop",
            "quit",
            "d",
        ] {
            for dialect in [Dialect::Ugi, Dialect::Uci] {
                assert_eq!(read(line).line(dialect).to_string(), line);
            }
        }
        for (dialect, lines) in [
            (Dialect::Ugi, ["uginewgame", "go p1time 100 p2time 200 p1inc 3 p2inc 4"]),
            (Dialect::Uci, ["ucinewgame", "go wtime 1 btime 2 winc 0 binc 4 movestogo 7"]),
        ] {
            for line in lines {
                assert_eq!(read(line).line(dialect).to_string(), line);
            }
        }
    }

    #[test]
    fn words_that_are_unknown_are_skipped() {
        assert_eq!(read("  joho  debug   on "), Command::Debug(true));
        assert_eq!(Command::read(" \t "), (None, vec![]));
        assert_eq!(problem("joho").1, "'joho' is no command of UGI or UCI");
        assert_eq!(problem("Stop").0, None, "commands are in lower case");
    }

    #[test]
    fn an_option_keeps_the_spaces_of_its_value() {
        let option = read("setoption name  Tables  Path value  /a  b/value x ");
        let Command::SetOption { name, value } = option else { panic!("an option") };
        assert_eq!((name.as_str(), value.as_deref()), ("Tables Path", Some("/a  b/value x")));
        let empty = read("setoption name Book value");
        assert_eq!(empty, Command::SetOption { name: "Book".into(), value: Some(String::new()) });
        for wrong in ["setoption", "setoption Hash 5", "setoption name", "setoption name value 5"] {
            assert_eq!(problem(wrong), (None, "'setoption' needs 'name NAME value VALUE'".into()));
        }
    }

    #[test]
    fn a_search_is_never_refused() {
        let (command, problems) = problem("go depth x nodes -5 movetime 99999999999999999999 foo");
        let Some(Command::Go(go)) = command else { panic!("it is a search") };
        assert_eq!((go.depth, go.nodes), (None, Some(0)));
        assert_eq!(go.movetime, Some(Duration::from_millis(MAX_MILLISECONDS)));
        assert!(problems.contains("'depth' needs a whole number, not 'x'"), "{problems}");
        assert!(problems.contains("'go' has no 'foo'"), "{problems}");
        let (command, problems) = problem("go depth nodes 7");
        let Some(Command::Go(go)) = command else { panic!("it is a search") };
        assert_eq!((go.depth, go.nodes), (None, Some(7)), "{problems}");
        let (command, problems) = problem("go wtime");
        assert_eq!(command, Some(Command::Go(Go::default())));
        assert!(problems.contains("'wtime'"), "{problems}");
    }

    #[test]
    fn what_is_incomplete_says_what_is_needed() {
        for (line, right) in [
            ("position", "'startpos' or 'fen POSITION'"),
            ("position fen", "'startpos' or 'fen POSITION'"),
            ("position fen moves a1-a2", "'startpos' or 'fen POSITION'"),
            ("position startpos a1-a2", "'moves TURN"),
            ("query", "gameover, p1turn or result"),
            ("query winner", "gameover, p1turn or result"),
            ("debug maybe", "on or off"),
        ] {
            let (command, problem) = problem(line);
            assert!(command.is_none() && problem.contains(right), "{line}: {problem}");
        }
    }
}
