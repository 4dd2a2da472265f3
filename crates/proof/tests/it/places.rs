//! Paths that certificates are read from and written to: special files, links, and leftovers.

use std::fs;
use std::io;
use std::path::Path;

use fanorona_core::{RuleSet, Side, Value};
use fanorona_proof::{Certificate, CertificateError, Maker};

use crate::fixtures::{NEVER, Place, Solved, board, by_solution, check, claims};

/// A maker with a proof of the start of 3x3.
fn maker() -> Maker {
    let (rules, start) = (RuleSet::STANDARD, board("3x3").start());
    let solved = Solved::of(board("3x3"), rules);
    let mut maker = Maker::new(rules, &start, None).unwrap();
    let claim = claims(Value::Win, Side::White)[0];
    maker.prove(claim, &mut by_solution(&solved), &NEVER, |_| {}).unwrap();
    maker
}

fn names(dir: &Path) -> Vec<String> {
    let files = fs::read_dir(dir).unwrap();
    let mut names: Vec<_> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn kind(error: CertificateError) -> (io::ErrorKind, String) {
    let message = error.to_string();
    let CertificateError::File(error) = error else { panic!("{error:?}") };
    (error.kind(), message)
}

#[test]
fn a_failed_write_loses_no_proof() {
    let (place, maker) = (Place::new(), maker());
    let missing = place.dir().join("missing/proof.cert");
    let (found, message) = kind(maker.write(&missing, &NEVER).unwrap_err());
    assert_eq!(found, io::ErrorKind::NotFound);
    assert!(message.starts_with("cannot create a file in"), "{message}");
    let bytes = maker.write(place.file(), &NEVER).unwrap();
    assert_eq!(fs::metadata(place.file()).unwrap().len(), bytes);
    check(&place.file(), None).unwrap();
    assert_eq!(names(place.dir()), ["proof.cert"], "nothing else is left");
    // The maker can write it again, over the old file, with the same bytes.
    let first = fs::read(place.file()).unwrap();
    maker.write(place.file(), &NEVER).unwrap();
    assert_eq!(fs::read(place.file()).unwrap(), first);
}

#[test]
fn directories_and_missing_files_are_errors() {
    let place = Place::new();
    let open = |path: &Path| kind(Certificate::open(path).unwrap_err());
    let (found, message) = open(place.dir());
    assert_eq!(found, io::ErrorKind::IsADirectory);
    assert!(message.starts_with("cannot open"), "{message}");
    assert_eq!(open(&place.file()).0, io::ErrorKind::NotFound);
    let (found, _) = kind(maker().write(place.dir(), &NEVER).unwrap_err());
    assert_eq!(found, io::ErrorKind::IsADirectory);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    /// Opening a pipe without a writer would block.
    #[test]
    fn a_named_pipe_is_refused_without_blocking() {
        let place = Place::new();
        assert!(Command::new("mkfifo").arg(place.file()).status().unwrap().success());
        let (found, message) = kind(Certificate::open(place.file()).unwrap_err());
        assert_eq!(found, io::ErrorKind::InvalidInput);
        assert!(message.contains("proof.cert"), "{message}");
    }

    #[test]
    fn devices_and_links_stay() {
        let (place, maker) = (Place::new(), maker());
        let null = place.dir().join("null");
        symlink("/dev/null", &null).unwrap();
        maker.write(&null, &NEVER).unwrap();
        assert!(fs::symlink_metadata(&null).unwrap().is_symlink());
        assert!(fs::metadata(&null).unwrap().file_type().is_char_device());
        let link = place.dir().join("link");
        symlink("proof.cert", &link).unwrap();
        maker.write(&link, &NEVER).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        check(&place.file(), None).unwrap();
    }

    #[test]
    fn permissions_are_those_of_any_new_file() {
        let place = Place::new();
        let other = place.dir().join("other");
        fs::write(&other, "").unwrap();
        maker().write(place.file(), &NEVER).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&place.file()), mode(&other));
    }
}
