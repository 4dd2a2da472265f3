//! The last ply, of which only the number of turns is wanted.
//!
//! A turn that cannot go on is never made: it is counted, and that is all ([`Hops`] says why it can
//! be). The turns of one step are counted for many positions at once, and so is which of them can
//! go on.

use fanorona_core::Stones;

use super::hops::{Hops, MARKER, Step};
use super::kernel::Version;
use super::tables::Steps;

/// The stones that fit. A [`step`](LastPly::step) takes as many as there is room for.
const CAPACITY: usize = 4096;

/// The room that is kept for the relays of one stone: each of up to 31 steps, the captures of all
/// opponents, adds up to 11 stones.
const RESERVED: usize = 512;

/// As many positions are worked on at once. With 8, or with 24 and more, it is slower.
const POSITIONS: usize = 16;

/// The positions whose turns are to be counted, and the stones whose turns can go on.
pub(super) struct LastPly {
    own: [u64; POSITIONS],
    opponent: [u64; POSITIONS],
    positions: usize,
    /// Stones that have not made the step, but will.
    before: Relays,
    waiting: usize,
    /// Stones that have made the step, and have more than one way to go on.
    after: Relays,
}

impl Default for LastPly {
    fn default() -> Self {
        let (own, opponent) = ([0; POSITIONS], [0; POSITIONS]);
        let (before, after) = (Relays::default(), Relays::default());
        Self { own, opponent, positions: 0, before, waiting: 0, after }
    }
}

/// Stones on their way, each with a step, and the steps that can follow it.
///
/// The gaps between the fields keep entries of one index from sharing a set of the cache.
#[repr(C)]
struct Relays {
    /// The empty points where the stone has not been in this turn.
    free: [u64; CAPACITY],
    _gap: [u64; 168],
    /// The opponent's stones that are left, with the marker.
    opponent: [u64; CAPACITY],
    _gap_2: [u64; 168],
    step: [u16; CAPACITY],
    _gap_3: [u64; 56],
    next: [u16; CAPACITY],
}

impl Default for Relays {
    fn default() -> Self {
        let (set, number) = ([0; CAPACITY], [0; CAPACITY]);
        let (_gap, _gap_2, _gap_3) = ([0; 168], [0; 168], [0; 56]);
        Self { free: set, _gap, opponent: set, _gap_2, step: number, _gap_3, next: number }
    }
}

impl Relays {
    /// Writes a stone, and gives the number of stones. One that cannot go on does not count, so the
    /// next one overwrites it, which is faster than a branch.
    #[inline(always)]
    fn put(&mut self, len: usize, free: u64, opponent: u64, step: Step, next: Steps) -> usize {
        let i = len % CAPACITY;
        (self.free[i], self.opponent[i]) = (free, opponent);
        (self.step[i], self.next[i]) = (step as u16, next as u16);
        len + usize::from(next != 0)
    }

    #[inline(always)]
    fn get(&self, i: usize) -> (u64, u64, Step, Steps) {
        (self.free[i], self.opponent[i], self.step[i].into(), self.next[i].into())
    }
}

impl LastPly {
    /// Adds a position. Says whether it is time to [`begin`](Self::begin).
    #[inline(always)]
    pub(super) fn add(&mut self, stones: Stones) -> bool {
        if !stones.opponent.is_empty() {
            let i = self.positions % POSITIONS;
            (self.own[i], self.opponent[i]) = (stones.own.bits(), stones.opponent.bits());
            self.positions += 1;
        }
        self.positions >= POSITIONS
    }

    /// Takes away the positions that wait, too few to [`begin`](Self::begin).
    #[inline(always)]
    pub(super) fn take(&mut self) -> impl Iterator<Item = Stones> + use<> {
        let few = std::mem::take(&mut self.positions);
        let sets = self.own.into_iter().zip(self.opponent).take(few);
        sets.map(|(own, opponent)| Stones::from_bits(own, opponent))
    }

