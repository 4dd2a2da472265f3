//! The examples run.

use std::path::PathBuf;
use std::process::Command;

/// The output of an example; `None` if it was not built, as with `cargo test --test it`.
fn output(name: &str, args: &[&str]) -> Option<String> {
    let tests = std::env::current_exe().expect("the test has a path");
    let profile = tests.ancestors().nth(2).expect("target/PROFILE/deps").to_owned();
    let program: PathBuf = profile.join("examples").join(name);
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    if !program.exists() {
        println!("{} is not there: cargo test builds it", program.display());
        return None;
    }
    let output = Command::new(program).args(args).output().expect("it starts");
    assert!(output.status.success(), "{name}: {output:?}");
    Some(String::from_utf8(output.stdout).expect("it prints text"))
}

#[test]
fn a_game_is_played_to_its_end() {
    for board in ["3x3", "5x5", "9x5", "21x3"] {
        if let Some(output) = output("play", &[board]) {
            assert!(output.lines().count() > 5, "{output}");
            assert!(output.contains("the game "), "{output}");
        }
    }
}

#[test]
fn rule_sets_are_compared() {
    if let Some(output) = output("compare_rules", &[]) {
        assert!(output.contains("only under standard"), "{output}");
    }
    if let Some(output) = output("compare_rules", &["standard+direction-free"]) {
        assert!(output.contains("b3-c3W-d3A: only under standard+direction-free"), "{output}");
    }
}
