//! Tables: where they are, and how they are read and built.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use fanorona_core::{Board, ErrorKind, RuleSet};
use fanorona_tablebase::{Access, Method, Metric, Slice, Tables, TablesOptions, UnpackedTables};

use super::headings::ADVANCED_OPTIONS;
use super::one_of::one_of;
use crate::advice;
use crate::failure::Failure;

/// Refuses a number of `--stones`, and slices of `--slice`, that a board has too few stones for.
///
/// # Errors
/// If there is one.
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
    /// Directory of the tables [default: tables]. Several may be given as in PATH: a table that more
    /// than one has is that of the first. Commands that write tables need one
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

    /// The directory of a command that writes tables.
    ///
    /// # Errors
    /// If several were given.
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
}

/// A parser of metrics.
pub(crate) fn metric_parser() -> impl TypedValueParser<Value = Metric> {
    one_of(Metric::ALL.map(|metric| (metric.name(), metric)))
}

/// How a command computes values.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct MethodOptions {
    /// How to compute the values: rows and dense are fast, dense on boards with few empty points;
    /// plain is slow and simple; auto is rows or dense. The tables are the same
    #[arg(
        long,
        value_name = "METHOD",
        default_value = "auto",
        value_parser = method_parser(),
        help_heading = ADVANCED_OPTIONS
    )]
    method: MethodOption,
}

/// A method; `None` to choose one.
#[derive(Clone, Copy, Debug)]
struct MethodOption(Option<Method>);

fn method_parser() -> impl TypedValueParser<Value = MethodOption> {
    let names = Method::ALL.map(Method::name);
    let names = PossibleValuesParser::new(std::iter::once("auto").chain(names));
    names.map(|name| MethodOption(name.parse().ok()))
}

impl MethodOptions {
    /// The method; `None` to choose one.
    pub(crate) fn method(self) -> Option<Method> {
        self.method.0
    }
}

/// Where tables are, and how to read them.
#[derive(Debug, Args)]
pub(crate) struct ReadOptions {
    #[command(flatten)]
    tables: TableOptions,

    /// Read files instead of mapping them into memory: slower, and unpacked tables are not used for
    /// probing. Needed if another program may change tables while they are open; this one then
    /// reports an error
    #[arg(long, help_heading = ADVANCED_OPTIONS)]
    no_mmap: bool,
}

impl ReadOptions {
    /// Opens the tables of a game. `stones` are needed, see [`TableOptions::none_there`].
    ///
    /// # Errors
    /// If there is no such directory.
    pub(crate) fn open(
        &self,
        board: Board,
        rules: RuleSet,
        stones: Option<u32>,
    ) -> anyhow::Result<Tables> {
        let dirs = self.tables.dirs();
        if missing(&dirs).is_some() {
            return Err(self.none_there(board, rules, stones));
        }
        Ok(Tables::open_dirs(&dirs, board, rules, self.access())?)
    }

    /// Opens tables of a game in another directory, read in the same way.
    ///
    /// # Errors
    /// If there is no such directory.
    pub(crate) fn open_in(
        &self,
        dir: &Path,
        board: Board,
        rules: RuleSet,
    ) -> anyhow::Result<Tables> {
        Ok(Tables::open_with(dir, board, rules, self.access())?)
    }

    /// Whether files are read instead of mapped.
    pub(crate) fn no_mmap(&self) -> bool {
        self.no_mmap
    }

    /// How tables are read.
    pub(crate) fn access(&self) -> TablesOptions {
        if self.no_mmap { unmapped() } else { mapped() }
    }

    /// The directories, which may not exist if they were not named.
    ///
    /// # Errors
    /// If one was named and is no directory.
    #[cfg(feature = "serve")]
    pub(crate) fn dirs(&self) -> anyhow::Result<Vec<&Path>> {
        let dirs = self.tables.dirs();
        if self.tables.tables.is_some()
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
        self.tables.dirs()[0]
    }

    /// See [`TableOptions::none_there`].
    pub(crate) fn none_there(
        &self,
        board: Board,
        rules: RuleSet,
        stones: Option<u32>,
    ) -> anyhow::Error {
        self.tables.none_there(board, rules, stones)
    }

    /// The directories; none if none was named and the default one does not exist.
    ///
    /// # Errors
    /// If a directory that was named does not exist.
    pub(crate) fn dirs_if_there(&self, board: Board, rules: RuleSet) -> anyhow::Result<Vec<&Path>> {
        let dirs = self.tables.dirs();
        match missing(&dirs).is_some() {
            true if self.tables.tables.is_none() => Ok(Vec::new()),
            true => Err(self.none_there(board, rules, None)),
            false => Ok(dirs),
        }
    }

    /// Opens the tables; `None` where [`dirs_if_there`](Self::dirs_if_there) is empty.
    ///
    /// # Errors
    /// If a directory that was named does not exist.
    pub(crate) fn open_if_there(
        &self,
        board: Board,
        rules: RuleSet,
    ) -> anyhow::Result<Option<Tables>> {
        let dirs = self.dirs_if_there(board, rules)?;
        let open = || Tables::open_dirs(&dirs, board, rules, self.access());
        Ok((!dirs.is_empty()).then(open).transpose()?)
    }
}

/// A directory that certainly does not exist.
fn missing<'d>(dirs: &[&'d Path]) -> Option<&'d Path> {
    dirs.iter().find(|dir| matches!(dir.try_exists(), Ok(false))).copied()
}

/// How tables are opened that other programs may change: a change is an error, and never a wrong value
/// or the end of the program.
pub(crate) fn unmapped() -> TablesOptions {
    TablesOptions::default().with_unpacked(UnpackedTables::Ignore)
}

/// How commands open tables by default: mapped.
pub(crate) fn mapped() -> TablesOptions {
    #[expect(unsafe_code, reason = "mapping is faster than reading")]
    // SAFETY: mapped files must not change while they are open. This project replaces tables by
    // renaming, and never changes or shortens one. The help of `--no-mmap` requires that option if
    // another program may change them.
    let access = unsafe { Access::map() };
    TablesOptions::default().with_access(access)
}
