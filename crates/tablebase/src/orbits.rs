//! Numbers for sets of points, up to the symmetries of the board.
//!
//! A set of `n` points has a *rank*: its number in colexicographic order, as in the combinatorial
//! number system (D. E. Knuth, "The Art of Computer Programming", volume 4A, section 7.2.1.3). The
//! symmetries group the sets into orbits. The lowest set of an orbit is its *representative*, and
//! orbits are numbered in the order of their representatives. A set is a [`Member`] of an orbit:
//! the number of the orbit, and a symmetry that maps the representative to the set.
//!
//! This module contains all conversions between a set and its orbit and symmetry.

use std::sync::OnceLock;

use fanorona_core::{Board, PointSet, Symmetry, SymmetryGroup};
use thiserror::Error;

/// Binomial coefficients. The compiler checks that all of them fit in 64 bits.
static BINOMIAL: [[u64; 65]; 64] = {
    let mut table = [[0u64; 65]; 64];
    let mut n = 0;
    while n < 64 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of ways to choose `k` of `n` points. `None` if `n` is above 63, the most points of a
/// board.
///
/// ```
/// use fanorona_tablebase::orbits::binomial;
/// assert_eq!(binomial(45, 2), Some(990));
/// assert_eq!(binomial(5, 6), Some(0));
/// assert_eq!(binomial(64, 1), None);
/// ```
pub fn binomial(n: u32, k: u32) -> Option<u64> {
    let row = BINOMIAL.get(n as usize)?;
    Some(row.get(k as usize).copied().unwrap_or(0))
}

/// [`binomial`] for `n` up to 63.
pub(crate) fn choose(n: u32, k: u32) -> u64 {
    BINOMIAL[n as usize][k as usize]
}

/// The number of a set among all sets of the same size, in colexicographic order.
#[inline]
pub fn rank(set: PointSet) -> u64 {
    let (mut set, mut rank, mut k) = (set.bits(), 0, 1);
    while set != 0 {
        rank += BINOMIAL[set.trailing_zeros() as usize][k];
        set &= set - 1;
        k += 1;
    }
    rank
}

/// The set with this rank among the sets of `k` points below `n`. `None` if the rank is too large,
/// or if `n` is above 63.
pub fn unrank(rank: u64, k: u32, n: u32) -> Option<PointSet> {
    (rank < binomial(n, k)?).then(|| set_of_rank(rank, k, n))
}

/// [`unrank`] for a valid rank.
pub(crate) fn set_of_rank(mut rank: u64, k: u32, n: u32) -> PointSet {
    let (mut set, mut point) = (0, n);
    for k in (1..=k).rev() {
        // The highest point is the last one with at most `rank` sets of lower points before it.
        point = (k - 1..point).rev().find(|p| choose(*p, k) <= rank).unwrap_or(k - 1);
        rank -= choose(point, k);
        set |= 1 << point;
    }
    PointSet::from_bits(set)
}

/// The next set of the same size in colexicographic order, by Gosper's hack (M. Beeler et al.,
/// "HAKMEM", MIT AI Memo 239, 1972, item 175). `None` after the last set of 64 points, and for the
/// empty set.
pub fn next_set(set: PointSet) -> Option<PointSet> {
    let lowest = set.bits() & set.bits().wrapping_neg();
    set.bits().checked_add(lowest).filter(|_| lowest != 0).map(|_| set_after(set))
}

/// [`next_set`] for a set that has a next one.
#[inline]
pub(crate) fn set_after(set: PointSet) -> PointSet {
    let set = set.bits();
    let lowest = set & set.wrapping_neg();
    let ripple = set + lowest;
    PointSet::from_bits(ripple | (((set ^ ripple) / lowest) >> 2))
}

/// The error of a number of stones whose sets cannot be numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("the sets of {stones} points of {board} cannot be numbered: {}", self.reason())]
#[non_exhaustive]
pub struct TooManySets {
    /// The board.
    pub board: Board,
    /// The number of points in a set.
    pub stones: u32,
}

impl TooManySets {
    fn reason(&self) -> String {
        match binomial(self.board.num_points(), self.stones) {
            Some(sets @ 1..) => format!("there are {sets}, more than {}", Orbits::MAX_SETS),
            _ => format!("it has {} points", self.board.num_points()),
        }
    }
}

/// A set of points as a member of its orbit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Member {
    /// The orbit.
    pub orbit: usize,
    /// A symmetry that maps the orbit's representative to the set, as an index of
    /// [`SymmetryGroup`]. If there are several, [`Orbits::member`] returns the lowest.
    pub symmetry: usize,
}

