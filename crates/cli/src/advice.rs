//! Advice about errors. The libraries do not know the commands.

use std::error::Error;
use std::path::Path;

use fanorona_builder::{BuildOptions, estimate};
use fanorona_core::{Board, ErrorKind, RuleSet};
use fanorona_engine::{EngineError, innermost};
use fanorona_knowledge::{BuildPlan, KnowledgeError, MissingTables};
use fanorona_perft::LevelError;
use fanorona_proof::CertificateError;
use fanorona_tablebase::{FileError, Goal, Metric, Resource, TableError, Task};

/// Advice about an error of a library, by its data; `None` if there is none.
pub(crate) fn about(error: &(dyn Error + 'static)) -> Option<String> {
    let error = innermost(error);
    if let Some(error) = error.downcast_ref::<TableError>() {
        return about_tables(error);
    }
    if let Some(error) = error.downcast_ref::<CertificateError>() {
        return about_certificate(error);
    }
    match error.downcast_ref() {
        Some(EngineError::MissingTables { missing, dir }) => {
            return Some(about_missing(missing, dir.as_deref()));
        }
        Some(EngineError::MissingBook { board, rules }) => {
            return Some(about_missing_book(*board, *rules));
        }
        _ => {}
    }
    if let Some(KnowledgeError::OtherBook { found_board, found_rules, .. }) = error.downcast_ref() {
        return Some(format!("choose them with '--board {found_board} --rules {found_rules}'"));
    }
    error.is::<LevelError>().then(|| {
        "choose another directory with TMPDIR, or allow more memory with --hash".to_owned()
    })
}

fn about_certificate(error: &CertificateError) -> Option<String> {
    match error {
        CertificateError::NeedsTables { board, rules, slice, metric, .. } => {
            let command = build_command(*board, *rules, slice.stones(), Path::new("tables"));
            let with = "name their directory with --tables, or build them with";
            Some(format!("{with} '{command} --metric {metric}'"))
        }
        CertificateError::OtherTable { .. } => {
            Some("use the tables it was made with, or make it again with these tables".to_owned())
        }
        CertificateError::File(FileError::Version { .. }) => {
            Some("make it again, or use the program that wrote it".to_owned())
        }
        CertificateError::MemoryLimit { .. } => Some("allow more with --memory".to_owned()),
        CertificateError::ExpansionMemory { limit, .. } => {
            let twice = limit.div_ceil(1 << 20).saturating_mul(2);
            Some(format!("allow more with --memory; try --memory {twice}"))
        }
        _ => None,
    }
}

fn about_tables(error: &TableError) -> Option<String> {
    match error {
        TableError::Missing { slice, board, rules, metric, dir } => {
            let metric = metric.unwrap_or(Metric::Wdl);
            let options = BuildOptions::new(dir, *board, *rules, slice.stones());
            Some(building(&options.with_metric(metric), ["it"; 2]))
        }
        TableError::File(error @ (FileError::Version { .. } | FileError::Corrupt { .. })) => {
            let command = if is_unpacked(error.path()) { "unpack" } else { "build" };
            Some(format!("delete it and {command} it again"))
        }
        TableError::Resources { task, resource, .. } => Some(needing_less(*task, *resource)),
        TableError::Busy { .. } => {
            Some("wait until it ends, or choose another directory".to_owned())
        }
        error if error.kind() == ErrorKind::OutOfDisk => Some(
            "free disk space and run the command again; it resumes from what is finished"
                .to_owned(),
        ),
        _ => None,
    }
}

/// How to build the tables that a book needs, in the directory that was given.
pub(crate) fn about_missing(missing: &MissingTables, dir: Option<&Path>) -> String {
    let dir = dir.unwrap_or(Path::new("tables"));
    let options = BuildOptions::new(dir, missing.board, missing.rules, missing.stones());
    let words = if missing.slices.len() == 1 { ["it"; 2] } else { ["they", "them"] };
    building(&options.with_metric(missing.metric), words)
}

/// How to get a certificate for the start of a game.
fn about_missing_book(board: Board, rules: RuleSet) -> String {
    let file = format!("{board}-{rules}.proof");
    format!(
        "name it with --book, as in 'fanorona play --book data/proofs/{file}', or with the option Book \
         of 'fanorona ugi'; if there is none for this game, try to make it with 'fanorona analyze \
         --board {board} --rules {rules} --certificate {file}'"
    )
}

/// How to build tables with up to a number of stones in a directory that has none of the game.
pub(crate) fn about_none(board: Board, rules: RuleSet, stones: u32, dir: &Path) -> String {
    to_build(&BuildOptions::new(dir, board, rules, stones))
}

/// How to build tables.
pub(crate) fn to_build(options: &BuildOptions) -> String {
    building(options, ["they", "them"])
}

/// The command that builds tables for positions of a game.
fn build_command(board: Board, rules: RuleSet, stones: u32, dir: &Path) -> String {
    let mut command = format!("fanorona build --board {board} --rules {rules} --stones {stones}");
    if dir != Path::new("tables") {
        command += &format!(" --tables {}", quoted(dir));
    }
    command
}

/// The command that carries out a plan in a directory.
pub(crate) fn build_of(plan: &BuildPlan, dir: &Path) -> String {
    let command = build_command(plan.board, plan.rules, plan.stones, dir);
    format!("{command} --metric {}", plan.metric)
}

/// A path as a shell reads it.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    shlex::try_quote(&text).expect("a path has no zero byte").into_owned()
}

/// How to build missing tables, or why this machine cannot. The words for them are those of a subject
/// and of an object.
fn building(options: &BuildOptions, [subject, object]: [&str; 2]) -> String {
    let BuildOptions { ref dir, board, rules, goal, metric, .. } = *options;
    match estimate(options).and_then(|estimate| estimate.check()) {
        Ok(()) => {
            let command = build_command(board, rules, goal.stones(), dir);
            format!("build {object} with '{command} --metric {metric}'")
        }
        Err(error @ TableError::Resources { .. }) => {
            format!("{subject} cannot be built on this machine: {error}")
        }
        Err(_) => {
            let stones = goal.stones();
            format!("{stones} stones are too many for tables; ask 'fanorona analyze'")
        }
    }
}

fn needing_less(task: Task, resource: Resource) -> String {
    match (task, resource) {
        (Task::Build(Goal::Stones(_)), Resource::Memory) => {
            "allow more memory with --memory, or build fewer stones".to_owned()
        }
        (Task::Build(_), Resource::Memory) => {
            "allow more memory with --memory, or build a smaller slice".to_owned()
        }
        (Task::Build(_), Resource::Disk) => "choose another directory".to_owned(),
        (Task::Build(_), Resource::DiskForWork) => {
            "allow more memory with --memory, or choose another directory with --work".to_owned()
        }
        (Task::Build(_), Resource::DiskWithCheckpoints) => {
            "choose another directory, or disable checkpoints with --checkpoint never".to_owned()
        }
        (Task::Unpack { .. }, _) => "unpack fewer stones".to_owned(),
        (Task::Verify { .. }, _) => {
            "verify fewer stones (--stones), other slices (--slice), only samples (--sample), or \
             compare with other tables (--same-as)"
                .to_owned()
        }
        _ => "free some memory or disk space".to_owned(),
    }
}

/// Whether a file is an unpacked table, by its name.
fn is_unpacked(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".unpacked.fano"))
}
