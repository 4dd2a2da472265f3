//! The orbits of a board, by number of points.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use fanorona_core::{Board, SymmetryGroup};

use super::numbering::{Orbits, TooManySets, num_sets};

/// The most sets of which builders have a list: on 9x5, those of 7 points.
pub const MAX_LISTED_FOR_BUILDERS: u64 = 1 << 27;

/// The orbits of a board, by number of points. They are computed at first use and can be shared by
/// threads.
#[derive(Debug)]
pub struct OrbitSets {
    board: Board,
    group: Arc<SymmetryGroup>,
    /// The most sets of which a list is made.
    max_listed: u64,
    /// See [`with_threads`](Self::with_threads).
    threads: Option<NonZeroUsize>,
    by_stones: [OnceLock<Orbits>; 32],
}

impl OrbitSets {
    /// Computes the symmetry group. Orbits are computed at first use.
    pub fn new(board: Board) -> Self {
        Self::with_lists(board, Orbits::MAX_LISTED)
    }

    /// As [`new`](Self::new), with lists of up to 2²⁷ sets. A list takes up to 11 bytes per set. It
    /// makes [`Orbits::number_of_rank`] faster, which builders call for one rank after the other.
    pub fn for_builders(board: Board) -> Self {
        Self::with_lists(board, MAX_LISTED_FOR_BUILDERS)
    }

    fn with_lists(board: Board, max_listed: u64) -> Self {
        let group = Arc::new(SymmetryGroup::new(board));
        Self { board, group, max_listed, threads: None, by_stones: Default::default() }
    }

    /// Computes orbits on this number of threads, which end with the computation. With `None`, the
    /// default, as many as the current rayon pool has.
    pub fn with_threads(self, threads: Option<NonZeroUsize>) -> Self {
        Self { threads, ..self }
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The board's symmetries.
    pub fn group(&self) -> &SymmetryGroup {
        &self.group
    }

    /// The orbits of the sets of `n` points. The first call computes them, see [`Orbits::new`].
    ///
    /// # Errors
    /// If there are too many sets, or if `n` is above 31, the most stones of a side.
    #[inline]
    pub fn of(&self, n: u8) -> Result<&Orbits, TooManySets> {
        match self.by_stones.get(usize::from(n)).and_then(OnceLock::get) {
            Some(orbits) => Ok(orbits),
            None => self.find(n),
        }
    }

    #[cold]
    fn find(&self, n: u8) -> Result<&Orbits, TooManySets> {
        let (board, stones) = (self.board, n.into());
        num_sets(board, stones)?;
        let place = self.by_stones.get(usize::from(n)).ok_or(TooManySets { board, stones })?;
        // One thread computes while others wait.
        Ok(place.get_or_init(|| {
            Orbits::with_list(self.max_listed, self.threads, board, &self.group, stones)
                .expect("the number of sets has been checked")
        }))
    }
}
