//! Replacing files: leftovers, permissions, and files that are not replaced.

use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use fanorona_storage::{AtomicFile, FileError, Operation, PartialKind, write_atomically};

const NOTES: PartialKind = PartialKind::new("notes");

fn write(path: &Path, text: &str) -> Result<(), FileError> {
    write_atomically(path, NOTES, |out| out.write_all(text.as_bytes()))
}

/// The operation that failed, and why.
fn refused(error: &FileError) -> (Operation, &io::Error) {
    match error {
        FileError::Io { operation, source, .. } => (*operation, source),
        error => panic!("{error}"),
    }
}

fn names(dir: &Path) -> Vec<String> {
    let files = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_created_and_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    for text in ["a long text", "short"] {
        write(&path, text).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    assert_eq!(names(dir.path()), ["file"]);
}

#[test]
fn a_failure_keeps_the_old_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    write(&path, "old").unwrap();
    let failed = write_atomically(&path, NOTES, |out| {
        out.write_all(&[b'x'; 100_000])?;
        Err::<(), _>(io::Error::other("out of ideas"))
    });
    let error = failed.unwrap_err();
    assert_eq!((refused(&error).0, error.path()), (Operation::Write, path.as_path()));
    assert_eq!(error.to_string(), format!("cannot write {}", path.display()));
    assert_eq!(refused(&error).1.to_string(), "out of ideas");
    drop(AtomicFile::create(&path, NOTES).unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(names(dir.path()), ["file"]);
}

/// The temporary file is nothing that anybody has asked for.
#[test]
fn a_file_that_cannot_be_created_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let error = AtomicFile::create(dir.path().join("none/file"), NOTES).map(drop).unwrap_err();
    let FileError::Io { operation, path, source } = error else { panic!("{error}") };
    assert_eq!((operation, path), (Operation::Create, dir.path().join("none")));
    assert_eq!(source.kind(), io::ErrorKind::NotFound);
    assert!(!source.to_string().contains(".partial-"), "{source}");
}

#[test]
fn partial_files_name_their_kind() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    let mut file = AtomicFile::create(&path, NOTES).unwrap();
    let partial = names(dir.path()).pop().unwrap();
    assert!(NOTES.is_partial(&partial), "{partial}");
    assert!(!PartialKind::new("table").is_partial(&partial));
    // The names that older versions removed as leftovers.
    assert!(!partial.starts_with(".partial-"));

    file.write_all(b"0123456789").unwrap();
    file.seek(SeekFrom::Start(3)).unwrap();
    file.write_all(b"x").unwrap();
    file.commit().unwrap();
    assert_eq!(names(dir.path()), ["file"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "012x456789");
}

#[test]
fn directories_are_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("sub")).unwrap();
    for path in ["", "sub", "sub/", "new/", "sub/.."] {
        let error = write(&dir.path().join(path), "text").unwrap_err();
        assert_eq!(refused(&error).0, Operation::Open, "{path}");
    }
    let missing = dir.path().join("missing");
    let error = AtomicFile::create(missing.join("file"), NOTES).map(drop).unwrap_err();
    assert_eq!((refused(&error).0, error.path()), (Operation::Create, missing.as_path()));
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    AtomicFile::create(&missing, NOTES).map(drop).unwrap();
    assert_eq!(names(dir.path()), ["sub"], "a check leaves nothing");
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;
    use std::thread;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn permissions_are_those_of_any_file() {
        let dir = tempfile::tempdir().unwrap();
        let [new, usual] = ["new", "usual"].map(|name| dir.path().join(name));
        write(&new, "text").unwrap();
        fs::write(&usual, "text").unwrap();
        assert_eq!(mode(&new), mode(&usual));
        for bits in [0o600, 0o664, 0o751] {
            fs::set_permissions(&new, Permissions::from_mode(bits)).unwrap();
            write(&new, "text").unwrap();
            assert_eq!(mode(&new), bits);
        }
    }

    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let target = elsewhere.path().join("target");
        let [link, chain] = ["link", "chain"].map(|name| dir.path().join(name));
        symlink(&target, &link).unwrap();
        symlink("link", &chain).unwrap();
        // The target does not exist at first.
        for text in ["one", "two"] {
            write(&chain, text).unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), text);
        }
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert!(fs::symlink_metadata(&chain).unwrap().is_symlink());
        assert_eq!(names(dir.path()), ["chain", "link"]);
        assert_eq!(names(elsewhere.path()), ["target"]);
    }

    fn pipe_in(dir: &Path) -> std::path::PathBuf {
        let path = dir.join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    #[test]
    fn a_pipe_is_written_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = pipe_in(dir.path());
        let error = write(&path, "text").unwrap_err();
        assert_eq!(refused(&error).0, Operation::Write);
        assert_eq!(refused(&error).1.to_string(), "nobody reads this pipe");

        // More than the capacity of a pipe.
        let text = "x".repeat(1 << 20);
        let reader = {
            let path = path.clone();
            thread::spawn(move || fs::read_to_string(path).unwrap())
        };
        // The reader may not have opened the pipe yet.
        while let Err(error) = write(&path, &text) {
            assert_eq!(refused(&error).1.to_string(), "nobody reads this pipe");
            thread::yield_now();
        }
        assert!(reader.join().unwrap() == text);
        assert!(fs::metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(names(dir.path()), ["pipe"]);
    }

    #[test]
    fn devices_are_written_and_stay() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("null");
        symlink("/dev/null", &link).unwrap();
        write(&link, "text").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        if Path::new("/dev/full").exists() {
            let error = write(Path::new("/dev/full"), "text").unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            assert_eq!(error.path(), Path::new("/dev/full"));
        }
    }

    #[test]
    fn a_file_that_lost_its_name_is_written() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"something longer").unwrap();
        let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file));
        if !Path::new(&path).exists() {
            return;
        }
        write(Path::new(&path), "text").unwrap();
        file.rewind().unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }

    #[test]
    fn a_write_protected_file_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
        if File::options().write(true).open(&path).is_ok() {
            // Root may write all files.
            write(&path, "new").unwrap();
            assert_eq!(mode(&path), 0o444);
            return;
        }
        let error = write(&path, "new").unwrap_err();
        assert_eq!(refused(&error).0, Operation::Open);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }
}
