//! The loops of the counting generator.
//!
//! Everything here is inlined into the functions of a [`Version`], so that it is compiled once for
//! each set of instructions.

#![allow(unsafe_code)]

use std::hint::select_unpredictable;
use std::sync::atomic::AtomicBool;

use fanorona_core::{
    Board, Chain, Direction, DirectionRule, FirstStepCounts, FirstSteps, Modern, Paikas, PointSet,
    RuleSet, Stones, TurnRule, on_modern,
};

use super::hops::Hops;
use super::last::LastPly;
use super::tables::{StepTables, Stepped, Steps};
use crate::stop::stopped;

/// The instructions that the whole crate is compiled for.
#[derive(Clone, Copy)]
pub(super) struct Portable;

/// The instructions of [`Modern`], with the one that extracts bits or without.
#[derive(Clone, Copy)]
pub(super) struct Newer<const EXTRACTS: bool>(pub(super) Modern);

/// Whether this processor extracts bits in a cycle or two. AMD's up to Zen 2 (family 0x17) and
/// Hygon's take some hundred.
fn extracts_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        static FAST: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
        *FAST.get_or_init(|| {
            // SAFETY: every x86-64 processor has the instruction.
            #[allow(unused_unsafe, reason = "it is safe for newer compilers")]
            let (vendor, version) = unsafe { (__cpuid(0).ebx.to_le_bytes(), __cpuid(1).eax) };
            let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
            !matches!(&vendor, b"Auth" | b"Hygo") || family >= 0x19
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Compiles the loops of the same names of [`Kernel`] for each set of instructions.
macro_rules! loops {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;
    )*) => {
        /// The generator for a rule and a processor.
        pub(super) trait Generate {
            $($(#[$doc])* fn $name(&self, $($argument: $type),*) $(-> $result)?;)*
        }

        impl<V: Version, const M: bool, const S: bool> Generate for Kernel<V, M, S> {
            $(fn $name(&self, $($argument: $type),*) $(-> $result)? {
                self.version.$name(self, $($argument),*)
            })*
        }

        /// A set of instructions. A value is the proof that the processor has them. The loops call
        /// each other through it, so that all of them use the same set.
        pub(super) trait Version: Copy + 'static {
            /// Whether it extracts bits.
            const EXTRACTS: bool;

            /// The bits of a set that are in a mask, without gaps.
            fn extract(self, set: u64, mask: u64) -> u64;

            $(fn $name<const M: bool, const S: bool>(
                self,
                kernel: &Kernel<Self, M, S>,
                $($argument: $type),*
            ) $(-> $result)?;)*
        }

        impl Version for Portable {
            const EXTRACTS: bool = false;

            fn extract(self, _: u64, _: u64) -> u64 {
                unreachable!("it extracts no bits")
            }

            $(#[inline(always)]
            fn $name<const M: bool, const S: bool>(
                self,
                kernel: &Kernel<Self, M, S>,
                $($argument: $type),*
            ) $(-> $result)? {
                kernel.$name($($argument),*)
            })*
        }

        impl<const E: bool> Version for Newer<E> {
            const EXTRACTS: bool = E;

            #[inline(always)]
            fn extract(self, set: u64, mask: u64) -> u64 {
                // SAFETY: a `Modern` is the proof that the processor has BMI2.
                #[cfg(target_arch = "x86_64")]
                unsafe {
                    std::arch::x86_64::_pext_u64(set, mask)
                }
                #[cfg(not(target_arch = "x86_64"))]
                Portable.extract(set, mask)
            }

            $(#[inline(always)]
            fn $name<const M: bool, const S: bool>(
                self,
                kernel: &Kernel<Self, M, S>,
                $($argument: $type),*
            ) $(-> $result)? {
                on_modern!(
                    self.0,
                    fn [<const E: bool, const M: bool, const S: bool>](
                        kernel: &Kernel<Newer<E>, M, S>,
                        $($argument: $type),*
                    ) $(-> $result)? {
                        kernel.$name($($argument),*)
                    }
                )
            })*
        }
    };
}

loops! {
    /// Adds a position to the last queue, and drains that if enough stones wait there. Gives the
    /// turns of the last ply that were counted by the way.
    fn add(queues: &mut [CaptureQueue], stones: Stones, stop: &AtomicBool) -> u128;

    /// Drains the last queue: counts the turns if they are the last ply, and else adds the
    /// positions after them to the queue below.
    fn drain(queues: &mut [CaptureQueue], stop: &AtomicBool) -> u128;

    /// Counts turns of the last ply, at all positions that wait.
    #[expect(dead_code, reason = "only the loops call it")]
    fn last(ply: &mut LastPly) -> u64;

    /// Counts the turns of the stones that wait: in one step, and then until so few are left.
    #[expect(dead_code, reason = "only the loops call it")]
    fn relays(ply: &mut LastPly, leave: usize) -> u64;

    /// Lists the stones after each turn, as the mover sees them.
    fn successors(queue: &mut CaptureQueue, stones: Stones, found: &mut Vec<Stones>);

    /// Counts the sequences of `depth` steps.
    fn steps(stones: Stones, depth: u8, stop: &AtomicBool) -> u128;

    /// Counts the sequences of `depth` steps, at least 1, that begin with a capture of this stone.
    #[expect(dead_code, reason = "only the loops call it")]
    fn relay(stone: &CapturingStone, depth: u8, stop: &AtomicBool) -> u128;
}

/// A stone in the middle of a capturing turn, or at its beginning.
#[derive(Clone, Copy, Default)]
pub(super) struct CapturingStone {
    /// The empty points where it has not been in this turn.
    free: u64,
    /// The opponent's stones that are left.
    opponent: u64,
    /// The mover's other stones.
    others: u64,
    /// The capturing steps that it can make.
    steps: Steps,
    /// The index of the point where it is.
    at: u8,
    /// The directions that it may not take again in this turn, under the strict rule.
    barred: u8,
}

impl CapturingStone {
    /// The stones of both sides, as the mover sees them.
    #[inline(always)]
    fn stones(&self) -> Stones {
        Stones::from_bits(self.others | 1 << self.at, self.opponent)
    }
}

/// The stones that fit into a queue.
const CAPACITY: usize = 1024;

/// A queue with more stones than this is drained before another position is added. The rest of the
/// capacity is for that position's stones, 31 at most, and for what comes of all of them: the loop
/// is fastest when it need not stop.
const DRAIN_ABOVE: usize = 160;

/// As many stones may be left waiting for more to come: a loop over few stones is slow.
const LEAVE: usize = 256;

/// Stones that wait for their next capturing step, first in, first out. The memory, 48 KiB, is allocated when the first stone comes: a count to depth 255 does not need
/// 255 queues where the game ends after three turns.
#[derive(Default)]
pub(super) struct CaptureQueue {
    stones: Option<Box<[CapturingStone; CAPACITY]>>,
    len: usize,
    /// Counts turns of the last ply, in place of the stones.
    last: Option<Box<LastPly>>,
}

impl CaptureQueue {
    /// The place for stones, which is allocated if it was not, and their number.
    #[inline(always)]
    fn parts(&mut self) -> (&mut [CapturingStone; CAPACITY], &mut usize) {
        (self.stones.get_or_insert_with(allocate), &mut self.len)
    }
}

#[cold]
fn allocate() -> Box<[CapturingStone; CAPACITY]> {
    Box::new([CapturingStone::default(); CAPACITY])
}

/// Apart, so that no loop that calls itself has its 170 KiB in its frame.
#[cold]
#[inline(never)]
fn allocate_last() -> Box<LastPly> {
    Box::default()
}

/// The stones that can play a paika, by direction.
struct PaikaMovers([PointSet; 8]);

impl PaikaMovers {
    /// The number of paikas.
    #[inline(always)]
    fn count(&self) -> u64 {
        self.0.iter().map(|stones| u64::from(stones.len())).sum()
    }

    /// The stones after each paika, as the mover sees them.
    #[inline(always)]
    fn ends(&self, board: Board, before: Stones) -> impl Iterator<Item = Stones> {
        self.0.into_iter().zip(Direction::ALL).flat_map(move |(movers, direction)| {
            movers.iter().map(move |stone| {
                let own = (before.own - stone) | board.shift(stone.into(), direction);
                Stones { own, ..before }
            })
        })
    }
}

/// The generator for the settled rule of a rule set, as fast as this processor can run it.
pub(super) fn generator(rules: &RuleSet, board: Board) -> Box<dyn Generate> {
    match Modern::detect() {
        Some(modern) if extracts_fast() => generator_of(Newer::<true>(modern), rules, board),
        Some(modern) => generator_of(Newer::<false>(modern), rules, board),
        None => generator_of(Portable, rules, board),
    }
}

pub(super) fn generator_of<V: Version>(
    version: V,
    rules: &RuleSet,
    board: Board,
) -> Box<dyn Generate> {
    // Each field is named, so that a new one does not compile before it is counted.
    let TurnRule { paikas, captures: _, chain, direction } = rules.settled_rule();
    let free_capture = paikas == Paikas::NonCapturingStep;
    let tables = StepTables::of(board, direction);
    let hops =
        (direction == DirectionRule::NotTwiceRunning).then(|| Hops::of(board, V::EXTRACTS, tables));
    macro_rules! kernel {
        ($must_go_on:literal, $strict:literal) => {
            Box::new(Kernel::<_, $must_go_on, $strict> {
                version,
                board,
                free_capture,
                tables,
                hops,
            })
        };
    }
    match (chain == Chain::MustGoOn, direction == DirectionRule::Strict) {
        (false, false) => kernel!(false, false),
        (false, true) => kernel!(false, true),
        (true, false) => kernel!(true, false),
        (true, true) => kernel!(true, true),
    }
}

/// Makes turns under a settled rule. The two parts of the rule that the inner loops need are
/// constants for the compiler: whether a relay must continue, and whether it may use a direction
/// only once.
pub(super) struct Kernel<V, const MUST_GO_ON: bool, const STRICT: bool> {
    version: V,
    board: Board,
    /// Whether a paika may be played although another step captures.
    free_capture: bool,
    tables: &'static StepTables,
    /// The tables for the last ply, if the rule allows to count it without making the turns.
    hops: Option<&'static Hops>,
}

impl<V: Version, const MUST_GO_ON: bool, const STRICT: bool> Kernel<V, MUST_GO_ON, STRICT> {
    #[inline(always)]
    fn add(&self, queues: &mut [CaptureQueue], stones: Stones, stop: &AtomicBool) -> u128 {
        let Some((queue, below)) = queues.split_last_mut() else {
            return 1;
        };
        if below.is_empty() && self.hops.is_some() {
            let ply = queue.last.get_or_insert_with(allocate_last);
            return if ply.add(stones) { self.version.last(self, ply).into() } else { 0 };
        }
        if !below.is_empty() && stopped(stop) {
            return 0;
        }
        let mut count = match self.enqueue(queue, stones) {
            None => 0,
            Some(paikas) if below.is_empty() => paikas.count().into(),
            Some(paikas) => {
                let below = |end: Stones| self.version.add(self, below, end.swapped(), stop);
                paikas.ends(self.board, stones).map(below).sum()
            }
        };
        if queue.len > DRAIN_ABOVE {
            count += self.version.drain(self, queues, stop);
        }
        count
    }

    #[inline(always)]
    fn drain(&self, queues: &mut [CaptureQueue], stop: &AtomicBool) -> u128 {
        let Some((queue, below)) = queues.split_last_mut() else {
            return 0;
        };
        if below.is_empty() {
            let mut count = 0;
            if let Some(mut ply) = queue.last.take() {
                for stones in ply.take() {
                    count += self.enqueue(queue, stones).map_or(0, |paikas| paikas.count());
                }
                count += self.version.relays(self, &mut ply, 0);
                queue.last = Some(ply);
            }
            return (count + self.run(queue, |_| {})).into();
        }
        if stopped(stop) {
            queue.len = 0;
            return 0;
        }
        let mut count = 0;
        self.run(queue, |end| count += self.version.add(self, below, end.stones().swapped(), stop));
        count
    }

    #[inline(always)]
    fn last(&self, ply: &mut LastPly) -> u64 {
        let relays = |ply: &mut LastPly| self.version.relays(self, ply, LEAVE);
        let hops = self.hops.expect("the rule allows it");
        let count = ply.begin::<V, MUST_GO_ON>(self.version, hops, self.free_capture, relays);
        count + relays(ply)
    }

    #[inline(always)]
    fn relays(&self, ply: &mut LastPly, leave: usize) -> u64 {
        let hops = self.hops.expect("the rule allows it");
        let mut count = ply.step::<V, MUST_GO_ON>(self.version, hops);
        while ply.waiting() > leave {
            count += ply.step::<V, MUST_GO_ON>(self.version, hops);
        }
        count
    }

    #[inline(always)]
    fn successors(&self, queue: &mut CaptureQueue, stones: Stones, found: &mut Vec<Stones>) {
        if let Some(paikas) = self.enqueue(queue, stones) {
            // `extend` would not be inlined here.
            for end in paikas.ends(self.board, stones) {
                found.push(end);
            }
        }
        self.run(queue, |end| found.push(end.stones()));
    }

    #[inline(always)]
    fn steps(&self, stones: Stones, depth: u8, stop: &AtomicBool) -> u128 {
        // Small trees are fast enough without checking the flag.
        if depth == 0 || depth > 3 && stopped(stop) {
            return 1;
        }
        let mut count: u128 = 0;
        let capture = |stone| count += self.version.relay(self, &stone, depth, stop);
        if let Some(paikas) = self.first_steps(stones, capture) {
            let below = |end: Stones| self.version.steps(self, end.swapped(), depth - 1, stop);
            count += match depth {
                1 => paikas.count().into(),
                _ => paikas.ends(self.board, stones).map(below).sum::<u128>(),
            };
        }
        count
    }

    #[inline(always)]
    fn relay(&self, stone: &CapturingStone, depth: u8, stop: &AtomicBool) -> u128 {
        if depth <= 1 {
            return stone.steps.count_ones().into();
        }
        let below = |step| {
            let next = self.after(stone, step);
            let end = next.stones().swapped();
            if next.steps == 0 {
                return self.version.steps(self, end, depth - 1, stop);
            }
            let ended = if MUST_GO_ON { 0 } else { self.version.steps(self, end, depth - 2, stop) };
            ended + self.version.relay(self, &next, depth - 1, stop)
        };
        each(stone.steps).map(below).sum()
    }

    /// Adds the stones that can begin a turn with a capture, and gives the paikas, if any may be
    /// played.
    #[inline(always)]
    fn enqueue(&self, queue: &mut CaptureQueue, stones: Stones) -> Option<PaikaMovers> {
        let (waiting, len) = queue.parts();
        self.first_steps(stones, |stone| {
            waiting[*len] = stone;
            // A stone without a step would be taken for one with step 32.
            *len += usize::from(stone.steps != 0);
        })
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
        if queue.len == 0 {
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
        let Stepped { link, captured } = self.tables.step(stone.at, step, stone.opponent);
        let at = link.to % 64;
        let opponent = stone.opponent ^ captured;
        let free = stone.free ^ 1 << at | captured;
        let mut steps = self.tables.steps(link.to, link.next, free, opponent);
        let mut barred = 0;
        if STRICT {
            barred = stone.barred | 1 << (step % 8);
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

/// Counts first steps as [`FirstSteps::count`] does, with the instructions that this processor has:
/// for programs that count at very many positions, one after the other.
///
/// ```
/// use fanorona_core::{Board, FirstSteps, Stones};
/// use fanorona_perft::FirstStepCounter;
/// let start = Board::tsivy().start();
/// let (board, stones) = (start.board(), Stones::of(&start));
/// let counts = FirstStepCounter::new().count(board, stones);
/// assert_eq!(counts, FirstSteps::count(board, stones));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FirstStepCounter {
    modern: Option<Modern>,
}

impl FirstStepCounter {
    /// A counter for this processor.
    #[expect(clippy::new_without_default, reason = "it looks at the processor")]
    pub fn new() -> Self {
        Self { modern: Modern::detect() }
    }

    /// The number of first steps, independent of the rule set.
    #[inline]
    pub fn count(&self, board: Board, stones: Stones) -> FirstStepCounts {
        match self.modern {
            Some(modern) => on_modern!(
                modern,
                fn [](board: Board, stones: Stones) -> FirstStepCounts {
                    FirstSteps::count(board, stones)
                }
            ),
            None => FirstSteps::count(board, stones),
        }
    }
}
