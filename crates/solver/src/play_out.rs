//! Play to the end of the game where tables know who wins, but not in how many turns.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fanorona_core::{Position, RuleSet, Turn, Value};
use fanorona_tablebase::{TableError, Tables};
use web_time::Instant;

/// The most positions that are remembered, which take some 100 MB.
const MOST_REMEMBERED: usize = 1 << 20;

/// The most plies that are searched for a capture.
const MOST_PLIES: u16 = 200;

/// Turns of both sides from a won or lost position, each with the position after it.
#[derive(Clone, Debug)]
pub struct PlayedOut {
    /// The turns, up to the last capture that was found.
    pub turns: Vec<(Turn, Position)>,
    /// Whether the game is over after them.
    pub is_finished: bool,
}

/// Plays from a position that tables call won or lost towards the end of the game.
///
/// The winner takes the way with the fewest plies to the next capture after which the win is kept, and
/// the loser the one with the most. Both are searched by iterative deepening, in which the winner
/// tries only turns that the tables call won. Each capture leads to smaller tables, and so to the end.
/// This is not the shortest win.
///
/// It ends early if the time is over, if `stop` is set, or if a table is missing.
///
/// # Errors
/// If a table is damaged or cannot be read.
pub fn play_out(
    rules: &RuleSet,
    tables: &Tables,
    position: &Position,
    time: Duration,
    stop: &AtomicBool,
) -> Result<PlayedOut, TableError> {
    let deadline = Instant::now() + time;
    let mut search = Search { rules, tables, deadline, stop, known: HashMap::new(), failure: None };
    let (mut at, mut turns) = (*position, Vec::new());
    let is_finished = loop {
        if rules.outcome(&at).is_some() {
            break true;
        }
        match search.until_capture(&at) {
            Some(more) if !more.is_empty() => {
                at = more[more.len() - 1].1;
                turns.extend(more);
            }
            _ => break false,
        }
    };
    match search.failure {
        Some(error) if !error.is_absent() => return Err(error),
        _ => {}
    }
    Ok(PlayedOut { turns, is_finished })
}

/// The search for the next capture.
struct Search<'a> {
    rules: &'a RuleSet,
    tables: &'a Tables,
    deadline: Instant,
    stop: &'a AtomicBool,
    /// For each position: the plies within which a capture is certain, if that is known, and the
    /// largest number of plies within which it is not.
    known: HashMap<Position, (Option<u16>, u16)>,
    failure: Option<TableError>,
}

/// The search has no result: the time is over, or a table failed.
struct Ended;

