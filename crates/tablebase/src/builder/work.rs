//! The work of a builder, and rules that all builders share.

use fanorona_core::{Board, NoTurns, Paikas, PointSet, Position, RuleSet, Side, Stones, TurnRule};

use crate::orbits::{MAX_LISTED_FOR_BUILDERS, choose};
use crate::slice::{PhaseSlice, Unit};
use crate::value::Metric;

/// Bytes of memory per listed set of stones. Some are freed after listing.
const MEMORY_PER_SET: u64 = 11;

/// The work of a builder: some units of a game.
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

/// The rules for the side to move in a slice. The two slices of a unit can differ: in the first phase
/// of the vela, the victor does not capture.
#[derive(Clone, Copy)]
pub(super) struct SliceRule {
    /// The rule for a turn. It depends only on the numbers of stones and the role, so it is that of any
    /// position of the slice.
    pub turn: TurnRule,
    /// Whether a side without a turn draws. Otherwise it loses.
    pub blocked_is_drawn: bool,
}

impl SliceRule {
    /// The rule of a slice of a game played by `rules`.
    pub(super) fn new(board: Board, slice: PhaseSlice, rules: &RuleSet) -> Self {
        let points = |skip: u8, count: u8| -> PointSet {
            board.all_points().iter().skip(skip.into()).take(count.into()).collect()
        };
        let (own, opponent) = (points(0, slice.own()), points(slice.own(), slice.opponent()));
        let position = Position::from_mover(board, Stones { own, opponent }, Side::White);
        let position = position.expect("the slice is on the board");
        let turn = slice.rules(board, rules).turn_rule(&position);
        // A side that must capture and cannot has lost, see `RuleSet::outcome`.
        let blocked_is_drawn = rules.no_turns == NoTurns::Draw && turn.paikas != Paikas::Never;
        Self { turn, blocked_is_drawn }
    }

    /// Whether a paika may be played although a capture is possible.
    fn captures_are_optional(&self) -> bool {
        self.turn.paikas == Paikas::NonCapturingStep
    }

    /// Whether a position can be safe that paikas could otherwise lose. If captures are mandatory,
    /// paikas decide only positions without a capture.
    pub(super) fn has_safe(&self) -> bool {
        self.captures_are_optional() || self.blocked_is_drawn
    }

    /// The matrices of the slice in work: wins and losses. Closed positions have both. If captures are
    /// optional, safe positions have a matrix too.
    pub(super) fn planes(&self) -> usize {
        2 + usize::from(self.captures_are_optional())
    }
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
