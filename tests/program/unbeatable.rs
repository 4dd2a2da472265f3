//! `play --level 9`: what it needs, and that it says so.

use std::path::{Path, PathBuf};

use predicates::prelude::*;

use crate::{fanorona, refused_in, words};

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs").join(name)
}

#[test]
fn it_wins_where_its_book_says_so() {
    let dir = tempfile::tempdir().expect("a directory");
    let (file, play) = (kept("5x3-standard.proof"), "play --board 5x3 --time 20ms");
    let args = format!("{play} --side none --level unbeatable --book \"{}\"", file.display());
    let run = fanorona(words(&args)).current_dir(&dir).assert().success();
    let over = predicate::str::contains("the game is over: white has won");
    run.stdout(over.and(predicate::str::contains("level 9 (unbeatable)")));
}

/// The certificate of the start is a part of the program.
#[test]
fn it_has_a_book_of_its_own() {
    let dir = tempfile::tempdir().expect("a directory");
    let args = "play --board 5x3 --time 20ms --side none --level unbeatable";
    let run = fanorona(words(args)).current_dir(&dir).assert().success();
    run.stdout(predicate::str::contains("the game is over: white has won"));
}

#[test]
fn it_says_what_is_missing() {
    let dir = tempfile::tempdir().expect("a directory");
    let dir = dir.path();
    let parts = ["needs a certificate", "--book data/proofs/9x5-standard.proof"];
    refused_in(dir, "play --level 9 --book none", 2, &parts);
    // The certificate of the start is a part of the program; its tables are not.
    refused_in(dir, "play --level 9", 2, &["level 9", "9x5 under standard up to 8 stones"]);
    let play = format!("play --level 9 --book \"{}\"", kept("5x5-standard.proof").display());
    // Tables that any machine has the memory for: otherwise the message says that it has not.
    let parts = ["up to 6 stones", "fanorona build --board 5x5 --rules standard --stones 6"];
    refused_in(dir, &format!("{play} --board 5x5"), 2, &parts);
    refused_in(dir, &play, 2, &["not 9x5 under standard"]);
    refused_in(dir, "play --level 9 --book missing.proof", 2, &["missing.proof"]);
    refused_in(dir, "play --level 3 --book missing.proof", 2, &["--level 9"]);
    refused_in(dir, "play --level 10", 2, &["9 (unbeatable)"]);
}
