//! The loops of the counting generator.
//!
//! Everything here is inlined into the functions of `dispatch`, so that it is compiled once for
//! each set of instructions that those enable. Recursion goes through them too, by way of
//! [`Version`].

use std::hint::select_unpredictable;

use fanorona_core::{Board, Direction, FirstSteps, PointSet, Stones};

use super::queue::{CAPACITY, CaptureQueue, CapturingStone};
use super::tables::{self, StepTables, Steps};
use crate::stop::Stop;

/// A set of instructions that the loops are compiled for. A value is the proof that the processor
/// has them. The loops call each other through it, so that all of them use the same set.
pub(super) trait Version: Copy + 'static {
    fn add<const M: bool, const S: bool>(
        self,
        kernel: &Kernel<Self, M, S>,
        queues: &mut [CaptureQueue],
        stones: Stones,
        stop: &Stop<'_>,
    ) -> u128;

    fn drain<const M: bool, const S: bool>(
        self,
        kernel: &Kernel<Self, M, S>,
        queues: &mut [CaptureQueue],
        stop: &Stop<'_>,
    ) -> u128;

    fn successors<const M: bool, const S: bool>(
        self,
        kernel: &Kernel<Self, M, S>,
        queue: &mut CaptureQueue,
        stones: Stones,
        found: &mut Vec<Stones>,
    );

    fn steps<const M: bool, const S: bool>(
        self,
        kernel: &Kernel<Self, M, S>,
        stones: Stones,
        depth: u8,
        stop: &Stop<'_>,
    ) -> u128;

    fn relay<const M: bool, const S: bool>(
        self,
        kernel: &Kernel<Self, M, S>,
        stone: &CapturingStone,
        depth: u8,
        stop: &Stop<'_>,
    ) -> u128;
}

/// Makes turns under a settled rule. The two parts of the rule that the inner loops need are
/// constants for the compiler: whether a relay must continue, and whether it may use a direction
/// only once.
pub(super) struct Kernel<V, const MUST_GO_ON: bool, const STRICT: bool> {
    /// The instructions that the loops are compiled for.
    pub(super) version: V,
    pub(super) board: Board,
    /// Whether a paika may be played although another step captures.
    pub(super) free_capture: bool,
    pub(super) tables: &'static StepTables,
}

/// The stones that can play a paika, by direction.
pub(super) struct PaikaMovers([PointSet; 8]);

impl PaikaMovers {
    /// The number of paikas.
    #[inline(always)]
    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|stones| u64::from(stones.len())).sum()
    }

    /// The stones after each paika, as the mover sees them.
    #[inline(always)]
    pub(super) fn ends(&self, board: Board, before: Stones) -> impl Iterator<Item = Stones> {
        self.0.into_iter().zip(Direction::ALL).flat_map(move |(movers, direction)| {
            movers.iter().map(move |stone| {
                let own = (before.own - stone) | board.shift(stone.into(), direction);
                Stones { own, ..before }
            })
        })
    }
}

impl<V: Version, const MUST_GO_ON: bool, const STRICT: bool> Kernel<V, MUST_GO_ON, STRICT> {
    /// See [`Generate::add`](super::select::Generate::add).
    #[inline(always)]
    pub(super) fn add(&self, queues: &mut [CaptureQueue], stones: Stones, stop: &Stop<'_>) -> u128 {
        let Some((queue, below)) = queues.split_last_mut() else {
            return 1;
        };
        if !below.is_empty() && stop.check() {
            return 0;
        }
        let (waiting, len) = queue.parts();
        let paikas = self.first_steps(stones, |stone| {
            waiting[*len] = stone;
            // A stone without a step would be taken for one with step 32.
            *len += usize::from(stone.steps != 0);
        });
        let mut count = match paikas {
            None => 0,
            Some(paikas) if below.is_empty() => paikas.count().into(),
            Some(paikas) => {
                let below = |end: Stones| self.version.add(self, below, end.swapped(), stop);
                paikas.ends(self.board, stones).map(below).sum()
            }
        };
        if queue.is_full_enough() {
            count += self.version.drain(self, queues, stop);
        }
        count
    }

    /// See [`Generate::drain`](super::select::Generate::drain).
    #[inline(always)]
    pub(super) fn drain(&self, queues: &mut [CaptureQueue], stop: &Stop<'_>) -> u128 {
        let Some((queue, below)) = queues.split_last_mut() else {
            return 0;
        };
        if below.is_empty() {
            return self.run(queue, |_| {}).into();
        }
        if stop.check() {
            queue.clear();
            return 0;
        }
        let mut count = 0;
        self.run(queue, |end| {
            count += self.version.add(self, below, end.stones().swapped(), stop);
        });
        count
    }

    /// See [`Generate::successors`](super::select::Generate::successors).
    #[inline(always)]
    pub(super) fn successors(
        &self,
        queue: &mut CaptureQueue,
        stones: Stones,
        found: &mut Vec<Stones>,
    ) {
        let (waiting, len) = queue.parts();
        let paikas = self.first_steps(stones, |stone| {
            waiting[*len] = stone;
            *len += usize::from(stone.steps != 0);
        });
        if let Some(paikas) = paikas {
            // `extend` would not be inlined here.
            for end in paikas.ends(self.board, stones) {
                found.push(end);
            }
        }
        self.run(queue, |end| found.push(end.stones()));
    }