impl Search<'_> {
    /// The turns up to the next capture, or to the end of the game. `None` if the search ends before.
    fn until_capture(&mut self, position: &Position) -> Option<Vec<(Turn, Position)>> {
        self.known.clear();
        let (mut at, mut turns) = (*position, Vec::new());
        let mut is_winner = self.value(&at).ok()? == Value::Win;
        let mut plies = self.plies(&at, is_winner, 1).ok()??;
        loop {
            let (turn, after, left) = self.best(&at, is_winner, plies).ok()??;
            let is_over = !turn.is_paika() || self.rules.outcome(&after).is_some();
            turns.push((turn, after));
            if is_over {
                return Some(turns);
            }
            (at, is_winner, plies) = (after, !is_winner, left);
        }
    }

    /// The least number of plies, from `least` on, within which there is a capture for certain.
    fn plies(&mut self, at: &Position, is_winner: bool, least: u16) -> Result<Option<u16>, Ended> {
        for plies in least..=MOST_PLIES {
            if self.is_within(at, is_winner, plies)? {
                return Ok(Some(plies));
            }
        }
        Ok(None)
    }

    /// The turn to play in a position with this number of plies to a capture, the position after it,
    /// and the plies from there.
    fn best(
        &mut self,
        at: &Position,
        is_winner: bool,
        plies: u16,
    ) -> Result<Option<(Turn, Position, u16)>, Ended> {
        let mut best: Option<(Turn, Position, u16)> = None;
        for (turn, after) in self.turns(at, is_winner)? {
            let left = match !turn.is_paika() || self.rules.outcome(&after).is_some() {
                true => 0,
                false if !self.is_within(&after, !is_winner, plies - 1)? => continue,
                false => self.plies(&after, !is_winner, 1)?.unwrap_or(plies - 1),
            };
            let is_better = best.as_ref().is_none_or(|(_, _, found)| match is_winner {
                true => left < *found,
                false => left > *found,
            });
            if is_better {
                best = Some((turn, after, left));
            }
        }
        Ok(best)
    }

    /// Whether there is a capture, or the end of the game, within so many plies, whatever the loser
    /// does.
    fn is_within(&mut self, at: &Position, is_winner: bool, plies: u16) -> Result<bool, Ended> {
        if plies == 0 {
            return Ok(false);
        }
        let (within, beyond) = self.known.get(at).copied().unwrap_or((None, 0));
        if within.is_some_and(|within| within <= plies) {
            return Ok(true);
        }
        if plies <= beyond {
            return Ok(false);
        }
        // One turn of the winner is enough, and all turns of the loser are needed.
        let mut found = !is_winner;
        for (turn, after) in self.turns(at, is_winner)? {
            let is_over = !turn.is_paika() || self.rules.outcome(&after).is_some();
            let leads = is_over || self.is_within(&after, !is_winner, plies - 1)?;
            if leads == is_winner {
                found = is_winner;
                break;
            }
        }
        if self.known.len() < MOST_REMEMBERED || self.known.contains_key(at) {
            let entry = self.known.entry(*at).or_default();
            match found {
                true => entry.0 = Some(plies),
                false => entry.1 = plies,
            }
        }
        Ok(found)
    }

    /// The turns of the loser, or those of the winner that keep the win, captures first.
    fn turns(&mut self, at: &Position, is_winner: bool) -> Result<Vec<(Turn, Position)>, Ended> {
        if self.stop.load(Ordering::Relaxed) || Instant::now() >= self.deadline {
            return Err(Ended);
        }
        let turns = self.rules.turns(at).into_iter();
        let mut turns: Vec<_> =
            turns.map(|turn| (turn.clone(), at.play_unchecked(&turn))).collect();
        if is_winner {
            let mut won = Vec::new();
            for (turn, after) in turns {
                if self.value(&after)? == Value::Loss {
                    won.push((turn, after));
                }
            }
            turns = won;
        }
        turns.sort_by_key(|(turn, _)| turn.is_paika());
        Ok(turns)
    }

    /// The value of a position for the side to move.
    fn value(&mut self, position: &Position) -> Result<Value, Ended> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(outcome.value_for(position.to_move()));
        }
        match self.tables.probe(position) {
            Ok(found) => Ok(found.value),
            Err(error) => {
                self.failure = Some(error);
                Err(Ended)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use fanorona_builder::{BuildOptions, build};
    use fanorona_core::{Board, Side, SplitMix64};
    use fanorona_tablebase::{Metric, Slice};

    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    /// Whether the winner can capture or end the game in so many plies, by all turns of both sides.
    struct Slow<'a> {
        tables: &'a Tables,
        known: HashMap<(Position, u16), bool>,
    }

    impl Slow<'_> {
        fn is_within(&mut self, at: &Position, is_winner: bool, plies: u16) -> bool {
            if let Some(known) = self.known.get(&(*at, plies)) {
                return *known;
            }
            let rules = self.tables.rules();
            let after = |turn: &Turn| at.play_unchecked(turn);
            let mut turns = rules.turns(at);
            let is_lost = |after: &Position| {
                self.tables.probe(after).expect("it is there").value == Value::Loss
            };
            turns.retain(|turn| !is_winner || is_lost(&after(turn)));
            let mut leads = |turn: &Turn| {
                !turn.is_paika()
                    || rules.outcome(&after(turn)).is_some()
                    || self.is_within(&after(turn), !is_winner, plies - 1)
            };
            let found = plies > 0
                && if is_winner { turns.iter().any(leads) } else { turns.iter().all(&mut leads) };
            self.known.insert((*at, plies), found);
            found
        }
    }

    /// The winner goes for the nearest capture, and the loser for the furthest.
    #[test]
    fn captures_are_hastened_and_delayed() {
        for name in ["standard", "free-capture"] {
            let dir = fanorona_tests::directory().expect("a directory");
            let (board, rules) = (Board::new(5, 3).expect("a board"), name.parse().expect("rules"));
            let options = BuildOptions::new(dir.path(), board, rules, 3).with_metric(Metric::Wdl);
            build(&options, &(), &NEVER).expect("they can be built");
            let tables = Tables::open(dir.path(), board, rules).expect("they are there");
            let mut slow = Slow { tables: &tables, known: HashMap::new() };
            let (mut random, mut lengths) = (SplitMix64::new(1), [0; 2]);
            for slice in [Slice::new(2, 1), Slice::new(1, 2)] {
                for _ in 0..100 {
                    let position = slice.random_position(board, Side::White, &mut random);
                    let position = position.expect("it is on the board");
                    let value = tables.probe(&position).expect("it is there").value;
                    if value == Value::Draw || rules.outcome(&position).is_some() {
                        continue;
                    }
                    let time = Duration::from_secs(600);
                    let found = play_out(&rules, &tables, &position, time, &NEVER).expect("a line");
                    assert!(found.is_finished, "{position}");
                    let is_end = |(turn, after): &(Turn, Position)| {
                        !turn.is_paika() || rules.outcome(after).is_some()
                    };
                    let played = 1 + found.turns.iter().position(is_end).expect("it ends");
                    let is_winner = value == Value::Win;
                    let plies = (1..).find(|plies| slow.is_within(&position, is_winner, *plies));
                    assert_eq!(plies, Some(played as u16), "{position}");
                    lengths[usize::from(is_winner)] += usize::from(played > 2);
                }
            }
            assert!(lengths.iter().all(|long| *long > 5), "{name}: {lengths:?}");
        }
    }
}
