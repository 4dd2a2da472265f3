//! Marks of the entries of a proof: reached, checked.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Marks of the entries of a proof, shared by threads.
///
/// The marks of a block are allocated when its first entry is reached, which means that it was
/// found in the file. So a file cannot allocate memory by claiming a large number of entries.
#[derive(Debug)]
pub(crate) struct Marks {
    /// Entries per block.
    block_entries: usize,
    blocks: Vec<OnceLock<BlockMarks>>,
}

#[derive(Debug)]
struct BlockMarks {
    /// Whether there may be reached entries that are not checked.
    is_waiting: AtomicBool,
    /// Sets of entries, 64 per word.
    reached: Box<[AtomicU64]>,
    checked: Box<[AtomicU64]>,
}

impl Marks {
    pub(crate) fn new(blocks: usize, block_entries: u32) -> Self {
        let blocks = (0..blocks).map(|_| OnceLock::new()).collect();
        Self { block_entries: block_entries as usize, blocks }
    }

    /// The number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Marks an entry as reached.
    pub(crate) fn reach(&self, block: usize, entry: usize) {
        debug_assert!(entry < self.block_entries);
        let words = self.block_entries.div_ceil(64);
        let empty = || (0..words).map(|_| AtomicU64::new(0)).collect();
        let block = self.blocks[block].get_or_init(|| BlockMarks {
            is_waiting: AtomicBool::new(false),
            reached: empty(),
            checked: empty(),
        });
        let bit = 1 << (entry % 64);
        if block.reached[entry / 64].fetch_or(bit, Ordering::Relaxed) & bit == 0 {
            block.is_waiting.store(true, Ordering::Release);
        }
    }

    /// Returns the entries of a block that are reached but not checked, and marks them as checked.
    /// Must not be called for the same block by several threads at a time.
    pub(crate) fn take(&self, block: usize) -> Vec<usize> {
        let Some(marks) = self.blocks[block].get() else { return Vec::new() };
        // `reach` sets the bit before `is_waiting`. So either the bit is seen below, or
        // `is_waiting` is set again.
        if !marks.is_waiting.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        let mut taken = Vec::new();
        for (word, (reached, checked)) in marks.reached.iter().zip(&marks.checked).enumerate() {
            let checked_before = checked.load(Ordering::Relaxed);
            let mut left = reached.load(Ordering::Relaxed) & !checked_before;
            checked.store(checked_before | left, Ordering::Relaxed);
            while left != 0 {
                taken.push(word * 64 + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_is_taken_once() {
        let marks = Marks::new(3, 70);
        assert_eq!(marks.blocks(), 3);
        assert!((0..3).all(|block| marks.take(block).is_empty()));
        for entry in [69, 0, 63, 64, 0] {
            marks.reach(1, entry);
        }
        assert_eq!(marks.take(1), [0, 63, 64, 69]);
        assert_eq!(marks.take(1), []);
        marks.reach(1, 69);
        assert_eq!(marks.take(1), []);
        marks.reach(1, 1);
        marks.reach(2, 5);
        assert_eq!((marks.take(1), marks.take(2)), (vec![1], vec![5]));
        assert!(marks.blocks[0].get().is_none(), "what is never reached takes no memory");
    }

    #[test]
    fn threads_lose_no_entry() {
        let marks = Marks::new(1, 4096);
        let taken = std::thread::scope(|scope| {
            for thread in 0..2 {
                let marks = &marks;
                scope.spawn(move || (thread..4096).step_by(2).for_each(|e| marks.reach(0, e)));
            }
            let mut taken = Vec::new();
            while taken.len() < 4096 {
                taken.extend(marks.take(0));
            }
            taken
        });
        let mut sorted = taken;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..4096));
        assert_eq!(marks.take(0), []);
    }
}
