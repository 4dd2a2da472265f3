//! The last ply, of which only the number of turns is wanted.
//!
//! A turn that cannot go on is never made: it is counted, and that is all ([`Hops`] says why it can
//! be). The turns of one step are counted for many positions at once, and so is which of them can
//! go on.

use fanorona_core::Stones;

use super::hops::{FIRST, Hops, MARKER, MOST_NEXT, Step, Steps};
use super::version::Version;

/// The stones that fit. A [`step`](LastPly::step) takes as many as there is room for.
const CAPACITY: usize = 4096;

/// The room that is kept for the relays of one stone: each of up to 31 steps, the captures of all
/// opponents, adds up to 12 stones.
const RESERVED: usize = 512;

/// As many positions are worked on at once. With 8, or with 24 and more, it is slower.
const POSITIONS: usize = 16;

/// Where there are so few, less space is wasted.
const FEW: usize = 8;

/// Stones that may be left waiting for more to come: a loop over few stones is slow.
const LEAVE: usize = 256;

/// The positions whose turns are to be counted, and the stones whose turns can go on.
pub(crate) struct LastPly {
    /// The stones after turns, as the side that made the turn sees them.
    pub(super) positions: Vec<Stones>,
    /// Stones that have not made the step, but will.
    before: Box<[Relay; CAPACITY]>,
    waiting: usize,
    /// Stones that have made the step, and have more than one way to go on.
    after: Box<[Relay; CAPACITY]>,
}

impl LastPly {
    pub(super) fn new() -> Self {
        let relays = || vec![Relay::default(); CAPACITY].try_into().expect("as many");
        Self { positions: Vec::new(), before: relays(), waiting: 0, after: relays() }
    }
}

/// A stone on its way, with a step, and the steps that can follow it.
#[derive(Clone, Copy, Default, Debug)]
struct Relay {
    /// The empty points where the stone has not been in this turn.
    free: u64,
    /// The opponent's stones that are left, with the marker.
    opponent: u64,
    step: Step,
    next: Steps,
}

/// Writes a stone, and gives the number of stones. One that cannot go on does not count, so the next
/// one overwrites it, which is faster than a branch.
#[inline(always)]
fn put(relays: &mut [Relay; CAPACITY], len: usize, relay: Relay) -> usize {
    relays[len % CAPACITY] = relay;
    len + usize::from(relay.next != 0)
}

impl<V: Version, const MUST_GO_ON: bool, const STRICT: bool> Hops<V, MUST_GO_ON, STRICT> {
    /// Counts the turns of the positions that wait, of all or of so many that few are left. With
    /// `MUST_GO_ON`, the turns that can go on do not count.
    #[inline(always)]
    pub(super) fn count_last(&self, ply: &mut LastPly, all: bool) -> u64 {
        let mut count = 0;
        while ply.positions.len() >= if all { 1 } else { POSITIONS } {
            count += match ply.positions.len() {
                0..=FEW => self.begin::<FEW>(ply),
                _ => self.begin::<POSITIONS>(ply),
            };
            count += self.relays(ply, LEAVE);
        }
        count + if all { self.relays(ply, 0) } else { 0 }
    }

    /// Counts the turns of the stones that wait, until so few are left.
    #[inline(always)]
    fn relays(&self, ply: &mut LastPly, leave: usize) -> u64 {
        self.version.run(|| {
            let mut count = 0;
            while ply.waiting > leave {
                count += self.step(ply);
            }
            count
        })
    }

