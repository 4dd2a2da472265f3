//! What a person can do about an error of tables or certificates. The libraries know no commands.

use std::io;
use std::path::Path;

use fanorona_core::{Board, RuleSet};
use fanorona_proof::CertificateError;
use fanorona_tablebase::{BuildOptions, Goal, Metric, Resource, TableError, Task, estimate};

/// What to do about an error of certificates; `None` if its message says all there is to say.
pub(crate) fn about_certificate(error: &CertificateError) -> Option<String> {
    match error {
        CertificateError::Tables(error) => about_tables(error),
        CertificateError::NeedsTables { board, rules, slice, metric, .. } => {
            let command = build_command(*board, *rules, slice.stones(), Path::new("tables"));
            let with = "give their directory with --tables, or build them with";
            Some(format!("{with} '{command} --metric {metric}'"))
        }
        CertificateError::OtherTable { .. } => {
            Some("use the tables that it was made with, or make it again with these".to_owned())
        }
        CertificateError::Version { .. } => {
            Some("make it again, or use the program that wrote it".to_owned())
        }
        CertificateError::MemoryLimit { .. } => Some("give more with --memory".to_owned()),
        _ => None,
    }
}

/// What to do about an error of tables; `None` if its message says all there is to say.
pub(crate) fn about_tables(error: &TableError) -> Option<String> {
    match error {
        TableError::Missing { slice, board, rules, metric, dir } => {
            let metric = metric.unwrap_or(Metric::Wdl);
            Some(building(
                &BuildOptions::new(dir, *board, *rules, slice.stones()).with_metric(metric),
            ))
        }
        TableError::Version { path, .. } | TableError::Corrupt { path, .. } => {
            let command = if is_unpacked(path) { "unpack" } else { "build" };
            Some(format!("delete it and {command} it again"))
        }
        TableError::Foreign { .. } => {
            Some("unpack it again with 'fanorona unpack', or delete it".to_owned())
        }
        TableError::Resources { task, resource, .. } => Some(making_room(*task, *resource)),
        TableError::Busy { .. } => Some("wait for it, or choose another directory".to_owned()),
        TableError::Io { source, .. } => {
            use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
            matches!(source.kind(), StorageFull | QuotaExceeded | FileTooLarge).then(|| {
                "make room and run the command again: what was finished is kept".to_owned()
            })
        }
        _ => None,
    }
}

/// The command that builds tables for positions of a game.
pub(crate) fn build_command(board: Board, rules: RuleSet, stones: u32, dir: &Path) -> String {
    let mut command = format!("fanorona build --board {board} --rules {rules} --stones {stones}");
    if dir != Path::new("tables") {
        command += &format!(" --tables {}", dir.display());
    }
    command
}

/// How to build tables that are missing, or why that cannot be done here.
fn building(options: &BuildOptions) -> String {
    let BuildOptions { ref dir, board, rules, goal, metric, .. } = *options;
    match estimate(options).and_then(|estimate| estimate.check()) {
        Ok(()) => {
            let command = build_command(board, rules, goal.stones(), dir);
            format!("build it with '{command} --metric {metric}'")
        }
        Err(error @ TableError::Resources { .. }) => format!("it cannot be built here: {error}"),
        Err(_) => "no table with that many stones can be built".to_owned(),
    }
}

fn making_room(task: Task, resource: Resource) -> String {
    match (task, resource) {
        (Task::Build(Goal::Stones(_)), Resource::Memory) => "build fewer stones".to_owned(),
        (Task::Build(_), Resource::Memory) => "build a smaller slice".to_owned(),
        (Task::Build(_), Resource::Disk) => "choose another directory".to_owned(),
        (Task::Build(_), Resource::DiskWithCheckpoints) => {
            "choose another directory, or do without checkpoints (--checkpoint never)".to_owned()
        }
        (Task::Unpack { .. }, _) => "unpack fewer stones".to_owned(),
        (Task::Verify { .. }, _) => {
            "verify fewer stones (--stones), samples (--sample), or against tables with distances \
             (--against)"
                .to_owned()
        }
        _ => "make room".to_owned(),
    }
}

fn is_unpacked(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".unpacked.fano"))
}
