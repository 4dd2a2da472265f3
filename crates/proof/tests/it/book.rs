//! Books compared with a slow and obvious one, with solved boards and with tables.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::thread;

use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Value};
use fanorona_knowledge::{Book, BookError};
use fanorona_proof::{Bounds, Certificate, ClaimKind};
use fanorona_tablebase::{Metric, TableError, Tables};
use fanorona_tests::effort;

use crate::fixtures::{
    NEVER, Place, Solved, board, by_solution, certify, claims, positions, rules, tables,
};
use crate::reference::{File, Table};

/// A file under `data/proofs`.
fn kept(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs").join(name)
}

/// Small certificates that need no tables.
const SMALL: [&str; 10] = [
    "3x3-standard",
    "3x3-forced-relay",
    "3x3-free-capture",
    "3x3-first-capture-single",
    "3x5-standard",
    "3x5-free-capture",
    "5x3-standard",
    "5x3-forced-relay",
    "7x3-standard",
    "3x7-forced-relay",
];

/// A book that holds all images of all entries in a map, and looks for nothing.
struct Slow {
    rules: RuleSet,
    /// The claim of an entry, and the positions after the images of its turn.
    entries: HashMap<Position, (Value, HashSet<Position>)>,
}

impl Slow {
    fn new(path: &PathBuf) -> Self {
        let file = File::read(&fs::read(path).unwrap());
        let (board, rules) = (file.board.parse::<Board>().unwrap(), rules(&file.rules));
        assert!(rules.vela().is_none(), "colours do not matter");
        let mut entries: HashMap<_, (Value, HashSet<_>)> = HashMap::new();
        for proof in &file.proofs {
            let value = if proof.wins { Value::Win } else { Value::Draw };
            let mut of_proof: HashMap<_, HashSet<_>> = HashMap::new();
            for entry in &proof.entries {
                for side in [Side::White, Side::Black] {
                    let position = entry.position(board, side).unwrap();
                    let turn = &rules.turns(&position)[entry.turn as usize];
                    let after = position.play_unchecked(turn);
                    for symmetry in board.symmetries() {
                        let image = |position: &Position| position.transformed(*symmetry).unwrap();
                        of_proof.entry(image(&position)).or_default().insert(image(&after));
                    }
                }
            }
            // The two proofs of a draw may both have a position. The first one answers.
            for (position, after) in of_proof {
                entries.entry(position).or_insert((value, after));
            }
        }
        Self { rules, entries }
    }

    fn at_least(&self, position: &Position) -> Value {
        match self.rules.outcome(position) {
            Some(outcome) => outcome.value_for(position.to_move()),
            None => self.entries.get(position).map_or(Value::Loss, |(value, _)| *value),
        }
    }

    fn bounds(&self, position: &Position) -> Bounds {
        if self.rules.outcome(position).is_some() {
            return Bounds::exact(self.at_least(position));
        }
        let at_least = self.at_least(position);
        let after = self.rules.successors(position);
        let replies = after.iter().map(|after| -self.at_least(after));
        Bounds { at_least, at_most: replies.max().unwrap() }
    }
}

/// Checks an answer: it is that of the slow book, and its turn is one of the entry's.
fn compare(slow: &Slow, book: &Book, position: &Position) -> Bounds {
    let (bounds, entry) = (book.lookup(position, None).unwrap(), book.entry(position).unwrap());
    assert_eq!(bounds, slow.bounds(position), "{position}");
    let in_map = slow.entries.get(position).filter(|_| slow.rules.outcome(position).is_none());
    assert_eq!(entry.is_some(), in_map.is_some(), "{position}");
    if let (Some(entry), Some((value, after))) = (entry, in_map) {
        let legal = slow.rules.turns(position);
        assert!(legal.contains(&entry.turn), "{position}");
        assert!(after.contains(&position.play_unchecked(&entry.turn)), "{position}");
        assert_eq!(entry.kind == ClaimKind::Wins, *value == Value::Win);
        assert_eq!(entry.distance.is_some(), *value == Value::Win);
    }
    bounds
}

