//! Turns by number, and the positions after them. A position can have several hundred thousand turns, so
//! none of these functions stores a list of turns.

use std::collections::HashSet;
use std::ops::ControlFlow;

use fanorona_core::{Position, RuleSet, Stones, Turn};

/// Calls `visit` with each turn and its number, counted from 0 in the generator's order, until it breaks.
fn try_for_each_numbered<B>(
    rules: &RuleSet,
    position: &Position,
    mut visit: impl FnMut(u32, &Turn) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut numbers = 0..;
    rules.try_for_each_turn(position, |turn| visit(numbers.next().expect("a u32"), turn))
}

/// The first legal turn for which `is_it` holds, with its number.
fn first(
    rules: &RuleSet,
    position: &Position,
    mut is_it: impl FnMut(u32, &Turn) -> bool,
) -> Option<(u32, Turn)> {
    let found = try_for_each_numbered(rules, position, |number, turn| {
        if is_it(number, turn) {
            return ControlFlow::Break((number, turn.clone()));
        }
        ControlFlow::Continue(())
    });
    found.break_value()
}

/// The legal turn with a number.
pub(crate) fn nth_turn(rules: &RuleSet, position: &Position, number: u32) -> Option<Turn> {
    Some(first(rules, position, |of_turn, _| of_turn == number)?.1)
}

/// The first turn that leads to a position, with its number.
pub(crate) fn first_turn_to(
    rules: &RuleSet,
    position: &Position,
    after: &Position,
) -> Option<(u32, Turn)> {
    first(rules, position, |_, turn| position.play_unchecked(turn) == *after)
}

/// The number of the first turn that leads to the same position as a turn: the one that certificates
/// store. `None` if the turn is not legal.
pub(crate) fn number_of(rules: &RuleSet, position: &Position, turn: &Turn) -> Option<u32> {
    first(rules, position, |_, legal| legal == turn)?;
    Some(first_turn_to(rules, position, &position.play_unchecked(turn))?.0)
}

/// The different positions after the turns of a position, in ascending order of their sets of stones. They
/// replace what is in `found`.
pub(crate) fn successors(rules: &RuleSet, position: &Position, found: &mut Vec<Position>) {
    found.clear();
    rules.for_each_successor(position, |after| found.push(after));
    found.sort_unstable_by_key(Stones::of);
    found.dedup_by_key(|after| Stones::of(after));
}

/// Calls `visit` once for each position that turns lead to, with the number of the first such turn,
/// until `visit` breaks.
pub(crate) fn try_for_each_successor<B>(
    rules: &RuleSet,
    position: &Position,
    mut visit: impl FnMut(u32, Position) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let mut seen: HashSet<Stones> = HashSet::new();
    try_for_each_numbered(rules, position, |number, turn| {
        let after = position.play_unchecked(turn);
        let is_new = seen.insert(Stones::of(&after));
        if is_new { visit(number, after) } else { ControlFlow::Continue(()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In some of them, several turns lead to the same position.
    const POSITIONS: [(&str, &str); 4] = [
        ("standard", "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w"),
        ("standard", "B1BBB/2B1W/BB3 w"),
        ("free-capture", "5/1B3/1W2B/5/BB2B w"),
        ("standard+direction-free", "5/1B1B1/4B/2B2/1B1WB w"),
    ];

    /// A position with 397,254 turns, found by a search for many turns.
    const MANY: (&str, &str) = (
        "free-capture+direction-free",
        "B1BBB1BBB/BB2B3B/B2B1B2B/W1BB1BBB1/B2B2WBB/WB2B2B1/2BWBBB1W w",
    );

    #[test]
    fn numbers_are_places_in_the_list() {
        let mut duplicates = 0;
        for (rules, position) in POSITIONS {
            let rules: RuleSet = rules.parse().unwrap();
            let position: Position = position.parse().unwrap();
            let turns = rules.turns(&position);
            let after: Vec<_> = turns.iter().map(|turn| position.play_unchecked(turn)).collect();
            let first = |i: usize| after.iter().position(|p| *p == after[i]).unwrap() as u32;
            for (i, turn) in turns.iter().enumerate() {
                assert_eq!(nth_turn(&rules, &position, i as u32).as_ref(), Some(turn));
                assert_eq!(number_of(&rules, &position, turn), Some(first(i)));
                duplicates += usize::from(first(i) != i as u32);
            }
            assert_eq!(nth_turn(&rules, &position, turns.len() as u32), None);
            assert_eq!(nth_turn(&rules, &position, u32::MAX), None);
            let elsewhere = position.with_other_to_move();
            let of_others = rules.turns(&elsewhere);
            assert!(of_others.iter().all(|turn| number_of(&rules, &position, turn).is_none()));

            let mut visited = Vec::new();
            let _ = try_for_each_successor(&rules, &position, |number, after| {
                visited.push((number, after));
                ControlFlow::<()>::Continue(())
            });
            let all = 0..turns.len();
            let expected = all.filter(|i| first(*i) == *i as u32).map(|i| (i as u32, after[i]));
            assert!(visited.iter().copied().eq(expected));
        }
        assert!(duplicates >= 3, "{duplicates}");
    }

    /// The time is proportional to the number of turns. Quadratic time would take minutes.
    #[test]
    fn many_turns_take_linear_time() {
        let (rules, position): (RuleSet, Position) =
            (MANY.0.parse().unwrap(), MANY.1.parse().unwrap());
        let (mut turns, mut last) = (0, None);
        let mut sorted = Vec::new();
        rules.for_each_turn(&position, |turn| {
            turns += 1;
            let after = position.play_unchecked(turn);
            last = Some(turn.clone());
            sorted.push(Stones::of(&after));
        });
        sorted.sort_unstable();
        sorted.dedup();
        assert!(turns > 300_000 && sorted.len() < turns);
        let mut visited = 0;
        let _ = try_for_each_successor(&rules, &position, |_, _| {
            visited += 1;
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(visited, sorted.len());
        let turn = last.unwrap();
        assert!(number_of(&rules, &position, &turn).is_some());
        assert_eq!(nth_turn(&rules, &position, turns as u32 - 1), Some(turn));
        assert_eq!(nth_turn(&rules, &position, turns as u32), None);
    }
}
