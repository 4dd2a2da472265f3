//! The certificates of the repository.

use std::fs;
use std::path::PathBuf;

use fanorona_proof::Certificate;
use fanorona_recheck::CheckError;

use crate::file::{File, kept, recheck};

/// The kept certificates.
pub(crate) fn proofs() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for dir in [kept(), kept().join("openings"), kept().join("vela")] {
        let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
        found.extend(files.filter(|file| file.extension().is_some_and(|end| end == "proof")));
    }
    found
}

#[test]
fn kept_proofs_without_tables_hold() {
    let mut checked = 0;
    for path in proofs() {
        let certificate = Certificate::open(&path).unwrap();
        if !certificate.tables().is_empty() {
            // Without a directory it is refused, and not accepted on trust.
            let error = recheck(&path, None).unwrap_err();
            assert!(matches!(error, CheckError::NoTable { .. }), "{error}");
            continue;
        }
        let proved = recheck(&path, None).unwrap_or_else(|error| panic!("{error}"));
        let value = certificate.bounds().value().map(|value| value.to_string());
        assert_eq!(Some(proved.claim.to_owned()), value, "{}", path.display());
        assert_eq!(proved.entries, certificate.positions());
        assert_eq!(proved.position, certificate.position().to_string());
        assert_eq!(proved.rules, certificate.rules().to_string());
        assert_eq!(proved.tables, 0);
        checked += 1;
    }
    assert!(checked >= 18 + 171, "{checked}");
}

#[test]
fn the_writer_of_the_tests_writes_what_it_reads() {
    let dir = tempfile::tempdir().unwrap();
    for path in proofs() {
        if fs::metadata(&path).unwrap().len() > 10_000 {
            continue;
        }
        let file = File { block_entries: 100, ..File::read(&fs::read(&path).unwrap()) };
        let copy = dir.path().join("copy.proof");
        fs::write(&copy, file.write()).unwrap();
        let [first, second] = [&path, &copy].map(|path| Certificate::open(path).unwrap());
        assert_eq!(first.proofs(), second.proofs());
        assert_eq!(first.tables(), second.tables());
        if file.tables.is_empty() {
            assert_eq!(recheck(&path, None).unwrap(), recheck(&copy, None).unwrap());
        }
    }
}
