//! The suites under `data/perft`: the counts, what each position shows, and that together they show
//! everything on every kind of board.
//!
//! The themes in the files were written by the Python reference. They are found here once more.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{
    Board, Coordinates, Direction, DirectionRule, Point, PointSet, Position, Preset, RuleSet,
    Setup, Side, Step, StepKind, Stones, Turn,
};
use fanorona_perft::stats::{PlyStats, survey};
use fanorona_perft::suite::{Entry, parse};
use fanorona_perft::{Counting, Keep, LevelOptions, Levels, perft};
use fanorona_tests::effort;

type Themes = BTreeSet<&'static str>;

/// Every entry, with the name of its file.
pub(crate) fn entries() -> Vec<(String, Entry)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft");
    let mut entries = Vec::new();
    for file in std::fs::read_dir(folder).expect("the suites are there") {
        let path = file.expect("it can be listed").path();
        if path.extension().is_some_and(|extension| extension == "perft") {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(&path).expect("it can be read");
            let read = parse(&text).unwrap_or_else(|error| panic!("{name}, {error}"));
            entries.extend(read.into_iter().map(|entry| (name.clone(), entry)));
        }
    }
    entries
}

/// The preset that a rule set is, or is with options for its board.
fn preset(rules: &RuleSet) -> String {
    let mut plain = *rules;
    if let Preset::Vela(vela) = &mut plain.preset {
        vela.stones = None;
    }
    let preset = RuleSet::PRESETS.into_iter().find(|preset| *preset == plain);
    preset.map_or(String::new(), |preset| preset.to_string())
}

#[test]
fn counts_are_found() {
    for (_, entry) in entries() {
        for (&depth, &nodes) in
            entry.counts.iter().filter(|(_, nodes)| **nodes <= effort(20_000, 200_000))
        {
            let found = perft(&entry.rules, &entry.position, depth, entry.counting);
            assert_eq!(found, nodes, "{} at depth {depth}", entry.id);
        }
    }
}

/// The counts of start positions, which other projects compare with too.
#[test]
fn counts_of_starts_are_found() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft/starts.json");
    let text = std::fs::read_to_string(file).expect("the file is there");
    let file: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let rules: RuleSet = file["rules"].as_str().expect("a name").parse().expect("a rule set");
    let mut compared = 0;
    for board in file["boards"].as_array().expect("a list") {
        let start: Position = board["position"].as_str().expect("a text").parse().expect("one");
        assert_eq!(start, start.board().start());
        let depths = board["depths"].as_array().expect("a list");
        let small = |row: &&serde_json::Value| row["turns"].as_u64().is_some_and(|n| n <= 50_000);
        let mut levels = Levels::new(&rules, &start, &LevelOptions::default());
        let mut plies = vec![PlyStats::default(); depths.iter().take_while(small).count()];
        survey(&rules, &start, &mut plies);
        for (row, ply) in depths.iter().zip(&plies) {
            let depth = row["depth"].as_u64().and_then(|n| n.try_into().ok()).expect("a depth");
            let never = AtomicBool::new(false);
            let level = levels.advance(Keep::Positions, &never).expect("there is room");
            let level = level.expect("it is not stopped");
            let longest = ply.relay_lengths.iter().next_back().map_or(0, |(steps, _)| steps);
            let found = [
                ("turns", perft(&rules, &start, depth, Counting::Turns)),
                ("positions", perft(&rules, &start, depth, Counting::Positions)),
                ("unique", perft(&rules, &start, depth, Counting::Unique)),
                ("unique", level.positions),
                ("canonical", level.canonical),
                ("captures", ply.captures().into()),
                ("longest_relay", longest as u128),
            ];
            for (column, found) in found {
                let expected = row[column].as_u64().map(u128::from);
                assert_eq!(Some(found), expected, "{start}, depth {depth}, {column}");
                compared += 1;
            }
        }
    }
    assert!(compared > 300, "{compared} numbers were compared");
}