/// Positions of random games.
fn random_positions(rules: &RuleSet, board: Board, games: u64) -> Vec<Position> {
    let mut random = SplitMix64::new(7);
    let mut found = Vec::new();
    for _ in 0..games {
        let mut position = board.start();
        for _ in 0..60 {
            let next = rules.successors(&position);
            let Some(next) = next.get(random.below(next.len() as u64) as usize) else { break };
            found.push(position);
            position = *next;
        }
    }
    found
}

#[test]
fn every_entry_is_found_under_every_symmetry_and_colour() {
    for name in SMALL {
        let path = kept(&format!("{name}.proof"));
        let slow = Slow::new(&path);
        let book = Book::open([&path]).unwrap();
        assert_eq!(book.check(None, &NEVER, |_| {}).unwrap(), book.certificates()[0].positions());
        let step = slow.entries.len().div_ceil(effort(4_000, 200_000));
        let mut after = 0;
        for (position, (_, next)) in slow.entries.iter().step_by(step) {
            assert_ne!(compare(&slow, &book, position), Bounds::UNKNOWN);
            for position in next {
                // The other side is to move, and the book knows what that is worth.
                assert_ne!(compare(&slow, &book, position), Bounds::UNKNOWN, "{position}");
                after += 1;
            }
        }
        assert!(after > 0);
        let mut unknown = 0;
        for position in random_positions(&slow.rules, book.board(), effort(30, 300)) {
            unknown += usize::from(compare(&slow, &book, &position) == Bounds::UNKNOWN);
        }
        assert!(unknown > 20, "{name}: {unknown}");
        let start = book.board().start();
        assert_eq!(book.lookup(&start, None).unwrap(), book.certificates()[0].bounds());
    }
}

/// Checks what a book says against tables with every value.
fn agrees_with_tables(book: &Book, all: &Tables, position: &Position) {
    let value = all.probe(position).unwrap().value;
    for tables in [None, Some(all)] {
        let bounds = book.lookup(position, tables).unwrap();
        let Bounds { at_least, at_most } = bounds;
        assert!((at_least..=at_most).contains(&value), "{position}: {value}, {bounds:?}");
        assert!(tables.is_none() || bounds.value() == Some(value));
    }
    if let Some(entry) = book.entry(position).unwrap() {
        let after = -all.probe(&position.play_unchecked(&entry.turn)).unwrap().value;
        assert!(after >= entry.kind.at_least(), "{position}: {after}");
    }
}

#[test]
fn answers_agree_with_tables_to_the_last_stone() {
    let names = ["3x3-standard", "3x3-free-capture", "5x3-standard", "3x5-forced-relay"];
    let more = ["3x5-standard", "5x3-forced-relay", "5x3-free-capture", "3x5-free-capture"];
    for name in names.iter().chain(effort(&more[..0], &more)) {
        let path = kept(&format!("{name}.proof"));
        let slow = Slow::new(&path);
        let book = Book::open([&path]).unwrap();
        let (place, board) = (Place::new(), book.board());
        let all = tables(place.dir(), board, book.rules(), board.num_points() - 1, Metric::Wdl);
        let step = slow.entries.len().div_ceil(effort(2_000, 50_000));
        for (position, (_, after)) in slow.entries.iter().step_by(step) {
            agrees_with_tables(&book, &all, position);
            after.iter().for_each(|after| agrees_with_tables(&book, &all, after));
        }
        for position in random_positions(&book.rules(), board, 20) {
            agrees_with_tables(&book, &all, &position);
        }
    }
}

