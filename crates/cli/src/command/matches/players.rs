//! The two programs of a match.

use std::env;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use fanorona_core::RuleSet;
use fanorona_engine::{Level, MAX_NAME, Options};
use fanorona_ugi::arena::ProgramPlayer;
use fanorona_ugi::client::{ClientError, ProgramCommand, ProgramSettings, Trace};

use crate::failure::Failure;
use crate::options::{Root, program_option};
use crate::output;

/// Who plays.
#[derive(Debug, Args)]
pub(super) struct Contestants {
    /// Program that plays, with its arguments, as in "./engine --fast"; can be given twice
    #[arg(long = "engine", value_name = "COMMAND")]
    engines: Vec<ProgramCommand>,

    /// Level of this program: 1 to 9, or a name
    #[arg(long = "level", value_name = "LEVEL")]
    levels: Vec<Level>,

    /// Option of the players' protocol, as in Hash=64
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = for_player(program_option))]
    options: Vec<ForPlayer<(String, String)>>,
}

/// Something of one player, 0 or 1, or of both.
#[derive(Clone, Debug)]
pub(super) struct ForPlayer<T> {
    pub player: Option<usize>,
    pub value: T,
}

impl<T> ForPlayer<T> {
    fn is_of(&self, player: usize) -> bool {
        self.player.is_none_or(|only| only == player)
    }
}

/// The longest name: a record takes [`MAX_NAME`], and two equal names get a number.
const LONGEST_NAME: usize = MAX_NAME - 4;

/// A parser of something that can have 1: or 2: before it, for one player.
pub(super) fn for_player<T>(
    read: impl Fn(&str) -> Result<T, String> + Clone,
) -> impl Fn(&str) -> Result<ForPlayer<T>, String> + Clone {
    move |text| {
        let (player, rest) = match text.split_once(':') {
            Some(("1", rest)) => (Some(0), rest),
            Some(("2", rest)) => (Some(1), rest),
            Some((number, rest)) if number.parse::<u64>().is_ok() => {
                return Err(format!("there is no player {number}: write 1: or 2:, as in 2:{rest}"));
            }
            _ => (None, text),
        };
        Ok(ForPlayer { player, value: read(rest)? })
    }
}

/// The programs, the first of which are already started.
#[derive(Debug)]
pub(super) struct Players<'a> {
    settings: [ProgramSettings; 2],
    names: [String; 2],
    started: [Mutex<Option<ProgramPlayer<'a>>>; 2],
    stop: &'a AtomicBool,
}

impl<'a> Players<'a> {
    /// Starts both programs, to see whether they can play, and who they are. `levels` are the commands
    /// of the levels, which play by the seed.
    pub(super) fn start(
        contestants: &Contestants,
        root: &Root,
        levels: &[ProgramCommand],
        seed: u64,
        timeout: Duration,
        trace: Option<impl Fn(usize) -> Trace>,
        stop: &'a AtomicBool,
    ) -> anyhow::Result<Self> {
        let rules = &root.rules;
        let mut settings = contestants.settings(levels, seed)?;
        for (player, settings) in settings.iter_mut().enumerate() {
            settings.timeout = timeout;
            settings.trace = trace.as_ref().map(|trace| trace(player));
        }
        let start = |player: usize| {
            let settings: &ProgramSettings = &settings[player];
            match ProgramPlayer::start(settings, stop) {
                Err(ClientError::Stopped) => {
                    Err(Failure::Interrupted("no game was played".to_owned()).into())
                }
                started => started.with_context(|| format!("player {} cannot play", player + 1)),
            }
        };
        let players = [start(0)?, start(1)?];
        for (player, started) in players.iter().enumerate() {
            if *rules != RuleSet::STANDARD && !started.program().knows_rules(rules) {
                output::message(format_args!(
                    "warning: player {} ({}) has no option for the rules {rules}; it must know them",
                    player + 1,
                    started.program().name(),
                ));
            }
        }
        let names = contestants.names(players.each_ref().map(|one| one.program().name()));
        let started = players.map(|player| Mutex::new(Some(player)));
        Ok(Self { settings, names, started, stop })
    }

    /// The names, which differ.
    pub(super) fn names(&self) -> [&str; 2] {
        self.names.each_ref().map(String::as_str)
    }

