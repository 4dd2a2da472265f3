//! Tables compared with the files under `data/values`: results of the Python reference, and
//! published results.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, Position, RuleSet, Side, Value, Vela};
use fanorona_tablebase::orbits::placements;
use fanorona_tablebase::{Metric, Slice, Statistics, TableError, TableValue, Tables};
use fanorona_tests::effort;

use crate::common::Built;

fn values() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/values")
}

fn read_json(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The results of the reference's solver runs.
fn runs() -> Vec<serde_json::Value> {
    let mut paths: Vec<PathBuf> = fs::read_dir(values())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| read_json(path))
        .filter(|json| json.get("slices").is_some())
        .filter(|json| json.get("stones").is_some())
        .collect()
}

fn list<'a>(json: &'a serde_json::Value, key: &str) -> &'a [serde_json::Value] {
    json[key].as_array().unwrap_or_else(|| panic!("no list '{key}' in {json}"))
}

fn number(json: &serde_json::Value, key: &str) -> u64 {
    json[key].as_u64().unwrap_or_else(|| panic!("no number '{key}' in {json}"))
}

fn text<'a>(json: &'a serde_json::Value, key: &str) -> &'a str {
    json[key].as_str().unwrap_or_else(|| panic!("no text '{key}' in {json}"))
}

fn board_and_rules(json: &serde_json::Value) -> (Board, RuleSet) {
    (text(json, "board").parse().unwrap(), text(json, "rules").parse().unwrap())
}

fn slice_of(json: &serde_json::Value) -> Slice {
    Slice { own: number(json, "own") as u8, opponent: number(json, "opponent") as u8 }
}

/// The rules of the vela's second phase. Other rule sets do not change.
fn without_vela(rules: RuleSet) -> RuleSet {
    RuleSet { vela: None, ..rules }
}

/// Whether a position with these numbers of stones is in the first phase of the vela.
fn is_phase_1(vela: Vela, white: u32, black: u32) -> bool {
    let victors = if vela.victor == Side::White { white } else { black };
    victors > u32::from(vela.stones.unwrap_or(Vela::STONES))
}

/// Compares the counts of a slice with those in a file. Skips counts that the file does not have.
fn assert_counts(found: &Statistics, expected: &serde_json::Value) {
    assert_eq!(found.positions(), number(expected, "positions"), "{expected}");
    assert_eq!(found.win, number(expected, "win"), "{expected}");
    assert_eq!(found.draw, number(expected, "draw"), "{expected}");
    assert_eq!(found.loss, number(expected, "loss"), "{expected}");
    for (value, longest, distances) in
        [(Value::Win, "max_win", "win_distances"), (Value::Loss, "max_loss", "loss_distances")]
    {
        if let Some(longest) = expected.get(longest) {
            assert_eq!(found.longest(value).map(u64::from), longest.as_u64(), "{expected}");
        }
        if let Some(distances) = expected.get(distances) {
            let expected: BTreeMap<u16, u64> = serde_json::from_value(distances.clone()).unwrap();
            let found: BTreeMap<u16, u64> = found.distances_of(value).collect();
            assert_eq!(found, expected);
        }
    }
}

/// The sample positions of each board and rule set, with their values.
fn samples() -> BTreeMap<(String, String), Vec<(Position, TableValue)>> {
    let mut samples = BTreeMap::<_, Vec<_>>::new();
    for line in fs::read_to_string(values().join("samples.txt")).unwrap().lines() {
        if line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').collect();
        let [rules, position, value, distance] = fields[..] else { panic!("'{line}'") };
        let position: Position = position.parse().unwrap();
        let value = match value {
            "win" => Value::Win,
            "draw" => Value::Draw,
            "loss" => Value::Loss,
            _ => panic!("'{line}'"),
        };
        let dtw = (distance != "-").then(|| distance.parse().unwrap());
        let key = (position.board().to_string(), rules.to_owned());
        samples.entry(key).or_default().push((position, TableValue { value, dtw }));
    }
    samples
}

