//! The other program: a command that counts and ends, or an engine.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fanorona_core::{Position, RuleSet};
use fanorona_engine::Game;
use fanorona_ugi::client::{self, ClientError, Program, ProgramCommand, ProgramSettings};

use crate::interrupt;
use crate::options::Root;
use crate::output;

/// A command, in which words like `{position}` stand for what is asked.
#[derive(Clone, Debug)]
pub(crate) struct OtherCommand(ProgramCommand);

impl FromStr for OtherCommand {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let command = ProgramCommand::from_str(text).map_err(|error| error.to_string())?;
        let has = |name: &str| command.arguments.iter().any(|word| word.contains(name));
        match (has("{position}"), has("{depth}")) {
            (true, false) => Err("write {depth} where the depth belongs".to_owned()),
            (false, true) => Err("write {position} where the position belongs".to_owned()),
            _ => Ok(Self(command)),
        }
    }
}

impl fmt::Display for OtherCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Braces need no quotes here.
        let words = [&self.0.program].into_iter().chain(&self.0.arguments);
        for (i, word) in words.enumerate() {
            let gap = if i > 0 { " " } else { "" };
            let is_plain = !word.is_empty() && !word.contains([' ', '\'', '"', '\\']);
            match is_plain {
                true => write!(f, "{gap}{word}")?,
                false => write!(f, "{gap}{word:?}")?,
            }
        }
        Ok(())
    }
}

impl OtherCommand {
    /// Whether it is a command that counts and ends.
    pub(super) fn counts(&self) -> bool {
        self.0.arguments.iter().any(|word| word.contains("{position}"))
    }

    /// The command that asks about a position.
    fn filled(&self, rules: &RuleSet, position: &Position, depth: u8) -> ProgramCommand {
        let fill = |word: &String| {
            word.replace("{depth}", &depth.to_string())
                .replace("{rules}", &rules.to_string())
                .replace("{board}", &position.board().to_string())
                .replace("{position}", &position.to_string())
        };
        ProgramCommand::new(self.0.program.clone(), self.0.arguments.iter().map(fill))
    }
}

/// The other program.
#[derive(Debug)]
pub(super) enum Other<'a> {
    Command { command: &'a OtherCommand, limit: Duration },
    Engine { program: Mutex<Program>, limit: Duration },
}

impl<'a> Other<'a> {
    /// Starts the program, if it is an engine.
    pub(super) fn start(
        command: &'a OtherCommand,
        root: &Root,
        limit: Duration,
    ) -> Result<Self, ClientError> {
        if command.counts() {
            return Ok(Self::Command { command, limit });
        }
        let mut settings = ProgramSettings::new(command.0.clone());
        settings.timeout = limit;
        let stop = interrupt::flag();
        let mut program = Program::start(&settings, stop)?;
        program.new_game(&Game::new(root.rules, root.position), stop)?;
        if root.rules != RuleSet::STANDARD && !program.knows_rules(&root.rules) {
            output::message(format_args!(
                "warning: the program has no option for the rules {}; it must know them",
                root.rules
            ));
        }
        Ok(Self::Engine { program: Mutex::new(program), limit })
    }
}

impl Other<'_> {
    /// Asks the program for the count below each turn, and returns its answer.
    pub(super) fn divide(
        &self,
        rules: &RuleSet,
        position: &Position,
        depth: u8,
    ) -> Result<String, ClientError> {
        let stop = interrupt::flag();
        match self {
            Self::Command { command, limit } => {
                client::run(&command.filled(rules, position, depth), *limit, stop)
            }
            Self::Engine { program, limit } => {
                let mut program = program.lock().unwrap_or_else(PoisonError::into_inner);
                if program.is_broken() {
                    return Err(ClientError::Ended(None));
                }
                program.perft(position, depth, *limit, stop)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;

    use super::*;

    #[test]
    fn placeholders_are_filled_within_a_word() {
        let command: OtherCommand = r#"'./my program' --fen={position} "{depth}" {rules} {board}"#
            .parse()
            .expect("a command");
        let filled = command.filled(&RuleSet::STANDARD, &Board::telo().start(), 3);
        let arguments = ["--fen=BBB/B1W/WWW w", "3", "standard", "3x3"];
        assert_eq!(filled, ProgramCommand::new("./my program", arguments));
        assert_eq!(
            command.to_string(),
            "\"./my program\" --fen={position} {depth} {rules} {board}"
        );
    }

    #[test]
    fn a_program_that_hangs_is_stopped() {
        let (start, rules) = (Board::telo().start(), RuleSet::STANDARD);
        let limit = Duration::from_millis(300);
        let read = |text: &str| text.parse::<OtherCommand>().expect("a command");
        let (counter, engine) = (read("sh -c 'sleep 60' {position} {depth}"), read("sleep 60"));
        let root = Root { board: start.board(), rules, position: start };
        let other = Other::start(&counter, &root, limit).expect("nothing is started yet");
        let error = other.divide(&rules, &start, 1).expect_err("it hangs").to_string();
        assert_eq!(error, "the program has not finished within 0.3 s");
        let error = Other::start(&engine, &root, limit).expect_err("it hangs").to_string();
        assert!(error.contains("has not sent ugiok or uciok within 0.3 s"), "{error}");
    }

    #[test]
    fn half_a_question_is_refused() {
        let read = |text: &str| text.parse::<OtherCommand>().map(|command| command.counts());
        assert!(read("./mine {position}").is_err_and(|error| error.contains("{depth}")));
        assert!(read("./mine {depth}").is_err_and(|error| error.contains("{position}")));
        assert!(read("'./mine").is_err());
        assert_eq!(read("./mine {depth} {position}"), Ok(true));
        assert_eq!(read("./engine"), Ok(false));
    }
}