/// The deep counts of 9x5, one first turn after the other.
#[test]
fn deep_counts_of_the_start_are_found() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft/deep.json");
    let text = std::fs::read_to_string(file).expect("the file is there");
    let file: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let board: Board = file["board"].as_str().expect("a text").parse().expect("a board");
    let start = board.start();
    let mut compared = 0;
    for count in file["counts"].as_array().expect("a list") {
        let rules: RuleSet = count["rules"].as_str().expect("a name").parse().expect("a rule set");
        let turns = rules.turns(&start);
        let by_turn = count["turns"].as_array().expect("a list");
        assert_eq!(by_turn.len(), turns.len(), "{rules}");
        for (row, turn) in by_turn.iter().zip(&turns) {
            let name = turn.text(board).to_string();
            assert_eq!(row["turn"], name, "{rules}");
            let after = start.play_unchecked(turn);
            let nodes = row["nodes"].as_array().expect("a list").iter();
            let nodes = nodes.map(|nodes| u128::from(nodes.as_u64().expect("a number")));
            let small = nodes.take_while(|nodes| *nodes <= effort(20_000, 200_000));
            for (depth, nodes) in (1..).zip(small) {
                let found = perft(&rules, &after, depth, Counting::Turns);
                assert_eq!(found, nodes, "{rules}, depth {depth} after {name}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "{compared} numbers were compared");
}

#[test]
fn ids_are_unique_and_depths_have_no_gap() {
    let mut ids = HashSet::new();
    for (file, Entry { id, counts, why, source, reference, .. }) in entries() {
        assert!(counts.keys().copied().eq(1..=counts.len() as u8), "{id}");
        assert!(why.is_some() && source.is_some() && reference.is_some(), "{id}");
        assert!(ids.insert(id.clone()), "{id} in {file} stands in another file too");
    }
}

/// The counts of turns end where the game does, after 20 turns, or where ten million are near.
#[test]
fn turns_are_counted_to_some_ten_million() {
    for (_, Entry { id, counting, counts, .. }) in entries() {
        if counting != Counting::Turns {
            continue;
        }
        let nodes: Vec<u128> = [1].into_iter().chain(counts.into_values()).collect();
        let last = nodes[nodes.len() - 1];
        // The sides may have very different numbers of turns.
        let growth = nodes.windows(2).rev().take(2).map(|pair| pair[1].div_ceil(pair[0])).max();
        let growth = growth.expect("an entry has a count");
        let is_deep = last == 0 || nodes.len() > 20 || last * growth >= 8_000_000;
        assert!(is_deep, "{id} ends at depth {} with {last}", nodes.len() - 1);
    }
}

#[test]
fn positions_show_what_their_entries_say() {
    for (_, entry) in entries() {
        let found = themes(&entry.rules, &entry.position);
        let said = entry.themes.iter().map(String::as_str).collect::<BTreeSet<_>>();
        assert_eq!(found, said, "{}", entry.id);
    }
}

/// Themes of relays, captures and ends of games that occur under every rule set.
const COMMON: [&str; 15] = [
    "relay",
    "ten-steps",
    "both-ways",
    "line-to-edge",
    "line-to-own",
    "line-to-gap",
    "back-to-start",
    "back-to-way",
    "same-direction",
    "weak-relay",
    "weak-diagonal",
    "same-result",
    "last-stone",
    "no-turn",
    "first-turn",
];

/// Further themes of a rule set.
const SPECIAL: [(&str, &[&str]); 5] = [
    ("standard", &["captures-only", "thousand-turns"]),
    ("first-capture-single", &["captures-only", "single-first-capture"]),
    ("forced-relay", &["captures-only", "must-go-on", "thousand-turns"]),
    ("free-capture", &["captures-only", "paika-beside-capture"]),
    ("vela", &["paika-beside-capture", "giving", "taking", "nearest-only"]),
];

/// Themes of the vela on every board.
const PHASES: [&str; 4] = ["giving", "taking", "between-phases", "phase-two"];

/// The boards that every rule set is to be seen on.
fn board_kind(board: Board) -> Option<&'static str> {
    match (board.width(), board.height()) {
        (3, 3) => Some("3x3"),
        (5, 5) => Some("5x5"),
        (7, 5) => Some("7x5"),
        (9, 5) => Some("9x5"),
        _ => (board.num_points() >= 55).then_some("large"),
    }
}

#[test]
fn everything_is_shown() {
    let mut positions: HashMap<String, HashSet<Position>> = HashMap::new();
    let mut shown: BTreeMap<(String, &str), BTreeSet<String>> = BTreeMap::new();
    for (_, entry) in entries() {
        let preset = preset(&entry.rules);
        if entry.counting == Counting::Turns && !preset.is_empty() {
            positions.entry(preset.clone()).or_default().insert(entry.position);
            for kind in board_kind(entry.position.board()).into_iter().chain(["any"]) {
                shown.entry((preset.clone(), kind)).or_default().extend(entry.themes.clone());
            }
        }
    }
    let lacks = |preset: &str, kind, themes: &mut dyn Iterator<Item = &&'static str>| {
        let there = shown
            .get(&(preset.to_owned(), kind))
            .unwrap_or_else(|| panic!("{preset}, {kind}: none"));
        let lacking: Vec<_> = themes.filter(|theme| !there.contains(**theme)).collect();
        assert!(lacking.is_empty(), "{preset}, {kind}: nothing shows {lacking:?}");
    };
    for (preset, special) in SPECIAL {
        let enough = if preset == "standard" { 60 } else { 15 };
        assert!(positions[preset].len() >= enough, "{preset}");
        lacks(preset, "any", &mut COMMON.iter().chain(special));
        for kind in ["3x3", "5x5", "7x5", "9x5", "large"] {
            lacks(preset, kind, &mut ["first-turn", "line-to-edge"].iter());
        }
    }
    for kind in ["5x5", "7x5", "9x5", "large"] {
        lacks("standard", kind, &mut COMMON.iter());
    }
    let possible = on_telo();
    assert!(possible.len() < COMMON.len(), "{possible:?}");
    lacks("standard", "3x3", &mut possible.iter());
    for kind in ["3x3", "5x5", "7x5", "9x5", "large"] {
        lacks("vela", kind, &mut PHASES.iter());
    }
}

/// The themes that occur on 3x3, which is too small for some.
fn on_telo() -> Themes {
    let board = Board::telo();
    let all = board.all_points();
    let sets = move |of: PointSet| {
        (0..=all.bits()).map(PointSet::from_bits).filter(move |set| set.is_subset(of))
    };
    let mut found = Themes::new();
    for white in sets(all) {
        for black in sets(all - white) {
            let setup = Setup { board, white, black, to_move: Side::White };
            if let Ok(position) = Position::try_from(setup) {
                found.extend(themes(&RuleSet::STANDARD, &position));
            }
        }
    }
    found
}

/// The themes of a position's turns; `data/perft/README.md` says in words what each is.
fn themes(rules: &RuleSet, position: &Position) -> Themes {
    let turns = rules.turns(position);
    let mut found = Themes::new();
    let mut add = |theme, shows: bool| found.extend(shows.then_some(theme));
    let (board, stones) = (position.board(), Stones::of(position));
    let Stones { own, opponent } = stones;
    let results: HashSet<Position> = turns.iter().map(|t| position.play_unchecked(t)).collect();

    add("no-turn", turns.is_empty() && !own.is_empty() && !opponent.is_empty());
    add("first-turn", stones.count() == board.num_points() - 1);
    add("thousand-turns", turns.len() > 1024);
    add("same-result", results.len() < turns.len());
    add("relay", turns.iter().any(|turn| turn.steps().len() > 1));
    add("ten-steps", turns.iter().any(|turn| turn.steps().len() >= 10));
    let takes_all = |turn: &Turn| turn.captured() == opponent && turn.steps().len() > 1;
    add("last-stone", turns.iter().any(takes_all));

    let captures = turns.iter().any(|turn| !turn.is_paika());
    let paikas = turns.iter().any(Turn::is_paika);
    let scene = Scene { board, stones };
    let other_step = own.iter().any(|from| {
        scene.empty_neighbours(from).any(|(direction, _)| scene.taken(from, direction).is_none())
    });
    add("paika-beside-capture", captures && paikas);
    add("captures-only", captures && !paikas && other_step);
    add("weak-diagonal", own.iter().any(|from| scene.weak_diagonal(from)));

    let mut letters: HashMap<(Point, &[Step], Direction), HashSet<StepKind>> = HashMap::new();
    for turn in turns.iter().filter(|turn| !turn.is_paika()) {
        for (i, step) in turn.steps().iter().enumerate() {
            let before = &turn.steps()[..i];
            letters.entry((turn.origin(), before, step.direction)).or_default().insert(step.kind);
        }
    }
    add("both-ways", letters.values().any(|kinds| kinds.len() > 1));
    for turn in turns.iter().filter(|turn| !turn.is_paika()) {
        of_relay(rules, position, turn, &mut found);
    }
    of_vela(rules, position, &turns, &mut found);
    found
}

fn is_phase_one(rules: &RuleSet, position: &Position) -> bool {
    rules.vela().is_some_and(|vela| {
        let side =
            |side| if position.to_move() == side { position.own() } else { position.opponent() };
        side(vela.victor).len() > vela.stones.unwrap_or(5).into()
    })
}

fn of_vela(rules: &RuleSet, position: &Position, turns: &[Turn], found: &mut Themes) {
    let Some(vela) = rules.vela() else {
        return;
    };
    if !is_phase_one(rules, position) {
        found.insert("phase-two");
    } else if position.to_move() == vela.victor {
        found.insert("giving");
    } else {
        found.insert("taking");
        let ends_it = |turn| !is_phase_one(rules, &position.play_unchecked(turn));
        found.extend(turns.iter().any(ends_it).then_some("between-phases"));
        let (board, stones) = (position.board(), Stones::of(position));
        let (Stones { own, opponent }, scene) = (stones, Scene { board, stones });
        let has_two = |from: Point, (direction, to): (Direction, Point)| {
            let second = |start, direction| {
                let first = board.neighbour(start, direction).filter(|p| opponent.contains(*p));
                first.and_then(|first| board.neighbour(first, direction))
            };
            [second(to, direction), second(from, direction.opposite())]
                .into_iter()
                .flatten()
                .any(|second| opponent.contains(second))
        };
        let longer =
            own.iter().any(|from| scene.empty_neighbours(from).any(|to| has_two(from, to)));
        found.extend(longer.then_some("nearest-only"));
    }
}

/// Follows a capturing turn step by step.
fn of_relay(rules: &RuleSet, position: &Position, turn: &Turn, found: &mut Themes) {
    let board = position.board();
    let mut scene = Scene {
        board,
        stones: Stones { own: position.own() - turn.origin(), ..Stones::of(position) },
    };
    let single = rules.preset == Preset::FirstCaptureSingle
        && position.opponent().len() == board.max_stones();
    let mut at = turn.origin();
    let mut visited = PointSet::from(at);
    for (i, step) in turn.steps().iter().enumerate() {
        let to = board.neighbour(at, step.direction).expect("a step follows a link");
        let (start, away) = match step.kind {
            StepKind::Withdrawal => (at, step.direction.opposite()),
            _ => (to, step.direction),
        };
        let line = board.line(start.into(), away, scene.stones.opponent);
        let line =
            if is_phase_one(rules, position) { board.shift(start.into(), away) } else { line };
        let last = line.iter().find(|p| !board.shift((*p).into(), away).intersects(line));
        match board.neighbour(last.expect("a capture takes something"), away) {
            None => {
                found.insert("line-to-edge");
            }
            Some(end) => {
                let behind = board.shift(end.into(), away).intersects(scene.stones.opponent);
                if behind && scene.stones.own.contains(end) {
                    found.insert("line-to-own");
                } else if behind && !scene.stones.opponent.contains(end) {
                    found.insert("line-to-gap");
                }
            }
        }
        if is_phase_one(rules, position) {
            return;
        }
        scene.stones.opponent -= line;
        at = to;
        visited |= at;

        let steps = &turn.steps()[..=i];
        let allowed = |direction| match rules.direction {
            DirectionRule::NotTwiceRunning => direction != step.direction,
            DirectionRule::Strict => steps.iter().all(|step| step.direction != direction),
            DirectionRule::Free => true,
        };
        let mut goes_on = false;
        for (direction, to) in scene.empty_neighbours(at) {
            if scene.taken(at, direction).is_none() {
                continue;
            }
            let is_new = !visited.contains(to);
            goes_on |= is_new && allowed(direction);
            if is_new && !allowed(direction) && !single {
                found.insert("same-direction");
            }
            if !is_new && allowed(direction) && i > 0 {
                found.insert(if to == turn.origin() { "back-to-start" } else { "back-to-way" });
            }
        }
        if single {
            found.extend(goes_on.then_some("single-first-capture"));
            return;
        }
        let weak = is_weak(board, at);
        found.extend((goes_on && rules.preset == Preset::ForcedRelay).then_some("must-go-on"));
        found.extend((goes_on && weak).then_some("weak-relay"));
        found.extend(scene.weak_diagonal(at).then_some("weak-diagonal"));
    }
}

fn is_weak(board: Board, point: Point) -> bool {
    let at = board.coordinates(point);
    (at.file() + at.rank()) % 2 == 1
}

/// Stones; during a turn the one that moves is not among them.
struct Scene {
    board: Board,
    stones: Stones,
}

impl Scene {
    fn empty_neighbours(&self, from: Point) -> impl Iterator<Item = (Direction, Point)> + '_ {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let to = self.board.neighbour(from, direction)?;
            (!self.stones.occupied().contains(to)).then_some((direction, to))
        })
    }

    /// A stone that a step could take.
    fn taken(&self, from: Point, direction: Direction) -> Option<Point> {
        let to = self.board.neighbour(from, direction)?;
        let ahead = self.board.neighbour(to, direction);
        let behind = self.board.neighbour(from, direction.opposite());
        ahead.into_iter().chain(behind).find(|point| self.stones.opponent.contains(*point))
    }

    /// Whether a stone on a weak point would capture along a diagonal, if it had any.
    fn weak_diagonal(&self, from: Point) -> bool {
        let at = self.board.coordinates(from);
        let (file, rank) = (i32::from(at.file()), i32::from(at.rank()));
        let stands = |stones: PointSet, file: i32, rank: i32| {
            let place = |n: i32| u8::try_from(n).ok();
            let at = place(file).zip(place(rank));
            let at = at.and_then(|(file, rank)| Coordinates::new(file, rank));
            at.and_then(|at| self.board.point(at)).map(|point| stones.contains(point))
        };
        let ways = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
        is_weak(self.board, from)
            && ways.into_iter().any(|(f, r)| {
                stands(self.stones.occupied(), file + f, rank + r) == Some(false)
                    && [(2 * f, 2 * r), (-f, -r)].into_iter().any(|(f, r)| {
                        stands(self.stones.opponent, file + f, rank + r) == Some(true)
                    })
            })
    }
}