/// The orbits of the sets of `n` points of a board.
#[derive(Debug)]
pub struct Orbits {
    /// The order of the symmetry group is `1 << shift`.
    shift: u32,
    /// The [number](Self::number) of each set's member, by the set's rank.
    numbers: Vec<u32>,
    representatives: Vec<PointSet>,
    /// The number of sets in each orbit.
    sizes: Vec<u8>,
}

impl Orbits {
    /// The most sets that can be numbered. With 8 symmetries, numbers of members still fit in 32
    /// bits.
    pub const MAX_SETS: u64 = 1 << 29;

    /// Computes the orbits of all sets of `n` points. Takes some tens of nanoseconds and 4 bytes
    /// per set.
    ///
    /// # Errors
    /// If there are more than [`MAX_SETS`](Self::MAX_SETS) sets, or none.
    pub fn new(board: Board, group: &SymmetryGroup, n: u32) -> Result<Self, TooManySets> {
        let sets = num_sets(board, n)? as usize;
        let order = group.order();
        let shift = order.ilog2();
        let mut representatives = Vec::new();
        let mut sizes = Vec::new();
        let mut numbers = vec![u32::MAX; sets];
        let mut set = set_of_rank(0, n, board.num_points());
        for here in 0..sets {
            if numbers[here] == u32::MAX {
                let orbit = representatives.len();
                let mut size = 0;
                for symmetry in 0..order {
                    let number = &mut numbers[rank(group.apply(symmetry, set)) as usize];
                    if *number == u32::MAX {
                        *number = (orbit << shift | symmetry) as u32;
                        size += 1;
                    }
                }
                representatives.push(set);
                sizes.push(size);
            }
            if here + 1 < sets {
                set = set_after(set);
            }
        }
        Ok(Self { shift, numbers, representatives, sizes })
    }

    /// The number of orbits.
    pub fn count(&self) -> usize {
        self.representatives.len()
    }

    /// The lowest set of an orbit.
    ///
    /// # Panics
    /// If the orbit is not below [`count`](Self::count).
    #[inline]
    pub fn representative(&self, orbit: usize) -> PointSet {
        self.representatives[orbit]
    }

    /// The number of sets in an orbit.
    ///
    /// # Panics
    /// If the orbit is not below [`count`](Self::count).
    #[inline]
    pub fn size(&self, orbit: usize) -> u8 {
        self.sizes[orbit]
    }

    /// The orbit of a set, and the lowest symmetry that maps the representative to the set.
    ///
    /// # Panics
    /// May panic if the set has another number of points than the sets of these orbits.
    #[inline]
    pub fn member(&self, set: PointSet) -> Member {
        self.member_with_number(self.number(set) as usize)
    }

    /// The number of a set's [member](Self::member): `orbit * order + symmetry`. Used as columns of
    /// a matrix, these numbers put the sets of an orbit side by side.
    #[inline]
    pub(crate) fn number(&self, set: PointSet) -> u32 {
        self.numbers[rank(set) as usize]
    }

    /// The number of the member whose set has this rank.
    #[inline]
    pub(crate) fn number_of_rank(&self, rank: u64) -> u32 {
        self.numbers[rank as usize]
    }

    /// The number of member numbers: one for each symmetry of each orbit.
    pub(crate) fn num_numbers(&self) -> usize {
        self.count() << self.shift
    }

    /// The member with a number. A set that a symmetry maps to itself has several numbers;
    /// [`number`](Self::number) returns the lowest.
    #[inline]
    pub(crate) fn member_with_number(&self, number: usize) -> Member {
        Member { orbit: number >> self.shift, symmetry: number & ((1 << self.shift) - 1) }
    }

