//! The settings as options of the protocol.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_engine::Level;
use thiserror::Error;

use super::settings::Settings;
use crate::protocol::{OptionDeclaration, OptionKind, OptionValueError, shown};

/// The options, in the order in which they are declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Name {
    Hash,
    ClearHash,
    Threads,
    MultiPv,
    Ponder,
    MoveOverhead,
    Board,
    Rules,
    Draws,
    TablesPath,
    Book,
    Level,
    Seed,
}

const ALL: [Name; 13] = [
    Name::Hash,
    Name::ClearHash,
    Name::Threads,
    Name::MultiPv,
    Name::Ponder,
    Name::MoveOverhead,
    Name::Board,
    Name::Rules,
    Name::Draws,
    Name::TablesPath,
    Name::Book,
    Name::Level,
    Name::Seed,
];

/// The most threads and lines.
const MAX_COUNT: i64 = 1024;

/// The largest transposition table, in MiB.
const MAX_MEMORY: i64 = 1 << 20;

/// The consequence of a changed option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// Nothing.
    None,
    /// The engine has to forget what it has searched.
    Clear,
    /// The engine has to be built again.
    Engine,
    /// The game has to be played again, by a new engine: its draw rules are others.
    Replay,
    /// The game is another one, and begins.
    Game,
}

/// Why an option is not set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum SettingError {
    /// There is no such option.
    #[error("there is no option '{name}'; the options are {options}")]
    Unknown { name: String, options: String },
    /// The option has no such value.
    #[error(transparent)]
    Value(#[from] OptionValueError),
    /// The value is a text that cannot be used.
    #[error("the option {name} is not set: {reason}")]
    Text { name: &'static str, reason: String },
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Self::Hash => "Hash",
            Self::ClearHash => "Clear Hash",
            Self::Threads => "Threads",
            Self::MultiPv => "MultiPV",
            Self::Ponder => "Ponder",
            Self::MoveOverhead => "Move Overhead",
            Self::Board => "Board",
            Self::Rules => "Rules",
            Self::Draws => "Draws",
            Self::TablesPath => "TablesPath",
            Self::Book => "Book",
            Self::Level => "Level",
            Self::Seed => "Seed",
        }
    }

    fn declaration(self, settings: &Settings) -> OptionDeclaration {
        let spin = |default: u64, min, max| {
            let default = i64::try_from(default).unwrap_or(i64::MAX).clamp(min, max);
            OptionKind::Spin { default, min, max }
        };
        let string = |default: String| OptionKind::String { default };
        let kind = match self {
            Self::Hash => spin(settings.memory as u64, 1, MAX_MEMORY),
            Self::ClearHash => OptionKind::Button,
            Self::Threads => spin(settings.threads as u64, 1, MAX_COUNT),
            Self::MultiPv => spin(settings.lines as u64, 1, MAX_COUNT),
            Self::Ponder => OptionKind::Check { default: settings.ponder },
            Self::MoveOverhead => spin(settings.move_overhead.as_millis() as u64, 0, 60_000),
            Self::Board => string(settings.board.to_string()),
            Self::Rules => string(settings.rules.to_string()),
            Self::Draws => string(settings.draws.to_string()),
            Self::TablesPath => string(
                settings.tables.as_ref().map(|dir| dir.display().to_string()).unwrap_or_default(),
            ),
            Self::Book => string(
                env::join_paths(&settings.book)
                    .map(|paths| paths.to_string_lossy().into_owned())
                    .unwrap_or_default(),
            ),
            Self::Level => spin(
                settings.level.number().into(),
                Level::LOWEST.number().into(),
                Level::UNBEATABLE.number().into(),
            ),
            Self::Seed => spin(settings.seed, 0, i64::MAX),
        };
        OptionDeclaration::new(self.text(), kind)
    }
}

/// The declarations of all options, with the settings as defaults.
pub(super) fn declarations(settings: &Settings) -> Vec<OptionDeclaration> {
    ALL.iter().map(|name| name.declaration(settings)).collect()
}