/// Certificates of many positions in one book. Every position of the board gets an answer that is
/// right, also where facts of several proofs are combined, and in the vela, where colours matter.
/// The book's turns in won positions lead to the end, whatever the other side does.
#[test]
fn books_of_many_proofs_are_right_about_every_position() {
    for name in ["standard", "free-capture", "standard+no-turns-draw", "vela+stones-2"] {
        let (rules, board) = (rules(name), board("3x3"));
        let solved = Solved::of(board, rules);
        let place = Place::new();
        let all = positions(board);
        let mut certificates = Vec::new();
        // Draws are rare on this board.
        let is_drawn = |position: &&Position| solved.value(position) == Value::Draw;
        let chosen =
            all.iter().step_by(effort(607, 151)).chain(all.iter().filter(is_drawn).take(4));
        let chosen = chosen.filter(|position| rules.outcome(position).is_none());
        for (number, position) in chosen.enumerate() {
            let claims = claims(solved.value(position), position.to_move());
            let path = place.dir().join(format!("{number}.proof"));
            // Turns that differ from proof to proof, so that mixing them could fail.
            let slow = number % 2 == 1 && solved.value(position) == Value::Draw;
            let mut guide = by_solution(&solved);
            let mut other = crate::fixtures::by(|p: &Position| solved.good_turns(p).pop());
            let guide: &mut dyn fanorona_proof::Guide = if slow { &mut other } else { &mut guide };
            certify(&path, (&rules, position), None, &claims, guide).unwrap();
            certificates.push(Certificate::open(&path).unwrap());
        }
        let book = Book::new(certificates).unwrap();
        let mut known = [0; 3];
        let mut won = HashSet::new();
        for position in &all {
            let bounds = book.lookup(position, None).unwrap();
            let (value, Bounds { at_least, at_most }) = (solved.value(position), bounds);
            assert!((at_least..=at_most).contains(&value), "{name} {position}: {bounds:?}");
            if let Some(entry) = book.entry(position).unwrap() {
                let after = position.play_unchecked(&entry.turn);
                assert!(rules.turns(position).contains(&entry.turn));
                assert!(-solved.value(&after) >= at_least, "{name} {position}");
                let file = &book.certificates()[entry.certificate];
                assert!(file.proofs().iter().any(|proof| proof.claim.kind == entry.kind));
                if entry.kind == ClaimKind::Wins {
                    ends(&book, position, &mut won, &mut HashSet::new());
                }
            }
            if let Some(value) = bounds.value() {
                known[value as usize] += 1;
            }
        }
        assert!(known.iter().all(|known| *known > 3), "{name}: {known:?}");
    }
}

/// Follows the book's turns and all replies. `path` has the positions that lead here: if one of them
/// comes up again, the win is given up.
fn ends(
    book: &Book,
    position: &Position,
    won: &mut HashSet<Position>,
    path: &mut HashSet<Position>,
) {
    let rules = book.rules();
    if let Some(outcome) = rules.outcome(position) {
        assert_eq!(outcome.value_for(position.to_move()), Value::Win, "{position}");
        return;
    }
    if won.contains(position) {
        return;
    }
    assert!(path.insert(*position), "{position} comes up again");
    let entry = book.entry(position).unwrap();
    let entry = entry.unwrap_or_else(|| panic!("{position} has no entry"));
    assert_eq!(entry.kind, ClaimKind::Wins);
    let after = position.play_unchecked(&entry.turn);
    if rules.outcome(&after).is_none() {
        rules.successors(&after).iter().for_each(|reply| ends(book, reply, won, path));
    }
    path.remove(position);
    won.insert(*position);
}

#[test]
fn the_start_of_9x5_is_a_draw() {
    let book = Book::open([kept("9x5-standard.proof")]).unwrap();
    let start = Board::tsivy().start();
    assert_eq!(book.lookup(&start, None).unwrap().value(), Some(Value::Draw));
    let after = start.play_unchecked(&book.entry(&start).unwrap().unwrap().turn);
    assert_eq!(book.lookup(&after, None).unwrap().at_most, Value::Draw);
    // Mirrored, and with colours swapped.
    let swapped = start.with_colours_swapped();
    for position in Board::tsivy().symmetries().iter().map(|s| swapped.transformed(*s).unwrap()) {
        let bounds = book.lookup(&position, None).unwrap();
        assert_eq!(bounds.value(), Some(Value::Draw), "{position}");
        let entry = book.entry(&position).unwrap().unwrap();
        assert!(RuleSet::STANDARD.turns(&position).contains(&entry.turn));
    }
    let missing = book.missing_tables(None).unwrap().unwrap();
    assert_eq!((missing.stones(), missing.metric), (8, Metric::Wdl));
    assert_eq!(missing.slices.len(), book.certificates()[0].tables().len());
    let text = missing.to_string();
    assert!(text.contains("wdl tables of 9x5 under standard up to 8 stones"), "{text}");
}

