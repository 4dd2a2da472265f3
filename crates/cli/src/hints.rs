//! Tips about arguments that a command does not take.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use fanorona_core::RuleSet;

use crate::advice::quoted;

/// Whether a text has the form of a board, such as 9x5, also if there is no such board.
pub(crate) fn is_like_board(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once(['x', 'X']).is_some_and(|(width, height)| is_number(width) && is_number(height))
}

/// The tip for an error; `None` if `clap` has to guess.
pub(crate) fn about(error: &clap::Error) -> Option<String> {
    let text = |kind| match error.get(kind)? {
        ContextValue::String(text) => Some(text.as_str()),
        _ => None,
    };
    match error.kind() {
        ErrorKind::InvalidSubcommand => about_command(text(ContextKind::InvalidSubcommand)?),
        ErrorKind::UnknownArgument => {
            let usage = error.get(ContextKind::Usage).map(ToString::to_string);
            about_argument(text(ContextKind::InvalidArg)?, &usage.unwrap_or_default())
        }
        _ => None,
    }
}

/// Words for commands that other programs have, or that people try.
fn about_command(word: &str) -> Option<String> {
    let command = match word.to_lowercase().as_str() {
        "start" | "startpos" => "9x5",
        "solve" | "eval" | "evaluate" | "analyse" | "search" => "analyze",
        "rule" | "variants" => "help rules",
        "divide" => "perft --divide",
        "show" | "draw" | "board" | "turns" => "moves",
        "lookup" | "table" | "query" => "probe",
        "uci" | "engine" => "ugi",
        "web" | "gui" | "page" => "serve",
        "report" | "static" | "html" => "site",
        "tournament" => "match",
        "csv" | "dump" => "export",
        "proof" | "prove" | "certify" => "analyze --certificate FILE",
        _ => return None,
    };
    Some(format!("write 'fanorona {command}'"))
}

/// A word that stands alone, and the option that it belongs to.
fn about_argument(word: &str, usage: &str) -> Option<String> {
    let is_of = |command: &str| usage.contains(&format!("fanorona {command}"));
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let option = match word {
        "--tc" if is_of("match") => return Some("write '--clock TIME+INC'".to_owned()),
        "--st" if is_of("match") => return Some("write '--time TIME'".to_owned()),
        "--rounds" if is_of("match") => return Some("write '--games N'".to_owned()),
        "-n" if is_of("find") => return Some("write '--top N'".to_owned()),
        "-v" => return Some("write '--version'".to_owned()),
        "--depth" if is_of("perft") => return Some("write the depth alone".to_owned()),
        "--position" | "--fen" => return Some("write the position alone".to_owned()),
        _ if is_like_board(word) => "board",
        _ if word.parse::<RuleSet>().is_ok() => "rules",
        _ if is_number && ["build", "unpack", "export", "verify"].iter().any(|c| is_of(c)) => {
            "stones"
        }
        _ if is_number && is_of("stats") => "depth",
        _ => return None,
    };
    Some(format!("write '--{option} {}'", quoted(word.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_led_to_their_options() {
        for (word, usage, tip) in [
            ("5x5", "Usage: fanorona build", Some("--board 5x5")),
            ("vela", "Usage: fanorona tables", Some("--rules vela")),
            ("4", "Usage: fanorona build [OPTIONS]", Some("--stones 4")),
            ("3", "Usage: fanorona stats", Some("--depth 3")),
            ("4", "Usage: fanorona ugi", None),
            ("-n", "Usage: fanorona find [OPTIONS] <KIND>", Some("--top N")),
            ("--tc", "Usage: fanorona match [OPTIONS]", Some("--clock TIME+INC")),
            ("--tc", "Usage: fanorona find [OPTIONS]", None),
            ("--foo", "Usage: fanorona find", None),
        ] {
            let expected = tip.map(|tip| format!("write '{tip}'"));
            assert_eq!(about_argument(word, usage), expected, "{word}");
        }
        assert_eq!(about_command("startpos"), Some("write 'fanorona 9x5'".to_owned()));
        assert_eq!(about_command("no-such-command"), None);
    }
}