    /// Counts the paikas and the turns of one step of some positions, and lets stones wait whose
    /// turns can go on.
    ///
    /// The loops over positions have no branches, so that the compiler makes them vector loops.
    #[inline(always)]
    fn begin<const N: usize>(&self, ply: &mut LastPly) -> u64 {
        let (mut own, mut opponent) = ([0; N], [0; N]);
        let some = ply.positions.len().saturating_sub(N);
        for (p, stones) in ply.positions.drain(some..).enumerate() {
            // Without opponents, the game is over.
            if !stones.own.is_empty() {
                (own[p % N], opponent[p % N]) = (stones.opponent.bits(), stones.own.bits());
            }
        }
        let lines = self.tables.lines;
        let mut free = [0; N];
        for p in 0..N {
            free[p] = lines.all & !(own[p] | opponent[p]);
        }
        // By line, the points from which a stone could capture along it.
        let mut can = [[0; N]; 4];
        // The stones that can make the first steps.
        let mut first = [[0; N]; 16];
        let mut captures = [0; N];
        for i in 0..4 {
            let (up, down, by) = (lines.up[i], lines.down[i], lines.distance[i] % 64);
            for p in 0..N {
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
        if self.free_capture || captures.contains(&0) {
            for i in 0..4 {
                let (up, down, by) = (lines.up[i], lines.down[i], lines.distance[i] % 64);
                for p in 0..N {
                    if self.free_capture || captures[p] == 0 {
                        let (own, free) = (own[p], free[p]);
                        let above = own & (free & down) >> by & !(first[i][p] | first[8 + i][p]);
                        let below = own & (free & up) << by & !(first[4 + i][p] | first[12 + i][p]);
                        count += u64::from(above.count_ones() + below.count_ones());
                    }
                }
            }
        }
        // By position, which steps lead to where another one can follow.
        let mut going = [0_u64; N];
        for i in 0..4 {
            let (up, down, by) = (lines.up[i], lines.down[i], lines.distance[i] % 64);
            let others = [&can[(i + 1) % 4], &can[(i + 2) % 4], &can[(i + 3) % 4]];
            let mut before = [[0; N]; 2];
            for p in 0..N {
                // Too many if a step may go on in its direction.
                let can_go_on =
                    others[0][p] | others[1][p] | others[2][p] | can[i][p] & lines.repeating;
                before[0][p] = (can_go_on & down) >> by;
                before[1][p] = (can_go_on & up) << by;
            }
            for j in 0..4 {
                let (first, before) = (&mut first[4 * j + i], &before[j % 2]);
                let bit = 1 << (4 * j + i);
                let mut turns = [0; N];
                for p in 0..N {
                    let goes_on = first[p] & before[p];
                    turns[p] = u64::from(first[p].count_ones());
                    going[p] |= if goes_on != 0 { bit } else { 0 };
                    first[p] = goes_on;
                }
                count += turns.iter().sum::<u64>();
            }
        }
        for p in 0..N {
            // A position has up to 31 stones with 16 steps.
            if ply.waiting > CAPACITY - 2 * RESERVED {
                count += self.relays(ply, LEAVE);
            }
            let start = ply.waiting;
            let (free, opponent) = (free[p], opponent[p] | MARKER);
            let mut going = going[p];
            while going != 0 {
                let i = going.trailing_zeros() as usize % 16;
                let mut stones = first[i][p];
                while stones != 0 {
                    let step = 64 * stones.trailing_zeros() + u32::from(FIRST[i]);
                    let next = self.next(step, free, opponent);
                    put(&mut ply.before, ply.waiting, Relay { free, opponent, step, next });
                    ply.waiting += 1;
                    stones &= stones - 1;
                }
                going &= going - 1;
            }
            if MUST_GO_ON {
                count -= (ply.waiting - start) as u64;
            }
        }
        count
    }

    /// Lets the stones that came last make their step, and counts the turns with one step more.
    /// Those of them wait that can go on.
    #[inline(always)]
    fn step(&self, ply: &mut LastPly) -> u64 {
        let (before, after) = (&mut *ply.before, &mut *ply.after);
        let end = ply.waiting.min(CAPACITY);
        let start = end - end.min(((CAPACITY - RESERVED).saturating_sub(end) / MOST_NEXT).max(1));
        let (mut waiting, mut others) = (start, 0);
        for i in start..end {
            let Relay { free, opponent, step: last, next } = before[i];
            let (free, opponent) = self.after(last, free, opponent);
            let (step, rest) = self.first(last, next);
            let next = self.next(step, free, opponent);
            // Where it was read from, or where an earlier one was.
            waiting = put(before, waiting, Relay { free, opponent, step, next });
            others = put(after, others, Relay { free, opponent, step: last, next: rest });
        }
        let mut i = 0;
        while i < others {
            let Relay { free, opponent, step: last, next } = after[i % CAPACITY];
            let (step, rest) = self.first(last, next);
            let next = self.next(step, free, opponent);
            waiting = put(before, waiting, Relay { free, opponent, step, next });
            others = put(after, others, Relay { free, opponent, step: last, next: rest });
            i += 1;
        }
        ply.waiting = waiting;
        let turns = end - start + others;
        let not_ended = if MUST_GO_ON { waiting - start } else { 0 };
        (turns - not_ended) as u64
    }
}
