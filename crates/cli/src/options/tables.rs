//! Tables: where they are, and how they are read and built.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueHint};
use fanorona_core::{Board, ErrorKind, RuleSet};
use fanorona_tablebase::{Access, Slice, Tables, TablesOptions};

use crate::advice;
use crate::failure::Failure;

/// Refuses a number of `--stones`, and slices of `--slice`, that a board has too few stones for.
pub(crate) fn check_size(
    stones: Option<u32>,
    slices: &[Slice],
    board: Board,
) -> anyhow::Result<()> {
    if let Some(stones) = stones.filter(|stones| *stones > 2 * board.max_stones()) {
        return Err(too_large(format_args!("--stones {stones}"), board));
    }
    match slices.iter().find(|slice| !slice.is_on(board)) {
        Some(slice) => Err(too_large(format_args!("--slice {slice}"), board)),
        None => Ok(()),
    }
}

/// The error of an option that asks for more stones than a board has.
fn too_large(option: impl Display, board: Board) -> anyhow::Error {
    let most = board.max_stones();
    let limit = format!("{board} has {} stones, {most} of each side", 2 * most);
    Failure::input(format!("{option} is too large: {limit}"))
}

/// Tables with so many stones are built in seconds.
const FEW_STONES: u32 = 4;

/// Where tables are.
#[derive(Debug, Args)]
pub(crate) struct TableOptions {
    /// Directory of the tables, or several as in PATH [default: tables]
    #[arg(
        long, value_name = "DIR", env = "FANORONA_TABLES", hide_env_values = true,
        value_parser = OsStringValueParser::new().try_map(Dirs::split),
        value_hint = ValueHint::DirPath
    )]
    tables: Option<Dirs>,
}

/// Directories, at least one.
#[derive(Clone, Debug)]
struct Dirs(Vec<PathBuf>);

impl Dirs {
    /// The directories of a text as `PATH` has it.
    fn split(text: OsString) -> Result<Self, String> {
        let dirs: Vec<_> = env::split_paths(&text).collect();
        if dirs.iter().any(|dir| dir.as_os_str().is_empty()) {
            return Err("write the name of a directory, or several as in PATH".to_owned());
        }
        Ok(Self(dirs))
    }
}

impl TableOptions {
    /// The directories, of which there is at least one.
    fn dirs(&self) -> Vec<&Path> {
        match &self.tables {
            Some(Dirs(dirs)) => dirs.iter().map(PathBuf::as_path).collect(),
            None => vec![Path::new("tables")],
        }
    }

    /// The directory of a command that writes tables; several are refused.
    pub(crate) fn one_dir(&self) -> anyhow::Result<&Path> {
        match self.dirs()[..] {
            [dir] => Ok(dir),
            _ => Err(Failure::input(
                "--tables or FANORONA_TABLES has several directories: name the one to write to with \
                 --tables",
            )),
        }
    }

    /// The error of a directory without tables of a game, with how to build those up to a number of
    /// stones; `None` if the command needs no certain number.
    pub(crate) fn none_there(
        &self,
        board: Board,
        rules: RuleSet,
        stones: Option<u32>,
    ) -> anyhow::Error {
        let dirs = self.dirs();
        if dirs.len() > 1
            && let Some(dir) = missing(&dirs)
        {
            let message = format!("there is no table directory {}", dir.display());
            return Failure::Other(ErrorKind::NotFound, message).into();
        }
        let advice = advice::about_none(board, rules, stones.unwrap_or(FEW_STONES), dirs[0]);
        let is_there = missing(&dirs).is_none();
        let kind = if is_there { ErrorKind::MissingTable } else { ErrorKind::NotFound };
        let dir = dirs.iter().map(|dir| dir.display().to_string()).collect::<Vec<_>>().join(" or ");
        Failure::Other(kind, format!("no tables of {board} under {rules} in {dir}; {advice}"))
            .into()
    }

    /// Opens the tables of a game, mapped. `stones` are needed, see [`none_there`](Self::none_there).
    pub(crate) fn open(
        &self,
        board: Board,
        rules: RuleSet,
        stones: Option<u32>,
    ) -> anyhow::Result<Tables> {
        self.open_with(board, rules, stones, mapped())
    }

    /// The same, with how to read them.
    pub(crate) fn open_with(
        &self,
        board: Board,
        rules: RuleSet,
        stones: Option<u32>,
        access: TablesOptions,
    ) -> anyhow::Result<Tables> {
        let dirs = self.dirs();
        if missing(&dirs).is_some() {
            return Err(self.none_there(board, rules, stones));
        }
        Ok(Tables::open_dirs(&dirs, board, rules, access)?)
    }

    /// The directories, of which those that were named exist.
    #[cfg(feature = "serve")]
    pub(crate) fn checked_dirs(&self) -> anyhow::Result<Vec<&Path>> {
        let dirs = self.dirs();
        if self.tables.is_some()
            && let Some(dir) = dirs.iter().find(|dir| !dir.is_dir())
        {
            let name = dir.display();
            return Err(Failure::input(match dir.exists() {
                true => format!("--tables {name} is not a directory"),
                false => format!("there is no table directory {name}"),
            }));
        }
        Ok(dirs)
    }

    /// The directory that tables would be built in.
    pub(crate) fn dir_to_build(&self) -> &Path {
        self.dirs()[0]
    }

    /// The directories; none if none was named and the default one does not exist.
    pub(crate) fn dirs_if_there(&self, board: Board, rules: RuleSet) -> anyhow::Result<Vec<&Path>> {
        let dirs = self.dirs();
        match missing(&dirs).is_some() {
            true if self.tables.is_none() => Ok(Vec::new()),
            true => Err(self.none_there(board, rules, None)),
            false => Ok(dirs),
        }
    }

    /// Opens the tables; `None` where [`dirs_if_there`](Self::dirs_if_there) is empty.
    pub(crate) fn open_if_there(
        &self,
        board: Board,
        rules: RuleSet,
    ) -> anyhow::Result<Option<Tables>> {
        let dirs = self.dirs_if_there(board, rules)?;
        let open = || Tables::open_dirs(&dirs, board, rules, mapped());
        Ok((!dirs.is_empty()).then(open).transpose()?)
    }
}

/// A directory that certainly does not exist.
fn missing<'d>(dirs: &[&'d Path]) -> Option<&'d Path> {
    dirs.iter().find(|dir| matches!(dir.try_exists(), Ok(false))).copied()
}

/// How commands open tables by default: mapped.
pub(crate) fn mapped() -> TablesOptions {
    #[expect(unsafe_code, reason = "mapping is faster than reading")]
    // SAFETY: mapped files must not change while they are open. This project replaces tables by
    // renaming, and never changes or shortens one. Users are told so by the page on probing, and by
    // the help of `--no-mmap` where a change is likely.
    let access = unsafe { Access::map() };
    TablesOptions { access, ..TablesOptions::default() }
}
