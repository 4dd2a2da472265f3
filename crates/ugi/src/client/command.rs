//! How to start a program.

use std::fmt;
use std::io;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;

use thiserror::Error;

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProgramCommand {
    /// The program: a path, or a name that the system looks up.
    pub program: String,
    pub arguments: Vec<String>,
}

/// A text that is no command.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error(
    "'{0}' is not a command; write a program and its arguments, with quotes around parts with \
     spaces, as in './engine --threads 1'"
)]
pub struct ProgramCommandError(String);

/// A file that a command means, and does not name as it has to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeantFile {
    /// Its path has blanks, and no quotes around it.
    WithBlanks(String),
    /// It is in the directory where the program would start, which is not searched for programs.
    Here(String),
    /// The system cannot start it.
    NoProgram(String),
}

impl ProgramCommand {
    /// A program with arguments.
    pub fn new(
        program: impl Into<String>,
        arguments: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let arguments = arguments.into_iter().map(Into::into).collect();
        Self { program: program.into(), arguments }
    }

    /// The file that is meant, if there is one, by a command that cannot be started.
    pub(super) fn meant_file(&self, error: &io::Error) -> Option<MeantFile> {
        if Path::new(&self.program).is_file() {
            let program = self.program.clone();
            return Some(match error.kind() {
                io::ErrorKind::NotFound if !program.contains('/') => MeantFile::Here(program),
                _ => MeantFile::NoProgram(program),
            });
        }
        let mut path = self.program.clone();
        self.arguments.iter().find_map(|word| {
            path += " ";
            path += word;
            Path::new(&path).is_file().then(|| MeantFile::WithBlanks(path.clone()))
        })
    }

    pub(super) fn build(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// A command as in a shell: words with spaces between, quotes, and backslashes. Nothing else that a
/// shell does is done.
impl FromStr for ProgramCommand {
    type Err = ProgramCommandError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ProgramCommandError(text.chars().take(200).collect());
        let mut words = shlex::split(text).ok_or_else(error)?.into_iter();
        let program = words.next().filter(|program| !program.is_empty()).ok_or_else(error)?;
        Ok(Self::new(program, words))
    }
}

/// The program and its arguments, quoted where a shell needs it.
impl fmt::Display for ProgramCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [&self.program].into_iter().chain(&self.arguments);
        for (i, word) in words.enumerate() {
            let gap = if i > 0 { " " } else { "" };
            match shlex::try_quote(word) {
                Ok(quoted) => write!(f, "{gap}{quoted}")?,
                // No shell can be given this word.
                Err(_) => write!(f, "{gap}{word:?}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_a_shell_does() {
        let read = |text: &str| text.parse::<ProgramCommand>();
        let expected = ProgramCommand::new("./my engine", ["--name", "it's", "a\"b", ""]);
        let text = r#"'./my engine' --name it\'s "a\"b" ''"#;
        assert_eq!(read(text), Ok(expected.clone()));
        assert_eq!(read(&expected.to_string()), Ok(expected));
        assert_eq!(read("a $HOME *"), Ok(ProgramCommand::new("a", ["$HOME", "*"])));
        for wrong in ["", "  ", "''", "'open", "a \"b"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
