//! Tables of the steps along links, for turns that are counted and not made.
//!
//! They serve the rule that a stone may not go on in the direction of its last step. What a step
//! captures lies on the line of the step, and so do the points behind the stone and before it. The
//! stone has been on the former, and the rule forbids the latter. So its next steps leave the line,
//! and what they may be is known *before* the capture is made.

use std::array::from_fn;
use std::hint::select_unpredictable;
use std::sync::OnceLock;

use fanorona_core::{Board, Direction, PointSet};

use super::kernel::Version;
use super::tables::{Neighbourhood, StepTables, Steps};

/// A step by its number: 64 times the index of the point where it begins, 8 times the direction, 1
/// if it captures towards lower points.
pub(super) type Step = u32;

/// The step with this number at the point with index 0: an approach, or else a withdrawal.
const fn step(direction: usize, is_approach: bool) -> u8 {
    // The first four directions lead to higher points.
    (8 * direction + ((direction < 4) != is_approach) as usize) as u8
}

/// A bit that is not a point of any board, and that is set in the opponent's stones here.
pub(super) const MARKER: u64 = 1 << 63;

/// The tables for one board.
pub(super) struct Hops {
    /// By the number of a step, divided by 8. First, so that one register holds its address and
    /// that of the tables.
    hops: [Hop; 512],
    /// By a 1 and up to six bits after it: those bits in reverse order.
    reversals: [u8; 128],
    steps: &'static StepTables,
    pub(super) lines: Lines,
}

/// A link, followed in one direction. It fills a line of the cache.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Hop {
    /// The lines of captures, towards higher points and towards lower ones, to the board's edge.
    captures: [u64; 2],
    /// Where the next steps are possible. For processors that extract bits: the near points before
    /// a far one, those far ones, and the near points on both sides, with the marker. For others:
    /// the near points and the far ones.
    masks: [u64; 3],
    /// By the bit of a next step: its number, without the point.
    order: [u8; 16],
    to: u8,
}

/// The links of a board, by line: east, north-east, north, north-west.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    /// The points with a link towards higher points.
    pub(super) up: [u64; 4],
    /// The points with a link towards lower points.
    pub(super) down: [u64; 4],
    /// How far apart the indices of linked points are.
    pub(super) distance: [u32; 4],
    pub(super) all: u64,
}

impl Hops {
    /// The numbers of first steps at the point with index 0, by kind, then direction: approaches
    /// first.
    pub(super) const FIRST: [u8; 16] = {
        let mut first = [0; 16];
        let mut i = 0;
        while i < 16 {
            first[i] = step(i % 8, i < 8);
            i += 1;
        }
        first
    };

