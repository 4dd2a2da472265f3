//! The program: what it prints, and its exit status.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::file::{kept, kept_proof};

fn run(arguments: &[&Path]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fanorona-recheck"))
        .args(arguments)
        .env_remove("FANORONA_TABLES")
        .output()
        .unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), out, err)
}

#[test]
fn a_proof_that_holds() {
    let (status, out, err) = run(&[&kept().join("5x3-free-capture.proof")]);
    let text = "BBBBB/BW1BW/WWWWW w\nfree-capture\ndraw, proved by 16,249 positions and 0 tables\n";
    assert_eq!((status, out.as_str(), err.as_str()), (Some(0), text, ""));
}

#[test]
fn an_empty_variable_is_not_set() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_fanorona-recheck"));
    program.arg(kept().join("5x3-free-capture.proof")).env("FANORONA_TABLES", "");
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_proof_that_does_not_hold() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("less.proof");
    let mut file = kept_proof("3x3-standard.proof");
    file.proofs[0].turns.pop();
    fs::write(&path, file.write()).unwrap();
    let (status, out, err) = run(&[&path]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    assert!(err.contains("less.proof: the proof does not hold"), "{err}");
}

#[test]
fn what_is_unusable() {
    let dir = tempfile::tempdir().unwrap();
    let list = dir.path().join("list");
    fs::write(&list, "things to buy, and a few more of them so that it is long enough").unwrap();
    let needs_tables = kept().join("9x5-standard.proof");
    for arguments in [vec![], vec![list.as_path()], vec![dir.path()], vec![&needs_tables]] {
        let (status, out, err) = run(&arguments);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
        assert!(err.starts_with("error: "), "{err}");
        let lacks_tables = arguments.contains(&needs_tables.as_path());
        assert!(!lacks_tables || err.ends_with("; name its directory with --tables\n"), "{err}");
    }
}

#[test]
fn help_fits_80_columns() {
    let (status, out, _) = run(&["--help".as_ref()]);
    assert_eq!(status, Some(0));
    assert!(out.contains("--tables <DIR>") && out.contains("Exit status"), "{out}");
    for line in out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
