//! The loops of the counting generator.
//!
//! Everything here is inlined into [`Version::run`], so that it is compiled once for each set of
//! instructions.

use std::hint::select_unpredictable;
use std::sync::atomic::AtomicBool;

use fanorona_core::{
    Board, Chain, Direction, DirectionRule, FirstStepCounts, FirstSteps, Modern, PointSet, RuleSet,
    Stones,
};

use super::hops::{FIRST, Hops, MARKER, Step, Steps};
use super::last::LastPly;
use super::version::{Newer, Portable, Version, extracts_fast};
use crate::counting::stopped;

/// The generator for a rule and a processor.
pub(crate) trait Generate {
    /// Counts the turns of the positions that wait, of all or of so many that few are left.
    fn last(&self, ply: &mut LastPly, all: bool) -> u64;

    /// Lists the stones after each turn, as the mover sees them. The list of stones on their way is
    /// empty before and after.
    fn successors(&self, stones: Stones, on_way: &mut Vec<OnWay>, found: &mut Vec<Stones>);

    /// Counts the sequences of `depth` steps.
    fn steps(&self, stones: Stones, depth: u8, stop: &AtomicBool) -> u128;
}

/// A stone in the middle of a capturing turn, or at its beginning.
#[derive(Clone, Copy, Default)]
pub(crate) struct OnWay {
    /// The mover's other stones.
    others: u64,
    /// The empty points where it has not been in this turn.
    free: u64,
    /// The opponent's stones that are left, with the marker.
    opponent: u64,
    /// A step: its last one, if `next` are the steps that can follow, and else its next one.
    step: Step,
    next: Steps,
}

/// The generator for the settled rule of a rule set, as fast as this processor can run it.
pub(super) fn generator(rules: &RuleSet, board: Board) -> Box<dyn Generate> {
    match Modern::detect() {
        Some(modern) if extracts_fast() => generator_of(Newer::<true>(modern), rules, board),
        Some(modern) => generator_of(Newer::<false>(modern), rules, board),
        None => generator_of(Portable, rules, board),
    }
}

/// The generator for the settled rule of a rule set, for the given instructions.
pub(super) fn generator_of(
    version: impl Version,
    rules: &RuleSet,
    board: Board,
) -> Box<dyn Generate> {
    let rule = rules.settled_rule();
    match (rule.chain == Chain::MustGoOn, rule.direction == DirectionRule::Strict) {
        (false, false) => Box::new(Hops::<_, false, false>::new(version, board, &rule)),
        (false, true) => Box::new(Hops::<_, false, true>::new(version, board, &rule)),
        (true, false) => Box::new(Hops::<_, true, false>::new(version, board, &rule)),
        (true, true) => Box::new(Hops::<_, true, true>::new(version, board, &rule)),
    }
}

impl<V: Version, const MUST_GO_ON: bool, const STRICT: bool> Generate
    for Hops<V, MUST_GO_ON, STRICT>
{
    fn last(&self, ply: &mut LastPly, all: bool) -> u64 {
        self.version.run(|| self.count_last(ply, all))
    }

    fn successors(&self, stones: Stones, on_way: &mut Vec<OnWay>, found: &mut Vec<Stones>) {
        self.version.run(|| {
            let mut len = 0;
            let paikas = self.first_steps(stones, |stone| {
                len = self.go_on(stone, len, on_way, found);
            });
            self.each_paika(stones, paikas, |end| found.push(end));
            if len == 0 {
                return;
            }
            let (mut first, mut next) = (0, on_way[0].next);
            while first < len {
                let stone = on_way[first];
                let (step, rest) = self.first(stone.step, next);
                len = self.go_on(OnWay { step, ..stone }, len, on_way, found);
                let done = rest == 0;
                next = select_unpredictable(done, on_way[first + 1].next, rest);
                first += usize::from(done);
            }
        });
    }

    fn steps(&self, stones: Stones, depth: u8, stop: &AtomicBool) -> u128 {
        self.version.run(|| {
            // Small trees are fast enough without checking the flag.
            if depth == 0 || depth > 3 && stopped(stop) {
                return 1;
            }
            if depth == 1 {
                let FirstStepCounts { captures, paikas } = FirstSteps::count(self.board, stones);
                let is_over = stones.opponent.is_empty();
                let may_be_quiet = !is_over && (captures == 0 || self.free_capture);
                return (captures + if may_be_quiet { paikas } else { 0 }).into();
            }
            let mut count = 0;
            let paikas = self.first_steps(stones, |stone| count += self.below(stone, depth, stop));
            self.each_paika(stones, paikas, |end| {
                count += self.steps(end.swapped(), depth - 1, stop);
            });
            count
        })
    }
}