/// Sets an option.
///
/// # Errors
/// If there is no such option, or if it cannot have this value. The settings are then unchanged.
pub(super) fn set(
    settings: &mut Settings,
    name: &str,
    value: &str,
) -> Result<Change, SettingError> {
    let all = ALL.map(|name| (name, name.declaration(settings)));
    let Some((name, declaration)) = all.into_iter().find(|(_, found)| found.is_named(name)) else {
        let options = ALL.map(Name::text).join(", ");
        return Err(SettingError::Unknown { name: shown(name), options });
    };
    let value = declaration.value(value)?;
    let number = || value.parse::<u64>().unwrap_or(0);
    let refused = |reason: String| SettingError::Text { name: name.text(), reason };
    let change = match name {
        Name::Hash => {
            settings.memory = number() as usize;
            Change::Engine
        }
        Name::ClearHash => Change::Clear,
        Name::Threads => {
            settings.threads = number() as usize;
            Change::Engine
        }
        Name::MultiPv => {
            settings.lines = number() as usize;
            Change::None
        }
        Name::Ponder => {
            settings.ponder = value == "true";
            Change::None
        }
        Name::MoveOverhead => {
            settings.move_overhead = Duration::from_millis(number());
            Change::None
        }
        Name::Board => {
            let board: Board = parsed(&value).map_err(refused)?;
            settings.rules.check(board).map_err(|error| refused(error.to_string()))?;
            settings.board = board;
            Change::Game
        }
        Name::Rules => {
            let rules: RuleSet = parsed(&value).map_err(refused)?;
            rules.check(settings.board).map_err(|error| refused(error.to_string()))?;
            settings.rules = rules;
            Change::Game
        }
        Name::Draws => {
            settings.draws = parsed(&value).map_err(refused)?;
            Change::Replay
        }
        Name::TablesPath => {
            let dir = (!value.is_empty()).then(|| PathBuf::from(&value));
            if dir.as_ref().is_some_and(|dir| !dir.is_dir()) {
                return Err(refused(format!("there is no directory '{value}'")));
            }
            settings.tables = dir;
            Change::Engine
        }
        Name::Book => {
            let files: Vec<PathBuf> =
                env::split_paths(&value).filter(|path| !path.as_os_str().is_empty()).collect();
            if let Some(file) = files.iter().find(|file| !file.is_file()) {
                return Err(refused(format!("there is no file '{}'", file.display())));
            }
            settings.book = files;
            Change::Engine
        }
        Name::Level => {
            let level = Level::new(number() as u8).map_err(|error| refused(error.to_string()))?;
            settings.level = level;
            Change::Engine
        }
        Name::Seed => {
            settings.seed = number();
            Change::Engine
        }
    };
    Ok(change)
}

fn parsed<T: FromStr<Err: fmt::Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_can_have_its_default() {
        let mut settings = Settings::default();
        for declaration in declarations(&Settings::default()) {
            let default = match declaration.kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Combo { default, .. } | OptionKind::String { default } => default,
                OptionKind::Button => String::new(),
            };
            let set = set(&mut settings, &declaration.name.to_uppercase(), &default);
            assert!(set.is_ok(), "{}: {set:?}", declaration.name);
        }
        assert_eq!(declarations(&settings), declarations(&Settings::default()));
    }

    #[test]
    fn what_cannot_be_set_says_why() {
        let mut settings = Settings::default();
        for (name, value, part) in [
            ("Hsah", "5", "the options are Hash, Clear Hash, "),
            ("Hash", "0", "from 1 to 1048576"),
            ("Level", "10", "from 1 to 9"),
            ("Ponder", "yes", "true or false"),
            ("Board", "4x4", "4"),
            ("Board", "", "''"),
            ("Rules", "checkers", "checkers"),
            ("Draws", "fifty", "without-capture-N"),
            ("TablesPath", "/no/such/place", "there is no directory '/no/such/place'"),
            ("Book", "/no/such/file", "there is no file '/no/such/file'"),
        ] {
            let error = set(&mut settings, name, value).expect_err(value).to_string();
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(declarations(&settings), declarations(&Settings::default()));
        // The vela of the sheet is for 9x5.
        assert_eq!(set(&mut settings, "Rules", "vela"), Ok(Change::Game));
        let error = set(&mut settings, "board", "5x5").expect_err("no reading").to_string();
        assert!(error.starts_with("the option Board is not set: "), "{error}");
    }
}
