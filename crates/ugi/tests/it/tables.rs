//! Scores by tables and certificates, and tables that fail.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, Position, RuleSet};
use fanorona_engine::{Known, Score};
use fanorona_tablebase::{Metric, Tables};
use fanorona_ugi::protocol::InfoScore;
use fanorona_ugi::server::Settings;

use crate::dialogue::Dialogue;

const RULES: RuleSet = RuleSet::STANDARD;

fn built(dir: &Path, stones: u32, metric: Metric) -> Tables {
    let board = Board::dimy();
    let options = BuildOptions::new(dir, board, RULES, stones).with_metric(metric);
    build(&options, &(), &AtomicBool::new(false)).expect("it can be built");
    Tables::open(dir, board, RULES).expect("they are there")
}

fn dialogue(dir: &Path) -> Dialogue {
    let mut settings = Settings::default();
    (settings.board, settings.player.memory) = (Board::dimy(), 1 << 20);
    let mut dialogue = Dialogue::new(settings);
    let option = format!("setoption name TablesPath value {}", dir.display());
    assert_eq!(dialogue.said(&option), [""; 0]);
    dialogue
}

#[test]
fn exact_scores_are_those_of_the_tables() {
    for metric in [Metric::Dtw, Metric::Wdl] {
        let dir = tempfile::tempdir().expect("a directory");
        let tables = built(dir.path(), 4, metric);
        let mut dialogue = dialogue(dir.path());
        let mut exact = 0;
        for text in ["W3B/5/5/5/B3W w", "5/1W3/2B2/3W1/5 w", "5/B4/2W2/4B/5 b", "BB3/5/2W2/5/5 w"] {
            let position: Position = text.parse().expect("a position");
            let held = tables.probe(&position).expect("a value");
            dialogue.send(&format!("position fen {text}"));
            let (infos, _) = dialogue.search("go nodes 5000");
            for (basis, info) in infos {
                let value = held.value;
                let Some(known) = basis.strip_prefix(&format!("basis exact {value}")) else {
                    assert!(basis.starts_with(&format!("basis proved {value}")), "{basis}");
                    continue;
                };
                exact += 1;
                let turns = known.strip_prefix(" in ").map(|turns| turns.parse().expect("turns"));
                // The rules alone know a turn that ends the game.
                let by_rules = held.dtw.is_none() && turns == Some(1);
                assert!(turns == held.dtw || by_rules, "{text}");
                let score = Score::Exact(Known { value, turns });
                assert_eq!(info.score, Some(InfoScore::from(score)), "{text}");
            }
        }
        assert!(exact > 0);
    }
}

/// As in `PATH`, which a character of the system separates.
#[test]
fn tables_may_be_in_several_directories() {
    let [few, more] = [(), ()].map(|()| tempfile::tempdir().expect("a directory"));
    built(few.path(), 2, Metric::Dtw);
    built(more.path(), 4, Metric::Dtw);
    let both = std::env::join_paths([few.path(), more.path()]).expect("they can be joined");
    let mut dialogue = dialogue(Path::new(&both));
    dialogue.send("position fen W3B/5/5/5/B3W w");
    let (infos, _) = dialogue.search("go nodes 100");
    assert!(infos.iter().all(|(basis, _)| basis.starts_with("basis exact ")), "{infos:?}");
    let none = std::env::join_paths([few.path(), Path::new("none")]).expect("they can be joined");
    let option = format!("setoption name TablesPath value {}", none.display());
    let said = dialogue.said(&option);
    assert!(said[0].contains("there is no directory 'none'"), "{said:?}");
}

#[test]
fn searches_count_what_tables_decide() {
    let dir = tempfile::tempdir().expect("a directory");
    built(dir.path(), 4, Metric::Wdl);
    let mut dialogue = dialogue(dir.path());
    dialogue.send("position fen WW2B/5/2B2/5/B3W w");
    let (infos, _) = dialogue.search("go depth 4");
    assert!(infos.last().is_some_and(|(_, info)| info.tbhits > Some(0)), "{infos:?}");
}

/// Overwrites all tables.
fn damage(dir: &Path) {
    for file in fs::read_dir(dir).expect("it can be read") {
        let path = file.expect("a file").path();
        let bytes = fs::metadata(&path).expect("a file").len();
        fs::write(&path, vec![0x5a; bytes as usize]).expect("it can be written");
    }
}

#[test]
fn a_damaged_table_costs_no_turn() {
    let dir = tempfile::tempdir().expect("a directory");
    built(dir.path(), 4, Metric::Wdl);
    for is_open in [true, false] {
        // It is found when the tables are opened, or while they are searched.
        let mut settings = Settings::default();
        (settings.board, settings.player.memory) = (Board::dimy(), 1 << 20);
        settings.player.tables = vec![dir.path().to_owned()];
        let mut dialogue = Dialogue::new(settings);
        if is_open {
            assert_eq!(dialogue.said(""), [""; 0]);
            damage(dir.path());
        }
        dialogue.send("position fen W3B/5/5/5/B3W w\ngo nodes 500");
        let lines = dialogue.until("bestmove");
        let reason = if is_open { "searching" } else { "playing" };
        let start = format!("info string {reason} without tables: ");
        assert!(lines[0].starts_with(&start), "{lines:?}");
        assert_ne!(lines.last().map(String::as_str), Some("bestmove 0000"));
    }
}

/// The certificate of the start of 5x3 needs no tables.
#[test]
fn the_level_that_cannot_lose_has_proved_scores() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs/5x3-standard.proof");
    let mut settings = Settings::default();
    settings.player.memory = 1 << 20;
    let mut dialogue = Dialogue::new(settings);
    let options = format!(
        "setoption name Board value 5x3\nsetoption name Book value {}\n\
         setoption name Level value 9",
        book.display()
    );
    assert_eq!(dialogue.said(&options), [""; 0]);
    let (infos, turn) = dialogue.search("go nodes 100");
    assert!(turn.is_some());
    let (basis, info) = infos.last().expect("a report");
    assert!(basis.to_string().starts_with("basis proved win"), "{basis}");
    assert!(info.score.is_some());
}