impl<V: Version, const MUST_GO_ON: bool, const STRICT: bool> Hops<V, MUST_GO_ON, STRICT> {
    /// Makes the next step of a stone and lists the end. Gives the number of stones on their way,
    /// with this one if it can go on: if not, the next one overwrites it, which is faster than a
    /// branch.
    #[inline(always)]
    fn go_on(
        &self,
        stone: OnWay,
        len: usize,
        on_way: &mut Vec<OnWay>,
        found: &mut Vec<Stones>,
    ) -> usize {
        let (stone, end) = self.make(stone);
        if !MUST_GO_ON || stone.next == 0 {
            found.push(end);
        }
        if len + 1 >= on_way.len() {
            on_way.extend([OnWay::default(); 256]);
        }
        on_way[len] = stone;
        len + usize::from(stone.next != 0)
    }

    /// A stone after its next step, and all stones, as the mover sees them.
    #[inline(always)]
    fn make(&self, stone: OnWay) -> (OnWay, Stones) {
        let OnWay { others, free, opponent, step, .. } = stone;
        let next = self.next(step, free, opponent);
        let (free, opponent) = self.after(step, free, opponent);
        let end = Stones::from_bits(others | self.arrival(step), opponent ^ MARKER);
        (OnWay { others, free, opponent, step, next }, end)
    }

    /// Counts the sequences of `depth` steps, at least 2, that begin with the next one of this
    /// stone.
    #[inline(always)]
    fn below(&self, stone: OnWay, depth: u8, stop: &AtomicBool) -> u128 {
        let (stone, end) = self.make(stone);
        if stone.next == 0 {
            return self.steps(end.swapped(), depth - 1, stop);
        }
        let ended = if MUST_GO_ON { 0 } else { self.steps(end.swapped(), depth - 2, stop) };
        ended + self.relay(stone, depth - 1, stop)
    }

    /// Counts the sequences of `depth` steps with which a stone can go on.
    fn relay(&self, stone: OnWay, depth: u8, stop: &AtomicBool) -> u128 {
        self.version.run(|| {
            if depth == 1 {
                return stone.next.count_ones().into();
            }
            let (mut count, mut next) = (0, stone.next);
            while next != 0 {
                let (step, rest) = self.first(stone.step, next);
                count += self.below(OnWay { step, ..stone }, depth, stop);
                next = rest;
            }
            count
        })
    }

    /// Hands out the stones after each paika, as the mover sees them.
    #[inline(always)]
    fn each_paika(&self, before: Stones, paikas: [PointSet; 8], mut end: impl FnMut(Stones)) {
        for direction in Direction::ALL {
            for stone in paikas[direction as usize] {
                let own = (before.own - stone) | self.board.shift(stone.into(), direction);
                end(Stones { own, ..before });
            }
        }
    }

    /// Hands out the stones that can begin a turn with a capture, once for each step, and gives by
    /// direction those that may play a paika. It is `FirstSteps::all`, except that the loops are inlined.
    #[inline(always)]
    fn first_steps(&self, stones: Stones, mut capture: impl FnMut(OnWay)) -> [PointSet; 8] {
        let Stones { own, opponent } = stones;
        if opponent.is_empty() {
            return [PointSet::EMPTY; 8];
        }
        let free = (self.board.all_points() - stones.occupied()).bits();
        let mut first = [0; 16];
        let mut quiet = [PointSet::EMPTY; 8];
        // The kinds and directions of captures, as bits.
        let mut kinds = 0_u32;
        for direction in Direction::ALL {
            let i = direction as usize;
            let steps = FirstSteps::in_direction(self.board, stones, direction);
            (first[i], first[8 + i]) = (steps.approach.bits(), steps.withdrawal.bits());
            kinds |= u32::from(first[i] != 0) << i | u32::from(first[8 + i] != 0) << (8 + i);
            quiet[i] = steps.quiet;
        }
        let is_quiet = kinds == 0 || self.free_capture;
        let mut kind = kinds.trailing_zeros() as usize % 16;
        let mut movers = first[kind];
        while kinds != 0 {
            let step = 64 * movers.trailing_zeros() + Step::from(FIRST[kind]);
            let others = own.bits() & !(1 << (step / 64));
            capture(OnWay { others, free, opponent: opponent.bits() | MARKER, step, next: 0 });
            movers &= movers - 1;
            // Without a branch that depends on the number of movers.
            kinds &= kinds.wrapping_sub(u32::from(movers == 0));
            kind = kinds.trailing_zeros() as usize % 16;
            movers = select_unpredictable(movers == 0, first[kind], movers);
        }
        if is_quiet { quiet } else { [PointSet::EMPTY; 8] }
    }
}
