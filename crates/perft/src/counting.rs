//! The ways of counting.

use fanorona_core::named;

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
    /// Whether the lines of a divided count add up to the whole count.
    ///
    /// They do for `Turns` and `Steps`. Two turns to the same position each have a line, so the
    /// lines of `Positions` may add up to more, and the subtrees of two turns may share positions,
    /// so those of `Unique` may too.
    ///
    /// ```
    /// use fanorona_core::{Position, RuleSet};
    /// use fanorona_perft::{Counting, divide, perft};
    /// let position: Position = "6B2/7B1/9/3BW1B2/4B4 w".parse()?;
    /// for counting in Counting::ALL {
    ///     let lines = divide(&RuleSet::STANDARD, &position, 1, counting);
    ///     let sum: u128 = lines.iter().map(|line| line.nodes).sum();
    ///     let whole = perft(&RuleSet::STANDARD, &position, 1, counting);
    ///     assert_eq!(sum == whole, counting.lines_add_up());
    /// }
    /// # Ok::<(), fanorona_core::ParsePositionError>(())
    /// ```
    pub const fn lines_add_up(self) -> bool {
        matches!(self, Self::Turns | Self::Steps)
    }
}
