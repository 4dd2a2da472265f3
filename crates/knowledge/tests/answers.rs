//! Answers compared with slow ones: of several certificates, of tables that are missing, and of steps.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Value};
use fanorona_knowledge::{Book, Knowledge, LineEnd, StepTree};
use fanorona_proof::{CertificateError, Claim, ClaimKind, Maker};
use fanorona_tablebase::{Metric, Slice, Tables};

/// Nobody stops.
static NEVER: AtomicBool = AtomicBool::new(false);

fn proof(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs").join(format!("{name}.proof"))
}

fn built(dir: &Path, board: Board, rules: RuleSet, stones: u32) -> Arc<Tables> {
    let options = BuildOptions::new(dir, board, rules, stones).with_metric(Metric::Wdl);
    build(&options, &(), &NEVER).expect("they can be built");
    Arc::new(Tables::open(dir, board, rules).expect("they are there"))
}

/// One certificate says that the side to move does not lose, and the other one that it wins.
#[test]
fn a_win_is_told_whatever_else_is_proved() {
    let wins = proof("3x5-standard");
    let book = Book::open([&wins]).expect("it is there");
    let (start, rules) = (book.board().start(), book.rules());
    // Turns that win do not lose.
    let mut guide = |position: &Position| -> Result<_, CertificateError> {
        Ok(book.entry(position).expect("an answer").map(|entry| entry.turn))
    };
    let mut maker = Maker::new(rules, &start, None).expect("one game");
    let claim = Claim { side: start.to_move(), kind: ClaimKind::Holds };
    maker.prove(claim, &mut guide, &NEVER, |_| {}).expect("it is proved");
    let dir = tempfile::tempdir().expect("a directory");
    let holds = dir.path().join("holds.proof");
    maker.write(&holds, &NEVER).expect("it is written");

    let two = rules.successors(&start).into_iter().flat_map(|after| rules.successors(&after));
    let positions: Vec<_> = std::iter::once(start).chain(two).collect();
    let answers = |files: &[&PathBuf]| -> Vec<_> {
        let book = Book::open(files).expect("they are of one game");
        let found = positions.iter().map(|position| {
            let entry = book.entry(position).expect("an answer");
            let value = book.lookup(position, None).expect("an answer").value();
            (value, entry.map(|entry| (entry.kind, entry.distance)))
        });
        found.collect()
    };
    let alone = answers(&[&wins]);
    assert_eq!(alone[0].0, Some(Value::Win));
    assert_eq!(answers(&[&holds])[0].0, None);
    assert_eq!(answers(&[&holds, &wins]), alone);
    assert_eq!(answers(&[&wins, &holds]), alone);
}

/// A table is missing if it is not there, or if one that its captures lead to is missing.
#[test]
fn each_table_that_is_gone_takes_others_with_it() {
    let book = Book::open([proof("9x3-standard")]).expect("it is there");
    let named: Vec<Slice> =
        book.certificates()[0].tables().iter().map(|table| table.slice).collect();
    let most = named.iter().map(|slice| slice.stones()).max().expect("it names some");
    let dir = tempfile::tempdir().expect("a directory");
    let (board, rules) = (book.board(), book.rules());
    let all = built(dir.path(), board, rules, most);
    assert_eq!(book.missing_tables(Some(&all)).expect("they are good"), None);
    let mut taken = 0;
    for gone in &named {
        let table = all.table(*gone, Metric::Wdl).expect("it is good").expect("it is there");
        let (path, aside) = (table.path().to_owned(), dir.path().join("aside"));
        std::fs::rename(&path, &aside).expect("it can be renamed");
        let mut missing = HashSet::from([*gone]);
        // Smaller ones come first.
        for slice in &named {
            let stored = all.table(*slice, Metric::Wdl).expect("it is good").expect("it is there");
            let mut after = slice.after_captures();
            if !stored.metadata().captures_stored && after.any(|after| missing.contains(&after)) {
                missing.insert(*slice);
            }
        }
        let tables = Tables::open(dir.path(), board, rules).expect("they are there");
        let found = book.missing_tables(Some(&tables)).expect("they are good");
        let found = found.expect("one is missing").slices;
        assert_eq!(found.iter().copied().collect::<HashSet<_>>(), missing, "{gone}");
        taken += usize::from(missing.len() > 1);
        std::fs::rename(&aside, &path).expect("it can be renamed");
    }
    assert!(0 < taken && taken < named.len(), "{taken}");
}

