//! The settings as options of the protocol.

use std::env;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use fanorona_core::RuleSet;
use fanorona_engine::{Level, Options};
use thiserror::Error;

use super::settings::Settings;
use crate::protocol::{OptionDeclaration, OptionKind, OptionValueError, shown};

/// The most lines that are reported.
const MAX_LINES: u64 = 1024;

/// The longest [`Settings::move_overhead`], in milliseconds.
const MAX_MOVE_OVERHEAD_MS: u64 = 60_000;

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

/// An option of the protocol. A value that is set has been checked against the declaration.
struct Setting {
    name: &'static str,
    change: Change,
    kind: fn(&Settings) -> OptionKind,
    set: fn(&mut Settings, &str) -> Result<(), String>,
}

/// The options, in the order in which they are declared.
const ALL: [Setting; 13] = [
    Setting {
        name: "Hash",
        change: Change::Engine,
        kind: |now| spin(now.player.memory as u64 >> 20, 1, Options::MAX_MEMORY_MIB as u64),
        set: |now, value| {
            now.player.memory = parsed::<usize>(value)? << 20;
            Ok(())
        },
    },
    Setting {
        name: "Clear Hash",
        change: Change::Clear,
        kind: |_| OptionKind::Button,
        set: |_, _| Ok(()),
    },
    Setting {
        name: "Threads",
        change: Change::Engine,
        kind: |now| spin(now.player.threads as u64, 1, Options::MAX_THREADS as u64),
        set: |now, value| assign(&mut now.player.threads, value),
    },
    Setting {
        name: "MultiPV",
        change: Change::None,
        kind: |now| spin(now.lines as u64, 1, MAX_LINES),
        set: |now, value| assign(&mut now.lines, value),
    },
    Setting {
        name: "Move Overhead",
        change: Change::None,
        kind: |now| spin(now.move_overhead.as_millis() as u64, 0, MAX_MOVE_OVERHEAD_MS),
        set: |now, value| {
            now.move_overhead = Duration::from_millis(parsed(value)?);
            Ok(())
        },
    },
    Setting {
        name: "Board",
        change: Change::Game,
        kind: |now| string(now.board),
        set: |now, value| {
            let board = parsed(value)?;
            now.rules.check(board).map_err(|error| error.to_string())?;
            now.board = board;
            Ok(())
        },
    },
    Setting {
        name: "Rules",
        change: Change::Game,
        kind: |now| string(now.rules),
        set: |now, value| {
            let rules: RuleSet = parsed(value)?;
            rules.check(now.board).map_err(|error| error.to_string())?;
            now.rules = rules;
            Ok(())
        },
    },
    Setting {
        name: "Draws",
        change: Change::Replay,
        kind: |now| string(now.player.draw_rules),
        set: |now, value| assign(&mut now.player.draw_rules, value),
    },
    Setting {
        name: "TablesPath",
        change: Change::Engine,
        kind: |now| paths(&now.player.tables),
        set: |now, value| {
            let dirs = split(value);
            if let Some(dir) = dirs.iter().find(|dir| !dir.is_dir()) {
                return Err(format!("there is no directory '{}'", dir.display()));
            }
            now.player.tables = dirs;
            Ok(())
        },
    },
    Setting {
        name: "Book",
        change: Change::Engine,
        kind: |now| paths(&now.player.book),
        set: |now, value| {
            let files = split(value);
            if let Some(file) = files.iter().find(|file| !file.is_file()) {
                return Err(format!("there is no file '{}'", file.display()));
            }
            now.player.book = files;
            Ok(())
        },
    },
    Setting {
        name: "Level",
        change: Change::Engine,
        kind: |now| {
            let number = |level: Level| level.number().into();
            spin(number(now.player.level), number(Level::LOWEST), number(Level::UNBEATABLE))
        },
        set: |now, value| assign(&mut now.player.level, value),
    },
    Setting {
        name: "Seed",
        change: Change::Engine,
        kind: |now| {
            let seed = now.player.seed.map(|seed| i64::try_from(seed).unwrap_or(i64::MAX));
            OptionKind::Spin { default: seed.unwrap_or(-1), min: -1, max: i64::MAX }
        },
        set: |now, value| {
            now.player.seed = u64::try_from(parsed::<i64>(value)?).ok();
            Ok(())
        },
    },
    Setting {
        name: "Contempt",
        change: Change::Engine,
        kind: |now| spin(now.player.contempt.into(), 0, Options::MAX_CONTEMPT.into()),
        set: |now, value| assign(&mut now.player.contempt, value),
    },
];

impl Setting {
    fn declaration(&self, settings: &Settings) -> OptionDeclaration {
        OptionDeclaration::new(self.name, (self.kind)(settings))
    }
}

/// A whole number. The protocol has numbers up to `i64::MAX`.
fn spin(default: u64, min: u64, max: u64) -> OptionKind {
    let [default, min, max] =
        [default.clamp(min, max), min, max].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    OptionKind::Spin { default, min, max }
}

/// Paths as one value, which a character of the system separates as in `PATH`.
fn paths(paths: &[PathBuf]) -> OptionKind {
    string(env::join_paths(paths).unwrap_or_default().display())
}

/// The paths of such a value.
fn split(value: &str) -> Vec<PathBuf> {
    env::split_paths(value).filter(|path| !path.as_os_str().is_empty()).collect()
}

fn string(default: impl fmt::Display) -> OptionKind {
    OptionKind::String { default: default.to_string() }
}

/// The declarations of all options, with the settings as defaults.
pub(super) fn declarations(settings: &Settings) -> Vec<OptionDeclaration> {
    ALL.iter().map(|setting| setting.declaration(settings)).collect()
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
    for setting in &ALL {
        let declaration = setting.declaration(settings);
        if declaration.is_named(name) {
            let value = declaration.value(value)?;
            let refused = |reason| SettingError::Text { name: setting.name, reason };
            (setting.set)(settings, &value).map_err(refused)?;
            return Ok(setting.change);
        }
    }
    let options = ALL.map(|setting| setting.name).join(", ");
    Err(SettingError::Unknown { name: shown(name), options })
}

fn parsed<T: FromStr<Err: fmt::Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}

fn assign<T: FromStr<Err: fmt::Display>>(to: &mut T, value: &str) -> Result<(), String> {
    *to = parsed(value)?;
    Ok(())
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
