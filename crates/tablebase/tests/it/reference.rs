//! Tables compared with the files under `data/values`: results of the Python reference, and
//! published results.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::orbits::placements;
use fanorona_tablebase::{Metric, Role, Slice, Statistics, TableValue, Tables};
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
    Slice::new(number(json, "own") as u8, number(json, "opponent") as u8)
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

/// Every count and every sample of each run of the reference, up to the stones whose slices have few
/// positions, or of all slices in thorough tests.
#[test]
fn counts_and_samples_of_the_python_reference() {
    let mut samples = samples();
    let mut built: Vec<(Board, RuleSet, u64, Built)> = Vec::new();
    let (mut slices, mut positions, mut of_phase_1) = (0, 0, [0, 0]);
    for run in runs() {
        let (board, rules) = board_and_rules(&run);
        let large = list(&run, "slices").iter().filter(|slice| {
            let most = effort(60_000, u64::MAX);
            number(slice, "positions") > most
        });
        let below_large = large.map(|slice| u64::from(slice_of(slice).stones()) - 1).min();
        let stones = below_large.unwrap_or_else(|| number(&run, "stones"));
        let is_there = |(b, r, s, _): &(_, _, u64, _)| (*b, *r) == (board, rules) && *s >= stones;
        if !built.iter().any(is_there) {
            let new = Built::new(board, rules, stones as u32, &[Metric::Dtw]);
            built.push((board, rules, stones, new));
        }
        let (.., built) = built.iter().find(|built| is_there(built)).unwrap();
        let is_built = |slice: Slice| u64::from(slice.stones()) <= stones;
        for expected in list(&run, "slices") {
            let slice = slice_of(expected);
            if !is_built(slice) {
                continue;
            }
            // Tables have White to move.
            let black_moves = expected.get("to_move").is_some_and(|side| side == "black");
            let rules = if black_moves { rules.with_colours_swapped() } else { rules };
            let tables = Tables::open(built.dir(), board, rules).unwrap();
            let table = tables.table(slice, Metric::Dtw).unwrap();
            let table = table.unwrap_or_else(|| panic!("{slice} under {rules}"));
            assert_counts(&table.metadata().statistics, expected);
            slices += 1;
            of_phase_1[0] += usize::from(table.metadata().rules.vela().is_some());
        }
        let key = (text(&run, "board").to_owned(), text(&run, "rules").to_owned());
        for (position, value) in samples.remove(&key).unwrap_or_default() {
            if Slice::of(&position).is_some_and(|slice| !is_built(slice)) {
                continue;
            }
            let found = built.tables.probe(&position).unwrap();
            assert_eq!(found, value, "{position} under {rules}");
            positions += 1;
            of_phase_1[1] += usize::from(rules.endgame_of(&position).vela().is_some());
        }
    }
    let left: Vec<_> = samples.keys().collect();
    assert!(left.is_empty(), "samples without a table: {left:?}");
    // Guards against empty files.
    assert!(
        slices >= 600
            && positions >= effort(5_000, 6_000)
            && of_phase_1[0] >= 100
            && of_phase_1[1] >= effort(800, 1_000),
        "{slices} {positions} {of_phase_1:?}"
    );
}

/// The counts under `data/tables/vela-first-phase.json`, from an earlier build of this program. Those of
/// small boards are counted again.
#[test]
fn counts_of_the_first_phase_of_the_vela() {
    let file = read_json(&values().join("../tables/vela-first-phase.json"));
    let mut built = BTreeMap::new();
    let mut compared = 0;
    for row in list(&file, "rows") {
        let board: Board = text(row, "board").parse().unwrap();
        let (ends_at, must_capture) = (number(row, "ends_at"), row["must_capture"] == true);
        if board.num_points() > effort(9, 15) {
            continue;
        }
        let option = if must_capture { "+must-capture" } else { "" };
        let vela: RuleSet = format!("vela+stones-{ends_at}{option}").parse().unwrap();
        let tables = &built
            .entry((board.to_string(), ends_at, must_capture))
            .or_insert_with(|| Built::new(board, vela, 2 * board.max_stones(), &[Metric::Wdl]))
            .tables;
        let (victor, challenger) = (number(row, "victor") as u8, number(row, "challenger") as u8);
        let by_victor = text(row, "to_move") == "victor";
        let slice = Slice::new(victor, challenger);
        let slice = if by_victor { slice } else { slice.swapped() };
        let all = tables.all().unwrap().into_iter().map(|table| table.metadata());
        let role = if by_victor { Role::Victor } else { Role::Challenger };
        let is_it = |found: Slice| found == slice || found == slice.with_role(role);
        let found: Vec<_> = all.filter(|table| is_it(table.slice)).collect();
        let table = found.iter().max_by_key(|table| table.slice.role).unwrap();
        let Statistics { win, draw, loss, .. } = table.statistics;
        let points = if by_victor { [loss, draw, win] } else { [win, draw, loss] };
        let expected = ["win", "draw", "loss"].map(|key| number(row, key));
        assert_eq!(points, expected, "{row}");
        compared += 1;
    }
    assert!(compared >= effort(28, 110), "{compared}");
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
    let mut seen = HashSet::new();
    let files = ["published.json", "starts.json"].map(|name| read_json(&values().join(name)));
    for expected in files.iter().flat_map(|file| list(file, "starts")) {
        let (board, rules) = board_and_rules(expected);
        let whole = board == Board::telo()
            || effort(false, true) && rules == RuleSet::STANDARD && board.num_points() == 15;
        let Some(dtw) = expected.get("dtw").filter(|_| whole) else { continue };
        let start = board.start();
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
    let velas = seen.iter().filter(|(_, rules)| rules.vela().is_some()).count();
    assert!(seen.len() >= effort(11, 13) && velas >= 4, "{seen:?}");
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
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("vela-first-phase") {
            continue;
        }
        let run = read_json(&path);
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
        let complete = expected.iter().filter(|((own, opponent), _)| own + opponent <= stones);
        assert_eq!(complete.map(|(_, slice)| number(slice, "positions")).sum::<u64>(), all);

        let metric: Metric = text(&run, "metric").parse().unwrap();
        let built =
            Built::new(board, rules, if board.num_points() > 25 { 4 } else { 6 }, &[metric]);
        for table in built.tables.all().unwrap() {
            let Slice { own, opponent, .. } = table.metadata().slice;
            assert_counts(&table.metadata().statistics, expected[&(own.into(), opponent.into())]);
        }
        runs += 1;
    }
    assert!(runs >= 3, "{runs} files in {}", tables.display());
}
