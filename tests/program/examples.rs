//! The examples in the help texts.

use std::fs;
use std::path::Path;

use fanorona_tests::effort;

use crate::{fanorona, words};

/// The commands that the help lists.
fn commands() -> Vec<String> {
    let help = fanorona(["--help"]).assert().success().get_output().stdout.clone();
    let help = String::from_utf8(help).expect("help is UTF-8");
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| !line.is_empty())
        // The name; a line that only goes on with a description is indented further.
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .chain(["rules"])
        .map(str::to_owned)
        .collect()
}

/// The examples of a help text: what stands behind the program's name on lines of their own.
fn examples(command: &str) -> Vec<String> {
    let args = command.split_whitespace().chain(["--help"]);
    let help = fanorona(args).assert().success().get_output().stdout.clone();
    let help = String::from_utf8(help).expect("help is UTF-8");
    let examples = help.lines().filter_map(|line| line.strip_prefix("  fanorona "));
    examples.map(str::to_owned).collect()
}

#[test]
fn every_example_of_every_help_runs() {
    let dir = tempfile::tempdir().expect("a directory");
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft");
    let suites = dir.path().join("data/perft");
    fs::create_dir_all(&suites).expect("a directory can be made");
    for file in fs::read_dir(data).expect("the suites are there") {
        let file = file.expect("it can be listed");
        fs::copy(file.path(), suites.join(file.file_name())).expect("it can be copied");
    }

    #[cfg(feature = "serve")]
    crate::site::write_module(&dir.path().join("target/wasm"));
    let run = |example: &str| {
        println!("fanorona {example}");
        // A server does not end by itself: `serve.rs` starts it and ends it. A bench takes long.
        if example.starts_with("serve") || effort(example == "bench", false) {
            return;
        }
        fanorona(words(example)).current_dir(&dir).assert().success();
    };
    let commands = commands();
    assert!(commands.len() >= 5, "{commands:?}");
    examples("").iter().for_each(|example| run(example));
    // Tables are built before those who look at them.
    let (builds, others): (Vec<_>, Vec<_>) = commands.iter().partition(|name| *name == "build");
    for command in builds.into_iter().chain(others) {
        let examples = examples(command);
        assert!(!examples.is_empty(), "the help of {command} has no example");
        examples.iter().for_each(|example| run(example));
    }
}