#[test]
fn missing_tables_are_named() {
    let path = kept("3x9-standard.proof");
    let book = Book::open([&path]).unwrap();
    let named: Vec<_> = book.certificates()[0].tables().iter().map(|table| table.slice).collect();
    let (place, (board, rules)) = (Place::new(), (book.board(), book.rules()));
    let most = named.iter().map(|slice| slice.stones()).max().unwrap();
    for (stones, metric) in [(3, Metric::Wdl), (most - 1, Metric::Dtw)] {
        let tables = tables(place.dir(), board, rules, stones, metric);
        let missing = book.missing_tables(Some(&tables)).unwrap().unwrap();
        let expected = named.iter().filter(|slice| slice.stones() > stones);
        assert!(missing.slices.iter().eq(expected), "{missing:?}");
        assert_eq!(missing.stones(), most);
    }
    let all = tables(place.dir(), board, rules, most, Metric::Wdl);
    assert_eq!(book.missing_tables(Some(&all)).unwrap(), None);
    book.check(Some(&all), &NEVER, |_| {}).unwrap();
    // Leaves that the tables do not hold are unknown, and so is a bound that needs them.
    let slow = Slow::new(&path);
    let mut more = 0;
    for (position, (_, after)) in slow.entries.iter().step_by(effort(37, 1)) {
        for position in after.iter().chain([position]) {
            let [with, without] = [Some(&all), None].map(|t| book.lookup(position, t).unwrap());
            assert!(with.at_least >= without.at_least);
            assert!(with.at_most <= without.at_most);
            more += usize::from(with != without);
        }
        // A proof holds at each of its entries, and after their turns.
        let is_known = |position| book.lookup(position, Some(&all)).unwrap() != Bounds::UNKNOWN;
        assert!(is_known(position) && after.iter().all(is_known));
    }
    assert!(more > 0);
    // Without a smaller table, positions with captures have no value.
    let small = named.iter().find(|slice| slice.stones() == 3).unwrap();
    for metric in ["wdl", "dtw"] {
        let name = format!("3x9_standard_{small}.{metric}.fano");
        fs::remove_file(place.dir().join(name)).unwrap();
    }
    let damaged = Tables::open(place.dir(), board, rules).unwrap();
    let missing = book.missing_tables(Some(&damaged)).unwrap().unwrap();
    assert!(missing.slices.contains(small) && missing.slices.len() > 1, "{missing:?}");
}

#[test]
fn threads_share_a_book() {
    let path = kept("5x5-standard.proof");
    let slow = Slow::new(&path);
    let book = Book::open([&path]).unwrap();
    let positions: Vec<_> = slow.entries.keys().step_by(effort(97, 11)).collect();
    thread::scope(|scope| {
        for thread in 0..4 {
            let (book, slow, positions) = (&book, &slow, &positions);
            scope.spawn(move || {
                for position in positions.iter().skip(thread).step_by(2) {
                    compare(slow, book, position);
                }
            });
        }
    });
}

