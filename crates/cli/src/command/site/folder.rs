//! The folder that is written. Nothing of others in it is changed.

use std::collections::HashSet;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use fanorona_explorer::site::{ASSETS, Checksum, Manifest, SHARDS};
use fanorona_storage::{AtomicFile, FileError, Operation, PartialKind};
use serde::Deserialize;

use crate::failure::Failure;
use crate::human::counted;

/// The name of files while they are written.
const PARTIAL: PartialKind = PartialKind::new("site");

/// Is there until the folder is complete for the first time, so that an interrupted command can go on.
const UNFINISHED: &str = ".fanorona-site";

/// The part of the folder that has the answers that were made beforehand.
pub(super) const ANSWERS: &str = "answers";

/// The parts of the folder that have only files of ours.
const OWN: [&str; 3] = [ASSETS, ANSWERS, "icons"];

/// The directory of a site.
pub(super) struct Folder {
    path: PathBuf,
    /// The paths of the files that it had before, by its manifest.
    earlier: Vec<String>,
    written: AtomicU64,
    unchanged: AtomicU64,
    bytes: AtomicU64,
}

/// The part of a manifest by which a folder of ours is known.
#[derive(Deserialize)]
struct Earlier {
    program: String,
    assets: Vec<EarlierAsset>,
}

#[derive(Deserialize)]
struct EarlierAsset {
    path: String,
}

impl Folder {
    /// A directory that may be written: there is nothing of others in it. Creates nothing.
    pub(super) fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let unreadable = || format!("cannot read the directory '{name}'");
        let found = fs::read_dir(path).map(|mut files| files.next().is_some());
        let earlier = match found {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(Failure::input(format!("--output '{name}' is not a directory")));
            }
            Err(error) => return Err(error).with_context(unreadable),
            Ok(false) => Vec::new(),
            Ok(true) if path.join(UNFINISHED).is_file() => Vec::new(),
            Ok(true) => earlier(path).ok_or_else(|| {
                Failure::input(format!(
                    "--output '{name}' has other files in it: name a new or an empty directory, or \
                     one that 'fanorona site' wrote before"
                ))
            })?,
        };
        let [written, unchanged, bytes] = [0; 3].map(AtomicU64::new);
        Ok(Self { path: path.to_owned(), earlier, written, unchanged, bytes })
    }

    /// Creates the directory if it does not exist.
    pub(super) fn begin(&self) -> anyhow::Result<()> {
        if earlier(&self.path).is_none() {
            let created = fs::create_dir_all(&self.path).and_then(|()| {
                fs::write(self.path.join(UNFINISHED), "fanorona site writes here\n")
            });
            let name = self.path.display();
            created.with_context(|| format!("cannot write the directory '{name}'"))?;
        }
        Ok(())
    }

    /// Writes a file, if it is not there with the same bytes.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.replace(path, bytes, AtomicFile::commit)?)
    }

    /// The same for a shard. Whoever reads it notices if the system crashes before it is on the disk,
    /// and the next run of the command too.
    pub(super) fn write_shard(&self, checksum: Checksum, bytes: &[u8]) -> anyhow::Result<()> {
        Ok(self.replace(&checksum.shard_path(), bytes, AtomicFile::commit_unsynced)?)
    }

    fn replace(
        &self,
        path: &str,
        bytes: &[u8],
        commit: fn(AtomicFile) -> Result<(), FileError>,
    ) -> Result<(), FileError> {
        let path = self.path.join(path);
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let length = bytes.len() as u64;
        let is_same = fs::metadata(&path)
            .is_ok_and(|found| found.is_file() && found.len() == length)
            && fs::read(&path).is_ok_and(|found| found == bytes);
        if is_same {
            self.unchanged.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        }
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).map_err(FileError::io(Operation::CreateDirectory, dir))?;
        }
        let mut file = AtomicFile::create(&path, PARTIAL)?;
        file.write_all(bytes).map_err(FileError::io(Operation::Write, &path))?;
        commit(file)?;
        self.written.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Writes the manifest, and removes what it does not name any more. Returns how many files.
    pub(super) fn finish(
        &self,
        manifest: &Manifest,
        shards: &HashSet<Checksum>,
    ) -> anyhow::Result<u64> {
        self.write(Manifest::FILE, manifest.text().as_bytes())?;
        let _ = fs::remove_file(self.path.join(UNFINISHED));
        let mut removed = 0;
        for path in &self.earlier {
            let is_named = manifest.assets.iter().any(|asset| asset.path == *path);
            if !is_named && is_own(path) {
                removed += u64::from(remove(&self.path.join(path))?);
            }
        }
        for dir in directories(&self.path.join(SHARDS)) {
            let first = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
            for file in files(&dir) {
                let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let is_old = match Checksum::parse(&format!("{first}{name}")) {
                    Some(checksum) if first.len() == 2 => !shards.contains(&checksum),
                    _ => PARTIAL.is_partial(&name),
                };
                if is_old {
                    removed += u64::from(remove(&file)?);
                }
            }
            // It stays if there is something in it.
            let _ = fs::remove_dir(&dir);
        }
        Ok(removed)
    }

    /// The failure of work that Ctrl-C ended.
    pub(super) fn interrupted(&self) -> anyhow::Error {
        let (written, unchanged, _) = self.totals();
        Failure::Interrupted(format!(
            "{} of the folder are there; the same command goes on from them",
            counted(written + unchanged, "file")
        ))
        .into()
    }

    /// How many files were written, how many were there, and their bytes.
    pub(super) fn totals(&self) -> (u64, u64, u64) {
        let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
        (count(&self.written), count(&self.unchanged), count(&self.bytes))
    }
}

/// The paths of the files of a folder that this command wrote; `None` if it did not.
fn earlier(path: &Path) -> Option<Vec<String>> {
    let text = fs::read_to_string(path.join(Manifest::FILE)).ok()?;
    let Earlier { program, assets } = serde_json::from_str(&text).ok()?;
    let is_ours = program.split(' ').next() == Some("fanorona");
    is_ours.then(|| assets.into_iter().map(|asset| asset.path).collect())
}

/// Whether a path of an earlier manifest is in a part that has only files of ours.
fn is_own(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    let first = parts.next().and_then(|part| part.as_os_str().to_str());
    first.is_some_and(|first| OWN.contains(&first))
        && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Removes a file, and says whether there was one.
fn remove(path: &Path) -> Result<bool, FileError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true).map_err(FileError::io(Operation::Remove, path)),
    }
}

/// The directories in a directory; none if it does not exist.
fn directories(dir: &Path) -> Vec<PathBuf> {
    listed(dir, |kind| kind.is_dir())
}

fn files(dir: &Path) -> Vec<PathBuf> {
    listed(dir, |kind| kind.is_file())
}

fn listed(dir: &Path, is_wanted: impl Fn(fs::FileType) -> bool) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().map_while(Result::ok);
    let wanted = entries.filter(|entry| entry.file_type().is_ok_and(&is_wanted));
    wanted.map(|entry| entry.path()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_ours_are_removed() {
        for path in ["assets/page.js", "assets/lang/old.json", "answers/9.json", "icons/1.png"] {
            assert!(is_own(path), "{path}");
        }
        for path in ["", "/etc/hosts", "../assets/a", "assets/../../a", "other/a", "robots.txt"] {
            assert!(!is_own(path), "{path}");
        }
    }
}