    /// The set of a member.
    pub(crate) fn set(&self, group: &SymmetryGroup, member: Member) -> PointSet {
        group.apply(member.symmetry, self.representatives[member.orbit])
    }
}

/// The number of sets of `stones` points, if they can be numbered.
fn num_sets(board: Board, stones: u32) -> Result<u64, TooManySets> {
    let sets = binomial(board.num_points(), stones).unwrap_or(0);
    let can_be_numbered = (1..=Orbits::MAX_SETS).contains(&sets);
    can_be_numbered.then_some(sets).ok_or(TooManySets { board, stones })
}

/// The number of positions of a slice, without symmetry: pairs of disjoint sets of `own` and
/// `opponent` points. 0 if the board has too few points.
pub fn placements(board: Board, own: u32, opponent: u32) -> u128 {
    let Some(free) = board.num_points().checked_sub(own) else { return 0 };
    let sets = |n, k| u128::from(binomial(n, k).unwrap_or(0));
    sets(board.num_points(), own) * sets(free, opponent)
}

/// The number of positions of a slice up to symmetry, by Burnside's lemma: the mean, over the
/// symmetries, of the number of positions that a symmetry maps to themselves.
pub fn placements_up_to_symmetry(board: Board, own: u32, opponent: u32) -> u128 {
    if own.saturating_add(opponent) > board.num_points() {
        return 0;
    }
    let fixed_by = |g: &Symmetry| -> u128 {
        // A position is fixed if each cycle of points has stones of one side only, or none.
        let mut ways = vec![vec![0u128; opponent as usize + 1]; own as usize + 1];
        ways[0][0] = 1;
        let mut seen = PointSet::EMPTY;
        for start in board.all_points().iter() {
            let mut length = 0;
            let mut point = start;
            while !seen.contains(point) {
                seen |= point;
                length += 1;
                point = g.apply(board, point).expect("a symmetry of the board");
            }
            if length > 0 {
                for a in (0..=own as usize).rev() {
                    for b in (0..=opponent as usize).rev() {
                        let with_own = if a >= length { ways[a - length][b] } else { 0 };
                        let with_opponent = if b >= length { ways[a][b - length] } else { 0 };
                        ways[a][b] += with_own + with_opponent;
                    }
                }
            }
        }
        ways[own as usize][opponent as usize]
    };
    let symmetries = board.symmetries();
    let fixed: u128 = symmetries.iter().map(fixed_by).sum();
    fixed / symmetries.len() as u128
}

/// The orbits of a board, by number of points. They are computed at first use and can be shared by
/// threads.
#[derive(Debug)]
pub struct OrbitSets {
    board: Board,
    group: SymmetryGroup,
    by_stones: [OnceLock<Orbits>; 32],
}

impl OrbitSets {
    /// Computes the symmetry group. Orbits are computed at first use.
    pub fn new(board: Board) -> Self {
        Self { board, group: SymmetryGroup::new(board), by_stones: Default::default() }
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
            Orbits::new(board, &self.group, stones).expect("the number of sets has been checked")
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_sets_belong_together() {
        for size in ["3x3", "5x3", "5x5", "9x5"] {
            let board: Board = size.parse().unwrap();
            let group = SymmetryGroup::new(board);
            for n in 1..=3 {
                let orbits = Orbits::new(board, &group, n).unwrap();
                assert_eq!(orbits.num_numbers(), orbits.count() * group.order());
                for number in 0..orbits.num_numbers() {
                    let member = orbits.member_with_number(number);
                    let set = orbits.set(&group, member);
                    let first = orbits.member(set);
                    assert_eq!(first.orbit, member.orbit);
                    assert!(first.symmetry <= member.symmetry);
                    assert!(orbits.number(set) as usize <= number);
                    assert_eq!(orbits.set(&group, first), set);
                    assert_eq!(orbits.number_of_rank(rank(set)), orbits.number(set));
                }
            }
        }
    }
}
