//! The dialogues on the page `docs/UGI.md`: blocks with the language `ugi`. Lines that start with
//! `> ` are sent, and the others have to be the answers. A line `…` stands for any lines. Numbers
//! of time may differ.

use std::fs;
use std::path::Path;

use fanorona_ugi::server::Settings;

use crate::dialogue::Dialogue;

/// A line without the numbers that depend on the machine.
fn timeless(line: &str) -> String {
    let mut words = Vec::new();
    let mut is_time = false;
    for word in line.split(' ') {
        words.push(if is_time { "N" } else { word });
        is_time = ["time", "nps"].contains(&word) && line.starts_with("info depth");
    }
    // Without any time, there are no nodes in a second.
    words.join(" ").replace(" nps N", "")
}

fn replay(block: &str) -> usize {
    let mut dialogue = Dialogue::new(Settings::default());
    let (mut compared, mut is_anything) = (0, false);
    for line in block.lines() {
        if line == "> quit" {
            dialogue.send_last("quit");
        } else if let Some(sent) = line.strip_prefix("> ") {
            dialogue.send(sent);
        } else if line == "…" {
            is_anything = true;
        } else {
            let found = if is_anything {
                dialogue.until(line).pop().expect("there is a line")
            } else {
                dialogue.line()
            };
            assert_eq!(timeless(&found), timeless(line));
            is_anything = false;
            compared += 1;
        }
    }
    compared
}

#[test]
fn the_dialogues_happen_as_they_are_printed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/UGI.md");
    let text = fs::read_to_string(page).expect("the page is there");
    let blocks: Vec<_> = text
        .split("```ugi\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("the block ends"))
        .collect();
    assert!(blocks.len() >= 2, "the page has examples");
    for block in blocks {
        assert!(replay(block) > 5, "{block}");
    }
}