    /// A running player.
    pub(super) fn take_or_start(&self, player: usize) -> Result<ProgramPlayer<'a>, ClientError> {
        let mut started = self.started[player].lock().unwrap_or_else(PoisonError::into_inner);
        match started.take() {
            Some(started) => Ok(started),
            None => {
                drop(started);
                ProgramPlayer::start(&self.settings[player], self.stop)
            }
        }
    }
}

impl Contestants {
    /// The levels of this program that play.
    pub(super) fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// How both programs are started.
    fn settings(
        &self,
        levels: &[ProgramCommand],
        seed: u64,
    ) -> anyhow::Result<[ProgramSettings; 2]> {
        let engines = self.engines.iter().cloned().map(ProgramSettings::new);
        let levels = levels.iter().cloned().map(|command| {
            let mut settings = ProgramSettings::new(command);
            settings.options.push(("Seed".to_owned(), seed.to_string()));
            settings
        });
        let players: Vec<_> = engines.chain(levels).collect();
        let number = players.len();
        let mut players: [ProgramSettings; 2] = players.try_into().map_err(|_| {
            Failure::input(format!(
                "a match has two players, not {number}; give --engine or --level twice, or each once"
            ))
        })?;
        for (player, settings) in players.iter_mut().enumerate() {
            let options = self.options.iter().filter(|option| option.is_of(player));
            settings.options.extend(options.map(|option| option.value.clone()));
        }
        Ok(players)
    }

    /// The names of the players, by what the programs call themselves.
    fn names(&self, called: [&str; 2]) -> [String; 2] {
        let engines = self.engines.len();
        let mut names = [0_usize, 1].map(|player| {
            let level = player.checked_sub(engines).and_then(|at| self.levels.get(at));
            // What a program calls itself is no reason to fail.
            let called = called[player].chars().take(LONGEST_NAME).collect();
            level.map_or(called, |level| format!("level {level}"))
        });
        if names[0] == names[1] {
            for (number, name) in (1..).zip(&mut names) {
                *name += &format!(" ({number})");
            }
        }
        names
    }
}

/// The command of a level of this program. The game is given here too, because level 9 needs a
/// proof of its start when the program starts.
pub(super) fn level_command(player: &Options, root: &Root) -> anyhow::Result<ProgramCommand> {
    let program = env::current_exe().context("cannot find this program")?;
    let text = |path: &Path| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| Failure::input(format!("the path '{}' is not text", path.display())))
    };
    let mut arguments = vec!["ugi".to_owned()];
    let mut option = |name: &str, value: String| arguments.push(format!("--{name}={value}"));
    option("board", root.board.to_string());
    option("rules", root.rules.to_string());
    option("level", player.level.to_string());
    if !player.tables.is_empty() {
        let tables =
            env::join_paths(&player.tables).context("a path of tables cannot be passed on")?;
        option("tables", text(Path::new(&tables))?);
    }
    Ok(ProgramCommand::new(text(&program)?, arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_has_the_game_and_the_tables_of_the_match() {
        let start = "5x5".parse::<fanorona_core::Board>().expect("a board").start();
        let root = Root { board: start.board(), rules: RuleSet::STANDARD, position: start };
        let mut player = Options::default();
        player.tables = vec!["t".into()];
        let command = level_command(&player, &root).expect("the paths are text");
        let expected = "ugi --board=5x5 --rules=standard --level=8 --tables=t";
        assert_eq!(command.arguments.join(" "), expected);
    }

    #[test]
    fn options_are_read_for_one_player_or_both() {
        let read = |text: &str| {
            let ForPlayer { player, value: (name, value) } = for_player(program_option)(text)?;
            Ok::<_, String>((player, name, value))
        };
        assert_eq!(read("Hash=64"), Ok((None, "Hash".into(), "64".into())));
        assert_eq!(read("2:My Option =a=b "), Ok((Some(1), "My Option".into(), "a=b ".into())));
        assert_eq!(read("a:b="), Ok((None, "a:b".into(), String::new())));
        for wrong in ["", "Hash", "=64", "1:=64", "1:Hash", "0:Hash=1", "3:Hash=1", "12:Hash=1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
