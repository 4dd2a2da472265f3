//! First turns that were searched without finding a proof.

use fanorona_core::{Board, Position, RuleSet};
use serde::Serialize;

use crate::turn::RankedTurn;

/// `data/proofs/openings/tried.tsv`: board, rule set, turn, positions searched, and the log.
const TRIED: &str = include_str!(concat!(env!("OUT_DIR"), "/tried.tsv"));

/// A first turn whose value is open although it was searched.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Tried {
    /// The turn, as in `d3-e3W`.
    pub turn: String,
    /// The positions of the longest search after it.
    pub nodes: u64,
}

impl Tried {
    /// Those of a position's turns that are open, in the order of the list. Only starts have any.
    pub fn of(rules: &RuleSet, position: &Position, turns: &[RankedTurn]) -> Vec<Self> {
        let board = position.board();
        if *position != board.start() {
            return Vec::new();
        }
        let open = turns.iter().filter(|turn| turn.assessment.value().is_none());
        let of_turn = |turn: &RankedTurn| {
            let turn = turn.turn.text(board).to_string();
            let found = rows().find(|row| (row.0, row.1, row.2) == (board, *rules, &turn));
            found.map(|(.., nodes, _)| Self { turn, nodes })
        };
        open.filter_map(of_turn).collect()
    }
}

/// The lines of the file; what is not one is left out.
fn rows() -> impl Iterator<Item = (Board, RuleSet, &'static str, u64, &'static str)> {
    TRIED.lines().filter_map(|line| {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        let (board, rules, turn) = (next()?.parse().ok()?, next()?.parse().ok()?, next()?);
        Some((board, rules, turn, next()?.parse().ok()?, next()?))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::knowledge::Knowledge;

    /// Each figure is that of the last line of its log.
    #[test]
    fn the_figures_are_those_of_the_logs() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert_eq!(rows().count(), TRIED.lines().filter(|line| !line.starts_with('#')).count());
        for (board, rules, turn, nodes, log) in rows() {
            let log = fs::read_to_string(root.join(log)).expect("the log is there");
            let last = log.lines().next_back().expect("it has lines");
            assert!(last.contains(&format!("\"nodes\":{nodes},")), "{turn}");
            let known = Knowledge::of_rules(board, rules);
            let turns = known.turns(&board.start()).expect("turns");
            let found = Tried::of(&rules, &board.start(), &turns);
            assert!(found.contains(&Tried { turn: turn.to_owned(), nodes }), "{turn}");
        }
        let start = Board::dimy().start();
        let turns = Knowledge::of_rules(start.board(), RuleSet::STANDARD).turns(&start);
        assert!(Tried::of(&RuleSet::STANDARD, &start, &turns.expect("turns")).is_empty());
    }
}
