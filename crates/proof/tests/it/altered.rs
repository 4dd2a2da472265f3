//! Certificates that were changed on purpose, with updated checksums. A changed certificate must be
//! refused, unless it is another valid proof.

use std::collections::HashMap;
use std::fs;
use std::sync::LazyLock;

use crate::fixtures::{
    self, Place, Solved, board, by, by_solution, by_tables, certify, check, claims, rules,
};
use crate::reference::{Entry, File, Table};
use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Stones, SymmetryGroup, Value};
use fanorona_proof::{Bounds, CertificateError, Flaw, Guide};
use fanorona_tablebase::{Metric, Slice, Tables};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// A certificate to be changed.
struct Original {
    name: String,
    file: File,
    tables: Option<Tables>,
    _place: Place,
}

impl Original {
    fn new(
        name: String,
        (rules, position): (&RuleSet, &Position),
        value: Value,
        place: Place,
        tables: Option<Tables>,
        guide: &mut dyn Guide,
    ) -> Self {
        let claims = claims(value, position.to_move());
        certify(&place.file(), (rules, position), tables.as_ref(), &claims, guide).unwrap();
        let mut file = File::read(&fs::read(place.file()).unwrap());
        // Small blocks, so that the proof has several.
        file.block_entries = 7;
        let original = Self { name, file, tables, _place: place };
        assert!(original.check(&original.file).is_ok(), "{}", original.name);
        original
    }

    fn check(&self, file: &File) -> Result<(), CertificateError> {
        check_file(file, self.tables.as_ref())
    }
}

fn check_file(file: &File, tables: Option<&Tables>) -> Result<(), CertificateError> {
    let place = Place::new();
    fs::write(place.file(), file.write()).unwrap();
    check(&place.file(), tables).map(|_| ())
}

/// The flaw of a proof that can be read.
fn flaw(error: &CertificateError) -> Option<&Flaw> {
    match error {
        CertificateError::DoesNotHold { flaw, .. } => Some(flaw),
        _ => None,
    }
}

/// Certificates of wins, losses and draws, for several boards and rule sets, with and without
/// tables.
static ORIGINALS: LazyLock<Vec<Original>> = LazyLock::new(|| {
    let mut originals = Vec::new();
    for (name, stones) in [
        ("standard", 0),
        ("standard", 4),
        ("forced-relay+no-turns-draw", 0),
        ("free-capture", 0),
        ("first-capture-single", 5),
        ("vela+stones-2", 0),
        ("vela+victor-black+stones-1", 4),
    ] {
        let rules = rules(name);
        let solved = Solved::of(board("3x3"), rules);
        let of_value = |value| {
            let positions = fixtures::positions(board("3x3")).into_iter();
            let large = positions.filter(|p| solved.value(p) == value);
            large.max_by_key(|p| (p.own().len().min(p.opponent().len()), p.own()))
        };
        let values = [Value::Loss, Value::Draw].map(of_value);
        for position in values.into_iter().flatten().chain([board("3x3").start()]) {
            let place = Place::new();
            let tables = (stones > 0).then(|| {
                let base = rules.without_vela();
                fixtures::tables(place.dir(), board("3x3"), base, stones, Metric::Wdl);
                Tables::open(place.dir(), board("3x3"), rules).unwrap()
            });
            let value = solved.value(&position);
            let name = format!("{position} {name}");
            let guide = &mut by_solution(&solved);
            originals.push(Original::new(name, (&rules, &position), value, place, tables, guide));
        }
    }
    let (dimy, standard) = (board("5x5"), RuleSet::STANDARD);
    let place = Place::new();
    let full = fixtures::tables(place.dir(), dimy, standard, 3, Metric::Dtw);
    for text in ["B4/5/5/5/4W w", "B4/5/2W2/5/W4 b", "B3B/5/5/2W2/5 w"] {
        let position = text.parse().unwrap();
        let value = full.probe(&position).unwrap().value;
        let (name, of) = (text.to_owned(), (&standard, &position));
        let guide = &mut by_tables(&full);
        originals.push(Original::new(name, of, value, Place::new(), None, guide));
    }
    // These tables do not store positions with captures, so they need the tables with fewer stones.
    let place = Place::new();
    let full = fixtures::tables(place.dir(), dimy, standard, 5, Metric::Dtw);
    for text in ["B3B/5/2W2/5/W3W w", "B3B/5/2B2/5/W3W w", "B3B/1W3/5/5/WW3 b"] {
        let position = text.parse().unwrap();
        let value = full.probe(&position).unwrap().value;
        let place = Place::new();
        let tables = fixtures::tables(place.dir(), dimy, standard, 4, Metric::Wdl);
        let (name, of) = (text.to_owned(), (&standard, &position));
        let guide = &mut by_tables(&full);
        originals.push(Original::new(name, of, value, place, Some(tables), guide));
    }
    originals.retain(|original| original.file.proofs.iter().any(|p| !p.entries.is_empty()));
    assert!(originals.len() > 15, "{}", originals.len());
    originals
});