/// Every count and every sample of each run of the reference. Positions of the vela's second phase
/// are probed in tables of the base rules. Those of the first phase are refused.
#[test]
fn counts_and_samples_of_the_python_reference() {
    let mut samples = samples();
    let mut built: Vec<(Board, RuleSet, u64, Built)> = Vec::new();
    let (mut slices, mut positions, mut refused) = (0, 0, 0);
    for run in runs() {
        let (board, rules) = board_and_rules(&run);
        let (base, stones) = (without_vela(rules), number(&run, "stones"));
        let is_there = |(b, r, s, _): &(_, _, u64, _)| (*b, *r) == (board, base) && *s >= stones;
        if !built.iter().any(is_there) {
            let new = Built::new(board, base, stones as u32, &[Metric::Dtw]);
            built.push((board, base, stones, new));
        }
        let (.., built) = built.iter().find(|built| is_there(built)).unwrap();
        for expected in list(&run, "slices") {
            let slice = slice_of(expected);
            let (own, opponent) = (slice.own.into(), slice.opponent.into());
            if let Some(vela) = rules.vela {
                let white_moves = text(expected, "to_move") == "white";
                let (white, black) = if white_moves { (own, opponent) } else { (opponent, own) };
                if is_phase_1(vela, white, black) {
                    continue;
                }
            }
            let table = built.tables.table(slice, Metric::Dtw).unwrap().unwrap();
            assert_counts(&table.metadata().statistics, expected);
            slices += 1;
        }
        let tables = Tables::open(built.dir(), board, rules).unwrap();
        let key = (text(&run, "board").to_owned(), text(&run, "rules").to_owned());
        for (position, value) in samples.remove(&key).unwrap_or_default() {
            let count = |side| position.stones(side).len();
            let (white, black) = (count(Side::White), count(Side::Black));
            if rules.vela.is_some_and(|vela| is_phase_1(vela, white, black)) {
                match tables.probe(&position) {
                    Err(TableError::VelaPhase1 { .. }) => {}
                    // A finished game needs no table.
                    found => {
                        assert!(rules.outcome(&position).is_some(), "{position}: {found:?}");
                        assert_eq!(found.unwrap(), value, "{position} under {rules}");
                    }
                }
                refused += 1;
            } else {
                assert_eq!(tables.probe(&position).unwrap(), value, "{position} under {rules}");
                positions += 1;
            }
        }
    }
    let left: Vec<_> = samples.keys().collect();
    assert!(left.is_empty(), "samples without a table: {left:?}");
    // Guards against empty files.
    assert!(
        slices >= 600 && positions >= 5000 && refused >= 1000,
        "{slices} {positions} {refused}"
    );
}

#[test]
fn published_counts() {
    let published = read_json(&values().join("published.json"));
    let mut by_rules = BTreeMap::<_, Vec<_>>::new();
    for expected in list(&published, "slices") {
        by_rules
            .entry((text(expected, "board"), text(expected, "rules")))
            .or_default()
            .push(expected);
    }
    assert!(by_rules.contains_key(&("9x5", "standard")));
    for slices in by_rules.into_values() {
        let (board, rules) = board_and_rules(slices[0]);
        let stones = slices.iter().map(|expected| slice_of(expected).stones()).max().unwrap();
        let built = Built::new(board, rules, stones, &[Metric::Wdl, Metric::Dtw]);
        for expected in slices {
            let statistics = |metric| {
                let table = built.tables.table(slice_of(expected), metric).unwrap().unwrap();
                table.metadata().statistics.clone()
            };
            assert_counts(&statistics(Metric::Dtw), expected);
            let (wdl, dtw) = (statistics(Metric::Wdl), statistics(Metric::Dtw));
            assert_eq!((wdl.win, wdl.draw, wdl.loss), (dtw.win, dtw.draw, dtw.loss));
            assert_eq!((wdl.distances, wdl.longest_win, wdl.longest_loss), (vec![], None, None));
        }
    }
}

#[test]
fn longest_positions_have_the_longest_distance() {
    let built = Built::new(Board::tsivy(), RuleSet::STANDARD, 4, &[Metric::Dtw]);
    let mut seen = 0;
    for table in built.tables.all().unwrap() {
        let metadata = table.metadata();
        for value in [Value::Win, Value::Loss] {
            let longest = metadata.statistics.longest(value);
            let position = metadata.statistics.longest_position(metadata.board, value);
            assert_eq!(longest.is_some(), position.is_some());
            let Some(position) = position else { continue };
            assert_eq!(Slice::of(&position), Some(metadata.slice));
            let expected = TableValue { value, dtw: longest };
            assert_eq!(built.tables.probe(&position).unwrap(), expected, "{position}");
            seen += 1;
        }
        assert_eq!(metadata.statistics.longest_position(metadata.board, Value::Draw), None);
    }
    assert_eq!(seen, 12);
}

