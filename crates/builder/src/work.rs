//! The work of a backend, and rules that all backends share.

use fanorona_core::{Board, NoTurns, Paikas, PointSet, Position, RuleSet, Side, Stones, TurnRule};
use fanorona_tablebase::{Metric, Slice, Unit};

/// The work of a backend: some units of a game, all of one phase.
#[derive(Clone, Copy)]
pub(super) struct Work<'w> {
    pub board: Board,
    pub rules: &'w RuleSet,
    pub metric: Metric,
    pub units: &'w [Unit],
    /// Those that are processed, one after the other. The solver keeps the slices that later ones
    /// capture into.
    pub to_process: &'w [Unit],
    /// Those that are solved. The others are loaded.
    pub missing: &'w [Unit],
    /// The number of processes that share the work.
    pub ranks: usize,
}

impl Work<'_> {
    /// Whether the units are those of the first phase of the vela.
    pub(super) fn is_first_phase(self) -> bool {
        self.units.iter().any(|unit| unit.is_first_phase())
    }
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
    pub(super) fn new(board: Board, slice: Slice, rules: &RuleSet) -> Self {
        let points = |skip: u8, count: u8| -> PointSet {
            board.all_points().iter().skip(skip.into()).take(count.into()).collect()
        };
        let (own, opponent) = (points(0, slice.own), points(slice.own, slice.opponent));
        let position = Position::from_mover(board, Stones { own, opponent }, Side::White);
        let position = position.expect("the slice is on the board");
        let turn = slice.rules(board, rules).turn_rule(&position);
        // A side that must capture and cannot has lost, see `RuleSet::outcome`.
        let blocked_is_drawn = rules.no_turns == NoTurns::Draw && turn.paikas != Paikas::Never;
        Self { turn, blocked_is_drawn }
    }

    /// Whether a paika may be played although a capture is possible.
    pub(super) fn captures_are_optional(&self) -> bool {
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
