//! Commands in pages, and what they print.
//!
//! A block with the language `console` is run:
//!
//! ````text
//! ```console
//! $ fanorona perft 2
//! …
//!     1                    5    0.000
//! ```
//! ````
//!
//! Lines that start with `$ ` are commands for a POSIX shell, the others are what the command before
//! them prints, on both outputs. A line `…` stands for any lines, and a line that ends with ` …` for
//! one that goes on. Spaces and fractional numbers, such as seconds, may differ. A block with the
//! language `sh` whose next block is `text` is run too. All blocks of a page run in one directory,
//! in their order; `data` and `tools` of the repository are there.
//!
//! `FANORONA_UPDATE_PAGES=1 cargo test -p fanorona-cli --test program docs` writes what commands
//! print now into the pages, except where a page uses `…`: these it only checks.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{name, pages, root};

/// A command of a page.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    command: String,
    /// The lines that it prints, by their indices in the page.
    output: std::ops::Range<usize>,
}

/// The commands of a page that have to run, in their order.
fn commands(lines: &[&str]) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        let Some(language) = lines[i].strip_prefix("```") else {
            i += 1;
            continue;
        };
        let begin = i + 1;
        let length = lines[begin..].iter().position(|line| line.starts_with("```"));
        let end = begin + length.expect("every block ends");
        match language {
            "console" => {
                for (line, text) in lines.iter().enumerate().take(end).skip(begin) {
                    if let Some(command) = text.strip_prefix("$ ") {
                        found.push(Shown {
                            command: command.to_owned(),
                            output: line + 1..line + 1,
                        });
                    } else {
                        let last = found.last_mut().expect("output follows a command");
                        assert_eq!(last.output.end, line, "a block begins with a command");
                        last.output.end = line + 1;
                    }
                }
            }
            "sh" => {
                let next = (end + 1..lines.len()).find(|line| !lines[*line].is_empty());
                let text = next.filter(|line| lines[*line] == "```text");
                if let Some(text) = text {
                    let length = lines[text + 1..].iter().position(|line| line.starts_with("```"));
                    let output = text + 1..text + 1 + length.expect("every block ends");
                    found.push(Shown { command: lines[begin..end].join("\n"), output });
                }
            }
            _ => {}
        }
        i = end + 1;
    }
    found
}

/// Runs a command in a directory, with the program in the path, and gives the lines of both outputs.
fn run(command: &str, dir: &Path) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_fanorona"));
    let programs = program.parent().expect("a file has a directory").display();
    let path = std::env::var("PATH").unwrap_or_default();
    // The program as Cargo would run it from the repository.
    let command = command.replace("cargo run --release -p fanorona-cli --", "fanorona");
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(dir)
        .env("PATH", format!("{programs}:{path}"))
        .env_remove("FANORONA_TABLES")
        .env_remove("RAYON_NUM_THREADS")
        .output()
        .expect("there is a shell");
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}

/// Whether a word is a number that differs from run to run, such as seconds: it has a fraction.
fn is_fraction(word: &str) -> bool {
    let word = word.trim_end_matches([',', ';', ')']).trim_start_matches('(');
    word.split_once('.').is_some_and(|(whole, fraction)| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits(&whole.replace(',', "")) && digits(fraction)
    })
}

/// Whether a line is what a page shows.
fn same_line(shown: &str, printed: &str) -> bool {
    let (shown, goes_on) = match shown.strip_suffix(" …") {
        Some(begin) => (begin, true),
        None => (shown, false),
    };
    let mut printed = printed.split_whitespace();
    let all_same = shown.split_whitespace().all(|word| {
        printed.next().is_some_and(|found| word == found || is_fraction(word) && is_fraction(found))
    });
    all_same && (goes_on || printed.next().is_none())
}

/// Whether lines are what a page shows.
fn same(shown: &[&str], printed: &[String]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"…", rest)) => (0..=printed.len()).any(|skip| same(rest, &printed[skip..])),
        Some((line, rest)) => printed
            .split_first()
            .is_some_and(|(first, others)| same_line(line, first) && same(rest, others)),
    }
}

/// Runs the commands of a page and returns what differs, or writes it into the page.
#[cfg(unix)]
fn check(page: &Path, update: bool) -> Vec<String> {
    let text = fs::read_to_string(page).expect("a page is text");
    let lines: Vec<&str> = text.lines().collect();
    let commands = commands(&lines);
    if commands.is_empty() {
        return Vec::new();
    }
    let dir = tempfile::tempdir().expect("a directory");
    for shared in ["data", "tools"] {
        std::os::unix::fs::symlink(root().join(shared), dir.path().join(shared))
            .expect("a link can be made");
    }
    let mut failures = Vec::new();
    let mut updated: Vec<String> = Vec::new();
    let mut copied = 0;
    for Shown { command, output } in commands {
        let printed = run(&command, dir.path());
        let shown = &lines[output.clone()];
        if same(shown, &printed) {
            continue;
        }
        if update && !shown.iter().any(|line| line.ends_with('…')) {
            updated.extend(lines[copied..output.start].iter().map(|line| (*line).to_owned()));
            updated.extend(printed);
            copied = output.end;
        } else {
            failures.push(format!(
                "{}, line {}: $ {command}\n{}",
                name(page),
                output.start,
                printed.join("\n")
            ));
        }
    }
    if copied > 0 {
        updated.extend(lines[copied..].iter().map(|line| (*line).to_owned()));
        fs::write(page, updated.join("\n") + "\n").expect("the page can be written");
    }
    failures
}

#[cfg(unix)]
#[test]
fn every_command_of_a_page_prints_what_the_page_shows() {
    let update = std::env::var_os("FANORONA_UPDATE_PAGES").is_some();
    let failures: Vec<_> = pages().iter().flat_map(|page| check(page, update)).collect();
    assert!(failures.is_empty(), "pages show something else:\n{}", failures.join("\n\n"));
}

#[test]
fn a_difference_is_noticed() {
    let page = "```console\n$ one\na 0.12 b\n…\nlast …\n$ two\n```\n\n```sh\nthree\n```\n\n```text\nc\n```";
    let lines: Vec<&str> = page.lines().collect();
    let found = commands(&lines);
    let names: Vec<_> = found.iter().map(|shown| shown.command.as_str()).collect();
    assert_eq!(names, ["one", "two", "three"]);
    let shown = |i: usize| &lines[found[i].output.clone()];
    let printed = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(same(shown(0), &printed("a  3.4 b\nx\ny\nlast of all")));
    assert!(!same(shown(0), &printed("a  34 b\nx\ny\nlast of all")));
    assert!(!same(shown(0), &printed("a 3.4 b\nx\nlast of all\nand more")));
    assert!(same(shown(1), &[]));
    assert!(!same(shown(1), &printed("x")));
    assert!(same(shown(2), &printed("c")) && !same(shown(2), &printed("d")));
}
