//! Quiet sacrifices: a turn without a capture offers stones, and the opponent has to take them.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, RuleSet};
use fanorona_engine::{Engine, Limits, Options};
use fanorona_knowledge::Knowledge;
use fanorona_tests::effort;

/// Whether the player plays the turn of a row.
fn is_found(row: &str, nodes: u64) -> bool {
    let mut fields = row.split('\t');
    let mut field = || fields.next().expect("a position and a turn");
    let (position, turn): (Position, _) = (field().parse().expect("a position"), field());
    let known = Knowledge::of_rules(position.board(), RuleSet::STANDARD);
    let mut engine = Engine::new(known, Options::default()).expect("an engine");
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let found = engine.analyze(&position, &[], &limits, &AtomicBool::new(false), |_| {});
    let found = found.expect("it answers").turn.expect("there are turns");
    found.text(position.board()).to_string() == turn
}

/// The player that did not look for them found a tenth with 20,000 nodes. With `--nocapture`, the counts.
#[test]
fn most_sacrifices_are_found() {
    let text = include_str!("../../../../data/positions/sacrifices-9x5.tsv");
    let rows: Vec<_> = text.lines().filter(|row| !row.starts_with('#')).collect();
    for nodes in effort(&[20_000][..], &[10_000, 20_000, 100_000, 1_000_000]) {
        let found = rows.iter().filter(|row| is_found(row, *nodes)).count();
        println!("{nodes} nodes: {found} of {} sacrifices", rows.len());
        assert!(*nodes < 20_000 || 2 * found > rows.len(), "{nodes} nodes: {found}");
    }
}
