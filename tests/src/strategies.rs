//! Inputs of property tests: boards, rule sets and positions of every kind.

use std::ops::ControlFlow;

use fanorona_core::{Board, PointSet, Position, RuleSet, Setup, Side, Turn};
use fanorona_perft::{Counting, perft};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::effort;

/// A configuration with this number of cases, or a fifth of it in usual runs (see
/// [`effort`]). Up to half may be rejected, or a
/// hundred. Failures are printed in full and not kept
/// in files: each becomes a test of its own.
pub fn cases(cases: u32) -> ProptestConfig {
    let cases = effort(cases.div_ceil(5), cases);
    let max_global_rejects = cases.max(100);
    ProptestConfig {
        cases,
        max_global_rejects,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Every board.
pub fn boards() -> impl Strategy<Value = Board> {
    select(Board::all().collect::<Vec<_>>())
}

/// The boards with up to `points` points.
pub fn boards_up_to(points: u32) -> impl Strategy<Value = Board> {
    select(Board::all().filter(|board| board.num_points() <= points).collect::<Vec<_>>())
}

/// Every board, those of at most 15 points more often: whole trees are small there.
pub fn mostly_small_boards() -> impl Strategy<Value = Board> {
    prop_oneof![boards_up_to(15), boards()]
}

/// A preset with those of the options that it takes, as [`RuleSet::options`] writes them. A number stands
/// for `N`.
pub fn with_options(preset: RuleSet, options: &[&str], number: u8) -> RuleSet {
    options.iter().fold(preset, |rules, option| {
        let option = option.replace('N', &number.to_string());
        format!("{rules}+{option}").parse().unwrap_or(rules)
    })
}

/// Presets and every combination of options that can be used on a board.
pub fn rule_sets(board: Board) -> impl Strategy<Value = RuleSet> {
    let options = RuleSet::VELA.options();
    let any = subsequence(options.clone(), 0..=options.len());
    let options = prop_oneof![1 => Just(Vec::new()).boxed(), 2 => any.boxed()];
    (select(&RuleSet::PRESETS[..]), options, 0..=board.max_stones() as u8).prop_map(
        move |(preset, options, stones)| {
            let rules = with_options(preset, &options, stones);
            // Off 9x5 the vela needs its number.
            let is_possible = rules.check(board).is_ok();
            if is_possible { rules } else { with_options(rules, &["stones-N"], stones) }
        },
    )
}

/// Any position of a board, from one stone to all of them; one side may have none.
pub fn set_ups(board: Board) -> impl Strategy<Value = Position> {
    let most = board.max_stones() as usize;
    let stones = move || prop_oneof![3 => 0..=most, 1 => 0..=most.min(4), 1 => Just(most)];
    (stones(), stones(), select(vec![Side::White, Side::Black]))
        .prop_filter("a stone stands", |(white, black, _)| white + black > 0)
        .prop_flat_map(move |(white, black, to_move)| {
            let mut order = vec![0_u8; board.num_points() as usize];
            for (i, point) in order.iter_mut().enumerate() {
                *point = i as u8;
            }
            Just(order).prop_shuffle().prop_map(move |order| {
                let bits = |points: &[u8]| points.iter().fold(0, |set, point| set | 1 << point);
                let set = |points: &[u8]| PointSet::from_bits(bits(points));
                let setup = Setup {
                    board,
                    white: set(&order[..white]),
                    black: set(&order[white..white + black]),
                    to_move,
                };
                Position::try_from(setup).expect("the stones fit")
            })
        })
}

/// Any position: a random set-up, or one reached by random play from the start or a set-up.
pub fn positions(board: Board, rules: RuleSet) -> impl Strategy<Value = Position> {
    let from = prop_oneof![Just(board.start()), set_ups(board)];
    let middle_game = (from, vec(any::<Index>(), 0..30))
        .prop_map(move |(from, choices)| random_play(&rules, from, &choices));
    prop_oneof![set_ups(board), middle_game]
}

/// The position after the turns chosen, or the last one before the game ends.
fn random_play(rules: &RuleSet, from: Position, choices: &[Index]) -> Position {
    let mut position = from;
    for choice in choices {
        let turns = rules.turns(&position);
        if turns.is_empty() {
            break;
        }
        position = position.play_unchecked(choice.get(&turns));
    }
    position
}

/// A rule set and a position of one of these boards.
pub fn cases_of_play(
    boards: impl Strategy<Value = Board>,
) -> impl Strategy<Value = (RuleSet, Position)> {
    boards
        .prop_flat_map(|board| rule_sets(board).prop_map(move |rules| (board, rules)))
        .prop_flat_map(|(board, rules)| {
            positions(board, rules).prop_map(move |position| (rules, position))
        })
}

/// The turns; `None` if there are more than `limit`, which would take the slow generator too long.
pub fn turns_up_to(limit: usize, rules: &RuleSet, position: &Position) -> Option<Vec<Turn>> {
    let mut turns = Vec::new();
    let more = rules.try_for_each_turn(position, |turn| {
        if turns.len() == limit {
            return ControlFlow::Break(());
        }
        turns.push(turn.clone());
        ControlFlow::Continue(())
    });
    more.is_continue().then_some(turns)
}

/// The greatest depth up to `most` that visits no more than `budget` inner nodes.
pub fn depth_within(budget: u128, most: u8, rules: &RuleSet, position: &Position) -> u8 {
    let mut depth = 1;
    while depth < most && perft(rules, position, depth, Counting::Turns) <= budget {
        depth += 1;
    }
    depth
}

/// Texts that are valid or nearly so: some characters are replaced, inserted, removed or doubled.
pub fn nearly(valid: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let characters = prop_oneof![
        3 => proptest::char::ranges(vec![' '..='~'].into()),
        2 => select("wbWBA./-+x0123456789abhiz ".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    let edits = vec((any::<Index>(), 0..4, characters), 0..4);
    (valid, edits).prop_map(|(text, edits)| {
        let mut text: Vec<char> = text.chars().collect();
        for (at, kind, character) in edits {
            let at = at.index(text.len() + 1);
            match kind {
                0 => text.insert(at, character),
                _ if at == text.len() => {}
                1 => text[at] = character,
                2 => drop(text.remove(at)),
                _ => text.insert(at, text[at]),
            }
        }
        text.into_iter().collect()
    })
}