/// The starts of the boards of which a test can build all tables, with both metrics.
#[test]
fn starts() {
    let (mut seen, mut refused) = (HashSet::new(), 0);
    let files = ["published.json", "starts.json"].map(|name| read_json(&values().join(name)));
    for expected in files.iter().flat_map(|file| list(file, "starts")) {
        let (board, rules) = board_and_rules(expected);
        let whole = board == Board::telo()
            || effort(false, true) && rules == RuleSet::STANDARD && board.num_points() == 15;
        let Some(dtw) = expected.get("dtw").filter(|_| whole) else { continue };
        let start = board.start();
        if rules.vela.is_some() {
            let dir = tempfile::tempdir().unwrap();
            let error = Tables::open(dir.path(), board, rules).unwrap().probe(&start).unwrap_err();
            assert!(matches!(error, TableError::VelaPhase1 { .. }), "{error}");
            refused += 1;
            continue;
        }
        if !seen.insert((board, rules)) {
            continue;
        }
        for metric in Metric::ALL {
            let built = Built::new(board, rules, 2 * board.max_stones(), &[metric]);
            let found = built.tables.probe_metric(&start, metric).unwrap();
            assert_eq!(found.value.to_string(), text(expected, "value"), "{expected}");
            assert_eq!(found.dtw.is_some(), metric == Metric::Dtw, "{expected}");
            assert!(found.dtw.is_none() || found.dtw.map(u64::from) == dtw.as_u64(), "{expected}");
        }
    }
    assert!(seen.len() >= effort(7, 9) && refused >= 4, "{seen:?} {refused}");
}

#[test]
fn published_placements() {
    let published = read_json(&values().join("published.json"));
    let mut compared = 0;
    for expected in list(&published, "placements") {
        let board: Board = text(expected, "board").parse().unwrap();
        let stones = match &expected["stones"] {
            serde_json::Value::Number(stones) => vec![stones.as_u64().unwrap() as u32],
            range => {
                let (first, last) = range.as_str().unwrap().split_once('-').unwrap();
                (first.parse().unwrap()..=last.parse().unwrap()).collect()
            }
        };
        let counted: u128 = stones
            .into_iter()
            .flat_map(|stones| (1..stones).map(move |own| placements(board, own, stones - own)))
            .sum();
        assert_eq!(counted, number(expected, "positions").into(), "{expected}");
        compared += 1;
    }
    assert!(compared >= 9);
}

/// The counts under `data/tables`, from earlier builds of this program. Every slice occurs once and
/// adds up to its number of placements, and their sum is right. Slices that are small enough are
/// built again and compared.
#[test]
fn counts_of_earlier_builds() {
    let tables = values().join("../tables");
    let mut runs = 0;
    for file in fs::read_dir(&tables).unwrap() {
        let run = read_json(&file.unwrap().path());
        let (board, rules) = board_and_rules(&run);
        let stones = number(&run, "stones") as u32;
        let mut expected = BTreeMap::new();
        for slice in list(&run, "slices") {
            let (own, opponent) = (number(slice, "own") as u32, number(slice, "opponent") as u32);
            let sum: u64 = ["win", "draw", "loss"].iter().map(|key| number(slice, key)).sum();
            assert_eq!(sum, number(slice, "positions"), "{board} {slice}");
            assert_eq!(u128::from(sum), placements(board, own, opponent), "{board} {slice}");
            assert!(expected.insert((own, opponent), slice).is_none(), "{board}: {slice} twice");
        }
        // Choose n points, then those of the side to move.
        let choose = |n: u32, k: u32| {
            (1..=u64::from(k)).fold(1, |chosen, i| chosen * (u64::from(n) - i + 1) / i)
        };
        let (points, most) = (board.num_points(), board.max_stones());
        let sides = |n: u32| (1..n).filter(move |own| *own <= most && n - own <= most);
        let colours = |n: u32| sides(n).map(|own| choose(n, own)).sum::<u64>();
        let all: u64 = (2..=stones).map(|n| choose(points, n) * colours(n)).sum();
        assert_eq!(expected.values().map(|slice| number(slice, "positions")).sum::<u64>(), all);

        let metric: Metric = text(&run, "metric").parse().unwrap();
        let built =
            Built::new(board, rules, if board.num_points() > 25 { 4 } else { 6 }, &[metric]);
        for table in built.tables.all().unwrap() {
            let Slice { own, opponent } = table.metadata().slice;
            assert_counts(&table.metadata().statistics, expected[&(own.into(), opponent.into())]);
        }
        runs += 1;
    }
    assert!(runs >= 3, "{runs} files in {}", tables.display());
}
