//! Certificates that name tables.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, RuleSet, Value};
use fanorona_recheck::{CheckError, Flaw, Limits, Proved, check};
use fanorona_tablebase::{Metric, Tables};
use xxhash_rust::xxh3::xxh3_64;

use crate::file::{File, Named, Proof, both, flaw, kept, kept_proof, recheck, write};

fn build_tables(dir: &Path, board: &str, rules: &str, stones: u32, metric: Metric) -> Tables {
    let (board, rules): (Board, RuleSet) = (board.parse().unwrap(), rules.parse().unwrap());
    let options = BuildOptions::new(dir, board, rules, stones).with_metric(metric);
    build(&options, &(), &AtomicBool::new(false)).unwrap();
    Tables::open(dir, board, rules).unwrap()
}

/// The table of a slice in a directory, as a certificate names it.
fn named(dir: &Path, board: &str, slice: &str, metric: &str) -> Named {
    let end = format!("_{slice}.{metric}.fano");
    let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    let mut found = files.filter(|file| {
        let name = file.file_name().unwrap().to_string_lossy();
        name.starts_with(board) && name.ends_with(&end)
    });
    let checksum = xxh3_64(&fs::read(found.next().unwrap()).unwrap());
    let (own, opponent) = slice.split_once('v').unwrap();
    let metric = u8::from(metric == "dtw");
    Named { own: own.parse().unwrap(), opponent: opponent.parse().unwrap(), metric, checksum }
}

/// Checks a certificate. Names the tables that it turns out to need.
fn check_naming(dir: &Path, metric: &str, file: &mut File) -> Result<Proved, CheckError> {
    let path = dir.join("leaf.proof");
    loop {
        file.tables.sort_by_key(|table| (table.own + table.opponent, table.own));
        write(&path, file.write());
        match recheck(&path, Some(dir)) {
            Err(CheckError::DoesNotHold { flaw: Flaw::TableNotNamed { slice }, .. }) => {
                file.tables.push(named(dir, &file.board, &slice, metric));
            }
            result => return result,
        }
    }
}

/// Random numbers, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A position of a board as a text, with these stones of White and Black.
fn random_position(random: &mut Random, board: Board, white: usize, black: usize) -> String {
    let width = usize::from(board.width());
    let points = width * usize::from(board.height());
    let mut stones = vec!["1"; points];
    for (count, stone) in [(white, "W"), (black, "B")] {
        for _ in 0..count {
            let mut point = random.below(points);
            while stones[point] != "1" {
                point = random.below(points);
            }
            stones[point] = stone;
        }
    }
    let rows: Vec<String> = stones.chunks(width).map(|row| row.concat()).collect();
    let text = format!("{} {}", rows.join("/"), ["w", "b"][random.below(2)]);
    text.parse::<fanorona_core::Position>().unwrap().to_string()
}

/// A certificate without entries for a position that has a table.
fn leaf(board: &str, rules: &str, position: &str) -> File {
    let file = kept_proof("3x3-standard.proof");
    let texts = [board, rules, position].map(str::to_owned);
    let [board, rules, position] = texts;
    File { board, rules, position, tables: Vec::new(), proofs: Vec::new(), ..file }
}

/// Whether a value lets a prover win, or have at least a draw.
fn proves(value: Value, by_mover: bool, wins: bool) -> bool {
    match (by_mover, wins) {
        (true, true) => value == Value::Win,
        (true, false) => value != Value::Loss,
        (false, true) => value == Value::Loss,
        (false, false) => value != Value::Win,
    }
}

