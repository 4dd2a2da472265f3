//! The work of a backend, its steps, and rules that all backends share.

use fanorona_core::{Board, NoTurns, Paikas, PointSet, Position, RuleSet, Side, Stones, TurnRule};
use fanorona_tablebase::schedule::{UnitStep, steps};
use fanorona_tablebase::{Metric, Role, Slice, TableKey, Unit, captures_decide};

use crate::sizes::Sizes;

/// The work of a backend: some units of a game, all of one phase.
#[derive(Clone, Copy)]
pub(super) struct Work<'w> {
    pub board: Board,
    pub rules: &'w RuleSet,
    pub metric: Metric,
    pub units: &'w [Unit],
    /// Those that are processed, one after the other.
    pub to_process: &'w [Unit],
    /// Those that are solved. The others are loaded.
    pub missing: &'w [Unit],
    /// The number of processes that share the work.
    pub processes: usize,
    pub sizes: &'static Sizes,
}

impl Work<'_> {
    /// Whether the units are those of the first phase of the vela.
    pub(super) fn is_first_phase(self) -> bool {
        self.units.iter().any(|unit| unit.is_first_phase())
    }

    /// Whether the backends for whole rows know the rules of turns, and the metric. The plain one knows
    /// all. With a new field or metric this does not compile: say whether they know it.
    pub(super) fn is_by_rows(self) -> bool {
        let (Metric::Wdl | Metric::Dtw) = self.metric;
        let knows = |TurnRule { paikas: _, captures: _, chain: _, direction: _ }| true;
        let rule = |slice: Slice| SliceRule::new(self.board, slice, self.rules).turn;
        let mut slices = self.units.iter().flat_map(|unit| unit.slices());
        slices.all(|slice| knows(rule(slice)))
    }

    /// The steps, in order.
    pub(super) fn steps(self) -> Vec<Step> {
        match self.is_first_phase() {
            true => self.missing.iter().flat_map(|unit| self.of_first_phase(*unit)).collect(),
            false => steps(self.to_process).map(|step| self.of_second_phase(step)).collect(),
        }
    }

    /// A unit outside the first phase. The solver keeps the slices that later ones capture into.
    fn of_second_phase(self, step: UnitStep<'_>) -> Step {
        let slices: Vec<_> = step.unit.slices().collect();
        let all = step.before.iter().chain(&slices).copied();
        let after = all.filter(|slice| step.is_kept(*slice)).collect();
        let is_solved = self.missing.contains(&step.unit);
        Step { of: step.unit, unit: step.unit, slices, is_solved, before: step.before, after }
    }

    /// A unit of the first phase, after what it rests on has been loaded.
    ///
    /// The victor may not capture there, and the challenger takes one stone at a time. So the
    /// challenger's stones stay, and a unit rests on one smaller slice only: that in which the victor
    /// has one stone less and is to move. Only that slice is kept for the next unit.
    fn of_first_phase(self, of: Unit) -> Vec<Step> {
        let Self { board, rules, metric, .. } = self;
        let loaded = slices_to_load(board, rules, of);
        let load = |slice: &Slice| Step {
            of,
            unit: TableKey::new(board, rules, *slice, metric).unit(),
            slices: vec![*slice],
            is_solved: false,
            before: loaded.iter().copied().filter(|other| other != slice).collect(),
            after: loaded.clone(),
        };
        let mut steps: Vec<_> = loaded.iter().map(load).collect();
        let slices: Vec<_> = of.slices().collect();
        let after = slices.iter().copied().filter(|slice| slice.role == Some(Role::Victor));
        let after = after.collect();
        steps.push(Step { of, unit: of, slices, is_solved: true, before: loaded, after });
        steps
    }
}

/// A step of some work: slices of a unit are loaded or solved.
#[derive(Debug)]
pub(super) struct Step {
    /// The unit of whose work it is a part.
    pub of: Unit,
    pub unit: Unit,
    /// All slices of the unit, or those that are loaded.
    pub slices: Vec<Slice>,
    /// Whether they are solved. Otherwise they are loaded.
    pub is_solved: bool,
    /// The slices that the solver has at most when it begins.
    pub before: Vec<Slice>,
    /// The slices that it keeps.
    pub after: Vec<Slice>,
}

impl Step {
    pub(super) fn is_kept(&self, slice: Slice) -> bool {
        self.after.contains(&slice)
    }
}

/// The slices that must be loaded to solve a unit of the first phase, in this order.
fn slices_to_load(board: Board, rules: &RuleSet, unit: Unit) -> Vec<Slice> {
    let mut needed: Vec<_> = unit.after_captures().collect();
    // If captures are mandatory in the second phase, loading computes values from smaller slices.
    let decided = |slice: &Slice| captures_decide(&slice.rules(board, rules));
    let settled: Vec<_> = needed.iter().copied().filter(decided).collect();
    for slice in settled {
        let unit = Unit::of(slice);
        let smaller =
            Unit::up_to(board, unit.stones() - 1).filter(|smaller| unit.rests_on(*smaller));
        needed.extend(smaller.flat_map(|smaller| smaller.slices()));
    }
    needed.sort_by_key(|slice| slice.stones());
    needed
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
