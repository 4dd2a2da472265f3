//! Tables of the capturing steps along links.
//!
//! What a step captures lies on its line, so the stone's next steps that leave the line are the same
//! *before* the capture is made. Of those on the line, one goes back, where the stone has been. The
//! other goes on in the direction of the step, which most rules forbid. It captures nothing behind
//! it. By approach, it needs an empty point that was empty before, and so a step that was not an
//! approach itself. So what can follow a step is known before it is made.

use std::array::from_fn;
use std::hint::select_unpredictable;
use std::sync::OnceLock;

use fanorona_core::{Board, Direction, DirectionRule, Paikas, PointSet, TurnRule};

use super::version::Version;

/// A step by its number: 64 times the index of the point where it begins, 8 times the direction, 1
/// if it captures towards lower points. Under the strict rule, the directions of the steps before it
/// are from bit [`BARRED`] on.
pub(super) type Step = u32;

const BARRED: u32 = 16;

/// Steps that can follow a step, as bits.
pub(super) type Steps = u32;

/// The bit of the first withdrawal, for processors that extract bits: there are seven approaches, or
/// fewer.
const WITHDRAWALS: usize = 7;

/// The most steps that can follow a step: seven approaches and six withdrawals.
pub(super) const MOST_NEXT: usize = 13;

/// A bit that is not a point of any board, and that is set in the opponent's stones here.
pub(super) const MARKER: u64 = 1 << 63;

/// By kind, then direction: the first steps from the point with index 0, approaches first.
pub(super) const FIRST: [u8; 16] = {
    let mut first = [0; 16];
    let mut i = 0;
    while i < 16 {
        // The first four directions lead to higher points.
        first[i] = (8 * (i % 8) + ((i % 8 < 4) != (i < 8)) as usize) as u8;
        i += 1;
    }
    first
};

/// Makes steps under a settled rule. The two parts of the rule that the inner loops need are
/// constants for the compiler: whether a relay must continue, and whether it may use a direction
/// only once.
#[derive(Clone, Copy)]
pub(super) struct Hops<V, const MUST_GO_ON: bool, const STRICT: bool> {
    pub(super) version: V,
    pub(super) board: Board,
    /// Whether a paika may be played although another step captures.
    pub(super) free_capture: bool,
    pub(super) tables: &'static Tables,
}

pub(super) struct Tables {
    /// By the number of a step, divided by 8. First, so that one register holds its address and
    /// that of the tables.
    hops: [Hop; 512],
    /// By a 1 and up to six bits after it: those bits in reverse order.
    reversals: [u8; 128],
    rings: Rings,
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
    /// All points if a step may go on in the direction of the one before, else none.
    pub(super) repeating: u64,
}

impl<V: Version, const MUST_GO_ON: bool, const STRICT: bool> Hops<V, MUST_GO_ON, STRICT> {
    /// Directions are looked up by their bits where some are barred.
    const EXTRACTS: bool = V::EXTRACTS && !STRICT;

    /// The tables are computed at first use, and kept.
    pub(super) fn new(version: V, board: Board, rule: &TurnRule) -> Self {
        static ALL: [[OnceLock<Box<Tables>>; 4]; Board::COUNT] =
            [const { [const { OnceLock::new() }; 4] }; Board::COUNT];
        // The strict rule forbids what the usual one does, and more.
        let may_repeat = rule.direction == DirectionRule::Free;
        let kind = 2 * usize::from(Self::EXTRACTS) + usize::from(may_repeat);
        let tables = ALL[board.index()][kind]
            .get_or_init(|| Box::new(Tables::new(board, Self::EXTRACTS, may_repeat)));
        Self { version, board, free_capture: rule.paikas == Paikas::NonCapturingStep, tables }
    }