/// A change of one or more turns.
#[derive(Clone, Debug)]
enum Change {
    /// Removes these.
    Remove(Vec<Index>),
    /// Puts another number in the place of this one.
    Turn(Index, u64),
    /// Adds a turn before this one.
    Add(Index, u64),
    /// Exchanges two turns.
    Exchange(Index, Index),
}

fn changes() -> impl Strategy<Value = Change> {
    let entry = any::<Index>;
    let turn = || prop_oneof![9 => 0..12_u64, 1 => Just(u32::MAX.into())];
    prop_oneof![
        2 => vec(entry(), 1..4).prop_map(Change::Remove),
        4 => (entry(), turn()).prop_map(|(entry, turn)| Change::Turn(entry, turn)),
        2 => (entry(), turn()).prop_map(|(entry, turn)| Change::Add(entry, turn)),
        1 => (entry(), entry()).prop_map(|(a, b)| Change::Exchange(a, b)),
    ]
}

fn apply(change: &Change, entries: &mut Vec<Entry>) {
    let at = |index: &Index| index.index(entries.len());
    match change {
        Change::Remove(indices) => {
            for index in indices {
                if !entries.is_empty() {
                    entries.remove(index.index(entries.len()));
                }
            }
        }
        Change::Turn(entry, turn) => {
            let entry = at(entry);
            entries[entry].turn = *turn;
        }
        Change::Add(entry, turn) => {
            let entry = at(entry);
            entries.insert(entry, Entry { turn: *turn, ..entries[entry] });
        }
        Change::Exchange(a, b) => {
            let (a, b) = (at(a), at(b));
            entries.swap(a, b);
        }
    }
}

