//! Results of the search can be certified, including endless draws, even if its table has lost
//! them.

use std::fs;

use crate::fixtures::{
    NEVER, Place, Solved, board, bounds, certify_by_search, check, positions, rules, tables,
};
use crate::reference::File;
use fanorona_core::{Board, Position, RuleSet, Side, Value};
use fanorona_proof::Bounds;
use fanorona_solver::{Limits, Solver};
use fanorona_tablebase::{Metric, Tables};

/// So little memory that nearly everything has to be searched again.
const TINY: usize = 1 << 10;

/// Certifies bounds. Returns the number of entries of the proofs.
fn certified(
    place: &Place,
    position: &Position,
    tables: Option<&Tables>,
    bounds: Bounds,
    (rules, solver): (&RuleSet, &mut Solver<'_>),
) -> usize {
    let path = place.file();
    certify_by_search(&path, (rules, position), tables, bounds, solver)
        .unwrap_or_else(|error| panic!("{position} {rules}: {error}"));
    assert_eq!(check(&path, tables).unwrap(), bounds, "{position} {rules}");
    let file = File::read(&fs::read(&path).unwrap());
    assert!(file.is_true(tables), "{position} {rules}");
    file.proofs.iter().map(|proof| proof.entries.len()).sum()
}

#[test]
fn every_value_of_3x3_is_certified_by_search() {
    for name in ["standard", "free-capture", "vela+stones-2", "standard+no-turns-draw"] {
        let rules = rules(name);
        let solved = Solved::of(Board::telo(), rules);
        let place = Place::new();
        let built = tables(place.dir(), Board::telo(), rules.without_vela(), 3, Metric::Wdl);
        drop(built);
        let built = Tables::open(place.dir(), Board::telo(), rules).unwrap();
        for (tables, memory, step) in
            [(None, 1 << 20, 397), (Some(&built), 1 << 20, 397), (None, TINY, 997)]
        {
            let mut solver = Solver::new(rules, Board::telo(), tables, memory).unwrap();
            let mut seen = [0; 3];
            for position in positions(Board::telo()).iter().step_by(step) {
                let bounds = bounds(&mut solver, position);
                assert_eq!(bounds, Bounds::exact(solved.value(position)), "{position} {name}");
                let of = (&rules, &mut solver);
                let entries = certified(&place, position, tables, bounds, of);
                seen[solved.value(position) as usize] += usize::from(entries > 0);
            }
            assert!(seen.iter().all(|proofs| *proofs > 0), "{name} {memory}: {seen:?}");
        }
    }
}

/// Positions with few stones, whose values are known from tables. Each value is certified without
/// tables, with some of them, and with a tiny transposition table.
#[test]
fn endless_draws_are_certified_by_search() {
    let rules = RuleSet::STANDARD;
    let five = ["B3B/5/5/5/W3W w", "B3B/5/5/5/W3W b", "B4/5/5/5/4W w", "B3B/5/2W2/5/5 w"];
    let wide = ["B3B/5/W3W w", "BB3/5/3WW b", "B4/5/4W w", "B3B/2W2/5 w"];
    for (name, texts) in [("5x5", five), ("5x3", wide)] {
        let (board, full, part) = (board(name), Place::new(), Place::new());
        let all = tables(full.dir(), board, rules, 4, Metric::Wdl);
        let some = tables(part.dir(), board, rules, 3, Metric::Dtw);
        let mut largest = 0;
        for (tables, memory, texts) in [
            (None, 1 << 24, &texts[..]),
            (Some(&some), 1 << 24, &texts),
            (None, TINY, &texts[2..3]),
        ] {
            for text in texts {
                let position: Position = text.parse().unwrap();
                let mut solver = Solver::new(rules, board, tables, memory).unwrap();
                let bounds = bounds(&mut solver, &position);
                let value = all.probe(&position).unwrap().value;
                assert_eq!(bounds, Bounds::exact(value), "{position}");
                let of = (&rules, &mut solver);
                let entries = certified(&part, &position, tables, bounds, of);
                if value == Value::Draw && tables.is_none() {
                    largest = largest.max(entries);
                }
            }
        }
        assert!(largest > 20, "{name}: {largest}");
    }
}

#[test]
fn a_single_bound_is_certified() {
    let place = Place::new();
    let rules = RuleSet::STANDARD;
    let mut seen = 0;
    let texts = ["B4/5/4W w", "B4/5/4W b", "B3B/2W2/5 w", "B4/5/5/5/4W w"];
    // Of some limits, the search answers the first question only.
    for (text, nodes) in texts.iter().flat_map(|text| (0..12).map(move |n| (text, 1 << n))) {
        let position: Position = text.parse().unwrap();
        let limits = Limits::default().with_nodes(nodes).with_threads(1);
        let mut solver = Solver::new(rules, position.board(), None, 1 << 20).unwrap();
        let found = solver.analyze(&position, &limits, &NEVER, |_| {}).unwrap().bounds();
        if found == (Bounds { at_least: Value::Loss, at_most: Value::Draw }) {
            seen += 1;
            assert!(certified(&place, &position, None, found, (&rules, &mut solver)) > 0);
        }
        // The other question.
        if bounds(&mut solver, &position).value() == Some(Value::Draw) {
            let held = Bounds { at_least: Value::Draw, at_most: Value::Win };
            assert!(certified(&place, &position, None, held, (&rules, &mut solver)) > 0);
        }
    }
    assert!(seen > 0);
}

/// A certificate uses tables of one metric. Where the search uses tables of the other one, the
/// certificate needs entries.
#[test]
fn proofs_do_not_end_at_tables_that_only_the_search_uses() {
    let (board, rules) = (board("5x3"), RuleSet::STANDARD);
    let place = Place::new();
    tables(place.dir(), board, rules, 3, Metric::Dtw);
    tables(place.dir(), board, rules, 4, Metric::Wdl);
    for slice in ["1v2", "2v1"] {
        fs::remove_file(place.dir().join(format!("5x3_standard_{slice}.wdl.fano"))).unwrap();
    }
    let tables = Tables::open(place.dir(), board, rules).unwrap();
    let mut solver = Solver::new(rules, board, Some(&tables), 1 << 22).unwrap();
    let mut seen = [0; 3];
    for stones in ["B4/5/W3W", "BB3/5/4W", "2B2/W4/4W", "B1B2/W4/4W", "B1B2/1W3/4W"] {
        for side in [Side::White, Side::Black] {
            let side = if side == Side::White { "w" } else { "b" };
            let position: Position = format!("{stones} {side}").parse().unwrap();
            let bounds = bounds(&mut solver, &position);
            let of = (&rules, &mut solver);
            let entries = certified(&place, &position, Some(&tables), bounds, of);
            seen[bounds.value().unwrap() as usize] += entries;
        }
    }
    assert!(seen.iter().filter(|entries| **entries > 0).count() > 1, "{seen:?}");
}
