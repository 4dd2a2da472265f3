//! What a builder has to do, and what all builders need for it.

use fanorona_core::{Board, NoTurns, RuleSet};

use crate::key::captures_decide;
use crate::orbits::{MAX_LISTED_FOR_BUILDERS, choose};
use crate::slice::Unit;
use crate::value::Metric;

/// Bytes of memory per listed set of stones. Some are freed after listing.
const MEMORY_PER_SET: u64 = 11;

/// What a builder has to do.
#[derive(Clone, Copy)]
pub(super) struct Work<'w> {
    pub board: Board,
    pub rules: &'w RuleSet,
    pub metric: Metric,
    /// All units of the goal.
    pub units: &'w [Unit],
    /// Those that are processed, one after the other. The builder keeps the slices that later ones
    /// capture into.
    pub to_process: &'w [Unit],
    /// Those that are solved. The others are loaded.
    pub missing: &'w [Unit],
    /// The number of processes that share the work.
    pub ranks: usize,
}

/// Whether rules can make a position safe that paikas could otherwise lose. If captures are
/// mandatory, paikas decide only positions without a capture.
pub(super) fn has_safe(rules: &RuleSet) -> bool {
    !captures_decide(rules) || rules.no_turns == NoTurns::Draw
}

/// The matrices of a slice in work: wins and losses. Closed positions have both. If captures do not
/// decide, safe positions have a matrix too.
pub(super) fn planes(rules: &RuleSet) -> usize {
    2 + usize::from(!captures_decide(rules))
}

/// The bytes of the orbits of all sets with up to a number of stones.
pub(super) fn sets(board: Board, stones: u32) -> u64 {
    sum((1..=stones).map(|n| {
        let sets = choose(board.num_points(), n);
        let listed = if sets <= MAX_LISTED_FOR_BUILDERS { sets * MEMORY_PER_SET } else { 0 };
        // A bit per set, and counts.
        (sets / 6).saturating_add(listed)
    }))
}

/// The sum of some numbers of bytes, at most the largest number.
pub(super) fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}
