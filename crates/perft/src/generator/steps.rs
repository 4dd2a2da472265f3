//! Counting sequences of single steps.

use super::{Generator, Relay, generator, numbers};
use fanorona_core::{PointSet, Position, RuleSet};

/// Counts the sequences of `depth` steps that begin at a position whose rule has settled.
pub(crate) fn steps(rules: &RuleSet, position: &Position, depth: u32) -> u128 {
    debug_assert!(rules.is_settled(position));
    generator(rules, position.board()).steps(position.own(), position.opponent(), depth)
}

impl<const MUST_GO_ON: bool, const STRICT: bool> Generator<MUST_GO_ON, STRICT> {
    pub(super) fn count_steps(&self, own: PointSet, opponent: PointSet, depth: u32) -> u128 {
        if depth == 0 {
            return 1;
        }
        let mut count: u128 = 0;
        let quiet = self.begin(own, opponent, |relay| count += self.count_relay(&relay, depth));
        if let Some(quiet) = quiet {
            let below = |own| self.count_steps(opponent, own, depth - 1);
            count += match depth {
                1 => quiet.count().into(),
                _ => quiet.ends(self.board, own).map(below).sum::<u128>(),
            };
        }
        count
    }

    /// Counts the sequences that begin with a step of this relay.
    fn count_relay(&self, relay: &Relay, depth: u32) -> u128 {
        if depth == 1 {
            return relay.steps.count_ones().into();
        }
        let below = |step| {
            let next = self.after(relay, step);
            if next.steps == 0 {
                return self.count_steps(next.opponent(), next.own(), depth - 1);
            }
            let stop = if MUST_GO_ON {
                0
            } else {
                self.count_steps(next.opponent(), next.own(), depth - 2)
            };
            stop + self.count_relay(&next, depth - 1)
        };
        numbers(relay.steps).map(below).sum()
    }
}
