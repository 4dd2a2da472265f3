//! What the tests of certificates share: whole boards solved slowly, tables, and guides.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod file;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Setup, Side, Turn, Value};
use fanorona_solver::certificate::{Certificate, CertificateError, Claim, Guide, Maker};
use fanorona_solver::{Bounds, SolverError};
use fanorona_tablebase::{BuildOptions, Method, Metric, Tables, build};
use proptest::prelude::ProptestConfig;

pub static NEVER: AtomicBool = AtomicBool::new(false);

pub fn board(name: &str) -> Board {
    name.parse().unwrap()
}

pub fn rules(name: &str) -> RuleSet {
    name.parse().unwrap()
}

/// A configuration with so many cases. Failures are shown in full and not kept in files.
pub fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Builds tables into a directory and opens them.
pub fn tables(dir: &Path, board: Board, rules: RuleSet, stones: u32, metric: Metric) -> Tables {
    let options = BuildOptions { dir, board, rules, stones, metric, method: Method::default() };
    build(&options, &(), &NEVER).unwrap();
    Tables::open(dir, board, rules).unwrap()
}

/// Every position of a small board with its value, and the distance to its end if it has one, by
/// going over all of them until nothing changes.
pub struct Solved {
    pub rules: RuleSet,
    values: HashMap<Position, (Value, u16)>,
}

impl Solved {
    pub fn new(board: Board, rules: RuleSet) -> Self {
        let mut open = Vec::new();
        let mut values = HashMap::new();
        for position in positions(board) {
            match rules.outcome(&position) {
                None => open.push((position, rules.successors(&position))),
                Some(outcome) => {
                    values.insert(position, (outcome.value_for(position.to_move()), 0));
                }
            }
        }
        for distance in 1.. {
            let before = values.len();
            let mut found = Vec::new();
            open.retain(|(position, successors)| {
                let value = |after| values.get(after).map(|(value, _)| *value);
                let value = if successors.iter().any(|p| value(p) == Some(Value::Loss)) {
                    Value::Win
                } else if successors.iter().all(|p| value(p) == Some(Value::Win)) {
                    Value::Loss
                } else {
                    return true;
                };
                found.push((*position, (value, distance)));
                false
            });
            values.extend(found);
            if values.len() == before {
                break;
            }
        }
        Self { rules, values }
    }

    pub fn value(&self, position: &Position) -> Value {
        self.values.get(position).map_or(Value::Draw, |(value, _)| *value)
    }

    fn distance(&self, position: &Position) -> u16 {
        self.values.get(position).map_or(0, |(_, distance)| *distance)
    }

    /// The turns that lose nothing of the value; of a win the shortest first.
    pub fn good_turns(&self, position: &Position) -> Vec<Turn> {
        let value = self.value(position);
        let mut turns = self.rules.turns(position);
        turns.retain(|turn| self.value(&position.play_unchecked(turn)) == -value);
        turns.sort_by_key(|turn| self.distance(&position.play_unchecked(turn)));
        turns
    }
}

/// Every position of a board, in which neither side need have stones.
pub fn positions(board: Board) -> Vec<Position> {
    assert!(board.points() <= 9, "that takes too long");
    let sets = || 0..1u64 << board.points();
    sets()
        .flat_map(|white| sets().map(move |black| (white, black)))
        .flat_map(|(white, black)| {
            [Side::White, Side::Black].map(|to_move| Setup { board, white, black, to_move })
        })
        .filter_map(|setup| Position::try_from(setup).ok())
        .collect()
}

/// A guide that is a function.
pub struct By<F>(pub F);

impl<F: FnMut(&Position) -> Option<Turn>> Guide for By<F> {
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, SolverError> {
        Ok(self.0(position))
    }
}

/// The best turn by tables.
pub fn by_tables(tables: &Tables) -> By<impl FnMut(&Position) -> Option<Turn>> {
    By(|position: &Position| Some(tables.rank(position).unwrap().swap_remove(0).turn))
}

/// The best turn on a board that is solved.
pub fn by_solution(solved: &Solved) -> By<impl FnMut(&Position) -> Option<Turn>> {
    By(|position: &Position| solved.good_turns(position).into_iter().next())
}

/// The claims that make a value.
pub fn claims(value: Value, mover: Side) -> Vec<Claim> {
    Claim::of_bounds(Bounds::exact(value), mover)
}

/// Makes a certificate of these claims with one guide.
pub fn certify(
    path: &Path,
    (rules, position): (&RuleSet, &Position),
    tables: Option<&Tables>,
    claims: &[Claim],
    guide: &mut dyn Guide,
) -> Result<(), CertificateError> {
    let mut maker = Maker::new(rules, position, tables, &NEVER)?;
    for claim in claims {
        maker.prove(*claim, guide, |_| {})?;
    }
    maker.write(path)?;
    Ok(())
}

/// Opens and checks, and tells what was proved.
pub fn check(path: &Path, tables: Option<&Tables>) -> Result<Bounds, CertificateError> {
    let certificate = Certificate::open(path)?;
    let positions = certificate.check(tables, &NEVER, |_| {})?;
    assert_eq!(positions, certificate.positions());
    Ok(certificate.bounds())
}

/// A directory that goes when it is dropped, and a file's name in it.
pub struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub fn file(&self) -> PathBuf {
        self.dir.path().join("proof.cert")
    }
}