#[test]
fn values_are_those_of_a_probe() {
    let mut random = Random(88_172_645_463_325_252);
    let mut values = [0; 3];
    for (name, rules, stones, metric) in [
        ("5x5", "standard", 4, Metric::Wdl),
        ("5x5", "standard", 4, Metric::Dtw),
        ("3x3", "standard", 6, Metric::Wdl),
        ("5x3", "free-capture", 4, Metric::Dtw),
        ("3x5", "forced-relay+direction-strict+no-turns-draw", 5, Metric::Wdl),
        ("3x3", "first-capture-single", 8, Metric::Dtw),
        ("5x3", "vela+stones-2", 4, Metric::Wdl),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let (board, rule_set): (Board, RuleSet) = (name.parse().unwrap(), rules.parse().unwrap());
        // The tables of the vela, whose other slices are in its first phase.
        let built = if rules.starts_with("vela") { "free-capture" } else { rules };
        build_tables(dir.path(), name, built, stones, metric);
        let tables = Tables::open(dir.path(), board, rule_set).unwrap();
        let metric = if metric == Metric::Wdl { "wdl" } else { "dtw" };
        for _ in 0..60 {
            let white = 1 + random.below(stones as usize / 2);
            let black = 1 + random.below(stones as usize / 2);
            let text = random_position(&mut random, board, white, black);
            let position = text.parse().unwrap();
            if rule_set.outcome(&position).is_some() {
                continue;
            }
            let value = tables.probe(&position).unwrap().value;
            values[value as usize] += 1;
            for (by_mover, wins) in [(false, false), (false, true), (true, false), (true, true)] {
                let mut file = leaf(name, rules, &text);
                file.proofs = vec![Proof { by_mover, wins, turns: Vec::new() }];
                let white_moves = text.ends_with('w');
                let (own, other) = if white_moves { (white, black) } else { (black, white) };
                let slice = format!("{own}v{other}");
                file.tables = vec![named(dir.path(), name, &slice, metric)];
                let result = check_naming(dir.path(), metric, &mut file);
                match result {
                    Ok(_) => assert!(proves(value, by_mover, wins), "{rules}: {text}"),
                    Err(CheckError::DoesNotHold { flaw: Flaw::BadLeaf { .. }, .. }) => {
                        assert!(!proves(value, by_mover, wins), "{rules}: {text}");
                    }
                    Err(error) => panic!("{rules}: {text}: {error}"),
                }
                let tables = Some((dir.path(), &tables));
                let _ = both(dir.path(), &file.write(), tables);
            }
        }
    }
    assert!(values.into_iter().all(|count| count > 20), "{values:?}");
}

#[test]
fn a_superfluous_table_is_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let tables = build_tables(dir.path(), "5x3", "standard", 4, Metric::Wdl);
    // This table stores positions with captures, so no other one is needed.
    let mut file = leaf("5x3", "standard", "W3W/5/B3B w");
    file.tables = vec![named(dir.path(), "5x3", "2v2", "wdl")];
    file.proofs = vec![Proof { by_mover: true, wins: false, turns: Vec::new() }];
    let proved = check_naming(dir.path(), "wdl", &mut file).unwrap();
    assert_eq!((proved.claim, proved.tables), ("draw or better", 1));
    file.tables.push(named(dir.path(), "5x3", "3v1", "wdl"));
    let error = both(dir.path(), &file.write(), Some((dir.path(), &tables))).unwrap_err();
    assert_eq!(flaw(error), Flaw::TableNotNeeded { slice: "3v1".to_owned() });
    // Each table is named once, and all have one metric.
    build_tables(dir.path(), "5x3", "standard", 4, Metric::Dtw);
    for again in ["wdl", "dtw"] {
        file.tables[1] =
            named(dir.path(), "5x3", if again == "wdl" { "2v2" } else { "3v1" }, again);
        let error = both(dir.path(), &file.write(), Some((dir.path(), &tables))).unwrap_err();
        assert!(matches!(error, CheckError::Damaged { .. }), "{error}");
    }
}

