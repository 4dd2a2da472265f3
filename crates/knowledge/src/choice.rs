//! How the values of turns combine to the value of the choice between them.

use std::cmp::Ordering;

use fanorona_core::Value;
use fanorona_proof::Bounds;

use crate::assessment::{Assessment, Source};

/// A win that is known to be as short as any win without a distance can be: a turn that is unknown, or
/// won without a distance, does not end the game, so the mover has to move once more.
const SHORTEST_UNKNOWN_WIN: u16 = 3;

/// A choice between turns, as far as they have been added: of a position between all its turns, or
/// after the first steps of a relay between all turns that begin with them.
#[derive(Clone, Copy, Debug)]
pub struct TurnChoice {
    bounds: Bounds,
    /// The surest source of the lower bound; `None` if a turn has none.
    of_best: Option<Source>,
    /// The least sure source of all turns, likewise.
    of_all: Option<Source>,
    shortest_win: Option<u16>,
    longest_loss: u16,
    /// Whether all turns that are won or lost, or may be won, have distances.
    all_have_distances: bool,
}

impl TurnChoice {
    /// A choice with one turn.
    pub fn new(turn: Assessment) -> Self {
        let mut choice = Self {
            bounds: turn.bounds,
            of_best: turn.source,
            of_all: turn.source,
            shortest_win: None,
            longest_loss: 0,
            all_have_distances: true,
        };
        choice.add(turn);
        choice
    }

    /// Adds a turn. A turn that is added twice counts once.
    pub fn add(&mut self, turn: Assessment) {
        let Bounds { at_least, at_most } = turn.bounds;
        self.of_all = self.of_all.zip(turn.source).map(|(one, other)| one.max(other));
        match at_least.cmp(&self.bounds.at_least) {
            Ordering::Greater => self.of_best = turn.source,
            Ordering::Equal => {
                self.of_best = [self.of_best, turn.source].into_iter().flatten().min();
            }
            Ordering::Less => {}
        }
        self.bounds.at_least = self.bounds.at_least.max(at_least);
        self.bounds.at_most = self.bounds.at_most.max(at_most);
        match (turn.value(), turn.dtw) {
            (Some(Value::Win), Some(dtw)) => {
                self.shortest_win = Some(self.shortest_win.map_or(dtw, |known| known.min(dtw)));
            }
            (Some(Value::Loss), Some(dtw)) => self.longest_loss = self.longest_loss.max(dtw),
            (Some(Value::Draw), _) => {}
            (None, _) if at_most < Value::Win => {}
            _ => self.all_have_distances = false,
        }
    }

    /// The assessment of the choice, for the side that chooses.
    pub fn finish(self) -> Assessment {
        let bounds = self.bounds;
        let dtw = match bounds.value() {
            Some(Value::Win) => self
                .shortest_win
                .filter(|dtw| self.all_have_distances || *dtw <= SHORTEST_UNKNOWN_WIN),
            Some(Value::Loss) => self.all_have_distances.then_some(self.longest_loss),
            Some(Value::Draw) | None => None,
        };
        let source = match bounds {
            Bounds::UNKNOWN => None,
            Bounds { at_most: Value::Win, .. } => self.of_best,
            // The upper bound rests on all turns.
            _ => self.of_all,
        };
        Assessment { bounds, dtw, source }
    }

    /// The assessment of a choice between turns. `None` if there are none.
    pub fn between(turns: impl IntoIterator<Item = Assessment>) -> Option<Assessment> {
        let mut turns = turns.into_iter();
        let mut choice = Self::new(turns.next()?);
        turns.for_each(|turn| choice.add(turn));
        Some(choice.finish())
    }
}

#[cfg(test)]
mod tests {
    use Value::{Draw, Loss, Win};
    use fanorona_tablebase::TableValue;

    use super::*;

    fn table(value: Value, dtw: Option<u16>) -> Assessment {
        Assessment::exact(TableValue { value, dtw }, Source::Table)
    }

    fn proof(at_least: Value, at_most: Value) -> Assessment {
        Assessment::new(Bounds { at_least, at_most }, Source::Proof)
    }

    fn between(turns: &[Assessment]) -> Assessment {
        TurnChoice::between(turns.iter().copied()).expect("it has turns")
    }

    /// Against all pairs of values of the two turns that their bounds allow.
    #[test]
    fn a_choice_has_the_tightest_bounds() {
        let all = || {
            let pairs = Value::ALL.into_iter().flat_map(|a| Value::ALL.map(|b| (a, b)));
            pairs.filter(|(a, b)| a <= b)
        };
        for (first, second) in all().flat_map(|first| all().map(move |second| (first, second))) {
            let between = |(a, b)| Value::ALL.into_iter().filter(move |v| a <= *v && *v <= b);
            let results: Vec<_> =
                between(first).flat_map(|a| between(second).map(move |b| a.max(b))).collect();
            let choice = TurnChoice::between([first, second].map(|(a, b)| proof(a, b)));
            let bounds = choice.expect("it has turns").bounds;
            let (least, most) = (results.iter().min(), results.iter().max());
            assert_eq!((Some(&bounds.at_least), Some(&bounds.at_most)), (least, most));
        }
    }

    #[test]
    fn a_choice_has_a_distance_if_it_is_certain() {
        let dtw = |turns: &[Assessment]| between(turns).dtw;
        assert_eq!(dtw(&[table(Win, Some(5)), table(Win, Some(3)), table(Loss, Some(8))]), Some(3));
        assert_eq!(dtw(&[table(Win, Some(5)), table(Win, None)]), None);
        // A win that does not end the game takes at least three turns.
        assert_eq!(dtw(&[table(Win, Some(3)), table(Win, None)]), Some(3));
        assert_eq!(dtw(&[table(Win, Some(1)), table(Win, None)]), Some(1));
        assert_eq!(dtw(&[table(Win, Some(5)), Assessment::UNKNOWN]), None);
        assert_eq!(dtw(&[table(Win, Some(5)), proof(Draw, Win)]), None);
        assert_eq!(dtw(&[table(Win, Some(5)), proof(Loss, Draw)]), Some(5));
        assert_eq!(dtw(&[table(Win, Some(3)), Assessment::UNKNOWN]), Some(3));
        assert_eq!(dtw(&[table(Loss, Some(4)), table(Loss, Some(2))]), Some(4));
        assert_eq!(dtw(&[table(Loss, Some(4)), table(Loss, None)]), None);
        assert_eq!(dtw(&[table(Draw, None), table(Loss, Some(2))]), None);
        assert_eq!(TurnChoice::between([]), None);
    }

    #[test]
    fn a_choice_says_what_it_rests_on() {
        let source = |turns: &[Assessment]| between(turns).source;
        assert_eq!(source(&[table(Win, Some(1)), Assessment::UNKNOWN]), Some(Source::Table));
        assert_eq!(source(&[proof(Draw, Draw), table(Loss, Some(2))]), Some(Source::Proof));
        assert_eq!(source(&[table(Draw, None), proof(Loss, Draw)]), Some(Source::Proof));
        assert_eq!(source(&[table(Draw, None), proof(Draw, Win)]), Some(Source::Table));
        assert_eq!(source(&[Assessment::UNKNOWN]), None);
        assert_eq!(source(&[table(Loss, Some(2)), Assessment::UNKNOWN]), None);
    }
}
