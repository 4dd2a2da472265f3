//! Stones that wait for their next capturing step.

use fanorona_core::Stones;

use super::tables::Steps;

/// A stone in the middle of a capturing turn, or at its beginning.
#[derive(Clone, Copy, Default)]
pub(super) struct CapturingStone {
    /// The empty points where it has not been in this turn.
    pub(super) free: u64,
    /// The opponent's stones that are left.
    pub(super) opponent: u64,
    /// The mover's other stones.
    pub(super) others: u64,
    /// The capturing steps that it can make.
    pub(super) steps: Steps,
    /// The index of the point where it is.
    pub(super) at: u8,
    /// The directions that it may not take again in this turn, under the strict rule.
    pub(super) barred: u8,
}

impl CapturingStone {
    /// The stones of both sides, as the mover sees them.
    #[inline(always)]
    pub(super) fn stones(&self) -> Stones {
        Stones::from_bits(self.others | 1 << self.at, self.opponent)
    }
}

/// The stones that fit into a queue.
pub(super) const CAPACITY: usize = 1024;

/// A queue with more stones than this is drained before another position is added. The rest of the
/// capacity is for that position's stones, 31 at most, and for what comes of all of them: the loop
/// is fastest when it need not stop.
pub(super) const DRAIN_ABOVE: usize = 160;

/// Stones that can capture, first in, first out.
///
/// The memory, 48 KiB, is allocated when the first stone comes: a count to depth 255 does not need
/// 255 queues where the game ends after three turns.
#[derive(Default)]
pub(super) struct CaptureQueue {
    stones: Option<Box<[CapturingStone; CAPACITY]>>,
    len: usize,
}

impl CaptureQueue {
    /// The place for stones, which is allocated if it was not, and their number.
    #[inline(always)]
    pub(super) fn parts(&mut self) -> (&mut [CapturingStone; CAPACITY], &mut usize) {
        (self.stones.get_or_insert_with(allocate), &mut self.len)
    }

    /// Whether it is time to drain the queue.
    #[inline(always)]
    pub(super) fn is_full_enough(&self) -> bool {
        self.len > DRAIN_ABOVE
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }
}

#[cold]
fn allocate() -> Box<[CapturingStone; CAPACITY]> {
    Box::new([CapturingStone::default(); CAPACITY])
}
