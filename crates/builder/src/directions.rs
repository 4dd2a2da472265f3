//! The directions that a relay may still take.

use fanorona_core::{Direction, DirectionRule, TurnRule};

/// The directions that the next step of a capturing stone may have, as bits.
#[derive(Clone, Copy)]
pub(super) struct DirectionsLeft(u8);

impl DirectionsLeft {
    /// Those of the first step.
    pub(super) const ALL: Self = Self(0xff);

    pub(super) fn has(self, direction: Direction) -> bool {
        self.0 >> direction as u8 & 1 != 0
    }

    /// Those that are left after a step in a direction.
    pub(super) fn after(self, direction: Direction, rule: &TurnRule) -> Self {
        let all_but = !(1 << direction as u8);
        match rule.direction {
            DirectionRule::NotTwiceRunning => Self(all_but),
            DirectionRule::Strict => Self(self.0 & all_but),
            DirectionRule::Free => Self::ALL,
        }
    }
}