    /// See [`Generate::steps`](super::select::Generate::steps).
    #[inline(always)]
    pub(super) fn steps(&self, stones: Stones, depth: u8, stop: &Stop<'_>) -> u128 {
        // Small trees are fast enough without checking the flag.
        if depth == 0 || depth > 3 && stop.check() {
            return 1;
        }
        let mut count: u128 = 0;
        let paikas = self.first_steps(stones, |stone| {
            count += self.version.relay(self, &stone, depth, stop);
        });
        if let Some(paikas) = paikas {
            let below = |end: Stones| self.version.steps(self, end.swapped(), depth - 1, stop);
            count += match depth {
                1 => paikas.count().into(),
                _ => paikas.ends(self.board, stones).map(below).sum::<u128>(),
            };
        }
        count
    }

    /// Counts the sequences of `depth` steps, at least 1, that begin with a capture of this stone.
    #[inline(always)]
    pub(super) fn relay(&self, stone: &CapturingStone, depth: u8, stop: &Stop<'_>) -> u128 {
        if depth <= 1 {
            return stone.steps.count_ones().into();
        }
        let below = |step| {
            let next = self.after(stone, step);
            let after = next.stones().swapped();
            if next.steps == 0 {
                return self.version.steps(self, after, depth - 1, stop);
            }
            let stopped =
                if MUST_GO_ON { 0 } else { self.version.steps(self, after, depth - 2, stop) };
            stopped + self.version.relay(self, &next, depth - 1, stop)
        };
        each(stone.steps).map(below).sum()
    }

    /// Hands out the stones that can begin a turn with a capture, and gives the paikas, if any may
    /// be played. It is `FirstSteps::all`, except that the tables say what a stone can capture.
    #[inline(always)]
    fn first_steps(
        &self,
        stones: Stones,
        mut capture: impl FnMut(CapturingStone),
    ) -> Option<PaikaMovers> {
        let Stones { own, opponent } = stones;
        if opponent.is_empty() {
            return None;
        }
        let board = self.board;
        let mut capturing = PointSet::EMPTY;
        let mut quiet = [PointSet::EMPTY; 8];
        // A loop, because the compiler may not inline a closure given to `map`.
        for direction in Direction::ALL {
            let steps = FirstSteps::in_direction(board, stones, direction);
            capturing |= steps.capturing();
            quiet[direction as usize] = steps.quiet;
        }
        let free = (board.all_points() - stones.occupied()).bits();
        for stone in capturing {
            let at = stone.index() as u8;
            let (others, opponent) = ((own - stone).bits(), opponent.bits());
            let steps = self.tables.first_steps(at, free, opponent);
            capture(CapturingStone { free, opponent, others, steps, at, barred: 0 });
        }
        (capturing.is_empty() || self.free_capture).then_some(PaikaMovers(quiet))
    }

    /// Takes every stone of a queue to all its ends, and gives their number.
    #[inline(always)]
    fn run(&self, queue: &mut CaptureQueue, mut end: impl FnMut(&CapturingStone)) -> u64 {
        if queue.is_empty() {
            return 0;
        }
        let (stones, queue_len) = queue.parts();
        let (mut first, mut len) = (0, *queue_len);
        let mut steps = stones[0].steps;
        let mut count = 0;
        while first < len {
            let next = self.after(&stones[first % CAPACITY], steps.trailing_zeros());
            if !MUST_GO_ON || next.steps == 0 {
                count += 1;
                end(&next);
            }
            if len < CAPACITY {
                // If it cannot continue, the next one overwrites it, which is faster than a branch.
                stones[len] = next;
                len += usize::from(next.steps != 0);
            } else {
                count += self.finish(next, &mut end);
            }
            steps &= steps.wrapping_sub(1);
            let done = steps == 0;
            steps = select_unpredictable(done, stones[(first + 1) % CAPACITY].steps, steps);
            first += usize::from(done);
        }
        *queue_len = 0;
        count
    }

    /// Takes one stone to all its ends, when a queue has no room for what comes of it.
    #[cold]
    fn finish(&self, stone: CapturingStone, end: &mut impl FnMut(&CapturingStone)) -> u64 {
        let mut count = 0;
        for step in each(stone.steps) {
            let next = self.after(&stone, step);
            if !MUST_GO_ON || next.steps == 0 {
                count += 1;
                end(&next);
            }
            count += self.finish(next, end);
        }
        count
    }

    /// A stone after one of its steps.
    #[inline(always)]
    fn after(&self, stone: &CapturingStone, step: u32) -> CapturingStone {
        let stepped = self.tables.step(stone.at, step, stone.opponent);
        let at = stepped.to();
        let opponent = stone.opponent ^ stepped.captured;
        let free = stone.free ^ 1 << at | stepped.captured;
        let mut steps = stepped.next_steps(free, opponent);
        let mut barred = 0;
        if STRICT {
            barred = stone.barred | tables::direction_bit(step);
            steps &= !(Steps::from(barred) * 0x101);
        }
        CapturingStone { free, opponent, others: stone.others, steps, at, barred }
    }
}

/// The steps of a set, by their numbers.
#[inline(always)]
fn each(mut steps: Steps) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (steps != 0).then(|| {
            let step = steps.trailing_zeros();
            steps &= steps - 1;
            step
        })
    })
}