    #[inline(always)]
    fn hop(&self, step: Step) -> &'static Hop {
        &self.tables.hops[step as usize / 8 % 512]
    }

    /// The free points and the opponent's stones after a step.
    #[inline(always)]
    pub(super) fn after(&self, step: Step, free: u64, opponent: u64) -> (u64, u64) {
        let is_downward = step & 1 != 0;
        let hop = self.hop(step);
        let line = hop.captures[usize::from(is_downward)];
        // The line goes on to the first point without an opponent.
        let ends = line & !opponent;
        let below = ends.wrapping_sub(1);
        let above = u64::MAX << (63 - (ends | 1).leading_zeros());
        let captured = line & opponent & select_unpredictable(is_downward, above, below);
        (free ^ 1 << (hop.to % 64) | captured, opponent ^ captured)
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
        let barred = if STRICT { Self::barred(step) << BARRED } else { 0 };
        (barred + u32::from(hop.to) * 64 + u32::from(order), next & next.wrapping_sub(1))
    }

    /// The directions that may not follow a step.
    #[inline(always)]
    fn barred(step: Step) -> u32 {
        step >> BARRED | 1 << (step / 8 % 8)
    }

    /// The steps that can follow a step, from the free points and the opponent's stones before it.
    #[inline(always)]
    pub(super) fn next(&self, step: Step, free: u64, opponent: u64) -> Steps {
        let hop = self.hop(step);
        if !Self::EXTRACTS {
            let steps = self.tables.rings.steps(hop.to, hop.masks, free, opponent);
            return if STRICT { steps & !(Self::barred(step) * 0x101) } else { steps };
        }
        // Points in a row around the stone are numbered in the same order at any distance from it,
        // and in reverse order behind it.
        let [before_far, far, paired] = hop.masks;
        let extract = |set, mask| self.version.extract(set, mask) as u32;
        let approaches = extract(free, before_far) & extract(opponent, far);
        let behind = self.tables.reversals[extract(opponent, paired) as usize % 128];
        let withdrawals = extract(free, paired) & u32::from(behind);
        approaches | withdrawals << WITHDRAWALS
    }
}

