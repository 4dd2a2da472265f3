//! Counting first steps with the instructions of this processor.

use fanorona_core::{Board, FirstStepCounts, FirstSteps, Stones};

#[cfg(target_arch = "x86_64")]
use super::dispatch::Modern;

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
    #[cfg(target_arch = "x86_64")]
    modern: Option<Modern>,
}

impl FirstStepCounter {
    /// A counter for this processor.
    pub fn new() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            modern: Modern::detect(),
        }
    }

    /// The number of first steps, independent of the rule set.
    #[inline]
    pub fn count(&self, board: Board, stones: Stones) -> FirstStepCounts {
        #[cfg(target_arch = "x86_64")]
        if let Some(modern) = self.modern {
            return modern.count_first_steps(board, stones);
        }
        FirstSteps::count(board, stones)
    }
}

impl Default for FirstStepCounter {
    fn default() -> Self {
        Self::new()
    }
}
