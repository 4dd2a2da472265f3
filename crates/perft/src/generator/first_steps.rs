//! Counting first steps with the instructions of this processor.

#![allow(unsafe_code)]

use fanorona_core::{Board, FirstStepCounts, FirstSteps, Modern, Stones, on_modern};

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
    pub fn new() -> Self {
        Self { modern: Modern::detect() }
    }

    /// The number of first steps, independent of the rule set.
    #[inline]
    pub fn count(&self, board: Board, stones: Stones) -> FirstStepCounts {
        // Most of it is to count the elements of sets.
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

impl Default for FirstStepCounter {
    fn default() -> Self {
        Self::new()
    }
}