#[test]
fn a_table_of_another_metric_or_game_decides_nothing() {
    let draw = || vec![Proof { by_mover: true, wins: false, turns: Vec::new() }];
    // A table with distances that has the name of one without.
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path(), "5x3", "standard", 4, Metric::Dtw);
    for file in fs::read_dir(dir.path()).unwrap() {
        let path = file.unwrap().path();
        let name = path.to_string_lossy().replace(".dtw.", ".wdl.");
        fs::rename(&path, name).unwrap();
    }
    let mut file = leaf("5x3", "standard", "W3W/5/B3B w");
    (file.tables, file.proofs) = (vec![named(dir.path(), "5x3", "2v2", "wdl")], draw());
    let error = check_naming(dir.path(), "wdl", &mut file).unwrap_err();
    assert!(error.to_string().contains("the metric"), "{error}");

    // The first phase of the vela, in which the tables of its second phase say nothing.
    let dir = tempfile::tempdir().unwrap();
    build_tables(dir.path(), "5x3", "free-capture", 4, Metric::Wdl);
    let mut file = leaf("5x3", "vela+stones-2", "W3W/2W2/4B w");
    (file.tables, file.proofs) = (vec![named(dir.path(), "5x3", "3v1", "wdl")], draw());
    let error = check_naming(dir.path(), "wdl", &mut file).unwrap_err();
    assert!(matches!(flaw(error), Flaw::NoEntry { .. }));
}

/// The tables of each version that are kept.
#[test]
fn kept_tables_of_all_versions_are_read() {
    let built = tempfile::tempdir().unwrap();
    let tables = build_tables(built.path(), "5x3", "standard", 3, Metric::Dtw);
    let dir = tempfile::tempdir().unwrap();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tablebase/tests/golden");
    let mut random = Random(42);
    for version in ["version-1", "version-2"] {
        for metric in ["wdl", "dtw"] {
            let golden = golden.join(version);
            let table = named(&golden, "5x3", "2v1", metric);
            // A directory without the table comes first.
            let directories = [dir.path().to_owned(), golden];
            let mut values = [0; 3];
            while values[1] < 10 || values[2] < 10 {
                let text = random_position(&mut random, tables.board(), 2, 1);
                let white_to_move = text.replace(" b", " w");
                let value = tables.probe(&white_to_move.parse().unwrap()).unwrap().value;
                values[value as usize] += 1;
                if values[value as usize] > 10 {
                    continue;
                }
                for (by_mover, wins) in [(true, false), (true, true)] {
                    let mut file = leaf("5x3", "standard", &white_to_move);
                    file.tables = vec![Named { own: 2, opponent: 1, ..table }];
                    file.proofs = vec![Proof { by_mover, wins, turns: Vec::new() }];
                    let path = dir.path().join("leaf.proof");
                    write(&path, file.write());
                    let holds = match check(&path, &directories, &Limits::default()) {
                        Ok(_) => true,
                        Err(CheckError::DoesNotHold { .. }) => false,
                        Err(error) => panic!("{error}"),
                    };
                    assert_eq!(holds, proves(value, by_mover, wins), "{white_to_move}");
                }
            }
        }
    }
}

#[test]
fn kept_proofs_with_tables_hold() {
    let dir = tempfile::tempdir().unwrap();
    let standard = build_tables(dir.path(), "9x3", "standard", 5, Metric::Wdl);
    build_tables(dir.path(), "9x3", "forced-relay", 5, Metric::Wdl);
    for (rules, entries) in
        [("standard", 1037), ("forced-relay", 195), ("first-capture-single", 416)]
    {
        let path = kept().join(format!("9x3-{rules}.proof"));
        let proved = recheck(&path, Some(dir.path())).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((proved.claim, proved.entries, proved.tables), ("win", entries, 10));
        // Leaves in many small batches have the same values.
        for positions in [1, 100, 1000] {
            let mut limits = Limits::default();
            limits.positions = positions;
            match check(&path, &[dir.path().to_owned()], &limits) {
                Ok(again) => assert_eq!(again, proved),
                Err(error) => {
                    assert!(positions == 1 && error.to_string().contains("limit"), "{error}");
                }
            }
        }
    }
    tables_are_compared(dir.path(), &standard);
    turns_are_compared(dir.path(), &standard);
    damaged_tables_are_refused(dir.path());
}