/// Checks a changed file. Returns whether it is accepted. Then it must be another valid proof.
fn is_accepted(original: &Original, file: &File) -> bool {
    match original.check(file) {
        Ok(()) => {
            assert!(file.is_true(original.tables.as_ref()), "{}", original.name);
            true
        }
        Err(error) => {
            assert!(matches!(error, CertificateError::DoesNotHold { .. }), "{error}");
            false
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn changed_turns_prove_nothing_or_something_true(
        original in any::<Index>(),
        proof in any::<Index>(),
        changes in prop_oneof![9 => vec(changes(), 1), 1 => vec(changes(), 2..4)],
    ) {
        let original = original.get(&ORIGINALS);
        let mut file = original.file.clone();
        let number = proof.index(file.proofs.len());
        for change in &changes {
            let entries = &mut file.proofs[number].entries;
            if !entries.is_empty() {
                apply(change, entries);
            }
        }
        is_accepted(original, &file);
    }
}

/// Each turn of a proof is changed, removed, and doubled. Which changes are accepted is what the page
/// on the format says: others only where a turn is changed.
#[test]
fn missing_and_superfluous_turns_are_refused_and_some_other_turns_accepted() {
    let (mut refused, mut accepted) = (0, 0);
    for original in ORIGINALS.iter() {
        for proof in 0..original.file.proofs.len() {
            let count = original.file.proofs[proof].entries.len();
            for entry in (0..count).step_by(count.div_ceil(effort(20, 200)).max(1)) {
                let changed = |change: &dyn Fn(&mut Vec<Entry>)| {
                    let mut file = original.file.clone();
                    change(&mut file.proofs[proof].entries);
                    is_accepted(original, &file)
                };
                for other in [0, 1, 2, u64::from(u32::MAX)] {
                    if original.file.proofs[proof].entries[entry].turn != other {
                        let is_it = changed(&|entries| entries[entry].turn = other);
                        *(if is_it { &mut accepted } else { &mut refused }) += 1;
                    }
                }
                changed(&|entries| {
                    entries.remove(entry);
                });
                changed(&|entries| entries.insert(entry, entries[entry]));
            }
            // At the end nothing follows that could make up for it.
            let mut file = original.file.clone();
            let entries = &mut file.proofs[proof].entries;
            let Some(last) = entries.pop() else { continue };
            let missing = original.check(&file).expect_err("a turn is missing");
            assert!(matches!(flaw(&missing), Some(Flaw::NoEntry { .. })), "{missing}");
            file.proofs[proof].entries.extend([last; 3]);
            let more = original.check(&file).expect_err("two turns are left");
            let entries = count as u64 + 2;
            assert_eq!(flaw(&more), Some(&Flaw::Unreached { unreached: 2, entries }));
        }
    }
    assert!(refused > 500 && accepted > refused / 20, "{refused} and {accepted}");
}

/// White can walk along the edge for ever, and wins whenever Black lets it. That is not a win.
#[test]
fn a_cycle_is_no_win() {
    let solved = Solved::of(board("3x3"), RuleSet::STANDARD);
    let position: Position = "3/1BB/W2 w".parse().unwrap();
    assert_eq!(solved.value(&position), Value::Draw);
    let place = Place::new();
    let claims = claims(Value::Draw, position.to_move());
    let of = (&RuleSet::STANDARD, &position);
    certify(&place.file(), of, None, &claims, &mut by_solution(&solved)).unwrap();
    let mut file = File::read(&fs::read(place.file()).unwrap());
    file.proofs.truncate(1);
    assert!(file.proofs[0].by_mover);
    check_file(&file, None).unwrap();
    file.proofs[0].wins = true;
    let error = check_file(&file, None).unwrap_err();
    let Some(Flaw::Cycle { position }) = flaw(&error) else { panic!("{error}") };
    assert_eq!(solved.value(position), Value::Draw);
    assert!(!file.is_true(None));
}

/// Changes of the header are refused too.
#[test]
fn another_header_is_refused() {
    let noticed = |original: &Original, what: &str, change: &dyn Fn(&mut File)| {
        let mut file = original.file.clone();
        change(&mut file);
        if file == original.file {
            return 0;
        }
        match original.check(&file) {
            Ok(()) => {
                let truth = file.is_true(original.tables.as_ref());
                assert!(truth, "{what}, and {} is accepted", original.name);
                0
            }
            Err(_) => 1,
        }
    };
    let mut count = [0; 8];
    for original in ORIGINALS.iter() {
        let position: Position = original.file.position.parse().unwrap();
        let swapped = position.with_colours_swapped().to_string();
        let other = position.with_other_to_move().to_string();
        let fewer = original.file.proofs.len() > 1;
        let changes: [&dyn Fn(&mut File); 8] = [
            &|file| file.proofs.iter_mut().for_each(|proof| proof.wins ^= true),
            &|file| file.proofs.iter_mut().for_each(|proof| proof.by_mover ^= true),
            &|file| file.proofs.reverse(),
            &|file| file.position.clone_from(&other),
            &|file| file.position.clone_from(&swapped),
            &|file| file.rules = "standard+direction-free".to_owned(),
            &|file| file.board = "3x5".to_owned(),
            &|file| file.tables.truncate(file.tables.len() / 2),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            if number != 2 || fewer {
                count[number] += noticed(original, &format!("change {number}"), change);
            }
        }
    }
    assert!(count.iter().all(|noticed| *noticed > 0), "{count:?}");
    // Tables that are not needed must not be named, and none may be named twice.
    let with_tables = ORIGINALS.iter().filter(|o| !o.file.tables.is_empty());
    let mut needed = 0;
    for original in with_tables.clone() {
        let double: &dyn Fn(&mut File) = &|file| file.tables.push(file.tables[0].clone());
        assert_eq!(noticed(original, "a table named twice", double), 1);
        for number in 0..original.file.tables.len() {
            let fewer: &dyn Fn(&mut File) = &|file| {
                file.tables.remove(number);
            };
            assert_eq!(noticed(original, "a table left out", fewer), 1);
            let mut file = original.file.clone();
            fewer(&mut file);
            let error = original.check(&file).expect_err("one is missing");
            needed += usize::from(matches!(flaw(&error), Some(Flaw::IncompleteTables { .. })));
        }
    }
    assert!(needed > 0);
    assert!(with_tables.count() > 3);
}

/// Existing tables that the proof does not need must not be named.
#[test]
fn tables_that_are_not_needed_are_refused() {
    let mut tried = 0;
    for original in ORIGINALS.iter() {
        let Some(tables) = &original.tables else { continue };
        let named = &original.file.tables;
        for table in tables.all().unwrap() {
            let slice = table.metadata().slice;
            let (own, opponent) = (slice.own, slice.opponent);
            if named.iter().any(|t| (t.own, t.opponent) == (own, opponent)) {
                continue;
            }
            let mut file = original.file.clone();
            let metric = table.metadata().metric as u32;
            let checksum = table.checksum().unwrap();
            file.tables.push(Table { own, opponent, metric, checksum });
            file.tables.sort_by_key(|t| (t.own + t.opponent, t.own));
            let error = original.check(&file).expect_err("one more");
            assert!(matches!(error, CertificateError::DoesNotHold { .. }), "{error}");
            tried += 1;
        }
    }
    assert!(tried > 3, "{tried}");
}

/// Every named table is compared, not only the largest.
#[test]
fn another_table_is_refused() {
    let mut smaller = 0;
    for original in ORIGINALS.iter().filter(|original| original.file.tables.len() > 1) {
        let tables = original.tables.as_ref().unwrap();
        let largest = original.file.tables.last().unwrap();
        for (number, table) in original.file.tables.iter().enumerate() {
            let mut file = original.file.clone();
            file.tables[number].checksum ^= 1 << 40;
            let expected = file.tables[number].checksum;
            assert_other_table(&original.check(&file), table, expected);

            // The same for a table whose content was changed on disk.
            let copy = Place::new();
            let mut changed = 0;
            for path in fs::read_dir(tables.dir()).unwrap().map(|file| file.unwrap().path()) {
                let name = path.file_name().unwrap().to_str().unwrap();
                let mut bytes = fs::read(&path).unwrap();
                if name.contains(&format!("_{}v{}.", table.own, table.opponent)) {
                    bytes[64] ^= 1;
                    changed += 1;
                }
                fs::write(copy.dir().join(name), bytes).unwrap();
            }
            assert_eq!(changed, 1);
            let tables = Tables::open(copy.dir(), tables.board(), tables.rules()).unwrap();
            let found = check_file(&original.file, Some(&tables));
            assert_other_table(&found, table, table.checksum);
            smaller += usize::from(table.own + table.opponent < largest.own + largest.opponent);
        }
    }
    assert!(smaller > 3, "{smaller}");
}

fn assert_other_table(found: &Result<(), CertificateError>, table: &Table, named: u64) {
    let slice = format!("_{}v{}.", table.own, table.opponent);
    match found {
        Err(CertificateError::OtherTable { table, expected, .. }) => {
            assert!(table.to_str().unwrap().contains(&slice), "{}", table.display());
            assert_eq!(*expected, named);
        }
        other => panic!("{slice}: {other:?}"),
    }
}

/// Of the turns that lead to the same position, a certificate must use the first.
#[test]
fn a_later_turn_to_the_same_position_is_refused() {
    let (rules, place) = (RuleSet::STANDARD, Place::new());
    let mut tried = 0;
    // White can capture all stones in two ways.
    for text in ["5/1B3/1W2B/5/BB2B w", "B1BBB/2B1W/BB3 w", "2BB1/1B2B/4W/2B2/4B w"] {
        let position: Position = text.parse().unwrap();
        let last_winning = |position: &Position| {
            let mut turns = rules.turns(position);
            turns.retain(|turn| position.play_unchecked(turn).own().is_empty());
            turns.pop()
        };
        let claims = claims(Value::Win, Side::White);
        certify(&place.file(), (&rules, &position), None, &claims, &mut by(last_winning)).unwrap();
        assert_eq!(check(&place.file(), None).unwrap(), Bounds::exact(Value::Win));
        let mut file = File::read(&fs::read(place.file()).unwrap());
        assert_eq!(file.proofs[0].entries.len(), 1);
        let entry = file.proofs[0].entries[0];
        let here = entry.position(position.board(), Side::White).unwrap();
        let after: Vec<_> =
            rules.turns(&here).iter().map(|turn| here.play_unchecked(turn)).collect();
        let same = (0..after.len()).filter(|turn| after[*turn] == after[entry.turn as usize]);
        let (first, later) = same.clone().fold((usize::MAX, 0), |(a, b), t| (a.min(t), b.max(t)));
        assert_eq!(entry.turn, first as u64, "the maker has taken the first");
        assert!(first < later);
        file.proofs[0].entries[0].turn = later as u64;
        assert!(file.is_true(None), "it is right, and not in the normal form");
        fs::write(place.file(), file.write()).unwrap();
        let error = check(&place.file(), None).unwrap_err();
        let expected = Flaw::DuplicateTurn { position: here, turn: later as u32 };
        assert_eq!(flaw(&error), Some(&expected), "{error}");
        tried += 1;
    }
    assert_eq!(tried, 3);

    // Among many turns, wherever the first to the same position stands.
    let mut file = File::read(&fs::read(place.file()).unwrap());
    let (board, mut random) = (Board::tsivy(), SplitMix64::new(40));
    file.board = board.to_string();
    let mut left = 10;
    while left > 0 {
        let many = Slice::new(3, 18).random_position(board, Side::White, &mut random).unwrap();
        // Turns are numbered in the image that is stored.
        let stones = SymmetryGroup::new(board).canonical(Stones::of(&many)).stones;
        let position = Position::from_mover(board, stones, Side::White).unwrap();
        let mut first = HashMap::new();
        let twice = rules.turns(&position).iter().enumerate().find_map(|(later, turn)| {
            let earlier = *first.entry(position.play_unchecked(turn)).or_insert(later);
            (16..later).contains(&earlier).then_some(later)
        });
        let Some(later) = twice else { continue };
        file.position = position.to_string();
        file.proofs[0].entries[0].turn = later as u64;
        fs::write(place.file(), file.write()).unwrap();
        let expected = Flaw::DuplicateTurn { position, turn: later as u32 };
        assert_eq!(flaw(&check(&place.file(), None).unwrap_err()), Some(&expected));
        left -= 1;
    }
}