    /// Counts the paikas and the turns of one step of the positions, and lets stones wait whose
    /// turns can go on. `make_room` lets some of those go on. With `MUST_GO_ON`, the turns that
    /// can go on do not count.
    ///
    /// The loops over positions have no branches, so that the compiler makes them vector loops.
    #[inline(always)]
    pub(super) fn begin<V: Version, const MUST_GO_ON: bool>(
        &mut self,
        version: V,
        hops: &Hops,
        free_capture: bool,
        mut make_room: impl FnMut(&mut Self) -> u64,
    ) -> u64 {
        self.positions = 0;
        let (own, opponent) = (self.own, self.opponent);
        let lines = hops.lines;
        let mut free = [0; POSITIONS];
        for p in 0..POSITIONS {
            free[p] = lines.all & !(own[p] | opponent[p]);
        }
        // By line, the points from which a stone could capture along it.
        let mut can = [[0; POSITIONS]; 4];
        // The stones that can make the first steps.
        let mut first = [[0; POSITIONS]; 16];
        let mut captures = [0; POSITIONS];
        for i in 0..4 {
            let (up, down, by) = (lines.up[i], lines.down[i], lines.distance[i] % 64);
            for p in 0..POSITIONS {
                let (own, opponent, free) = (own[p], opponent[p], free[p]);
                let (free_above, free_below) = ((free & down) >> by, (free & up) << by);
                let (above, below) = ((opponent & down) >> by, (opponent & up) << by);
                let approach_up = (free & above & down) >> by;
                let approach_down = (free & below & up) << by;
                let (withdraw_up, withdraw_down) = (free_above & below, free_below & above);
                can[i][p] = approach_up | approach_down | withdraw_up | withdraw_down;
                captures[p] |= own & can[i][p];
                first[i][p] = own & approach_up;
                first[4 + i][p] = own & approach_down;
                first[8 + i][p] = own & withdraw_up;
                first[12 + i][p] = own & withdraw_down;
            }
        }
        let mut count = 0;
        if free_capture || captures.contains(&0) {
            for i in 0..4 {
                let (up, down, by) = (lines.up[i], lines.down[i], lines.distance[i] % 64);
                for p in 0..POSITIONS {
                    if free_capture || captures[p] == 0 {
                        let (own, free) = (own[p], free[p]);
                        let above = own & (free & down) >> by & !(first[i][p] | first[8 + i][p]);
                        let below = own & (free & up) << by & !(first[4 + i][p] | first[12 + i][p]);
                        count += u64::from(above.count_ones() + below.count_ones());
                    }
                }
            }
        }
        // By position, which steps lead to where another one can follow.
        let mut going = [0_u64; POSITIONS];
        for i in 0..4 {
            let (up, down, by) = (lines.up[i], lines.down[i], lines.distance[i] % 64);
            let others = [&can[(i + 1) % 4], &can[(i + 2) % 4], &can[(i + 3) % 4]];
            let mut before = [[0; POSITIONS]; 2];
            for p in 0..POSITIONS {
                let can_go_on = others[0][p] | others[1][p] | others[2][p];
                before[0][p] = (can_go_on & down) >> by;
                before[1][p] = (can_go_on & up) << by;
            }
            for j in 0..4 {
                let (first, before) = (&mut first[4 * j + i], &before[j % 2]);
                let bit = 1 << (4 * j + i);
                let mut turns = [0; POSITIONS];
                for p in 0..POSITIONS {
                    let goes_on = first[p] & before[p];
                    let ends = if MUST_GO_ON { first[p] & !before[p] } else { first[p] };
                    turns[p] = u64::from(ends.count_ones());
                    going[p] |= if goes_on != 0 { bit } else { 0 };
                    first[p] = goes_on;
                }
                count += turns.iter().sum::<u64>();
            }
        }
        for p in 0..POSITIONS {
            // A position has up to 31 stones with 16 steps.
            if self.waiting > CAPACITY - 2 * RESERVED {
                count += make_room(self);
            }
            let (free, opponent) = (free[p], opponent[p] | MARKER);
            let mut going = going[p];
            while going != 0 {
                let i = going.trailing_zeros() as usize % 16;
                let mut stones = first[i][p];
                while stones != 0 {
                    let step = 64 * stones.trailing_zeros() + u32::from(Hops::FIRST[i]);
                    let next = hops.next(version, step, free, opponent);
                    self.before.put(self.waiting, free, opponent, step, next);
                    self.waiting += 1;
                    stones &= stones - 1;
                }
                going &= going - 1;
            }
        }
        count
    }

    /// The number of stones that wait for a [`step`](Self::step).
    #[inline(always)]
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Lets the stones that came last make their step, and counts the turns with one step more.
    /// Those of them wait that can go on.
    #[inline(always)]
    pub(super) fn step<V: Version, const MUST_GO_ON: bool>(
        &mut self,
        version: V,
        hops: &Hops,
    ) -> u64 {
        let Self { before, after, .. } = self;
        let end = self.waiting.min(CAPACITY);
        // Each can have 12 steps next.
        let start = end - end.min(((CAPACITY - RESERVED).saturating_sub(end) / 12).max(1));
        let (mut waiting, mut others) = (start, 0);
        for i in start..end {
            let (free, opponent, last, next) = before.get(i);
            let captured = hops.captured(last, opponent);
            let free = free ^ hops.arrival(last) | captured;
            let opponent = opponent ^ captured;
            let (step, rest) = hops.first(last, next);
            let next = hops.next(version, step, free, opponent);
            // Where it was read from, or where an earlier one was.
            waiting = before.put(waiting, free, opponent, step, next);
            others = after.put(others, free, opponent, last, rest);
        }
        let mut i = 0;
        while i < others {
            let (free, opponent, last, next) = after.get(i % CAPACITY);
            let (step, rest) = hops.first(last, next);
            let next = hops.next(version, step, free, opponent);
            waiting = before.put(waiting, free, opponent, step, next);
            others = after.put(others, free, opponent, last, rest);
            i += 1;
        }
        self.waiting = waiting;
        let turns = end - start + others;
        let not_ended = if MUST_GO_ON { waiting - start } else { 0 };
        (turns - not_ended) as u64
    }
}