#[test]
fn other_games_are_refused() {
    let [standard, forced, other] =
        ["3x3-standard", "3x3-forced-relay", "5x3-standard"].map(|n| kept(&format!("{n}.proof")));
    assert!(matches!(Book::open([""; 0]), Err(BookError::Empty)));
    for second in [&forced, &other] {
        let error = Book::open([&standard, second]).unwrap_err();
        let BookError::OtherGame { path, .. } = &error else { panic!("{error}") };
        assert_eq!(path, second);
        assert!(error.to_string().contains("3x3 under standard"), "{error}");
    }
    let book = Book::open([&standard, &standard]).unwrap();
    assert_eq!(book.lookup(&board("3x3").start(), None).unwrap().value(), Some(Value::Win));
    let start = board("5x3").start();
    for error in [book.lookup(&start, None).unwrap_err(), book.entry(&start).unwrap_err()] {
        assert!(matches!(error, BookError::OtherBoard { .. }), "{error}");
    }
    let place = Place::new();
    for (board, rules) in
        [(board("5x3"), rules("standard")), (board("3x3"), rules("vela+stones-2"))]
    {
        let tables = Tables::open(place.dir(), board, rules).unwrap();
        let error = book.lookup(&book.board().start(), Some(&tables)).unwrap_err();
        let other = matches!(error, BookError::Tables(TableError::OtherGame { .. }));
        assert!(other, "{error}");
    }

    let certificates =
        [&standard, &other, &forced, &standard].map(|p| Certificate::open(p).unwrap());
    let games = Book::by_game(certificates);
    let sizes: Vec<_> = games.iter().map(|book| book.certificates().len()).collect();
    assert_eq!(sizes, [2, 1, 1]);
    assert_eq!((games[1].board(), games[2].rules()), (board("5x3"), rules("forced-relay")));
}

/// A certificate that claims the opposite of another one.
#[test]
fn contradictions_are_errors() {
    let right = kept("3x3-standard.proof");
    let mut file = File::read(&fs::read(&right).unwrap());
    let book = Book::open([&right]).unwrap();
    let start = book.board().start();
    let lost = start.play_unchecked(&book.entry(&start).unwrap().unwrap().turn);
    assert_eq!(book.lookup(&lost, None).unwrap().value(), Some(Value::Loss));
    // Black claims to have at least a draw, by its first turn, after which a table that is not there
    // is said to know that.
    let after = &book.rules().successors(&lost)[0];
    let [own, opponent] = [after.own(), after.opponent()].map(|stones| stones.len() as u8);
    file.tables = vec![Table { own, opponent, metric: 0, checksum: 0 }];
    file.position = lost.to_string();
    file.proofs[0].wins = false;
    file.proofs[0].entries.truncate(1);
    file.proofs[0].entries[0].turn = 0;
    let place = Place::new();
    fs::write(place.file(), file.write()).unwrap();
    let wrong = Book::open([place.file()]).unwrap();
    assert!(wrong.check(None, &NEVER, |_| {}).is_err());
    assert_eq!(wrong.lookup(&lost, None).unwrap().at_least, Value::Draw);
    let both = Book::open([right, place.file()]).unwrap();
    let error = both.lookup(&lost, None).unwrap_err();
    assert!(matches!(error, BookError::Contradiction { position } if position == lost), "{error}");
    let place = Place::new();
    let all = tables(place.dir(), start.board(), both.rules(), 8, Metric::Wdl);
    assert_eq!(both.lookup(&lost, Some(&all)).unwrap().value(), Some(Value::Loss));
    // A turn that does not exist.
    file.proofs[0].entries[0].turn = 99;
    fs::write(place.file(), file.write()).unwrap();
    let error = Book::open([place.file()]).unwrap().entry(&lost).unwrap_err();
    assert!(error.to_string().contains("there is no turn 99"), "{error}");
}

/// A changed byte is found, or changes nothing.
#[test]
fn damage_is_an_error() {
    let path = kept("5x3-free-capture.proof");
    let (slow, whole) = (Slow::new(&path), fs::read(&path).unwrap());
    let positions: Vec<_> = slow.entries.keys().step_by(slow.entries.len() / 50).collect();
    let place = Place::new();
    let mut found = [0; 2];
    for byte in (0..whole.len()).step_by(effort(499, 31)) {
        let mut bytes = whole.clone();
        bytes[byte] ^= 1 << (byte % 8);
        fs::write(place.file(), bytes).unwrap();
        let Ok(book) = Book::open([place.file()]) else {
            found[0] += 1;
            continue;
        };
        for position in &positions {
            match book.lookup(position, None) {
                Ok(bounds) => assert_eq!(bounds, slow.bounds(position)),
                Err(error) => {
                    assert!(error.to_string().contains("proof.cert"), "{error}");
                    found[1] += 1;
                }
            }
        }
    }
    assert!(found.iter().all(|errors| *errors > 0), "{found:?}");
}