/// What is missing without tables is what is missing in an empty directory.
#[test]
fn no_tables_are_like_an_empty_directory() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = Board::telo();
    let mut random = SplitMix64::new(2);
    for name in ["standard", "vela+stones-2", "first-capture-single", "vela+victor-black+stones-1"]
    {
        let rules: RuleSet = name.parse().expect("rules");
        let tables = Arc::new(Tables::open(dir.path(), board, rules).expect("a directory"));
        let of = |tables| Knowledge::new(board, rules, tables, None).expect("one game");
        let (without, empty) = (of(None), of(Some(tables)));
        for _ in 0..200 {
            let [own, opponent] = [0; 2].map(|_| 1 + random.below(4) as u8);
            let side = if random.below(2) == 0 { Side::White } else { Side::Black };
            let position = Slice::new(own, opponent).random_position(board, side, &mut random);
            let position = position.expect("it is on the board");
            // A capture of everything needs no table, and a directory shows that.
            if let Some(expected) = empty.missing(&position).expect("an answer") {
                let found = without.missing(&position).expect("an answer").expect("one is missing");
                assert_eq!(found.rules, expected.rules, "{name}: {position}");
            }
        }
    }
}

/// Without distances nobody knows how a win comes nearer, so the line that is shown ends there.
#[test]
fn a_line_is_shown_as_far_as_it_has_an_aim() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = Board::telo();
    let tables = built(dir.path(), board, RuleSet::STANDARD, 4);
    let known = Knowledge::new(board, RuleSet::STANDARD, Some(tables), None).expect("one game");
    let mut random = SplitMix64::new(4);
    let mut cut = [0; 2];
    for (own, opponent) in [(2, 1), (1, 2), (2, 2), (1, 3)] {
        for _ in 0..100 {
            let position =
                Slice::new(own, opponent).random_position(board, Side::White, &mut random);
            let line = known.line(&position.expect("it is on the board"), 30).expect("a line");
            let aim = line.line.iter().position(|turn| {
                let found = turn.assessment;
                let source = serde_json::to_value(found).expect("JSON")["source"].clone();
                matches!(found.value(), Some(Value::Win | Value::Loss))
                    && found.dtw.is_none()
                    && source == "table"
            });
            let shown = line.clone().with_progress();
            match aim {
                Some(first) => {
                    assert_eq!((shown.line.len(), shown.end), (first + 1, LineEnd::TableEdge));
                }
                None => assert_eq!((shown.line.len(), shown.end), (line.line.len(), line.end)),
            }
            cut[usize::from(aim.is_some())] += 1;
        }
    }
    assert!(cut.iter().all(|lines| *lines > 0), "{cut:?}");
}

/// The beginnings of turns in a tree, and the numbers of the turns that end there.
fn walk(steps: &[StepTree], found: &mut Vec<(String, Option<usize>)>) {
    for step in steps {
        assert!(step.turn.contains(&step.from.to_string()), "{step:?}");
        found.push((step.turn.clone(), step.turn_index));
        walk(&step.next, found);
    }
}

/// In random games, each beginning of a turn is there once, and each turn where it ends.
#[test]
fn each_beginning_of_a_turn_is_one_node() {
    let mut random = SplitMix64::new(3);
    for (board, rules) in
        [(Board::tsivy(), RuleSet::STANDARD), (Board::dimy(), RuleSet::FREE_CAPTURE)]
    {
        let known = Knowledge::of_rules(board, rules);
        let mut position: Position = board.start();
        let mut relays = 0;
        while rules.outcome(&position).is_none() {
            let turns = known.turns(&position).expect("they can be listed");
            let texts: Vec<_> =
                turns.iter().map(|turn| turn.turn.text(board).to_string()).collect();
            // Every turn has its points separated by this sign.
            let beginnings = |text: &String| -> Vec<_> {
                let ends = text.match_indices('-').map(|(at, _)| at).skip(1).chain([text.len()]);
                ends.map(|end| text[..end].to_owned()).collect()
            };
            let mut expected: Vec<_> = texts
                .iter()
                .flat_map(beginnings)
                .map(|text| (text.clone(), texts.iter().position(|turn| *turn == text)))
                .collect();
            expected.sort();
            expected.dedup();
            let mut found = Vec::new();
            walk(&StepTree::of_turns(&rules, &position, &turns), &mut found);
            found.sort();
            assert_eq!(found, expected, "{position}");
            relays += texts.iter().filter(|text| text.matches('-').count() > 1).count();
            let turns = rules.turns(&position);
            position = position.play_unchecked(&turns[random.below(turns.len() as u64) as usize]);
        }
        assert!(relays > 0);
    }
}
