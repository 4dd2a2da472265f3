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
fn turns_are_counted_with_a_table() {
    if let Some(output) = output("count", &[]) {
        assert!(
            output.lines().any(|line| line.split_whitespace().eq(["8", "2018119"])),
            "{output}"
        );
    }
}

#[test]
fn suites_are_checked() {
    if let Some(output) = output("check_suite", &[]) {
        assert_eq!(output, "built in: 4 counts checked, 0 skipped\n");
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/perft/countings.perft");
    if let Some(output) = output("check_suite", &[file]) {
        assert!(output.contains("countings.perft: "), "{output}");
    }
}
