//! Helpers of the tests: building into a directory, listing all positions of a slice, and a simple
//! solver that is independent of the tables.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, BuildReport, build};
use fanorona_core::{Board, PointSet, Position, RuleSet, Side, Stones, Value};
use fanorona_tablebase::{
    Access, Metric, Selection, Slice, SliceCheck, TableError, TableValue, Tables, Thoroughness,
    Unit, WorkProgress, verify,
};
use fanorona_tests::strategies::rule_sets;
use proptest::prelude::*;

/// Reading and mapping.
pub(crate) fn accesses() -> [Access; 2] {
    // SAFETY: tests replace mapped files and never change them.
    [Access::READ, unsafe { Access::map() }]
}

pub(crate) fn board(name: &str) -> Board {
    name.parse().unwrap()
}

pub(crate) fn rules(name: &str) -> RuleSet {
    name.parse().unwrap()
}

pub(crate) fn slice(name: &str) -> Slice {
    name.parse().unwrap()
}

/// Options of a build.
pub(crate) fn to_build(
    dir: &Path,
    board: Board,
    rules: RuleSet,
    stones: u32,
    metric: Metric,
) -> BuildOptions {
    BuildOptions::new(dir, board, rules, stones).with_metric(metric)
}

/// Builds without interruption.
pub(crate) fn try_build(
    dir: &Path,
    board: Board,
    rules: RuleSet,
    stones: u32,
    metric: Metric,
) -> Result<BuildReport, TableError> {
    build(&to_build(dir, board, rules, stones, metric), &(), &AtomicBool::new(false))
}

/// A temporary directory with tables.
pub(crate) struct Built {
    dir: tempfile::TempDir,
    pub(crate) tables: Tables,
}

impl Built {
    pub(crate) fn new(board: Board, rules: RuleSet, stones: u32, metrics: &[Metric]) -> Self {
        let dir = fanorona_tests::directory().unwrap();
        for metric in metrics {
            try_build(dir.path(), board, rules, stones, *metric).unwrap();
        }
        let tables = Tables::open(dir.path(), board, rules).unwrap();
        Self { dir, tables }
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Runs a full verification, which must check all tables and find no fault.
    pub(crate) fn assert_verified(&self, tables: usize) {
        let checks = run_verify(&self.tables, Thoroughness::Full);
        assert_eq!(checks.len(), tables);
        for check in checks {
            assert!(check.fault.is_none(), "{} {}: {:?}", check.slice, check.metric, check.fault);
            let (own, opponent) = (check.slice.own.into(), check.slice.opponent.into());
            let placements =
                fanorona_tablebase::orbits::placements(self.tables.board(), own, opponent);
            assert_eq!(u128::from(check.checked), placements, "{}", check.slice);
        }
    }
}

pub(crate) fn run_verify(tables: &Tables, thoroughness: Thoroughness<'_>) -> Vec<SliceCheck> {
    let (never, progress) = (AtomicBool::new(false), WorkProgress::default());
    verify(tables, &Selection::all(), thoroughness, &never, &progress, |_| {}).unwrap()
}

/// The slices of a game, each with the rules of its table, for White to move.
pub(crate) fn slices_of_game(board: Board, rules: RuleSet, stones: u32) -> Vec<(RuleSet, Slice)> {
    let mut found = Vec::new();
    for slice in slices(board, stones) {
        for rules in [rules, rules.with_colours_swapped()] {
            let rules = rules.endgame(board, slice.own.into(), slice.opponent.into());
            if !found.contains(&(rules, slice)) {
                found.push((rules, slice));
            }
        }
    }
    found
}

/// All sets of `stones` of the points below `points`, found by testing every number.
pub(crate) fn sets(points: u32, stones: u32) -> Vec<PointSet> {
    assert!(points <= 25, "that takes too long");
    (0..1_u64 << points).map(PointSet::from_bits).filter(|set| set.len() == stones).collect()
}

/// Every placement of a slice, with White to move.
pub(crate) fn placements(board: Board, slice: Slice) -> Vec<Position> {
    let own_sets = sets(board.num_points(), slice.own.into());
    let opponent_sets = sets(board.num_points(), slice.opponent.into());
    let mut positions = Vec::new();
    for own in own_sets {
        for opponent in opponent_sets.iter().filter(|opponent| !opponent.intersects(own)) {
            let stones = Stones { own, opponent: *opponent };
            positions.push(Position::from_mover(board, stones, Side::White).unwrap());
        }
    }
    positions
}

/// The slices with up to `stones` stones.
pub(crate) fn slices(board: Board, stones: u32) -> Vec<Slice> {
    Unit::up_to(board, stones).flat_map(Unit::slices).collect()
}

/// The values of all positions with up to `stones` stones, with both sides to move, straight from
/// the definition: each pass over all positions finds those decided in one more turn.
pub(crate) fn solve_slowly(
    board: Board,
    rules: RuleSet,
    stones: u32,
) -> HashMap<Position, (Value, Option<u16>)> {
    // Those that end the game have a value.
    let successors = |position: &Position| -> Vec<Result<Position, Value>> {
        let after = rules.successors(position).into_iter();
        let ended = |after: &Position| rules.outcome(after).map(|o| o.value_for(after.to_move()));
        after.map(|after| ended(&after).map_or(Ok(after), Err)).collect()
    };
    let mut open = Vec::new();
    let mut values = HashMap::new();
    for slice in slices(board, stones) {
        for white in placements(board, slice) {
            for position in [white, white.with_colours_swapped()] {
                match rules.outcome(&position) {
                    None => open.push((position, successors(&position))),
                    Some(outcome) => {
                        let value = outcome.value_for(position.to_move());
                        values.insert(position, (value, (value != Value::Draw).then_some(0)));
                    }
                }
            }
        }
    }
    // Stop after two rounds without a new value. A round depends only on the values of the round
    // before.
    let (mut idle, mut round) = (0, 0);
    while idle < 2 {
        round += 1;
        let mut found = Vec::new();
        for (position, successors) in &open {
            let mut all_won = true;
            let mut lost = false;
            for after in successors {
                let value = match after {
                    Ok(after) => values.get(after).map(|(value, _)| *value),
                    Err(value) => Some(*value),
                };
                lost |= value == Some(Value::Loss);
                all_won &= value == Some(Value::Win);
            }
            if lost || all_won {
                let value = if lost { Value::Win } else { Value::Loss };
                found.push((*position, (value, Some(round))));
            }
        }
        idle = if found.is_empty() { idle + 1 } else { 0 };
        values.extend(found);
        open.retain(|(position, _)| !values.contains_key(position));
    }
    values.extend(open.into_iter().map(|(position, _)| (position, (Value::Draw, None))));
    values
}

/// Converts a value of [`solve_slowly`] to that of a table with distances.
pub(crate) fn as_table_value((value, dtw): (Value, Option<u16>)) -> TableValue {
    TableValue { value, dtw }
}

/// Every combination of options, without the vela.
pub(crate) fn options() -> impl Strategy<Value = RuleSet> {
    rule_sets(Board::tsivy()).prop_map(|rules| rules.without_vela())
}

/// The names and bytes of the files in a directory.
pub(crate) fn contents(dir: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    std::fs::read_dir(dir)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        })
        .collect()
}
