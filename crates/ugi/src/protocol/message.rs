//! Lines from an engine.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use super::command::Dialect;
use super::declaration::OptionDeclaration;
use super::info::Info;
use super::text::{NO_TURN, words};

/// A line of an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Message {
    /// `id name …`
    Name(String),
    /// `id author …`
    Author(String),
    /// `option name … type …`
    Option(OptionDeclaration),
    /// `ugiok` or `uciok`: the options are listed.
    Ok(Dialect),
    /// `readyok`
    Ready,
    /// `info …`
    Info(Info),
    /// `bestmove …`: the search has ended, with the turn to play as text; `None` if the game is over.
    BestMove(Option<String>),
    /// `response …`: the answer to a query.
    Response(String),
    /// Any other line. Programs have to ignore it.
    Other(String),
}

/// Every text is a message: what is unknown or malformed is [`Message::Other`].
impl FromStr for Message {
    type Err = Infallible;

    fn from_str(line: &str) -> Result<Self, Self::Err> {
        let line = line.trim();
        let (word, rest) = line.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((line, ""));
        let rest = rest.trim();
        let other = || Self::Other(line.to_owned());
        Ok(match word {
            "id" => match rest.split_once(|c: char| c.is_ascii_whitespace()) {
                Some(("name", name)) => Self::Name(name.trim().to_owned()),
                Some(("author", author)) => Self::Author(author.trim().to_owned()),
                _ => other(),
            },
            "option" => rest.parse().map_or_else(|_| other(), Self::Option),
            "ugiok" => Self::Ok(Dialect::Ugi),
            "uciok" => Self::Ok(Dialect::Uci),
            "readyok" => Self::Ready,
            "info" => Self::Info(Info::read(rest)),
            "bestmove" => best_move(rest).map_or_else(other, Self::BestMove),
            "response" if !rest.is_empty() => Self::Response(rest.to_owned()),
            _ => other(),
        })
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {name}"),
            Self::Author(author) => write!(f, "id author {author}"),
            Self::Option(declaration) => declaration.fmt(f),
            Self::Ok(Dialect::Ugi) => f.write_str("ugiok"),
            Self::Ok(Dialect::Uci) => f.write_str("uciok"),
            Self::Ready => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::BestMove(turn) => {
                write!(f, "bestmove {}", turn.as_deref().unwrap_or(NO_TURN))
            }
            Self::Response(text) => write!(f, "response {text}"),
            Self::Other(line) => f.write_str(line),
        }
    }
}

/// The turn behind `bestmove`. What follows it is an expected reply, which is left out.
fn best_move(rest: &str) -> Option<Option<String>> {
    let turn = words(rest).next()?;
    Some((!["0000", "(none)", "none"].contains(&turn)).then(|| turn.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::protocol::InfoScore;

    fn read(line: &str) -> Message {
        let Ok(message) = line.parse();
        message
    }

    #[test]
    fn messages_are_written_as_they_are_read() {
        for line in [
            "id name Fanorona 0.1.0",
            "id author somebody",
            "option name Hash type spin default 64 min 1 max 1024",
            "option name Rules type string default <empty>",
            "ugiok",
            "uciok",
            "readyok",
            "info depth 3 seldepth 9 multipv 1 score cp -12 nodes 7 nps 8 hashfull 9 \
             tbhits 1 time 2 pv d3-e3A f4-e3",
            "info string basis exact win in 5",
            "bestmove d3-e3A",
            "bestmove 0000",
            "response p1win",
        ] {
            let message = read(line);
            assert!(!matches!(message, Message::Other(_)), "{line}");
            assert_eq!(message.to_string(), line);
        }
    }

    #[test]
    fn lines_of_other_programs_are_read() {
        // The example of UGI's text has fields in another order, and one that UCI does not have.
        let Message::Info(info) = read(
            " info depth 1 seldepth 1 score cp -107 time 5 nodes 16 tthits 0 hashfull 0 pv f1 \
             currmove a1 string  pv is  a word ",
        ) else {
            panic!("it is info")
        };
        assert_eq!((info.depth, info.time), (Some(1), Some(Duration::from_millis(5))));
        assert_eq!(info.score, Some(InfoScore::Cp(-107)));
        assert_eq!((info.pv, info.string.as_deref()), (vec!["f1".into()], Some("pv is  a word")));
        let Message::Info(info) = read("info score mate 3 upperbound depth x nodes 2") else {
            panic!("it is info")
        };
        let mate = InfoScore::Mate(3);
        assert_eq!((info.score, info.depth, info.nodes), (Some(mate), None, Some(2)));
        for none in ["bestmove (none)", "bestmove none", "bestmove 0000"] {
            assert_eq!(read(none), Message::BestMove(None));
        }
        for other in ["", "hello", "bestmove", "response", "id", "option name x", "id x y"] {
            assert_eq!(read(other), Message::Other(other.to_owned()));
        }
    }
}