impl Tables {
    fn new(board: Board, extracts: bool, may_repeat: bool) -> Self {
        let mut hops = [Hop::default(); 512];
        for direction in Direction::ALL {
            for from in board.linked(direction) {
                hops[8 * from.index() + direction as usize] =
                    Hop::new(board, from.into(), direction, extracts, may_repeat);
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
        let all = board.all_points().bits();
        let lines = Lines {
            up: from_fn(links),
            down: from_fn(|d| links(d + 4)),
            distance: from_fn(distance),
            all,
            repeating: if may_repeat { all } else { 0 },
        };
        Self { hops, reversals, rings: Rings::new(board.width()), lines }
    }
}

impl Hop {
    fn new(
        board: Board,
        from: PointSet,
        direction: Direction,
        extracts: bool,
        may_repeat: bool,
    ) -> Self {
        let at = board.shift(from, direction);
        let ahead = board.line(at, direction, board.all_points()).bits();
        let behind = board.line(from, direction.opposite(), board.all_points()).bits();
        let captures = if (direction as u8) < 4 { [ahead, behind] } else { [behind, ahead] };
        let mut hop = Self { captures, to: at.bits().trailing_zeros() as u8, ..Self::default() };
        if !extracts {
            hop.order = FIRST;
        }
        // By the point where a step leads.
        let (mut approaches, mut withdrawals) = (0, WITHDRAWALS);
        for d in [5, 6, 7, 4, 0, 3, 2, 1].map(|d| Direction::ALL[d]) {
            let near = board.shift(at, d);
            let leaves_line = d as usize % 4 != direction as usize % 4;
            if near.is_empty() || !(leaves_line || may_repeat && d == direction) {
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
                hop.order[approaches] = FIRST[d as usize];
                approaches += 1;
            }
            if leaves_line && !board.shift(at, d.opposite()).is_empty() {
                add(2, near);
                hop.order[withdrawals] = FIRST[8 + d as usize];
                withdrawals += 1;
            }
        }
        if extracts {
            hop.masks[2] |= MARKER;
        }
        hop
    }
}

/// Which steps are possible around a point, for processors that do not extract bits: bit `d` is the
/// approach in direction `d`, bit `8 + d` the withdrawal.
struct Rings {
    near: RingHash,
    far: RingHash,
    /// By the hash of the near points that are free: the steps that end on one.
    onto: [u16; 256],
    /// By the hash of the near points with opponents: the withdrawals from one.
    withdrawals: [u16; 256],
    /// By the hash of the far points with opponents: the approaches to one.
    approaches: [u16; 256],
}

impl Rings {
    fn new(width: u8) -> Self {
        let [near, far] = RingHash::of_width(width);
        let none = [0; 256];
        let mut rings = Self { near, far, onto: none, withdrawals: none, approaches: none };
        for set in 0..=255_u8 {
            let chosen = Direction::ALL.into_iter().filter(|d| set >> *d as u8 & 1 != 0);
            let hash = |ring: &RingHash| {
                ring.hash(chosen.clone().fold(0, |sum, d| sum | 1 << ring.bit(width, d)))
            };
            let (near, far) = (hash(&near), hash(&far));
            for d in chosen {
                rings.onto[near] |= 0x101 << d as u32;
                rings.withdrawals[near] |= 0x100 << d.opposite() as u32;
                rings.approaches[far] |= 1 << d as u32;
            }
        }
        rings
    }

    #[inline(always)]
    fn steps(&self, at: u8, [near, far, _]: [u64; 3], free: u64, opponent: u64) -> Steps {
        let onto = self.onto[self.near.index(at, free & near)];
        let withdrawals = self.withdrawals[self.near.index(at, opponent & near)];
        let approaches = self.approaches[self.far.index(at, opponent & far)];
        Steps::from(onto & (withdrawals | approaches))
    }
}

/// A perfect hash of the sets of points one step, or two, from a point: the set is rotated to where
/// it is for every point, and a multiplication brings its eight bits together.
#[derive(Clone, Copy)]
struct RingHash {
    /// How many steps away the points are.
    steps: i32,
    /// The bit that the point in the middle is rotated to.
    middle: u8,
    multiplier: u64,
}

impl RingHash {
    /// The rings one step and two steps away, on boards of this width.
    ///
    /// The numbers were found by trying random ones until no two sets had the same hash.
    fn of_width(width: u8) -> [Self; 2] {
        let [near, far] = match width {
            3 => [(50, 0x0404_4000_0800_6200), (33, 0x0020_8845_00a0_1844)],
            5 => [(3, 0x8498_0000_0800_0401), (15, 0x2104_0088_0008_1044)],
            7 => [(46, 0x0006_4020_0080_0c40), (2, 0x0210_7010_0040_0200)],
            9 => [(50, 0x5000_4900_0882_0828), (13, 0x0010_0200_9040_002a)],
            11 => [(54, 0x2000_0000_1032_2020), (48, 0x0080_0a01_0011_0180)],
            13 => [(56, 0x0200_0088_8103_0003), (31, 0x0481_000b_8902_0410)],
            15 => [(44, 0x0026_0800_2022_0808), (49, 0x8224_0210_1020_0400)],
            17 => [(38, 0x0080_2040_0112_0080), (28, 0x1c08_1200_4000_0012)],
            19 => [(31, 0x8002_0102_0100_0900), (40, 0x0801_4005_1008_c400)],
            21 => [(8, 0x0060_c000_2022_4800), (36, 0x1001_8009_0084_0444)],
            _ => unreachable!("there is no board of width {width}"),
        };
        let ring = |steps, (middle, multiplier)| Self { steps, middle, multiplier };
        [ring(1, near), ring(2, far)]
    }

    /// The bit that the point in this direction is rotated to. Two directions can share one on
    /// wide boards of three ranks, where no point has both.
    fn bit(&self, width: u8, direction: Direction) -> u32 {
        let (files, ranks) = direction.delta();
        let offset = self.steps * (ranks * i32::from(width) + files);
        (i32::from(self.middle) + offset).rem_euclid(64) as u32
    }

    #[inline(always)]
    fn index(&self, at: u8, set: u64) -> usize {
        self.hash(set.rotate_right(u32::from(at.wrapping_sub(self.middle))))
    }

    #[inline(always)]
    fn hash(&self, rotated: u64) -> usize {
        (rotated.wrapping_mul(self.multiplier) >> 56) as usize
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn no_two_sets_have_the_same_hash() {
        for board in Board::all() {
            for ring in RingHash::of_width(board.width()) {
                let mut sets = HashMap::new();
                for set in 0..=255_u8 {
                    let chosen = Direction::ALL.into_iter().filter(|d| set >> *d as u8 & 1 != 0);
                    let bits = chosen.map(|d| 1 << ring.bit(board.width(), d));
                    let rotated = bits.fold(0, |bits, bit| bits | bit);
                    let first = *sets.entry(ring.hash(rotated)).or_insert(rotated);
                    assert_eq!(first, rotated, "width {}, {} steps", board.width(), ring.steps);
                }
            }
        }
    }

    #[test]
    fn directions_that_share_a_place_are_never_on_one_board() {
        for board in Board::all() {
            let far = RingHash::of_width(board.width())[1];
            for point in board.all_points() {
                let on_board = Direction::ALL
                    .into_iter()
                    .filter(|d| !board.shift(board.shift(point.into(), *d), *d).is_empty());
                let bits: Vec<u32> = on_board.map(|d| far.bit(board.width(), d)).collect();
                let mut distinct = bits.clone();
                distinct.sort_unstable();
                distinct.dedup();
                assert_eq!(distinct.len(), bits.len(), "{board}");
            }
        }
    }
}