fn tables_are_compared(dir: &Path, tables: &Tables) {
    let whole = kept_proof("9x3-standard.proof");
    let tables = Some((dir, tables));
    both(dir, &whole.write(), tables).unwrap_or_else(|error| panic!("{error}"));
    let mut missed = 0;
    for table in 0..whole.tables.len() {
        // If another table is named, the checksum of this one differs.
        let mut file = whole.clone();
        file.tables[table].checksum ^= 1;
        let error = both(dir, &file.write(), tables).unwrap_err();
        assert!(matches!(error, CheckError::OtherTable { .. }), "{error}");
        // The table with the other metric does not exist, and one more cannot be named.
        file = whole.clone();
        file.tables[table].metric = 1;
        both(dir, &file.write(), tables).unwrap_err();
        file = whole.clone();
        file.tables.push(file.tables[table]);
        both(dir, &file.write(), tables).unwrap_err();
        file = whole.clone();
        file.tables.remove(table);
        // The certificate may hold without it, if all turns lead on to other tables.
        if let Err(error) = both(dir, &file.write(), tables) {
            assert!(error.does_not_hold(), "{error}");
            missed += 1;
        }
    }
    assert!(missed > whole.tables.len() / 2, "{missed}");
    // A proof to the end of the game needs no table.
    let mut file = kept_proof("3x3-standard.proof");
    let board = build_tables(dir, "3x3", "standard", 5, Metric::Wdl);
    file.tables = vec![named(dir, "3x3", "1v4", "wdl")];
    let error = both(dir, &file.write(), Some((dir, &board))).unwrap_err();
    assert_eq!(flaw(error), Flaw::TableNotNeeded { slice: "1v4".to_owned() });
}

fn turns_are_compared(dir: &Path, tables: &Tables) {
    let whole = kept_proof("9x3-standard.proof");
    for entry in (0..whole.proofs[0].turns.len()).step_by(20) {
        let mut file = whole.clone();
        file.proofs[0].turns.remove(entry);
        let _ = both(dir, &file.write(), Some((dir, tables)));
        file = whole.clone();
        file.proofs[0].turns[entry] += 1;
        let _ = both(dir, &file.write(), Some((dir, tables)));
    }
}

/// A certificate can name a damaged table too.
fn damaged_tables_are_refused(dir: &Path) {
    let name = "9x3_standard_2v3.wdl.fano";
    let table = fs::read(dir.join(name)).unwrap();
    let mut file = kept_proof("9x3-standard.proof");
    let copies = tempfile::tempdir().unwrap();
    let path = copies.path().join("changed.proof");
    let directories = [copies.path().to_owned(), dir.to_owned()];
    let mut damaged = 0;
    let places = (0..table.len()).step_by(1 + table.len() / 300);
    for (number, place) in (0..64).chain(places).chain(table.len() - 200..table.len()).enumerate() {
        let mut bytes = table.clone();
        bytes[place] ^= 1 << (number % 8);
        // Also with correct checksums of the prelude and the tail.
        if number % 2 == 0 {
            crate::file::sign_ends(&mut bytes);
        }
        write(&copies.path().join(name), &bytes);
        write(&path, file.write());
        let other = check(&path, &directories, &Limits::default());
        if bytes != table {
            let error = other.unwrap_err();
            assert!(matches!(error, CheckError::OtherTable { .. }), "{error}");
        }
        let named = file.tables.iter_mut().find(|table| (table.own, table.opponent) == (2, 3));
        named.unwrap().checksum = xxh3_64(&bytes);
        write(&path, file.write());
        // Statistics and blocks that no leaf needs may change.
        match check(&path, &directories, &Limits::default()) {
            Err(CheckError::Damaged { path, .. }) => {
                assert!(path.ends_with(name));
                damaged += 1;
            }
            Ok(_) | Err(CheckError::DoesNotHold { .. } | CheckError::TooLarge { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        let named = file.tables.iter_mut().find(|table| (table.own, table.opponent) == (2, 3));
        named.unwrap().checksum = xxh3_64(&table);
    }
    assert!(damaged > 150, "{damaged}");
    // And cut off.
    for length in (0..table.len()).step_by(1 + table.len() / 50) {
        let bytes = &table[..length];
        write(&copies.path().join(name), bytes);
        let named = file.tables.iter_mut().find(|table| (table.own, table.opponent) == (2, 3));
        named.unwrap().checksum = xxh3_64(bytes);
        write(&path, file.write());
        let error = check(&path, &directories, &Limits::default()).unwrap_err();
        assert!(matches!(error, CheckError::Damaged { .. }), "{error}");
    }
}