    /// The tables for a board, with masks to extract bits with or without. They are computed at
    /// first use, and kept.
    pub(super) fn of(board: Board, extracts: bool, steps: &'static StepTables) -> &'static Self {
        static ALL: [[OnceLock<Box<Hops>>; 2]; Board::COUNT] =
            [const { [const { OnceLock::new() }; 2] }; Board::COUNT];
        let tables = &ALL[board.index()][usize::from(extracts)];
        tables.get_or_init(|| Box::new(Self::new(board, extracts, steps)))
    }

    fn new(board: Board, extracts: bool, steps: &'static StepTables) -> Self {
        let mut hops = [Hop::default(); 512];
        for direction in Direction::ALL {
            for from in board.linked(direction) {
                hops[8 * from.index() + direction as usize] =
                    Hop::new(board, from.into(), direction, extracts);
            }
        }
        let reversals = from_fn(|set| {
            let above = (set as u8).leading_zeros() + 1;
            ((set << above) as u8).reverse_bits()
        });
        let links = |d: usize| board.linked(Direction::ALL[d]).bits();
        let distance = |d: usize| {
            let (files, ranks) = Direction::ALL[d].delta();
            (ranks * i32::from(board.width()) + files) as u32
        };
        let lines = Lines {
            up: from_fn(links),
            down: from_fn(|d| links(d + 4)),
            distance: from_fn(distance),
            all: board.all_points().bits(),
        };
        Self { hops, reversals, steps, lines }
    }

    #[inline(always)]
    fn hop(&self, step: Step) -> &Hop {
        &self.hops[step as usize / 8 % 512]
    }

    /// The stones that a step captures.
    #[inline(always)]
    pub(super) fn captured(&self, step: Step, opponent: u64) -> u64 {
        let is_downward = step & 1 != 0;
        let line = self.hop(step).captures[usize::from(is_downward)];
        // The line goes on to the first point without an opponent.
        let ends = line & !opponent;
        let below = ends.wrapping_sub(1);
        let above = u64::MAX << (63 - (ends | 1).leading_zeros());
        line & opponent & select_unpredictable(is_downward, above, below)
    }

    /// The point where a step leads, as a set.
    #[inline(always)]
    pub(super) fn arrival(&self, step: Step) -> u64 {
        1 << (self.hop(step).to % 64)
    }

    /// The first one of the steps that can follow, and the others.
    #[inline(always)]
    pub(super) fn first(&self, step: Step, next: Steps) -> (Step, Steps) {
        let hop = self.hop(step);
        let order = hop.order[next.trailing_zeros() as usize % 16];
        (u32::from(hop.to) * 64 + u32::from(order), next & next.wrapping_sub(1))
    }

    /// The steps that can follow a step, from the free points and the opponent's stones before it.
    #[inline(always)]
    pub(super) fn next<V: Version>(
        &self,
        version: V,
        step: Step,
        free: u64,
        opponent: u64,
    ) -> Steps {
        let hop = self.hop(step);
        if !V::EXTRACTS {
            let [near, far, _] = hop.masks;
            return self.steps.steps(hop.to, Neighbourhood { near, far }, free, opponent);
        }
        // Points in a row around the stone are numbered in the same order at any distance from it,
        // and in reverse order behind it.
        let [before_far, far, paired] = hop.masks;
        let extract = |set, mask| version.extract(set, mask) as u32;
        let approaches = extract(free, before_far) & extract(opponent, far);
        let behind = self.reversals[extract(opponent, paired) as usize % 128];
        let withdrawals = extract(free, paired) & u32::from(behind);
        approaches | withdrawals << 6
    }
}

impl Hop {
    fn new(board: Board, from: PointSet, direction: Direction, extracts: bool) -> Self {
        let at = board.shift(from, direction);
        let ahead = board.line(at, direction, board.all_points()).bits();
        let behind = board.line(from, direction.opposite(), board.all_points()).bits();
        let captures = if (direction as u8) < 4 { [ahead, behind] } else { [behind, ahead] };
        let mut hop = Self { captures, to: at.bits().trailing_zeros() as u8, ..Self::default() };
        if !extracts {
            hop.order = Hops::FIRST;
        }
        // By the point where a step leads.
        let (mut approaches, mut withdrawals) = (0, 6);
        for d in [5, 6, 7, 4, 0, 3, 2, 1].map(|d| Direction::ALL[d]) {
            let near = board.shift(at, d);
            if d as usize % 4 == direction as usize % 4 || near.is_empty() {
                continue;
            }
            let far = board.shift(near, d);
            let mut add = |mask: usize, points: PointSet| hop.masks[mask] |= points.bits();
            if !extracts {
                add(0, near);
                add(1, far);
                continue;
            }
            if !far.is_empty() {
                add(0, near);
                add(1, far);
                hop.order[approaches] = step(d as usize, true);
                approaches += 1;
            }
            if !board.shift(at, d.opposite()).is_empty() {
                add(2, near);
                hop.order[withdrawals] = step(d as usize, false);
                withdrawals += 1;
            }
        }
        if extracts {
            hop.masks[2] |= MARKER;
        }
        hop
    }
}
