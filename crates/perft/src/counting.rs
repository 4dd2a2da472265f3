//! The ways of counting, counts, and stopping them from another thread.

use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::named;
use serde::{Serialize, Serializer};

/// A way of counting: what perft counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Counting {
    /// Sequences of complete turns. Two turns that differ in a step, or in approach or withdrawal,
    /// are two, even if the same position results. A finished game has none.
    Turns,
    /// As `Turns`, but the turns of one node that lead to the same position count once.
    Positions,
    /// Sequences of single steps: a paika or a capturing step is one ply, and so is stopping a
    /// relay that could continue. A relay that cannot continue ends by itself.
    Steps,
    /// Distinct positions after exactly this number of turns, over the whole tree.
    Unique,
}

named!(
    Counting, "way of counting",
    Turns "turns", Positions "positions", Steps "steps", Unique "unique"
);

impl Counting {
    /// Whether the lines of a divided count add up to the whole count: for `Turns` and `Steps`.
    /// Below two turns, `Positions` and `Unique` may count the same positions.
    pub const fn lines_add_up(self) -> bool {
        matches!(self, Self::Turns | Self::Steps)
    }
}

/// A count. In JSON it is a string if it exceeds 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count(pub u128);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(small) => serializer.serialize_u64(small),
            Err(_) => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

/// A field that is a [`Count`].
pub(crate) fn serialize_count<S: Serializer>(count: &u128, to: S) -> Result<S::Ok, S::Error> {
    Count(*count).serialize(to)
}

/// A flag that is never set.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);

/// Whether a count must end now.
#[inline]
pub(crate) fn stopped(stop: &AtomicBool) -> bool {
    stop.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_64_bits_are_strings() {
        let json = |n| serde_json::to_string(&Count(n)).expect("it can be written");
        assert_eq!(json(u128::from(u64::MAX)), "18446744073709551615");
        assert_eq!(json(u128::from(u64::MAX) + 1), "\"18446744073709551616\"");
    }
}
